"""A position of any game: the board, the side to move, and the moves that led to it.

    start -- play --> Position -- play --> Position -- play --> Position
    moves             D4                   D4 Q16               D4 Q16 C3

A position is a value: `play` returns a new one, and none is ever changed.  It has a board of its own, the moves that
led to it and the hashes of the positions in between; `undo` replays the moves.  The rules are in go and gomoku.
Search, players and user interfaces use only this interface (tests/games/test_contract.py).
"""
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np

from mugo.core.files import BadInput, MugoError
from mugo.games.area import area_komi
from mugo.games.board import BLACK, BOARD, EMPTY, WHITE, clear, copy_boards, new_boards, set_to_play
from mugo.games.coords import (
    COLUMNS, MAX_MOVES, PASS, WHITE_BIT, BoardSize, board_points, format_gtp, is_on_board, row_col, square_size)
from mugo.games.history import encode_stones

MAX_POINTS = 1e6                         # of komi, as a global feature
COLOUR_NAMES = {BLACK: "Black", WHITE: "White"}
COLOUR_LETTERS = {BLACK: "B", WHITE: "W"}
COLOUR_OF = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}       # as GTP spells them, in lower case
STONE_MARKS = {BLACK: "X", WHITE: "O", EMPTY: "."}


class IllegalMove(MugoError, ValueError):
    """A move that the rules forbid; the message names the move and the rule."""


# A move of a game: its point and colour, and the side that was to move.
MOVE = np.dtype([("point", np.int16), ("colour", np.int8), ("to_play", np.int8)])


def name_of(point: int, size: BoardSize) -> str:
    """The GTP vertex of a point, 'pass', or the number itself where it is no point of the board."""
    return format_gtp(point, size) if point == PASS or is_on_board(point, size) else str(point)


def global_features(white_points, to_play) -> np.ndarray:
    """What a value depends on in addition to the board, float32 (n, 2), for networks.

    Columns: the points that the side to move gets at the end (KataGo's selfKomi), and its colour, 1 Black, -1 White.
    white_points: White's by komi and for handicap stones, a number or (n,), of which at most MAX_POINTS count.
    to_play: (n,).
    """
    to_play = np.asarray(to_play, np.float64)
    points = np.clip(-np.asarray(white_points, np.float64) * to_play, -MAX_POINTS, MAX_POINTS)
    return np.stack([points, to_play], -1).astype(np.float32)


def _impossible_stone(point: int, colour: int, size: BoardSize) -> IllegalMove:
    """The error for a stone of a setup."""
    return IllegalMove(f"a {COLOUR_NAMES[colour].lower()} stone cannot be placed on {name_of(point, size)}")


class BasePosition(ABC):
    """A board, its history and the side to move.

    shape: (rows, columns) of the board.
    handicap: the number of handicap stones placed.
    board: BOARD (1,), read-only.
    last, mover: the point of the last move (PASS for a pass) and its colour, None at the start.
    """

    game: str                            # "go" or "gomoku"
    may_pass: bool                       # whether a pass is a move of this game
    _play: Callable                      # plays a legal move: kernel (board, point, colour)
    _set_up: Callable                    # places encoded stones, (board, setup) -> number before an impossible one
    handicap_bonus: int = 0              # Go: White's points for handicap stones, on top of komi
    removes_dead_stones: bool = True     # Go: whether dead stones are taken off the board at the end of the game
    is_no_result: bool = False           # Go: whether the game has ended with no result
    k: int = 0                           # Gomoku: how many in a row win
    exactly: bool = False                # Gomoku: whether more than k in a row do not win
    winner: int = EMPTY                  # Gomoku: the colour with k in a row, EMPTY while there is none
    row: tuple[int, ...] = ()            # Gomoku: the points of the winning row, in order

    def __init__(self, shape: tuple[int, int], komi: float, to_play: int):
        self.shape = shape
        self.komi = komi
        self.handicap = 0
        self.board = new_boards(1)
        clear(self.board[0], *shape)
        self.board[0]["to_play"] = to_play
        self.last: int | None = None
        self.mover: int | None = None
        self._start = self.board                         # BOARD (1,), before the first move
        self._moves = np.zeros(0, MOVE)
        self._hashes = np.zeros(0, np.uint64)            # of the start and of the positions after each move

    def __getstate__(self) -> dict[str, Any]:
        """For a pickle, under 2 kB for 200 moves: the start and the moves; board and hashes follow from them."""
        state = {name: value for name, value in vars(self).items() if name not in ("board", "_hashes")}
        start = self._start if self.plies else self.board
        return state | {"_start": zlib.compress(start.tobytes()), "_moves": zlib.compress(self._moves.tobytes()),
                        "to_play": self.to_play}

    def __setstate__(self, state: dict[str, Any]) -> None:
        to_play = state.pop("to_play")
        for name, kind in ("_start", BOARD), ("_moves", MOVE):
            state[name] = np.frombuffer(bytearray(zlib.decompress(state[name])), kind)
        vars(self).update(state)
        self.board = copy_boards(self._start)
        board, self._hashes = self.board[0], np.empty(self.plies + 1, np.uint64)
        for k, (point, colour, mover_to_play) in enumerate(self._moves.tolist()):
            self._hashes[k] = board["hash"]
            set_to_play(board, mover_to_play)
            self._play(board, point, colour)
        self._hashes[-1] = board["hash"]
        set_to_play(board, to_play)

    def _copy(self) -> Self:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other.board = copy_boards(self.board)
        return other

    # -- defined by each game

    @abstractmethod
    def _empty(self, to_play: int) -> Self:
        """An empty board of the same game, size and rules."""

    @abstractmethod
    def why_illegal(self, point: int, colour: int | None = None) -> str | None:
        """The rule that forbids a move, as 'is occupied', also for a number that is no point of the board; None if the
        move is legal."""

    @abstractmethod
    def legal_points(self) -> np.ndarray:
        """int64 (n,): the points on which the side to move may play; a pass is not listed."""

    @abstractmethod
    def sensible_points(self) -> np.ndarray:
        """int64 (n,): the legal points without those that are always bad, as own true eyes in Go."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the game has ended."""

    def check_has_moves(self) -> None:
        """Raise BadInput for a game of Gomoku that is over: two passes in Go may be followed by more moves."""
        if self.is_over and not self.may_pass:
            raise BadInput("the game is over: there is no move to search for")

    @abstractmethod
    def score(self) -> float:
        """Positive if Black has won, negative if White has, 0 for a draw; in Go the points with komi."""

    @abstractmethod
    def result(self) -> str:
        """The result in SGF (RE): 'B+3.5', 'W+', '0'."""

    @abstractmethod
    def has_same_rules(self, other: Self) -> bool:
        """Whether the other position has the same game, board size, rules and komi."""

    # -- moves

    @property
    def size(self) -> int:
        """The number of rows of a square board, for what has no other.  Raises BadInput for a rectangle."""
        return square_size(self.shape)

    @property
    def area(self) -> int:
        """The number of points of the board."""
        return self.shape[0] * self.shape[1]

    @property
    def to_play(self) -> int:
        return int(self.board[0]["to_play"])

    def play(self, point: int, colour: int | None = None) -> Self:
        """The position after a move, a point or PASS, of the side to move or of the colour given.  Raises IllegalMove,
        which names the move and the rule."""
        colour = self.to_play if colour is None else colour
        reason = self.why_illegal(point, colour)
        if reason:
            raise IllegalMove(f"illegal move: {name_of(point, self.shape)} {reason}")
        return self.play_unchecked(point, colour)

    def play_unchecked(self, point: int, colour: int) -> Self:
        """The position after a move that is known to be legal, or that repeats a position in a game record.  Raises
        IllegalMove if the game has MAX_MOVES moves already."""
        after = self._before_moves(1)
        board = after.board[0]
        after._moves[-1] = point, colour, board["to_play"]
        self._play(board, point, colour)
        after._hashes[-1] = board["hash"]
        after.last, after.mover = point, colour
        return after

    def _before_moves(self, n: int) -> Self:
        """This position with room for n more moves and hashes.  Raises IllegalMove beyond MAX_MOVES moves."""
        plies = len(self._moves)
        if plies + n > MAX_MOVES:
            raise IllegalMove(f"a game has at most {MAX_MOVES} moves")
        after = self._copy()
        if not plies:
            after._start = self.board
        after._moves, after._hashes = np.empty(plies + n, MOVE), np.empty(plies + n + 1, np.uint64)
        after._moves[:plies], after._hashes[:plies + 1] = self._moves, self._hashes if plies else self.board["hash"]
        return after

    def undo(self) -> Self:
        """The position before the last move.  Raises IllegalMove at the start."""
        if not self.plies:
            raise IllegalMove("there is no move to undo")
        *_, board = self._boards(self.plies - 1)
        return self._with_board(board, self.plies - 1)

    def _boards(self, plies: int) -> Iterator[np.ndarray]:
        """BOARD (1,) after 0 ... plies moves of this game, fewer than it has: one array, changed in between."""
        board = self._start.copy()
        next_to_play = int(board[0]["to_play"])
        for k, (point, colour, to_play) in enumerate(self._moves[:plies + 1].tolist()):
            if to_play != next_to_play:
                set_to_play(board[0], to_play)
            yield board
            if k < plies:
                self._play(board[0], point, colour)
            next_to_play = -colour

    def _with_board(self, board: np.ndarray, plies: int) -> Self:
        """The position of this game after `plies` moves, fewer than it has, with the board after them."""
        other = self._copy()
        other.board = copy_boards(board)
        other._moves, other._hashes = self._moves[:plies], self._hashes[:plies + 1]
        other.last, other.mover = None, None
        if plies:
            other.last, other.mover = int(self._moves[plies - 1]["point"]), int(self._moves[plies - 1]["colour"])
        return other

    def with_turn(self, colour: int) -> Self:
        """This position with `colour` to move.  A ko forbids its point only to the side whose stone was captured."""
        if colour == self.to_play:
            return self
        other = self._copy()
        set_to_play(other.board[0], colour)
        return other

    def with_stones(self, black: Iterable[int] = (), white: Iterable[int] = (), to_play: int | None = None) -> Self:
        """A new start without history: this board with more stones on it.  Raises IllegalMove for a stone on an
        occupied point or off the board, without a liberty, or that would capture or win."""
        index = {point: i for i, point in enumerate(board_points(self.shape).tolist())}
        added = []
        for points, colour, bit in (black, BLACK, 0), (white, WHITE, WHITE_BIT):
            for point in points:
                if point not in index:
                    raise _impossible_stone(point, colour, self.shape)
                added.append(index[point] + bit)
        return self._with_setup(np.append(encode_stones(self.stones), np.array(added, np.int16)),
                                self.to_play if to_play is None else to_play)

    def with_board(self, stones: np.ndarray, to_play: int) -> Self:
        """A new start without history: these stones, int8 (rows, columns), in the place of those on this board.

        So superko starts anew, no ko is forbidden, and captures are counted from here.
        Raises IllegalMove for a stone in a chain without a liberty, or that wins.
        """
        return self._with_setup(encode_stones(stones), to_play)

    def _with_setup(self, setup: np.ndarray, to_play: int) -> Self:
        """A new start with encoded stones, int16 (n,).  Raises IllegalMove.  Handicap stones are not known from others,
        so there are as many as before, or as Black has stones."""
        other = self._empty(to_play)
        other.handicap = min(self.handicap, int((setup & WHITE_BIT == 0).sum()))
        placed = other._set_up(other.board[0], setup)
        if placed < len(setup):
            colour = WHITE if setup[placed] & WHITE_BIT else BLACK
            point = int(board_points(self.shape)[setup[placed] & WHITE_BIT - 1])
            raise _impossible_stone(point, colour, self.shape)
        return other

    def with_handicap(self, points: Iterable[int]) -> Self:
        """A new start with Black's handicap stones and White to move.  Raises IllegalMove as with_stones does."""
        points = list(points)
        other = self.with_stones(black=points, to_play=WHITE)
        other.handicap = len(points)
        return other

    # -- queries

    @property
    def stones(self) -> np.ndarray:
        """int8 (rows, columns): BLACK, WHITE or EMPTY."""
        return self.board[0]["colour"][board_points(self.shape)].reshape(self.shape)

    @property
    def white_points(self) -> float:
        """White's points by komi and for handicap stones."""
        return self.komi + self.handicap_bonus

    @property
    def counts_territory(self) -> bool:
        """Whether a game of Go is scored by territory."""
        return bool(self.board[0]["territory"])

    @property
    def area_komi(self) -> float:
        """White's points against the area at the end, by which its own rules decide the game (area.area_komi)."""
        return float(area_komi(self.board[0], self.white_points))

    @property
    def captures(self) -> dict[int, int]:
        """The number of stones that each colour has captured."""
        return {BLACK: int(self.board[0]["black_captures"]), WHITE: int(self.board[0]["white_captures"])}

    @property
    def plies(self) -> int:
        """The number of moves since the setup, passes included."""
        return len(self._moves)

    @property
    def history(self) -> np.ndarray:
        """uint64 (plies + 1,): the hash of every position since the setup, this one last; not to be changed."""
        return self._hashes if len(self._moves) else self.board["hash"].copy()

    def positions(self) -> Iterator[Self]:
        """Every position from the start to this one."""
        for plies, board in enumerate(self._boards(self.plies - 1)):
            yield self._with_board(board, plies)
        yield self

    @property
    def moves(self) -> tuple[tuple[int, int], ...]:
        """(colour, point) of every move since the setup."""
        return tuple((colour, point) for point, colour, _ in self._moves.tolist())

    def __str__(self) -> str:
        """The board with coordinates; the last move in parentheses."""
        rows, cols = self.shape
        letters = "   " + " ".join(COLUMNS[:cols])
        last = None if self.last in (None, PASS) else row_col(self.last, self.shape)
        lines = [letters]
        for row, stones in enumerate(self.stones):
            text = "".join(f" {STONE_MARKS[int(stone)]}" for stone in stones) + " "
            if last and last[0] == row:
                at = 2 * last[1]
                text = text[:at] + "(" + text[at + 1] + ")" + text[at + 3:]
            lines.append(f"{rows - row:2d}{text}{rows - row:d}")
        lines.append(letters)
        return "\n".join(lines)
