"""A position of a game of Go: a board plus whose turn it is, history, komi and handicap.

The rules are Tromp-Taylor's but for suicide, which is illegal: area scoring, positional superko.
https://tromp.github.io/go.html
What all positions have, and how one comes from another, stands in position.py.
"""
import math
from collections.abc import Iterator

import numpy as np

from mugo.games.board import (
    BLACK,
    KO,
    LEGAL,
    OCCUPIED,
    SUICIDE,
    WHITE,
    area_score,
    decode,
    is_repetition,
    legal_points,
    legality,
    play,
    set_up,
)
from mugo.games.coords import MAX_SIZE, MIN_SIZE, PASS, format_gtp, point_at
from mugo.games.position import COLOUR_NAMES, STONE_MARKS, BasePosition, IllegalMove

__all__ = ["COLOUR_NAMES", "STONE_MARKS", "IllegalMove", "Position", "fixed_handicap", "format_score", "position_of",
           "positions_of"]


class Position(BasePosition):
    """A Go board of any size from 2 to 19, its history and what is needed to score it."""

    game = "go"
    may_pass = True

    __slots__ = ()

    def __init__(self, size: int = 19, komi: float = 7.5, to_play: int = BLACK):
        """An empty board.  Raises ValueError for a size outside 2 to 19, and a komi that is no number."""
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise ValueError(f"a board is {MIN_SIZE}x{MIN_SIZE} to {MAX_SIZE}x{MAX_SIZE}, not {size}x{size}")
        if not math.isfinite(komi):
            raise ValueError(f"komi is a finite number, not {komi}")
        super().__init__(size, komi, to_play)

    def _apply(self, board: np.void, point: int, colour: int) -> None:
        play(board, point, colour)

    def _empty(self, to_play: int) -> "Position":
        return Position(self.size, self.komi, to_play)

    def _place_setup(self, coded: np.ndarray) -> int:
        return set_up(self.board[0], coded)

    def is_like(self, other: BasePosition) -> bool:
        """Whether the other belongs to a game by the same rules and komi, on a board of the same size."""
        return (other.game, other.size, other.komi) == (self.game, self.size, self.komi)

    def why_illegal(self, point: int, colour: int | None = None) -> str | None:
        """None if the move is legal, else what is wrong with it: 'retakes the ko'."""
        if point == PASS:
            return None
        colour = self.to_play if colour is None else colour
        board = self.board[0]
        answer = legality(board, point, colour)
        if answer == OCCUPIED:
            return "is occupied"
        if answer == KO:
            return "retakes the ko"
        if answer == SUICIDE:
            return "is suicide"
        if is_repetition(board, self.history, point, colour):
            return "repeats a position (superko)"
        return None

    def legal_points(self) -> np.ndarray:
        """int64 (n,): every point the side to move may play on; a pass is always legal too."""
        return legal_points(self.board[0], self.history, False)

    def sensible_points(self) -> np.ndarray:
        """int64 (n,): the legal points that fill no true eye of the side to move."""
        return legal_points(self.board[0], self.history, True)

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return bool(self.board[0]["passes"] >= 2)

    def score(self) -> float:
        """Black's area minus White's, minus komi; every stone on the board counts as alive."""
        return area_score(self.board[0]) - self.komi

    def result(self) -> str:
        """The score as SGF writes it: 'B+3.5', 'W+0.5', '0'."""
        return format_score(self.score())


def format_score(score: float) -> str:
    """Black's lead as an SGF result: 'B+3.5', 'W+0.5', '0'."""
    if score == 0:
        return "0"
    return f"{'B' if score > 0 else 'W'}+{abs(score):g}"


def position_of(record, plies: int | None = None, komi: float = 7.5) -> Position:
    """The position of a records.Record after some moves (all of them by default).

    Like the records themselves this forbids no repetition.  komi is used where the record has none.
    Raises IllegalMove, naming the number of the move.
    """
    *_, position = positions_of(record, plies, komi)
    if plies is not None and plies < len(record.moves):
        return position.with_turn(decode(position.board[0], record.moves[plies])[1])
    return position if len(record.moves) else position.with_turn(record.first_player)


def positions_of(record, plies: int | None = None, komi: float = 7.5) -> Iterator[Position]:
    """The start of a records.Record, then the position after each of its moves, as `position_of` has them; after
    the last legal one it raises IllegalMove."""
    size = record.size
    position = Position(size, komi if record.komi is None else record.komi)
    points = {BLACK: [], WHITE: []}
    for coded in record.setup:
        point, colour = decode(position.board[0], coded)
        points[colour].append(point)
    position = position.with_stones(points[BLACK], points[WHITE])
    position.handicap = record.handicap
    yield position
    for number, coded in enumerate(record.moves[:plies], 1):
        point, colour = decode(position.board[0], coded)
        if point != PASS and legality(position.board[0], point, colour) != LEGAL:
            raise IllegalMove(f"move {number}: {COLOUR_NAMES[colour]} {format_gtp(point, size)} "
                              f"{position.why_illegal(point, colour)}")
        position = position.play_unchecked(point, colour)
        yield position


# GTP 2, section 4.1.1: rows and columns of the fixed handicap points, by number of stones.
def fixed_handicap(size: int, stones: int) -> list[int]:
    """The points of 2 to 9 fixed handicap stones.  Raises ValueError where GTP knows none."""
    most = 9 if size % 2 and size >= 9 else 4
    if size < 7 or not 2 <= stones <= most:
        raise ValueError(f"no fixed handicap of {stones} stones on {size}x{size}"
                         + (f" (2 to {most})" if size >= 7 else " (7x7 or larger)"))
    edge = 2 if size < 13 else 3
    low, middle, high = size - 1 - edge, size // 2, edge         # rows count from the top
    left, right = edge, size - 1 - edge
    corners = [(low, left), (high, right), (high, left), (low, right)]
    sides = [(middle, left), (middle, right), (low, middle), (high, middle)]
    centre = [(middle, middle)]
    if stones <= 4:
        places = corners[:stones]
    else:
        places = corners + sides[:(stones - 4) // 2 * 2] + (centre if stones % 2 else [])
    return [point_at(row, col, size) for row, col in places]
