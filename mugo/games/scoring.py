"""How a game ends: who owns which point, which stones are dead, when there is nothing left to play for.

Rollouts answer it: they play a finished position on to where every stone left is alive.  They judge
finished positions well, fights badly, and see no seki.  So the plain ones are found by their shape:

    O O X . O X X       a chain of each colour, with no liberties but those they share (two or three, or fewer
    . O X X O X .       and an eye each): whoever plays one puts its own chain in atari, the other takes it,
    O O X X O X X       and lives on the points taken
    . O X X O X .
    O O X . O X X       others, such as those of more than two chains, are judged by the rollouts

"""
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from mugo.games.board import BLACK, BORDER, EMPTY, WHITE, new_boards
from mugo.games.coords import PASS, board_points, move_index
from mugo.games.go import Position
from mugo.games.position import BasePosition
from mugo.games.rollouts import MOGO, UNIFORM, roll_out

ROLLOUTS = 200            # for `owners`: 10 ms on 19x19
CLEAR = 0.6               # a chain that lives, or dies, in 80 % of them
STATUSES = ("alive", "dead", "seki")
ROOMY = 7                 # points inside a chain that make two eyes whatever their shape
SETTLED = 0.9             # a point that one colour owns after 95 % of the rollouts


def candidate_moves(position: BasePosition, priors: np.ndarray, cleanup: bool = False) -> np.ndarray:
    """int64 (n,): the sensible points that a policy chooses from; none where it had better pass.

    priors: float32 (size² + 1,).  A network learns passes badly, or not at all (many records end
    without them), so its pass is not the only one:

    - While stones cover less than a quarter of the board, it plays.
    - Where its network likes a pass better than every point, it plays only points that are not settled
      and that the network likes at least a tenth as much as the pass (not those of a seki), and
      passes when there are none.
    - When the opponent has just passed, it passes too if the board as it stands is won (Tromp and
      Taylor's count, dead stones included).  If it is won only once dead stones are off, it plays
      on and takes them.  If it is lost, it plays only points that are not settled.
    - After two moves a point, it passes.  So every game ends.
    - With `cleanup`, it takes the opponent's dead stones off before it passes.
    """
    if cleanup:
        points = candidate_moves(position, priors)
        return points if len(points) or position.plies >= 2 * position.size ** 2 else liberties_of_the_dead(position)
    points = position.sensible_points()
    none = points[:0]
    area = position.size ** 2
    if position.plies >= 2 * area or not len(points):
        return none
    if np.count_nonzero(position.stones) < area / 4:
        return points
    liked = priors[_indices(points, position.size)]
    likes_to_pass = priors[-1] > liked.max()
    if position.last == PASS:
        if position.score() * position.to_play > 0:
            return none
        if without_dead(position).score() * position.to_play > 0:
            return points
    elif not likes_to_pass:
        return points
    is_open = np.abs(ownership(position).ravel()[_indices(points, position.size)]) < SETTLED
    return points[is_open & (liked > priors[-1] / 10)] if likes_to_pass else points[is_open]


def _indices(points: Iterable[int], size: int) -> list[int]:
    return [move_index(int(point), size) for point in points]


def ownership(position: BasePosition, n: int = ROLLOUTS, kind: int = UNIFORM) -> np.ndarray:
    """float32 (size, size): who has each point when `n` rollouts end, 1 always Black, -1 White.

    kind: of the rollouts.  Uniform ones are the fastest; MoGo's answer threats, and so keep alive what lives only
    by an answer.
    Black begins half of them and White half, whoever is to play.  The same position always gives
    the same answer.  Rollouts judge finished positions well, fights badly, and no seki.
    """
    points = board_points(position.size)
    neighbours = points[:, None] + np.array([-1, 1, -position.size - 1, position.size + 1])
    boards = new_boards(1)
    random = np.uint64(20160920)
    total = np.zeros(len(points), np.int64)
    for i in range(n):
        boards[0] = position.board[0]
        for field, value in ("random", random), ("to_play", (BLACK, WHITE)[i % 2]), ("ko", 0), ("passes", 0):
            boards[0][field] = value
        roll_out(boards[0], kind, 0)
        random = boards[0]["random"]
        colour = boards[0]["colour"]
        around = colour[neighbours]
        # What is empty in the end is an eye, and all stones around it are of one colour.
        eyes = np.sign(np.where(around == BORDER, 0, around).sum(1))
        total += np.where(colour[points] == EMPTY, eyes, colour[points])
    return (total / n).astype(np.float32).reshape(position.size, position.size)


def chains(position: BasePosition) -> list[list[int]]:
    """The points of every chain on the board."""
    board = position.board[0]
    points = board_points(position.size)
    found: dict[int, list[int]] = {}
    for point in points[board["colour"][points] != EMPTY].tolist():
        found.setdefault(int(board["head"][point]), []).append(point)
    return list(found.values())


def without_dead(position: BasePosition) -> BasePosition:
    """The board of a finished game with its dead stones taken off, ready to be counted.

    Dead is a chain that stands where the opponent owns more, and in no seki.  The clear cases go first: rollouts
    are surer of the rest without them.
    """
    size, komi, points = position.size, position.komi, board_points(position.size)
    while True:
        stones = position.stones.ravel().copy()
        owner = ownership(position, kind=MOGO).ravel()
        kept = owner * stones                          # per stone: 1 always stays its owner's, -1 never
        left = seki(position, owner)
        cells = [_indices(chain, size) for chain in chains(position) if chain[0] not in left]
        worst = min((kept[chain].mean() for chain in cells), default=0)
        if worst >= 0:
            return position
        limit = -0.2 if worst < -0.2 else 0
        for chain in cells:
            if kept[chain].mean() < limit:
                stones[chain] = EMPTY
        position = Position(size, komi, position.to_play).with_stones(
            points[stones == BLACK], points[stones == WHITE])


def final_statuses(position: BasePosition) -> dict[str, list[list[int]]]:
    """The chains of a finished position that are alive, dead and in seki: the points of each, under STATUSES."""
    counted = without_dead(position)
    left, in_seki = counted.board[0]["colour"], seki(counted, ownership(counted, kind=MOGO).ravel())
    found: dict[str, list[list[int]]] = {status: [] for status in STATUSES}
    for chain in chains(position):
        found["dead" if left[chain[0]] == EMPTY else "seki" if chain[0] in in_seki else "alive"].append(chain)
    return found


# ---- seki

class _Chain(NamedTuple):
    colour: int
    points: frozenset[int]
    liberties: frozenset[int]


def seki(position: BasePosition, owner: np.ndarray) -> set[int]:
    """The points of all chains that live by a plain seki, as the drawing above has it.

    owner: (size²,), what `owners` says; around a seki both colours have to be alive, or it is none.
    """
    few = [chain for chain in map(lambda points: _chain_at(position, points[0]), chains(position))
           if len(chain.liberties) <= 3]
    found: set[int] = set()
    for black in few:
        for white in few:
            if black.colour == BLACK and white.colour == WHITE and black.liberties & white.liberties \
                    and _is_seki(position, black, white) and _walls_live(position, black, white, owner) \
                    and _walls_live(position, white, black, owner):
                found |= black.points | white.points
    return found


def _steps(position: BasePosition) -> tuple[int, ...]:
    return -position.size - 1, -1, 1, position.size + 1


def _chain_at(position: BasePosition, point: int) -> _Chain:
    colour, board = position.board[0]["colour"], position.board[0]
    points = frozenset(np.flatnonzero((board["head"] == board["head"][point]) & (colour == colour[point])).tolist())
    around = {stone + step for stone in points for step in _steps(position)}
    return _Chain(int(colour[point]), points, frozenset(p for p in around if colour[p] == EMPTY))


def _is_seki(position: BasePosition, one: _Chain, other: _Chain) -> bool:
    """Whether each of the two loses by playing on any liberty that they share, and neither has two eyes."""
    shared = one.liberties & other.liberties
    eyes = [chain.liberties - shared for chain in (one, other)]
    if not shared or len(eyes[0]) != len(eyes[1]) or len(eyes[0]) > 1 or not 2 <= len(shared | eyes[0]) <= 3:
        return False
    for chain, eye in zip((one, other), eyes, strict=True):
        inside = {point + step for point in eye for step in _steps(position)}
        if not all(p in chain.points or position.board[0]["colour"][p] == BORDER for p in inside):
            return False
    return all(_loses_by(position, mover, taker, point, bool(eyes[0]))
               for mover, taker in ((one, other), (other, one)) for point in shared)


def _loses_by(position: BasePosition, mover: _Chain, taker: _Chain, point: int, has_eye: bool) -> bool:
    """Whether the chain that moves there is taken for it, or stands in a smaller seki."""
    position = position.with_turn(mover.colour)
    if position.why_illegal(point):
        return True
    after = position.play(point)
    joined, against = _chain_at(after, point), _chain_at(after, next(iter(taker.points)))
    if after.captures[mover.colour] > position.captures[mover.colour]:
        return False
    if len(joined.liberties) == 2:
        return _is_seki(after, joined, against)
    if len(joined.liberties) != 1:
        return False
    last = next(iter(joined.liberties))
    if after.why_illegal(last) or last not in against.liberties and not has_eye:
        return False
    return has_eye or _makes_two_eyes(joined.points, after)


def _makes_two_eyes(region: frozenset[int], position: BasePosition) -> bool:
    """Whether who has these points for eyes lives though the opponent plays there first: if two of them at least
    cut the region in two, one is left to play on."""
    return len(region) >= ROOMY or sum(_is_cut_by(region, point, position) for point in region) >= 2


def _is_cut_by(region: frozenset[int], point: int, position: BasePosition) -> bool:
    rest = set(region) - {point}
    edge = {min(rest)} if rest else set()
    while edge:
        rest -= edge
        edge = {p + step for p in edge for step in _steps(position)} & rest
    return bool(rest)


def _walls_live(position: BasePosition, chain: _Chain, other: _Chain, owner: np.ndarray) -> bool:
    """Whether what else of the opponent's stands around a chain is alive: else that would be taken, and no seki."""
    colour = position.board[0]["colour"]
    around = {stone + step for stone in chain.points for step in _steps(position)} - other.points
    stones = [point for point in around if colour[point] == -chain.colour]
    return all((owner[_indices(_chain_at(position, point).points, position.size)] * -chain.colour).mean() > CLEAR
               for point in stones)


def is_nearly_over(position: BasePosition) -> bool:
    """Whether on at most a tenth of the board there is something left to play for."""
    points = position.sensible_points()
    if 3 * np.count_nonzero(position.stones) < position.size ** 2:
        return len(points) == 0
    open_points = np.abs(ownership(position).ravel()[_indices(points, position.size)]) <= SETTLED
    return 10 * int(open_points.sum()) <= position.size ** 2


def is_dead_stone_clear(position: BasePosition) -> bool:
    """Whether every chain is alive or dead beyond doubt.  One of a seki is neither."""
    owner = ownership(position).ravel()
    return all(abs(owner[_indices(chain, position.size)].mean()) > CLEAR for chain in chains(position))


def liberties_of_the_dead(position: BasePosition) -> np.ndarray:
    """int64 (n,): the sensible points that take a liberty from a dead chain of the opponent's."""
    left = without_dead(position).board[0]["colour"]
    board, width = position.board[0], position.size + 1
    sensible = position.sensible_points()
    liberties = {point + step for chain in chains(position) for point in chain for step in (-width, -1, 1, width)
                 if left[chain[0]] == EMPTY and board["colour"][chain[0]] == -position.to_play}
    return sensible[np.isin(sensible, list(liberties))]
