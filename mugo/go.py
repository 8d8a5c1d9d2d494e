"""A position of a game of Go: a board plus whose turn it is, history, komi and handicap.

    empty -- play --> Position -- play --> Position -- play --> Position
                         |                    |                    |
                      .previous           .previous            .previous      (undo goes back)

A Position is a value: `play` returns a new one, and nothing changes an old one.  The rules are
Tromp-Taylor's but for suicide, which is illegal: area scoring, positional superko.
https://tromp.github.io/go.html
"""
from collections.abc import Iterable, Iterator

import numpy as np

from mugo import board as rules
from mugo.board import BLACK, EMPTY, WHITE
from mugo.coords import COLUMNS, MAX_SIZE, MIN_SIZE, PASS, board_points, format_gtp, point_at, row_col

NAMES = {BLACK: "Black", WHITE: "White"}
MARKS = {BLACK: "X", WHITE: "O", EMPTY: "."}


class IllegalMove(ValueError):
    """A move that the rules forbid; the text names it and the rule."""


class Position:
    """A board of any size from 2 to 19, its history and what is needed to score it.

    size, komi, to_play (BLACK or WHITE), handicap (how many handicap stones were placed).
    board: (1,) record of board.BOARD; read it, never write it.
    history: uint64 (n + 1,), the hash of every position since the setup, this one last.
    previous: the position before the last move, None at the start.
    last, mover: the point of the last move (PASS for a pass) and its colour, None at the start.
    """

    __slots__ = ("size", "komi", "handicap", "board", "history", "previous", "last", "mover")

    def __init__(self, size: int = 19, komi: float = 7.5, to_play: int = BLACK):
        """An empty board.  Raises ValueError for a size outside 2 to 19."""
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise ValueError(f"a board is {MIN_SIZE}x{MIN_SIZE} to {MAX_SIZE}x{MAX_SIZE}, not {size}x{size}")
        self.size = size
        self.komi = komi
        self.handicap = 0
        self.board = rules.new_boards(1)
        rules.clear(self.board[0], size)
        self.board[0]["to_play"] = to_play
        self.history = np.zeros(1, np.uint64)
        self.previous: Position | None = None
        self.last: int | None = None
        self.mover: int | None = None

    def _copy(self) -> "Position":
        other = object.__new__(Position)
        for name in Position.__slots__:
            setattr(other, name, getattr(self, name))
        other.board = self.board.copy()
        return other

    # -- moving

    @property
    def to_play(self) -> int:
        return int(self.board[0]["to_play"])

    def play(self, point: int, colour: int | None = None) -> "Position":
        """The position after a move (PASS passes) of the side to move, or of another colour.

        Raises IllegalMove, naming the move and the rule.
        """
        colour = self.to_play if colour is None else colour
        why = self.why_illegal(point, colour)
        if why:
            raise IllegalMove(f"illegal move: {format_gtp(point, self.size)} {why}")
        after = self._copy()
        board = after.board[0]
        rules.play(board, point, colour)
        after.history = np.append(self.history, board["hash"])
        after.previous = self
        after.last, after.mover = point, colour
        return after

    def why_illegal(self, point: int, colour: int | None = None) -> str | None:
        """None if the move is legal, else what is wrong with it: 'retakes the ko'."""
        if point == PASS:
            return None
        colour = self.to_play if colour is None else colour
        board = self.board[0]
        answer = rules.legality(board, point, colour)
        if answer == rules.OCCUPIED:
            return "is occupied"
        if answer == rules.KO:
            return "retakes the ko"
        if answer == rules.SUICIDE:
            return "is suicide"
        if rules.is_repetition(board, self.history, point, colour):
            return "repeats a position (superko)"
        return None

    def undo(self) -> "Position":
        """The position before the last move.  Raises IllegalMove at the start."""
        if self.previous is None:
            raise IllegalMove("there is no move to undo")
        return self.previous

    def legal_points(self) -> np.ndarray:
        """int64 (n,): every point the side to move may play on; a pass is always legal too."""
        return rules.legal_points(self.board[0], self.history, False)

    def sensible_points(self) -> np.ndarray:
        """int64 (n,): the legal points that fill no true eye of the side to move."""
        return rules.legal_points(self.board[0], self.history, True)

    def with_turn(self, colour: int) -> "Position":
        """This position with `colour` to move; a ko binds only the side it was taken from."""
        if colour == self.to_play:
            return self
        other = self._copy()
        rules.give_turn(other.board[0], colour)
        return other

    # -- setting up

    def with_stones(self, black: Iterable[int] = (), white: Iterable[int] = (),
                    to_play: int | None = None) -> "Position":
        """A new start: this board with more stones on it, and no history.

        Raises IllegalMove for a point that is taken, or a stone without a liberty.
        """
        other = Position(self.size, self.komi, self.to_play if to_play is None else to_play)
        other.handicap = self.handicap
        stones = [(p, int(c)) for p, c in zip(board_points(self.size), self.stones.ravel(), strict=True) if c]
        stones += [(p, BLACK) for p in black] + [(p, WHITE) for p in white]
        index = {p: i for i, p in enumerate(board_points(self.size).tolist())}
        bits = {BLACK: 0, WHITE: rules.WHITE_BIT}
        coded = np.array([index[int(point)] + bits[colour] for point, colour in stones], np.int16)
        placed = rules.set_up(other.board[0], coded)
        if placed < len(stones):
            point, colour = stones[placed]
            colour_name = NAMES[colour].lower()
            raise IllegalMove(f"a {colour_name} stone cannot stand on {format_gtp(point, self.size)}")
        other.history = np.array([other.board[0]["hash"]], np.uint64)
        return other

    def with_handicap(self, points: Iterable[int]) -> "Position":
        """A new start with black handicap stones, White to move.  Raises IllegalMove."""
        points = list(points)
        other = self.with_stones(black=points, to_play=WHITE)
        other.handicap = len(points)
        return other

    # -- looking

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

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return bool(self.board[0]["passes"] >= 2)

    def line(self) -> Iterator["Position"]:
        """Every position from the start to this one."""
        positions = []
        position: Position | None = self
        while position is not None:
            positions.append(position)
            position = position.previous
        return reversed(positions)

    @property
    def moves(self) -> tuple[tuple[int, int], ...]:
        """(colour, point) of every move since the setup."""
        return tuple((after.mover, after.last) for after in self.line() if after.last is not None)

    def score(self) -> float:
        """Black's area minus White's, minus komi; every stone on the board counts as alive."""
        return rules.area_score(self.board[0]) - self.komi

    def result(self) -> str:
        """The score as SGF writes it: 'B+3.5', 'W+0.5', '0'."""
        return format_score(self.score())

    def __str__(self) -> str:
        """The board with its coordinates; the last move in parentheses."""
        size = self.size
        letters = "   " + " ".join(COLUMNS[:size])
        last = None if self.last in (None, PASS) else row_col(self.last, size)
        lines = [letters]
        for row, stones in enumerate(self.stones):
            text = "".join(f" {MARKS[int(stone)]}" for stone in stones) + " "
            if last and last[0] == row:
                at = 2 * last[1]
                text = text[:at] + "(" + text[at + 1] + ")" + text[at + 3:]
            lines.append(f"{size - row:2d}{text}{size - row:d}")
        lines.append(letters)
        return "\n".join(lines)


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
        return position.with_turn(rules.decode(position.board[0], record.moves[plies])[1])
    return position if len(record.moves) else position.with_turn(record.first)


def positions_of(record, plies: int | None = None, komi: float = 7.5) -> Iterator[Position]:
    """The start of a records.Record, then the position after each of its moves, as `position_of` has them; after
    the last legal one it raises IllegalMove."""
    size = record.size
    position = Position(size, komi if record.komi is None else record.komi)
    points = {BLACK: [], WHITE: []}
    for coded in record.setup:
        point, colour = rules.decode(position.board[0], coded)
        points[colour].append(point)
    position = position.with_stones(points[BLACK], points[WHITE])
    position.handicap = record.handicap
    yield position
    for number, coded in enumerate(record.moves[:plies], 1):
        point, colour = rules.decode(position.board[0], coded)
        if point != PASS and rules.legality(position.board[0], point, colour) != rules.LEGAL:
            raise IllegalMove(f"move {number}: {NAMES[colour]} {format_gtp(point, size)} "
                              f"{position.why_illegal(point, colour)}")
        after = position._copy()
        rules.play(after.board[0], point, colour)
        after.history = np.append(position.history, after.board[0]["hash"])
        after.previous, after.last, after.mover = position, point, colour
        position = after
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
