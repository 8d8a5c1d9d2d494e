"""A data set: games on disk at two bytes a move, and positions drawn from them at random.

    games.parquet   one row a game; those not used too, with their reason
    moves.npy       int16: the coded moves (coords.py) of all used games, end to end
    setup.npy       int16: their coded setup stones, likewise
    meta.json       format, options, sources with checksums, counts

No planes are stored: replaying a game to a position and filling its planes takes 30 µs, so any
position can be had at any time, an epoch is a true permutation of all of them, and nothing has to be
made again when the planes change.  preprocess.py writes these files.
"""
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numba import njit

from mugo.files import BadInput, error_line
from mugo.games import planes
from mugo.games.coords import WHITE_BIT, symmetries

FORMAT = 1
FILES = ("games.parquet", "moves.npy", "setup.npy", "meta.json")
SPLITS = ("train", "validation", "test")
EVERY_MOVE = (1, float("inf"))           # the first and the last
OPENING = 40                             # moves that decide a game's split; see `fingerprint`


@njit(cache=True, nogil=True)
def mixed(x):
    """A well-mixed uint64 of a uint64 (the finalizer of SplitMix64: Steele, Lea & Flood 2014)."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def _turned(coded, turn, recolour):
    return turn[np.int64(coded) & (WHITE_BIT - 1)] | ((np.int64(coded) & WHITE_BIT) ^ recolour)


@njit(cache=True, nogil=True)
def canonical(size, setup, moves, turns, out):
    """Write a game's moves to out as every rotated, mirrored or recoloured copy of it would be.

    Whoever moves first is Black, and of the eight symmetries the one whose moves come first in
    order is taken; so what is canonical of a game's beginning begins what is canonical of the game.
    setup, moves, out: int16, coded; turns: coords.symmetries(size).  Returns a uint64 of the setup.
    """
    recolour = np.int64(moves[0]) & WHITE_BIT if len(moves) else 0
    best = 0
    best_setup = np.uint64(0)
    for s in range(8):
        stones = np.uint64(0)
        for i in range(len(setup)):
            stones += mixed(np.uint64(_turned(setup[i], turns[s], recolour)))
        order = 0                        # < 0: s comes before best
        if s:
            for i in range(len(moves)):
                order = _turned(moves[i], turns[s], recolour) - _turned(moves[i], turns[best], recolour)
                if order:
                    break
        if s == 0 or order < 0 or (order == 0 and stones < best_setup):
            best = s
            best_setup = stones
    for i in range(len(moves)):
        out[i] = _turned(moves[i], turns[best], recolour)
    return best_setup + np.uint64(size)


@njit(cache=True, nogil=True)
def fingerprint(size, setup, moves, turns):
    """(game, opening): uint64 hashes that all turned and recoloured copies of a game share.

    game is of the whole game but for passes at its end; opening is of its first OPENING moves, so
    that two records of one game, one of them broken off later than that, fall into the same split.
    """
    n = len(moves)
    while n and np.int64(moves[n - 1]) & (WHITE_BIT - 1) == size * size:
        n -= 1
    line = np.empty(n, np.int16)
    h = mixed(canonical(size, setup, moves[:n], turns, line))
    opening = h
    for i in range(n):
        h = mixed(h ^ np.uint64(line[i]))
        if i < OPENING:
            opening = h
    return h, opening


def split_of(opening: np.ndarray, seed: int, validation: float, test: float) -> np.ndarray:
    """Which of SPLITS each game belongs to, by its uint64 opening hash; str objects."""
    with np.errstate(over="ignore"):
        salted = mixed_array(opening ^ np.uint64(seed * 0x2545F4914F6CDD1D % 2**64))
    share = salted.astype(np.float64) / 2.0**64
    return np.where(share < test, "test", np.where(share < test + validation, "validation", "train"))


@njit(cache=True, nogil=True)
def mixed_array(x):
    """`mixed` of every element of a uint64 array."""
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = mixed(x[i])
    return out


@njit(cache=True, nogil=True)
def _shuffled(i, n, key):
    """Where position i of n stands in the permutation that key names.

    A Feistel network on the smallest even number of bits that holds n, walked until it falls below
    n (Black & Rogaway 2002): a permutation that takes no memory.
    """
    half = np.uint64(1)
    while (np.uint64(1) << (half + half)) < np.uint64(n):
        half += np.uint64(1)
    mask = (np.uint64(1) << half) - np.uint64(1)
    x = np.uint64(i)
    while True:
        left = x >> half
        right = x & mask
        for k in range(6):
            left, right = right, left ^ (mixed(right ^ mixed(key + np.uint64(k))) & mask)
        x = (left << half) | right
        if x < np.uint64(n):
            return np.int64(x)


@njit(cache=True, nogil=True)
def shuffled(start, count, n, seed):
    """The positions [start, start + count) of an endless stream, and how to turn each.

    The stream is epoch after epoch, each a permutation of all n positions that depends on (seed,
    epoch).  Returns (int64 (count,) positions, int64 (count,) symmetries 0..7).
    """
    numbers = np.empty(count, np.int64)
    turns = np.empty(count, np.int64)
    for j in range(count):
        i = np.int64(start) + j
        epoch = i // n
        key = mixed(np.uint64(seed) ^ mixed(np.uint64(epoch)))
        numbers[j] = _shuffled(i % n, n, key)
        turns[j] = np.int64(mixed(key ^ mixed(np.uint64(i))) >> np.uint64(61))
    return numbers, turns


@njit(cache=True, nogil=True)
def _locate(numbers, turns, first_number, skip, setup_start, setup_end, move_start, winner, moves, samples, outcomes):
    """For each position number: its row for planes.fill_samples, and its outcome for the side to move."""
    for j in range(len(numbers)):
        game = np.searchsorted(first_number, numbers[j], side="right") - 1
        ply = numbers[j] - first_number[game] + skip
        samples[j, 0] = setup_start[game]
        samples[j, 1] = setup_end[game]
        samples[j, 2] = move_start[game]
        samples[j, 3] = ply
        samples[j, 4] = turns[j]
        white = np.int64(moves[move_start[game] + ply]) & WHITE_BIT
        outcomes[j] = -winner[game] if white else winner[game]


class Batch(NamedTuple):
    """Positions with the moves that were played in them."""

    packed: np.ndarray                   # uint8 (n, size², 6): packed planes
    targets: np.ndarray                  # int32 (n,): the move index played
    outcomes: np.ndarray                 # int8 (n,): 1 the side to move won, -1 lost, 0 not known


_of_thread = threading.local()


@dataclass(frozen=True)
class Positions:
    """Every position, before a move, of some games of one board size, or of a part of each: numbers 0 to len - 1."""

    size: int
    games: pd.DataFrame                  # the rows of games.parquet, in order
    first_number: np.ndarray             # int64 (games + 1,): the number of each game's first position
    setup: np.ndarray                    # int16, all games'
    moves: np.ndarray                    # int16, all games'
    skip: int = 0                        # moves at the beginning of each game without a position here

    def __len__(self) -> int:
        return int(self.first_number[-1])

    def batch(self, numbers: np.ndarray, turns: np.ndarray | int = 0) -> Batch:
        """These positions (int64 (n,)), each as its symmetry in turns (0..7) shows it.

        Any number of threads may ask at the same time.
        """
        if not hasattr(_of_thread, "scratch"):
            _of_thread.scratch = planes.new_scratch()
        n = len(numbers)
        columns = self._columns
        samples = np.empty((n, 5), np.int64)
        outcomes = np.empty(n, np.int8)
        turns = np.broadcast_to(np.asarray(turns, np.int64), n).copy()
        _locate(numbers, turns, self.first_number, self.skip, *columns, self.moves, samples, outcomes)
        packed = np.empty((n, self.size ** 2, planes.PACKED), np.uint8)
        targets = np.empty(n, np.int32)
        planes.fill_samples(self.size, self.setup, self.moves, samples, symmetries(self.size),
                            _of_thread.scratch, packed, targets)
        return Batch(packed, targets, outcomes)

    def shuffled_batch(self, step: int, batch_size: int, seed: int, symmetry: bool = True) -> Batch:
        """Batch number `step` of the endless stream that seed names (see `shuffled`); with symmetry each
        position turned or mirrored, or left, at random."""
        numbers, turns = shuffled(step * batch_size, batch_size, len(self), seed)
        return self.batch(numbers, turns if symmetry else 0)

    def plies(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(int64 rows of self.games, int64 moves played before) of positions by number."""
        rows = np.searchsorted(self.first_number, numbers, side="right") - 1
        return rows, numbers - self.first_number[rows] + self.skip

    @property
    def _columns(self) -> tuple[np.ndarray, ...]:
        games = self.games
        return (games["setup_start"].to_numpy(), games["setup_end"].to_numpy(),
                games["move_start"].to_numpy(), games["winner"].to_numpy())


@dataclass(frozen=True)
class DataSet:
    """The files of a data set, read."""

    folder: Path
    meta: dict
    games: pd.DataFrame
    setup: np.ndarray
    moves: np.ndarray

    @property
    def used(self) -> pd.DataFrame:
        """The rows of the games that are used."""
        return self.games[self.games["reason"] == ""]

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change when the used games do."""
        games = self.used["game"].to_numpy(np.uint64)
        with np.errstate(over="ignore"):
            return f"{int(mixed_array(games).sum(dtype=np.uint64)):016x}"

    def sizes(self) -> list[int]:
        """The board sizes of the used games, the most frequent first."""
        return [int(size) for size in self.used["size"].value_counts().index]

    def positions(self, split: str | None = None, size: int | None = None, where: str = "",
                  moves: tuple[int, float] = EVERY_MOVE) -> Positions:
        """The positions of the used games of a split (all: None), of one board size (None: the
        most frequent), that a pandas query on games.parquet picks; before the moves from the first to the last of
        `moves`, counted from 1.

        Raises BadInput if the query is wrong or nothing is left.
        """
        games = self.used
        if split is not None:
            games = games[games["split"] == split]
        sizes = self.sizes()
        size = size or (sizes[0] if sizes else 19)
        games = games[games["size"] == size]
        games = chosen(games, where)
        if not len(games):
            raise BadInput(f"{self.folder}: no {split or 'used'} games on {size}x{size}"
                           + (f" where {where}" if where else ""))
        skip = moves[0] - 1
        counts = np.maximum(np.minimum(games["plies"].to_numpy(), moves[1]) - skip, 0)
        if not counts.any():
            raise BadInput(f"{self.folder}: no {split or 'used'} game on {size}x{size} has {moves[0]} moves")
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Positions(size, games.reset_index(drop=True), first, self.setup, self.moves, skip)


def chosen(games: pd.DataFrame, where: str) -> pd.DataFrame:
    """The rows a pandas query picks; '' picks all.  Raises BadInput for a query that is none."""
    if not where:
        return games
    try:
        rows = games.eval(where, engine="python")
    except Exception as error:  # pandas raises what its parser raises: SyntaxError, NameError, TypeError, ...
        columns = ", ".join(games.columns)
        raise BadInput(f"--where {where!r}: {type(error).__name__}: {error} (columns: {columns})") from None
    if not isinstance(rows, pd.Series) or not rows.index.equals(games.index) or set(rows.map(type)) - {bool, np.bool_}:
        raise BadInput(f"--where {where!r} is no condition: it does not say yes or no of each game")
    return games[rows.to_numpy(bool)]


def read_meta(folder: Path) -> dict:
    """A data set's meta.json.  Raises BadInput, and FileNotFoundError if it is not there."""
    try:
        meta = json.loads((folder / "meta.json").read_text())
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise BadInput(f"{folder}/meta.json cannot be read: {error_line(error)}") from None
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        theirs = meta.get("format") if isinstance(meta, dict) else None
        raise BadInput(f"{folder} is a data set of format {theirs}; this program reads {FORMAT}")
    return meta


def read_table(path: Path, columns: list[str] | None = None) -> pd.DataFrame:
    """A table of games, or some of its columns.  Raises BadInput, and FileNotFoundError if it is not there."""
    try:
        return pd.read_parquet(path, columns=columns)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:               # pyarrow's are of these
        raise BadInput(f"{path} cannot be read: {error_line(error)}") from None


def open_dataset(folder: str | Path) -> DataSet:
    """Read a data set.  Raises BadInput if there is none, or not a whole one, or of another format."""
    folder = Path(folder)
    try:
        meta = read_meta(folder)
        games = read_table(folder / "games.parquet")
        moves = np.load(folder / "moves.npy")
        setup = np.load(folder / "setup.npy")
        used = games[games["reason"] == ""]
        ends = {"moves": (used["move_start"] + used["plies"]).max(), "setup": used["setup_end"].max()}
    except FileNotFoundError as error:
        missing = Path(error.filename or "meta.json").name
        raise BadInput(f"{folder} is no data set: {missing} is missing (make one: mugo preprocess GAMES -o {folder})"
                       ) from None
    except KeyError as error:
        raise BadInput(f"{folder} cannot be read as a data set: games.parquet has no column {error}") from None
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"{folder} cannot be read as a data set: {error_line(error)}") from None
    for name, array in ("moves", moves), ("setup", setup):
        if array.ndim != 1 or array.dtype != np.int16 or len(used) and ends[name] > len(array):
            raise BadInput(f"{folder} is damaged: {name}.npy does not have what games.parquet says; make it anew")
    return DataSet(folder, meta, games, setup, moves)
