"""Scoring a finished game of Go: dead stones, sekis, territory and the final score.  When it is finished: passing.

    stones --> rollouts --> ownership --> verdicts on chains in doubt --> dead chains --> stones without them, again
    position without dead stones --> owners of the points --> final score

Scores, passes, clean-up and the final ownership of data sets have the same answer, without a network.  Rollouts are
reliable in finished positions, unreliable in fights and blind to seki, for which life_and_death reads.
"""
import functools
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mugo.core.files import BadInput
from mugo.core.jit import kernel
from mugo.games.area import area_ownership
from mugo.games.board import BLACK, BORDER, EMPTY, POINTS, WHITE, is_stone, points
from mugo.games.coords import board_points, format_gtp
from mugo.games.go import NO_RESULT, GoPosition, format_komi, format_score
from mugo.games.history import board_with
from mugo.games.life_and_death import (
    CLEAR_SURVIVAL, DEAD, DEEP, QUICK, SAFE, SEKI, UNREAD, UNSETTLED, read_chains)
from mugo.games.position import BasePosition
from mugo.games.reading import new_reader
from mugo.games.rollouts import MOGO, UNIFORM, rollout_ownership

ROLLOUTS = 200                           # 10 ms on 19x19
CLEARLY_DEAD = -0.2                      # mean ownership, for its colour, of a chain that is removed before others
MOVE_ROLLOUTS = 50        # for the ownership after a move: 2 ms on 19x19
# The score's standard deviation, as a multiple of what it would be if points were owned independently.  In rollouts
# the factor is 3.4 to 5.2 on 9x9, but results of people's games vary less than those of random moves.
STDEV_FACTOR = 2.0
SETTLED = 0.9             # ownership of a point that one colour owns after 95 % of the rollouts
STATUSES = ("alive", "dead", "seki")


def chains(position: BasePosition) -> list[list[int]]:
    """The points of every chain on the board."""
    board = position.board[0]
    points = board_points(position.shape)
    found: dict[int, list[int]] = {}
    for point in points[board["colour"][points] != EMPTY].tolist():
        found.setdefault(int(board["head"][point]), []).append(point)
    return list(found.values())


def neighbours(point: int, position: BasePosition) -> Iterator[int]:
    """The four neighbours of a point; some may be those of the border."""
    width = position.shape[1] + 1
    return (point + step for step in (-width, -1, 1, width))


def ownership(position: BasePosition, n: int = ROLLOUTS, kind: int = UNIFORM) -> np.ndarray:
    """float32 (rows, columns): the mean owner of each point at the end of n rollouts, 1 Black, -1 White.  kind: uniform
    ones are faster; in MoGo's, chains live that need an answer to a threat.  The same for the same stones."""
    total = rollout_ownership(position.stones.tobytes(), position.shape, kind, n)
    return (total[board_points(position.shape)] / n).astype(np.float32).reshape(position.shape)


def ownership_at_end(position: BasePosition, n: int = ROLLOUTS) -> np.ndarray:
    """The ownership of a finished position, in which chains live that need an answer to a threat."""
    return ownership(position, n, MOGO)


@functools.lru_cache(maxsize=2)          # of the same position object: a player asks, and then its search
def unsettled_points(position: BasePosition) -> np.ndarray | None:
    """int64 (n,): the points, also those with stones, that neither colour owns for sure, in a game that is nearly over,
    when at most a tenth of the points are playable and not settled by MoGo's rollouts; None before."""
    sensible = position.sensible_points()
    if 3 * np.count_nonzero(position.stones) < position.area:
        return None if len(sensible) else sensible
    unsettled = sensible
    for rollouts, least in (MOVE_ROLLOUTS, 5), (ROLLOUTS, 10):       # a few first, which suffice in the middle game
        owners = ownership_at_end(position, rollouts).ravel()
        unsettled = board_points(position.shape)[np.abs(owners) <= SETTLED]
        if least * np.count_nonzero(np.isin(sensible, unsettled)) > position.area:
            return None
    return unsettled


def position_after(position: BasePosition, points: Sequence[int]) -> BasePosition:
    """The position after a variation, up to its first illegal move."""
    for point in points:
        if position.why_illegal(point):
            break
        position = position.play(point)
    return position


def ownership_stdev(ownership: np.ndarray) -> np.ndarray:
    """float64, of its shape: the standard deviation of each point's owner, 1 or -1, over rollouts with this mean."""
    return np.sqrt(np.maximum(1 - ownership.astype(np.float64) ** 2, 0))


def score_stdev(ownership: np.ndarray) -> float:
    """An estimate of the score's standard deviation in points, from the mean ownership of points."""
    return STDEV_FACTOR * float(np.sqrt((ownership_stdev(ownership) ** 2).sum()))


class Judgement(NamedTuple):
    """dead, seki: bool (rows, columns), the stones that are.  is_clear: whether every chain is clearly alive, dead
    or in seki."""
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


def without_dead(position: BasePosition) -> BasePosition:
    """A finished position without its dead stones, which are prisoners; a new start without history.  The position
    itself where no stone is dead."""
    assert isinstance(position, GoPosition)
    dead = judge(position.stones).dead.ravel()
    return position.without_stones(board_points(position.shape)[dead].tolist()) if dead.any() else position


def cleared_by_rules(position: BasePosition) -> BasePosition:
    """A finished position without its dead stones, if its rules remove them."""
    return without_dead(position) if position.removes_dead_stones else position


def final_score(position: BasePosition) -> float:
    """Black's points minus White's and minus white_points of a finished position of Go by its rules; 0: no result."""
    assert isinstance(position, GoPosition)
    return 0.0 if position.is_no_result else ScoringSession(position).score()


def final_result(position: BasePosition) -> str:
    """final_score in SGF (RE): 'B+3.5', 'W+0.5', '0', or go.NO_RESULT."""
    return NO_RESULT if position.is_no_result else format_score(final_score(position))


def final_owners(cleared: BasePosition, position: BasePosition) -> np.ndarray:
    """int8 (POINTS,): as owner_of_points; by rules with a tax on seki, eyes of chains in seki are nobody's.  cleared:
    `position` without dead stones."""
    owners = owner_of_points(cleared)
    if cleared.board[0]["seki_tax"]:
        owners[list(eyes_in_seki(cleared, position))] = EMPTY
    return owners


def stones_in_seki(position: BasePosition) -> list[int]:
    """The points of all chains in seki."""
    return board_points(position.shape)[judge(position.stones).seki.ravel()].tolist()


def eyes_in_seki(cleared: BasePosition, position: BasePosition) -> set[int]:
    """The empty points that only chains in seki and their colour surround.  cleared: `position` without dead stones."""
    owners, colour = owner_of_points(cleared), cleared.board[0]["colour"]
    found: set[int] = set()
    left = [point for point in stones_in_seki(position) if colour[point] != EMPTY]
    while left:
        for adjacent in neighbours(left.pop(), cleared):
            if colour[adjacent] == EMPTY and owners[adjacent] != EMPTY and adjacent not in found:
                found.add(adjacent)
                left.append(adjacent)
    return found


def owner_of_points(cleared: BasePosition) -> np.ndarray:
    """int8 (POINTS,): area.area_ownership of a position without dead stones."""
    owners = np.zeros(POINTS, np.int8)
    area_ownership(cleared.board[0], owners)
    return owners


def final_statuses(position: BasePosition) -> dict[str, list[list[int]]]:
    """The chains of a finished position for each of STATUSES (GTP's final_status_list), as lists of points."""
    colour, in_seki = cleared_by_rules(position).board[0]["colour"], set(stones_in_seki(position))
    found: dict[str, list[list[int]]] = {status: [] for status in STATUSES}
    for chain in chains(position):
        found["dead" if colour[chain[0]] == EMPTY else "seki" if chain[0] in in_seki else "alive"].append(chain)
    return found


def neutral_points(cleared: BasePosition) -> list[int]:
    """The empty points that nobody owns.  cleared: without dead stones."""
    points = board_points(cleared.shape)
    return points[(owner_of_points(cleared)[points] == EMPTY) & (cleared.stones.ravel() == EMPTY)].tolist()


class ScoringSession:
    """A finished position and its dead stones, which a person can change.  dead: their points."""

    def __init__(self, position: GoPosition, dead: Collection[int] | None = None):
        """dead: one or more points of each dead chain; None: those that the program finds, none by rules that remove no
        dead stones."""
        self.position = position
        if dead is None:
            is_empty = cleared_by_rules(position).stones.ravel() == EMPTY
            dead = board_points(position.shape)[is_empty].tolist()
        marked = set(dead or ())
        self.dead = {point for chain in chains(position) if not marked.isdisjoint(chain) for point in chain}

    def toggle(self, point: int) -> None:
        """Switch the chain on a point between dead and alive.  Raises BadInput if the point is empty."""
        chain = next((chain for chain in chains(self.position) if point in chain), None)
        if chain is None:
            raise BadInput(f"there is no stone on {format_gtp(point, self.position.shape)}; name a point of a chain to "
                           "mark it dead or alive")
        self.dead ^= set(chain)

    def _cleared(self) -> GoPosition:
        return self.position.without_stones(self.dead)

    def ownership(self) -> np.ndarray:
        """int8 (rows, columns): BLACK, WHITE, or EMPTY for a neutral point (final_owners), without the dead stones."""
        shape = self.position.shape
        return final_owners(self._cleared(), self.position)[board_points(shape)].reshape(shape)

    def points(self) -> dict[int, int]:
        """Of each colour: its area, or its territory and prisoners."""
        owners = self.ownership()
        if not self.position.counts_territory:
            return {colour: int((owners == colour).sum()) for colour in (BLACK, WHITE)}
        owners[self._cleared().stones != EMPTY] = EMPTY
        return {colour: int((owners == colour).sum()) + prisoners for colour, prisoners in self.prisoners().items()}

    def prisoners(self) -> dict[int, int]:
        """Of each colour: the stones that it has captured, and the opponent's dead ones."""
        return self._cleared().captures

    def score(self) -> float:
        """Black's points minus White's points minus those by komi and for handicap stones."""
        points = self.points()
        return points[BLACK] - points[WHITE] - self.position.white_points

    def result(self) -> str:
        """The score as an SGF result: 'B+3.5', 'W+0.5', '0', or go.NO_RESULT."""
        return NO_RESULT if self.position.is_no_result else format_score(self.score())

    def __str__(self) -> str:
        points = self.points()
        of_them = {colour: f" (prisoners: {taken})" if self.position.counts_territory else ""
                   for colour, taken in self.prisoners().items()}
        return (f"Black {points[BLACK]}{of_them[BLACK]}, White {points[WHITE]}{of_them[WHITE]} and "
                f"{format_komi(self.position)}: {self.result()}")
