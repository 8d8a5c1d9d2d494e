"""Gomoku in the terminal, and games of Gomoku as SGF."""
import io

import pytest
from drawing import draw
from tui.test_play import Scripted, moves, play, points, saved

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.games.board import WHITE
from mugo.games.gomoku import GomokuPosition
from mugo.plots.terminal import Screen, board_lines
from mugo.sgf.convert import format_record, load_position, record_from_position
from mugo.sgf.parser import read_records
from mugo.sgf.record import BadRecord
from mugo.tui.commands import COMMANDS


def test_a_game_ends_with_a_row_and_is_saved_with_its_rules(tmp_path):
    session, shown = play(tmp_path, ["b2", "b1", "b3", "undo", "quit"], Scripted("A1 C1 A2 C2"), GomokuPosition(3))
    assert "Gomoku: 3 in a row wins" in shown and "komi" not in shown and "captures" not in shown
    assert " 3 .(#). 3\n 2 . # . 2\n 1 O # O 1" in shown
    assert "Black wins with 3 in a row, B3 B2 B1 (B+)." in shown
    assert moves(session.position) == points("B2 A1 B1 C1", 3) and session.result == ""
    text = saved(tmp_path)[0].read_text()
    assert "GM[4]" in text and "RU[3 in a row]" in text and "KM" not in text


def test_commands_of_go_are_neither_listed_nor_run(tmp_path):
    assert set(COMMANDS.names("go")) - set(COMMANDS.names("gomoku")) == {"pass", "score", "done", "people"}
    lines = ["pass", "score", "done", "help", "b2"]
    session, shown = play(tmp_path, lines, Scripted("a1"), GomokuPosition(3))
    assert "pass is for Go, and this is Gomoku" in shown
    assert not {"two passes end the game", "an estimate of the score"} & set(shown.splitlines())
    assert "resign " in shown
    assert moves(session.position) == points("B2 A1", 3)


def test_after_the_end_there_are_neither_moves_nor_hints(tmp_path):
    position, _ = draw("""
        X X .
        O O .
        . . .
    """, k=3)
    session, shown = play(tmp_path, ["c3", "c2", "hint", "heat", "resign", "undo", "c1"], Scripted("c2"), position)
    assert "the game is over: 'undo' goes back" in shown and "the game is over: B+" in shown
    assert shown.count("the game is over: there is no move to search for") == 2
    assert "White wins with 3 in a row, A2 B2 C2 (W+)." in shown


def test_a_full_board_is_a_draw(tmp_path):
    session, shown = play(tmp_path, ["c1"], position=draw("X O X / X O O / O X a".replace("/", "\n"), k=3)[0])
    assert "A draw: the board is full (0)." in shown and session.result == "0"


def test_a_game_is_continued_and_another_size_has_its_default_row(tmp_path):
    session, _ = play(tmp_path, ["c3", f"save {tmp_path / 'x'}"], Scripted("A1"), GomokuPosition(5, 3, exactly=True))
    session, shown = play(tmp_path, [f"load {tmp_path / 'x.sgf'} 1"], Scripted("A2"), GomokuPosition(8))
    assert (session.position.size, session.position.k, session.position.exactly) == (5, 3, True)
    assert moves(session.position) == points("C3 A2")
    session, shown = play(tmp_path, ["new", "new 6", "new 99"], position=GomokuPosition(5, 5))
    assert "Gomoku: 5 in a row wins" in shown and "Gomoku: 4 in a row wins" in shown and session.position.size == 6
    (tmp_path / "go.sgf").write_text("(;GM[1]SZ[5];B[cc])")
    _, shown = play(tmp_path, [f"load {tmp_path / 'go.sgf'}"], position=GomokuPosition(5))
    assert "is a game of Go, not of Gomoku" in shown


def test_a_finished_game_that_is_loaded_shows_its_result_and_is_not_saved_again(tmp_path):
    position = GomokuPosition(3)
    for vertex in points("A1 A2 B1 B2 C1", 3):
        position = position.play(vertex)
    (tmp_path / "x.sgf").write_text(format_record(record_from_position(position)))
    for lines, start in ([], position), ([f"load {tmp_path / 'x.sgf'}"], GomokuPosition(3)):
        _, shown = play(tmp_path, lines, position=start)
        assert "Black wins with 3 in a row, A1 B1 C1 (B+)." in shown
    assert not saved(tmp_path)


def test_a_board_that_the_player_does_not_play_leaves_the_old_game(tmp_path):
    class Small(Scripted):
        def warm_up(self, start):
            if start.size > 6:
                raise BadInput("too large for me")

    session, shown = play(tmp_path, ["c3", "new 8", "d3"], Small("A1 A2"), GomokuPosition(6))
    assert "too large for me" in shown and len(session.position.moves) == 4


def test_the_winning_row_is_marked_in_plain_text_and_in_colour():
    position, _ = draw("""
        X X .
        . . .
        O O .
    """, to_play=WHITE, k=3)
    end = position.play(points("C1", 3)[0])
    assert "\n 1 @ @(@)1" in "\n".join(board_lines(end))
    assert "\n".join(board_lines(end, Screen(colour=True, unicode=True))).count("48;5;209") == 3


# ---- the command

def test_the_command_starts_a_game_of_gomoku(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("c3\nquit\n"))
    assert cli.main(["play", "random", "--game", "gomoku", "--size", "6", "--k", "4", "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    assert "White is random" in shown and "Gomoku: 4 in a row wins" in shown and len(saved(tmp_path)) == 1


def test_the_command_continues_a_game_of_either_kind(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.sgf").write_text("(;GM[4]SZ[5]RU[exactly 4 in a row];B[cc];W[aa])")
    for words, status in ((), 0), (("--game", "gomoku", "--move", "2"), 0), (("--game", "go"), 2):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        assert cli.main(["play", "random", "--load", "x.sgf", *words]) == status
        captured = capsys.readouterr()
        if status == 0:
            assert "Gomoku: exactly 4 in a row wins" in captured.out and not captured.err
        else:
            assert "is a game of Gomoku, not of Go" in captured.err


def test_without_a_network_for_the_board_uct_plays_with_a_notice(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert cli.main(["play", "--game", "gomoku", "--size", "7", "--k", "3", "--max-edges", "5000"]) == 0
    shown = capsys.readouterr().out
    assert "uct plays: there is no bundled network for Gomoku, 3 in a row, on 7x7" in shown
    assert "White is uct" in shown


# ---- SGF

def test_gomoku_is_read_only_on_request():
    text = b"(;GM[4]SZ[15]RU[Exactly  5 in a row]KM[6.5]PB[Ada];B[hh])"
    record, = read_records(text, gomoku=True)
    assert (record.k, record.exactly, record.komi, record.black) == (5, True, None, "Ada")
    bad, = read_records(text)
    assert isinstance(bad, BadRecord) and bad.reason == "not Go"
    usual, = read_records(b"(;GM[4]SZ[6]RU[Renju];B[aa])", gomoku=True)
    assert (usual.k, usual.exactly, usual.rules) == (4, False, "Renju")


@pytest.mark.parametrize("text, why", [
    ("(;GM[4];B[aa])", "board size|SZ"),
    ("(;GM[4]SZ[4]RU[5 in a row];B[aa])", "3 to 4 in a row can win on 4x4, not 5"),
    ("(;GM[4]SZ[3];B[aa];W[])", "move 2: White pass is not a move of Gomoku"),
    ("(;GM[4]SZ[3];B[aa];W[aa])", "move 2: White A3 is occupied"),
    ("(;GM[4]SZ[3];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb])", "move 6: White C2 comes after the end of the game"),
    ("(;GM[4]SZ[3]AB[aa][ba][ca])", "a black stone cannot be placed on C3"),
    ("(;GM[2]SZ[8])", "another game; Go is GM.1., Gomoku GM.4."),
])
def test_a_game_that_cannot_be_played_is_explained(text, why, tmp_path):
    (tmp_path / "x.sgf").write_text(text)
    with pytest.raises(BadInput, match=why):
        load_position(tmp_path / "x.sgf")
