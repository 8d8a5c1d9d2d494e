"""Positions of several threads in one batch, for a device that evaluates many nearly as fast as few.

    thread 1 --run--+                          while the device is busy, calls wait;
    thread 2 --run--+--> one batch --> device  all that wait then are the next batch
    thread 3 --run--+

A CPU gains nothing by this: there every thread calls the network itself, on its own core.
"""
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from mugo.nn.inference import Network


@dataclass
class _Call:
    """A call of `run` that waits.  outputs, error: of the batch that it was part of; None before."""

    packed: np.ndarray
    features: np.ndarray
    outputs: dict[str, np.ndarray] | None = None
    error: Exception | None = None


class BatchingNetwork(Network):
    """A Network whose calls from several threads at once are batched.  All are of boards of one size."""

    def _open(self, *args: Any) -> None:
        super()._open(*args)
        self._device, self._waiting = threading.Lock(), deque[_Call]()

    def run(self, packed: np.ndarray, features: np.ndarray | None = None, people: np.ndarray | None = None
            ) -> dict[str, np.ndarray]:
        """As Network.run.  A call without features, or with people, is not batched with others."""
        if features is None or people is not None:
            with self._device:
                return super().run(packed, features, people)
        call = _Call(packed, features)
        self._waiting.append(call)
        with self._device:
            if call.outputs is None and call.error is None:      # else the thread before has evaluated it
                self._run_waiting()
        if call.error is not None:
            raise call.error
        assert call.outputs is not None
        return call.outputs

    def _run_waiting(self) -> None:
        """Evaluate all calls that wait.  The caller holds the device."""
        calls = [self._waiting.popleft() for _ in range(len(self._waiting))]
        n = sum(len(call.packed) for call in calls)
        packed = np.zeros((padded_size(n), *calls[0].packed.shape[1:]), np.uint8)
        features = np.zeros((len(packed), 2), np.float32)
        packed[:n] = np.concatenate([call.packed for call in calls])
        features[:n] = np.concatenate([call.features for call in calls])
        try:
            outputs = super().run(packed, features)
        except Exception as error:
            for call in calls:
                call.error = error
            return
        first = 0
        for call in calls:
            end = first + len(call.packed)
            call.outputs = {name: output[first:end] for name, output in outputs.items()}
            first = end


def padded_size(n: int) -> int:
    """The batch size for n positions: n, rounded up to three binary digits, so at most a quarter more.

    CUDA's provider searches for the fastest convolution again for each size that it has not seen
    (cudnn_conv_algo_search), and the number of leaves is another one in every call.
    """
    step = 1 << max(n.bit_length() - 3, 0)
    return -(-n // step) * step
