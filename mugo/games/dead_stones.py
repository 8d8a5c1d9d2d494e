"""Which stones of a finished position are dead or in seki: rollouts, and reading of what they leave in doubt.

    stones --> rollouts --> ownership --> verdicts on chains in doubt --> dead chains --> stones without them, again

There is one answer for scores, passes, clean-up and the final ownership of data sets; it needs no network and no
search.  Rollouts play a finished position to its end, where every stone left is alive.  They are reliable in finished
positions, unreliable in fights and blind to seki, for which life_and_death reads.
"""
import functools
from typing import NamedTuple

import numpy as np

from mugo.core.jit import kernel
from mugo.games.board import BORDER, EMPTY, POINTS, is_stone, points
from mugo.games.coords import board_points
from mugo.games.life_and_death import (
    CLEAR_SURVIVAL, DEAD, DEEP, QUICK, SAFE, SEKI, UNREAD, UNSETTLED, read_chains)
from mugo.games.reading import new_reader
from mugo.games.replay import board_with
from mugo.games.rollouts import MOGO, rollout_ownership

ROLLOUTS = 200                           # 10 ms on 19x19
CLEARLY_DEAD = -0.2                      # mean ownership, for its colour, of a chain that is removed before others


class Judgement(NamedTuple):
    """What is dead and in seki.

    dead, seki: bool (rows, columns), the stones that are.
    is_clear: whether every chain is clearly alive, dead or in seki.
    """
    dead: np.ndarray
    seki: np.ndarray
    is_clear: bool


def judge(stones: np.ndarray, rollouts: int = ROLLOUTS, deep: bool = True) -> Judgement:
    """What is dead and in seki on a finished board, int8 (rows, columns).

    If some chains are clearly dead, only they are removed at first, as they may change the ownership of others.
    deep: read longer where not every chain is clear, up to 0.1 s.
    """
    first = look = _look(stones.tobytes(), stones.shape, rollouts, QUICK)
    dead = seki = np.zeros(stones.shape, np.bool_)
    while True:
        if deep and not look.is_clear:
            look = _look(np.where(dead, EMPTY, stones).astype(np.int8).tobytes(), stones.shape, rollouts, DEEP)
        seki = seki | look.seki
        if not (look.dead & ~seki).any():
            return Judgement(dead, seki, first.is_clear)
        dead = dead | look.dead & ~seki
        look = _look(np.where(dead, EMPTY, stones).astype(np.int8).tobytes(), stones.shape, rollouts, QUICK)


@functools.lru_cache(maxsize=64)         # as rollout_ownership
def _look(stones: bytes, shape: tuple[int, int], rollouts: int, nodes: int) -> Judgement:
    """A judgement on these stones as bytes, with only those dead that are to be removed first.  nodes: of
    life_and_death.read_chains."""
    ownership = rollout_ownership(stones, shape, MOGO, rollouts) / rollouts
    board = board_with(np.frombuffer(stones, np.int8).reshape(shape))
    dead, seki = np.zeros(POINTS, np.bool_), np.zeros(POINTS, np.bool_)
    is_clear = bool(_mark(board[0], ownership, new_reader(), nodes, dead, seki))
    points = board_points(shape)
    return Judgement(dead[points].reshape(shape), seki[points].reshape(shape), is_clear)


@kernel
def _mark(b, ownership, reader, nodes, dead, seki):
    """Write the stones to remove to `dead` and those in seki to `seki`, bool (POINTS,); returns whether every chain is
    clearly alive, dead or in seki.  A chain is dead if it is by reading, or else if the opponent owns its points by the
    mean.  ownership: float64 (POINTS,), means."""
    survival = np.zeros(POINTS, np.float64)      # of the chain with this head: the mean for its own colour
    for p in points(b):
        if is_stone(b.colour[p]):
            survival[b.head[p]] += ownership[p] * b.colour[p] / b.stones[b.head[p]]
    verdicts = np.empty(POINTS, np.int8)
    read_chains(b, survival, ownership, reader, nodes, verdicts)
    is_clear = True
    lowest = 0.0
    for h in points(b):
        if not is_stone(b.colour[h]) or b.head[h] != h:
            continue
        verdict = verdicts[h]
        if verdict == UNSETTLED or verdict == UNREAD and abs(survival[h]) <= CLEAR_SURVIVAL:
            is_clear = False
        if verdict == DEAD:
            survival[h] = -1
        elif verdict == SAFE or verdict == SEKI:
            survival[h] = 1
        lowest = min(lowest, survival[h])
    limit = CLEARLY_DEAD if lowest < CLEARLY_DEAD else 0.0
    for p in points(b):
        if b.colour[p] != BORDER and b.colour[p] != EMPTY:
            dead[p] = survival[b.head[p]] < limit
            seki[p] = verdicts[b.head[p]] == SEKI
    return is_clear
