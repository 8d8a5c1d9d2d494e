"""Ranks estimated from games of simulated players, whose ranks are known."""
import numpy as np
import pytest
from fakes import TiltedNetwork

from mugo.core.files import BadInput
from mugo.games.coords import point_at
from mugo.games.go import GoPosition
from mugo.nn.inputs import People
from mugo.reviews.rank_estimate import (
    RANK_NUMBERS, estimate_rank, format_rank, game_likelihoods, known_ranks)

TILT, MOVES, OPTIONS = 0.05, 40, 40


def simulated(rank, games, day_stdev, rng):
    """(likelihoods, moves) of games of a player whose strength differs from game to game by this standard deviation.
    The network's priors are in proportion to exp(TILT * rank * quality), and so the player's are."""
    rows = []
    for _ in range(games):
        quality = rng.normal(size=(MOVES, OPTIONS))
        weights = np.exp(TILT * (rank + day_stdev * rng.normal()) * quality)
        chosen = (weights.cumsum(1) > weights.sum(1, keepdims=True) * rng.random((MOVES, 1))).argmax(1)
        logits = TILT * RANK_NUMBERS[:, None, None] * quality
        logits -= np.log(np.exp(logits).sum(2, keepdims=True))
        rows.append(logits[:, np.arange(MOVES), chosen].sum(1))
    return np.array(rows), np.full(games, MOVES)


@pytest.mark.parametrize("games, day_stdev, most_error", [(5, 0, 1.5), (10, 3, 1.5), (20, 3, 1.0)])
def test_the_interval_covers_the_rank_as_often_as_it_says_though_a_games_moves_are_alike(games, day_stdev, most_error):
    """120 players; the lower limit is 2.6 standard errors below 90 %."""
    rng = np.random.default_rng(0)
    ranks = np.tile([-12, -3, 1, 5], 30)
    found = [estimate_rank(*simulated(rank, games, day_stdev, rng)) for rank in ranks]
    covered = [each.low <= rank <= each.high for each, rank in zip(found, ranks, strict=True)]
    errors = np.array([each.mean for each in found]) - ranks
    assert np.mean(covered) >= 0.83 and np.abs(errors).mean() < most_error and abs(errors.mean()) < 0.4
    assert np.mean([each.high - each.low for each in found]) < 9                     # of 30 ranks: it says something


def test_games_that_say_nothing_give_no_estimate():
    for ranks in RANK_NUMBERS, np.arange(3, 11):
        estimate = estimate_rank(np.zeros((6, len(ranks))), np.full(6, 50), ranks)
        assert not estimate.is_known and estimate.mean == pytest.approx(ranks.mean())
        assert str(estimate) == "no estimate: 300 moves in 6 games fit every rank that the network knows"


@pytest.mark.parametrize("moves", [[50], [50] * 4, [50] * 4 + [0, 0]])
def test_few_games_are_refused(moves):
    with pytest.raises(BadInput, match="needs at least 5 games of the player, not "):
        estimate_rank(np.zeros((len(moves), 30)), np.array(moves))


def test_ranks_between_those_that_were_evaluated_are_interpolated():
    rows = -0.1 * (RANK_NUMBERS - 3.0) ** 2 * np.ones((6, 1))
    whole, some = (estimate_rank(rows[:, ::step], np.full(6, 50), RANK_NUMBERS[::step]) for step in (1, 3))
    assert whole.mean == pytest.approx(3, abs=0.01) and some.mean == pytest.approx(whole.mean, abs=0.5)


def test_the_likelihoods_are_those_of_the_players_own_moves():
    network = TiltedNetwork()
    positions = [GoPosition(5, komi=0)]
    for row, col in (0, 0), (4, 4), (2, 2), (1, 3):
        positions.append(positions[-1].play(point_at(row, col, 5)))
    positions.append(positions[-1].play(0))                              # a pass of Black's
    ranks = np.array([-10, 0, 9])
    rows, moves = game_likelihoods(network, positions, 1, ranks)
    expected = [sum(np.log(network.evaluate([positions[ply]], people=People(rank)).priors[0][index])
                    for ply, index in ((0, 0), (2, 12))) for rank in ("11k", "1k", "9d")]
    assert moves == 2 and np.allclose(rows, expected, rtol=1e-5)
    assert game_likelihoods(network, positions, -1, ranks)[1] == 2


def test_the_ranks_are_those_of_the_networks_games():
    network = TiltedNetwork()
    assert known_ranks(network).tolist() == [*range(-19, 10, 3), 10]     # of 30 every third
    network.metadata = {"data": {"ranks": [1.0, 9.0]}}
    assert known_ranks(network).tolist() == list(range(1, 10))
    network.metadata = {"data": None}                    # its file may say so
    assert known_ranks(network)[-1] == 10
    network.takes_people = False
    with pytest.raises(BadInput, match="--metadata-encoder"):
        known_ranks(network)


@pytest.mark.parametrize("number, name", [(-19.5, "20k"), (-4.4, "5k"), (0.4, "1k"), (0.6, "1d"), (3.0, "3d"),
                                          (9.4, "9d"), (10.5, "pro")])
def test_a_rank_has_the_nearest_name(number, name):
    assert format_rank(number) == name
