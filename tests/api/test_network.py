"""Networks of the library: policies and evaluations, and whose their values are."""
import pickle
import warnings
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import mugo

GAME = mugo.Game.from_sgf("(;SZ[9]KM[7.5];B[ee];W[cc];B[gc];W[cg])")


@pytest.fixture(scope="module")
def network():
    return mugo.load_network("policy-9", precision="float32")


def test_a_policy_is_a_dict_of_the_legal_moves(network):
    policy = network.policy(GAME[3])
    assert sorted(policy) == sorted(GAME[3].legal_moves()) and list(policy.values()) == sorted(policy.values())[::-1]
    assert policy.top(2) == list(policy.items())[:2] and policy.top(0) == []
    assert policy["E5"] == 0 and policy["g3"] == policy["G3"] > 0
    assert policy.array.shape == (9, 9)
    assert policy.array[9 - 3, 6] == pytest.approx(policy["G3"])
    assert float(policy.array.sum()) + policy["pass"] == pytest.approx(1, abs=1e-4)


def test_a_move_of_a_policy_is_found_in_either_case(network):
    policy = network.policy(GAME[3])
    assert "g3" in policy and policy.get("g3") == policy["G3"]
    assert "E5" not in policy and policy.get("E5", 0.0) == 0.0       # occupied
    assert "I5" not in policy and policy.get("I5") is None           # no point of the board


def test_several_positions_are_evaluated_at_once(network):
    positions = [GAME[3], mugo.Position(9), GAME[4]]
    policies, evaluations = network.policy(positions), network.evaluate(positions)
    assert [policy.position for policy in policies] == [each.position for each in evaluations] == positions
    for position, policy, evaluation in zip(positions, policies, evaluations, strict=True):
        assert policy.top(1)[0][0] == network.policy(position).top(1)[0][0]
        assert evaluation.win_rate == pytest.approx(network.evaluate(position).win_rate, abs=1e-4)
    assert len(network.evaluate(GAME)) == len(GAME) and network.policy([]) == []


def test_several_positions_may_be_of_several_boards():
    bundled = mugo.load_network(precision="float32")
    positions = [mugo.Position(9), mugo.Position(6, game="gomoku"), mugo.Position(9).play("E5")]
    assert [policy.array.shape for policy in bundled.policy(positions)] == [(9, 9), (6, 6), (9, 9)]


def test_a_network_is_opened_again_from_a_pickle(network, tmp_path, monkeypatch):
    pickled = pickle.dumps(network)
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(pickled)
    assert len(pickled) < 300 and again.policy(GAME[3]) == network.policy(GAME[3])


def test_values_are_those_of_the_side_to_move(network):
    black, white = network.evaluate(GAME[4]), network.evaluate(GAME[3])
    assert (black.position.to_move, white.position.to_move) == ("B", "W")
    assert black.black_win_rate == black.win_rate and black.black_lead == black.lead
    assert white.black_win_rate == 1 - white.win_rate and white.black_lead == -white.lead
    assert white.lead_stdev > 0
    np.testing.assert_array_equal(white.black_ownership, -white.ownership)
    np.testing.assert_array_equal(black.black_ownership, black.ownership)
    assert white.ownership.shape == (9, 9) and white.ownership.dtype == np.float32


def test_the_owner_of_a_stone_is_its_colour(network):
    wall = mugo.Position.from_text("\n".join([". . . X O . . . ."] * 9), to_move="W")
    evaluation = network.evaluate(wall)
    assert evaluation.black_ownership[4, 0] > 0.9 and evaluation.black_ownership[4, 8] < -0.9
    assert evaluation.ownership[4, 8] > 0.9 and evaluation.win_rate > 0.9 and evaluation.black_lead < -9


def test_values_that_a_network_does_not_have_are_none():
    gomoku = mugo.load_network("gomoku-6-4")
    evaluation = gomoku.evaluate(mugo.Position(6, game="gomoku").play("C3"))
    assert evaluation.lead is None and evaluation.black_lead is None and evaluation.black_ownership is None
    assert evaluation.black_win_rate == 1 - evaluation.win_rate
    assert "pass" not in gomoku.policy(mugo.Position(6, game="gomoku"))


def test_without_a_name_the_network_is_the_one_for_the_board(network):
    bundled = mugo.load_network(precision="float32")
    assert bundled.policy(GAME[2]) == network.policy(GAME[2])
    assert bundled.policy(mugo.Position(6, game="gomoku")).array.shape == (6, 6)


def test_policies_and_evaluations_are_drawn(network):
    policy = network.policy(GAME[3])
    texts = [each.text for each in ElementTree.fromstring(policy._repr_svg_())]
    move, prior = policy.top(1)[0]
    assert f"{100 * prior:.0f}" in texts and repr(policy)[1:-1] == texts[-1]
    assert f"{100 * prior:.0f}" in str(policy)
    squares = [each for each in ElementTree.fromstring(network.evaluate(GAME[3])._repr_svg_()) if "rect" in each.tag]
    assert len(squares) > 40


def test_planes_are_for_the_side_to_move():
    planes, names = mugo.planes(GAME[3]), mugo.plane_names()
    assert planes.shape == (9, 9, 48) == (9, 9, len(names)) and planes.dtype == np.uint8
    np.testing.assert_array_equal(planes[..., names.index("stone colour mine")], GAME[3].stones == -1)
    np.testing.assert_array_equal(planes[..., names.index("stone colour theirs")], GAME[3].stones == 1)
    assert mugo.planes(mugo.Position("5x3", game="gomoku")).shape == (3, 5, len(mugo.plane_names("gomoku")))


@pytest.mark.parametrize(("move", "size", "index"), [("A9", 9, 0), ("J1", 9, 80), ("pass", 9, 81), ("D2", "4x3", 7)])
def test_move_indices_count_rows_from_the_top(move, size, index):
    assert mugo.move_index(move, size) == index and mugo.move_name(index, size) == move


def test_a_board_of_another_size_than_the_network_was_trained_on_is_a_warning(network):
    with pytest.warns(UserWarning, match="policy-9-v.* was trained on 9x9 only, so what it says of 13x9") as warned:
        network.policy(mugo.Position("13x9"))
        network.evaluate(mugo.Position("13x9"))
        mugo.search(mugo.Position("13x9"), network, simulations=1)
    assert [each.filename for each in warned] == [__file__] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        network.policy(GAME[3])
        mugo.load_network(precision="float32").policy(mugo.Position("13x9"))
