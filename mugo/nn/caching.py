"""Networks that remember evaluations, and networks that batch the calls of several threads.

    CachingNetwork     run --> hash of each position's inputs --> EvaluationCache --known---------------+--> outputs
                                                                      '--unknown--> Network.run --------'
    BatchingNetwork    while the device is busy, calls wait; all that wait then are the next batch

Analyses and reviews ask for many positions again; in self-play and matches few are, so those use a Network without a
cache.  A CPU gains nothing by batching: there every thread calls the network itself, on its own core.
"""
import threading
from collections import OrderedDict, deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from mugo.nn.inference import Network

MAX_BYTES = 64 << 20                     # of the evaluations of one network
ENTRY_BYTES, ARRAY_BYTES = 500, 120      # of a position and of each of its arrays, besides numbers: Python's objects
Outputs = dict[str, np.ndarray]


class EvaluationCache:
    """The outputs of a network for positions, by key: the most recently used that fit into max_bytes.  Several threads
    may use it."""

    def __init__(self, max_bytes: int = MAX_BYTES):
        self.bytes = 0                                           # of what is in it
        self._max_bytes = max_bytes
        self._outputs: OrderedDict[bytes, Outputs] = OrderedDict()       # of a position; the least recently used first
        self._lock = threading.Lock()

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            self._outputs.clear()
            self.bytes = 0

    def find(self, keys: list[bytes]) -> dict[bytes, Outputs]:
        """The outputs of each key that is known.  They are not to be changed."""
        with self._lock:
            found = {key: self._outputs[key] for key in keys if key in self._outputs}
            for key in found:
                self._outputs.move_to_end(key)
            return found

    def add(self, key: bytes, outputs: Outputs) -> None:
        """Add the outputs of a position."""
        with self._lock:
            if key not in self._outputs:                         # another thread may have added it
                self._outputs[key] = outputs
                self.bytes += _bytes_of(outputs)
            while self.bytes > self._max_bytes:
                self.bytes -= _bytes_of(self._outputs.popitem(last=False)[1])


def _bytes_of(outputs: Outputs) -> int:
    return sum(output.nbytes + ARRAY_BYTES for output in outputs.values()) + ENTRY_BYTES


class CachingNetwork(Network):
    """A Network with a cache, which it shares with those of its `with_people`.  Programs that promise the same result
    for a seed use a Network, because last digits depend on the size of the batch, or forget before each result."""

    def _open(self, *args: Any) -> None:
        super()._open(*args)
        self._cache = EvaluationCache()

    def forget(self) -> None:
        """Empty the cache."""
        self._cache.clear()

    def run(self, packed: np.ndarray, features: np.ndarray | None = None, people: np.ndarray | None = None) -> Outputs:
        """As Network.run."""
        keys = self._keys(packed, features, people)
        found = self._cache.find(keys)
        unknown = [k for k, key in enumerate(keys) if key not in found]
        if unknown:
            outputs = super().run(packed[unknown], None if features is None else features[unknown],
                                  None if people is None else people[unknown])
            for row, k in enumerate(unknown):
                found[keys[k]] = {name: np.array(output[row]) for name, output in outputs.items()}
                self._cache.add(keys[k], found[keys[k]])
        return {name: np.stack([found[key][name] for key in keys]) for name in self._outputs}

    def _keys(self, packed: np.ndarray, features: np.ndarray | None, people: np.ndarray | None) -> list[bytes]:
        """A key for each position: a hash, of 128 bits, of all that its outputs depend on."""
        prefix = repr(packed.shape[1:]).encode()
        if self.takes_people and people is None:
            prefix += self._people.tobytes()
        inputs = [each for each in (packed, features, people) if each is not None]
        return [blake2b(b"".join([prefix, *(each[k].tobytes() for each in inputs)]), digest_size=16).digest()
                for k in range(len(packed))]


@dataclass
class _Call:
    """A call of `run` that waits for its outputs."""

    packed: np.ndarray
    features: np.ndarray
    outputs: Future[Outputs] = field(default_factory=Future)


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
            if not call.outputs.done():          # else the thread before has evaluated it
                self._run_waiting()
        return call.outputs.result()

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
                call.outputs.set_exception(error)
            return
        first = 0
        for call in calls:
            end = first + len(call.packed)
            call.outputs.set_result({name: output[first:end] for name, output in outputs.items()})
            first = end


def padded_size(n: int) -> int:
    """The batch size for n positions: n, rounded up to three binary digits.  CUDA's provider searches for the fastest
    convolution again for each size that it has not seen (cudnn_conv_algo_search)."""
    step = 1 << max(n.bit_length() - 3, 0)
    return -(-n // step) * step
