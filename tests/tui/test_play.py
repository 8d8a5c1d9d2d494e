"""Playing in the terminal: no line causes a traceback, and no game is lost."""
import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from drawing import SETTLED, draw
from fakes import StoneCounter, TiltedNetwork

from mugo.cli import main as cli
from mugo.core.files import atomic_write
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import MAX_MOVES, PASS, format_gtp, interpret_gtp, point_at
from mugo.games.go import GoPosition
from mugo.nn.inputs import People
from mugo.players.evaluation import Evaluation
from mugo.players.registry import make_player
from mugo.players.player import RESIGN, PolicyPlayer
from mugo.players.searcher import PlayOptions, SearchPlayer
from mugo.mcts.result import MoveInfo
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.sgf.convert import load_position
from mugo.sgf.nodes import Node, parse_game
from mugo.tui.commands import COMMANDS
from mugo.tui.play import Repl
from mugo.tui.session import Session
from mugo.tui.signals import SIGNALS, end_input_on_signals, interruptible_search

MAIN = str(Path(__file__).parents[2] / "main.py")


class Scripted:
    """Plays these moves, vertices or 'resign', and then passes."""
    name = "scripted"
    network = search = search_result = None

    def __init__(self, moves=""):
        self.moves = moves.split()

    def select_move(self, position, *, seconds=None, cleanup=False, control=None):
        move = self.moves.pop(0) if self.moves else "pass"
        return RESIGN if move == "resign" else interpret_gtp(move, position.size)

    def explain(self):
        return ""

    def warm_up(self, start):
        pass


def uct(simulations=20, **play_options):
    settings = Settings(seed=1, max_edges=100_000, rollout="mogo", early_stop=False)
    return SearchPlayer("uct", Search(settings), PlayOptions(simulations, **play_options))


def play(tmp_path, lines, player=None, position=None, humans=(BLACK,)):
    """(the session after these lines, its output); an exception among the lines is raised instead of a line."""
    out, lines_left = io.StringIO(), list(lines)

    def read(prompt):
        out.write(prompt)
        line = lines_left.pop(0) if lines_left else EOFError()
        if isinstance(line, BaseException) or isinstance(line, type):
            raise line
        out.write(f"{line}\n")
        return line

    session = Session(player or Scripted(), position or GoPosition(5, 0.5), humans, out=out, simulations=20,
                      folder=tmp_path)
    Repl(session, read).run()
    return session, out.getvalue()


def moves(position):
    return [point for _, point in position.moves]


def points(vertices, size=5):
    return [interpret_gtp(vertex, size) for vertex in vertices.split()]


def saved(tmp_path):
    return sorted(tmp_path.glob("mugo-*.sgf"))


# ---- moves

def test_a_game_starts_with_the_board_and_the_sides_alternate(tmp_path):
    session, shown = play(tmp_path, ["c3", "quit"], Scripted("C4"))
    assert shown.startswith("You are Black; White is scripted.")
    assert "White (scripted) plays C4." in shown
    assert " 4 . .(O). . 4\n 3 . . X . . 3" in shown and "move 2: Black to play   last: White C4" in shown
    assert moves(session.position) == points("C3 C4")


@pytest.mark.parametrize("typed", ["d4", "D4", "4d", "d 4", "d-4", " D4. ", "play D4"])
def test_a_move_has_several_notations(typed, tmp_path):
    session, _ = play(tmp_path, [typed])
    assert moves(session.position)[0] == interpret_gtp("D4", 5)


def test_the_heat_map_of_a_search_has_the_share_of_visits_and_that_of_a_network_the_priors(tmp_path, monkeypatch):
    c3, d4 = points("C3 D4")
    for visits, shares in ((30, 10), {"75", "25"}), ((0, 0), {"10", "90"}):
        moves = (MoveInfo(c3, 0.1, visits[0], 0.5, (c3,)), MoveInfo(d4, 0.9, visits[1], 0.5, (d4,)))
        monkeypatch.setattr(Session, "evaluate", lambda session, moves=moves: Evaluation(moves, 0.5))
        _, shown = play(tmp_path, ["heat"])
        assert shares == set(re.findall(r"\b\d\d\b", shown.split("heat")[-1].split("saved")[0]))


@pytest.mark.parametrize("typed, meant", [("pas", "pass"), ("hlep", "help"), ("undp", "undo"), ("sav", "save"),
                                          ("E9", "E5"), ("Z3", "E3"), ("scroe", "score")])
def test_a_typing_error_gets_a_suggestion(typed, meant, tmp_path):
    _, shown = play(tmp_path, [typed])
    assert f"did you mean {meant}? (Enter: yes)" in shown


def test_enter_accepts_the_suggestion_and_another_line_rejects_it(tmp_path):
    session, _ = play(tmp_path, ["E9", ""])
    assert moves(session.position)[0] == interpret_gtp("E5", 5)
    session, _ = play(tmp_path, ["E9", "c3"])
    assert moves(session.position)[0] == interpret_gtp("C3", 5)
    session, shown = play(tmp_path, ["i3", "yes"], position=GoPosition(9))
    assert "boards have no column I; did you mean J3?" in shown and moves(session.position)[0] == interpret_gtp("J3", 9)


def test_an_illegal_move_is_explained_and_the_game_continues(tmp_path):
    session, shown = play(tmp_path, ["c3", "c3", "c4"], Scripted("A1"))
    assert "illegal move: C3 is occupied" in shown
    assert moves(session.position)[:3] == points("C3 A1 C4")


@pytest.mark.parametrize("line", [
    "", "   ", "xyzzy", "hint x", "hint 0", "hint 1 2", "save", "load nowhere.sgf", "new 99", "new x",
    "undo", "redo", "done", "\x00\x1b[A", "é", "a" * 5000, "load . 3", "load x -1",
    f"save {MAIN}/x.sgf"])
def test_no_line_ends_the_game(line, tmp_path):
    session, shown = play(tmp_path, [line, "c3"])
    assert moves(session.position)[0] == interpret_gtp("C3", 5) and "Traceback" not in shown


@pytest.mark.parametrize("player", [Scripted, lambda: uct(2)], ids=["Scripted", "uct"])
@pytest.mark.parametrize("left, lines", [(1, ["c3"]), (0, [])])
def test_in_a_game_as_long_as_a_game_can_be_nobody_moves(player, left, lines, tmp_path):
    vertices = [*[""] * (MAX_MOVES - 3), "aa", "bb", "cc"][:MAX_MOVES - left]
    path = tmp_path / "long.sgf"
    path.write_text("(;SZ[5]" + "".join(f";{'BW'[i % 2]}[{vertex}]" for i, vertex in enumerate(vertices)) + ")")
    session, shown = play(tmp_path, [f"load {path}", *lines, "d4", "hint", "undo", "redo", "undo", "quit"], player())
    assert shown.count("A game has at most 4,095 moves, and this one has them: 'undo' takes moves back") == 2
    assert "White> d4\na game has at most 4095 moves\n" in shown
    assert session.position.plies == MAX_MOVES - 1 and session.is_closed


def test_undo_and_redo_cover_the_moves_of_both_sides(tmp_path):
    session, shown = play(tmp_path, ["c3", "c2", "undo", "undo", "redo", "who"], Scripted("C4 D4"))
    assert moves(session.position) == points("C3 C4")
    session, shown = play(tmp_path, ["c3", "undo", "d3", "redo"], Scripted("C4 D4"))
    assert "there is no move to redo" in shown and moves(session.position)[0] == interpret_gtp("D3", 5)
    session, shown = play(tmp_path, ["resign", "undo"])
    assert "there is no move to undo" in shown and session.result == "W+R"       # the game is still over


def test_a_person_may_play_both_colours_or_swap(tmp_path):
    session, shown = play(tmp_path, ["b5", "a5", "a4", "undo"], humans=(BLACK, WHITE))
    assert moves(session.position) == points("B5 A5") and "You play both colours" in shown
    assert "captures: Black 1, White 0   komi 0.5" in shown
    session, shown = play(tmp_path, ["swap"], Scripted("C3"))
    assert "You are White; Black is scripted." in shown and moves(session.position) == points("C3")


# ---- information

def test_hints_are_marked_on_the_board_and_listed_with_win_rates(tmp_path):
    _, shown = play(tmp_path, ["hint 2"], uct(50))
    assert re.search(r"^a +[A-E][1-5] +win rate \d+\.\d% +\d+ visits", shown, re.MULTILINE)
    for number in "0", "27", "x":
        assert f"hint takes a number from 1 to 26, not {number}" in play(tmp_path, [f"hint {number}"])[1]
    assert re.search(r"^ \d.* a ", shown, re.MULTILINE) and not re.search(r"^c +[A-E]", shown, re.MULTILINE)


def test_hints_have_leads_and_the_score_is_the_networks_where_it_has_them(tmp_path):
    position, _ = draw(SETTLED, komi=0.5)
    _, shown = play(tmp_path, ["hint 2", "score"], PolicyPlayer(StoneCounter()), position=position)
    assert len(re.findall(r"^[ab] +[A-G][1-7] +win rate \d+\.\d% +lead \+\d\.5 +prior 2\.0%", shown, re.MULTILINE)) == 2
    # The network sees 18 and 15 points, the stones alone; rollouts 28 and 21.
    assert "estimate B+2.5 by the network.  Points, each weighted by its ownership: Black 23, White 18 and 0.5" in shown
    assert "lead" not in play(tmp_path, ["hint 2"], uct(50))[1]


def test_a_player_without_a_search_gives_hints_too(tmp_path):
    assert "win rate" in play(tmp_path, ["hint", "heat"])[1]


def test_what_people_of_a_rank_would_play_is_listed_next_to_what_the_search_says(tmp_path):
    network = TiltedNetwork(0.5)
    player = make_player("mcts", network=network, play_options=PlayOptions(simulations=60), settings=Settings(
        seed=1, rollout="none", max_edges=5000))
    _, shown = play(tmp_path, ["people 9d 2", "people 12d", "people 3d 27"], player)
    priors = network.evaluate([GoPosition(5)], people=People("9d")).priors[0][:-1]
    best = [format_gtp(point_at(*divmod(int(index), 5), 5), 5) for index in np.argsort(-priors)[:2]]
    for letter, vertex, prior in zip("ab", best, np.sort(priors)[::-1], strict=False):     # blank without visits
        assert re.search(rf"^{letter} +{vertex} +{prior:.1%}( +\d+\.\d% +[+-]\d| *$)", shown, re.MULTILINE), shown
    assert re.search(r"by 9d +win rate +lead", shown) and not re.search(r"^c +[A-E]", shown, re.MULTILINE)
    assert "rank '12d': must be such as 5k" in shown and "people takes a number from 1 to 26, not 27" in shown


def test_a_network_that_takes_no_people_is_not_asked_for_them(tmp_path):
    for player in PolicyPlayer(StoneCounter()), uct(20):
        assert "does not take who plays" in play(tmp_path, ["people 3d"], player)[1]


def test_scores_and_help(tmp_path):
    position, _ = draw(SETTLED, komi=0.5)
    _, shown = play(tmp_path, ["score", "help", "board"], position=position)
    assert "estimate B+6.5" in shown and " 7 + X + X O - O 7" in shown
    assert all(name in shown for name in COMMANDS)


# ---- the end

def test_two_passes_start_the_scoring_and_dead_stones_can_be_changed(tmp_path):
    position, at = draw(SETTLED, komi=0.5)
    position = position.with_stones(white=[at["a"]])
    session, shown = play(tmp_path, ["pass", "b5", "b5", "a1", ""], position=position)
    assert "Black 28, White 21 and 0.5 komi: B+6.5" in shown and " 5 + o X X O - - 5" in shown
    assert "Black 26, White 22 and 0.5 komi: B+3.5" in shown and " 5 . O X X O - - 5" in shown       # toggled once
    assert "there is no stone" in shown
    assert session.result == "B+6.5" and "Black wins by 6.5 (B+6.5)." in shown
    assert "RE[B+6.5]" in saved(tmp_path)[0].read_text()


def test_undo_continues_the_game_after_two_passes(tmp_path):
    position, _ = draw(SETTLED)
    session, shown = play(tmp_path, ["pass", "pass", "undo", "b5"], position=position)
    assert "the game is being scored" in shown and session.result == ""
    assert interpret_gtp("B5", 7) in moves(session.position)


def test_resigning_ends_the_game_and_it_is_saved_once(tmp_path):
    session, shown = play(tmp_path, ["c3", "resign", "c2", "resign", "quit"], Scripted("C4"))
    assert session.result == "W+R" and "White wins by resignation (W+R)." in shown
    assert "the game is over: 'undo' goes back" in shown
    assert len(saved(tmp_path)) == 1 and "RE[W+R]" in saved(tmp_path)[0].read_text()
    assert play(tmp_path, ["c3"], Scripted("resign"))[0].result == "B+R"


# ---- files

@pytest.mark.parametrize("lines", [["resign", "undo", "undo"], ["resign", "undo", "redo"], ["undo", "undo"]])
def test_looking_back_deletes_no_moves_and_no_result(lines, tmp_path):
    session, _ = play(tmp_path, ["c3", "c2", *lines, "quit"], Scripted("C4 D4"))
    [path] = saved(tmp_path)
    assert moves(load_position(path)) == points("C3 C4 C2 D4") and ("RE[W+R]" in path.read_text()) == (len(lines) == 3)


def test_lines_that_were_left_are_variations_with_their_results(tmp_path):
    play(tmp_path, ["c3", "c2", "resign", "undo", "undo", "c3", "e1", "undo", "d1", "resign", "quit"],
         Scripted("C4 D4 C4 E5 E4"))
    text = saved(tmp_path)[0].read_text().replace("\n", "")
    assert len(saved(tmp_path)) == 1 and "RE[W+R]" in text
    assert text.endswith(";B[cc];W[cb](;B[de];W[eb])(;B[cd];W[db]C[Result: W+R])(;B[ee];W[ea]))")


def test_a_loaded_game_that_is_not_played_on_is_not_saved(tmp_path):
    play(tmp_path, ["c3", f"save {tmp_path}/a", "quit"], Scripted("C4"))
    play(tmp_path, [f"load {tmp_path}/a.sgf", "undo", "quit"], Scripted(""))
    assert saved(tmp_path) == []

def test_a_game_is_saved_under_its_name_and_continued(tmp_path):
    name = str(tmp_path / "mine")
    session, shown = play(tmp_path, ["c3", f"save {name}", "quit"], Scripted("C4"))
    assert f"saved: {name}.sgf" in shown and saved(tmp_path) == []
    assert moves(load_position(f"{name}.sgf")) == points("C3 C4")
    session, shown = play(tmp_path, [f"load {name}.sgf 1", "who"], Scripted("D4"))
    assert moves(session.position) == points("C3 D4")
    session, _ = play(tmp_path, ["new 7", "d4"])
    assert session.position.size == 7


@pytest.mark.parametrize("typed", ["my  game", '"my game"', "my game.sgf"])
def test_the_name_of_a_file_may_have_spaces_and_quotes(typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(tmp_path, ["c3", f"save {typed}", f"save {typed} overwrite", "quit"], Scripted("C4"))
    assert [path.name for path in tmp_path.iterdir()] == ["my game.sgf"]
    session, _ = play(tmp_path, ["load my game.sgf", 'load "my game.sgf" 1', "quit"], Scripted("D4"))
    assert moves(session.position) == points("C3 D4")


LOADED = "(;GM[1]FF[4]SZ[5]GN[name]PB[A]RE[B+9];B[cc]LB[cc:x]C[kept];C[no move];W[cb](;B[aa];W[ba])(;B[dd]TR[dd]))"


def test_a_loaded_game_is_saved_with_all_that_the_file_has(tmp_path):
    (tmp_path / "a.sgf").write_text(LOADED)
    play(tmp_path, [f"load {tmp_path}/a.sgf", f"save {tmp_path}/same", "quit"])
    root, *others = parse_game(LOADED.encode())
    expected = [root.with_values(CA=b"UTF-8"), *others]
    assert parse_game((tmp_path / "same.sgf").read_bytes()) == expected
    play(tmp_path, [f"load {tmp_path}/a.sgf 2", "d2", "a1", f"save {tmp_path}/played", "quit"], Scripted("E5 E4"))
    assert parse_game((tmp_path / "played.sgf").read_bytes()) == [
        *expected, *(Node(parent, {colour: [value]}) for parent, colour, value in (
            (6, "W", b"ea"), (7, "B", b"ae"), (8, "W", b"eb")))], "D2 is the file's variation"
    play(tmp_path, [f"load {tmp_path}/a.sgf 2", "undo", "c5", "resign", f"save {tmp_path}/resigned", "quit"],
         Scripted("E5"))
    text = (tmp_path / "resigned.sgf").read_text()
    assert "RE[B+9]" in text and text.replace("\n", "").endswith("(;B[ca];W[ea]C[Result: W+R]))")


@pytest.mark.parametrize("name", ["~no-such-user/x.sgf", "~no-such-user"])
def test_a_home_folder_that_does_not_exist_gets_one_line(name, tmp_path):
    session, shown = play(tmp_path, ["c3", f"save {name}", f"load {name}", "b2"], Scripted("C4 C5"))
    assert shown.count("~no-such-user is not a home folder on this computer\n") == 2
    assert moves(session.position)[2] == points("B2")[0]


def test_save_asks_before_it_overwrites_and_makes_no_folder(tmp_path):
    other = tmp_path / "other.sgf"
    other.write_text("somebody's game")
    _, shown = play(tmp_path, ["c3", f"save {other}", f"save {tmp_path}/no/folder", "quit"], Scripted("C4"))
    assert other.read_text() == "somebody's game"
    assert f"{other} exists already: `save {other} overwrite` replaces it" in shown
    assert f"there is no folder {tmp_path}/no" in shown and not (tmp_path / "no").exists()
    _, shown = play(tmp_path, ["c3", f"save {other} overwrite", "b2", f"save {other}", "quit"], Scripted("C4 C5"))
    assert shown.count(f"saved: {other}") == 2                                    # its own file needs no word
    assert moves(load_position(other)) == points("C3 C4 B2 C5")


def test_a_game_that_cannot_be_saved_is_printed(tmp_path):
    full = tmp_path / "a file in the place of a folder"
    full.write_text("")
    for left in (["quit"], [EOFError], ["resign", EOFError]):
        _, shown = play(full, ["c3", *left, "never"], Scripted("C4"))
        assert "not saved: " in shown and "never" not in shown
        assert re.search(r"The game as SGF:\n\(;.*;B\[cc\]", shown, re.DOTALL)


@pytest.mark.parametrize("left", ["quit", EOFError, "interrupts"])
def test_no_game_is_lost_however_the_person_leaves(left, tmp_path):
    lines = [KeyboardInterrupt, KeyboardInterrupt, "never"] if left == "interrupts" else [left, "never"]
    _, shown = play(tmp_path, ["c3", *lines], Scripted("C4"))
    path, = saved(tmp_path)
    assert moves(load_position(path)) == points("C3 C4") and f"saved: {path}" in shown and "never" not in shown


@pytest.mark.parametrize("second", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("left", [[signal.SIGHUP], [signal.SIGTERM], [EOFError], [KeyboardInterrupt] * 2], ids=str)
def test_a_signal_while_a_game_is_saved_is_ignored(left, second, tmp_path, monkeypatch):
    lines, handlers = ["c3", *left], [signal.getsignal(number) for number in SIGNALS]

    def read(prompt):
        line = lines.pop(0)
        if isinstance(line, signal.Signals):
            os.kill(os.getpid(), line)
            time.sleep(60)                               # the signal ends it
        if not isinstance(line, str):
            raise line
        return line

    def write_interrupted(path):
        os.kill(os.getpid(), second)
        time.sleep(0.001)
        return atomic_write(path)

    monkeypatch.setattr("mugo.tui.session.atomic_write", write_interrupted)
    with end_input_on_signals():
        Repl(Session(Scripted("C4"), GoPosition(5), (BLACK,), out=io.StringIO(), folder=tmp_path), read).run()
    path, = saved(tmp_path)
    assert moves(load_position(path)) == points("C3 C4")
    assert [signal.getsignal(number) for number in SIGNALS] == handlers


def test_a_game_is_played_and_saved_outside_the_main_thread(tmp_path):
    def run():
        with end_input_on_signals():
            play(tmp_path, ["c3", EOFError], Scripted("C4"))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert len(saved(tmp_path)) == 1


def test_a_new_game_saves_the_old_one_and_an_empty_game_is_not_saved(tmp_path):
    play(tmp_path, ["quit"])
    assert saved(tmp_path) == []
    play(tmp_path, ["c3", "new", "quit"], Scripted("C4"))
    assert len(saved(tmp_path)) == 1


def test_one_ctrl_c_at_the_prompt_does_not_end_the_game(tmp_path):
    session, shown = play(tmp_path, [KeyboardInterrupt, "c3", KeyboardInterrupt, "c2"], Scripted("C4 A1"))
    assert moves(session.position)[:4] == points("C3 C4 C2 A1") and shown.count("Ctrl-C again") == 2


def test_ctrl_c_during_a_search_plays_the_best_move_so_far(tmp_path):
    player = uct(None, seconds=60)
    player.warm_up(GoPosition(5))
    timer = threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    started = time.perf_counter()
    session, shown = play(tmp_path, ["c3"], player)
    timer.join()
    assert time.perf_counter() - started < 30
    assert session.position.plies == 2 and "stopped; this is the best so far" in shown


def test_a_second_ctrl_c_during_a_search_is_not_held_back():
    out, handler, seen = io.StringIO(), signal.getsignal(signal.SIGINT), []
    with pytest.raises(KeyboardInterrupt), interruptible_search(out) as progress:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            seen.append(progress.should_stop())
    assert seen == [True] and signal.getsignal(signal.SIGINT) is handler and out.getvalue() == ""


# ---- the command

def test_the_command_plays_over_pipes_and_bytes_that_are_no_text_are_a_typing_error(tmp_path):
    done = subprocess.run([sys.executable, MAIN, "play", "random", "--size", "5", "--side", "white", "--seed", "1"],
                          input=b"\xff\nload \xe9.sgf\nquit\n", cwd=tmp_path, capture_output=True, timeout=120,
                          env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"})
    assert done.returncode == 0 and done.stderr == b""
    assert b"Black (random) plays" in done.stdout and b"White> quit" in done.stdout and b"\x1b" not in done.stdout
    assert b"is neither a move nor a command" in done.stdout and b"?.sgf is not a file" in done.stdout
    assert len(saved(tmp_path)) == 1


@pytest.mark.parametrize("options, why", [(("--size", "99"), "99x99"), (("--handicap", "20"), "handicap"),
                                          (("--move", "3"), "--load"), (("--load", "none.sgf"), "is not a file")])
def test_a_wrong_command_line_gets_one_line(options, why, capsys):
    assert cli.main(["play", "random", *options]) == 2
    error = capsys.readouterr().err
    assert why in error and error.count("\n") == 1


def test_a_terminal_gets_colours_and_progress_and_a_hangup_saves_the_game(tmp_path):
    master, slave = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen([sys.executable, MAIN, "play", "uct", "--size", "5", "--seconds", "0.7",
                                "--no-early-stop"],
                               stdin=slave, stdout=slave, stderr=slave, cwd=tmp_path, env=environment)
    os.close(slave)
    seen, deadline = b"", time.monotonic() + 100

    def read_until(prompts: int, seconds: float = 100) -> None:
        """Read the output until so many prompts are seen, the terminal is closed, or the time is up."""
        nonlocal seen
        end = min(deadline, time.monotonic() + seconds)
        while seen.count(b"Black> ") < prompts and time.monotonic() < end:
            if select.select([master], [], [], 1)[0]:
                seen += os.read(master, 4096)

    try:
        read_until(1)                                    # input before the prompt may be lost
        os.write(master, b"c3\n")
        read_until(2)
        with pytest.raises(OSError):                     # the terminal is closed
            while time.monotonic() < deadline:           # Python may miss a signal just before a read
                process.send_signal(signal.SIGHUP)
                read_until(1000, seconds=5)
        assert process.wait(30) == 0
    finally:
        process.kill()
        os.close(master)
    shown = seen.decode()
    assert "\x1b[38;5;" in shown and "●" in shown and "simulations, best move" in shown
    assert "saved: mugo-" in shown and len(saved(tmp_path)) == 1
    assert moves(load_position(saved(tmp_path)[0]))[0] != PASS


def test_the_other_games_of_a_file_are_not_overwritten(tmp_path):
    path = tmp_path / "two.sgf"
    path.write_text("(;SZ[5];B[cc])(;SZ[5];B[dd])")
    _, shown = play(tmp_path, [f"load {path}", "pass", f"save {path} overwrite", f"save {tmp_path}/one.sgf", "quit"],
                    Scripted("pass"))
    assert f"{path} has several games; this is the first" in shown
    assert f"{path} has other games, which would be deleted: save this one under another name" in shown
    assert path.read_text() == "(;SZ[5];B[cc])(;SZ[5];B[dd])" and (tmp_path / "one.sgf").exists()
