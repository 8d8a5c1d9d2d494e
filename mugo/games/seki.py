"""Seki between two chains, found by shape.

    O O X . O X X       a chain of each colour, with no liberties but those they share (two or three, or fewer and an
    . O X X O X .       eye each): a move on one puts its own chain in atari, the opponent captures it and lives on
    O O X X O X X       the points captured
    . O X X O X .
    O O X . O X X

Other sekis, as those of more than two chains, are not found.  Liberties are sets of points, and moves are played on
positions: this is slow Python, for finished positions only.
"""
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mugo.games.board import BLACK, BORDER, EMPTY, WHITE
from mugo.games.coords import board_points, move_indices
from mugo.games.position import BasePosition

CLEAR_OWNERSHIP = 0.6     # mean ownership of a chain that is alive, or dead, in 80 % of the rollouts
MAX_LIBERTIES = 3         # of a chain in such a seki, its eye included
TWO_EYES_AREA = 7         # points inside a chain that make two eyes whatever their shape


def chains(position: BasePosition) -> list[list[int]]:
    """The points of every chain on the board."""
    board = position.board[0]
    points = board_points(position.shape)
    found: dict[int, list[int]] = {}
    for point in points[board["colour"][points] != EMPTY].tolist():
        found.setdefault(int(board["head"][point]), []).append(point)
    return list(found.values())


class _Chain(NamedTuple):
    colour: int
    points: frozenset[int]
    liberties: frozenset[int]


def seki_points(position: BasePosition, owners: np.ndarray) -> set[int]:
    """The points of all chains in a seki of the shape above.  owners: float32 (points,), scoring.ownership; the chains
    around a seki have to be alive."""
    board = position.board[0]
    heads = np.unique(board["head"][board_points(position.shape)][position.stones.ravel() != EMPTY])
    candidates = [_chain_at(position, int(head)) for head in heads[board["liberties"][heads] <= MAX_LIBERTIES]]
    found: set[int] = set()
    for black in candidates:
        for white in candidates:
            if black.colour == BLACK and white.colour == WHITE and black.liberties & white.liberties \
                    and _is_seki(position, black, white) \
                    and _surrounding_chains_live(position, black, white, owners) \
                    and _surrounding_chains_live(position, white, black, owners):
                found |= black.points | white.points
    return found


def neighbours(point: int, position: BasePosition) -> Iterator[int]:
    """The four neighbours of a point; some may be those of the border."""
    width = position.shape[1] + 1
    return (point + step for step in (-width, -1, 1, width))


def _chain_at(position: BasePosition, point: int) -> _Chain:
    colour, board = position.board[0]["colour"], position.board[0]
    points = frozenset(np.flatnonzero((board["head"] == board["head"][point]) & (colour == colour[point])).tolist())
    adjacent = {p for stone in points for p in neighbours(stone, position)}
    return _Chain(int(colour[point]), points, frozenset(p for p in adjacent if colour[p] == EMPTY))


def _is_seki(position: BasePosition, one: _Chain, other: _Chain) -> bool:
    """Whether neither chain has two eyes, and each is lost if it plays on any liberty that they share."""
    shared = one.liberties & other.liberties
    eyes = [chain.liberties - shared for chain in (one, other)]
    if not shared or len(eyes[0]) != len(eyes[1]) or len(eyes[0]) > 1 \
            or not 2 <= len(shared | eyes[0]) <= MAX_LIBERTIES:
        return False
    for chain, eye in zip((one, other), eyes, strict=True):
        adjacent = {p for point in eye for p in neighbours(point, position)}
        if not all(p in chain.points or position.board[0]["colour"][p] == BORDER for p in adjacent):
            return False
    return all(_loses_by_move(position, mover, opponent, point, bool(eyes[0]))
               for mover, opponent in ((one, other), (other, one)) for point in shared)


def _loses_by_move(position: BasePosition, mover: _Chain, opponent: _Chain, point: int, has_eyes: bool) -> bool:
    """Whether the mover's chain is captured after its move on a shared liberty, or is left in a smaller seki.
    has_eyes: each of the two chains has an eye."""
    position = position.with_turn(mover.colour)
    if position.why_illegal(point):
        return True
    after = position.play(point)
    mover_after, opponent_after = _chain_at(after, point), _chain_at(after, next(iter(opponent.points)))
    if after.captures[mover.colour] > position.captures[mover.colour]:
        return False
    if len(mover_after.liberties) == 2:
        return _is_seki(after, mover_after, opponent_after)
    if len(mover_after.liberties) != 1:
        return False
    last_liberty = next(iter(mover_after.liberties))
    if after.why_illegal(last_liberty) or last_liberty not in opponent_after.liberties and not has_eyes:
        return False
    return has_eyes or _makes_two_eyes(mover_after.points, after)


def _makes_two_eyes(area: frozenset[int], position: BasePosition) -> bool:
    """Whether a chain with this area inside makes two eyes though the opponent moves there first: it does if at least
    two points divide the area, because one of them is left."""
    return len(area) >= TWO_EYES_AREA or sum(_divides(point, area, position) for point in area) >= 2


def _divides(point: int, area: frozenset[int], position: BasePosition) -> bool:
    """Whether the area without a point is not connected."""
    rest = set(area) - {point}
    reached = {min(rest)} if rest else set()
    while reached:
        rest -= reached
        reached = {p for q in reached for p in neighbours(q, position)} & rest
    return bool(rest)


def _surrounding_chains_live(position: BasePosition, chain: _Chain, other: _Chain, owners: np.ndarray) -> bool:
    """Whether the opponent's other chains next to a chain are alive: if they are not, it captures them."""
    colour = position.board[0]["colour"]
    adjacent = {p for stone in chain.points for p in neighbours(stone, position)} - other.points
    surrounding = [_chain_at(position, point) for point in adjacent if colour[point] == -chain.colour]
    return all((owners[move_indices(around.points, position.shape)] * around.colour).mean() > CLEAR_OWNERSHIP
               for around in surrounding)
