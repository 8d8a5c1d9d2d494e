"""Matches at Gomoku: ends, faults, setup, draws, openings, whole matches."""
import json

import pytest
from fakes import FAKE_ENGINE, vertices

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.games.board import WHITE
from mugo.games.gomoku import GomokuPosition
from mugo.match.gtp_client import participant_of
from mugo.match.openings import load_openings
from mugo.match.referee import setup_commands
from mugo.sgf.convert import format_record, record_from_position


def test_a_row_ends_a_game(play):
    game = play("A1 B1 C1", "A2 B2 C2", opening=GomokuPosition(3), score=99)
    assert (game.end, game.result, game.at_fault) == ("a row", "B+", 0)
    assert vertices(game.position) == ["A1", "A2", "B1", "B2", "C1"]


@pytest.mark.parametrize("white, end", [("B2 pass", "illegal move"), ("A1", "illegal move")])
def test_a_pass_and_an_occupied_point_lose_the_game(play, white, end):
    game = play("A1 C1", white, opening=GomokuPosition(3))
    assert (game.end, game.result, game.at_fault) == (end, "B+F", WHITE)


def test_players_of_mugo_get_the_rules_and_other_programs_the_size():
    options = ("--game", "gomoku", "--k", "4")
    assert participant_of("uct --seed 1", options).command[-8:] == ("gtp", "uct", "--seed", "1", *options)
    assert participant_of(FAKE_ENGINE, options).command == participant_of(FAKE_ENGINE).command
    position = GomokuPosition(5).play(GomokuPosition(5).legal_points()[0])
    assert setup_commands(position, handicap=False) == ["boardsize 5", "clear_board", "play b A5"]


def test_random_openings_do_not_end_a_game():
    opening = load_openings("8", GomokuPosition(3), seed=1)
    found = [opening(number) for number in range(40)]
    assert not any(position.is_over for position in found) and max(position.plies for position in found) == 8
    assert len({tuple(vertices(position)) for position in found}) > 20
    assert vertices(opening(3)) == vertices(load_openings("8", GomokuPosition(3), seed=1)(3))


def test_recorded_openings_are_those_of_the_same_game(tmp_path):
    starts = GomokuPosition(5), GomokuPosition(5, 3), GomokuPosition(5, 4, True), GomokuPosition(6, 4)
    for name, start in zip("abcd", starts, strict=True):
        (tmp_path / f"{name}.sgf").write_text(format_record(record_from_position(start.play(start.legal_points()[3]))))
    (tmp_path / "go.sgf").write_text("(;GM[1]SZ[5];B[aa])")
    opening = load_openings(str(tmp_path), GomokuPosition(5))
    assert {opening(number).has_same_rules(GomokuPosition(5)) for number in range(4)} == {True}
    assert {tuple(vertices(opening(number))) for number in range(4)} == {("D5",)}
    with pytest.raises(BadInput, match="no game of Gomoku, 5 in a row, on 8x8"):
        load_openings(str(tmp_path), GomokuPosition(8))


def test_a_draw_is_half_a_win(capsys):
    black, white = f"{FAKE_ENGINE} A3 C3 B1 A2 C1", f"{FAKE_ENGINE} B3 B2 C2 A1"
    assert cli.main(["match", black, white, "--game", "gomoku", "--size", "3", "--games", "1", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["ended_by"] == {"full board": 1}
    assert [(participant["draws"], participant["win_rate"]["value"])
            for participant in summary["participants"]] == [(1, 0.5), (1, 0.5)]


def test_a_network_of_another_game_ends_the_match_at_once(capsys):
    assert cli.main(["match", "random", "policy --network policy-9", "--game", "gomoku", "--size", "5"]) == 2
    assert "plays Go, not Gomoku, 4 in a row" in capsys.readouterr().err
