"""A board as SVG text, for notebooks: no matplotlib.

    wood, grid, coordinates   stones, a ring on the last move   shares: discs with percentages   ownership: squares
"""
from collections.abc import Iterator, Mapping
from html import escape

import numpy as np

from mugo.games.board import BLACK
from mugo.games.coords import COLUMNS, row_col
from mugo.games.position import BasePosition
from mugo.plots.figures import BLUE, GREEN, INK, WOOD
from mugo.plots.terminal import star_points

UNIT, MARGIN, CAPTION = 24, 30, 24       # pixels: between two lines, around them, below the board
LEAST_SHARE, LEAST_OWNERSHIP = 0.005, 0.1         # less is not drawn


def board_svg(position: BasePosition, *, shares: Mapping[int, float] | None = None,
              ownership: np.ndarray | None = None, caption: str = "") -> str:
    """A position as SVG, with a caption below it.

    shares: point -> fraction from 0 to 1, a prior or the visits; the largest is the darkest.
    ownership: float (rows, columns), 1 Black's to -1 White's; the side of a point's square grows with it.
    """
    width, height = (UNIT * (n - 1) + 2 * MARGIN for n in reversed(position.shape))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(width, 6.5 * len(caption) + 10):g}" '
             f'height="{height + CAPTION}" '
             'font-family="sans-serif" text-anchor="middle">',
             f'<rect width="{width}" height="{height}" fill="{WOOD}"/>', *_grid(position.shape), *_stones(position)]
    most = max((shares or {}).values(), default=0)
    for point, share in (shares or {}).items():
        if share >= LEAST_SHARE and (place := row_col(point, position.shape)) is not None:
            parts += [_circle(*place, 11, f'fill="{WOOD}"'),             # the grid does not run through the number
                      _circle(*place, 11, f'fill="{BLUE}" fill-opacity="{0.15 + 0.75 * share / most:.2f}"'),
                      _text(*_at(*place), f"{100 * share:.0f}", "white" if share > 0.45 * most else INK)]
    for (row, col), owner in np.ndenumerate(np.zeros(position.shape) if ownership is None else ownership):
        if abs(owner) > LEAST_OWNERSHIP:
            (x, y), side = _at(row, col), 0.5 * UNIT * min(abs(float(owner)), 1)
            parts.append(f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}" '
                         f'fill="{"black" if owner > 0 else "white"}" stroke="gray" stroke-width="0.7"/>')
    parts.append(f'<text x="5" y="{height + 17}" font-size="12" fill="gray" text-anchor="start">{escape(caption)}'
                 '</text>')
    return "\n".join([*parts, "</svg>"])


def _at(row: float, col: float) -> tuple[float, float]:
    return MARGIN + UNIT * col, MARGIN + UNIT * row


def _text(x: float, y: float, text: str, fill: str = INK) -> str:
    return f'<text x="{x:g}" y="{y + 3.6:g}" font-size="10.5" fill="{fill}">{text}</text>'


def _circle(row: float, col: float, radius: float, style: str) -> str:
    x, y = _at(row, col)
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {style}/>'


def _grid(shape: tuple[int, int]) -> Iterator[str]:
    rows, cols = shape
    (left, top), (right, bottom) = _at(0, 0), _at(rows - 1, cols - 1)
    lines = [f"M{left} {_at(row, 0)[1]}H{right}" for row in range(rows)]
    lines += [f"M{_at(0, col)[0]} {top}V{bottom}" for col in range(cols)]
    yield f'<path d="{"".join(lines)}" stroke="{INK}" stroke-width="0.8" stroke-linecap="square"/>'
    yield from (_circle(row, col, 2.4, f'fill="{INK}"') for row, col in star_points(shape))
    for before in -0.9, 0:                 # the first line, and then the last
        yield from (_text(*_at(before or rows - 0.1, col), letter) for col, letter in enumerate(COLUMNS[:cols]))
        yield from (_text(*_at(row, before or cols - 0.1), str(rows - row)) for row in range(rows))


def _stones(position: BasePosition) -> Iterator[str]:
    """Stones, a ring on the last move, and in Gomoku green ones on the winning row."""
    for (row, col), stone in np.ndenumerate(position.stones):
        if stone:
            yield _circle(row, col, 11.3, f'fill="{"black" if stone == BLACK else "white"}" stroke="black"')
    ring = GREEN if position.row else "white" if position.mover == BLACK else "black"
    for point in position.row or [position.last or 0]:
        if (place := row_col(point, position.shape)) is not None:
            yield _circle(*place, 5.8, f'fill="none" stroke="{ring}" stroke-width="1.8"')
