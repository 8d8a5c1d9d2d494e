"""The summary of a match: numbers and text."""
import pytest

from mugo.match.summary import elo, format_summary, run_sprt, summarize
from mugo.core.sprt import H0, H1, SPRT


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
