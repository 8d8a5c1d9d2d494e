"""Boards that are not square, through the programs: analysis, matches, terminal, pictures, SGF; and what refuses them.

Rules, planes and scoring: tests/games/test_rectangles; the page: tests/web/test_page_rectangle; GTP: the transcript
setting_up.
"""
import io
import json
import random
import sys
from itertools import islice

import numpy as np
import pytest
from analysis.queries import GAME, query, run
from gtp.test_engine import new_engine
from sample_positions import random_game

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.games.coords import format_gtp, interpret_gtp, point_at, row_col, symmetries
from mugo.games.go import GoPosition
from mugo.games.position import BasePosition
from mugo.match.referee import setup_commands
from mugo.nn.bundled import BundledNetworks, bundled_name
from mugo.nn.inference import Network
from mugo.nn.inputs import fit_bias
from mugo.players.registry import make_player
from mugo.players.searcher import PlayOptions
from mugo.plots.svg import board_svg
from mugo.plots.terminal import board_lines, heatmap_array, star_points
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.sgf import tree
from mugo.sgf.convert import format_record, record_from_position
from mugo.sgf.record_positions import position_of
from mugo.sgf.parser import read_records
from mugo.web.requests import requested_board


def some_game(shape=(5, 8), plies=20, seed=1) -> BasePosition:
    """The last of so many positions of a random game."""
    *_, position = islice(random_game(random.Random(seed), shape), plies)
    return position


# -- networks

@pytest.mark.parametrize("shape", [(9, 13), (5, 19), (2, 7)])
def test_the_bias_of_the_points_is_fitted_to_both_sides(shape):
    rows, cols = shape
    bias = np.random.default_rng(1).normal(size=81).astype(np.float32)
    fitted = fit_bias(bias, shape).reshape(shape)
    transposed = fit_bias(bias.reshape(9, 9).T.ravel(), (cols, rows)).reshape(cols, rows)
    assert np.allclose(fitted, transposed.T)
    assert np.allclose(fit_bias(bias, (9, 9)), bias)
    square = bias.reshape(9, 9)
    assert [fitted[0, 0], fitted[0, -1], fitted[-1, 0], fitted[-1, -1]] == [
        square[0, 0], square[0, -1], square[-1, 0], square[-1, -1]]
    both = fit_bias(bias, rows).reshape(rows, rows)
    assert np.allclose(fitted[:, 0], both[:, 0])


@pytest.mark.parametrize("size, name", [((9, 13), "policy-9"), ((13, 19), "policy-19"), ((19, 9), "policy-19"),
                                        ((7, 19), "policy-9"), (9, "policy-9")])
def test_a_rectangle_is_played_by_the_network_of_the_nearest_size_to_the_mean_of_its_sides(size, name):
    assert bundled_name(size) == name


@pytest.mark.parametrize("name", ["policy-9", "policy-19"])
def test_a_networks_outputs_turn_with_a_rectangle(name):
    network = Network(name, threads=1, precision="float32")
    game = some_game((5, 8))
    boards = [game.stones, *(np.ascontiguousarray(each) for each in (game.stones[::-1], game.stones.T))]
    positions = [GoPosition(board.shape, 0.5).with_board(board, game.to_play) for board in boards]
    flat, turned, transposed = (network.evaluate([position], symmetries=True) for position in positions)
    assert flat.priors.shape == (1, 41) and abs(flat.priors.sum() - 1) < 1e-4
    assert np.allclose(turned.priors[0][symmetries((5, 8))[3]], flat.priors[0], atol=1e-5)
    assert np.allclose(transposed.priors[0][:-1].reshape(8, 5).T.ravel(), flat.priors[0][:-1], atol=1e-5)
    assert np.allclose(transposed.values, flat.values, atol=1e-5)
    if name == "policy-19":
        ownership = [output.board_ownership(0, position) for output, position in
                     zip((flat, turned, transposed), positions, strict=True)]
        assert np.allclose(ownership[1], ownership[0][::-1], atol=1e-5)
        assert np.allclose(ownership[2], ownership[0].T, atol=1e-5)
        assert np.allclose(flat.score_mean, transposed.score_mean, atol=1e-3)


def test_a_batch_has_boards_of_one_shape():
    with pytest.raises(ValueError, match="one size at a time"):
        BundledNetworks(threads=1).for_board(9).evaluate([GoPosition((4, 9)), GoPosition((6, 6))])


@pytest.mark.parametrize("player, options", [("uct", {}), ("mcts", {}), ("policy", {}), ("randompolicy", {}),
                                             ("mcts", {"settings": Settings(seed=1, batch=4)})])
def test_every_player_plays_a_rectangle(player, options):
    engine = new_engine(make_player(player, seed=1, play_options=PlayOptions(24), **options), size=(4, 7))
    for colour in "bwbw":
        reply = engine.answer(f"genmove {colour}")
        assert reply[0] == "=" and engine.position.shape == (4, 7)
    assert engine.position.plies == 4


def transposed_point(point: int, shape: tuple[int, int]) -> int:
    row, col = row_col(point, shape)
    return point_at(col, row, shape[::-1])


def test_a_search_captures_on_a_rectangle_and_on_it_transposed():
    shape = (2, 9)
    black, white, right = ([interpret_gtp(vertex, shape) for vertex in text.split()]
                           for text in ("A1 C1 H1 H2", "B1 F1 F2", "B2"))
    for size, turn in ((shape, lambda point: point), (shape[::-1], lambda point: transposed_point(point, shape))):
        position = GoPosition(size, 0.5).with_stones(black=map(turn, black), white=map(turn, white))
        result = Search(Settings(seed=1)).search(position, simulations=1500)
        assert result.moves[0].point == turn(right[0]), format_gtp(result.moves[0].point, size)


# -- GTP, analysis

def test_kata_raw_nn_has_the_rows_of_a_rectangle():
    reply = new_engine(make_player("policy"), size=(4, 6)).answer("kata-raw-nn 0")
    rows = reply.split("policy\n")[1].splitlines()[:4]
    assert [len(row.split()) for row in rows] == [6] * 4


@pytest.mark.parametrize("command", ["list_stones b", "final_score", "kata-analyze 1 ownership true", "showboard",
                                     "final_status_list alive", "captures b", "top_moves_white", "kata-get-rules"])
def test_commands_answer_on_a_rectangle(command):
    engine = new_engine(make_player("uct", play_options=PlayOptions(24), seed=1), size=(3, 6))
    engine.answer("play b F3")
    assert engine.answer(command).startswith("=")


def test_an_analysis_query_of_a_rectangle():
    response, = run(query(moves=GAME + [["W", "G1"]], boardXSize=7, boardYSize=4, includeOwnership=True,
                          includePolicy=True))
    assert len(response["ownership"]) == 28 and len(response["policy"]) == 29
    taken = {index for index, prior in enumerate(response["policy"]) if prior == -1}
    assert taken == {9, 2, 1, 27}                            # C3, C4, B4, G1
    assert max(info["move"][0] for info in response["moveInfos"]) == "G"
    error, = run(query(moves=[["B", "A8"]], boardXSize=8, boardYSize=7))
    assert "'A8' is not a vertex on 8x7" in error["error"]


# -- matches, terminal, pictures

def test_a_match_on_5x7(tmp_path):
    args = ["match", "uct --simulations 20 --seed 1", "uct --simulations 10 --seed 2", "--games", "2", "--size", "5x7",
            "-o", str(tmp_path / "match"), "--openings", "2"]
    assert cli.main(args) == 0
    assert json.loads((tmp_path / "match" / "match.json").read_text())["size"] == "5x7"
    games = sorted((tmp_path / "match").rglob("*.sgf"))
    assert len(games) == 2
    for path in games:
        record, = read_records(path.read_bytes())
        assert record.shape == (7, 5) and len(record.moves) > 10
    assert cli.main(args) == 0                               # continued: nothing is left to play


def test_programs_get_the_size_of_a_rectangle_by_katagos_command():
    assert setup_commands(some_game((3, 5), 1), handicap=False)[0] == "rectangular_boardsize 5 3"
    assert setup_commands(GoPosition(5), handicap=False)[0] == "boardsize 5"


def test_a_rectangle_in_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("f3\ng1\na4\nnew 3x5\nc5\nnew 9y9\nquit\n"))
    assert cli.main(["play", "random", "--size", "6x3", "--seed", "1"]) == 0
    text = capsys.readouterr().out
    assert "   A B C D E F\n" in text and "   A B C\n" in text
    assert "G1 is outside this 6x3 board" in text.replace("g1", "G1") and "9y9" in text


def test_a_rectangle_as_text_and_as_a_picture():
    position = some_game((4, 7), 10)
    assert "\n".join(board_lines(position)) == str(position)
    assert heatmap_array({}, (4, 7)).shape == (4, 7)
    assert 'width="204" height="156"' in board_svg(position)


@pytest.mark.parametrize("size, points", [
    (9, [(2, 2), (2, 6), (4, 4), (6, 2), (6, 6)]), ((9, 13), [(2, 3), (2, 6), (2, 9), (4, 6), (6, 3), (6, 6), (6, 9)]),
    ((5, 9), [(2, 4)]), ((4, 9), []), ((3, 19), []), ((8, 8), [(2, 2), (2, 5), (5, 2), (5, 5)])])
def test_star_points(size, points):
    assert sorted(star_points(size)) == points


# -- SGF

@pytest.mark.parametrize("text, shape", [("13:9", (9, 13)), ("9:13", (13, 9)), ("9:9", (9, 9)), ("9", (9, 9)),
                                         ("13x9", (9, 13)), ("2:19", (19, 2))])
def test_the_size_of_a_record_is_columns_and_rows(text, shape):
    record, = read_records(f"(;SZ[{text}]AB[ba:bb];W[aa];B[{'b' if shape[1] == 2 else 'i'}a])".encode())
    assert record.shape == shape
    assert len(record.setup) == 2 and len(record.moves) == 2


@pytest.mark.parametrize("shape", [(3, 6), (6, 3), (19, 2), (9, 9)])
def test_a_game_is_the_same_after_being_written_and_read(shape):
    position = some_game(shape, 25, 3)
    text = format_record(record_from_position(position))
    assert f"SZ[{shape[0]}]" in text if shape[0] == shape[1] else f"SZ[{shape[1]}:{shape[0]}]" in text
    record, = read_records(text.encode())
    assert record.shape == shape and str(position_of(record)) == str(position)
    game = tree.game_from_position(position)
    assert game["size"] == (shape[0] if shape[0] == shape[1] else f"{shape[1]}x{shape[0]}")
    assert requested_board(game).shape == shape


@pytest.mark.parametrize("size", ["9x", "", "9x9x9", "x", "20x5", "5x1"])
def test_a_wrong_size_of_a_json_game_is_one_line(size):
    with pytest.raises(BadInput, match="size|a board is 2x2 to 19x19"):
        requested_board({"name": "go", "size": size, "komi": 0})


# -- what needs a square board

@pytest.mark.parametrize("words, line", [
    (["gtp", "uct", "--size", "9x"], "'9x' is not a board size, such as 9, or 13x9 for 13 columns and 9 rows"),
    (["gtp", "uct", "--size", "1x9"], "a board is 2x2 to 19x19, not 1x9"),
    (["match", "random", "random", "--size", "20x9"], "a board is 2x2 to 19x19, not 20x9"),
    (["selfplay", "go", "--size", "9x13", "-o", "never"], "argument --size: invalid int value: '9x13'"),
])
def test_bad_sizes_are_one_line_and_status_2(words, line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:                 # argparse's, or of the status
        sys.exit(cli.main(words))
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert line in error.splitlines()[-1] and "Traceback" not in error


def test_a_network_of_gomoku_plays_no_rectangle(tmp_path, monkeypatch, capfd):
    (tmp_path / "commands").write_text("genmove b\nquit\n")
    with open(tmp_path / "commands") as commands:
        monkeypatch.setattr("sys.stdin", commands)
        cli.main(["gtp", "mcts", "--network", "gomoku-8-5", "--size", "8x9"])
    out, err = capfd.readouterr()
    assert out.startswith("? ") and "8x9" in out and "Traceback" not in err


def test_a_data_set_leaves_rectangles_out(tmp_path, capsys):
    (tmp_path / "a.sgf").write_text("(;SZ[9:5];B[ba];W[aa])")
    (tmp_path / "b.sgf").write_text("(;SZ[5];B[ba];W[aa];B[cc];W[dd])")
    assert cli.main(["preprocess", str(tmp_path), "-o", str(tmp_path / "set"), "--jobs", "1"]) == 2     # none left
    assert cli.main(["show", str(tmp_path / "set")]) == 0
    assert "unsupported board size" in capsys.readouterr().out
