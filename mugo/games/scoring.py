"""Scoring a finished game of Go.  When a game is finished: players.passing.

    position --> dead stones (dead_stones) --> position without them --> final score
"""
import functools
from collections.abc import Iterator, Sequence

import numpy as np

from mugo.games.area import area_ownership
from mugo.games.board import EMPTY, POINTS
from mugo.games.coords import board_points
from mugo.games.dead_stones import ROLLOUTS, judge
from mugo.games.go import NO_RESULT, GoPosition, format_score
from mugo.games.position import BasePosition
from mugo.games.rollouts import MOGO, UNIFORM, rollout_ownership

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
    """float32 (rows, columns): the mean owner of each point at the end of n rollouts, 1 Black, -1 White.

    kind: of the rollouts.  Uniform ones are the fastest; MoGo's answer threats, so chains that need an answer live.
    Black begins half of them and White half, whoever is to play.  The same position always gives the same result.
    """
    total = rollout_ownership(position.stones.tobytes(), position.shape, kind, n)
    return (total[board_points(position.shape)] / n).astype(np.float32).reshape(position.shape)


def ownership_at_end(position: BasePosition, n: int = ROLLOUTS) -> np.ndarray:
    """The ownership of a finished position, in which chains live that need an answer to a threat."""
    return ownership(position, n, MOGO)


@functools.lru_cache(maxsize=2)          # of the same position object: a player asks, and then its search
def unsettled_points(position: BasePosition) -> np.ndarray | None:
    """int64 (n,): the points, also those with stones, that neither colour owns for sure, in a game that is nearly over;
    None before.

    It is nearly over when at most a tenth of the points are playable and not settled, by MoGo's rollouts.  Where two
    people on 19x19 have agreed that the game is over, these leave 14 points unsettled at the median, uniform ones 74.
    """
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


def without_dead(position: BasePosition) -> BasePosition:
    """A finished position without its dead stones, which are prisoners, ready for `score`; a new start without history.
    The position itself where no stone is dead."""
    assert isinstance(position, GoPosition)
    dead = judge(position.stones).dead.ravel()
    return position.without_stones(board_points(position.shape)[dead].tolist()) if dead.any() else position


def final_score(position: BasePosition) -> float:
    """Black's points minus White's and minus white_points, by the rules of the game, of a finished position of Go
    without its dead stones, if the rules remove them; 0 for no result."""
    if position.is_no_result:
        return 0.0
    cleared = without_dead(position) if position.removes_dead_stones else position
    tax = owner_of_points(cleared).sum() - final_owners(cleared, position).sum()
    return cleared.score() - int(tax)


def final_result(position: BasePosition) -> str:
    """final_score in SGF (RE): 'B+3.5', 'W+0.5', '0', or go.NO_RESULT."""
    return NO_RESULT if position.is_no_result else format_score(final_score(position))


def final_owners(cleared: BasePosition, position: BasePosition) -> np.ndarray:
    """As owner_of_points, but by rules with a tax on seki, eyes of chains in seki are nobody's.  position: before the
    dead stones were removed."""
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
    """int8 (POINTS,), by point: area.area_ownership of a position without dead stones."""
    owners = np.zeros(POINTS, np.int8)
    area_ownership(cleared.board[0], owners)
    return owners


def final_statuses(position: BasePosition) -> dict[str, list[list[int]]]:
    """The chains of a finished position by status: for each of STATUSES (as GTP's final_status_list) their points.  By
    rules that remove no dead stones none is dead."""
    cleared = without_dead(position) if position.removes_dead_stones else position
    colour, in_seki = cleared.board[0]["colour"], set(stones_in_seki(position))
    found: dict[str, list[list[int]]] = {status: [] for status in STATUSES}
    for chain in chains(position):
        found["dead" if colour[chain[0]] == EMPTY else "seki" if chain[0] in in_seki else "alive"].append(chain)
    return found


def neutral_points(cleared: BasePosition) -> list[int]:
    """The empty points that nobody owns.  cleared: without dead stones."""
    owners, colour = owner_of_points(cleared), cleared.board[0]["colour"]
    points = board_points(cleared.shape)
    return points[(owners[points] == EMPTY) & (colour[points] == EMPTY)].tolist()
