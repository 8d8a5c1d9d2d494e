"""A frame around a life-and-death problem: the rest of the board is filled, so that the problem decides the game.

    . . . . . . . . .        . . . . . X O O O        a problem in a corner: White is to live, Black to kill
    . . . . . . . . .        . . . . . X O O O
    . . . . . . . . .        . . . . . X O . O        X  the attacker's wall around it, with points left between
    X X . . . . . . .   ->   X X . . . X O O O        O  the defender's part of the rest of the board
    O O X . . . . . .        O O X . . X O . O
    . O X . . . . . .        . O X . . X O O O        parts have eyes, so nothing there is left to be played

The parts are so large that the attacker wins by WIN_BY points, komi included, who captures all of the defender's
stones, and else loses, where there is room for that.  After the frame of KaTrain (katrain/core/tsumego_frame.py).
"""
from collections.abc import Iterator

import numpy as np

from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.go import GoPosition

MARGIN = 2                # points between the stones of the problem and the wall
SNAP = 2                  # a problem that is so near to an edge, in points, is at the edge
WIN_BY = 5                # points


def with_tsumego_frame(position: GoPosition, attacker: int | None = None) -> GoPosition:
    """The position with a frame around its stones, without history, with the same side to move, rules and komi; the
    position itself where it has no stones, or no room for a wall.

    attacker: BLACK or WHITE; None: the side whose stones are outside.
    """
    stones = position.stones
    attacker = attacker or attacker_of(position)
    zone = _zone(stones) if stones.any() else np.ones(stones.shape, bool)
    wall = _near(zone) & ~zone
    if attacker is None or not wall.any():
        return position
    rest = ~(zone | wall)
    framed = stones.copy()
    defended = _part_of_defender(rest, zone, _defender_points(position, attacker, int(zone.sum()), int(rest.sum())))
    for part, colour in (defended, -attacker), (~defended & ~zone, attacker):
        for piece in _pieces(part):
            eyes = _eyes(piece)
            has_wall = bool((piece & wall).any())
            if has_wall or eyes.sum() >= 2:              # else it stays empty
                framed[piece & ~eyes] = colour
    return position.with_board(framed, position.to_play)


def attacker_of(position: GoPosition) -> int | None:
    """The colour that most of the outermost stones have, seen from the sides of the problem that are inside the board;
    of equally many, that of more stones.  None without stones."""
    stones = position.stones
    if not stones.any():
        return None
    zone, seen = _zone(stones), 0
    for axis, lines in enumerate((stones.T, stones)):
        at = np.flatnonzero(zone.any(1 - axis))
        for line in lines:
            on_line = line[line != EMPTY]
            if len(on_line):
                seen += int(on_line[0]) * bool(at[0] > 0) + int(on_line[-1]) * bool(at[-1] < len(line) - 1)
    return BLACK if (seen or stones.sum()) > 0 else WHITE


def _zone(stones: np.ndarray) -> np.ndarray:
    """bool (rows, columns): the bounding box of the stones, MARGIN wider where it is not at an edge."""
    zone = np.zeros(stones.shape, bool)
    spans = []
    for axis, length in enumerate(stones.shape):
        at = np.flatnonzero(stones.any(1 - axis))
        first, last = int(at[0]) - MARGIN, int(at[-1]) + MARGIN
        spans.append(slice(0 if first < SNAP else first, length if last > length - 1 - SNAP else last + 1))
    zone[tuple(spans)] = True
    return zone


def _near(points: np.ndarray) -> np.ndarray:
    """bool: the points next to some points, diagonals included, and themselves."""
    padded = np.pad(points, 1)
    rows, cols = points.shape
    return np.any([padded[i:i + rows, j:j + cols] for i in range(3) for j in range(3)], axis=0)


def _defender_points(position: GoPosition, attacker: int, zone: int, rest: int) -> int:
    """How many points of the rest are the defender's.  The attacker has the wall, and all of the zone after a capture:
    wall + rest - d + zone - d -+ komi = WIN_BY."""
    komi = position.area_komi if attacker == BLACK else -position.area_komi
    return min(max(round((position.area - komi - WIN_BY) / 2), 0), rest)


def _part_of_defender(rest: np.ndarray, zone: np.ndarray, points: int) -> np.ndarray:
    """bool: about this many points of the rest, line by line from the edge that is the farthest from the zone.  A piece
    of either side without room for two eyes goes to the other."""
    room = {}                                            # lines between an edge and the zone -> the order of the points
    for axis, lines in enumerate(np.indices(rest.shape)):
        at = np.flatnonzero(zone.any(1 - axis))
        room[int(at[0])] = lines
        room[rest.shape[axis] - 1 - int(at[-1])] = -lines
    lines = room[max(room)]
    order = np.lexsort((np.arange(rest.size), lines.ravel(), ~rest.ravel()))[:points]
    part = np.zeros(rest.size, bool)
    part[order] = True
    part = part.reshape(rest.shape)
    for piece in _pieces(part):
        if _eyes(piece).sum() < 2:
            part &= ~piece
    for piece in _pieces(~part & ~zone):
        if not (piece & ~rest).any() and _eyes(piece).sum() < 2:         # the piece with the wall needs no eyes
            part |= piece
    return part


def _pieces(points: np.ndarray) -> Iterator[np.ndarray]:
    """bool, of each: the pieces of some points that are connected along the lines."""
    left = points.copy()
    while left.any():
        piece = np.zeros(points.shape, bool)
        piece.ravel()[np.flatnonzero(left)[0]] = True
        while True:
            grown = piece.copy()
            grown[1:] |= piece[:-1]
            grown[:-1] |= piece[1:]
            grown[:, 1:] |= piece[:, :-1]
            grown[:, :-1] |= piece[:, 1:]
            grown &= points
            if (grown == piece).all():
                break
            piece = grown
        yield piece
        left &= ~piece


def _eyes(part: np.ndarray) -> np.ndarray:
    """bool: the points of a part that are left empty: inside it, in every other row and column, so that its stones are
    one chain.  The one of the four ways to choose them that has the most."""
    inside = ~_near(~part)
    rows, cols = np.indices(part.shape)
    ways = [inside & (rows % 2 == row) & (cols % 2 == col) for row in (0, 1) for col in (0, 1)]
    return max(ways, key=np.sum)
