"""Training steps as one compiled function, on either backend.

    steps = Steps(model, parallel)
    steps.begin()                  means begin anew
    steps.take(batch)              batch -> loss -> gradients -> update; it does not wait for the device
    steps.means()                  of the loss and the metrics since `begin`; it waits
    steps.store()                  the model's variables are those after the last step

What a step computes is the model's own train_step, with the loss, the metrics and the optimizer of nn/keras/losses.py.
TensorFlow changes the variables where they are.  JAX's function takes their arrays and returns new ones, in the same
memory, so the variables are out of date until `store`.
"""
from typing import Any

from mugo.nn.keras.backend import keras, tensorflow
from mugo.nn.keras.devices import DataParallel


class Steps:
    """The steps of a compiled model, whose losses and metrics are built (compile.build_metrics).

    parallel: in whose scope the model was made, and in whose `training` the methods are called.
    """

    def __init__(self, model: keras.Model, parallel: DataParallel):
        self._model: Any = model
        self._parallel, self._means, self._state = parallel, {}, ()
        if tensorflow:
            self._step = tensorflow.function(self._model.train_step, jit_compile=model.jit_compile)
        else:
            import jax

            self._step = jax.jit(self._model.train_step, donate_argnums=0, out_shardings=parallel.everywhere)

    def begin(self) -> None:
        """Begin the means anew, and go on with the variables that the model has now."""
        self._model.reset_metrics()
        self._state = [[variable.value for variable in variables] for variables in self._variables()]

    def take(self, batch: tuple) -> None:
        """A step on (inputs, targets), the slice of this process."""
        if tensorflow:
            self._means = self._step(batch)
        else:
            self._means, self._state = self._step(self._state, self._parallel.divided(batch))

    def means(self) -> dict[str, float]:
        """The mean loss and metrics since `begin`, by Keras's names."""
        return {name: float(value) for name, value in self._means.items()}

    def store(self) -> None:
        """Give the model's variables their values after the last step; the next one takes them away again on JAX."""
        if not tensorflow:
            for variables, values in zip(self._variables(), self._state, strict=True):
                for variable, value in zip(variables, values, strict=True):
                    variable.assign(value)

    def _variables(self) -> tuple[list, ...]:
        """What train_step changes, in the order in which JAX's takes it."""
        model = self._model
        return (model.trainable_variables, model.non_trainable_variables, model.optimizer.variables,
                model.metrics_variables)
