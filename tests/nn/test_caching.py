"""Networks that remember and networks that batch: what they say is what Network says, in fewer evaluations."""
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.position import global_features
from mugo.mcts.settings import Settings
from mugo.nn.bundled import BundledNetworks
from mugo.nn.caching import ARRAY_BYTES, ENTRY_BYTES, BatchingNetwork, CachingNetwork, EvaluationCache, padded_size
from mugo.nn.inference import Network
from mugo.nn.inputs import People
from mugo.players.registry import make_player, open_network


class CountingSession:
    """A session of ONNX Runtime that counts the positions of its calls."""

    def __init__(self, session):
        self._session, self.batches = session, []

    def run(self, names, inputs):
        self.batches.append(len(inputs["planes"]))
        return self._session.run(names, inputs)


@pytest.fixture
def network(monkeypatch):
    network = CachingNetwork("policy-9", threads=1, precision="float32")
    monkeypatch.setattr(network, "_session", CountingSession(network._session))
    return network


def positions_of(n, size=9):
    """n positions: one stone each, on different points."""
    return [GoPosition(size).play(int(point)) for point in GoPosition(size).sensible_points()[:n]]


def inputs_of(positions):
    """Packed planes and global features."""
    return encode(positions), global_features([position.area_komi for position in positions],
                                              [position.to_play for position in positions])


def assert_same(output, expected):
    """Compiled code takes contiguous arrays."""
    for ours, theirs in zip(output, expected, strict=True):
        assert np.array_equal(ours, theirs)
        assert ours.flags["C_CONTIGUOUS"] and ours.flags["WRITEABLE"] and ours.dtype == theirs.dtype


def test_what_is_remembered_is_not_evaluated_again_and_is_the_same(network):
    inputs = inputs_of(positions_of(4))
    expected = Network("policy-9", threads=1, precision="float32").evaluate_packed(*inputs)
    for _ in range(2):
        assert_same(network.evaluate_packed(*inputs), expected)
    assert network._session.batches == [4]


def test_a_batch_of_known_and_unknown_positions_keeps_its_order(network):
    positions = positions_of(7)
    known = network.evaluate(positions[::2])
    output = network.evaluate(positions)
    assert network._session.batches == [4, 3]
    expected = Network("policy-9", threads=1, precision="float32").evaluate(positions)
    assert np.array_equal(output.priors, expected.priors)
    assert np.array_equal(output.values[::2], known.values)
    for ours, theirs in zip(output, expected, strict=True):              # sums depend on the size of the batch
        assert np.allclose(ours, theirs, atol=1e-4)


def test_a_caller_may_change_its_outputs(network):
    positions = positions_of(2)
    expected = network.evaluate(positions).priors.copy()
    for _ in range(2):
        output = network.evaluate(positions)
        assert np.array_equal(output.priors, expected)
        output.priors[:] = 0


def test_komi_and_the_shape_of_the_board_tell_positions_apart(network):
    no_planes, no_features = np.zeros((1, 7, 9, 6), np.uint8), np.zeros((1, 2), np.float32)
    for _ in range(2):
        for komi in 5.5, 6.5:
            network.evaluate([GoPosition(9, komi)])
        for shape in (7, 9), (9, 7):
            assert network.evaluate_packed(no_planes.reshape(1, *shape, 6), no_features).priors.shape == (1, 64)
    assert network._session.batches == [1, 1, 1, 1]


def test_people_tell_positions_apart_and_networks_that_were_told_share_the_cache():
    network, start = CachingNetwork("policy-19", threads=1, precision="float32"), [GoPosition(9)]
    network._session = session = CountingSession(network._session)
    weak, strong = People("3d", "3d"), People("7d", "7d")
    priors = [network.evaluate(start, people=people).priors for people in (weak, strong, None)]
    assert not np.array_equal(priors[0], priors[1]) and not np.array_equal(priors[0], priors[2])
    assert session.batches == [1, 1, 1]
    told = network.with_people(weak)
    first = told.evaluate(start).priors
    assert np.array_equal(first, network.with_people(weak).evaluate(start).priors)
    assert np.array_equal(first, priors[0]) and len(session.batches) == 4
    assert np.array_equal(network.evaluate(start).priors, priors[2])


def test_what_is_forgotten_is_evaluated_again():
    bundled = BundledNetworks(threads=1, precision="float32", network_class=CachingNetwork)
    network, positions = bundled.for_board(9), positions_of(4)
    network._session = session = CountingSession(network._session)
    for _ in range(2):
        for _ in range(2):
            bundled.evaluate(positions)
        bundled.forget()
        assert network._cache.bytes == 0
    assert session.batches == [4, 4]


def test_the_least_recently_used_positions_make_room():
    each = 8 + ENTRY_BYTES + ARRAY_BYTES
    cache = EvaluationCache(max_bytes=3 * each)
    outputs = [{"policy": np.full(2, number, np.float32)} for number in range(4)]
    for key, output in zip((b"a", b"b", b"c"), outputs, strict=False):
        cache.add(key, output)
    cache.find([b"a"])
    cache.add(b"d", outputs[3])
    cache.add(b"d", outputs[3])
    found = cache.find([b"a", b"b", b"c", b"d"])
    assert {key: output["policy"][0] for key, output in found.items()} == {b"a": 0, b"c": 2, b"d": 3}
    assert cache.bytes == 3 * each


def test_threads_use_a_full_cache(network, monkeypatch):
    monkeypatch.setattr(network, "_cache", EvaluationCache(max_bytes=9_000))
    positions = positions_of(12)
    expected = Network("policy-9", threads=1, precision="float32").evaluate(positions).priors

    def ask(seed):
        rows = np.random.default_rng(seed).integers(0, 12, 3)
        return np.array_equal(network.evaluate([positions[row] for row in rows]).priors, expected[rows])

    with ThreadPoolExecutor(4) as executor:
        assert all(executor.map(ask, range(100)))
    assert network._cache.bytes <= 9_000 and sum(network._session.batches) < 300


def test_programs_that_promise_the_same_for_a_seed_have_no_cache():
    assert type(open_network("policy-9")) is Network and type(open_network("policy-9", caches=True)) is CachingNetwork
    for name in "policy-9", None:
        players = [make_player("mcts", network=name, **seeds) for seeds in (
            {}, {"seed": 1}, {"seed": 1, "settings": Settings(seed=1)}, {"settings": Settings()})]
        opened = [player.network.for_position(GoPosition(9)) for player in players]
        assert [isinstance(each, CachingNetwork) for each in opened] == [True, False, False, True]


THREADS = 4


@pytest.fixture(scope="module")
def batching():
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


def test_calls_that_come_while_the_device_is_busy_are_one_batch(batching, monkeypatch):
    session = Session(batching)
    monkeypatch.setattr(batching, "_session", session)
    calls = [planes_of(3, seed) for seed in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as executor:
        found = list(executor.map(lambda call: batching.evaluate_packed(*call), calls))
    assert session.batches == [3, padded_size(9)]
    alone = Network("gomoku-6-4", threads=1, precision="float32")
    for call, output in zip(calls, found, strict=True):
        expected = alone.evaluate_packed(*call)
        assert np.allclose(output.priors, expected.priors, atol=1e-5)
        assert np.allclose(output.values, expected.values, atol=1e-5)


def test_an_error_of_the_device_reaches_every_thread_and_the_next_batch_is_evaluated(batching, monkeypatch):
    monkeypatch.setattr(batching, "_session", Session(batching, ValueError("out of memory")))
    with ThreadPoolExecutor(THREADS) as executor:
        futures = [executor.submit(batching.evaluate_packed, *planes_of(2, seed)) for seed in range(THREADS)]
    assert [str(future.exception()) for future in futures] == ["out of memory"] * THREADS
    monkeypatch.undo()
    assert len(batching.evaluate_packed(*planes_of(5, 1)).priors) == 5


def test_batches_have_few_sizes_and_at_most_a_quarter_more_positions():
    sizes = [padded_size(n) for n in range(1, 4097)]
    assert all(n <= size <= 1.25 * n for n, size in enumerate(sizes, 1))
    assert len(set(sizes)) < 50 and sizes[:8] == [1, 2, 3, 4, 5, 6, 7, 8]
