"""The board of rollouts and the board with true liberties are the same board: random games on both."""
import random

import numpy as np
import pytest
from drawing import draw

from mugo.games import board as true_board
from mugo.games import light_board
from mugo.games.area import area_score
from mugo.games.board import BLACK, EMPTY, WHITE, new_boards
from mugo.games.coords import PASS, board_points
from mugo.games.go import GoPosition
from mugo.games.light_board import LIGHT_BOARD
from mugo.games.patterns import code_around
from mugo.games.rollouts import MOGO, UNIFORM, mogo_move, random_move, roll_out


def light_copy(board):
    light = np.zeros(1, LIGHT_BOARD)[0]
    light_board.copy_position(board, light)
    light_board.set_codes(light)
    return light


def atari_liberty(board, p):
    """The only liberty of the chain on p by the board with true liberties; 0 if it has more."""
    h, w = int(board["head"][p]), int(board["width"])
    if board["liberties"][h] != 1:
        return 0
    stones = [q for q in board_points(int(board["rows"])) if board["colour"][q] == board["colour"][p]
              and board["head"][q] == h]
    liberty, = {q + d for q in stones for d in (-w, -1, 1, w) if board["colour"][q + d] == EMPTY}
    return liberty


def assert_same(light, board, codes=True):
    """Both boards have the same stones, empty points, chains, ataris, legal moves, eyes and patterns."""
    points = board_points(int(board["rows"]))
    for name in ("rows", "width", "ko", "n_empty"):
        assert light[name] == board[name], name
    n = int(board["n_empty"])
    assert light["empties"][:n].tolist() == board["empties"][:n].tolist(), "in the same order"
    assert (light["colour"] == board["colour"]).all()
    for p in points:
        if board["colour"][p] != EMPTY:
            assert (light["head"][p], light["next"][p]) == (board["head"][p], board["next"][p])
            assert light["stones"][light["head"][p]] == board["stones"][board["head"][p]]
            assert light_board.atari_liberty(light, p) == atari_liberty(board, p)
            continue
        assert light["head"][p] == 0
        assert light["slot"][p] == board["slot"][p]
        assert light_board.is_legal(light, p, board["to_play"]) == true_board.is_legal(board, p, board["to_play"])
        beside = [board["colour"][p + d] for d in (-board["width"], -1, 1, board["width"])]
        assert light_board.empty_neighbours(light, p) == beside.count(EMPTY)
        for c in (BLACK, WHITE):
            assert light_board.is_true_eye(light, p, c) == true_board.is_true_eye(board, p, c)
            assert (light_board.owner(light, p) == c) == (set(beside) <= {c, true_board.BORDER})
            if codes:
                assert light_board.pattern_code(light, p, c) == code_around(board, p, c)


def play_on_both(light, board, point, codes):
    colour = int(board["to_play"])
    captured = true_board.play(board, point, colour)
    if point == PASS:
        light["ko"], light["last"] = 0, PASS
    else:
        assert light_board.play(light, point, colour, codes) == captured
        assert light["last"] == point


@pytest.mark.parametrize("size, games, every", [(2, 30, 1), (3, 10, 1), (5, 6, 2), (9, 3, 7), (19, 1, 61)])
@pytest.mark.parametrize("with_codes", [False, True], ids=["uniform", "mogo"])
def test_random_games_are_the_same_on_both_boards(size, games, every, with_codes):
    """Every move of the game is played on both; after some moves a new light board is made, too."""
    rng = random.Random(size)
    moves = np.zeros(true_board.POINTS, np.int16)
    captures = 0
    for _ in range(games):
        board = GoPosition(size).board[0].copy()
        board["random"] = rng.getrandbits(60) + 1
        light = light_copy(board)
        for ply in range(3 * size * size):
            colour = int(board["to_play"])
            drawn = mogo_move(light, colour, moves) if with_codes else random_move(light, colour)
            board["empties"], board["slot"] = light["empties"], light["slot"]       # drawing has shuffled them
            play_on_both(light, board, int(drawn), light["codes"] if with_codes else None)
            if board["passes"] == 2:
                break
            if ply % every == 0:
                assert_same(light, board, with_codes)
                assert_same(light_copy(board), board)
        captures += int(board["black_captures"] + board["white_captures"])
    assert captures > games * size


@pytest.mark.parametrize("kind", [UNIFORM, MOGO], ids=["uniform", "mogo"])
@pytest.mark.parametrize("size, games", [(2, 30), (5, 10), (9, 3)])
def test_rollouts_are_the_games_of_the_board_with_true_liberties(size, games, kind):
    """The same random numbers give the same moves, the same last position and its area score."""
    moves = np.zeros(true_board.POINTS, np.int16)
    for seed in range(1, games + 1):
        boards = new_boards(2)
        boards[:] = GoPosition(size).board[0]
        boards["random"] = seed * 7919
        board, rolled_out = boards
        score = roll_out(rolled_out, kind, 0, np.zeros(true_board.POINTS, np.int8))
        for _ in range(int(rolled_out["moves"])):
            light = light_copy(board)                                # its chains are of the board with true liberties
            colour = int(board["to_play"])
            drawn = mogo_move(light, colour, moves) if kind == MOGO else random_move(light, colour)
            board["random"], board["empties"], board["slot"] = light["random"], light["empties"], light["slot"]
            true_board.play(board, int(drawn), colour)
        for name in ("random", "moves", "passes", "to_play", "n_empty"):
            assert rolled_out[name] == board[name], name
        assert (rolled_out["colour"] == board["colour"]).all()
        assert score == area_score(board)


def test_liberties_on_both_sides_of_an_empty_point_are_not_that_point():
    """The mean of the three liberties is b, which is empty and one of them."""
    position, at = draw("""
        . . . . .
        . a b c .
        O X X X O
        O O O O O
        . . . . .
    """)
    light = light_copy(position.board[0])
    assert int(light["liberties"][light["head"][at["b"] + 6]]) == 3 << 20 | 3 * at["b"]
    assert light_board.atari_liberty(light, at["b"] + 6) == 0
