"""Inputs besides the planes: who plays, by thermometers and profiles; chains and empty regions."""
from dataclasses import replace

import numpy as np
import pytest
from networks import checkpoint, random_model, random_positions

from mugo.core.files import BadInput
from mugo.games import planes
from mugo.games.coords import symmetries
from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.planes import network_input
from mugo.games.position import global_features
from mugo.nn.architectures import PolicyNetConfig, config_of
from mugo.nn.bundled import BundledNetworks
from mugo.nn.inference import Network
from mugo.games.planes import connected_components
from mugo.nn.inputs import INPUTS, RANKS, YEARS, People, encode_people, model_inputs
from mugo.nn.keras.model import build
from mugo.nn.keras.checkpoint import init_from
from mugo.nn.network_file import find_network, new_metadata, read_metadata

CONFIG = PolicyNetConfig(size=9, filters=16, metadata_encoder=True, policy_filters=16, value_head=True, komi_input=True,
                         equivariant=True)


@pytest.mark.parametrize(("rank", "ones"), [
    (None, 0), ("30k", 1), ("20k", 1), ("19k", 2), ("18k", 3), ("2k", 19), ("1k", 20), ("1d", 21), ("3d", 23),
    ("9d", 29), ("1p", 30), ("9p", 30), ("pro", 30)])
def test_a_rank_is_a_thermometer(rank, ones):
    """Written by hand: 20 kyu ranks, 9 dan ranks, professionals."""
    encoded = encode_people(People(rank=rank).numbers())[0]
    assert len(RANKS) == 30 and encoded[:30].tolist() == [1] * ones + [0] * (30 - ones) and not encoded[30:].any()
    encoded = encode_people(People(opponent_rank=rank).numbers())[0]
    assert encoded[30:60].tolist() == [1] * ones + [0] * (30 - ones) and encoded.sum() == ones


@pytest.mark.parametrize(("people", "ones"), [
    (People(source="kgs"), [0]), (People(source="tygem"), [1]), (People(source="fox"), [2]), (People(), []),
    (People(year=1846), [3]), (People(year=1949), [3]), (People(year=1950), [3, 4]), (People(year=2004), [3, 4, 5, 6]),
    (People(year=2016, source="fox"), [2, *range(3, 11)]), (People(year=2030), list(range(3, 15)))])
def test_source_and_year_come_after_the_ranks(people, ones):
    encoded = encode_people(people.numbers())[0]
    assert len(YEARS) == 12 and encoded.dtype == np.float32 and len(encoded) == INPUTS == 75
    assert np.flatnonzero(encoded).tolist() == [60 + i for i in ones]


@pytest.mark.parametrize("wrong", [{"rank": "10d"}, {"opponent_rank": "strong"}, {"source": "igs"}])
def test_a_rank_or_source_that_is_none_is_rejected(wrong):
    with pytest.raises(BadInput, match=next(iter(wrong.values()))):
        People(**wrong)


def test_a_network_initialised_from_another_has_exactly_its_outputs_whoever_plays(tmp_path):
    source = find_network("policy-19-small")
    metadata = read_metadata(source)
    config = replace(config_of(metadata), metadata_encoder=True)
    model, path = build(config.spec()), tmp_path / "new.safetensors"
    init_from(model, config, source)
    packed = random_positions(3, config).packed
    people = encode_people(np.array([[np.nan] * 4, [3, -4, 0, 2004], [18, np.nan, 2, np.nan]]))
    features = np.array([[7.5, 1], [-7.5, -1], [0.5, 1]], np.float32)
    outputs = model(model_inputs(packed, features, config.chain_pooling, people))
    for name, expected in checkpoint.load(source)(model_inputs(packed, features, config.chain_pooling)).items():
        assert np.array_equal(outputs[name], expected), name
    checkpoint.export(model, path, new_metadata(config))         # ONNX Runtime adds in another order
    for a, b in zip(Network(path, 1, "float32").evaluate_packed(packed, features, people),
                    Network(source, 1, "float32").evaluate_packed(packed, features), strict=True):
        assert np.allclose(a, b, rtol=1e-3, atol=1e-5)


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The file of a network with random weights, and an int8 graph."""
    model, path = random_model(CONFIG), tmp_path_factory.mktemp("people") / "net.safetensors"
    positions = random_positions(64, CONFIG)._replace(
        people=np.random.default_rng(0).integers(0, 2, (64, INPUTS)).astype(np.float32))
    checkpoint.export(model, path, new_metadata(CONFIG), positions)
    return path


@pytest.mark.parametrize("layer", ["metadata_bias", "policy_metadata_bias"])
def test_who_plays_reaches_the_trunk_and_the_policy(layer):
    """The value takes the trunk alone; where nobody is known, nothing is added."""
    model = build(CONFIG.spec())
    model.get_layer("ownership_conv").kernel.assign(np.ones(model.get_layer("ownership_conv").kernel.shape))
    packed, features = random_positions(4, CONFIG).packed, np.array([[7.5, 1]] * 4, np.float32)
    known = np.repeat(encode_people(People("3d", "1d", "kgs", 2005).numbers()), 4, axis=0)
    before = model(model_inputs(packed, features, people=known))
    kernel = model.get_layer(layer).kernel
    kernel.assign(np.full(kernel.shape, 0.1))
    told, untold = (model(model_inputs(packed, features, people=people)) for people in (known, 0 * known))
    assert not np.allclose(told["policy"], before["policy"])
    assert np.array_equal(told["ownership"], before["ownership"]) == (layer == "policy_metadata_bias")
    assert all(np.array_equal(untold[name], before[name]) for name in before)


def test_what_a_network_says_depends_on_who_plays_and_unknown_is_the_default(network):
    opened = Network(network, 1, "float32")
    start = [GoPosition(9, komi=7)]
    unknown, *others = (opened.evaluate(start, people=people).priors for people in (
        People(), People("3d"), People(None, "3d"), People(source="fox"), People(year=2017)))
    assert np.array_equal(unknown, opened.evaluate(start).priors)
    assert all(np.abs(priors - unknown).max() > 1e-5 for priors in others)
    assert not np.array_equal(others[0], others[1])


def test_outputs_of_a_new_network_turn_with_the_board_whoever_plays():
    model = build(CONFIG.spec())
    rng = np.random.default_rng(1)
    for name in "metadata_bias", "policy_metadata_bias":
        tied = np.tile(rng.normal(0, 0.05, (INPUTS, 2)), 8)                   # the same in all eight orientations
        model.get_layer(name).kernel.assign(tied)
    packed = rng.integers(0, 256, (1, 81, 6), np.uint8)
    outputs = []
    for turn in symmetries(9):
        turned = np.empty_like(packed)
        turned[:, turn[:-1]] = packed
        policy = model({"packed": turned, "global_features": np.array([[6.5, 1]], np.float32),
                        "people": encode_people(People("3d", "1d", "kgs", 2005).numbers())})["policy"]
        outputs.append(np.asarray(policy)[:, turn])
    assert np.abs(np.array(outputs) - outputs[0]).max() < 1e-4 and np.std(outputs[0]) > 0.01


def test_a_network_without_a_metadata_encoder_rejects_who_plays():
    with pytest.raises(BadInput, match="policy-9.*does not take who plays"):
        Network("policy-9", threads=1).evaluate([GoPosition(9, komi=7)], people=People("3d"))


def test_a_metadata_encoder_can_be_added_and_not_taken_away(network):
    config = config_of(read_metadata(network))
    without = replace(CONFIG, metadata_encoder=False)
    assert config == CONFIG
    with pytest.raises(BadInput, match="--metadata-encoder, and this run --no-metadata-encoder"):
        init_from(build(without.spec()), without, network)


def test_a_network_can_be_told_who_plays_wherever_it_is_asked(network):
    opened, people = Network(network, 1, "float32"), People("3d", "3d", year=2017)
    told, start = opened.with_people(people), [GoPosition(9, komi=7)]
    packed = network_input(encode(start), (9, 9))
    features = global_features([7.0], [1])
    assert np.array_equal(told.evaluate(start).priors, opened.evaluate(start, people=people).priors)
    assert np.array_equal(told.evaluate_packed(packed, features).priors, told.evaluate(start).priors)
    assert np.array_equal(told.evaluate(start, people=People()).priors, opened.evaluate(start).priors)
    assert not np.array_equal(told.evaluate(start).priors, opened.evaluate(start).priors)       # the first is as it was
    with pytest.raises(BadInput, match="does not take who plays"):
        Network("policy-9", 1).with_people(people)


def test_the_bundled_networks_are_told_who_plays_where_they_take_it():
    bundled, people, start = BundledNetworks(1, "float32"), People("3d", "3d"), [GoPosition(19, komi=7)]
    told, one = bundled.with_people(people), Network("policy-19", 1, "float32")
    assert np.array_equal(told.evaluate(start).priors, one.evaluate(start, people=people).priors)
    assert not np.allclose(told.evaluate(start).priors, bundled.evaluate(start).priors)
    small = [GoPosition(9, komi=7)]                        # policy-9 does not take it
    assert np.array_equal(told.evaluate(small).priors, one.evaluate(small, people=people).priors)
    with pytest.raises(BadInput, match="does not take who plays"):
        told.evaluate([GomokuPosition(8, 5)])
    untold = told.with_people(People())                  # as options that say nothing do: every board is played
    assert np.array_equal(untold.evaluate(start).priors, bundled.evaluate(start).priors)
    assert np.array_equal(untold.evaluate(small).priors, bundled.evaluate(small).priors)
    assert np.array_equal(bundled.evaluate(small, people=people).priors, told.evaluate(small).priors)
    assert bundled.with_people(People()) is bundled


def test_a_network_is_told_who_plays_by_the_colour_to_move(network):
    opened, people = Network(network, 1, "float32"), People("9d", "15k")
    told = opened.with_people(people, people.of_other_side())
    black, white = [GoPosition(9, komi=7)], [GoPosition(9, komi=7).with_turn(-1)]
    assert np.array_equal(told.evaluate(black).priors, opened.evaluate(black, people=people).priors)
    assert np.array_equal(told.evaluate(white).priors, opened.evaluate(white, people=People("15k", "9d")).priors)
    assert not np.array_equal(told.evaluate(white).priors, opened.with_people(people).evaluate(white).priors)


def by_flood_fill(colours: np.ndarray) -> np.ndarray:
    """The first point of each point's component, one point after another.  colours: (rows, columns)."""
    rows, cols = colours.shape
    first = np.full(rows * cols, -1)
    for start in range(rows * cols):
        stack = [start] if first[start] < 0 else []
        while stack:
            point = stack.pop()
            first[point] = start
            row, col = divmod(point, cols)
            for r, c in (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1):
                if 0 <= r < rows and 0 <= c < cols and first[r * cols + c] < 0 and colours[r, c] == colours[row, col]:
                    stack.append(r * cols + c)
    return first


def packed_of(colours: np.ndarray) -> np.ndarray:
    """Packed planes (1, points, 6) of a board of 0 mine, 1 theirs, 2 empty, with other bits at random."""
    packed = np.random.default_rng(0).integers(0, 256, (1, colours.size, planes.PACKED), np.uint8)
    packed[0, :, 0] = packed[0, :, 0] & 0xF8 | 1 << colours.ravel()
    return packed


def test_points_of_a_chain_or_an_empty_region_have_its_first_point():
    drawn = """
        X X . O
        . X . O
        . . . O
        O . X X
    """
    colours = np.array([["XO.".index(point) for point in line.split()] for line in drawn.split("\n") if line.split()])
    assert connected_components(packed_of(colours), 4)[0].reshape(4, 4).tolist() == [
        [0, 0, 2, 3],
        [2, 0, 2, 3],
        [2, 2, 2, 3],
        [12, 2, 14, 14]]


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 9), (13, 4), (19, 19)], ids=str)
@pytest.mark.parametrize("colours", [2, 3])
def test_components_are_those_of_a_flood_fill(shape, colours):
    """Also of spirals and combs, which random boards of two colours have."""
    rng = np.random.default_rng(1)
    boards = [rng.choice(colours, shape, p=[0.55, 0.45] if colours == 2 else None) for _ in range(20)]
    found = connected_components(np.concatenate([packed_of(board) for board in boards]), shape[1])
    assert found.dtype == np.int32
    for board, components in zip(boards, found, strict=True):
        assert components.tolist() == by_flood_fill(board).tolist()
