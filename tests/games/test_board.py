"""The rules on a board: drawn positions, known counts, and the oracles at every move of many games.

Superko, handicap and results: test_go.  Compiled code does not check array bounds.  With checks, compiled again:

    NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(mktemp -d) pytest tests/games
"""
import random
from itertools import product

import numpy as np
import pytest
from drawing import assert_same_points, assert_same_stones
from oracles import chain, every_point, put
from oracles import is_true_eye as oracle_is_true_eye
from sample_positions import encoded_game, random_game, recorded_games, stones_of
from sgfmill import boards as sgfmill_boards

from mugo.games.board import (
    BLACK, EMPTY, KO, LEGAL, OCCUPIED, SUICIDE, WHITE, clear, index_of, is_true_eye, legality, new_boards, play,
    set_to_play, zobrist)
from mugo.games.coords import PASS, WHITE_BIT, board_points, move_index, point_at, row_col
from mugo.games.go import GoPosition
from mugo.games.history import decode, set_up

# -- eyes

def true_eyes(position, colour):
    points = board_points(position.size)
    empty = points[(position.stones == EMPTY).ravel()]
    return [p for p in empty if is_true_eye(position.board[0], p, colour)]


# -- setting up

def test_set_up_stops_at_the_first_impossible_stone():
    board = new_boards(1)
    for stones, placed in [
        ([0, 1 + WHITE_BIT], 2),
        ([0, 0], 1),
        ([0, 0 + WHITE_BIT], 1),
        ([1 + WHITE_BIT, 5 + WHITE_BIT, 0], 2),                     # suicide on 5x5
        ([0, 1 + WHITE_BIT, 5 + WHITE_BIT], 2),                     # it would capture a stone
        ([25], 0), ([24, 26], 1), ([511], 0),                       # a pass, and off the board
    ]:
        clear(board[0], 5, 5)
        assert set_up(board[0], np.array(stones, np.int16)) == placed
    for off_the_board in (361, 362, 380, 400, 511):
        clear(board[0], 19, 19)
        assert set_up(board[0], np.array([off_the_board], np.int16)) == 0


# -- known numbers: https://tromp.github.io/go/legal.html

@pytest.mark.parametrize("size, legal", [(2, 57), (3, 12_675)])
def test_the_number_of_legal_positions_is_the_known_one(size, legal):
    board = new_boards(1)
    found = 0
    for colours in product((EMPTY, BLACK, WHITE), repeat=size * size):
        encoded = [i + (WHITE_BIT if c == WHITE else 0) for i, c in enumerate(colours) if c != EMPTY]
        clear(board[0], size, size)
        found += set_up(board[0], np.array(encoded, np.int16)) == len(encoded)
    assert found == legal


@pytest.mark.parametrize("size, depth", [(2, 6), (3, 3)])
def test_the_number_of_move_sequences_is_the_oracles(size, depth):
    """All sequences of moves without passes; on 2x2 long enough for captures, kos and repetitions."""
    def count(position, left):
        if left == 0:
            return 1
        return sum(count(position.play(p), left - 1) for p in position.legal_points().tolist())

    def count_by_oracle(past, colour, left):
        if left == 0:
            return 1
        boards = (put(size, past[-1], p, colour) for p in every_point(size))
        return sum(count_by_oracle([*past, board], -colour, left - 1)
                   for board in boards if board is not None and board not in past)

    assert count(GoPosition(size), depth) == count_by_oracle([{}], BLACK, depth)


# -- against oracles

@pytest.mark.parametrize("size, games, every", [
    (2, 20, 1), (3, 15, 1), (5, 8, 1), (7, 3, 1), (9, 2, 2), (13, 1, 6), (19, 1, 60),
])
def test_chains_liberties_and_legality_are_the_oracles(size, games, every):
    """At every move of random games; on large boards, where the oracle is slow, at some of them."""
    rng = random.Random(size)
    for _ in range(games):
        for position in random_game(rng, size):
            if position.plies % every == 0:
                assert_board_is_sound(position)


@pytest.mark.parametrize("size, games", [(2, 30), (3, 30), (5, 20), (9, 8), (13, 3), (19, 2)])
def test_random_games_have_the_boards_of_sgfmill(size, games):
    rng = random.Random(100 + size)
    for _ in range(games):
        *_, last = random_game(rng, size)
        assert follow_with_sgfmill(size, (), encoded_game(last)[1]) == last.plies


def test_real_games_have_the_boards_of_sgfmill():
    for record in recorded_games(40):
        follow_with_sgfmill(record.size, record.setup, record.moves)


def follow_with_sgfmill(size, setup, moves):
    """Play encoded moves on both boards, comparing stones, ko and captures at each; returns how many.

    Stops at a move that mugo's rules forbid, and checks that sgfmill has the same reason.
    """
    position = GoPosition(size)
    ours = new_boards(1)
    ours[0] = position.board[0]
    board = ours[0]
    theirs = sgfmill_boards.Board(size)
    assert set_up(board, np.array(setup, np.int16)) == len(setup)
    for stone in setup:
        point, colour = decode(board, stone)
        assert theirs.play(*from_below(point, size), NAMES[colour]) is None
    points = board_points(size)
    ko = None
    for number, move in enumerate(moves):
        point, colour = decode(board, move)
        set_to_play(board, colour)
        reason = legality(board, point, colour) if point else LEGAL
        if reason != LEGAL:
            at = from_below(point, size)
            assert reason == (OCCUPIED if theirs.get(*at) else KO if at == ko else SUICIDE)
            if reason == SUICIDE:
                theirs.play(*at, NAMES[colour])
                assert theirs.get(*at) is None
            return number
        ko = theirs.play(*from_below(point, size), NAMES[colour]) if point else None
        play(board, point, colour)
        expected = np.zeros((size, size), np.int8)
        for name, (row, col) in theirs.list_occupied_points():
            expected[size - 1 - row, col] = BLACK if name == "b" else WHITE
        stones = board["colour"][points].reshape(size, size)
        assert_same_stones(stones, expected, f"after move {number + 1}")
        assert (from_below(board["ko"], size) if board["ko"] else None) == ko, f"ko after move {number + 1}"
    return len(moves)


NAMES = {BLACK: "b", WHITE: "w"}


def from_below(point, size):
    """sgfmill counts rows from the bottom."""
    row, col = row_col(int(point), size)
    return size - 1 - row, col


def assert_board_is_sound(position):
    """Chains, liberties, hash, empty points, legality and eyes are those of the oracles."""
    size, board, stones = position.size, position.board[0], stones_of(position)
    assert_counts_are_right(position)
    for colour in (BLACK, WHITE):
        legal, expected, eyes = set(), set(), set()
        for point in every_point(size):
            p = point_at(*point, size)
            answer = legality(board, p, colour)
            if answer == LEGAL or answer == KO:
                legal.add(p)
            board_after = put(size, stones, point, colour)
            if board_after is not None:
                expected.add(p)
                if answer == KO:
                    assert colour == position.to_play and board_after == stones_of(position.undo())
            if point not in stones and oracle_is_true_eye(size, stones, point, colour):
                eyes.add(p)
        assert_same_points(position, legal, expected, f"legal for {colour} but for ko")
        assert_same_points(position, true_eyes(position, colour), eyes, f"true eyes of {colour}")


def assert_counts_are_right(position):
    size, board, stones = position.size, position.board[0], stones_of(position)
    hashed = np.uint64(0)
    seen = set()
    for point, colour in stones.items():
        hashed ^= zobrist(point_at(*point, size), colour)
        if point in seen:
            continue
        found, liberties = chain(size, stones, point)
        seen |= found
        assert liberties
        points = {point_at(*stone, size) for stone in found}
        head = int(board["head"][min(points)])
        assert_same_points(position, {p for p in board_points(size).tolist() if p in points or (
            board["colour"][p] == colour and board["head"][p] == head)}, points, "the chain")
        assert {int(board["head"][p]) for p in points} == {head} and head in points
        ring, p = [], head
        while not ring or p != head:
            ring.append(p)
            p = int(board["next"][p])
            assert len(ring) <= len(points)
        assert set(ring) == points
        assert board["stones"][head] == len(points)
        assert board["liberties"][head] == len(liberties)
    assert board["hash"] == hashed
    empty = {point_at(*p, size) for p in every_point(size) if p not in stones}
    assert board["n_empty"] == len(empty)
    assert_same_points(position, board["empties"][:board["n_empty"]], empty, "the empty points")
    assert all(board["empties"][board["slot"][p]] == p for p in empty)


@pytest.mark.parametrize("size", [2, 9, 19])
def test_the_move_index_of_every_point_and_of_a_pass(size):
    board = GoPosition(size).board[0]
    for point in [*board_points(size).tolist(), PASS]:
        assert index_of(board, point) == move_index(point, size)
