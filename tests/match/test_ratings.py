"""Intervals and Elo: known numbers, a slow twin, and players whose strength is known."""
import math

import numpy as np
import pytest

from mugo.intervals import Z, wilson_interval
from mugo.match.ratings import elo, elo_difference, format_summary, ratings, summary


def test_elo_differences_are_those_of_the_table():
    assert [round(elo(rate)) for rate in (0.5, 0.64, 0.76, 0.909)] == [0, 100, 200, 400]
    assert elo(1) == math.inf and elo(0) == -math.inf
    difference = elo_difference(60, 100)
    assert (round(difference.value), round(difference.low), round(difference.high)) == (70, 1, 139)


def test_who_won_all_is_stronger_by_an_unknown_amount():
    difference = elo_difference(10, 10)
    assert difference.value == difference.high == math.inf
    assert difference.low == pytest.approx(elo(wilson_interval(10, 10).low))


def slow_twin(wins, prior):
    """Hunter's minorization-maximization (2004); the average player has strength 1 and stays so."""
    strength = np.ones(len(wins))
    for _ in range(20_000):
        for i in range(len(wins)):
            played = sum((wins[i, j] + wins[j, i]) / (strength[i] + strength[j])
                         for j in range(len(wins)) if j != i)
            strength[i] = (wins[i].sum() + prior / 2) / (played + prior / (strength[i] + 1))
    return 400 * np.log10(strength)


def test_ratings_are_those_of_a_slow_twin():
    wins = np.array([[0, 7, 3.5], [2, 0, 9], [6.5, 4, 0]])
    found = [estimate.value for estimate in ratings(wins, prior=1)]
    slow = slow_twin(wins, prior=1)
    assert found == pytest.approx(slow - slow.mean(), abs=1e-6)


def test_two_players_are_rated_as_their_difference():
    first, second = ratings(np.array([[0, 62], [38, 0]]), reference=0, prior=1e-6)
    difference = elo_difference(38, 100)
    assert (first.value, first.margin) == (0, 0)
    assert second.value == pytest.approx(difference.value, abs=1e-3)
    # The error by the curvature: 1.96 / sqrt(n p (1 - p)) in natural units.
    assert second.margin == pytest.approx(Z / math.sqrt(100 * 0.62 * 0.38) * 400 / math.log(10), abs=1e-3)
    assert second.margin == pytest.approx(difference.margin, rel=0.03)


def test_simulated_players_get_their_ratings_back():
    rng = np.random.default_rng(1)
    truth = np.array([0, 60, -150, 300])
    held = []
    for _ in range(100):
        wins = np.zeros((4, 4))
        for i, j in (0, 1), (0, 2), (0, 3), (1, 2), (2, 3):
            won = rng.binomial(100, 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400)))
            wins[i, j], wins[j, i] = won, 100 - won
        found = ratings(wins, reference=0)
        held += [estimate.low <= value <= estimate.high
                 for estimate, value in zip(found[1:], truth[1:], strict=True)]
    assert 0.90 < np.mean(held) < 0.99


@pytest.mark.parametrize("wins", [np.zeros((3, 3)), [[0, 1000, 0], [0, 0, 1000], [0, 0, 0]],
                                  [[0, 5, 0], [0, 0, 0], [0, 0, 0]]])
def test_ratings_are_finite_whoever_won_and_whoever_never_played(wins):
    found = ratings(wins)
    assert all(math.isfinite(estimate.value) and math.isfinite(estimate.margin) for estimate in found)
    assert sum(estimate.value for estimate in found) == pytest.approx(0, abs=1e-6)
    assert found[0].value > found[1].value or not np.any(wins)


def row(black, white, winner, **others):
    return {"black": black, "white": white, "winner": winner, "end": "two passes", "at_fault": "", "moves": "40",
            "fingerprint": str(id(object())), "black_moves": "20", "black_seconds": "10.0", "black_worst": "2.5",
            "white_moves": "20", "white_seconds": "1.0", "white_worst": "0.1"} | others


def test_the_figures_of_a_match():
    rows = [row("a", "b", "a", fingerprint="1"), row("b", "a", "a", fingerprint="2"),
            row("a", "b", "", fingerprint="2"),
            row("b", "a", "b", end="crash", at_fault="a", moves="10", fingerprint="4")]
    figures = summary(rows, ["a", "b"])
    first, second = figures["sides"]
    assert (first["wins"], first["draws"], first["losses"], first["rate"]["value"]) == (2, 1, 1, 0.625)
    assert (first["as_black"]["wins"], first["as_white"]["losses"]) == (1, 1)
    assert first["elo"]["value"] == pytest.approx(elo(0.625)) == pytest.approx(-second["elo"]["value"])
    assert (first["seconds_mean"], first["seconds_worst"]) == (pytest.approx(22 / 80), 2.5)
    assert first["faults"] == {"crash": 1} and second["faults"] == {}
    assert figures["moves"] == {"mean": 32.5, "least": 10, "most": 40}
    assert figures["repeated"] == 1
    text = format_summary(figures)
    for told in ("62.5%", "faults of a: crash 1", "two passes 3, crash 1", "1 of 4 games repeat another one"):
        assert told in text


def test_a_match_without_a_game_has_figures_too():
    assert "0" in format_summary(summary([], ["a", "b"]))
    assert "0" in format_summary(summary([], ["a", "b", "c"]))


def test_several_sides_stand_in_the_order_of_their_strength():
    rows = [row("weak", "strong", "strong")] * 9 + [row("weak", "middle", "middle")] * 4
    rows += [row("weak", "middle", "weak"), row("strong", "middle", "strong")]
    text = format_summary(summary(rows, ["weak", "middle", "strong"]))
    places = [text.index(f"\n{name} ") for name in ("strong", "middle", "weak")]
    assert places == sorted(places)
    assert "strong - middle" not in text and "middle - strong: 0 of 1" in text and "weak - strong: 0 of 9" in text
