"""An input of networks that pool over chains and empty regions: the component of each point.  Compiled."""
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

        X X . O      0 0 2 3     components are chains and regions of empty points; Graepel et al. 2001, "Learning on
        . X . O      2 0 2 3     graphs in the game of Go", call their graph the common fate graph
        . . . O      2 2 2 3

    packed: uint8 (n, points, bytes), packed planes of Go, in reading order.  cols: the columns of the boards.
    """
    first = np.empty(packed.shape[:2], np.int32)
    _write_components(packed, cols, first)
    return first
