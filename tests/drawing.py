"""Boards in pictures, for the tests: a picture in, a position out, and differences shown on the board.

    position, at = draw('''
        . X . .          X black, O white, . empty, apart by spaces
        X O a .          a word names an empty point: at["a"]
        . Xb . .         after X or O it names the stone there: at["b"]
        . . . .
    ''')

Nothing here knows a rule: a picture that no game could reach is refused by go.Position itself.
"""
import re
from collections.abc import Iterable

import numpy as np

from mugo.games import gomoku
from mugo.games.board import BLACK
from mugo.games.coords import COLUMNS, PASS, board_points, format_gtp, point_at
from mugo.games.go import STONE_MARKS, Position
from mugo.games.planes import DEPTH, PLANES
from mugo.games.position import BasePosition

_CELL = re.compile(r"([XO]?)([a-z0-9]*)")

# Two chains of ten and nine stones share the liberties a and b: whoever plays there loses.
SEKI = """
    O O X a O X X
    . O X X O X .
    O O X X O X X
    . O X X O X .
    O O X O O X X
    . O X O O X .
    O O X b O X X
"""

# A finished game: all is alive, the points a, b, c stand in the middle of territory.
SETTLED = """
    . X . X O . O
    X X X X O O O
    . a X X O b .
    X X X X O O O
    . c X X O . O
    . . X X O O .
    . . X X O O .
"""


def draw(picture: str, to_play: int = BLACK, komi: float = 0, k: int = 0) -> tuple[BasePosition, dict[str, int]]:
    """(the position, the point of each name) of a picture; no komi, so scores are easy to count.

    k: the game is Gomoku, and so many in a row win.
    """
    rows = [line.split() for line in picture.strip().splitlines()]
    size = len(rows)
    stones: dict[str, list[int]] = {"X": [], "O": []}
    at: dict[str, int] = {}
    for row, cells in enumerate(rows):
        assert len(cells) == size, f"row {row + 1} has {len(cells)} points, and there are {size} rows"
        for col, cell in enumerate(cells):
            match = _CELL.fullmatch(cell.removeprefix("."))
            assert match, f"{cell!r} in row {row + 1} is no point of a picture"
            stone, name = match.groups()
            assert name not in at, f"two points are called {name!r}"
            if stone:
                stones[stone].append(point_at(row, col, size))
            if name:
                at[name] = point_at(row, col, size)
    empty = gomoku.Position(size, k) if k else Position(size, komi)
    return empty.with_stones(stones["X"], stones["O"], to_play=to_play), at


def after(position: BasePosition, at: dict[str, int], names: str) -> BasePosition:
    """The position after moves on named points, colours alternating; 'pass' passes."""
    for name in names.split():
        position = position.play(PASS if name == "pass" else at[name])
    return position


def named(at: dict[str, int], names: str) -> set[int]:
    """The points with these names."""
    return {at[name] for name in names.split()}


def show(stones: np.ndarray, marked: Iterable[int] = ()) -> str:
    """The board, (size, size) of colours, with [ ] around the marked points."""
    marked = {int(point) for point in marked}
    size = len(stones)
    lines = ["   " + "  ".join(COLUMNS[:size])]
    for row in range(size):
        line = f"{size - row:2d}"
        for col in range(size):
            stone = STONE_MARKS[int(stones[row, col])]
            line += f"[{stone}]" if point_at(row, col, size) in marked else f" {stone} "
        lines.append(line)
    return "\n".join(lines)


def assert_same_stones(actual: np.ndarray, expected: np.ndarray, when: str = "") -> None:
    """Two boards, (size, size) of colours, are equal; else both are shown, the wrong points marked."""
    wrong = board_points(len(actual))[(actual != expected).ravel()]
    if len(wrong):
        raise AssertionError(f"the boards differ where marked {when}\nis\n{show(actual, wrong)}\n"
                             f"should be\n{show(expected, wrong)}")


def assert_same_points(position: Position, actual: Iterable[int], expected: Iterable[int], what: str) -> None:
    """Two sets of points are equal; else the board is shown with the points that differ marked."""
    actual, expected = {int(p) for p in actual}, {int(p) for p in expected}
    if actual != expected:
        names = [", ".join(format_gtp(p, position.size) for p in sorted(points)) or "none"
                 for points in (actual - expected, expected - actual)]
        raise AssertionError(f"{what}: wrong {names[0]}; missing {names[1]}\n"
                             f"{show(position.stones, actual ^ expected)}\n{_to_play(position)}")


def assert_same_planes(position: Position, actual: np.ndarray, expected: np.ndarray) -> None:
    """Two encodings, (size, size, DEPTH), are equal; else the first plane that differs is shown."""
    if np.array_equal(actual, expected):
        return
    for k in range(DEPTH):
        wrong = board_points(position.size)[(actual[..., k] != expected[..., k]).ravel()]
        if len(wrong):
            lit = board_points(position.size)[(actual[..., k] != 0).ravel()]
            assert_same_points(position, lit, set(lit) ^ set(wrong), plane_name(k))


def plane_name(k: int) -> str:
    """Plane number k in words: 'plane 13, liberties 2 of 8'."""
    first = 0
    for plane in PLANES:
        if k < first + plane.depth:
            return f"plane {k}, {plane.name} {k - first + 1} of {plane.depth}"
        first += plane.depth
    raise IndexError(k)


def _to_play(position: Position) -> str:
    last = "" if position.last is None else f" after {format_gtp(position.last, position.size)}"
    return f"{'Black' if position.to_play == BLACK else 'White'} to play{last}, ply {position.plies}"
