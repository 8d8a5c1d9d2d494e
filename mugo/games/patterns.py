"""The 3x3 patterns of MoGo-style rollouts, as the report draws them; the move is the point in the middle.  Compiled.

Gelly, Wang, Munos, Teytaud 2006, "Modification of UCT with Patterns in Monte-Carlo Go", INRIA RR-6062.

    X O    a stone of each colour        .    empty          #    off the board
    x o    anything but that stone       ?    anything

Every pattern counts in all eight symmetries; those of FOR_BOTH also with the colours swapped.  The eight points around
a point make a code of two bits each, for the side to move: 0 empty, 1 mine, 2 off the board, 3 theirs.

    MATCHES    bool (65536,)    at a code: whether a pattern matches
"""
import re
from collections.abc import Iterator

import numpy as np

from mugo.core.jit import subroutine

# Moves of either colour.  Rows: hane (the last one encloses less); cuts, where the opponent cannot simply connect below
# or to the side, and pushing through; the edge.
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
# Moves of X only: a thin hane; descending, blocking and cutting at the edge.
FOR_X = """
    X O O    ? X O    ? O X    ? O X
    . . .    ? . ?    ? . o    X . O
    ? . ?    # # #    # # #    # # #
"""

CODES = {".": (0,), "X": (1,), "#": (2,), "O": (3,), "x": (0, 2, 3), "o": (0, 1, 2), "?": (0, 1, 2, 3)}
_SWAPPED = str.maketrans("XOxo", "OXox")


def patterns(drawing: str) -> Iterator[str]:
    """Each 3x3 pattern of a drawing as nine letters, row by row."""
    for block in re.split(r"\n\s*\n", drawing.strip()):
        rows = [re.split(r"\s{3,}", line.strip()) for line in block.strip().splitlines()]
        for cells in zip(*rows, strict=True):
            yield "".join(cells).replace(" ", "")


def _symmetric(pattern: str) -> Iterator[str]:
    """A pattern in all eight symmetries."""
    square = np.array(list(pattern)).reshape(3, 3)
    for mirrored in square, square[:, ::-1]:
        for quarters in range(4):
            yield "".join(np.rot90(mirrored, quarters).ravel())


def _match_table() -> np.ndarray:
    """bool (65536,): whether any pattern matches a code."""
    matches = np.zeros((4,) * 8, bool)
    for_both = [pattern for drawn in patterns(FOR_BOTH) for pattern in (drawn, drawn.translate(_SWAPPED))]
    for pattern in {symmetric for drawn in (*for_both, *patterns(FOR_X)) for symmetric in _symmetric(drawn)}:
        neighbours = pattern[:4] + pattern[5:]
        matches[np.ix_(*(CODES[letter] for letter in neighbours))] = True
    return matches.ravel()


MATCHES = _match_table()                 # takes 5 ms


@subroutine
def code_around(b, p, c):
    """The code of the eight points around p for colour c, the upper left one in the highest bits."""
    w = b.width
    code = 0
    for d in (-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1):
        code = code << 2 | (b.colour[p + d] * c & 3)
    return code


@subroutine
def matches_pattern(b, p, c):
    """Whether a move of c on the empty point p matches a pattern."""
    return MATCHES[code_around(b, p, c)]
