"""Random numbers of compiled code: xorshift64* (Vigna 2016), with its state in the board.  Compiled."""
import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def random_below(b, n):
    """A random int64 in [0, n); b.random is the state and must not be 0."""
    x = b.random
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    b.random = x
    high = (x * np.uint64(2685821657736338717)) >> np.uint64(32)
    return np.int64((high * np.uint64(n)) >> np.uint64(32))
