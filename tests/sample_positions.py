"""Games for tests of the rules and planes: random ones and recorded ones, transformed, or replayed by the oracle."""
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from oracles import Game, Stones

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, WHITE_BIT, BoardSize, board_points, move_index, point_of_index, row_col, symmetries
from mugo.games.go import GoPosition
from mugo.games.position import BasePosition
from mugo.sgf.archives import SgfFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.sources import find_sources, read_files

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT.parent / "shared" / "games", ROOT / "data")     # the first that exists is used


def random_game(rng: random.Random, size: BoardSize, turns: float = 0) -> Iterator[GoPosition]:
    """Every position of a random legal game, with some passes and some moves that fill own eyes.

    turns: the probability that the turn goes to the other side, which occurs in recorded games.
    """
    position = GoPosition(size)
    for _ in range(3 * position.area):
        yield position
        if rng.random() < turns:
            position = position.with_turn(-position.to_play)
        points = position.legal_points() if rng.random() < 0.2 else position.sensible_points()
        passes = len(points) == 0 or rng.random() < 0.02
        position = position.play(PASS if passes else int(rng.choice(points.tolist())))
        if position.is_over:
            break
    yield position


def recorded_games(count: int) -> Iterator[Record]:
    """About `count` recorded games of people or of GNU Go, the same number from each archive."""
    for folder in FOLDERS:
        archives = find_sources([folder]) if folder.is_dir() else []
        if archives:
            each = -(-count // len(archives))
            for archive in archives:
                yield from islice(_records(archive), each)
            return
    pytest.skip("no game records here")


def _records(archive) -> Iterator[Record]:
    for text in read_files(archive):
        if isinstance(text, SgfFile):
            for record in read_records(text.data):
                if isinstance(record, Record) and len(record.moves) > 20:
                    yield record


def stones_of(position: GoPosition) -> Stones:
    """The stones as oracles.py has them."""
    stones = position.stones
    return {(row, col): int(stones[row, col]) for row, col in zip(*map(np.ndarray.tolist, np.nonzero(stones)),
                                                                strict=True)}


def oracle_game(position: GoPosition) -> Game:
    """The game so far, replayed by oracles.py."""
    start = next(position.positions())
    game = Game(position.shape, stones_of(start), start.to_play)
    for colour, point in position.moves:
        game.play(row_col(point, position.shape), colour)
    game.to_play = position.to_play
    return game


def transformed(position: GoPosition, symmetry: int = 0, swapped: bool = False) -> GoPosition:
    """The whole game in a row of coords.symmetries, with the colours exchanged if `swapped`."""
    size, sign = position.shape, -1 if swapped else 1
    permutation = symmetries(size)[symmetry]

    def transform(point):
        return point_of_index(int(permutation[move_index(int(point), size)]), size)

    start = next(position.positions())
    colours = start.stones.ravel() * sign
    stones = [[transform(p) for p in board_points(size)[colours == colour]] for colour in (BLACK, WHITE)]
    other = GoPosition(size, position.komi).with_stones(*stones, to_play=sign * start.to_play)
    for colour, point in position.moves:
        other = other.play(transform(point), sign * colour)
    return other.with_turn(sign * position.to_play)


def encoded_game(position: GoPosition) -> tuple[np.ndarray, np.ndarray]:
    """(setup, moves) of the game so far, int16, encoded as in data sets."""
    size = position.shape

    def code(colour, point):
        return move_index(int(point), size) + (WHITE_BIT if colour == WHITE else 0)

    stones = next(position.positions()).stones.ravel()
    setup = [code(colour, point) for point, colour in zip(board_points(size), stones, strict=True) if colour]
    return np.array(setup, np.int16), np.array([code(*move) for move in position.moves], np.int16)


def wins_at_once(position: BasePosition) -> set[int]:
    """The points on which the side to move wins at once, each tried."""
    return {point for point in position.legal_points().tolist() if position.play(point).winner}
