"""Gomoku: the first with k stones in a row wins.  Compiled.

    . . . . . . . .
    . . . O . . . .        k = 5 on 8x8, 15x15: five in a row
    . . X X X . . .        k = 4 on 6x6
    . O . . . . . .        k = 3 on 3x3: noughts and crosses

Free-style: no forbidden moves, and more than k in a row win too; with `exactly` they do not.  A full board is a draw,
and there is no pass.  The board is Go's record (board.BOARD) with its field k set, without chains, ko and captures.
"""
import re

import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.board import BLACK, BORDER, EMPTY, POINTS, RECENT, occupy, points
from mugo.games.coords import MAX_SIZE, PASS, BoardSize, board_points, format_size, is_on_board, shape_of
from mugo.games.history import decode
from mugo.games.planes import Plane
from mugo.games.position import BasePosition
from mugo.games.rollouts import MOGO, UNIFORM, random_below

MIN_SIZE = 3
DEFAULT_K = {3: 3, 4: 4, 5: 4, 6: 4}     # the shorter edge -> how many in a row win by default; else 5


def default_row(size: BoardSize) -> int:
    """How many in a row win on a board of this size by default."""
    return DEFAULT_K.get(min(shape_of(size)), 5)


def format_row(k: int, exactly: bool = False) -> str:
    """'5 in a row', 'exactly 5 in a row'."""
    return f"{'exactly ' if exactly else ''}{k} in a row"


def interpret_row(text: str) -> tuple[int, bool] | None:
    """(k, exactly) of a text as `format_row` writes it; None for other texts."""
    match = re.fullmatch(r"\s*(exactly\s+)?(\d{1,2}) in a row\s*", text, re.IGNORECASE | re.ASCII)
    return (int(match[2]), bool(match[1])) if match else None


# ---- rules

@kernel
def _run(b, p, d, c):
    """The number of stones of c in a row from p on in direction d, p not counted."""
    n = 0
    q = p + d
    while b.colour[q] == c:
        n += 1
        q += d
    return n


@kernel
def _is_row(b, n):
    """Whether n stones in a row win."""
    return n == b.k or (n > b.k and not b.exactly)


@subroutine
def wins(b, p, c):
    """Whether a stone of c on p, placed already or not, is part of a winning row."""
    w = b.width
    for d in (1, w - 1, w, w + 1):
        if _is_row(b, 1 + _run(b, p, d, c) + _run(b, p, -d, c)):
            return True
    return False


@kernel
def play(b, p, c):
    """Play c on the empty point p; -c is next to play."""
    b.moves += 1
    b.recent[b.moves & (RECENT - 1)] = p
    b.to_play = -c
    occupy(b, p, c)
    if wins(b, p, c):
        b.winner = c


@kernel
def is_over(b):
    """Whether somebody has won, or the board is full."""
    return b.winner != EMPTY or b.n_empty == 0


@kernel
def set_up(b, setup):
    """Place encoded stones on an empty board; returns the number placed before the first that is impossible or wins."""
    for i in range(len(setup)):
        p, c = decode(b, setup[i])
        if p == PASS or p >= POINTS or b.colour[p] != EMPTY or wins(b, p, c):
            return i
        occupy(b, p, c)
    return len(setup)


# ---- rollouts

NO_POINT = np.int64(0)                   # numba compiles a function once more for a literal 0, and for a default


@subroutine
def winning_point(b, p, c, but=0):
    """An empty point other than `but` that completes a winning row through the stone of c on p; 0 if there is none."""
    w = b.width
    for d in (1, w - 1, w, w + 1):
        ahead = _run(b, p, d, c)
        behind = _run(b, p, -d, c)
        e = p + (ahead + 1) * d
        if b.colour[e] == EMPTY and e != but and _is_row(b, 2 + ahead + behind + _run(b, e, d, c)):
            return e
        e = p - (behind + 1) * d
        if b.colour[e] == EMPTY and e != but and _is_row(b, 2 + ahead + behind + _run(b, e, -d, c)):
            return e
    return 0


@subroutine
def any_winning_point(b, c, but=0):
    """An empty point other than `but` on which c wins at once; 0 if there is none."""
    for p in points(b):
        if b.colour[p] == c:
            e = winning_point(b, p, c, but)
            if e:
                return e
    return 0


@subroutine
def double_threat(b, c):
    """An empty point where a stone of c makes two winning points, as an open four has; 0 if there is none."""
    for p in points(b):
        if b.colour[p] == EMPTY:
            b.colour[p] = c
            e = winning_point(b, p, c, NO_POINT)
            if e:
                e = winning_point(b, p, c, e)
            b.colour[p] = EMPTY
            if e:
                return p
    return 0


@subroutine
def _winning_point_of_move(b, back, c):
    """As any_winning_point, but only for rows through the stone of one move: the last, or the one `back` before it."""
    if b.moves > back:
        p = np.int64(b.recent[(b.moves - back) & (RECENT - 1)])
        if p != PASS and b.colour[p] == c:
            return winning_point(b, p, c, NO_POINT)
    return 0


@kernel
def forced_move(b, reads_threats):
    """As game.forced_move."""
    p = any_winning_point(b, b.to_play, NO_POINT)
    if p:
        return p, 1, 1
    p = any_winning_point(b, -b.to_play, NO_POINT)
    if p:
        return p, -1, -1 if any_winning_point(b, -b.to_play, p) else 1
    p = double_threat(b, b.to_play) if reads_threats else 0
    if p:
        return p, 1, 1
    return 0, -1, 1


@subroutine
def roll_out_mogo(b, light_boards, mercy, first_plays):
    """roll_out of the kind MOGO.  light_boards, mercy: of Go."""
    return roll_out(b, MOGO, first_plays)


@subroutine
def roll_out_uniform(b, light_boards, mercy, first_plays):
    """roll_out of the kind UNIFORM.  light_boards, mercy: of Go."""
    return roll_out(b, UNIFORM, first_plays)


@subroutine
def roll_out(b, kind, first_plays):
    """Play b to its end at random; returns the winner, EMPTY for a draw.

    first_plays: gets the colour of each stone played.  kind: UNIFORM, all moves equally likely; MOGO, a move that wins
    at once, else one that blocks such a move, else any.  Before the first two moves the whole board is searched for
    them; later only the last two moves can have made new ones.
    """
    c = b.to_play
    n_searches = 0
    while not is_over(b):
        p = 0
        if kind == MOGO and n_searches < 2:
            n_searches += 1
            p = any_winning_point(b, c, NO_POINT)
            if p == 0:
                p = any_winning_point(b, -c, NO_POINT)
        elif kind == MOGO:
            p = _winning_point_of_move(b, np.int64(1), c)
            if p == 0:
                p = _winning_point_of_move(b, np.int64(0), -c)
        if p == 0:
            p = np.int64(b.empties[random_below(b, b.n_empty)])
        first_plays[p] = c
        play(b, p, c)
        c = -c
    return b.winner


# ---- planes of a network

# As AlphaZero_Gomoku (Junxiao Song 2017) has them; one byte a point.
PLANES = (
    Plane("stone colour", 2, "mine, theirs"),
    Plane("last move", 1, "the opponent's"),
    Plane("colour to move", 1, "everywhere, if it is Black's turn"),
)
DEPTH = sum(plane.depth for plane in PLANES)
PACKED = 1
_MINE, _THEIRS, _LAST, _BLACK_TO_MOVE = 1, 2, 4, 8


@subroutine
def write_planes(b, history, scratch, symmetry, out):
    """Write the packed planes of b to out, uint8 (points, PACKED), for the side to move.  history, scratch: of Go."""
    c = b.to_play
    last = np.int64(b.recent[b.moves & (RECENT - 1)])
    i = 0
    for p in points(b):
        s = b.colour[p]
        if s != BORDER:
            bits = _MINE if s == c else _THEIRS if s == -c else 0
            if p == last:
                bits |= _LAST
            if c == BLACK:
                bits |= _BLACK_TO_MOVE
            out[symmetry[i], 0] = bits
            i += 1


# ---- positions

class GomokuPosition(BasePosition):
    """A position on a board of 3 to 19 rows and columns.  k: how many in a row win.  exactly: whether more do not."""

    game = "gomoku"
    may_pass = False
    _play = staticmethod(play)
    _set_up = staticmethod(set_up)

    def __init__(self, size: BoardSize = 8, k: int | None = None, exactly: bool = False, to_play: int = BLACK):
        """An empty board; k: default_row(size) by default.  Raises ValueError for a side or a k that does not fit."""
        k = default_row(size) if k is None else k
        shape = shape_of(size)
        if not MIN_SIZE <= min(shape) <= max(shape) <= MAX_SIZE:
            raise ValueError(f"a Gomoku board is {MIN_SIZE}x{MIN_SIZE} to {MAX_SIZE}x{MAX_SIZE}, not "
                             f"{format_size(size)}")
        if not 3 <= k <= max(shape):
            raise ValueError(f"3 to {max(shape)} in a row can win on {format_size(size)}, not {k}")
        super().__init__(shape, 0.0, to_play)
        self.k, self.exactly = k, exactly
        self.board["k"], self.board["exactly"] = k, exactly

    def _empty(self, to_play: int) -> "GomokuPosition":
        return GomokuPosition(self.shape, self.k, self.exactly, to_play)

    def has_same_rules(self, other: BasePosition) -> bool:
        return other.game == self.game and (other.shape, other.k, other.exactly) == (self.shape, self.k, self.exactly)

    def why_illegal(self, point: int, colour: int | None = None) -> str | None:
        if self.is_over:
            return "comes after the end of the game"
        if point == PASS:
            return "is not a move of Gomoku"
        if not is_on_board(point, self.shape):           # kernels do not check it
            return f"is not a point of the {format_size(self.shape)} board"
        return None if self.board[0]["colour"][point] == EMPTY else "is occupied"

    def legal_points(self) -> np.ndarray:
        """int64 (n,): the empty points, by row and column; none when the game is over."""
        every = board_points(self.shape)
        return every[:0] if self.is_over else every[self.board[0]["colour"][every] == EMPTY]

    def sensible_points(self) -> np.ndarray:
        return self.legal_points()

    @property
    def is_over(self) -> bool:
        return bool(is_over(self.board[0]))

    @property
    def winner(self) -> int:
        """BLACK or WHITE; EMPTY while nobody has won."""
        return int(self.board[0]["winner"])

    @property
    def row(self) -> tuple[int, ...]:
        """The points of the winning row, in order; () if there is none."""
        if not self.winner:
            return ()
        board, width = self.board[0], self.shape[1] + 1
        for step in (1, width - 1, width, width + 1):
            before, after = (int(_run(board, self.last, d, self.winner)) for d in (-step, step))
            if _is_row(board, before + 1 + after):
                return tuple(range(self.last - before * step, self.last + after * step + 1, step))
        raise AssertionError("the last move has won, so it is part of a row")

    def score(self) -> float:
        """1.0 if Black has won, -1.0 if White has, else 0.0."""
        return float(self.winner)

    def result(self) -> str:
        """The result in SGF: 'B+', 'W+', '0' for a draw, '?' while the game is not over."""
        return {1: "B+", -1: "W+"}.get(self.winner, "0" if self.is_over else "?")
