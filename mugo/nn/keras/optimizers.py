"""Muon and Adam, with weight averaging and with projected gradients for equivariant networks; their learning-rate
schedule; and the averaged network, which is validated, exported and played.

They are written on what keras.optimizers.Optimizer documents for subclasses (build, apply): the methods in which
Keras's own Muon chooses matrices, and in which Keras averages weights, are private and change.
"""
from dataclasses import dataclass
from typing import Any

import numpy as np

from mugo.core.limits import OPTIMIZERS
from mugo.nn.blocks import METADATA_LAYERS
from mugo.nn.keras import equivariance
from mugo.nn.keras.backend import keras, ops

# The polynomials of Polar Express, a x + b x^3 + c x^5, one for each iteration.
POLYNOMIALS = ((8.156554524902461, -22.48329292557795, 15.878769915207462),
               (4.042929935166739, -2.808917465908714, 0.5000178451051316),
               (3.8916678022926607, -2.772484153217685, 0.5060648178503393),
               (3.285753657755655, -2.3681294933425376, 0.46449024233003106),
               (2.3465413258596377, -1.7097828382687081, 0.42323551169305323))
GRADIENT_NORM = "gradient_norm"          # a variable of the optimizers that a step only writes: in no checkpoint


class WarmupStableDecay(keras.optimizers.schedules.LearningRateSchedule):
    """A linear warm-up to `peak` over warmup_steps, constant until step decay_start, then a linear decay to
    final_fraction * peak at step total_steps (Hu et al. 2024, arXiv:2404.06395)."""

    def __init__(self, peak: float, warmup_steps: int, decay_start: int, total_steps: int, final_fraction: float):
        super().__init__()
        self.peak, self.warmup_steps, self.decay_start = peak, warmup_steps, decay_start
        self.total_steps, self.final_fraction = total_steps, final_fraction

    def __call__(self, step):
        step = ops.cast(step, "float32")
        warmup = (step + 1) / ops.maximum(1.0, self.warmup_steps)
        decay = ops.clip((step - self.decay_start) / ops.maximum(1.0, self.total_steps - self.decay_start), 0.0, 1.0)
        return self.peak * ops.minimum(ops.minimum(warmup, 1.0), 1 - (1 - self.final_fraction) * decay)


@dataclass
class VariableState:
    """A trainable variable of the model, and the optimizer's variables for it, of the same shape."""

    variable: Any
    average: Any
    momentum: Any
    velocity: Any                        # Adam's second moment; None where Muon needs none


class Adam(keras.optimizers.Optimizer):
    """Adam (Kingma & Ba 2015, arXiv:1412.6980), which also keeps an average (EMA) of the weights.

    Polynomial-decay averaging (Shamir & Zhang 2013, arXiv:1212.1824): after t steps the newest weights have the share
    (ETA + 1) / (t + ETA + 1), so the average is t / (ETA + 2) steps old, however long the run.  As the learning rate
    decays that share grows: at a tenth of the peak rate it is ten times as large.

    learning_rate: a number, or a schedule; one with `peak` and `decay_start` (WarmupStableDecay) says when it decays.
    weight_axes: the weight axes of the network (graph.weight_axes), if it is equivariant: each gradient is projected
    onto tied weights.
    clip_norm: the gradients of a step, all together, are shortened to this Euclidean norm if theirs is larger (Pascanu,
    Mikolov & Bengio 2013, arXiv:1211.5063); None: never.  gradient_norm: theirs in the last step, before that.

    """
    ETA = 8
    BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-7
    METADATA_RATIO = 1 / 16              # of the rate, for blocks.add_metadata: up to 67 of its inputs are 1 at once

    def __init__(self, learning_rate: Any = 0.001, weight_axes: Any = None,
                 clip_norm: float | None = None):
        super().__init__(learning_rate)
        self.schedule, self.weight_axes = learning_rate, weight_axes
        self.clip_norm = clip_norm

    @property
    def learning_rate(self) -> Any:
        """The rate of the next step.  Set to a number or a schedule."""
        return super().learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        keras.optimizers.Optimizer.learning_rate.__set__(self, learning_rate)
        self.schedule = learning_rate

    def build(self, variables) -> None:
        """Make the optimizer's variables for these variables of a model."""
        if not self.built:
            super().build(variables)
            self.gradient_norm = self.add_variable((), name=GRADIENT_NORM)
            self.states = [VariableState(variable, *(
                self.add_variable_from_reference(variable, name=name) if needed else None for name, needed in
                (("average", True), ("momentum", True), ("velocity", self.needs_velocity(variable)))))
                for variable in variables]

    def apply(self, grads, trainable_variables=None) -> None:
        """One step.  grads: a gradient for each variable, in the order of `build`, which is called if it was not."""
        if trainable_variables is not None:
            trainable_variables = list(trainable_variables)
            self.build(trainable_variables)
        rate = ops.cast(self.learning_rate, "float32")
        share = self.newest_share(rate)
        gradients = [ops.cast(equivariance.project_gradient(gradient, state.variable, self.weight_axes)
                              if self.weight_axes else gradient, state.variable.dtype)
                     for state, gradient in zip(self.states, grads, strict=True)]
        norm = ops.sqrt(sum(ops.sum(ops.square(gradient)) for gradient in gradients))
        if self.clip_norm is not None:
            gradients = [gradient * ops.minimum(1.0, self.clip_norm / (norm + 1e-12)) for gradient in gradients]
        values = [(self.iterations, self.iterations + 1), (self.gradient_norm, norm)]
        for state, gradient in zip(self.states, gradients, strict=True):
            new = self.update(state, gradient, rate)
            values += [*new, (state.average, state.average + share * (new[0][1] - state.average))]
        for variable, value in values:
            variable.assign(value)

    def newest_share(self, rate: Any) -> Any:
        """The share of the weights after this step in the average.  rate: the learning rate of this step."""
        step = ops.cast(self.iterations, "float32")
        decay = ops.where(step < getattr(self.schedule, "decay_start", np.inf), 1.0,
                          rate / getattr(self.schedule, "peak", rate))
        return ops.minimum(1.0, (self.ETA + 1) / (step + self.ETA + 1) / decay)

    @property
    def averaged_variables(self) -> list:
        """The average of each trainable variable of the model, in its order."""
        return [state.average for state in self.states]

    def needs_velocity(self, variable: Any) -> bool:
        """Whether `update` uses the velocity of a state."""
        return True

    def update(self, state: VariableState, gradient: Any, rate: Any) -> list[tuple[Any, Any]]:
        """(variable, next value) of the model's variable, which comes first, and of the optimizer's for it."""
        if METADATA_LAYERS in state.variable.path:
            rate = rate * self.METADATA_RATIO
        step = ops.cast(self.iterations + 1, "float32")
        momentum = state.momentum + (gradient - state.momentum) * (1 - self.BETA_1)
        velocity = state.velocity + (ops.square(gradient) - state.velocity) * (1 - self.BETA_2)
        corrected = rate * ops.sqrt(1 - ops.power(self.BETA_2, step)) / (1 - ops.power(self.BETA_1, step))
        return [(state.variable, state.variable - momentum * corrected / (
                    ops.sqrt(velocity) + self.EPSILON)),
                (state.momentum, momentum), (state.velocity, velocity)]


class Muon(Adam):
    """Muon for convolutions: a kernel's update, as the matrix (rows * columns * filters in, filters out),
    is made orthogonal, so that all directions are learned at one pace (Jordan et al. 2024,
    github.com/KellerJordan/Muon); scaled to what Adam's would be (Liu et al. 2025, arXiv:2502.16982).  Everything else,
    and the last convolution, which makes one plane, learns by Adam at a fifth of the rate.
    """
    MOMENTUM, RMS, ADAM_LR_RATIO = 0.95, 0.2, 0.2          # the root mean square of the entries of an update, at rate 1

    def needs_velocity(self, variable: Any) -> bool:
        return len(variable.shape) != 4 or variable.shape[-1] == 1

    def update(self, state: VariableState, gradient: Any, rate: Any) -> list[tuple[Any, Any]]:
        if state.velocity is not None:
            return super().update(state, gradient, rate * self.ADAM_LR_RATIO)
        momentum = self.MOMENTUM * state.momentum + gradient
        nesterov = ops.reshape(gradient + self.MOMENTUM * momentum, (-1, gradient.shape[-1]))
        scale = max(nesterov.shape) ** 0.5 * self.RMS
        update = ops.reshape(polar_express(nesterov), gradient.shape)
        return [(state.variable, state.variable - rate * scale * update),
                (state.momentum, momentum)]


def polar_express(matrix: Any) -> Any:
    """Nearly the orthogonal matrix nearest to this one: singular values from a thousandth of its norm on become 0.85 to
    1.15, by the polynomials of Polar Express (Amsel et al. 2025, arXiv:2505.16932, algorithm 1)."""
    wide = matrix.shape[0] <= matrix.shape[1]
    x = matrix if wide else ops.transpose(matrix)
    x = x / (1.02 * ops.norm(x) + 1e-7)                    # so that no singular value is above one
    for a, b, c in POLYNOMIALS:
        square = x @ ops.transpose(x)
        x = a * x + (b * square + c * square @ square) @ x
    return x if wide else ops.transpose(x)


CLASSES: dict[str, Any] = dict(zip(OPTIMIZERS, (Muon, Adam), strict=True))


class AveragedModel:
    """A model with the averaged weights of another one of the same layers, `trained`, and with the moving statistics of
    batch normalisation recalibrated on `batches` of inputs, as update_bn does in PyTorch."""

    def __init__(self, trained: keras.Model, model: keras.Model, batches: list):
        self.trained, self.model, self.batches = trained, model, batches
        self.model.set_weights(trained.get_weights())    # those that are not trained stay

    def update_ema_model(self) -> keras.Model:
        """Set `model` to the current averaged weights, and return it: the same object each time."""
        optimizer = self.trained.optimizer
        for variable, average in zip(self.model.trainable_variables, optimizer.averaged_variables, strict=True):
            variable.assign(np.array(ops.convert_to_numpy(average)))    # a copy: JAX gives arrays away to what it runs
        recalibrate_batch_norm(self.model, self.batches)
        if optimizer.weight_axes:
            equivariance.symmetrise(self.model, optimizer.weight_axes)
        return self.model


def recalibrate_batch_norm(model: keras.Model, batches: list) -> None:
    """Set the moving statistics of each batch normalisation to the mean of its statistics over these batches.

    Those of layers that are not trainable stay.  Where none is, nothing is computed.
    """
    layers: list[Any] = [layer for layer in model.layers
                         if isinstance(layer, keras.layers.BatchNormalization) and layer.trainable]
    momentum = [layer.momentum for layer in layers]
    sums = [np.zeros(1)] * len(layers)
    for layer in layers:
        layer.momentum = 0.0             # so that the moving statistics come from the last batch
    for batch in batches if layers else []:
        model(batch, training=True)
        sums = [total + np.stack([layer.moving_mean, layer.moving_variance])
                for total, layer in zip(sums, layers, strict=True)]
    for layer, total, before in zip(layers, sums, momentum, strict=True):
        layer.moving_mean.assign(total[0] / len(batches))
        layer.moving_variance.assign(total[1] / len(batches))
        layer.momentum = before
