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
from small_games import random_game

from mugo.data import dataset, game_hash
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
