"""How a network learns: losses, the learning rate, optimizers, and the mean of its weights.

What is shown and played is not the network as its last step left it, but the mean of what it was over the last
part of the run: see `Averaging` and `Mean`.
"""
import numpy as np

from mugo.nn import equivariance
from mugo.nn.backend import JIT, keras, ops


@keras.saving.register_keras_serializable("mugo")
def outcome_loss(outcome, score):
    """-log of the probability given to the outcome z (1 or -1), which is (1 + z tanh(score)) / 2; but
    0 where z is 0: not known.  (z - v)² instead stops learning where tanh is saturated and wrong."""
    outcome = ops.cast(ops.reshape(outcome, ops.shape(score)), score.dtype)
    return ops.mean(ops.abs(outcome) * ops.softplus(-2 * outcome * score), axis=-1)


@keras.saving.register_keras_serializable("mugo")
def value_error(outcome, score):
    """(z - v)² of the value v = tanh(score); 1 for a network that knows nothing, 0 where z is 0."""
    outcome = ops.cast(ops.reshape(outcome, ops.shape(score)), score.dtype)
    return ops.mean(ops.abs(outcome) * ops.square(outcome - ops.tanh(score)), axis=-1)


@keras.saving.register_keras_serializable("mugo")
class Smoothed(keras.losses.Loss):
    """Cross-entropy of the moves played, were a share of `smoothing` of them drawn from all moves alike (Szegedy et
    al. 2016, arXiv:1512.00567, section 7), so that nothing is worth being all too sure of."""

    def __init__(self, smoothing: float, name="smoothed", **options):
        super().__init__(name=name, **options)
        self.smoothing = smoothing

    def call(self, y_true, y_pred):
        move = ops.reshape(y_true, ops.shape(y_pred)[:-1])
        played = ops.sparse_categorical_crossentropy(move, y_pred, from_logits=True)
        any_move = ops.logsumexp(y_pred, axis=-1) - ops.mean(y_pred, axis=-1)
        return (1 - self.smoothing) * played + self.smoothing * any_move

    def get_config(self):
        return super().get_config() | {"smoothing": self.smoothing}


@keras.saving.register_keras_serializable("mugo")
class Trapezium(keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that climbs to `highest` in warm_up steps, stays there until step `hold`, and goes
    down in a straight line to last * highest at step `steps`."""

    def __init__(self, highest: float, warm_up: int, hold: int, steps: int, last: float):
        super().__init__()
        self.highest, self.warm_up, self.hold, self.steps, self.last = highest, warm_up, hold, steps, last

    def __call__(self, step):
        step = ops.cast(step, "float32")
        climbed = (step + 1) / max(1, self.warm_up)
        gone_down = ops.clip((step - self.hold) / max(1, self.steps - self.hold), 0.0, 1.0)
        return self.highest * ops.minimum(ops.minimum(climbed, 1.0), 1 - (1 - self.last) * gone_down)

    def get_config(self):
        return {name: getattr(self, name) for name in ("highest", "warm_up", "hold", "steps", "last")}


class Equivariant:
    """For an optimizer: if asked to, it keeps weights equal that symmetries of the board turn into each other."""

    def __init__(self, *args, equivariant=False, **options):
        super().__init__(*args, **options)
        self.equivariant = equivariant

    def apply(self, grads, trainable_variables=None):
        if self.equivariant:
            variables = self._trainable_variables if trainable_variables is None else trainable_variables
            grads = [equivariance.averaged(gradient, variable)
                     for gradient, variable in zip(grads, variables, strict=True)]
        return super().apply(grads, trainable_variables)

    def get_config(self):
        return super().get_config() | {"equivariant": self.equivariant}


class Averaging:
    """For an optimizer: it also keeps a mean of the weights, in which a step weighs the more the newer it is.

    After t steps the newest has a share of (RECENT + 1) / (t + RECENT + 1): the mean is t / (RECENT + 2) steps old,
    however long the run (Shamir & Zhang 2013, arXiv:1212.1824, polynomial-decay averaging).  While the learning
    rate is high, weights go around where they would come to if it went down, and their mean is near there.  As it
    goes down they do come there; at a tenth of the highest rate the newest has ten times that share.
    """
    RECENT = 8

    def __init__(self, *args, **options):
        super().__init__(*args, **({"use_ema": True} | options))

    def _update_model_variables_moving_average(self, trainable_variables):
        step = ops.cast(self.iterations, "float32")
        highest = getattr(self._learning_rate, "highest", self.learning_rate)
        gone_down = ops.where(step < getattr(self._learning_rate, "hold", np.inf), 1.0, self.learning_rate / highest)
        share = ops.minimum(1.0, (self.RECENT + 1) / (step + self.RECENT + 1) / gone_down)
        for variable, mean in zip(trainable_variables, self._model_variables_moving_average, strict=True):
            mean.assign(mean + share * (variable - mean))

    @property
    def means(self) -> list:
        """The mean of each trainable variable of the model, in its order."""
        return self._model_variables_moving_average


@keras.saving.register_keras_serializable("mugo")
class Muon(Equivariant, Averaging, keras.optimizers.Muon):
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
class Adam(Equivariant, Averaging, keras.optimizers.Adam):
    """Adam (Kingma & Ba 2015) that keeps the mean of the weights."""


OPTIMIZERS = {"muon": Muon, "adam": Adam}


def compile_for_training(model: keras.Model, schedule, value_weight: float, has_value: bool,
                         optimizer: str = "muon", equivariant: bool = False, smoothing: float = 0.0) -> None:
    """Make a network ready to learn: an optimizer of OPTIMIZERS, cross-entropy, top-1 and top-5 as metrics.

    equivariant: the network is, and shall stay so.  smoothing: see `Smoothed`.
    """
    losses = {"policy": Smoothed(smoothing) if smoothing else
              keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
    weights = {"policy": 1.0}
    metrics = {"policy": [
        keras.metrics.SparseCategoricalCrossentropy(from_logits=True, name="ce"),
        keras.metrics.SparseCategoricalAccuracy(name="top1"),
        keras.metrics.SparseTopKCategoricalAccuracy(5, name="top5"),
    ]}
    if has_value:
        losses["value"] = outcome_loss
        weights["value"] = value_weight
        metrics["value"] = [keras.metrics.MeanMetricWrapper(value_error, name="error")]
    model.compile(OPTIMIZERS[optimizer](schedule, equivariant=equivariant), loss=losses, loss_weights=weights,
                  metrics=metrics, jit_compile=JIT)


class Mean:
    """The network that a run has to show: with the mean of the weights, and normalised as fits them.

    What the layers remember of means and variances is of other weights than these, and of weights that moved; so
    both are taken anew, over `batches` of packed planes.
    """

    def __init__(self, model: keras.Model, batches: list[np.ndarray]):
        self.learning, self.batches = model, batches
        self.model = keras.models.clone_model(model)
        self.model.compile_from_config(model.get_compile_config())

    def take(self) -> keras.Model:
        """The network as of now.  It is the same object each time.  (Older runs have no mean: their last weights.)"""
        optimizer = self.learning.optimizer
        means = optimizer.means if getattr(optimizer, "use_ema", False) else self.learning.trainable_variables
        for variable, mean in zip(self.model.trainable_variables, means, strict=True):
            variable.assign(np.array(mean))                          # a copy: JAX gives arrays away to what it runs
        normalise(self.model, self.batches)
        if getattr(optimizer, "equivariant", False):
            equivariance.even_out(self.model)
        return self.model


def normalise(model: keras.Model, batches: list[np.ndarray]) -> None:
    """Let the normalising layers remember the average of their inputs' means and variances over these batches."""
    layers = [layer for layer in model.layers if isinstance(layer, keras.layers.BatchNormalization)]
    momentum = [layer.momentum for layer in layers]
    sums = [0.0] * len(layers)
    for layer in layers:
        layer.momentum = 0.0             # remember the last batch only
    for batch in batches if layers else []:
        model(batch, training=True)
        sums = [total + np.stack([layer.moving_mean, layer.moving_variance])
                for total, layer in zip(sums, layers, strict=True)]
    for layer, total, before in zip(layers, sums, momentum, strict=True):
        layer.moving_mean.assign(total[0] / len(batches))
        layer.moving_variance.assign(total[1] / len(batches))
        layer.momentum = before
