"""Positions from drawn boards, and assertions that print the board with the points that differ marked.

    position, at = draw('''
        . X . .          X black, O white, . empty, separated by spaces
        X O a .          a name stands for an empty point: at["a"]
        . Xb . .         after X or O it is the name of a stone: at["b"]
        . . . .
    ''')

No rules are checked here: go.GoPosition refuses a board that is not legal.
"""
import re
from collections.abc import Iterable

import numpy as np

from mugo.games import gomoku
from mugo.games.board import BLACK
from mugo.games.coords import COLUMNS, PASS, board_points, format_gtp, point_at
from mugo.games.go import GoPosition
from mugo.games.planes import DEPTH, PLANES
from mugo.games.position import COLOUR_NAMES, STONE_MARKS, BasePosition

_CELL = re.compile(r"([XO]?)([a-z0-9]*)")

# A ladder that begins on a and runs to the edge.
LADDER = """
    O O O X . . .
    O X O X X . .
    X X O O a . .
    X X X b . . .
    X . X . . . .
    X X . . . . .
    . X . . . . .
"""

# A seki: two chains of ten and nine stones share the liberties a and b, and the side that plays there loses.
SEKI = """
    O O X a O X X
    . O X X O X .
    O O X X O X X
    . O X X O X .
    O O X O O X X
    . O X O O X .
    O O X b O X X
"""

# A finished game: Black has 28 points, White 21; the stones a and b are dead.
DEAD_STONES = """
    . X . X O . O
    X X X X O O O
    . Oa X X O O .
    . . X X O Xb O
    X X X X O . O
    X . X X O O O
    X X X X O . O
"""

# A finished game: all stones are alive, and the points a, b, c are territory.
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
    """The position of a drawn board, and the point of each name.

    komi: 0, so that scores are easy to count.  k: if not 0, the game is Gomoku, and k in a row win.
    """
    rows = [line.split() for line in picture.strip().splitlines()]
    size = len(rows), len(rows[0])
    stones: dict[str, list[int]] = {"X": [], "O": []}
    at: dict[str, int] = {}
    for row, cells in enumerate(rows):
        assert len(cells) == size[1], f"row {row + 1} has {len(cells)} points, the first has {size[1]}"
        for col, cell in enumerate(cells):
            match = _CELL.fullmatch(cell.removeprefix("."))
            assert match, f"{cell!r} in row {row + 1} is not a point of a drawn board"
            stone, name = match.groups()
            assert name not in at, f"two points have the name {name!r}"
            if stone:
                stones[stone].append(point_at(row, col, size))
            if name:
                at[name] = point_at(row, col, size)
    empty = gomoku.GomokuPosition(size, k) if k else GoPosition(size, komi)
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
    """A board, int8 (rows, columns), as text, with [ ] around the marked points."""
    marked = {int(point) for point in marked}
    rows, cols = stones.shape
    lines = ["   " + "  ".join(COLUMNS[:cols])]
    for row in range(rows):
        line = f"{rows - row:2d}"
        for col in range(cols):
            stone = STONE_MARKS[int(stones[row, col])]
            line += f"[{stone}]" if point_at(row, col, stones.shape) in marked else f" {stone} "
        lines.append(line)
    return "\n".join(lines)


def assert_same_stones(actual: np.ndarray, expected: np.ndarray, when: str = "") -> None:
    """Assert that two boards, int8 (rows, columns), are equal; the error shows both, the different points marked."""
    wrong = board_points(actual.shape)[(actual != expected).ravel()]
    if len(wrong):
        raise AssertionError(f"the boards differ at the marked points {when}\nactual\n{show(actual, wrong)}\n"
                             f"expected\n{show(expected, wrong)}")


def assert_same_points(position: GoPosition, actual: Iterable[int], expected: Iterable[int], what: str) -> None:
    """Assert that two sets of points are equal; the error shows the board, the different points marked."""
    actual, expected = {int(p) for p in actual}, {int(p) for p in expected}
    if actual != expected:
        names = [", ".join(format_gtp(p, position.shape) for p in sorted(points)) or "none"
                 for points in (actual - expected, expected - actual)]
        raise AssertionError(f"{what}: wrong {names[0]}; missing {names[1]}\n"
                             f"{show(position.stones, actual ^ expected)}\n{_to_play(position)}")


def assert_same_planes(position: GoPosition, actual: np.ndarray, expected: np.ndarray) -> None:
    """Assert that two encodings, (rows, columns, DEPTH), are equal; the error shows the first different plane."""
    if np.array_equal(actual, expected):
        return
    for k in range(DEPTH):
        wrong = board_points(position.shape)[(actual[..., k] != expected[..., k]).ravel()]
        if len(wrong):
            set_points = board_points(position.shape)[(actual[..., k] != 0).ravel()]
            assert_same_points(position, set_points, set(set_points) ^ set(wrong), plane_name(k))


def plane_name(k: int) -> str:
    """The name of plane k: 'plane 13, liberties 2 of 8'."""
    first = 0
    for plane in PLANES:
        if k < first + plane.depth:
            return f"plane {k}, {plane.name} {k - first + 1} of {plane.depth}"
        first += plane.depth
    raise IndexError(k)


def _to_play(position: GoPosition) -> str:
    last = "" if position.last is None else f" after {format_gtp(position.last, position.shape)}"
    return f"{COLOUR_NAMES[position.to_play]} to play{last}, ply {position.plies}"
