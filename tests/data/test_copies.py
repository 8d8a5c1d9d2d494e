"""Copies of games with another opening, against brute force; and which differences make no copy."""
from dataclasses import replace

import numpy as np
import pytest
from random_records import dataset_of, random_record, transformed

from mugo.data.duplicates import find_copies
from mugo.data.game_hash import OPENING_MOVES
from mugo.games.coords import WHITE_BIT
from mugo.sgf.record import Record

SIZE = 13


@pytest.fixture(scope="module")
def game() -> Record:
    return random_record(1, SIZE, plies=100)


def with_moves(game: Record, order: list[int]) -> Record:
    return replace(game, moves=game.moves[order])


def other_opening(game: Record, moves: int = 100) -> Record:
    """The game with its first and third move exchanged."""
    return with_moves(game, [2, 1, 0, *range(3, moves)])


def copied(tmp_path, games: list[Record], others: list[Record], **options) -> list[bool]:
    """find_copies of games and others in one data set, none of which is rejected."""
    data = dataset_of(tmp_path, [*games, *others], min_moves=0, **options)
    assert len(data.used_games) == len(games) + len(others)
    every = data.selection()
    return find_copies(every.take(slice(len(games))), every.take(slice(len(games), None))).tolist()


@pytest.mark.parametrize("symmetry", [0, 3, 6])
@pytest.mark.parametrize("exchange_colours", [False, True])
def test_a_copy_with_another_opening_is_found_under_all_symmetries(tmp_path, game, symmetry, exchange_colours):
    copy = transformed(other_opening(game), symmetry, exchange_colours)
    unlike = random_record(2, SIZE, plies=100)
    assert copied(tmp_path, [copy, unlike], [game, random_record(3, SIZE, plies=100)]) == [True, False]


def test_a_copy_s_moves_41_to_80_may_have_another_order_and_its_end_may_differ(tmp_path, game):
    order = list(range(100))
    order[0], order[2], order[45], order[47] = 2, 0, 47, 45
    end = np.setdiff1d(np.arange(SIZE ** 2), game.moves % WHITE_BIT)[:4].astype(np.int16)
    copies = [with_moves(game, order), replace(game, moves=np.append(other_opening(game, 80).moves, end))]
    assert copied(tmp_path, copies, [game]) == [True, True]


def test_other_moves_after_the_opening_make_another_game(tmp_path, game):
    free = np.setdiff1d(np.arange(SIZE ** 2), game.moves % WHITE_BIT)[:2]
    others = []
    for k in (OPENING_MOVES, 2 * OPENING_MOVES - 1):
        moves = other_opening(game).moves.copy()
        moves[k] = free[0] | (moves[k] & WHITE_BIT)
        others.append(replace(game, moves=moves))
    assert copied(tmp_path, others, [game]) == [False, False]


def test_a_game_of_79_moves_has_no_continuation_to_compare(tmp_path, game):
    passes = np.array([SIZE ** 2 + WHITE_BIT, SIZE ** 2], np.int16)
    short = replace(game, moves=np.append(other_opening(game, 79).moves, passes))
    assert copied(tmp_path / "short", [short], [game]) == [False]
    assert copied(tmp_path / "long", [other_opening(game, 80)], [game]) == [True]
    also_short = replace(game, moves=np.append(game.moves[:79], passes))
    assert copied(tmp_path / "both", [short], [also_short]) == [False]


@pytest.mark.parametrize("length", [20, 39])
def test_a_game_broken_off_before_move_40_is_found_both_ways(tmp_path, game, length):
    short = transformed(with_moves(game, list(range(length))), 5, True)
    unlike = random_record(4, SIZE, plies=length)
    assert copied(tmp_path, [short, unlike], [game]) == [True, False]
    (tmp_path / "reverse").mkdir()
    assert copied(tmp_path / "reverse", [game, unlike], [short]) == [True, False]


def test_passes_at_the_end_of_a_short_game_do_not_count(tmp_path, game):
    passes = np.array([SIZE ** 2, SIZE ** 2 + WHITE_BIT], np.int16)
    short = replace(game, moves=np.append(game.moves[:24], passes))
    assert copied(tmp_path, [short], [game]) == [True]


def test_fewer_than_20_moves_are_the_beginning_of_many_games(tmp_path, game):
    assert copied(tmp_path, [with_moves(game, list(range(19)))], [game]) == [False]


def test_handicap_stones_and_board_sizes_distinguish_short_games(tmp_path):
    game = random_record(5, 9, plies=60)
    short = replace(game, moves=game.moves[:30])
    taken = set((game.moves % WHITE_BIT).tolist())
    stones = np.array([point for point in range(81) if point not in taken][:2], np.int16)
    assert copied(tmp_path, [replace(short, setup=stones), random_record(6, SIZE, plies=30)], [game]) == [False, False]
