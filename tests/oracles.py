"""Reference implementations for the tests of the compiled core: the rules and the 48 planes, slow and simple.

They share no code with mugo.  A board is a dict from (row, column) to colour, without empty points; chains are found by
flood fill, a move makes a new dict, and a repetition is a dict that occurred before.

    Game     the board, the side to move, all boards and all moves so far
    planes   the 48 planes, one after the other

The ladder reader follows the definition: the hunter gives atari to a chain with two liberties, the prey; the prey
extends, or captures an adjacent chain in atari; with three liberties it has escaped.
"""
import functools
from collections.abc import Iterator

import numpy as np

Point = tuple[int, int]
Size = int | tuple[int, int]             # of a square board, or (rows, columns)
Stones = dict[Point, int]
BLACK, WHITE = 1, -1


# -- rules

@functools.cache
def neighbours(size: Size, point: Point) -> tuple[Point, ...]:
    row, col = point
    around = (row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)
    return tuple(near for near in around if near in every_point(size))


@functools.cache
def diagonals(size: Size, point: Point) -> tuple[Point, ...]:
    row, col = point
    around = (row - 1, col - 1), (row - 1, col + 1), (row + 1, col - 1), (row + 1, col + 1)
    return tuple(near for near in around if near in every_point(size))


def chain(size: Size, stones: Stones, point: Point) -> tuple[set[Point], set[Point]]:
    """(stones, liberties) of the chain on a point."""
    colour = stones[point]
    found, liberties, waiting = {point}, set(), [point]
    while waiting:
        for near in neighbours(size, waiting.pop()):
            if near not in stones:
                liberties.add(near)
            elif stones[near] == colour and near not in found:
                found.add(near)
                waiting.append(near)
    return found, liberties


def put(size: Size, stones: Stones, point: Point, colour: int) -> Stones | None:
    """The board after a stone is played; None for an occupied point and for suicide."""
    if point in stones:
        return None
    after = stones | {point: colour}
    for near in neighbours(size, point):
        if after.get(near) == -colour:
            taken, liberties = chain(size, after, near)
            if not liberties:
                for dead in taken:
                    del after[dead]
    return after if chain(size, after, point)[1] else None


def is_true_eye(size: Size, stones: Stones, point: Point, colour: int) -> bool:
    """Whether all neighbours are own stones, and at most one diagonal point is the opponent's; none at the edge."""
    if any(stones.get(near) != colour for near in neighbours(size, point)):
        return False
    theirs = sum(stones.get(corner) == -colour for corner in diagonals(size, point))
    return theirs <= (1 if len(diagonals(size, point)) == 4 else 0)


def owners(size: Size, stones: Stones) -> dict[Point, int]:
    """The owner of every point by Tromp and Taylor: of an empty region the colour that alone reaches it, else 0."""
    found: dict[Point, int] = dict(stones)
    for point in every_point(size):
        if point in found:
            continue
        reached, region, waiting = set(), {point}, [point]
        while waiting:
            for near in neighbours(size, waiting.pop()):
                if near in stones:
                    reached.add(stones[near])
                elif near not in region:
                    region.add(near)
                    waiting.append(near)
        found |= dict.fromkeys(region, sum(reached))     # 1 - 1 is 0
    return found


def area(size: Size, stones: Stones) -> int:
    """The Tromp-Taylor score: the points of Black minus those of White."""
    return sum(owners(size, stones).values())


@functools.cache
def every_point(size: Size) -> tuple[Point, ...]:
    rows, cols = size if isinstance(size, tuple) else (size, size)
    return tuple((row, col) for row in range(rows) for col in range(cols))


class Game:
    """A game.  boards: every board since the setup, the current one last."""

    def __init__(self, size: Size, stones: Stones | None = None, to_play: int = BLACK):
        self.size = size
        self.to_play = to_play
        self.boards: list[Stones] = [dict(stones or {})]
        self.moves: list[tuple[int, Point | None]] = []
        self._seen = {frozenset(self.boards[0].items())}

    @property
    def stones(self) -> Stones:
        return self.boards[-1]

    def after(self, point: Point, colour: int) -> Stones | None:
        """The board after a legal move; None if it is not legal, positional superko included."""
        board = put(self.size, self.stones, point, colour)
        return None if board is None or frozenset(board.items()) in self._seen else board

    def play(self, point: Point | None, colour: int) -> None:
        """Play a move or a pass (None).  Repetition is not checked."""
        board = dict(self.stones) if point is None else put(self.size, self.stones, point, colour)
        assert board is not None
        self.boards.append(board)
        self.moves.append((colour, point))
        self.to_play = -colour
        self._seen.add(frozenset(board.items()))

    def legal(self) -> set[Point]:
        return {p for p in every_point(self.size) if self.after(p, self.to_play) is not None}


# -- ladders

def escape_moves(size: Size, stones: Stones, prey: Point) -> set[Point]:
    """Moves that may save a chain in atari: its liberty, and captures of adjacent chains."""
    colour = stones[prey]
    mine, liberties = chain(size, stones, prey)
    points = set(liberties)
    for stone in mine:
        for near in neighbours(size, stone):
            if stones.get(near) == -colour:
                theirs = chain(size, stones, near)[1]
                if len(theirs) == 1:
                    points |= theirs
    return points


def is_captured(size: Size, line: tuple[Stones, ...], prey: Point) -> bool:
    """Whether a chain in atari is captured, its owner to move.

    line: the boards so far, the current one last; the one before it decides what a ko forbids.  If the last two boards
    repeat, the ladder is a cycle and captures nothing.
    """
    stones = line[-1]
    for point in escape_moves(size, stones, prey):
        after = put(size, stones, point, stones[prey])
        if after is None or after == line[-2]:
            continue
        liberties = len(chain(size, after, prey)[1])
        if liberties > 2 or liberties == 2 and (
                repeats(line, after) or not can_be_captured(size, (*line, after), prey)):
            return False
    return True


def can_be_captured(size: Size, line: tuple[Stones, ...], prey: Point) -> bool:
    """Whether a chain with two liberties is captured, the hunter to move."""
    stones = line[-1]
    for point in chain(size, stones, prey)[1]:
        after = put(size, stones, point, -stones[prey])
        if (after is not None and after != line[-2] and not repeats(line, after)
                and is_captured(size, (*line, after), prey)):
            return True
    return False


def repeats(line: tuple[Stones, ...], after: Stones) -> bool:
    """Whether the last two boards occurred before in the line, with the same side to move."""
    return any(line[-k - 1:-k + 1] == (line[-1], after) for k in range(2, len(line), 2))


# -- planes

def planes(game: Game) -> np.ndarray:
    """The planes of games.planes.PLANES for the side to move: uint8 (rows, columns, 48)."""
    size, stones, mine = game.size, game.stones, game.to_play
    row, col = every_point(size)[-1]
    out = np.zeros((row + 1, col + 1, 48), np.uint8)

    def count(point: Point, first: int, number: int) -> None:
        if number:
            out[*point, first + min(number, 8) - 1] = 1

    for point in every_point(size):
        out[*point, {mine: 0, -mine: 1, None: 2}[stones.get(point)]] = 1
        out[*point, 3] = 1
        if point in stones:
            count(point, 12, len(chain(size, stones, point)[1]))
            continue
        after = game.after(point, mine)
        if after is None:
            continue
        taken = len(stones) + 1 - len(after)
        made, liberties = chain(size, after, point)
        count(point, 20, taken)
        if len(liberties) == 1:
            count(point, 28, len(made))
        count(point, 36, len(liberties))
        for near in neighbours(size, point):
            if (stones.get(near) == -mine and len(chain(size, stones, near)[1]) == 2
                    and is_captured(size, (stones, after), near)):
                out[*point, 44] = 1
        for prey in chains_in_atari(size, stones, mine):
            if point in escape_moves(size, stones, prey):
                liberties = len(chain(size, after, prey)[1])
                if liberties > 2 or liberties == 2 and not can_be_captured(size, (stones, after), prey):
                    out[*point, 45] = 1
        if not is_true_eye(size, stones, point, mine):
            out[*point, 46] = 1
    for k, (_, point) in enumerate(reversed(game.moves[-8:])):
        if point is not None:
            out[*point, 4 + k] = 1
    return out


def chains_in_atari(size: Size, stones: Stones, colour: int) -> Iterator[Point]:
    """A stone of each chain of a colour that is in atari."""
    seen: set[Point] = set()
    for point, owner in stones.items():
        if owner == colour and point not in seen:
            found, liberties = chain(size, stones, point)
            seen |= found
            if len(liberties) == 1:
                yield point
