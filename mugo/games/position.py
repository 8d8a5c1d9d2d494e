"""A position of a game on a board: stones, whose turn it is, and how it came about.

    start -- play --> Position -- play --> Position -- play --> Position
                         |                    |                    |
                      .previous           .previous            .previous      (undo goes back)

A Position is a value: `play` returns a new one, and nothing changes an old one.  What is legal, when the game
is over and who has won are go.py's and gomoku.py's; whoever searches, plays or shows a game needs no more than
the names here, and `why_illegal`, `legal_points`, `sensible_points`, `is_over`, `score` and `result`, which
each game has (tests/test_contract.py).
"""
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Self

import numpy as np

from mugo.games.board import BLACK, EMPTY, WHITE, WHITE_BIT, clear, new_boards, set_to_play
from mugo.games.coords import COLUMNS, PASS, board_points, format_gtp, row_col

COLOUR_NAMES = {BLACK: "Black", WHITE: "White"}
COLOUR_LETTERS = {BLACK: "B", WHITE: "W"}
COLOUR_OF = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}       # as GTP spells them, in lower case
STONE_MARKS = {BLACK: "X", WHITE: "O", EMPTY: "."}


class IllegalMove(ValueError):
    """A move that the rules forbid; the text names it and the rule."""


class BasePosition(ABC):
    """A board, its history, and who is to play.

    size, komi, to_play (BLACK or WHITE), handicap (how many handicap stones were placed).
    board: (1,) record of board.BOARD; read it, never write it.
    history: uint64 (n + 1,), the hash of every position since the setup, this one last.
    previous: the position before the last move, None at the start.
    last, mover: the point of the last move (PASS for a pass) and its colour, None at the start.
    """

    game: str                            # "go" or "gomoku"
    may_pass: bool                       # whether a pass is a move of this game
    k: int = 0                           # Gomoku: how many in a row win
    exactly: bool = False                # Gomoku: whether more than k in a row do not win
    winner: int = EMPTY                  # Gomoku: the colour with k in a row, EMPTY while there is none
    row: tuple[int, ...] = ()            # Gomoku: the points of the winning row, in order

    __slots__ = ("size", "komi", "handicap", "board", "history", "previous", "last", "mover")

    def __init__(self, size: int, komi: float, to_play: int):
        self.size = size
        self.komi = komi
        self.handicap = 0
        self.board = new_boards(1)
        clear(self.board[0], size)
        self.board[0]["to_play"] = to_play
        self.history = np.zeros(1, np.uint64)
        self.previous: Self | None = None
        self.last: int | None = None
        self.mover: int | None = None

    def _copy(self) -> Self:
        other = object.__new__(type(self))
        for name in BasePosition.__slots__:
            setattr(other, name, getattr(self, name))
        other.board = self.board.copy()
        return other

    # -- what each game says for itself

    @abstractmethod
    def _apply(self, board: np.void, point: int, colour: int) -> None:
        """Play a legal move on a board of this game."""

    @abstractmethod
    def _empty(self, to_play: int) -> Self:
        """An empty board of this game's, with the same rules."""

    @abstractmethod
    def _place_setup(self, coded: np.ndarray) -> int:
        """Put coded stones on the empty board; returns how many before the first that cannot stand there."""

    @abstractmethod
    def why_illegal(self, point: int, colour: int | None = None) -> str | None:
        """None if the move is legal, else what is wrong with it: 'is occupied'."""

    @abstractmethod
    def legal_points(self) -> np.ndarray:
        """int64 (n,): every point the side to move may play on; passes are not listed."""

    @abstractmethod
    def sensible_points(self) -> np.ndarray:
        """int64 (n,): the legal points that a player should consider."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the game has ended."""

    @abstractmethod
    def score(self) -> float:
        """How much Black is ahead; 0 for a draw."""

    @abstractmethod
    def result(self) -> str:
        """The result as SGF writes it."""

    @abstractmethod
    def is_like(self, other: Self) -> bool:
        """Whether the other belongs to a game by the same rules, on a board of the same size."""

    # -- moving

    @property
    def to_play(self) -> int:
        return int(self.board[0]["to_play"])

    def play(self, point: int, colour: int | None = None) -> Self:
        """The position after a move (PASS passes) of the side to move, or of another colour.

        Raises IllegalMove, naming the move and the rule.
        """
        colour = self.to_play if colour is None else colour
        why = self.why_illegal(point, colour)
        if why:
            raise IllegalMove(f"illegal move: {format_gtp(point, self.size)} {why}")
        return self.play_unchecked(point, colour)

    def play_unchecked(self, point: int, colour: int) -> Self:
        """The position after a move that is known to be legal, or that a record has though it repeats a position."""
        after = self._copy()
        board = after.board[0]
        self._apply(board, point, colour)
        after.history = np.append(self.history, board["hash"])
        after.previous = self
        after.last, after.mover = point, colour
        return after

    def undo(self) -> Self:
        """The position before the last move.  Raises IllegalMove at the start."""
        if self.previous is None:
            raise IllegalMove("there is no move to undo")
        return self.previous

    def with_turn(self, colour: int) -> Self:
        """This position with `colour` to move; a ko binds only the side it was taken from."""
        if colour == self.to_play:
            return self
        other = self._copy()
        set_to_play(other.board[0], colour)
        return other

    def with_stones(self, black: Iterable[int] = (), white: Iterable[int] = (), to_play: int | None = None) -> Self:
        """A new start: this board with more stones on it, and no history.

        Raises IllegalMove for a point that is taken, or a stone that cannot stand there.
        """
        other = self._empty(self.to_play if to_play is None else to_play)
        other.handicap = self.handicap
        stones = [(p, int(c)) for p, c in zip(board_points(self.size), self.stones.ravel(), strict=True) if c]
        stones += [(p, BLACK) for p in black] + [(p, WHITE) for p in white]
        index = {p: i for i, p in enumerate(board_points(self.size).tolist())}
        bits = {BLACK: 0, WHITE: WHITE_BIT}
        coded = np.array([index[int(point)] + bits[colour] for point, colour in stones], np.int16)
        placed = other._place_setup(coded)
        if placed < len(stones):
            point, colour = stones[placed]
            raise IllegalMove(f"a {COLOUR_NAMES[colour].lower()} stone cannot stand on {format_gtp(point, self.size)}")
        other.history = np.array([other.board[0]["hash"]], np.uint64)
        return other

    def with_handicap(self, points: Iterable[int]) -> Self:
        """A new start with black handicap stones, White to move.  Raises IllegalMove."""
        points = list(points)
        other = self.with_stones(black=points, to_play=WHITE)
        other.handicap = len(points)
        return other

    # -- what the board holds

    @property
    def stones(self) -> np.ndarray:
        """int8 (size, size): BLACK, WHITE or EMPTY."""
        return self.board[0]["colour"][board_points(self.size)].reshape(self.size, self.size)

    @property
    def captures(self) -> dict[int, int]:
        """How many stones each colour has taken."""
        return {BLACK: int(self.board[0]["black_captures"]), WHITE: int(self.board[0]["white_captures"])}

    @property
    def plies(self) -> int:
        """Moves played since the setup, passes too."""
        return int(self.board[0]["moves"])

    def positions(self) -> Iterator[Self]:
        """Every position from the start to this one."""
        found = []
        position: Self | None = self
        while position is not None:
            found.append(position)
            position = position.previous
        return reversed(found)

    @property
    def moves(self) -> tuple[tuple[int, int], ...]:
        """(colour, point) of every move since the setup."""
        return tuple((after.mover, after.last) for after in self.positions()
                     if after.mover is not None and after.last is not None)

    def __str__(self) -> str:
        """The board with its coordinates; the last move in parentheses."""
        size = self.size
        letters = "   " + " ".join(COLUMNS[:size])
        last = None if self.last in (None, PASS) else row_col(self.last, size)
        lines = [letters]
        for row, stones in enumerate(self.stones):
            text = "".join(f" {STONE_MARKS[int(stone)]}" for stone in stones) + " "
            if last and last[0] == row:
                at = 2 * last[1]
                text = text[:at] + "(" + text[at + 1] + ")" + text[at + 3:]
            lines.append(f"{size - row:2d}{text}{size - row:d}")
        lines.append(letters)
        return "\n".join(lines)
