"""Random access to a shuffled stream of positions, without memory: a keyed permutation of 0 ... n - 1.  Compiled.

    step      0       1       2     ...  n - 1   n       n + 1  ...
    epoch     0                                  1
    position  p0(0)   p0(1)   p0(2) ...          p1(0)   p1(1)  ...      pe: the permutation of epoch e

A position depends on (seed, step) only, so training resumes exactly at any step.
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.data.game_hash import splitmix64


@subroutine
def _permuted(i, n, key):
    """Element i of the permutation of 0 ... n - 1 that key, a uint64, selects.

    A Feistel network on the smallest even number of bits that holds n, with cycle walking (Black & Rogaway 2002,
    "Ciphers with arbitrary finite domains").
    """
    half = np.uint64(1)
    while (np.uint64(1) << (half + half)) < np.uint64(n):
        half += np.uint64(1)
    mask = (np.uint64(1) << half) - np.uint64(1)
    x = np.uint64(i)
    while True:
        left = x >> half
        right = x & mask
        for k in range(6):
            left, right = right, left ^ (splitmix64(right ^ splitmix64(key + np.uint64(k))) & mask)
        x = (left << half) | right
        if x < np.uint64(n):
            return np.int64(x)


@kernel
def shuffled_positions(start, count, n, seed):
    """Elements start ... start + count - 1 of the endless shuffled stream of n positions.

    Every epoch is a permutation of all n positions that depends on (seed, epoch).
    Returns (int64 (count,) position indices, int64 (count,) random symmetries 0 ... 7).
    """
    indices = np.empty(count, np.int64)
    symmetries = np.empty(count, np.int64)
    for j in range(count):
        i = np.int64(start) + j
        epoch = i // n
        key = splitmix64(np.uint64(seed) ^ splitmix64(np.uint64(epoch)))
        indices[j] = _permuted(i % n, n, key)
        symmetries[j] = np.int64(splitmix64(key ^ splitmix64(np.uint64(i))) >> np.uint64(61))
    return indices, symmetries
