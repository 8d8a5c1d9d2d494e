"""Single games: ends, faults, ko rules, comments, setup, time."""
import re

import pytest
from drawing import draw
from fakes import vertices

from mugo.core.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.go import GoPosition
from mugo.games.rules import NAMED_RULES
from mugo.match import referee
from mugo.match.referee import format_time, interpret_time, setup_commands, time_commands, time_left
from mugo.players.time_control import Clock, TimeSettings, absolute, canadian, fischer, japanese

def test_two_passes_end_a_game_and_it_is_scored(play):
    game = play("A1 B2", "C3", score=-2.5)
    assert (game.end, game.result, game.at_fault, game.details) == ("two passes", "W+2.5", 0, "")
    assert vertices(game.position) == ["A1", "C3", "B2", "pass", "pass"]
    assert [len(game.seconds[colour]) for colour in (BLACK, WHITE)] == [3, 2]


def test_a_game_of_max_moves_is_scored_as_it_stands(play):
    game = play("A1 B2", "C3 C1", max_moves=3, score=0.0)
    assert (game.end, game.result, game.position.plies) == ("move limit", "0", 3)


@pytest.mark.parametrize("white, end, details", [
    ("B2 CRASH", "crash", "White ended with status 1 at 'genmove w': out of memory"),
    ("B2 HANG", "time-out", "White gave no response to 'genmove w' in 0.3 seconds"),
    ("B2 GARBAGE", "protocol error", "White answered 'genmove w' with 'thinking about it', not with = or ?"),
    ("B2 REFUSE", "refused", "White answered 'genmove w' with '? no idea'"),
    ("B2 A9", "protocol error", "White answered 'genmove w': 'a9' is not a vertex on 3x3 (A-C, 1-3)"),
    ("B2 A1", "illegal move", "White played move 4: illegal move: A1 is occupied"),
    ("refuse=play B2", "refused", "White answered 'play b A1' with '? unknown command'"),
])
def test_a_fault_loses_the_game(play, white, end, details):
    game = play("A1 C1", white, move_timeout=0.3)
    assert (game.end, game.result, game.at_fault) == (end, "B+F", WHITE)
    assert game.details == details


SUPERKO = "B1 C2 A2 B3 B2 A3 C3 B3".split()          # the last move repeats the position after the fourth


def test_a_repetition_loses_by_superko_and_is_allowed_by_simple_ko(play):
    black, white = " ".join(SUPERKO[0::2]), " ".join(SUPERKO[1::2])
    game = play(black, white)
    assert (game.end, game.result) == ("illegal move", "B+F")
    assert game.details.endswith("B3 repeats a position (superko)")
    game = play(black, white, simple_ko=True)
    assert game.end == "two passes" and vertices(game.position)[:8] == SUPERKO


# Eleven moves each, and then three kos in which both sides capture in turn.
TRIPLE = {"black": "A8 B9 B7 A5 B6 B4 A2 B3 B1 C5 J9".split(), "white": "C9 C7 D8 C6 C4 D5 C3 C1 D2 B8 B2".split()}


def test_a_triple_ko_continues_by_simple_ko(play):
    black, white = TRIPLE["black"] + ["C8", "C2", "C5"] * 20, TRIPLE["white"] + ["B5", "B8", "B2"] * 20
    game = play(" ".join(black), " ".join(white), GoPosition(9), simple_ko=True)
    assert game.end == "two passes" and game.position.plies == len(black) + len(white) + 2
    assert len(game.position.history) == game.position.plies + 1
    assert play(" ".join(black), " ".join(white), GoPosition(9)).details.endswith("repeats a position (superko)")


def test_a_game_by_rules_with_simple_ko_ends_with_no_result(play):
    black, white = TRIPLE["black"] + ["C8", "C2", "C5"] * 20, TRIPLE["white"] + ["B5", "B8", "B2"] * 20
    for rules in "japanese", "chinese":
        game = play(" ".join(black), " ".join(white), GoPosition(9).with_rules(NAMED_RULES[rules]))
        assert (game.end, game.result, game.at_fault) == ("repetition", "Void", 0)
        assert game.position.plies == 22 + 12 and game.position.is_no_result
    aga = play(" ".join(black), " ".join(white), GoPosition(9).with_rules(NAMED_RULES["aga"]))
    assert aga.details.endswith("repeats a position (superko)")


def test_explanations_of_moves_become_comments(play):
    game = play("'explain=I like it' A1 B1", "C3 resign")
    assert (game.end, game.result, game.comments) == ("resigned", "B+R", {1: "I like it", 3: "I like it"})
    game = play("'explain=I like it' A1", "explain=hopeless resign")
    assert game.comments == {1: "I like it\nWhite resigned: hopeless"}
    game = play(f"'explain=one\ntwo\x1b[2J{'x' * 5000}' A1", "resign")
    assert game.comments == {1: f"one\ntwo [2J{'x' * 1989}"}


def test_both_programs_get_the_opening_the_rules_and_the_clock(play, tmp_path):
    opening = GoPosition(9, 0.5).with_handicap([33, 77]).play(44).play(55)
    play(f"log={tmp_path / 'black'}", f"log={tmp_path / 'white'}", opening=opening, kgs_rules="chinese",
         time=canadian(60, 5, 1))
    for colour in "black", "white":
        lines = (tmp_path / colour).read_text().split("\n")
        assert [line for line in lines if not line.startswith("known_command")][:9] == [
            "START", "boardsize 9", "clear_board", "komi 0.5", "set_free_handicap C7 G3", "play w D6", "play b E5",
            "kgs-rules chinese", "time_settings 60 5 1"]
    assert setup_commands(opening, handicap=False)[3:5] == ["play b C7", "play b G3"]


def test_rules_that_a_program_refuses_are_no_fault(play):
    game = play("refuse=kgs-rules A1 B2", "C3", kgs_rules="chinese")
    assert (game.end, game.result, game.at_fault) == ("two passes", "B+1", 0)


def test_setup_stones_other_than_handicap_stones_are_played():
    position, _ = draw("""
        X O .
        . X .
        . . .
    """)
    assert setup_commands(position.play(0), handicap=True)[3:] == ["play b A3", "play b B2", "play w B3", "play b pass"]


def test_a_move_after_the_flag_fell_loses_on_time(play):
    game = play("A1 SLEEP1.2 B1", "C3", time=absolute(1))
    assert (game.end, game.result, game.at_fault) == ("lost on time", "W+T", BLACK)
    seconds = re.fullmatch(r"Black moved ([0-9.]+) seconds after its time was over", game.details)
    assert seconds and float(seconds[1]) >= 0.2


def test_a_program_that_never_moves_loses_on_time(play, monkeypatch):
    monkeypatch.setattr(referee, "GRACE_SECONDS", 0.1)
    game = play("A1", "C3 HANG", time=absolute(1))
    assert (game.end, game.result, game.at_fault) == ("lost on time", "B+T", WHITE)
    assert game.details == "White had not moved 0.1 seconds after its time was over"


def test_time_left_is_sent_before_each_move(play, tmp_path):
    play(f"log={tmp_path / 'black'} A1 SLEEP0.2 B1", "C3", time=canadian(0, 5, 2))
    received = [line for line in (tmp_path / "black").read_text().split("\n") if line.startswith("time_left")]
    assert received == ["time_left b 5 2", "time_left b 4 1", "time_left b 5 2"]


@pytest.mark.parametrize("knows, black, white", [
    ("", ["time_settings 0 5 1", "time_left b 5 1"], "time_settings 60 0 0"),
    ("know=kgs-time_settings,kata-time_settings",
     ["kgs-time_settings byoyomi 0 5 3", "time_left b 5 3"], "kata-time_settings fischer 60 10")])
def test_a_program_is_told_of_the_time_system_as_well_as_it_knows_it(play, tmp_path, knows, black, white):
    for time, expected in (japanese(0, 5, 3), black), (fischer(60, 10), [white, "time_left b 60 0"]):
        log = tmp_path / f"{time.main}"
        play(f"log={log} {knows} A1", "C3", time=time)
        assert [line for line in log.read_text().split("\n") if "time_" in line and "known" not in line][:2] == expected


def test_a_japanese_period_is_lost_before_the_game_is(play, tmp_path):
    game = play(f"log={tmp_path / 'black'} know=kgs-time_settings SLEEP1.1 A1 SLEEP1.1 B1", "C3",
                time=japanese(0, 1, 2))
    assert (game.end, game.result, game.position.plies) == ("lost on time", "W+T", 2)
    lines = (tmp_path / "black").read_text().split("\n")
    assert [line for line in lines if line.startswith("time_left")] == ["time_left b 1 2", "time_left b 1 1"]


@pytest.mark.parametrize("text, settings", [
    ("60", absolute(60)), ("60/0/0", absolute(60)), ("60/5", canadian(60, 5, 1)), ("0/30/10", canadian(0, 30, 10)),
    ("60/3x5", japanese(60, 5, 3)), ("0/3x5", japanese(0, 5, 3)), ("60+5", fischer(60, 5))])
def test_interpret_time(text, settings):
    assert interpret_time(text) == settings
    assert interpret_time(format_time(settings)) == settings


@pytest.mark.parametrize("text", ["", "x", "1.5", "0", "-1", "1/2/3/4", "10/5/0", "0/0/5", "10/0/5", "10/0", "６０",
                                  "1_0", " 60", "10/0x5", "10/5x0", "10/3x5/2", "0+10", "10+0", "10+5/3", "9" * 5000])
def test_an_invalid_time_is_refused(text):
    with pytest.raises(BadInput, match="MAIN/PERIODSxBYOYOMI or MAIN.INCREMENT in whole seconds"):
        interpret_time(text)


@pytest.mark.parametrize("text, commands", [
    ("60", {"time_settings": "60 0 0"}),
    ("60/5", {"time_settings": "60 5 1"}),
    ("0/30/10", {"time_settings": "0 30 10"}),
    ("60/3x5", {"kgs-time_settings": "byoyomi 60 5 3", "time_settings": "60 5 1"}),
    ("60+5", {"kata-time_settings": "fischer 60 5", "time_settings": "60 0 0"})])
def test_the_most_exact_command_comes_first(text, commands):
    assert list(time_commands(interpret_time(text)).items()) == list(commands.items())


@pytest.mark.parametrize("settings, spent, knows_periods, expected", [
    (absolute(60), 9.5, False, "50 0"), (absolute(60), 60, False, "0 0"),
    (canadian(60, 5, 2), 9.5, False, "50 0"), (canadian(60, 5, 2), 61.5, True, "3 1"),
    (japanese(60, 5, 3), 0, True, "60 0"), (japanese(60, 5, 3), 66, True, "5 2"),
    (japanese(60, 5, 3), 66, False, "5 1"),
    (fischer(60, 5), 10, False, "55 0")])
def test_time_left_has_stones_or_periods(settings: TimeSettings, spent, knows_periods, expected):
    clock = Clock(settings, lag=0)
    if spent:
        clock.spend(spent)
    assert time_left(clock, knows_periods) == expected
