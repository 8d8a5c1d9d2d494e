"""Small data for tests: games of random moves, their copies, and data sets of them."""
from dataclasses import replace

import numpy as np
from sample_positions import encoded_game

from mugo.data.dataset import DataSet
from mugo.data.positions import Batch
from mugo.data.preprocess import preprocess
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, WHITE_BIT, symmetries
from mugo.games.go import GoPosition
from mugo.sgf.record import Record
from mugo.sgf.record_positions import position_of
from mugo.sgf.convert import format_record


def random_record(seed: int, size: int = 9, plies: int = 60, after: Record | None = None, **properties) -> Record:
    """A legal game of random moves that fill no own eyes, with a made-up winner.  after: a game that it begins with."""
    rng = np.random.default_rng(seed)
    position = position_of(after) if after else GoPosition(size)
    while position.plies < plies and len(points := position.sensible_points()):
        position = position.play(int(rng.choice(points)))
    properties = {"result": "B+R" if seed % 2 else "W+2.5", "komi": 6.5, "black": f"player {seed % 3}",
                  "white": "somebody", "black_rank": f"{seed % 9 + 1}d", "date": f"{2000 + seed}-01-02"} | properties
    return Record(shape=(size, size), setup=np.zeros(0, np.int16), moves=encoded_game(position)[1], first_player=BLACK,
                  **properties)


def finished_record(seed: int, handicap: tuple[int, ...] = (), **properties) -> Record:
    """A random game on 9x9 to its end, two passes, with its result by area; every stone left is alive.

    handicap: indices of the points with Black's stones.
    """
    start = Record((9, 9), np.array(handicap, np.int16), np.zeros(0, np.int16), WHITE if handicap else BLACK,
                   handicap=len(handicap), **{"rules": "Tromp-Taylor", "komi": 6.5, "date": f"{2000 + seed}"}
                   | properties)
    rng, position = np.random.default_rng(seed), position_of(start)
    while not position.is_over:
        points = position.sensible_points()
        position = position.play(int(rng.choice(points)) if len(points) else PASS)
    return replace(start, moves=encoded_game(position)[1], result=position.result())


def write_games(folder, seeds, size: int = 9, plies: int = 60) -> None:
    """Random games as SGF files, one for each seed."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (folder / f"game-{seed:03d}.sgf").write_text(format_record(random_record(seed, size, plies)), encoding="utf-8")


def transformed(record: Record, symmetry: int, exchange_colours: bool = False) -> Record:
    """The copy of a game under a symmetry, 0 to 7, of the board, with the colours exchanged if asked."""
    colour_flip = WHITE_BIT if exchange_colours else 0
    moves = symmetries(record.size)[symmetry][record.moves & (WHITE_BIT - 1)] | (record.moves & WHITE_BIT ^ colour_flip)
    first_player = -record.first_player if exchange_colours else record.first_player
    return replace(record, moves=moves.astype(np.int16), first_player=first_player)


def batch_of(targets: list[int], outcomes: list[int], size: int = 9) -> Batch:
    """A batch of empty planes, of which only the moves played, the outcomes and komi, 0, are known."""
    n, points = len(targets), size ** 2
    unknown = np.full(n, np.nan, np.float32)
    return Batch(np.zeros((n, points, 6), np.uint8), np.array(targets, np.int32), np.array(outcomes, np.int8),
                 np.ones(n, np.int8), np.zeros(n, np.float32), np.full((n, 2), -1, np.int32),
                 np.zeros((n, points), np.int8), unknown, np.zeros(n, np.float32), np.full((n, 4), np.nan, np.float32))


def dataset_of(tmp_path, records: list[Record | str], **options) -> DataSet:
    """A data set of records, or of SGF texts, in files 000.sgf, 001.sgf, ...; options: of `preprocess`."""
    folder = tmp_path / "sgf"
    folder.mkdir(parents=True)
    for i, record in enumerate(records):
        text = record if isinstance(record, str) else format_record(record)
        (folder / f"{i:03d}.sgf").write_text(text, encoding="utf-8")
    return preprocess([str(folder)], tmp_path / "set", jobs=1, **options)
