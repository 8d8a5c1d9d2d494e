"""Optimizers: Muon and Adam, with weight averaging, and with projected gradients for equivariant networks."""
from typing import Any

import numpy as np

from mugo.nn import equivariance
from mugo.nn.backend import keras, ops


class ProjectedGradients(keras.optimizers.Optimizer):
    """Mixin for an optimizer: it keeps the weights of an equivariant network tied.

    weight_axes: of the network (blocks.NetworkSpec.weight_axes), if it is equivariant.
    """

    def __init__(self, *args, weight_axes=None, **options):
        super().__init__(*args, **options)
        self.weight_axes = weight_axes

    def apply(self, grads, trainable_variables=None):
        if self.weight_axes:
            variables = self._trainable_variables if trainable_variables is None else trainable_variables
            grads = [equivariance.project_gradient(gradient, variable, self.weight_axes)
                     for gradient, variable in zip(grads, variables, strict=True)]
        return super().apply(grads, trainable_variables)

    def get_config(self):
        return super().get_config() | {"weight_axes": self.weight_axes}


class WeightAveraging(keras.optimizers.Optimizer):
    """Mixin for an optimizer: it also keeps an average (EMA) of the weights, in which newer steps weigh more.

    Polynomial-decay averaging (Shamir & Zhang 2013, arXiv:1212.1824): after t steps the newest weights have the share
    (ETA + 1) / (t + ETA + 1), so the average is t / (ETA + 2) steps old, however long the run.  While the learning rate
    is high, the weights move around the point that they would reach if it decayed, and their average is near it.  As
    the rate decays they do reach it; at a tenth of the peak rate the newest weights have ten times that share.
    """
    ETA = 8

    def __init__(self, *args, **options):
        super().__init__(*args, **({"use_ema": True} | options))

    def _update_model_variables_moving_average(self, trainable_variables):
        step = ops.cast(self.iterations, "float32")
        peak: Any = getattr(self._learning_rate, "peak", self.learning_rate)
        decay_start = getattr(self._learning_rate, "decay_start", np.inf)
        decay = ops.where(step < decay_start, 1.0, self.learning_rate / peak)
        share = ops.minimum(1.0, (self.ETA + 1) / (step + self.ETA + 1) / decay)
        for variable, average in zip(trainable_variables, self._model_variables_moving_average, strict=True):
            average.assign(average + share * (variable - average))

    @property
    def averaged_variables(self) -> list:
        """The average of each trainable variable of the model, in its order."""
        return self._model_variables_moving_average


@keras.saving.register_keras_serializable("mugo")
class Muon(ProjectedGradients, WeightAveraging, keras.optimizers.Muon):
    """Muon for convolutions: a kernel's update, as the matrix (rows * columns * filters in, filters out),
    is made orthogonal, so that all directions are learned at one pace (Jordan et al. 2024); scaled to
    what Adam's would be (Liu et al. 2025, arXiv:2502.16982).  Everything else, and the last convolution,
    which makes one plane, learns by Adam at a fifth of the rate.  Keras's own does this for dense layers only.
    """

    def __init__(self, learning_rate=0.001, weight_decay=None, adam_weight_decay=None, adam_lr_ratio=0.2, **options):
        super().__init__(learning_rate, weight_decay=weight_decay, adam_weight_decay=adam_weight_decay,
                         adam_lr_ratio=adam_lr_ratio, **options)

    def _should_use_adamw(self, variable):
        return len(variable.shape) != 4 or variable.shape[-1] == 1

    def zeropower_via_newtonschulz5(self, x, steps):
        return ops.reshape(super().zeropower_via_newtonschulz5(ops.reshape(x, (-1, x.shape[-1])), steps), x.shape)

    def lr_adjust(self, x):
        filters = x.shape[-1]
        return x * (max(int(np.prod(x.shape)) // filters, filters) ** 0.5 * self.rms_rate)


@keras.saving.register_keras_serializable("mugo")
class Adam(ProjectedGradients, WeightAveraging, keras.optimizers.Adam):
    """Adam (Kingma & Ba 2015, arXiv:1412.6980)."""


OPTIMIZERS = {"muon": Muon, "adam": Adam}
