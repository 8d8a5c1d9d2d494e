"""`game_hash.game_hashes` against brute force.

The brute force is that of benchmarks/duplicates.py: plain Python that tries all sixteen copies.
"""
import importlib.util
import itertools
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_records import dataset_of, random_record, transformed
from small_games import random_game

from mugo.data import dataset, game_hash
from mugo.data.duplicates import find_copies
from mugo.data.game_hash import OPENING_MOVES
from mugo.data.preprocess import preprocess
from mugo.games.coords import symmetries, WHITE_BIT
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.sources import find_sources, read_files
from mugo.sgf.convert import format_record

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def duplicates():
    spec = importlib.util.spec_from_file_location("duplicates", ROOT / "benchmarks" / "duplicates.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sample_games() -> list[Record]:
    """Thirty of the sample games on 9x9, thirty on 19x19, and five with handicap stones anywhere; none short."""
    games = []
    for name in ("gnugo-9x9.zip", "gnugo-19x19.tar.gz"):
        source, = find_sources([str(ROOT / "data" / name)])
        records = (record for text in read_files(source) for record in read_records(text.data))
        games += itertools.islice((record for record in records if len(record.moves) > 50), 30)
    rng = np.random.default_rng(1)
    return games + [next(read_records(random_game(9, 3, 60, rng).sgf.encode())) for _ in range(5)]


def copy(tables, game: Record, number: int, plies: int | None = None) -> Record:
    """A copy of a game, by the tables of the brute force; 0 is the game itself, odd ones have the colours exchanged."""
    table = tables[number]
    return replace(game, setup=np.array([table[stone] for stone in game.setup.tolist()], np.int16),
                   moves=np.array([table[move] for move in game.moves.tolist()[:plies]], np.int16),
                   first_player=game.first_player if number % 2 == 0 else -game.first_player)


def opening_of(game: Record) -> int:
    return int(game_hash.game_hashes(game.size, game.setup, game.moves, symmetries(game.size))[1])


def test_opening_hashes_are_equal_exactly_where_brute_force_finds_copies(duplicates, sample_games):
    """Games, copies of them, and copies with one move changed: both methods find the same classes."""
    rng = np.random.default_rng(2)
    games = []
    for game in sample_games:
        tables = duplicates.copy_tables(game.size)
        changed = game.moves.copy()
        k = int(rng.integers(game_hash.OPENING_MOVES))
        changed[k] = rng.integers(game.size ** 2) | (changed[k] & WHITE_BIT)
        games += [game, copy(tables, game, int(rng.integers(16)), 100), replace(game, moves=changed),
                  copy(tables, replace(game, moves=changed), int(rng.integers(16)))]
    classes, prints = defaultdict(set), defaultdict(set)
    for game in games:
        moves = duplicates.strip_passes(game.size, game.moves.tolist())[:game_hash.OPENING_MOVES]
        brute = duplicates.canonical(game.size, game.setup.tolist(), moves, duplicates.copy_tables(game.size))
        classes[brute].add(opening_of(game))
        prints[opening_of(game)].add(brute)
    assert len(classes) >= 1.5 * len(sample_games)
    assert all(len(found) == 1 for found in [*classes.values(), *prints.values()])


@pytest.fixture(scope="module")
def copied(duplicates, sample_games, tmp_path_factory) -> dataset.DataSet:
    """The sample games and two copies of each, which are truncated or continue differently after the opening."""
    folder = tmp_path_factory.mktemp("copied")
    rng = np.random.default_rng(3)
    (folder / "sgf").mkdir()
    for i, game in enumerate(sample_games):
        tables = duplicates.copy_tables(game.size)
        passed = np.concatenate([game.moves[:44], [game.size ** 2 | (int(game.moves[44]) & WHITE_BIT)]])
        for k, other in enumerate((game, copy(tables, game, int(rng.integers(16)), 50),
                                   copy(tables, replace(game, moves=np.append(passed, game.moves[45])),
                                        int(rng.integers(16))))):
            (folder / "sgf" / f"{i:02d}-{k}.sgf").write_text(format_record(other), encoding="utf-8")
    return preprocess([str(folder / "sgf")], folder / "set", jobs=1, test=0.4, validation=0.0)


def test_no_copy_of_a_training_game_is_in_the_test_split(duplicates, copied):
    games = copied.used_games
    assert len(games) > len({name[:2] for name in games["file"].str[-8:]})           # some copies are used
    test, train = (list(duplicates.canonical_openings(copied.selection(split).arrays())) for split in ("test", "train"))
    assert min(len(test), len(train)) > 20
    assert duplicates.copies_between(test, train) == (0, 0)


SIZE = 13


@pytest.fixture(scope="module")
def game() -> Record:
    return random_record(1, SIZE, plies=100)


def with_moves(game: Record, order: list[int]) -> Record:
    return replace(game, moves=game.moves[order])


def other_opening(game: Record, moves: int = 100) -> Record:
    """The game with its first and third move exchanged."""
    return with_moves(game, [2, 1, 0, *range(3, moves)])


def copies_found(tmp_path, games: list[Record], others: list[Record], **options) -> list[bool]:
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
    assert copies_found(tmp_path, [copy, unlike], [game, random_record(3, SIZE, plies=100)]) == [True, False]


def test_a_copy_s_moves_41_to_80_may_have_another_order_and_its_end_may_differ(tmp_path, game):
    order = list(range(100))
    order[0], order[2], order[45], order[47] = 2, 0, 47, 45
    end = np.setdiff1d(np.arange(SIZE ** 2), game.moves % WHITE_BIT)[:4].astype(np.int16)
    copies = [with_moves(game, order), replace(game, moves=np.append(other_opening(game, 80).moves, end))]
    assert copies_found(tmp_path, copies, [game]) == [True, True]


def test_other_moves_after_the_opening_make_another_game(tmp_path, game):
    free = np.setdiff1d(np.arange(SIZE ** 2), game.moves % WHITE_BIT)[:2]
    others = []
    for k in (OPENING_MOVES, 2 * OPENING_MOVES - 1):
        moves = other_opening(game).moves.copy()
        moves[k] = free[0] | (moves[k] & WHITE_BIT)
        others.append(replace(game, moves=moves))
    assert copies_found(tmp_path, others, [game]) == [False, False]


def test_a_game_of_79_moves_has_no_continuation_to_compare(tmp_path, game):
    passes = np.array([SIZE ** 2 + WHITE_BIT, SIZE ** 2], np.int16)
    short = replace(game, moves=np.append(other_opening(game, 79).moves, passes))
    assert copies_found(tmp_path / "short", [short], [game]) == [False]
    assert copies_found(tmp_path / "long", [other_opening(game, 80)], [game]) == [True]
    also_short = replace(game, moves=np.append(game.moves[:79], passes))
    assert copies_found(tmp_path / "both", [short], [also_short]) == [False]


@pytest.mark.parametrize("length", [20, 39])
def test_a_game_broken_off_before_move_40_is_found_both_ways(tmp_path, game, length):
    short = transformed(with_moves(game, list(range(length))), 5, True)
    unlike = random_record(4, SIZE, plies=length)
    assert copies_found(tmp_path, [short, unlike], [game]) == [True, False]
    (tmp_path / "reverse").mkdir()
    assert copies_found(tmp_path / "reverse", [game, unlike], [short]) == [True, False]


def test_fewer_than_20_moves_are_the_beginning_of_many_games(tmp_path, game):
    assert copies_found(tmp_path, [with_moves(game, list(range(19)))], [game]) == [False]


def test_handicap_stones_and_board_sizes_distinguish_short_games(tmp_path):
    game = random_record(5, 9, plies=60)
    short = replace(game, moves=game.moves[:30])
    taken = set((game.moves % WHITE_BIT).tolist())
    stones = np.array([point for point in range(81) if point not in taken][:2], np.int16)
    others = [replace(short, setup=stones), random_record(6, SIZE, plies=30)]
    assert copies_found(tmp_path, others, [game]) == [False, False]
