"""The averaged network of a run: the exponential moving average (EMA) of its weights, with batch-norm statistics
recalibrated.

This network, and not the one that the last step left, is validated, exported and played.
"""
from typing import Any

import numpy as np

from mugo.nn import equivariance
from mugo.nn.backend import keras, ops


class AveragedModel:
    """`model`, which has the averaged weights of another one of the same layers, which is being trained.

    The moving statistics of batch normalisation in the trained model belong to other weights; so they are
    recalibrated on `batches` of inputs (as update_bn does for stochastic weight averaging in PyTorch).
    """

    def __init__(self, trained: keras.Model, model: keras.Model, batches: list):
        self.trained, self.model, self.batches = trained, model, batches
        self.model.set_weights(trained.get_weights())    # those that are not trained stay

    def update_ema_model(self) -> keras.Model:
        """Set `model` to the averaged weights as of now, and return it: the same object each time."""
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
        layer.momentum = 0.0             # so that the moving statistics are those of the last batch
    for batch in batches if layers else []:
        model(batch, training=True)
        sums = [total + np.stack([layer.moving_mean, layer.moving_variance])
                for total, layer in zip(sums, layers, strict=True)]
    for layer, total, before in zip(layers, sums, momentum, strict=True):
        layer.moving_mean.assign(total[0] / len(batches))
        layer.moving_variance.assign(total[1] / len(batches))
        layer.momentum = before
