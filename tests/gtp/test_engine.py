"""The GTP engine: the transcripts in tests/gtp/transcripts, lines and pipes, random input, games against GNU Go."""
from argparse import Namespace
import argparse
import contextlib
import functools
import io
import itertools
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fakes import GNUGO, StoneCounter, gnugo

from mugo.core.version import VERSION
from mugo.cli import main as cli
from mugo.core.files import BadInput, is_pipe_closed, read_lines
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import MAX_MOVES, PASS, interpret_gtp
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.gtp import command as gtp_command
from mugo.gtp.options import add_gtp_arguments
from mugo.gtp.params import Parameters
from mugo.gtp.engine import COMMANDS, GtpEngine, serve
from mugo.gtp.protocol import MAX_LINE_BYTES, format_reply
from mugo.match.gtp_client import GtpClient, participant_of
from mugo.match.referee import TWO_PASSES, MatchRules, play_game
from mugo.nn import network_file
from mugo.players.options import default_size
from mugo.players.registry import UCT, make_player
from mugo.players.player import RESIGN, PolicyPlayer, RandomPlayer
from mugo.players.searcher import PlayOptions, SearchPlayer
from mugo.mcts.search import Search

MUGO = (sys.executable, str(Path(__file__).parents[2] / "main.py"), "gtp")
STARTS = {"gomoku": GomokuPosition(5, 4)}             # first positions of transcripts, where not Go on 19x19
TRANSCRIPTS = sorted(Path(__file__).with_name("transcripts").glob("*.txt"))


class FirstPlayer:
    """Plays the first sensible point of the board, row by row from the top."""
    name = "first"
    network = search = search_result = None

    def select_move(self, position, *, seconds=None, cleanup=False, control=None):
        self.limits = "no time limit" if seconds is None else f"{seconds:.3f} s"
        self.limits += ", cleanup" * cleanup
        points = position.sensible_points()
        if not len(points) and not position.may_pass:
            raise BadInput("the game is over")
        return int(min(points, default=PASS))

    def explain(self):
        return self.limits

    def warm_up(self, start):
        pass


def new_engine(player=None, **options):
    return GtpEngine(player or FirstPlayer(), **options)


def exchanges(path: Path) -> list[tuple[str, str]]:
    """(line, reply) of a transcript: a line that is sent starts with '> ', and its reply follows."""
    text = path.read_text(encoding="utf-8").replace("{version}", VERSION)
    parts = re.split(r"^> (.*)\n", text, flags=re.MULTILINE)[1:]
    return [(line, reply if reply.strip() else "")
            for line, reply in zip(parts[::2], parts[1::2], strict=True)]


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_replies_are_those_of_the_transcript(path, monkeypatch):
    monkeypatch.chdir(path.parent)                # for loadsgf
    # The clock ticks a second at each reading: every move takes one.
    engine = new_engine(now=itertools.count().__next__, start=STARTS.get(path.stem))
    for line, reply in exchanges(path):
        assert (line, engine.answer(line) or "") == (line, reply)


def test_every_command_is_in_a_transcript():
    tested = {word for path in TRANSCRIPTS for line, _ in exchanges(path) for word in line.split()[:2]}
    assert set(COMMANDS) - tested == {"list_commands", "cputime"}
    assert re.fullmatch(r"= \d+\.\d{3}\n\n", new_engine().answer("cputime"))
    assert new_engine().answer("list_commands").split() == ["=", *COMMANDS.names("go")]


@pytest.mark.parametrize("line, reply", [
    ("name\r\n", "= MuGo first\n\n"),
    ("\t 7\t\tname \t\n", "=7 MuGo first\n\n"),
    ("na\x00\x07me\x7f\n", "= MuGo first\n\n"),
    ("007 name", "=007 MuGo first\n\n"),
    ("99999999999999999999999 quit", "=99999999999999999999999 \n\n"),
    ("\n", None),
    (" \t \r\n", None),
    ("   # name", None),
    ("\x1b[A", "? unknown command\n\n"),
    ("\u0661 name", "? unknown command\n\n"),
    ("play b \udcff\udcfe", "? syntax error\n\n"),
    ("boardsize " + "9" * 50_000, "? syntax error\n\n"),
    ("play " * 200_000, "? line too long\n\n"),
    ("play " * 12_000, "? syntax error\n\n"),
])
def test_ids_comments_control_characters_and_long_lines(line, reply):
    assert new_engine().answer(line) == reply


@pytest.mark.parametrize("command_id", ["", "7"])
@pytest.mark.parametrize("mark", ["=", "?"])
def test_a_space_follows_the_mark_and_the_id_whatever_the_text(mark, command_id):
    for text in "", "D4", "\nA\nB", "  ", "D4 \n X . \n", "\n a\n\n \n b\n\n":
        reply = format_reply(mark, command_id, text)
        assert re.fullmatch(rf"\{mark}{command_id} .*\n(.+\n)*\n", reply), reply
        assert reply.partition(" ")[2].split() == text.split()            # what GoGui takes for the text


@pytest.mark.parametrize("lines, replies", [("1 name\n2 quit", "=1 MuGo first\n\n=2 \n\n"), ("quit\nname\n", "= \n\n"),
                                            ("name", "= MuGo first\n\n")])
def test_the_input_ends_with_quit_or_without_it(lines, replies):
    out = io.StringIO()
    serve(new_engine(), io.StringIO(lines), out)
    assert out.getvalue() == replies


def test_only_a_newline_ends_a_line_and_bytes_that_are_not_utf_8_become_surrogates():
    reading, writing = os.pipe()
    for part in b"1 na", b"me\r\n\n", b"play b \xff\x85\x0c\n2 ver", b"sion":
        os.write(writing, part)
    os.close(writing)
    assert list(read_lines(reading, MAX_LINE_BYTES)) == ["1 name\r", "", "play b \udcff\udc85\x0c", "2 version"]
    os.close(reading)


def test_a_search_ends_when_nobody_reads_the_reply_and_nothing_is_logged_as_a_bug():
    logged = []
    player = SearchPlayer("uct", Search(UCT), PlayOptions(seconds=40))
    player.warm_up(GoPosition(9))
    for line in "genmove b", "kata-analyze b 1":
        reading, writing = os.pipe()
        out = open(writing, "w")
        gone = threading.Timer(0.3, os.close, [reading])
        gone.start()
        started = time.monotonic()
        serve(GtpEngine(player, start=GoPosition(9), log=logged.append), itertools.chain([line], waiting(40)), out,
              logged.append, functools.partial(is_pipe_closed, writing))
        assert time.monotonic() - started < 30
        with contextlib.suppress(BrokenPipeError):
            out.close()
    assert not any("Traceback" in text or "internal error" in text for text in logged)
    assert logged.count("! the controller has closed its end of the output") == 2


def waiting(seconds):
    """No more lines, for so many seconds."""
    time.sleep(seconds)
    yield from ()


def test_an_internal_error_fails_one_command_and_logs_a_traceback():
    class Broken(FirstPlayer):
        def select_move(self, position, **options):
            raise ZeroDivisionError("two\n\nlines")

    log = []
    engine = new_engine(Broken(), log=log.append)
    assert engine.answer("1 genmove b") == "?1 internal error: ZeroDivisionError two lines\n\n"
    assert "Traceback" in log[0]
    assert engine.answer("play b D4") == "= \n\n"


def test_a_player_is_warmed_up_for_another_board_size_and_may_refuse_it():
    class SmallBoards(FirstPlayer):
        sizes = []

        def warm_up(self, start):
            self.sizes.append(start.size)
            if start.size > 9:
                raise BadInput("plays up to 9x9")

    log = []
    engine = new_engine(SmallBoards(), size=9, log=log.append)
    assert [engine.answer(f"boardsize {size}") for size in (9, 5, 19, 9)] \
        == ["= \n\n", "= \n\n", "? unacceptable size\n\n", "= \n\n"]
    assert (SmallBoards.sizes, engine.position.size) == ([5, 19, 9], 9)
    assert log == ["boardsize 19: plays up to 9x9"]


@pytest.mark.parametrize("name", ["policy", "mcts"])
def test_each_board_size_is_played_with_a_network(name):
    engine = new_engine(make_player(name, play_options=PlayOptions(simulations=8)), size=13)
    replies = "".join(engine.answer(line) for line in ("genmove b", "boardsize 9", "genmove b"))
    assert re.fullmatch(r"= [A-N]1?\d\n\n= \n\n= [A-J][1-9]\n\n", replies)


def test_the_default_board_size_is_that_of_the_named_network():
    parser = argparse.ArgumentParser()
    add_gtp_arguments(parser)
    nine = str(network_file.find_network("policy-9"))
    for words, size in (([], 19), (["mcts"], 19), (["policy", "--network", nine], 9), (["uct", "--network", nine], 19)):
        assert default_size(parser.parse_args(words)) == size


def test_resigning_plays_no_move():
    class Resigner(FirstPlayer):
        def select_move(self, position, **options):
            return RESIGN

    engine = new_engine(Resigner(), size=5)
    for line in ("play b C3", "genmove w", "reg_genmove w", "kgs-genmove_cleanup b"):
        reply = engine.answer(line)
    assert reply == "= resign\n\n"
    assert len(engine.position.moves) == 1


def test_a_resignation_is_the_result_of_the_game_until_it_goes_on():
    class Resigner(FirstPlayer):
        def select_move(self, position, **options):
            return RESIGN

    for line, result in (("genmove w", "B+R"), ("genmove b", "W+R"), ("kgs-genmove_cleanup w", "B+R")):
        engine = new_engine(Resigner(), size=5)
        engine.answer("play b C3")
        assert "RE[" not in engine.answer("printsgf")
        assert engine.answer(line) == "= resign\n\n"
        assert f"RE[{result}]" in engine.answer("printsgf"), line
        assert engine.answer("play w resign").startswith("?") and f"RE[{result}]" in engine.answer("printsgf")
        for other in "play w B2", "undo":
            assert engine.answer(other) == "= \n\n" and "RE[" not in engine.answer("printsgf"), other
        engine.answer(line)
        engine.answer("clear_board")
        assert "RE[" not in engine.answer("printsgf")
    engine.answer("reg_genmove b")
    assert "RE[" not in engine.answer("printsgf"), "nothing was played"


@pytest.mark.parametrize("rules, name", [
    ("aga", "AGA"), ("new-zealand", "New Zealand"), ("tromp-taylor", "Tromp-Taylor"), ("korean", "Korean"),
    ("japanese", "Japanese"), ("chinese", "Chinese"), ("chinese-ogs", "Chinese-OGS"), ("ing", "Ing"), ("bga", "BGA")])
@pytest.mark.parametrize("stones", ["", "fixed_handicap 2"])
def test_a_record_names_the_rules_that_were_set_and_so_does_one_that_was_loaded(rules, name, stones, tmp_path):
    engine = new_engine(size=7)
    for line in (f"kata-set-rules {rules}", stones or "play b a1", f"printsgf {tmp_path / 'game.sgf'}"):
        assert engine.answer(line).startswith("="), line
    assert f"RU[{name}]" in (tmp_path / "game.sgf").read_text()
    other = new_engine()
    assert other.answer(f"loadsgf {tmp_path / 'game.sgf'}") == "= \n\n"
    assert f"RU[{name}]" in other.answer("printsgf")
    assert other.answer("kata-get-rules") == engine.answer("kata-get-rules")


def test_a_new_game_after_a_loaded_one_has_the_komi_and_the_rules_of_before(tmp_path):
    (tmp_path / "a.sgf").write_text("(;GM[1]SZ[9]KM[0.5]RU[Japanese]HA[2]AB[cg][gc];W[ee])")
    (tmp_path / "b.sgf").write_text("(;GM[1]SZ[9];B[ee])")
    load = f"loadsgf {tmp_path / 'a.sgf'}"
    for first, rules, line in (((), "none", "clear_board"), (("komi 5", "kata-set-rules aga"), "aga", "boardsize 9"),
                               (("komi 5", "kata-set-rules aga"), "aga", "set_position b A1")):
        engine = new_engine(size=9, komi=7.5)
        assert {engine.answer(each) for each in first} <= {"= \n\n"}
        before = [engine.answer(each) for each in ("get_komi", "kata-get-rules")]
        assert engine.answer(load) == "= \n\n" and engine.answer("get_komi") == "= 0.5\n\n"
        assert ("TERRITORY" in engine.answer("kata-get-rules")) == (rules == "none"), "a client's rules stay in force"
        assert engine.answer("undo") == "= \n\n" and engine.answer("get_komi") == "= 0.5\n\n"
        assert engine.answer(line) == "= \n\n"
        assert [engine.answer(each) for each in ("get_komi", "kata-get-rules")] == before
        assert engine.position.komi == engine.komi
        assert engine.answer(f"loadsgf {tmp_path / 'b.sgf'}") == "= \n\n"
        assert engine.answer("get_komi") == before[0], "a record without komi"
        assert engine.answer(load) == engine.answer("komi 3") == engine.answer(line) == "= \n\n"
        assert engine.answer("get_komi") == "= 3\n\n", "a komi that was sent after the record is the client's"


def test_a_triple_ko_ends_with_no_result_by_japanese_rules():
    kos = "A8 C9 B9 C7 B7 D8 A5 C6 B6 C4 B4 D5 A2 C3 B3 C1 B1 D2 C5 B8 J9 B2".split()
    cycle = "C8 B5 C2 B8 C5 B2".split()                  # both sides take three kos in turn
    engine = new_engine(size=9, komi=0.5)
    engine.answer("kata-set-rules japanese")
    for number, vertex in enumerate(kos + cycle + cycle):
        assert engine.answer(f"play {'bw'[number % 2]} {vertex}") == "= \n\n", number
    assert engine.position.is_no_result
    assert engine.answer("final_score") == "= 0\n\n" and "RE[Void]" in engine.answer("printsgf")
    assert engine.answer("undo") == "= \n\n" and "RE[" not in engine.answer("printsgf")


@pytest.mark.parametrize("options, rules, cleanup", [
    ({}, "chinese", ""), ({"cleanup": True}, "chinese", ", cleanup"), ({}, "tromp-taylor", ", cleanup")])
def test_dead_stones_are_captured_by_the_option_and_by_rules_without_friendly_passes(options, rules, cleanup):
    engine = new_engine(size=5, parameters=Parameters(Namespace(**options)))
    replies = [engine.answer(line) for line in (f"kata-set-rules {rules}", "genmove b", "mugo-explain")]
    assert replies[-1] == f"= no time limit{cleanup}\n\n"


def test_the_clock_runs_for_a_move_that_fails():
    class Broken(FirstPlayer):
        def select_move(self, position, **options):
            raise BadInput("no such network")

    engine = new_engine(Broken(), parameters=Parameters(Namespace(lag=0.5)), now=itertools.count().__next__)
    engine.answer("time_settings 10 0 0")
    assert engine.answer("genmove w") == "? no such network\n\n"
    assert (engine.clocks[BLACK].main, engine.clocks[WHITE].main) == (10, 8.5)


def test_a_new_game_and_a_move_wait_for_the_warm_up():
    waits = []
    engine = new_engine(wait_until_ready=lambda: waits.append(True))
    for line, waited in (("name", 0), ("komi 5.5", 0), ("boardsize 9", 1), ("clear_board", 2), ("genmove b", 3),
                         ("reg_genmove w", 4), ("showboard", 4)):
        engine.answer(line)
        assert len(waits) == waited, line


def test_a_player_that_cannot_be_loaded_lets_the_first_move_say_so():
    class Unloadable(FirstPlayer):
        def warm_up(self, start):
            raise BadInput("no such network")

    is_ready = threading.Event()
    gtp_command.warm_up(Unloadable(), GoPosition(5), is_ready)
    assert is_ready.is_set()


def test_a_game_is_the_same_after_printsgf_and_loadsgf(tmp_path):
    engine = new_engine(RandomPlayer(seed=3), size=7)
    engine.answer("fixed_handicap 3")
    while not engine.position.is_over:
        engine.answer(f"genmove {'bw'[engine.position.plies % 2 == 0]}")
    assert engine.answer(f"printsgf {tmp_path}/a game.sgf") == "= \n\n"
    for path in "/", f"{tmp_path}/no folder/a.sgf", f"{tmp_path}/{'a' * 5000}/a.sgf", f"{tmp_path}/{'a' * 5000}":
        assert engine.answer(f"printsgf {path}") == "? cannot save file\n\n"
    assert engine.answer("printsgf -") == engine.answer("printsgf")
    assert [path.name for path in tmp_path.iterdir()] == ["a game.sgf"] and not Path("-").exists()
    again = new_engine()
    assert again.answer(f"loadsgf {tmp_path}/a game.sgf") == "= \n\n"
    assert again.position.moves == engine.position.moves
    assert str(again.position) == str(engine.position)
    assert again.answer("printsgf") == engine.answer("printsgf")
    assert f"RE[{engine.position.result()}]" in engine.answer("printsgf")


@functools.cache
def game_of_passes(plies: int) -> GoPosition:
    return functools.reduce(GoPosition.play, [PASS] * plies, GoPosition(5))


@pytest.mark.parametrize("name", ["genmove", "kgs-genmove_cleanup", "reg_genmove", "kata-search",
                                  "kata-search_cancellable", "kata-genmove_analyze", "lz-genmove_analyze",
                                  "cgos-genmove_analyze", "kata-search_analyze", "kata-search_analyze_cancellable"])
@pytest.mark.parametrize("player", [FirstPlayer, lambda: PolicyPlayer(StoneCounter())], ids=["first", "policy"])
def test_no_move_is_generated_in_a_game_as_long_as_a_game_can_be(name, player):
    last, lines = game_of_passes(MAX_MOVES - 1), []
    engine = new_engine(player(), start=last)
    engine.log = lines.append
    assert engine.answer(f"{name} b").startswith("=") and not lines
    engine.position = last.play(PASS)
    assert engine.answer(f"3 {name} w") == "?3 a game has at most 4095 moves\n\n" and not lines
    assert engine.answer("play w pass") == "? illegal move\n\n" and engine.position.plies == MAX_MOVES


def test_a_position_after_which_no_move_is_possible_is_analyzed():
    reply = new_engine(PolicyPlayer(StoneCounter()), start=game_of_passes(MAX_MOVES)).answer("kata-analyze w 10")
    assert reply.startswith("=\ninfo move ") and reply.count("info move") == 26


# White's B3 makes the board that was set up, with the same side to move.
KO = ("boardsize 4", "set_position b B4 b A3 b B2 w C4 w D3 w C2 w B3", "play b C3", "play w pass", "play b pass")


def after_lines(*lines, **options):
    engine = new_engine(size=4, **options)
    for line in lines:
        assert engine.answer(line).startswith("= "), line
    return engine


def test_a_repetition_is_played_unless_the_rules_that_are_set_forbid_it():
    for rules, legal in (None, True), ("chinese", True), ("aga", False), ("tromp-taylor", False):
        engine = after_lines(*[f"kata-set-rules {rules}"] * (rules is not None), *KO)
        assert engine.answer("play w B3") == ("= \n\n" if legal else "? illegal move\n\n"), rules
    retaken = after_lines(*KO[:-2])
    assert retaken.answer("play w B3") == "? illegal move\n\n"                # simple ko, by any rules


def test_an_own_move_repeats_a_position_only_where_the_rules_that_are_set_allow_it():
    class WantsB3(FirstPlayer):
        def select_move(self, position, **options):
            point = interpret_gtp("B3", 4)
            return point if position.why_illegal(point) is None else PASS

    engine = after_lines(*KO, player=WantsB3())
    assert engine.answer("genmove w") == "= pass\n\n"
    assert engine.answer("play b pass") == engine.answer("play w B3") == engine.answer("undo") == "= \n\n"
    for rules, vertex in ("chinese", "B3"), ("japanese", "B3"), ("chinese-kgs", "pass"), ("aga", "pass"):
        engine = after_lines(f"kata-set-rules {rules}", *KO, player=WantsB3())
        assert engine.answer("genmove w") == f"= {vertex}\n\n", rules


def test_white_gets_points_for_handicap_stones_by_the_rules_that_are_set():
    engine = new_engine(size=9, komi=0.5)
    for rules, points in ("chinese", 3), ("aga", 2), ("tromp-taylor", 0), ("kgs", 3):
        command = "kgs-rules chinese" if rules == "kgs" else f"kata-set-rules {rules}"
        for lines in ("clear_board", command, "fixed_handicap 3"), ("clear_board", "fixed_handicap 3", command):
            assert [engine.answer(line)[0] for line in lines] == ["="] * 3
            for line in "komi 0.5", "play w pass", "undo":     # the komi counts at once, and after undo
                engine.answer(line)
            assert engine.answer("final_score") == f"= B+{80.5 - points:g}\n\n", rules
            assert "KM[0.5]" in engine.answer("printsgf")
            assert "Komi 0.5" in engine.answer("showboard")
    engine.answer("clear_board")
    assert engine.position.komi == 0.5


def test_what_is_ignored_of_rules_is_said_in_the_reply():
    log = []
    engine = new_engine(log=log.append)
    for line in "kata-set-rules aga", "kgs-rules chinese", "kata-set-rule ko SIMPLE":
        assert engine.answer(line) == "= \n\n"
    for line in "kata-set-rules tromp-taylor", "kata-set-rule suicide true":
        assert engine.answer(line) == "= ignored: suicide true\n\n"
    before = engine.answer("kata-get-rules")
    for name, text in ("aga-button", "hasButton true"), ("stone-scoring", "tax ALL"):
        assert engine.answer(f"kata-set-rules {name}") == "? unsupported rules\n\n"
        assert log.pop() == f"kata-set-rules {name}: ignored: {text}"
    assert engine.answer("kata-get-rules") == before


def test_japanese_rules_count_territory_and_prisoners(tmp_path):
    """White has lost a stone on B5; Black has a wall on column C with one stone behind it, White the rest."""
    engine = new_engine(size=5, komi=0.5, log=pytest.fail)
    moves = ("b C1", "w D1", "b C2", "w D2", "b C3", "w D3", "b C4", "w D4", "b C5", "w D5", "b A4", "w B5", "b B4",
             "w E3", "b A5", "w pass", "b B2", "w pass", "b pass")
    results = {}
    for name in "chinese", "japanese", "korean", "aga":
        for line in (f"kata-set-rules {name}", "clear_board", *(f"play {move}" for move in moves)):
            assert engine.answer(line) == "= \n\n", line
        results[name] = engine.answer("final_score").split()[1]
    # Black: 15 points of area, of them 9 stones, and a prisoner.  White: 10, of them 6 stones.
    assert results == {"chinese": "B+4.5", "aga": "B+4.5", "japanese": "B+2.5", "korean": "B+2.5"}
    assert "RU[AGA]" in engine.answer("printsgf")
    engine.answer("kgs-rules japanese")
    engine.answer(f"printsgf {tmp_path / 'game.sgf'}")
    assert "RU[Japanese]" in (tmp_path / "game.sgf").read_text()
    other = new_engine()
    assert other.answer(f"loadsgf {tmp_path / 'game.sgf'}") == "= \n\n"
    assert other.answer("final_score") == "= B+2.5\n\n"             # the record's rules count
    assert '"scoring":"TERRITORY","suicide":false,"tax":"SEKI"' in other.answer("kata-get-rules")
    assert other.answer("kata-set-rule scoring AREA") == other.answer("kata-set-rule tax NONE") == "= \n\n"
    assert not other.position.counts_territory


WORDS = (
    *COMMANDS, "b", "W", "Black", "white", "A1", "d4", "T19", "I5", "pass", "PASS", "resign",
    "none", "absolute", "byoyomi", "canadian", "2", "5", "9", "19", "-1", "0.5", "nan", "1e400", "99999999999999999999",
    "dead", "alive", "seki", "interval", "minmoves", "maxmoves", "ownership", "true", "avoid", "allow", "A1,B2",
    "ponder", "lag", "liberties", "ladder", "capture", "default",
    "#", "\x00", "\t", "é", "\udcff", "=", "?", "..", "game.sgf", "%s%n", "{0}", "'", "\\",
)


@pytest.mark.parametrize("seed", range(4))
def test_random_words_are_answered_and_never_fatal(seed, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)                   # printsgf may write here
    rng = random.Random(seed)
    errors = []
    player = RandomPlayer(seed) if seed % 2 else make_player("uct", seed=seed, play_options=PlayOptions(simulations=8))
    engine = new_engine(player, size=5, log=errors.append)
    for number in range(250):
        line = " ".join(rng.choices(WORDS, k=rng.randint(1, 5)))
        if rng.random() < 0.5:                    # half of them well-formed, so that games are played
            vertex = rng.choice("ABCDE") + rng.choice("12345")
            line = rng.choice(("genmove b", "genmove w", "undo", f"play b {vertex}", "kata-genmove_analyze b 1"))
        reply = engine.answer(f"{number} {line}")
        assert reply is None or re.fullmatch(rf"[=?]{number}( .*)?(\n.+)*\n\n", reply), line
    engine.close()
    assert not [text for text in errors if "Traceback" in text]


def test_the_process_writes_replies_and_nothing_else(tmp_path):
    lines = b"1 name\r\n\r\nplay b c3\xff\n2 play b C3\n3 genmove w\n4 play w C3\n"
    ended = subprocess.run([*MUGO, "random", "--size", "5", "--seed", "1", "--name", "KataGo", "--log-file",
                            tmp_path / "mugo.log"], input=lines, capture_output=True, timeout=300)
    replies = ended.stdout.split(b"\n\n")
    assert re.fullmatch(rb"=3 [A-E][1-5]", replies.pop(3))
    assert replies == [b"=1 KataGo", b"? syntax error", b"=2 ", b"?4 illegal move", b""]
    assert b"C3 is occupied" in ended.stderr
    assert b"mugo: GTP ready, beginning main protocol loop\n" in ended.stderr
    assert ended.returncode == 0 and "> 2 play b C3\n" in (tmp_path / "mugo.log").read_text()


def test_a_log_file_has_every_line_with_the_time(tmp_path):
    (tmp_path / "mugo.log").write_text("before\n")
    sent = "1 boardsize 5\n2 play b Z9\n\n3 kata-genmove_analyze b\n4 name\n"
    with gtp_command._open_log(tmp_path / "mugo.log") as log:
        serve(new_engine(log=lambda text: log(f"! {text}")), io.StringIO(sent), io.StringIO(), log)
    before, *logged = (tmp_path / "mugo.log").read_text().splitlines()
    lines = [re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ([<>!].*)", line)[1] for line in logged]
    assert before == "before"
    assert [line for line in lines if not line.startswith("< play ")] == [
        "> 1 boardsize 5", "< =1 ", "> 2 play b Z9", "! play b Z9: 'Z9' is not a vertex on 5x5 (A-E, 1-5)",
        "< ?2 syntax error", ">", "> 3 kata-genmove_analyze b", "< =3", "> 4 name", "< =4 MuGo first"]
    assert sum(line.startswith("< play ") for line in lines) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_ends_the_log_and_not_the_game():
    out = io.StringIO()
    with gtp_command._open_log(Path("/dev/full")) as log:
        serve(new_engine(), io.StringIO("name\ngenmove b\nquit\n"), out, log)
    assert out.getvalue().count("= ") == 3


def test_a_network_of_another_game_is_refused_before_the_first_command(capsys):
    assert cli.main(["gtp", "policy", "--network", "policy-9", "--game", "gomoku"]) == 2
    assert capsys.readouterr().err.endswith(".safetensors plays Go, not Gomoku, 5 in a row\n")


def test_a_log_file_that_cannot_be_written_is_bad_input(tmp_path, capsys):
    assert cli.main(["gtp", "random", "--log-file", str(tmp_path)]) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1 and str(tmp_path) in output.err


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
@pytest.mark.parametrize("colour, size", [(WHITE, 9), *(pytest.param(*case, marks=pytest.mark.slow) for case in (
    (BLACK, 9), (BLACK, 19), (WHITE, 19)))])
def test_a_game_with_gnu_go_is_legal_and_ends_with_two_passes(colour, size):
    with gnugo("--level", "1", "--seed", "1", "--never-resign", "--chinese-rules", "--positional-superko") as theirs, \
            contextlib.closing(GtpClient(participant_of("random --seed 1"))) as ours:
        clients = {colour: ours, -colour: theirs}
        game = play_game(clients, GoPosition(size), MatchRules())
        assert game.end == TWO_PASSES, game.details
        assert ours.send_command("final_score") == theirs.send_command("final_score")


def test_a_loaded_game_gives_white_points_for_handicap_stones_by_its_rules(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[5]KM[0.5]HA[3]RU[Chinese]AB[bb][bd][db];W[tt];B[tt];W[tt])")
    engine = new_engine()
    assert engine.answer(f"loadsgf {path}") == "= \n\n"
    assert engine.answer("final_score") == "= B+21.5\n\n"
    assert all(text in engine.answer(f"printsgf {path}") + path.read_text() for text in ("KM[0.5]", "RU[Chinese]"))
    assert engine.answer(f"loadsgf {path}") == "= \n\n" and engine.answer("final_score") == "= B+21.5\n\n"
    assert json.loads(engine.answer("kata-get-rules")[2:])["whiteHandicapBonus"] == "N"
    engine.answer("kata-set-rule ko SITUATIONAL")                    # the other rules stay those of the record
    assert engine.answer("final_score") == "= B+21.5\n\n"
    engine.answer("kata-set-rules tromp-taylor")                     # the client's rules count
    assert engine.answer("final_score") == "= B+24.5\n\n"
