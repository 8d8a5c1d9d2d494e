"""What the compiled core is compared with: the rules and the 48 planes, slow and obvious.

Nothing here looks at how mugo does it.  A board is a dict from (row, column) to colour, with no
entry for an empty point; chains are found by walking, a move is a new dict, and a repetition is a
dict that was there before.

    Game     a board, whose turn it is, every board so far and every move: all that planes need
    planes   the table of 48, row by row

The ladder reader follows the definition: the hunter gives atari on a chain with two liberties; the
prey extends, or captures a chain in atari beside it; three liberties are freedom.
"""
import functools
from collections.abc import Iterator

import numpy as np

Point = tuple[int, int]
Stones = dict[Point, int]
BLACK, WHITE = 1, -1


# -- rules

@functools.cache
def neighbours(size: int, point: Point) -> tuple[Point, ...]:
    row, col = point
    around = (row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)
    return tuple((r, c) for r, c in around if 0 <= r < size and 0 <= c < size)


@functools.cache
def diagonals(size: int, point: Point) -> tuple[Point, ...]:
    row, col = point
    around = (row - 1, col - 1), (row - 1, col + 1), (row + 1, col - 1), (row + 1, col + 1)
    return tuple((r, c) for r, c in around if 0 <= r < size and 0 <= c < size)


def chain(size: int, stones: Stones, point: Point) -> tuple[set[Point], set[Point]]:
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


def put(size: int, stones: Stones, point: Point, colour: int) -> Stones | None:
    """The board after a stone is played; None where one stands already and for suicide."""
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


def is_true_eye(size: int, stones: Stones, point: Point, colour: int) -> bool:
    """Surrounded by own stones, and at most one diagonal point the opponent's; none at the edge."""
    if any(stones.get(near) != colour for near in neighbours(size, point)):
        return False
    theirs = sum(stones.get(corner) == -colour for corner in diagonals(size, point))
    return theirs <= (1 if len(diagonals(size, point)) == 4 else 0)


def area(size: int, stones: Stones) -> int:
    """Tromp-Taylor: for each colour its stones and the empty points from which only it is reached."""
    score = 0
    for point in every_point(size):
        if point in stones:
            score += stones[point]
            continue
        reached, found, waiting = set(), {point}, [point]
        while waiting:
            for near in neighbours(size, waiting.pop()):
                if near in stones:
                    reached.add(stones[near])
                elif near not in found:
                    found.add(near)
                    waiting.append(near)
        score += sum(reached) if len(reached) == 1 else 0
    return score


@functools.cache
def every_point(size: int) -> tuple[Point, ...]:
    return tuple((row, col) for row in range(size) for col in range(size))


class Game:
    """A game so far.  `boards` holds every position since the setup, the present one last."""

    def __init__(self, size: int, stones: Stones | None = None, to_play: int = BLACK):
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

    def retakes_ko(self, point: Point, colour: int) -> bool:
        """Whether a move would bring back the board before the opponent's last move."""
        return (bool(self.moves) and self.moves[-1][0] == -colour
                and put(self.size, self.stones, point, colour) == self.boards[-2])

    def play(self, point: Point | None, colour: int) -> None:
        """Play a move that is legal but for repetition, or a pass (None)."""
        board = dict(self.stones) if point is None else put(self.size, self.stones, point, colour)
        assert board is not None
        self.boards.append(board)
        self.moves.append((colour, point))
        self.to_play = -colour
        self._seen.add(frozenset(board.items()))

    def legal(self) -> set[Point]:
        return {p for p in every_point(self.size) if self.after(p, self.to_play) is not None}


# -- ladders

def escape_moves(size: int, stones: Stones, prey: Point) -> set[Point]:
    """Where the owner of a chain in atari may try to save it: its liberty, and captures beside it."""
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


def is_captured(size: int, line: tuple[Stones, ...], prey: Point) -> bool:
    """Whether a chain in atari, its owner to move, is taken.

    line: the boards so far, the present one last.  The one before says what a ko forbids; a line
    that comes round to where it was (the last two boards again) forces nothing: no capture.
    """
    stones = line[-1]
    for point in escape_moves(size, stones, prey):
        after = put(size, stones, point, stones[prey])
        if after is None or after == line[-2]:
            continue
        liberties = len(chain(size, after, prey)[1])
        if liberties > 2 or liberties == 2 and (
                comes_round(line, after) or not can_be_taken(size, (*line, after), prey)):
            return False
    return True


def can_be_taken(size: int, line: tuple[Stones, ...], prey: Point) -> bool:
    """Whether a chain with two liberties, its hunter to move, is taken."""
    stones = line[-1]
    for point in chain(size, stones, prey)[1]:
        after = put(size, stones, point, -stones[prey])
        if (after is not None and after != line[-2] and not comes_round(line, after)
                and is_captured(size, (*line, after), prey)):
            return True
    return False


def comes_round(line: tuple[Stones, ...], after: Stones) -> bool:
    """Whether the line has been here: these last two boards, and the same side to move."""
    return any(line[-k - 1:-k + 1] == (line[-1], after) for k in range(2, len(line), 2))


# -- planes

def planes(game: Game) -> np.ndarray:
    """uint8 (size, size, 48): the table of the design, for the side to move."""
    size, stones, mine = game.size, game.stones, game.to_play
    out = np.zeros((size, size, 48), np.uint8)

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
                if liberties > 2 or liberties == 2 and not can_be_taken(size, (stones, after), prey):
                    out[*point, 45] = 1
        if not is_true_eye(size, stones, point, mine):
            out[*point, 46] = 1
    for k, (_, point) in enumerate(reversed(game.moves[-8:])):
        if point is not None:
            out[*point, 4 + k] = 1
    return out


def chains_in_atari(size: int, stones: Stones, colour: int) -> Iterator[Point]:
    """One stone of each chain of a colour that has one liberty."""
    seen: set[Point] = set()
    for point, owner in stones.items():
        if owner == colour and point not in seen:
            found, liberties = chain(size, stones, point)
            seen |= found
            if len(liberties) == 1:
                yield point
