"""Matches: single games and their faults, clocks, openings, the schedule, and the folder they are kept in."""
import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from drawing import draw
from fakes import FAKE, is_running
from gtp_client import GNUGO

from mugo import cli
from mugo.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import format_gtp
from mugo.games.go import Position
from mugo.match.gtp_client import Program, side_of
from mugo.match.openings import openings
from mugo.match.referee import GameClock, Terms, interpret_time, play_game, setting_up
from mugo.match.tournament import COLUMNS, Fixture, Folder, fixtures, interpret_score
from mugo.sgf.convert import record_from_position
from mugo.sgf.parser import read_records
from mugo.sgf.writer import format_record


def vertices(position):
    return [format_gtp(point, position.size) for _, point in position.moves]


@pytest.fixture
def play():
    """Plays one game of two fakes, told what to do by the words after their name."""
    running = []

    def game(black="", white="", opening=None, score=1.0, **terms):
        programs = {colour: Program(side_of(f"{FAKE} {told}")) for colour, told in ((BLACK, black), (WHITE, white))}
        running.extend(programs.values())
        opening = opening or Position(3, 0.5)
        return play_game(programs, opening, Terms(size=opening.size, **terms), lambda position: score)

    yield game
    for program in running:
        program.close(at_once=True)


# ---- one game

def test_two_passes_end_a_game_and_it_is_counted(play):
    game = play("A1 B2", "C3", score=-2.5)
    assert (game.end, game.result, game.loser, game.details) == ("two passes", "W+2.5", 0, "")
    assert vertices(game.position) == ["A1", "C3", "B2", "pass", "pass"]
    assert [len(game.seconds[colour]) for colour in (BLACK, WHITE)] == [3, 2]


def test_a_side_may_resign(play):
    game = play("A1", "resign")
    assert (game.end, game.result, game.position.plies) == ("resigned", "B+R", 1)


def test_a_game_that_does_not_end_is_counted_as_it_is(play):
    game = play("A1 B2", "C3 C1", max_moves=3, score=0.0)
    assert (game.end, game.result, game.position.plies) == ("move limit", "0", 3)


@pytest.mark.parametrize("told, end, details", [
    ("B2 CRASH", "crash", "White ended with status 1 at 'genmove w': out of memory"),
    ("B2 HANG", "time-out", "White gave no reply to 'genmove w' in 0.3 seconds"),
    ("B2 GARBAGE", "protocol error", "White answered 'genmove w' with 'thinking about it', not with = or ?"),
    ("B2 REFUSE", "refused", "White answered 'genmove w' with '? no idea'"),
    ("B2 A9", "protocol error", "White answered 'genmove w': 'a9' is no vertex on 3x3 (A-C, 1-3)"),
    ("B2 A1", "illegal move", "White played move 4: illegal move: A1 is occupied"),
    ("refuse=play B2", "refused", "White answered 'play b A1' with '? unknown command'"),
])
def test_who_does_not_play_by_the_rules_loses(play, told, end, details):
    game = play("A1 C1", told, move_limit=0.3)
    assert (game.end, game.result, game.loser) == (end, "B+F", WHITE)
    assert game.details == details


SUPERKO = "B1 C2 A2 B3 B2 A3 C3 B3".split()          # the last move repeats the position after the fourth


def test_a_repetition_loses_but_by_simple_ko_the_game_goes_on(play):
    black, white = " ".join(SUPERKO[0::2]), " ".join(SUPERKO[1::2])
    game = play(black, white)
    assert (game.end, game.result) == ("illegal move", "B+F")
    assert game.details.endswith("B3 repeats a position (superko)")
    game = play(black, white, simple_ko=True)
    assert game.end == "two passes" and vertices(game.position)[:8] == SUPERKO


# Three kos that both sides take in turns, after eleven moves each.
TRIPLE = {"black": "A8 B9 B7 A5 B6 B4 A2 B3 B1 C5 J9".split(), "white": "C9 C7 D8 C6 C4 D5 C3 C1 D2 B8 B2".split()}


def test_three_kos_go_round_for_ever_by_simple_ko(play):
    black, white = TRIPLE["black"] + ["C8", "C2", "C5"] * 20, TRIPLE["white"] + ["B5", "B8", "B2"] * 20
    game = play(" ".join(black), " ".join(white), Position(9), simple_ko=True)
    assert game.end == "two passes" and game.position.plies == len(black) + len(white) + 2
    assert len(game.position.history) == game.position.plies + 1
    assert play(" ".join(black), " ".join(white), Position(9)).details.endswith("repeats a position (superko)")


def test_what_a_player_says_of_its_moves_is_kept(play):
    game = play("'explain=I like it' A1 B1", "C3 resign")
    assert game.comments == {1: "I like it", 3: "I like it"}
    game = play("'explain=I like it' A1", "explain=hopeless resign")
    assert game.comments == {1: "I like it\nWhite resigned: hopeless"}


def test_an_opening_and_the_terms_are_told_to_both(play, tmp_path):
    opening = Position(9, 0.5).with_handicap([33, 77]).play(44).play(55)
    play(f"heard={tmp_path / 'black'}", f"heard={tmp_path / 'white'}", opening=opening, rules="chinese",
         time=(60, 5, 1))
    for colour in "black", "white":
        told = [line for line in (tmp_path / colour).read_text().split("\n") if not line.startswith("known_command")]
        assert told[:9] == ["START", "boardsize 9", "clear_board", "komi 0.5", "set_free_handicap C7 G3", "play w D6",
                            "play b E5", "kgs-rules chinese", "time_settings 60 5 1"]
    assert setting_up(opening, handicap=False)[3:5] == ["play b C7", "play b G3"]


def test_stones_that_are_no_handicap_are_played():
    position, _ = draw("""
        X O .
        . X .
        . . .
    """)
    assert setting_up(position.play(0), handicap=True)[3:] == ["play b A3", "play b B2", "play w B3", "play b pass"]


# ---- clocks

def test_main_time_runs_out():
    clock = GameClock(10, 0, 0)
    assert clock.spend(6) and clock.limit == 4 and clock.spend(4) and not clock.spend(0.1)


def test_canadian_byo_yomi_is_given_again_once_its_stones_are_played():
    clock = GameClock(10, 6, 3)
    assert (clock.limit, clock.stones) == (16, 0)
    assert clock.spend(12)                              # two seconds of the first period
    assert (clock.left, clock.stones) == (4, 2)
    assert clock.spend(1) and clock.spend(3)
    assert (clock.left, clock.stones) == (6, 3)
    assert not clock.spend(6.5)


def test_without_main_time_byo_yomi_begins_at_once():
    clock = GameClock(0, 5, 1)
    assert all(clock.spend(4.9) for _ in range(100)) and clock.stones == 1
    assert not clock.spend(5.1)


@pytest.mark.parametrize("text, numbers", [("60", (60, 0, 0)), ("60/5", (60, 5, 1)), ("0/30/10", (0, 30, 10))])
def test_times_are_read(text, numbers):
    assert interpret_time(text) == numbers


@pytest.mark.parametrize("text", ["", "x", "1.5", "0", "-1", "1/2/3/4", "10/5/0", "0/0/5", "10/0/5"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(BadInput, match="MAIN/BYOYOMI/STONES in whole seconds"):
        interpret_time(text)


def test_who_moves_too_late_has_lost_on_time(play):
    game = play("A1 SLEEP1.2 B1", "C3", time=(1, 0, 0))
    assert (game.end, game.result, game.loser) == ("lost on time", "W+T", BLACK)
    assert game.details.startswith("Black moved 0.2")


def test_a_side_is_told_the_time_it_has_left(play, tmp_path):
    play(f"heard={tmp_path / 'black'} A1 SLEEP0.2 B1", "C3", time=(0, 5, 2))
    told = [line for line in (tmp_path / "black").read_text().split("\n") if line.startswith("time_left")]
    assert told == ["time_left b 5 2", "time_left b 4 1", "time_left b 5 2"]


# ---- openings

def test_the_same_seed_gives_the_same_openings():
    first, again, other = (openings("6", Position(9), seed=seed) for seed in (1, 1, 2))
    lines = [tuple(vertices(first(number))) for number in range(20)]
    assert lines == [tuple(vertices(again(number))) for number in range(20)]
    assert set(lines).isdisjoint(tuple(vertices(other(number))) for number in range(20))
    assert len(set(lines)) == 20 and {len(line) for line in lines} == {6}


def test_openings_begin_after_the_handicap_stones():
    start = Position(9, 0.5).with_handicap([33, 77])
    opening = openings("3", start)(0)
    assert opening.handicap == 2 and opening.plies == 3 and opening.moves[0][0] == WHITE
    assert openings(None, start)(7) is start


def test_openings_of_the_policy_are_its_usual_moves():
    opening = openings("policy", Position(19), moves=4, seed=3)
    assert vertices(opening(1)) == vertices(openings("policy", Position(19), moves=4, seed=3)(1))
    assert len(set().union(*(vertices(opening(number)) for number in range(5)))) > 5
    assert openings("policy", Position(9), moves=4)(0).plies == 4


def test_recorded_openings_are_each_used_once_before_one_comes_again(tmp_path):
    for number, moves in enumerate(([11, 22, 33], [11, 22, 44], [55, 66, 77], [55, 0, 0])):
        position = Position(9, 3.5)
        for point in moves:
            position = position.play(point)
        (tmp_path / f"{number}.sgf").write_text(format_record(record_from_position(position)))
    (tmp_path / "other.sgf").write_text(format_record(record_from_position(Position(5).play(8))))
    whole, two = (openings(str(tmp_path), Position(9, 6.5), moves=moves) for moves in (None, 2))
    assert len({tuple(vertices(whole(number))) for number in range(3)}) == 3
    assert vertices(whole(0)) == vertices(whole(3))
    assert sorted(vertices(two(number)) for number in range(3)) == [["A9", "B8"], ["E5", "F4"], ["E5", "pass"]]
    assert whole(0).komi == 6.5 and whole(0).to_play == WHITE
    with pytest.raises(BadInput, match="no game on 13x13 that can be played on"):
        openings(str(tmp_path), Position(13))


# ---- the schedule

def test_colours_alternate_and_every_opening_is_played_twice():
    games = fixtures(2, 5)
    assert games == [Fixture(0, 0, 1, 0), Fixture(1, 1, 0, 0), Fixture(2, 0, 1, 1), Fixture(3, 1, 0, 1),
                     Fixture(4, 0, 1, 2)]
    assert fixtures(2, 9)[:5] == games
    assert {game.black for game in fixtures(2, 5, swap=False)} == {0}


def test_everybody_meets_everybody_or_only_the_first():
    met = Counter(frozenset((game.black, game.white)) for game in fixtures(4, 6))
    assert len(met) == 6 and set(met.values()) == {6}
    assert all(0 in (game.black, game.white) for game in fixtures(4, 6, gauntlet=True))
    assert len(fixtures(4, 6, gauntlet=True)) == 18


@pytest.mark.parametrize("text, lead", [("B+3.5", 3.5), ("W+12", -12), ("0", 0), ("w+0.5 (upper bound)", -0.5)])
def test_scores_are_read(text, lead):
    assert interpret_score(text) == lead


# ---- whole matches

def match(*words, expect=0):
    assert cli.main(["match", *map(str, words)]) == expect


def rows_of(folder):
    with open(folder / "games.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


FIRST = f"{FAKE} A1 B1 C1"
TERMS = ("--size", 3, "--komi", 0.5)


def test_a_match_leaves_a_table_and_games(tmp_path, capsys):
    match(FIRST, f"{FAKE} explain=fine", *TERMS, "--games", 4, "--jobs", 2, "-o", tmp_path / "m", "--json")
    figures = json.loads(capsys.readouterr().out)
    first, second = figures["sides"]
    assert (figures["games"], first["wins"], second["losses"]) == (4, 4, 4)
    assert first["as_black"]["games"] == first["as_white"]["games"] == 2
    assert figures["repeated"] == 2
    rows = rows_of(tmp_path / "m")
    assert sorted(int(row["number"]) for row in rows) == [0, 1, 2, 3]
    assert {row["winner"] for row in rows} == {FIRST}
    record, = read_records((tmp_path / "m" / "sgf" / "00000.sgf").read_bytes())
    assert (record.result, record.black, record.komi, len(record.moves)) == ("B+8.5", FIRST, 0.5, 6 + 1)
    text = (tmp_path / "m" / "sgf" / "00000.sgf").read_text()
    assert "C[fine]" in text and "ended by: two passes" in text


def test_more_games_go_on_where_a_match_ended(tmp_path, capsys):
    folder = tmp_path / "m"
    match(FIRST, FAKE, *TERMS, "--games", 2, "-o", folder)
    before = rows_of(folder)
    with open(folder / "games.csv", "a") as file:
        file.write('2,1,"half a li')
    match(FIRST, FAKE, *TERMS, "--games", 3, "-o", folder)
    rows = rows_of(folder)
    assert rows[:2] == before and [row["number"] for row in rows] == ["0", "1", "2"]
    capsys.readouterr()
    match(FIRST, FAKE, *TERMS, "--games", 3, "-o", folder)
    assert "3      3" in capsys.readouterr().out and rows_of(folder) == rows


def test_another_match_is_not_mixed_in(tmp_path, capsys):
    match(FIRST, FAKE, *TERMS, "--games", 1, "-o", tmp_path / "m")
    match(FIRST, FAKE, "--size", 3, "--games", 1, "-o", tmp_path / "m", expect=2)
    assert "holds another match: its komi is 0.5, not 7.5; give -o another folder" in capsys.readouterr().err
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").touch()
    match(FIRST, FAKE, *TERMS, "-o", tmp_path / "other", expect=2)
    assert "is there already and holds no match" in capsys.readouterr().err


def test_a_program_is_started_once_and_again_only_after_a_fault(tmp_path, capsys):
    crashing = f"{FAKE} heard={tmp_path / 'crashing'} B2 CRASH"
    match(f"{FAKE} heard={tmp_path / 'steady'} A1 C1", crashing, *TERMS, "--games", 3, "-o", tmp_path / "m")
    told = capsys.readouterr()
    assert "faults of" in told.out and "crash 3" in told.out
    assert "White ended with status 1 at 'genmove w': out of memory" in told.err
    assert (tmp_path / "steady").read_text().count("START") == 1
    assert (tmp_path / "crashing").read_text().count("START") == 3
    log, = (path for path in (tmp_path / "m" / "logs").iterdir() if path.stat().st_size)
    assert log.read_text() == "out of memory\n" * 3


def test_a_side_that_does_not_work_at_all_ends_the_match_at_once(capsys):
    match(FIRST, f"{FAKE} refuse=boardsize", *TERMS, expect=2)
    assert "answered 'boardsize 3' with '? unknown command'" in capsys.readouterr().err
    match(FIRST, "no-such-program", *TERMS, expect=2)
    assert "no-such-program: cannot be started" in capsys.readouterr().err


def test_another_program_may_count(tmp_path, capsys):
    match(FIRST, FAKE, *TERMS, "--games", 1, "-o", tmp_path / "m", "--scoring",
          f"{FAKE} heard={tmp_path / 'arbiter'} score=W+3.5")
    assert rows_of(tmp_path / "m")[0]["result"] == "W+3.5"
    assert "play b A1\nplay w pass\nplay b B1" in (tmp_path / "arbiter").read_text()
    match(FIRST, FAKE, *TERMS, "--games", 1, "--scoring", f"{FAKE} score=unclear", expect=2)
    assert "the arbiter" in capsys.readouterr().err


def test_several_sides_make_a_rating_table(capsys):
    match(FIRST, FAKE, f"{FAKE} A1 A2 resign", *TERMS, "--games", 2, "--json")
    figures = json.loads(capsys.readouterr().out)
    assert [side["games"] for side in figures["sides"]] == [4, 4, 4]
    assert figures["sides"][0]["elo"] == {"value": 0, "low": 0, "high": 0}
    assert len(figures["pairs"]) == 3


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("how, status", [(signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_a_match_that_is_stopped_goes_on_from_there(tmp_path, how, status):
    slow = f"{FAKE} child={tmp_path / 'child'} SLEEP0.1 A1"
    words = ["match", slow, FAKE, *map(str, TERMS), "--games", "6", "--jobs", "2", "-o", str(tmp_path / "m")]
    running = subprocess.Popen([sys.executable, str(Path(__file__).parents[2] / "main.py"), *words],
                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=heed_signals)
    until = time.monotonic() + 60
    while len(games := finished(tmp_path / "m")) < 2 and running.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    running.send_signal(how)
    told = running.communicate(timeout=30)[1].decode()
    assert running.returncode == status
    if how != signal.SIGKILL:
        assert "stopped; nothing that was saved is lost" in told and "Traceback" not in told
        assert not is_running(int((tmp_path / "child").read_text()))
    games = finished(tmp_path / "m")
    assert 2 <= len(games) < 6
    match(*words[1:])
    rows = rows_of(tmp_path / "m")
    assert rows[:len(games)] == games
    assert sorted(int(row["number"]) for row in rows) == list(range(6)) and tuple(rows[0]) == COLUMNS


def heed_signals():
    """A shell may have started the tests with Ctrl-C ignored, and children would inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def finished(folder):
    """The whole lines of a table that is being written."""
    try:
        text = (folder / "games.csv").read_text()
    except FileNotFoundError:
        return []
    return list(csv.DictReader(text[:text.rfind("\n") + 1].splitlines()))


def test_players_of_ours_play_a_match(tmp_path, capsys):
    match("random --seed 1", "random --seed 2", "--size", 5, "--games", 4, "--openings", 3, "--jobs", 2,
          "-o", tmp_path / "m")
    rows = rows_of(tmp_path / "m")
    assert {row["end"] for row in rows} == {"two passes"}
    assert len({row["fingerprint"] for row in rows}) == 4
    by_opening = {}
    for row in rows:
        record, = read_records((tmp_path / "m" / "sgf" / f"{int(row['number']):05d}.sgf").read_bytes())
        by_opening.setdefault(row["opening"], set()).add(tuple(record.moves[:3].tolist()))
    assert [len(lines) for lines in by_opening.values()] == [1, 1] and len(set.union(*by_opening.values())) == 2


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
def test_gnugo_plays_and_counts(capsys):
    match("gnugo --mode gtp --level 1 --positional-superko", "random", "--size", 5, "--games", 2, "--scoring", "gnugo")
    assert "100.0%" in capsys.readouterr().out


def test_the_table_says_what_it_was_not_written_by(tmp_path):
    Folder(tmp_path / "m", {"size": 3})
    (tmp_path / "m" / "games.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="games.csv was not written by this program"):
        Folder(tmp_path / "m", {"size": 3})
