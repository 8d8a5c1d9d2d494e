"""The summary of a match: numbers and text."""
import math

import numpy as np
import pytest

from mugo.core.intervals import Z
from mugo.core.sprt import H0, H1, SPRT
from mugo.match.summary import elo, elo_difference, format_summary, ratings, run_sprt, summarize

def row(black, white, winner, **others):
    return {"black": black, "white": white, "winner": winner, "end": "two passes", "at_fault": "", "moves": "40",
            "game_hash": str(id(object())), "black_moves": "20", "black_seconds": "10.0", "black_max_seconds": "2.5",
            "white_moves": "20", "white_seconds": "1.0", "white_max_seconds": "0.1"} | others


def test_a_summary():
    rows = [row("a", "b", "a", game_hash="1"), row("b", "a", "a", game_hash="2"),
            row("a", "b", "", game_hash="2"),
            row("b", "a", "b", end="crash", at_fault="a", moves="10", game_hash="4")]
    summary = summarize(rows, ["a", "b"])
    first, second = summary["participants"]
    assert (first["wins"], first["draws"], first["losses"], first["win_rate"]["value"]) == (2, 1, 1, 0.625)
    assert (first["as_black"]["wins"], first["as_white"]["losses"]) == (1, 1)
    assert first["elo"]["value"] == pytest.approx(elo(0.625)) == pytest.approx(-second["elo"]["value"])
    assert (first["mean_seconds"], first["max_seconds"]) == (pytest.approx(22 / 80), 2.5)
    assert first["faults"] == {"crash": 1} and second["faults"] == {}
    assert summary["moves"] == {"mean": 32.5, "min": 10, "max": 40}
    assert summary["duplicates"] == 1
    text = format_summary(summary)
    for words in ("62.5%", "faults of a: crash 1", "two passes 3, crash 1", "1 of 4 games repeat another one"):
        assert words in text


def numbered(winners) -> list[dict]:
    """Games of a and b by number; a is Black in even ones."""
    return [row("ab"[number % 2], "ba"[number % 2], winner, number=str(number))
            for number, winner in winners.items()]


def test_a_test_sees_pairs_of_games_in_the_order_of_their_numbers():
    test = SPRT(0, 100)
    rows = numbered({0: "a", 1: "b", 3: "a", 2: "a", 4: "", 5: "a", 7: "a", 8: "b", 9: "b", 6: ""})
    assert run_sprt(rows, "a", test).counts == (1, 0, 1, 2, 1)
    assert run_sprt(rows, "b", test).counts == (1, 2, 1, 0, 1)
    assert run_sprt(rows[:-1], "a", test).counts == (0, 0, 1, 1, 1)          # without game 6, only the pairs before it
    decided = numbered({number: "a" for number in range(24)} | {number: "b" for number in range(24, 90)})
    assert run_sprt(decided, "a", test).accepted == H1 and run_sprt(decided, "b", test).accepted == H0
    assert "SPRT of +0 and +100 Elo: undecided; LLR " in format_summary(summarize(rows, ["a", "b"], test))
    assert "H0 accepted: less than +100 Elo" in format_summary(summarize(decided, ["b", "a"], test))
    assert summarize(rows, ["a", "b"])["sprt"] is None


def test_a_summary_without_games():
    assert "0" in format_summary(summarize([], ["a", "b"]))
    assert "0" in format_summary(summarize([], ["a", "b", "c"]))


def test_several_participants_are_sorted_by_elo():
    rows = [row("weak", "strong", "strong")] * 9 + [row("weak", "middle", "middle")] * 4
    rows += [row("weak", "middle", "weak"), row("strong", "middle", "strong")]
    text = format_summary(summarize(rows, ["weak", "middle", "strong"]))
    places = [text.index(f"\n{name} ") for name in ("strong", "middle", "weak")]
    assert places == sorted(places)
    assert "strong - middle" not in text and "middle - strong: 0 of 1" in text and "weak - strong: 0 of 9" in text


def margin(estimate):
    """Half the width of its interval."""
    return (estimate.high - estimate.low) / 2


def test_elo_differences_of_win_rates():
    assert [round(elo(rate)) for rate in (0.5, 0.64, 0.76, 0.909)] == [0, 100, 200, 400]
    assert elo(1) == math.inf and elo(0) == -math.inf
    difference = elo_difference(60, 100)
    assert (round(difference.value), round(difference.low), round(difference.high)) == (70, 1, 139)


def ratings_by_mm(wins, prior):
    """Minorization-maximization (Hunter 2004); the opponent of the prior has strength 1."""
    strength = np.ones(len(wins))
    for _ in range(20_000):
        for i in range(len(wins)):
            played = sum((wins[i, j] + wins[j, i]) / (strength[i] + strength[j])
                         for j in range(len(wins)) if j != i)
            strength[i] = (wins[i].sum() + prior / 2) / (played + prior / (strength[i] + 1))
    return 400 * np.log10(strength)


def test_ratings_agree_with_minorization_maximization():
    wins = np.array([[0, 7, 3.5], [2, 0, 9], [6.5, 4, 0]])
    found = [estimate.value for estimate in ratings(wins, prior=1)]
    slow = ratings_by_mm(wins, prior=1)
    assert found == pytest.approx(slow - slow.mean(), abs=1e-6)


def test_ratings_of_two_participants_are_their_elo_difference():
    first, second = ratings(np.array([[0, 62], [38, 0]]), reference=0, prior=1e-6)
    difference = elo_difference(38, 100)
    assert (first.value, margin(first)) == (0, 0)
    assert second.value == pytest.approx(difference.value, abs=1e-3)
    # The error by the curvature: 1.96 / sqrt(n p (1 - p)) in natural units.
    assert margin(second) == pytest.approx(Z / math.sqrt(100 * 0.62 * 0.38) * 400 / math.log(10), abs=1e-3)
    assert margin(second) == pytest.approx(margin(difference), rel=0.03)


@pytest.mark.parametrize("wins", [np.zeros((3, 3)), [[0, 1000, 0], [0, 0, 1000], [0, 0, 0]],
                                  [[0, 5, 0], [0, 0, 0], [0, 0, 0]]])
def test_ratings_are_finite_with_only_wins_and_without_games(wins):
    found = ratings(wins)
    assert all(math.isfinite(estimate.value) and math.isfinite(margin(estimate)) for estimate in found)
    assert sum(estimate.value for estimate in found) == pytest.approx(0, abs=1e-6)
    assert found[0].value > found[1].value or not np.any(wins)
