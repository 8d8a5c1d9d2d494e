"""Training steps as one compiled function, on either backend.

    steps = Steps(model, parallel)
    steps.begin()                  means begin anew
    steps.take(batch)              batch -> loss -> gradients -> update; it does not wait for the device
    steps.means()                  of the loss and the metrics since `begin`; it waits
    steps.store()                  the model's variables are those after the last step

What a step computes is the model's own train_step, with the loss, the metrics and the optimizer of nn/keras/losses.py.
TensorFlow changes the variables where they are.  JAX's function takes their arrays and returns new ones, in the same
memory, so the variables are out of date until `store`.  The learning-rate schedule's numbers of steps are arguments:
a run whose length is not known yet is compiled once.
"""
from typing import Any

import numpy as np

from mugo.nn.keras.backend import keras, tensorflow
from mugo.nn.keras.devices import DataParallel

SCHEDULE = "warmup_steps", "decay_start", "total_steps"      # of optimizers.WarmupStableDecay


class Steps:
    """The steps of a compiled model, whose losses and metrics are built (losses.build_metrics).

    parallel: in whose scope the model was made, and in whose scope the methods are called.
    """

    def __init__(self, model: keras.Model, parallel: DataParallel):
        self._model: Any = model
        self._parallel, self._means, self._state = parallel, {}, ()
        if tensorflow:
            self._step = tensorflow.function(self._with_schedule, jit_compile=model.jit_compile)
        else:
            import jax

            self._step = jax.jit(self._with_schedule, donate_argnums=1, out_shardings=parallel.everywhere)

    def _with_schedule(self, numbers: Any, *arguments: Any) -> Any:
        """The model's train_step, traced with these numbers of SCHEDULE."""
        schedule = self._model.optimizer.schedule
        known = vars(schedule).copy()
        vars(schedule).update({name: numbers[i] for i, name in enumerate(SCHEDULE)})
        try:
            return self._model.train_step(*arguments)
        finally:
            vars(schedule).update(known)

    def begin(self) -> None:
        """Begin the means anew, and go on with the variables and the schedule that the model has now."""
        self._model.reset_metrics()
        self._state = [[variable.value for variable in variables] for variables in self._variables()]
        self._numbers = np.array([getattr(self._model.optimizer.schedule, name) for name in SCHEDULE], np.float32)

    def take(self, batch: tuple) -> None:
        """A step on (inputs, targets), the slice of this process."""
        if tensorflow:
            self._means = self._step(self._numbers, batch)
        else:
            self._means, self._state = self._step(self._numbers, self._state, self._parallel.divided(batch))

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
