"""Positions: batches of (planes, moves played, outcome, komi, ownership) from games stored as moves.  Replaying a game
to a position and encoding it takes 30 µs.

    position index    0 1 2 ... 210 | 211 212 ... | ...        in the order of the games, then of their moves
    first_index       0             | 211         | ...
"""
import hashlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from mugo.core.jit import kernel
from mugo.data.labels import words_per_game, write_labels
from mugo.data.games_table import names_in, weights_of_rows
from mugo.data.selection import GameSelection
from mugo.data.shards import SCHEMA
from mugo.data.game_hash import shuffled_positions
from mugo.core.files import BadInput
from mugo.games import planes
from mugo.games.coords import symmetries
from mugo.sgf.properties import source_number

if TYPE_CHECKING:
    from mugo.data.teacher_labels import TeacherLabels

MAX_GAIN = 3.0                           # points: the result of a game in which more is gained by strength says little


class ChunkedArray(NamedTuple):
    """An array of which only a chunk is in memory at a time."""

    dtype: np.dtype
    length: int
    chunks: Iterable[np.ndarray]


def digest(*arrays: np.ndarray | ChunkedArray) -> str:
    """A hash of arrays, their types and lengths included, as 32 hexadecimal digits."""
    h = hashlib.blake2b(digest_size=16)
    for array in arrays:
        dtype, length, chunks = array if isinstance(array, ChunkedArray) else (array.dtype, len(array), [array])
        h.update(f"{dtype} {length}:".encode())
        for chunk in chunks:
            h.update(np.ascontiguousarray(chunk).data)
    return h.hexdigest()


def label_digests(games: GameSelection) -> tuple[np.ndarray | ChunkedArray, ...]:
    """The labels of games but for their moves, wherever the ownership is stored; for `digest`.  Ranks are left out, so
    that networks of data sets before format 6 still know their games."""
    start, size = games.column("ownership_start"), games.column("size").astype(np.int64)
    words = np.where(start >= 0, words_per_game(size), 0)
    return (games.column("winner"), games.column("white_points"), words,
            ChunkedArray(np.dtype(np.int16), int(words.sum()), games.ownership()))


@kernel
def _locate(indices, first_index, rows):
    """Write the game of each position to rows, int64 (n,)."""
    for j in range(len(indices)):
        rows[j] = np.searchsorted(first_index, indices[j], side="right") - 1


class Results(NamedTuple):
    """Handicap-adjusted results of the games of n positions, for the side to move: how they would have ended between
    players of equal strength from there on."""

    outcomes: np.ndarray                 # float32 (n,): 1 it won, -1 it lost, 0 a draw or unknown; by area where the
                                         #   score is known
    scores: np.ndarray                   # float32 (n,): its lead in points by area, komi included; NaN: not known
    has_ownership: np.ndarray            # bool (n,): whether Batch.ownership is known, and says who is ahead


class Batch(NamedTuple):
    """n positions with the moves played in them and after them, and how their games ended, for the side to move.

    A score by area is scores + komi.  By territory rules it can differ by a point or two from the recorded one.
    """

    packed: np.ndarray                   # uint8 (n, size², 6): packed planes; see planes.unpack
    targets: np.ndarray                  # int32 (n,): the move index played
    outcomes: np.ndarray                 # int8 (n,): 1 the side to move won, -1 it lost, 0 a draw or unknown
    colours: np.ndarray                  # int8 (n,): the side to move, 1 Black, -1 White
    komi: np.ndarray                     # float32 (n,): points that the side to move gets by komi and for handicap
                                         #   stones, negative for Black; NaN: unknown
    next_moves: np.ndarray               # int32 (n, 2): the opponent's reply and the own move after it; -1: none
    ownership: np.ndarray                # int8 (n, size²): 1 the side to move owns the point at the end of the game,
                                         #   -1 the opponent, 0 neutral or not known
    scores: np.ndarray                   # float32 (n,): own area minus the opponent's, without komi; NaN: not known
    handicap_gains: np.ndarray           # float32 (n,): points that the side to move is expected to gain from here on
                                         #   as the stronger player, negative if it is the weaker one: games/area.py
    people: np.ndarray                   # float32 (n, 4): who plays, as in nn.inputs, for the side to move; NaN:
                                         #   unknown, or not asked for by Positions.with_people
    teachers: tuple[np.ndarray, ...] | None = None       # teacher_labels.label_type (n,): what each of the teachers
                                         #   says; None: nobody was asked

    @property
    def is_nearly_even(self) -> np.ndarray:
        """bool (n,): whether the end of the game says who is ahead: the expected handicap gain is at most MAX_GAIN."""
        return np.abs(self.handicap_gains) <= MAX_GAIN

    def global_features(self, komi: np.ndarray | None = None) -> np.ndarray:
        """float32 (n, 2), as in games.position.global_features; NaN where the komi is not known.

        komi: float (n,), another than the games' own.
        """
        return np.stack([self.komi if komi is None else komi, self.colours], -1).astype(np.float32)

    def results(self, komi: np.ndarray | None = None, estimated: bool = False) -> Results:
        """Handicap-adjusted results: the expected handicap gain is subtracted from the score.  Unknown without komi.

        komi: float (n,), another than the games' own.  estimated: also the scores, and the winners by them, where the
        gain is more than MAX_GAIN, and the score is mostly an estimate of it: to learn from, not to be measured by.
        """
        scores = self.scores - self.handicap_gains + (self.komi if komi is None else komi)
        if not estimated:
            scores = np.where(self.is_nearly_even, scores, np.nan)
        recorded = np.where(self.is_nearly_even & ~np.isnan(self.komi), self.outcomes, 0)
        outcomes = np.where(np.isnan(scores), recorded, np.sign(scores))
        return Results(outcomes.astype(np.float32), scores.astype(np.float32),
                       self.is_nearly_even & ~np.isnan(self.scores))


class Taught(NamedTuple):
    """The positions that teachers have labelled, among others, and their labels."""

    indices: np.ndarray                  # int64 (n,): of the positions
    rows: np.ndarray                     # int64 (teachers, n): of their labels among the records of each teacher
    teachers: "tuple[TeacherLabels, ...]"

    def labels(self, numbers: np.ndarray, symmetry: np.ndarray) -> tuple[np.ndarray, ...]:
        """What each teacher says of those with these numbers, int64 (n,), each under its symmetry, a row of
        coords.symmetries."""
        return tuple(_turned(teacher.records[rows[numbers]], symmetry)
                     for teacher, rows in zip(self.teachers, self.rows, strict=True))


def _turned(labels: np.ndarray, symmetry: np.ndarray) -> np.ndarray:
    turned = np.take_along_axis(symmetry, np.maximum(labels["moves"], 0), 1)
    labels["moves"] = np.where(labels["moves"] >= 0, turned, -1)
    if "ownership" in (labels.dtype.names or ()):
        ownership = labels["ownership"].copy()
        np.put_along_axis(labels["ownership"], symmetry[:, :-1], ownership, 1)
    return labels


_scratch_of_thread = threading.local()


@dataclass(frozen=True)
class Positions:
    """The positions before the moves of some games of one board size, with indices 0 to len - 1."""

    size: int
    games: GameSelection
    first_index: np.ndarray              # int64 (games + 1,): the index of each game's first position
    skip_moves: int | np.ndarray = 0     # moves at the beginning of each game that have no position here; int64
                                         #   (games,) where they differ
    people: np.ndarray | None = None     # float32 (games, 4): Black's rank, White's, source and year; see with_people
    weights: np.ndarray | None = None    # float64 (games,): of the positions of each game in `shuffled`; see weighted
    taught: Taught | None = None         # if only those are positions here that teachers have labelled

    def __len__(self) -> int:
        return int(self.first_index[-1]) if self.taught is None else len(self.taught.indices)

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal where every index is the same position with the same labels (Batch)."""
        return digest(np.append(self.size, self.skip_moves), self.first_index, self.games.column("content_hash"),
                      *label_digests(self.games), *([] if self.weights is None else [self.weights]),
                      *([] if self.taught is None else [teacher.records["crc32"][rows] for teacher, rows in zip(
                          self.taught.teachers, self.taught.rows, strict=True)]))

    def batch(self, indices: np.ndarray, symmetry: np.ndarray | int = 0) -> Batch:
        """The positions with these indices, int64 (n,), each under its symmetry, 0 ... 7.  Thread-safe.  Raises
        BadInput if a game has an illegal move before its position, which `preprocess` never writes."""
        if not hasattr(_scratch_of_thread, "scratch"):
            _scratch_of_thread.scratch = planes.new_scratch()
        if self.taught is not None:
            labels = self.taught.labels(indices, symmetries(self.size)[np.broadcast_to(symmetry, len(indices))])
            return replace(self, taught=None).batch(self.taught.indices[indices], symmetry)._replace(teachers=labels)
        n = len(indices)
        rows, moves_played = self.locate(indices)
        games, setup, moves, ownership = self.games.arrays(rows)
        samples = np.stack([games["setup_start"], games["setup_start"] + games["num_setup"], games["move_start"],
                            moves_played, np.broadcast_to(symmetry, n)], 1).astype(np.int64, copy=False)
        packed = np.empty((n, self.size ** 2, planes.PACKED), np.uint8)
        targets = np.empty(n, np.int32)
        written = planes.write_sample_planes(self.size, setup, moves, samples, symmetries(self.size),
                                             _scratch_of_thread.scratch, packed, targets)
        if written < n:
            game = self.games.take(rows[written:written + 1]).table(["source", "file"]).iloc[0]
            raise BadInput(f"the data set has a game with an illegal move or setup stone: {game['file']!r:.100} of "
                           f"{game['source']!r:.100}; make the data set again")
        labels = (np.empty(n, np.int8), np.empty(n, np.int8), np.empty(n, np.float32), np.empty((n, 2), np.int32),
                  np.empty((n, self.size ** 2), np.int8), np.empty(n, np.float32), np.empty(n, np.float32))
        write_labels(self.size, games, samples, symmetries(self.size), setup, moves, ownership, *labels)
        people = np.full((n, 4), np.nan, np.float32) if self.people is None else self.people[rows]
        whites = labels[1] < 0
        people[whites, :2] = people[whites, 1::-1]
        return Batch(packed, targets, *labels, people)

    def with_people(self) -> "Positions":
        """These, with batches that say who plays (Batch.people), which takes 16 bytes per game."""
        people = np.empty((len(self.games), 4), np.float32)
        for rows, table in self.games.tables(["black_rank", "white_rank", "source", "date"]):
            numbers = {source: source_number(source) for source in table["source"].unique()}
            years = pd.to_numeric(table["date"].str[:4], errors="coerce")
            people[rows] = np.stack([table["black_rank"], table["white_rank"], table["source"].map(numbers), years], -1)
        return replace(self, people=people)

    def weighted(self, expression: str) -> "Positions":
        """These, with a weight for the positions of each game in the shuffled stream: an expression on columns of
        games.parquet; '' for equal ones.  Raises BadInput for an invalid one, and if all positions have weight 0."""
        if not expression:
            return self
        weights = weights_of_rows(self.games.table(names_in(expression, SCHEMA) or ["size"]), expression)
        if not weights @ np.diff(self.first_index):
            raise BadInput(f"--sample-weight {expression:.200}: every position has weight 0")
        return replace(self, weights=weights)

    def shuffled_batch(self, step: int, batch_size: int, seed: int) -> Batch:
        """Batch number `step` (from 0) of the endless shuffled stream (data/game_hash.py) for this seed, augmented."""
        return self.shuffled(step * batch_size, batch_size, seed)

    def shuffled(self, start: int, count: int, seed: int, random_symmetries: bool = True) -> Batch:
        """Elements start ... start + count - 1 of that stream.  random_symmetries: augment, each position under one of
        the eight symmetries, drawn by seed."""
        indices, symmetry = shuffled_positions(start, count, len(self), seed)
        if self.weights is not None:
            indices = self._by_weight(indices, (start + np.arange(count)) // len(self), seed)
        return self.batch(indices, symmetry if random_symmetries else 0)

    def _by_weight(self, elements: np.ndarray, epochs: np.ndarray, seed: int) -> np.ndarray:
        """The positions that these elements of a permutation stand for where positions have weights; all int64 (n,).

        Systematic sampling (Madow and Madow 1944): of all weights end to end, W, element k of N is the position at
        (k + u) W / N, where u from 0 to 1 belongs to the epoch.  So each epoch draws a position of weight w N w / W
        times, rounded up or down, and with equal weights once.
        """
        first, counts = self.first_index, np.diff(self.first_index)
        assert self.weights is not None
        offsets = {epoch: np.random.default_rng((seed, epoch)).random() for epoch in np.unique(epochs).tolist()}
        ends = self._weight_ends
        at = (elements + np.array([offsets[epoch] for epoch in epochs.tolist()])) * (ends[-1] / len(self))
        # The last end may be rounded down.
        rows = np.searchsorted(ends, np.minimum(at, np.nextafter(ends[-1], 0)), side="right")
        number = (at - ends[rows]) / self.weights[rows] + counts[rows]
        return first[rows] + np.clip(number.astype(np.int64), 0, counts[rows] - 1)

    @cached_property
    def _weight_ends(self) -> np.ndarray:
        """float64 (games,): the weights of all positions up to the last of each game."""
        assert self.weights is not None
        return np.cumsum(self.weights * np.diff(self.first_index))

    def locate(self, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rows of self.games, moves played before the position), both int64 (n,)."""
        rows = np.empty(len(indices), np.int64)
        _locate(indices, self.first_index, rows)
        return rows, indices - self.first_index[rows] + np.broadcast_to(self.skip_moves, len(self.games))[rows]

    def endgame(self, moves: int) -> "Positions":
        """The positions of these before one of the last `moves` moves of a game with known ownership and score."""
        is_scored = self.games.column("ownership_start") >= 0
        end = self.skip_moves + np.diff(self.first_index)
        start = np.maximum(self.skip_moves, self.games.column("num_moves").astype(np.int64) - moves)
        counts = np.maximum(end - start, 0)[is_scored]
        return Positions(self.size, self.games.take(np.flatnonzero(is_scored)),
                         np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), start[is_scored],
                         None if self.people is None else self.people[is_scored],
                         None if self.weights is None else self.weights[is_scored])
