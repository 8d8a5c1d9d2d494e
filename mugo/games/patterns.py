"""The 3x3 shapes that MoGo-style rollouts answer the last move with, as the report drew them.  Compiled.

Gelly, Wang, Munos, Teytaud 2006, "Modification of UCT with Patterns in Monte-Carlo Go", RR-6062.
Nothing here knows whether a move is legal or wise.  The move is the point in the middle:

    X O    a stone of each colour        .    empty          #    off the board
    x o    anything but that stone       ?    anything

Every picture also counts turned and mirrored, and one for both also with the colours swapped.
The eight points around a point make a code of two bits each, seen by the side to move: 0 empty,
1 mine, 2 off the board, 3 theirs; MATCHES has an answer for each of the 65,536 codes.
"""
import re
from collections.abc import Iterator

import numpy as np
from numba import njit

# Either colour may be the one that plays.  Rows: hane (the last one encloses less); cut, where the
# opponent cannot just connect below or beside, and pushing through; the edge.
FOR_BOTH = """
    X O X    X O .    X O ?
    . . .    . . .    X . .
    ? ? ?    ? . ?    ? . ?

    X O ?    X O ?    ? X ?
    O . o    O . X    O . O
    ? o ?    ? ? ?    o o o

    X . ?    ? X ?
    O . ?    x . O
    # # #    # # #
"""
# Only X may be the one that plays: a thin hane; descending, blocking and cutting at the edge.
FOR_X = """
    X O O    ? X O    ? O X    ? O X
    . . .    ? . ?    ? . o    X . O
    ? . ?    # # #    # # #    # # #
"""

CODES = {".": (0,), "X": (1,), "#": (2,), "O": (3,), "x": (0, 2, 3), "o": (0, 1, 2), "?": (0, 1, 2, 3)}
_SWAPPED = str.maketrans("XOxo", "OXox")


def pictures(drawing: str) -> Iterator[str]:
    """Each 3x3 picture of a drawing as nine letters, row by row."""
    for block in re.split(r"\n\s*\n", drawing.strip()):
        rows = [re.split(r"\s{3,}", line.strip()) for line in block.strip().splitlines()]
        for cells in zip(*rows, strict=True):
            yield "".join(cells).replace(" ", "")


def _seen(picture: str) -> Iterator[str]:
    """A picture in all eight symmetries."""
    square = np.array(list(picture)).reshape(3, 3)
    for turned in square, square[:, ::-1]:
        for quarters in range(4):
            yield "".join(np.rot90(turned, quarters).ravel())


def _table() -> np.ndarray:
    """bool (65536,): whether any picture matches a code."""
    matches = np.zeros((4,) * 8, bool)
    both = [picture for drawn in pictures(FOR_BOTH) for picture in (drawn, drawn.translate(_SWAPPED))]
    for picture in {seen for drawn in (*both, *pictures(FOR_X)) for seen in _seen(drawn)}:
        around = picture[:4] + picture[5:]
        matches[np.ix_(*(CODES[letter] for letter in around))] = True
    return matches.ravel()


MATCHES = _table()                       # made in 5 ms


@njit(cache=True, nogil=True)
def code_around(b, p, c):
    """The code of the eight points around p as c sees them, the upper left one in the highest bits."""
    w = b.width
    code = 0
    for d in (-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1):
        code = code << 2 | (b.colour[p + d] * c & 3)
    return code


@njit(cache=True, nogil=True)
def matches_pattern(b, p, c):
    """Whether a move of c on the empty point p makes one of the pictures."""
    return MATCHES[code_around(b, p, c)]
