r"""Scoring a finished game of Go: ownership of points, dead stones, seki, and when nothing is left to play for.

    position --> rollouts --> ownership --> dead chains --> position without them --> final score
                                       \--> settled points --> when to pass

Rollouts play a finished position to its end, where every stone left is alive.  They are reliable in finished positions,
unreliable in fights, and blind to seki, which module seki finds by shape.  A caller may have a better ownership, as of
a network, and give it as a function.  No networks and no search.
"""
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from mugo.games.area import area_ownership
from mugo.games.board import BLACK, EMPTY, POINTS, WHITE, new_boards
from mugo.games.coords import PASS, BoardSize, board_points, move_index
from mugo.games.dead_stones import CLEARLY_DEAD, SEED
from mugo.games.go import Position, format_score
from mugo.games.position import BasePosition
from mugo.games.rollouts import MOGO, UNIFORM, roll_out_ownership
from mugo.games.seki import CLEAR_OWNERSHIP, chains, neighbours, seki_points

ROLLOUTS = 200            # for `ownership`: 10 ms on 19x19
MOVE_ROLLOUTS = 50        # for the ownership after a move: 2 ms on 19x19
# The score's standard deviation, as a multiple of what it would be if points were owned independently.  In rollouts
# the factor is 3.4 to 5.2 on 9x9, but results of people's games vary less than those of random moves.
STDEV_FACTOR = 2.0
STATUSES = ("alive", "dead", "seki")
SETTLED = 0.9             # ownership of a point that one colour owns after 95 % of the rollouts
OwnershipOf = Callable[[BasePosition], np.ndarray]       # float32 (rows, columns) of a position, 1 Black, -1 White


def candidate_moves(position: BasePosition, priors: np.ndarray, cleanup: bool = False) -> np.ndarray:
    """int64 (n,): the sensible points that a policy player chooses from; none where it should pass.

    priors: float32 (points + 1,).  The network's prior of a pass is not enough, because many records end without
    passes:

    - While stones cover less than a quarter of the board, the player does not pass.
    - Where the pass has the highest prior, the candidates are the points that are not settled and have at least a
      tenth of its prior (this leaves out those of a seki).
    - After a pass of the opponent, it passes if the game is won by area score, dead stones counted as alive.  If it
      is won only without dead stones, it plays on and captures them.  If it is lost, the candidates are the points
      that are not settled.
    - Where nothing is left to play for, it passes; by area the candidates are the neutral points that are left.
    - By territory, where moves in settled territory cost points, it also passes in a won game, dead stones removed,
      after a pass of the opponent, and near the end the candidates are the points that are not settled.
    - After two moves for each point of the board it passes, so that every game ends.

    cleanup: capture the opponent's dead stones before passing.
    """
    if cleanup:
        points = candidate_moves(position, priors)
        return points if len(points) or position.plies >= 2 * position.area else dead_liberties(position)
    points = position.sensible_points()
    none = points[:0]
    area = position.area
    if position.plies >= 2 * area or not len(points):
        return none
    if np.count_nonzero(position.stones) < area / 4:
        return points
    point_priors = priors[_indices(points, position.shape)]
    prefers_pass = priors[-1] > point_priors.max()
    if is_finished(position):
        return none if position.counts_territory else points[np.isin(points, dame(position))]
    if position.counts_territory:
        if position.last == PASS and final_score(position) * position.to_play > 0:
            return none
        if not prefers_pass and not is_nearly_over(position):
            return points
    elif position.last == PASS:
        if position.score() * position.to_play > 0:
            return none
        if without_dead(position).score() * position.to_play > 0:
            return points
    elif not prefers_pass:
        return points
    unsettled = np.abs(ownership(position).ravel()[_indices(points, position.shape)]) < SETTLED
    return points[unsettled & (point_priors > priors[-1] / 10)] if prefers_pass else points[unsettled]


def _indices(points: Iterable[int], size: BoardSize) -> list[int]:
    return [move_index(int(point), size) for point in points]


def ownership(position: BasePosition, n: int = ROLLOUTS, kind: int = UNIFORM) -> np.ndarray:
    """float32 (rows, columns): the mean owner of each point at the end of n rollouts, 1 Black, -1 White.

    kind: of the rollouts.  Uniform ones are the fastest; MoGo's answer threats, so chains that need an answer live.
    Black begins half of them and White half, whoever is to play.  The same position always gives the same result.
    """
    boards, total = new_boards(2), np.zeros(POINTS, np.int32)
    boards[0] = position.board[0]
    boards[0]["random"] = SEED
    roll_out_ownership(boards, kind, n, total)
    return (total[board_points(position.shape)] / n).astype(np.float32).reshape(position.shape)


def ownership_at_end(position: BasePosition, n: int = ROLLOUTS) -> np.ndarray:
    """The ownership of a finished position, in which chains live that need an answer to a threat."""
    return ownership(position, n, MOGO)


def position_after(position: BasePosition, points: Sequence[int]) -> BasePosition:
    """The position after a variation, up to its first illegal move."""
    for point in points:
        if position.why_illegal(point):
            break
        position = position.play(point)
    return position


def ownership_stdev(owners: np.ndarray) -> np.ndarray:
    """float64, of the shape of owners: the standard deviation of each point's owner, 1 or -1, over rollouts with this
    mean."""
    return np.sqrt(np.maximum(1 - owners.astype(np.float64) ** 2, 0))


def score_stdev(owners: np.ndarray) -> float:
    """An estimate of the score's standard deviation in points, from the mean ownership of points."""
    return STDEV_FACTOR * float(np.sqrt((ownership_stdev(owners) ** 2).sum()))


def without_dead(position: BasePosition, ownership_of: OwnershipOf = ownership_at_end) -> BasePosition:
    """A finished position without its dead stones, which are prisoners, ready for `score`; a new start without history.

    A chain is dead if the opponent owns its points by the mean, and it is in no seki.  Clearly dead chains are removed
    first, and the ownership of the others is computed again without them.
    """
    assert isinstance(position, Position)
    shape, points = position.shape, board_points(position.shape)
    while True:
        stones = position.stones.ravel()
        owners = ownership_of(position).ravel()
        survival = owners * stones                     # of each stone: 1 its colour always owns the point, -1 never
        in_seki = seki_points(position, owners)
        indices = [_indices(chain, shape) for chain in chains(position) if chain[0] not in in_seki]
        lowest = min((survival[chain].mean() for chain in indices), default=0)
        if lowest >= 0:
            return position
        limit = CLEARLY_DEAD if lowest < CLEARLY_DEAD else 0
        dead = [index for chain in indices if survival[chain].mean() < limit for index in chain]
        position = position.without_stones(points[dead].tolist())


def final_score(position: BasePosition, ownership_of: OwnershipOf = ownership_at_end) -> float:
    """Black's points minus White's and minus white_points, by the rules of the game, of a finished position of Go
    without its dead stones."""
    counted = without_dead(position, ownership_of)
    return counted.score() - seki_tax(counted, ownership_of)


def final_result(position: BasePosition) -> str:
    """final_score in SGF (RE): 'B+3.5', 'W+0.5', '0'."""
    return format_score(final_score(position))


def seki_tax(counted: BasePosition, ownership_of: OwnershipOf = ownership_at_end) -> int:
    """Black's points minus White's that are eyes of chains in seki, where the rules give no points for them, else 0.

    counted: without dead stones.
    """
    if not counted.board[0]["seki_tax"]:
        return 0
    owners = owner_of_points(counted)
    return int(sum(owners[point] for point in eyes_in_seki(counted, ownership_of)))


def eyes_in_seki(counted: BasePosition, ownership_of: OwnershipOf = ownership_at_end) -> set[int]:
    """The empty points that only chains in seki and their colour surround.  counted: without dead stones."""
    in_seki = seki_points(counted, ownership_of(counted).ravel())
    owners, colour = owner_of_points(counted), counted.board[0]["colour"]
    found: set[int] = set()
    left = list(in_seki)
    while left:
        for beside in neighbours(left.pop(), counted):
            if colour[beside] == EMPTY and owners[beside] != EMPTY and beside not in found:
                found.add(beside)
                left.append(beside)
    return found


def owner_of_points(counted: BasePosition) -> np.ndarray:
    """int8 (POINTS,), by point: area.area_ownership of a position without dead stones."""
    owners = np.zeros(POINTS, np.int8)
    area_ownership(counted.board[0], owners)
    return owners


def final_statuses(position: BasePosition, ownership_of: OwnershipOf = ownership_at_end
                   ) -> dict[str, list[list[int]]]:
    """The chains of a finished position by status: for each of STATUSES (as GTP's final_status_list) their points."""
    counted = without_dead(position, ownership_of)
    colour = counted.board[0]["colour"]
    in_seki = seki_points(counted, ownership_of(counted).ravel())
    found: dict[str, list[list[int]]] = {status: [] for status in STATUSES}
    for chain in chains(position):
        found["dead" if colour[chain[0]] == EMPTY else "seki" if chain[0] in in_seki else "alive"].append(chain)
    return found


def is_nearly_over(position: BasePosition) -> bool:
    """Whether at most a tenth of the points are playable and not settled.

    By MoGo's rollouts: uniform ones leave 74 points unsettled, at the median, where two people on 19x19 have agreed
    that the game is over, and MoGo's 14.
    """
    if 3 * np.count_nonzero(position.stones) < position.area:
        return not len(position.sensible_points())
    # A few rollouts first, which suffice in the middle game.
    return 5 * _unsettled_points(position, MOVE_ROLLOUTS) <= position.area \
        and 10 * _unsettled_points(position, ROLLOUTS) <= position.area


def _unsettled_points(position: BasePosition, rollouts: int) -> int:
    """How many playable points are not settled."""
    owners = ownership_at_end(position, rollouts).ravel()[_indices(position.sensible_points(), position.shape)]
    return int(np.count_nonzero(np.abs(owners) <= SETTLED))


def is_finished(position: BasePosition) -> bool:
    """Whether nothing is left to play for by territory, and by area neutral points at most.

    By MoGo's rollouts every chain is clearly alive, clearly dead or in seki, and without the dead ones every empty
    point that nobody owns is between stones of both colours: a neutral point, not an open border.
    """
    if 3 * np.count_nonzero(position.stones) < position.area:
        return False
    # A few rollouts first, with room for their deviation: in the middle game they suffice, and a policy alone is fast.
    if not _all_clear(position, MOVE_ROLLOUTS, CLEAR_OWNERSHIP - 0.3) \
            or not _all_clear(position, ROLLOUTS, CLEAR_OWNERSHIP):
        return False
    counted = without_dead(position)
    colour = counted.board[0]["colour"]
    return all({BLACK, WHITE} <= {int(colour[each]) for each in neighbours(point, counted)}
               for point in neutral_points(counted))


def _all_clear(position: BasePosition, rollouts: int, limit: float) -> bool:
    """Whether every chain has a mean ownership beyond the limit, or is in seki."""
    owners = ownership_at_end(position, rollouts).ravel()
    unclear = [chain for chain in chains(position) if abs(owners[_indices(chain, position.shape)].mean()) <= limit]
    return not unclear or {chain[0] for chain in unclear} <= seki_points(position, owners)


def neutral_points(counted: BasePosition) -> list[int]:
    """The empty points that nobody owns.  counted: without dead stones."""
    owners, colour = owner_of_points(counted), counted.board[0]["colour"]
    points = board_points(counted.shape)
    return points[(owners[points] == EMPTY) & (colour[points] == EMPTY)].tolist()


def dame(position: BasePosition) -> list[int]:
    """The neutral points of a finished position that are worth a move by area: those that are no liberty of a seki."""
    counted = without_dead(position)
    in_seki = seki_points(counted, ownership_at_end(counted).ravel())
    return [point for point in neutral_points(counted) if in_seki.isdisjoint(neighbours(point, counted))]


def may_evaluate_pass(position: BasePosition) -> bool:
    """Whether a search that evaluates a position for people should look at a pass.

    In Go near the end of the game, and not after a pass, where a second one would count dead stones as alive.
    """
    return position.may_pass and position.last != PASS and is_nearly_over(position)


def all_chains_settled(position: BasePosition, kind: int = UNIFORM) -> bool:
    """Whether every chain is clearly alive or clearly dead by rollouts of this kind.  A chain in seki is neither."""
    owners = ownership(position, kind=kind).ravel()
    return all(abs(owners[_indices(chain, position.shape)].mean()) > CLEAR_OWNERSHIP for chain in chains(position))


def dead_liberties(position: BasePosition) -> np.ndarray:
    """int64 (n,): the sensible points that are liberties of dead chains of the opponent."""
    colour_left = without_dead(position).board[0]["colour"]
    board = position.board[0]
    sensible = position.sensible_points()
    liberties = {beside for chain in chains(position) for point in chain for beside in neighbours(point, position)
                 if colour_left[chain[0]] == EMPTY and board["colour"][chain[0]] == -position.to_play}
    return sensible[np.isin(sensible, list(liberties))]
