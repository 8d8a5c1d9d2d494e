"""Hashes of games that ignore rotation, reflection and colour: for duplicates and for the split.  Compiled.

    game ─ canonicalize ─> the moves of one of its 16 copies (8 symmetries x 2 colours)
         ─ splitmix64 ──> game hash     whole game: equal hashes are duplicates
                          opening hash  first OPENING_MOVES moves: decides train, validation or test

Two records of one game, one of them truncated after OPENING_MOVES moves or later, are in the same split.

    setup      int16 (k,)               encoded setup stones
    moves      int16 (n,)               encoded moves
    symmetry   int64 (8, size² + 1)     coords.symmetries(size): move index -> move index

And random access to a shuffled stream of positions, without memory: a keyed permutation of 0 ... n - 1.

    step      0       1       2     ...  n - 1   n       n + 1  ...
    epoch     0                                  1
    position  p0(0)   p0(1)   p0(2) ...          p1(0)   p1(1)  ...      pe: the permutation of epoch e

A position depends on (seed, step) only, so training resumes exactly at any step.
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.data.options import DEFAULT_FRACTION
from mugo.games.coords import WHITE_BIT

OPENING_MOVES = 40


@kernel
def splitmix64(x):
    """A uint64 hash of a uint64: one step of SplitMix64 (Steele, Lea & Flood 2014)."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def without_last_passes(size, moves):
    """Encoded moves without the passes at their end."""
    n = len(moves)
    while n and np.int64(moves[n - 1]) & (WHITE_BIT - 1) == size * size:
        n -= 1
    return moves[:n]


@subroutine
def transform_move(encoded, symmetry, colour_flip):
    """An encoded move under one row of `symmetries`; colour_flip: WHITE_BIT to exchange the colours, else 0."""
    return symmetry[np.int64(encoded) & (WHITE_BIT - 1)] | ((np.int64(encoded) & WHITE_BIT) ^ colour_flip)


@kernel
def canonicalize(size, setup, moves, symmetries, out):
    """Write the canonical form of a game's moves to out, int16 (n,): the same for all 16 copies of the game.

    Colours: the player of the first move becomes Black.  Symmetry: the one whose moves come first in
    lexicographic order.  So the canonical form of a game's beginning is the beginning of its canonical form.
    Returns a uint64 hash of the size and the setup.
    """
    colour_flip = np.int64(moves[0]) & WHITE_BIT if len(moves) else 0
    best = 0
    best_setup = np.uint64(0)
    for s in range(8):
        stones = np.uint64(0)
        for i in range(len(setup)):
            stones += splitmix64(np.uint64(transform_move(setup[i], symmetries[s], colour_flip)))
        order = 0                        # < 0: s comes before best
        if s:
            for i in range(len(moves)):
                order = (transform_move(moves[i], symmetries[s], colour_flip)
                         - transform_move(moves[i], symmetries[best], colour_flip))
                if order:
                    break
        if s == 0 or order < 0 or (order == 0 and stones < best_setup):
            best = s
            best_setup = stones
    for i in range(len(moves)):
        out[i] = transform_move(moves[i], symmetries[best], colour_flip)
    return best_setup + np.uint64(size)


@kernel
def prefix_hashes(size, setup, moves, symmetries):
    """A hash of a game after each number of moves, from none to all, uint64 (n + 1,); passes at its end do not count.

    The last one is the game hash.  So the game hash of a truncated copy is among the prefix hashes of the whole game.
    """
    moves = without_last_passes(size, moves)
    line = np.empty(len(moves), np.int16)
    hashes = np.empty(len(moves) + 1, np.uint64)
    hashes[0] = splitmix64(canonicalize(size, setup, moves, symmetries, line))
    for i in range(len(moves)):
        hashes[i + 1] = splitmix64(hashes[i] ^ np.uint64(line[i]))
    return hashes


@kernel
def game_hashes(size, setup, moves, symmetries):
    """(game hash, opening hash), uint64, of a game; passes at its end do not count."""
    hashes = prefix_hashes(size, setup, moves, symmetries)
    return hashes[-1], hashes[min(len(hashes) - 1, OPENING_MOVES)]


@kernel
def content_hashes(setup, moves, setup_start, setup_end, move_start, num_moves):
    """A hash of each game's setup and moves as they are stored, uint64 (n,); its 16 copies have different ones.

    setup, moves: those of all games.  The others: int64 (n,), as in shards.ranges.
    """
    out = np.empty(len(num_moves), np.uint64)
    for g in range(len(num_moves)):
        h = splitmix64(setup_end[g] - setup_start[g])
        for i in range(setup_start[g], setup_end[g]):
            h = splitmix64(h ^ np.uint64(setup[i]))
        for i in range(move_start[g], move_start[g] + num_moves[g]):
            h = splitmix64(h ^ np.uint64(moves[i]))
        out[g] = h
    return out


@kernel
def words_hashes(words, start, count):
    """A hash of `count` int16 words from `start`, both int64 (n,), for each game: uint64 (n,)."""
    out = np.empty(len(start), np.uint64)
    for g in range(len(start)):
        h = splitmix64(count[g])
        for i in range(start[g], start[g] + count[g]):
            h = splitmix64(h ^ np.uint64(words[i]))
        out[g] = h
    return out


def assign_splits(opening_hashes: np.ndarray, seed: int, validation: float, test: float) -> np.ndarray:
    """The split of each game: str (n,) of "train", "validation" and "test".

    opening_hashes: uint64 (n,).  validation, test: fractions of the games, 0 to 1.  A game's split depends on its
    hash and the seed only, so it stays the same when games are added.
    """
    places = _places(opening_hashes, seed)
    return np.where(places < test, "test", np.where(places < test + validation, "validation", "train"))


def _places(opening_hashes: np.ndarray, seed: int) -> np.ndarray:
    """float64 (n,), from 0 to 1, of games by their hashes and a seed: test, then validation, then train."""
    with np.errstate(over="ignore"):
        salted = splitmix64.py_func(opening_hashes ^ np.uint64(seed * 0x2545F4914F6CDD1D % 2**64))
    return salted.astype(np.float64) / 2.0**64


def fractions_with_games(opening_hashes: np.ndarray, seed: int, validation: float | None, test: float | None
                         ) -> tuple[float, float]:
    """(validation, test) for a new data set.  None stands for DEFAULT_FRACTION or, if none of these games were in the
    split, for as much more as it takes to have one, where each split can have one."""
    places = np.unique(_places(opening_hashes, seed))
    chosen_test = _fraction_with_place(places, 0.0) if test is None else test
    left = places[places >= chosen_test]
    chosen = _fraction_with_place(left, chosen_test) if validation is None else validation
    if len(places) >= 3 and np.any(places >= chosen_test + chosen):
        return chosen, chosen_test
    return DEFAULT_FRACTION if validation is None else validation, DEFAULT_FRACTION if test is None else test


def _fraction_with_place(places: np.ndarray, start: float) -> float:
    """DEFAULT_FRACTION or, if no place is in it from `start` on, up to between the first two places.  places:
    ascending, none below start."""
    if len(places) < 2 or places[0] < start + DEFAULT_FRACTION:
        return DEFAULT_FRACTION
    return round(float((places[0] + places[1]) / 2 - start), 6)


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
