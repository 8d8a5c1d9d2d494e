"""Rollouts: uniform moves are equally likely, MoGo's are the oracle's, the mercy rule changes no winner."""
import random
from collections import Counter

import numpy as np
import pytest
from drawing import assert_same_points, draw, named
from games.test_light_board import light_copy
from oracles import area, chain, diagonals, every_point, is_true_eye, neighbours, put
from sample_positions import ROOT, random_game

from mugo.games.board import BLACK, POINTS, WHITE, new_boards
from mugo.games.coords import PASS, board_points, point_at, row_col
from mugo.games.go import GoPosition
from mugo.games.light_board import self_atari
from mugo.games.patterns import matches_pattern
from mugo.games.rollouts import (
    MOGO, UNIFORM, add_ownership, atari_answers, max_moves, mercy_threshold, mogo_move, nearby_captures, random_move,
    random_below, roll_out)
from mugo.sgf.parser import read_records
from mugo.sgf.record_positions import position_of

both_kinds = pytest.mark.parametrize("kind", [UNIFORM, MOGO], ids=["uniform", "mogo"])


def roll_out_from(boards, scores, seed, kind, mercy):
    """Roll out boards[0] len(scores) times, each in boards[1], by a seed of its own; returns the number of moves."""
    moves, first_plays = 0, np.zeros(POINTS, np.int8)
    for i in range(len(scores)):
        boards[1] = boards[0]
        boards[1]["random"] = (seed + i) * 0x9E3779B97F4A7C15 % 2**64
        scores[i] = roll_out(boards[1], kind, mercy, first_plays)
        moves += int(boards[1]["moves"]) - int(boards[0]["moves"])
    return moves


def two_boards(position):
    boards = new_boards(2)
    boards[0] = position.board[0]
    return boards


def copy_of(position, seed):
    board = two_boards(position)[0]
    board["random"] = seed
    return board


def light_copy_of(position, seed=1):
    """The position on the board of rollouts, with pattern codes."""
    return light_copy(copy_of(position, seed))


def stones_of(board):
    """The stones as the oracles have them: {(row, col): colour}."""
    size = int(board["rows"])
    return {row_col(int(p), size): int(board["colour"][p]) for p in board_points(size) if board["colour"][p]}


def points_of(pairs, size):
    return {point_at(*pair, size) for pair in pairs}


def chi_square(counts, expected):
    """In units of its spread: about 0 for a fair count, 4 is not chance."""
    counts = np.asarray(counts)
    freedom = len(counts) - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5


@pytest.mark.parametrize("n", [1, 2, 3, 10, 81, 361])
def test_random_numbers_are_below_the_limit_and_equally_likely(n):
    board = copy_of(draw(". .\n. .")[0], 20160920)
    drawn = Counter(random_below(board, n) for _ in range(200 * n))
    assert set(drawn) <= set(range(n))
    if n > 1:
        assert chi_square([drawn[i] for i in range(n)], 200) < 4


def test_every_sensible_move_is_equally_likely():
    position, at = draw("""
        . X . O . .
        X X O O O .
        a O . . O b
        O O . X . .
        . . X c X O
        d . . X . .
    """)
    likely = position.sensible_points().tolist()
    assert set(likely) < set(position.legal_points().tolist())
    assert named(at, "c") & set(likely) == set(), "Black's own eye"
    drawn = Counter()
    for seed in range(1, 301 * len(likely)):
        drawn[random_move(light_copy_of(position, seed * 7919), BLACK)] += 1
    assert_same_points(position, drawn, likely, "moves drawn")
    assert chi_square([drawn[p] for p in likely], sum(drawn.values()) / len(likely)) < 4


def test_a_pass_is_drawn_where_no_move_is_sensible():
    position, _ = draw("""
        . X .
        X X X
        . X .
    """)
    assert {random_move(light_copy_of(position, seed), BLACK) for seed in range(1, 50)} == {PASS}
    assert {random_move(light_copy_of(position, seed), WHITE) for seed in range(1, 50)} == {PASS}


# -- rollouts of both kinds

@both_kinds
@pytest.mark.parametrize("size", [2, 3, 5, 9, 19])
def test_a_rollout_ends_where_neither_side_has_a_sensible_move(size, kind):
    for seed in range(1, 21):
        board = copy_of(GoPosition(size), seed * 7919)
        score = roll_out(board, kind, 0, np.zeros(POINTS, np.int8))
        stones = stones_of(board)
        assert score == area(size, stones)
        if board["passes"] < 2:
            assert board["moves"] == max_moves(size * size)
            continue
        left = {point for point in every_point(size) for colour in (BLACK, WHITE)
                if is_sensible(size, stones, point, colour)}
        # A ko may have forced the first pass, which then ended it: the point that was not to be retaken.
        assert len(left) <= 1 and all(is_ko_shaped(size, stones, point) for point in left)


def is_ko_shaped(size, stones, point):
    """Whether all neighbours of an empty point are of one colour, and one of them, alone, has no other liberty."""
    beside = [chain(size, stones, q) for q in neighbours(size, point) if q in stones]
    colours = {stones[q] for q in neighbours(size, point) if q in stones}
    return len(colours) == 1 and any(len(mine) == 1 and liberties == {point} for mine, liberties in beside)


@both_kinds
def test_the_same_seed_plays_the_same_games(kind):
    boards, scores = two_boards(GoPosition(9)), np.zeros((3, 50), np.int16)
    moves = roll_out_from(boards, scores[0], 42, kind, 0)
    end = boards[1].copy()
    assert roll_out_from(boards, scores[1], 42, kind, 0) == moves
    assert boards[1].tobytes() == end.tobytes()
    assert np.array_equal(scores[0], scores[1])
    roll_out_from(boards, scores[2], 43, kind, 0)
    assert np.array_equal(scores[2][:-1], scores[0][1:]), "each rollout has its own seed"
    assert boards[0]["moves"] == 0, "boards[0] is not changed"


@both_kinds
def test_rollouts_on_2x2_are_long_enough_for_black_to_win(kind):
    """Rollouts on 2x2 have many captures; stopped after 12 moves, Black would win only half of them."""
    scores = np.zeros(500, np.int16)
    roll_out_from(two_boards(GoPosition(2)), scores, 1, kind, 0)
    assert (scores == 4).mean() > 0.98


# -- MoGo's moves and their oracle

def is_sensible(size, stones, point, colour):
    """Legal, ko not checked, and no own true eye."""
    return (point not in stones and not is_true_eye(size, stones, point, colour)
            and put(size, stones, point, colour) is not None)


def self_atari_size(size, stones, point, colour):
    """The number of stones in atari after a legal move that captures nothing; else 0."""
    after = put(size, stones, point, colour)
    if len(after) <= len(stones):
        return 0
    mine, liberties = chain(size, after, point)
    return len(mine) if len(liberties) == 1 else 0


class MoGoOracle:
    """The moves of MoGo by definition: each method returns a set of (row, col)."""

    def __init__(self, position):
        self.board, self.colour = position.board[0], position.to_play
        self.size, self.stones = position.size, stones_of(position.board[0])
        self.last = row_col(position.last, self.size) if position.last else None

    def legal(self, points):
        ko = int(self.board["ko"])
        return {p for p in points if put(self.size, self.stones, p, self.colour) is not None
                and point_at(*p, self.size) != ko}

    def captures_of(self, points):
        """The last liberties of opponent chains in atari on these points."""
        chains = [chain(self.size, self.stones, p)[1] for p in points if self.stones.get(p) == -self.colour]
        return self.legal(next(iter(liberties)) for liberties in chains if len(liberties) == 1)

    def atari_answers(self):
        if not self.last:
            return set()
        found = self.captures_of([self.last])
        for near in neighbours(self.size, self.last):
            if self.stones.get(near) != self.colour:
                continue
            mine, liberties = chain(self.size, self.stones, near)
            if len(liberties) == 1:
                found |= self.captures_of(p for stone in mine for p in neighbours(self.size, stone))
                found |= {p for p in self.legal(liberties) if is_sensible(self.size, self.stones, p, self.colour)
                          and not self_atari_size(self.size, self.stones, p, self.colour)}
        return found

    def pattern_points(self):
        around = (*neighbours(self.size, self.last), *diagonals(self.size, self.last)) if self.last else ()
        return {p for p in self.legal(around) if matches_pattern(self.board, point_at(*p, self.size), self.colour)
                and not self_atari_size(self.size, self.stones, p, self.colour)}

    def captures(self):
        if not self.last:
            return set()
        return self.captures_of((*neighbours(self.size, self.last), *diagonals(self.size, self.last)))

    def others(self):
        sensible = {p for p in self.legal(every_point(self.size))
                    if is_sensible(self.size, self.stones, p, self.colour)}
        safe = {p for p in sensible if self_atari_size(self.size, self.stones, p, self.colour) < 2}
        return safe or sensible

    def moves(self):
        """The first of these sets that is not empty, as points; else a pass."""
        found = self.atari_answers() or self.pattern_points() or self.captures() or self.others()
        return points_of(found, self.size) or {PASS}


def mogo_moves(position, draws=60):
    """The set of moves in a number of draws."""
    moves = np.zeros(POINTS, np.int16)
    board = light_copy_of(position, 20160920)
    return {mogo_move(board, position.to_play, moves) for _ in range(draws)}


@pytest.mark.parametrize("size", [2, 3, 5, 7, 9])
def test_mogos_moves_are_the_oracles(size):
    rng = random.Random(size)
    moves = np.zeros(POINTS, np.int16)
    for _ in range(20 // size + 1):
        for position in list(random_game(rng, size))[::4]:
            board, oracle = light_copy_of(position), MoGoOracle(position)
            n = atari_answers(board, position.last, position.to_play, moves) if position.last else 0
            assert_same_points(position, moves[:n], points_of(oracle.atari_answers(), size), "answers")
            n = nearby_captures(board, position.last, position.to_play, moves) if position.last else 0
            assert_same_points(position, moves[:n], points_of(oracle.captures(), size), "captures")
            likely = oracle.moves()
            assert_same_points(position, mogo_moves(position, 20 * len(likely)), likely, "moves")


def test_self_ataris_are_the_oracles():
    rng = random.Random(8)
    for size in (3, 5, 9):
        for position in list(random_game(rng, size))[::6]:
            stones, board = stones_of(position.board[0]), light_copy_of(position)
            for colour in (BLACK, WHITE):
                for point in every_point(size):
                    if point not in stones and put(size, stones, point, colour) is not None:
                        seen = self_atari(board, point_at(*point, size), colour)
                        assert min(seen, 2) == min(self_atari_size(size, stones, point, colour), 2)


# -- mercy and ownership

def test_the_mercy_rule_changes_hardly_any_winner():
    """The same rollouts with and without the rule, from the empty board and from the middle of a game."""
    record, = read_records((ROOT / "data" / "gnugo-9x9-000.sgf").read_bytes())
    for plies in (0, 10, 20, 30):
        boards = two_boards(position_of(record, plies))
        for kind in (UNIFORM, MOGO):
            scores, moves = np.zeros((2, 2000), np.int16), [0, 0]
            for i, mercy in enumerate((0, mercy_threshold(9, record.komi))):
                moves[i] = roll_out_from(boards, scores[i], 1, kind, mercy)
            won = scores > record.komi
            assert (won[0] != won[1]).mean() <= 0.002
            assert moves[1] < moves[0]


def test_the_mercy_rule_returns_the_difference_in_stones():
    stopped = 0
    for seed in range(1, 101):
        board = copy_of(GoPosition(9), seed * 7919)
        score = roll_out(board, MOGO, 10, np.zeros(POINTS, np.int8))
        if board["passes"] < 2:
            stopped += 1
            assert score == sum(stones_of(board).values())
            assert abs(score) >= 10
    assert stopped > 50


def test_the_ownership_of_an_ended_rollout():
    position, _ = draw("""
        . X . O .
        X X O O O
        . X O . O
        X . X O O
        . X O . .
    """)
    ownership = np.zeros(POINTS, np.int32)
    for _ in range(2):
        add_ownership(position.board[0], ownership)
    assert (ownership[board_points(5)].reshape(5, 5) / 2).tolist() == [
        [1, 1, 0, -1, -1],
        [1, 1, -1, -1, -1],
        [1, 1, -1, -1, -1],
        [1, 1, 1, -1, -1],
        [1, 1, -1, -1, -1],
    ]
    assert ownership.sum() == ownership[board_points(5)].sum(), "nothing off the board"
