"""BatchingNetwork: what threads get is what Network says, in fewer calls of the runtime."""
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mugo.games.game import encode
from mugo.games.gomoku import GomokuPosition
from mugo.games.position import global_features
from mugo.nn.caching import BatchingNetwork, padded_size
from mugo.nn.inference import Network

THREADS = 4


@pytest.fixture(scope="module")
def network():
    return BatchingNetwork("gomoku-6-4", threads=1, precision="float32")


def planes_of(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Packed planes and global features of n positions."""
    rng = np.random.default_rng(seed)
    positions = []
    for _ in range(n):
        position = GomokuPosition(6, 4)
        for _ in range(int(rng.integers(0, 4))):
            position = position.play(int(rng.choice(position.sensible_points())))
        positions.append(position)
    return encode(positions), global_features([0] * n, [position.to_play for position in positions])


class Session:
    """Stands in for a session of ONNX Runtime: the first call waits until all other threads do.  batches: their
    sizes."""

    def __init__(self, network, error=None):
        self._network, self._session, self._error, self.batches = network, network._session, error, []

    def run(self, names, inputs):
        self.batches.append(len(inputs["planes"]))
        while len(self.batches) == 1 and len(self._network._waiting) < THREADS - 1:
            threading.Event().wait(0.001)
        if self._error is not None:
            raise self._error
        return self._session.run(names, inputs)


def test_calls_that_come_while_the_device_is_busy_are_one_batch(network, monkeypatch):
    session = Session(network)
    monkeypatch.setattr(network, "_session", session)
    calls = [planes_of(3, seed) for seed in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as executor:
        found = list(executor.map(lambda call: network.evaluate_packed(*call), calls))
    assert session.batches == [3, padded_size(9)]
    alone = Network("gomoku-6-4", threads=1, precision="float32")
    for call, output in zip(calls, found, strict=True):
        expected = alone.evaluate_packed(*call)
        assert np.allclose(output.priors, expected.priors, atol=1e-5)
        assert np.allclose(output.values, expected.values, atol=1e-5)


def test_an_error_of_the_device_reaches_every_thread_and_the_next_batch_is_evaluated(network, monkeypatch):
    monkeypatch.setattr(network, "_session", Session(network, ValueError("out of memory")))
    with ThreadPoolExecutor(THREADS) as executor:
        futures = [executor.submit(network.evaluate_packed, *planes_of(2, seed)) for seed in range(THREADS)]
    assert [str(future.exception()) for future in futures] == ["out of memory"] * THREADS
    monkeypatch.undo()
    assert len(network.evaluate_packed(*planes_of(5, 1)).priors) == 5


def test_batches_have_few_sizes_and_at_most_a_quarter_more_positions():
    sizes = [padded_size(n) for n in range(1, 4097)]
    assert all(n <= size <= 1.25 * n for n, size in enumerate(sizes, 1))
    assert len(set(sizes)) < 50 and sizes[:8] == [1, 2, 3, 4, 5, 6, 7, 8]
