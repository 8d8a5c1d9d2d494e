"""The outputs of a network by name: komi, ownership and scores are those of the side to move."""
from unittest import mock

import numpy as np
import pytest
from drawing import draw


from mugo.core.files import BadInput
from mugo.games import planes
from mugo.games.game import encode
from mugo.games.go import BLACK, WHITE, GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.position import global_features
from mugo.games.rules import NAMED_RULES
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.graph import NetworkSpec
from mugo.nn.heads import STDEV_OF_SCALE
from mugo.nn.inference import Network
from mugo.nn.network_file import new_metadata

SIZE = 5


class StoneCounter:
    """A head to which the owner of a point is the colour of its stone: the score is that of the stones and komi.

    Its standard deviation is twice the komi's square, its value the hyperbolic tangent of the score.
    """

    def apply(self, graph, x):
        node = graph._node
        numbers = [graph._constant(f"number_{number}", np.array([number], np.int64)) for number in range(3)]
        own, other = (node("Slice", [x, numbers[k], numbers[k + 1], numbers[1]], name)
                      for k, name in enumerate(("own", "other")))
        owners = node("Flatten", [node("Sub", [own, other], "signed")], "ownership")
        mean = node("Add", [graph.lead(owners), graph.komi], "mean")
        square = node("Mul", [graph.komi, graph.komi], "square")
        pads = graph._constant("pads", np.array([0, 0, 0, 1], np.int64))
        return {"policy": node("Pad", [owners, pads], "logits"), "value": mean, "ownership": owners,
                "score": (mean, graph.rescale(square, "twice", 2 / STDEV_OF_SCALE))}


def stone_counter() -> Network:
    spec = NetworkSpec("stone_counter", SIZE, planes.DEPTH, (), (StoneCounter(),), uses_global_features=True)
    with mock.patch.object(PolicyNetConfig, "spec", lambda _: spec):
        return Network.from_weights({}, new_metadata(PolicyNetConfig(size=SIZE)), threads=1)


CHINESE = NAMED_RULES["chinese"]


def four_positions() -> list[GoPosition]:
    black, _ = draw("""
        X X . . .
        . X . O .
        . X . . .
        . . . . .
        . . . . O
    """, komi=6.5)
    handicap = black.with_turn(WHITE).with_rules(CHINESE)
    handicap.handicap = 3
    return [black, black.with_turn(WHITE), handicap, GoPosition(SIZE, -2.5)]


@pytest.mark.parametrize("to_play, expected", [(BLACK, -9.5), (WHITE, 9.5)])
def test_komi_is_white_points_for_white_and_counts_against_black(to_play, expected):
    position = GoPosition(SIZE, 6.5, to_play).with_rules(CHINESE)
    position.handicap = 3
    assert global_features(position.white_points, position.to_play).tolist() == [expected, to_play]
    both = global_features(9.5, np.array([to_play, -to_play], np.int8))
    assert both.tolist() == [[expected, to_play], [-expected, -to_play]] and both.dtype == np.float32
    assert global_features(GomokuPosition(6, 4).white_points, to_play).tolist() == [0, to_play]


@pytest.mark.parametrize("averaged", [False, True])
def test_every_output_is_of_the_side_to_move_and_turned_back(averaged):
    network, positions = stone_counter(), four_positions()
    assert network.has_value and network.has_ownership and network.needs_global_features
    output = network.evaluate(positions, symmetries=averaged)
    for k, position in enumerate(positions):
        stones = position.stones.ravel() * position.to_play
        score = (position.stones.sum() - position.white_points) * position.to_play
        assert output.ownership[k].tolist() == stones.tolist()
        assert output.score_mean[k] == score and output.values[k] == pytest.approx(np.tanh(score), abs=1e-6)
        assert output.score_stdev[k] == pytest.approx(2 * position.white_points ** 2)
        weights = np.exp(np.append(stones, 0.0))
        assert np.allclose(output.priors[k], weights / weights.sum(), atol=1e-6)


def test_a_network_that_needs_komi_and_colour_is_not_evaluated_without_them():
    network = stone_counter()
    packed = encode([GoPosition(SIZE)])
    for features in None, np.float32([[np.nan, 1]]):
        with pytest.raises(ValueError, match="needs the komi and the colour of every position"):
            network.evaluate_packed(packed, features)


def test_a_komi_beyond_the_board_is_clipped():
    output = stone_counter().evaluate([GoPosition(SIZE, komi) for komi in (45.0, 46.0, 1e6, -1e6)])
    assert output.score_mean.tolist() == [-45, -45, -45, 45]


@pytest.mark.parametrize("name", ["policy", "value", "ownership", "score_mean", "score_stdev"])
def test_no_output_may_be_nan(name, monkeypatch):
    network = stone_counter()
    session = network._session

    class Session:
        def run(self, names, inputs):
            return [np.full_like(array, np.nan) if each == name else array
                    for each, array in zip(names, session.run(names, inputs), strict=True)]

    monkeypatch.setattr(network, "_session", Session())
    with pytest.raises(BadInput, match=f"its {name} is NaN"):
        network.evaluate([GoPosition(SIZE)])
