"""The connected components of a board, chains and regions of empty points, from packed planes.  Compiled.

    X X . O      0 0 2 3     the component of each point, by the index of its first point in reading order
    . X . O      2 0 2 3
    . . . O      2 2 2 3

Points of one colour that are neighbours are of one component: Graepel et al. 2001 ("Learning on graphs in the game of
Go") call its graph the common fate graph, with empty points one by one.
"""
import numpy as np

from mugo.core.jit import kernel, subroutine

COLOURS = 7                              # bits of the first byte of a point: planes "mine", "theirs", "empty"


@subroutine
def _root(parent, p):
    """The first point of the component of p.  Shortens the path to it."""
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p


@kernel
def _write_components(packed, cols, first):
    for i in range(len(packed)):
        parent = first[i]
        for p in range(len(parent)):
            parent[p] = p
            colour = packed[i, p, 0] & COLOURS
            if p >= cols and packed[i, p - cols, 0] & COLOURS == colour:
                parent[p] = _root(parent, p - cols)
            if p % cols and packed[i, p - 1, 0] & COLOURS == colour:
                left = _root(parent, p - 1)
                above = parent[p]
                parent[max(left, above)] = min(left, above)
                parent[p] = min(left, above)
        for p in range(len(parent)):
            parent[p] = _root(parent, p)


def connected_components(packed: np.ndarray, cols: int) -> np.ndarray:
    """For each point of n boards the index of the first point of its component: int32 (n, points).

    packed: uint8 (n, points, bytes), packed planes of Go, in reading order.  cols: of the boards.
    """
    first = np.empty(packed.shape[:2], np.int32)
    _write_components(packed, cols, first)
    return first
