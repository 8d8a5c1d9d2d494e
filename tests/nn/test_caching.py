"""CachingNetwork: it says what Network says, and evaluates nothing that it remembers."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mugo.core.files import BadInput
from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.games.position import global_features
from mugo.nn.bundled import BundledNetworks
from mugo.nn.caching import BATCH_BYTES, ENTRY_BYTES, CachingNetwork, EvaluationCache
from mugo.nn.inference import Network
from mugo.nn.inputs import People
from mugo.players.registry import make_player, open_network
from mugo.mcts.settings import Settings


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
    weak, strong = People("9k", "9k"), People("5d", "5d")
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


def test_a_damaged_network_is_reported_each_time(network, monkeypatch):
    monkeypatch.setattr(network._session, "run", lambda names, inputs: [np.full((1, 82), np.nan)] * len(names))
    for _ in range(2):
        with pytest.raises(BadInput, match="NaN"):
            network.evaluate([GoPosition(9)])


def test_the_least_recently_used_batches_make_room():
    cache = EvaluationCache(max_bytes=3 * (8 + BATCH_BYTES + ENTRY_BYTES))
    batches = [{"policy": np.full((1, 2), number, np.float32)} for number in range(4)]
    for key, outputs in zip((b"a", b"b", b"c"), batches, strict=False):
        cache.add([key], outputs)
    cache.find([b"a"])
    cache.add([b"d"], batches[3])
    found = cache.find([b"a", b"b", b"c", b"d"])
    assert {key: outputs["policy"][row, 0] for key, (outputs, row) in found.items()} == {b"a": 0, b"c": 2, b"d": 3}
    assert cache.bytes == 3 * (8 + BATCH_BYTES + ENTRY_BYTES)


def test_two_threads_may_add_the_same_position():
    size = 8 + BATCH_BYTES + ENTRY_BYTES
    cache = EvaluationCache(max_bytes=2 * size)
    outputs = {"policy": np.zeros((1, 2), np.float32)}
    for key in b"a", b"a", b"b":                         # the first batch goes, the second one has the key
        cache.add([key], outputs)
    assert cache.find([b"a", b"b"]).keys() == {b"a", b"b"}
    for key in b"c", b"d":
        cache.add([key], outputs)
    assert cache.find([b"a", b"b", b"c", b"d"]).keys() == {b"c", b"d"} and cache.bytes == 2 * size


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
