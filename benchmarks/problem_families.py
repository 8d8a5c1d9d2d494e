"""Drafts of problems: random open regions on boards where the rest is settled.  See make_problems.

A settled chain is connected and has two eyes at least, of four points at most and not beside the open region.  So it
lives whatever happens, nobody lives in its eyes, and a move into them threatens nothing.
"""
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from problems import Cell

BESIDE = ((-1, 0), (0, -1), (0, 1), (1, 0))
AROUND = (*BESIDE, (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass
class Draft:
    """A position while it is drawn: stones {cell: colour}; `local` cells, in which nothing is settled yet."""
    size: int
    stones: dict[Cell, int] = field(default_factory=dict)
    local: set[Cell] = field(default_factory=set)

    def cells(self) -> Iterator[Cell]:
        return ((row, col) for row in range(self.size) for col in range(self.size))

    def near(self, cell: Cell, steps=BESIDE) -> list[Cell]:
        return [(cell[0] + y, cell[1] + x) for y, x in steps
                if 0 <= cell[0] + y < self.size and 0 <= cell[1] + x < self.size]

    def component(self, start: Cell, among) -> set[Cell]:
        """The cells of `among` that are connected with start."""
        found, todo = {start}, [start]
        while todo:
            for cell in self.near(todo.pop()):
                if cell in among and cell not in found:
                    found.add(cell)
                    todo.append(cell)
        return found

    def chain(self, cell: Cell) -> set[Cell]:
        colour = self.stones[cell]
        return self.component(cell, {at for at, c in self.stones.items() if c == colour})

    def components(self, among: set[Cell]) -> list[set[Cell]]:
        left, found = set(among), []
        while left:
            part = self.component(min(left), left)
            found.append(part)
            left -= part
        return found

    def liberties(self, chain: set[Cell]) -> set[Cell]:
        return {cell for stone in chain for cell in self.near(stone) if cell not in self.stones}


def blob(rng: random.Random, draft: Draft, start: Cell, size: int, loose: float) -> set[Cell]:
    """A connected set of `size` cells around start; loose: 0 compact, 1 any."""
    cells = {start}
    while len(cells) < size:
        border = sorted({near for cell in cells for near in draft.near(cell)} - cells)
        compact = [sum(near in cells for near in draft.near(cell, AROUND)) for cell in border]
        cells.add(rng.choice(border) if rng.random() < loose else
                  max(zip(compact, [rng.random() for _ in border], border, strict=True))[2])
    return cells


def settle(rng: random.Random, draft: Draft, colour_at) -> bool:
    """Fill all cells outside `local` with settled chains; False if that is impossible.

    colour_at: cell -> colour.  A settled chain is connected and has two eyes at least.  Eyes have four points at most,
    so that nobody lives in one, and are not beside local cells.
    """
    outside = {cell for cell in draft.cells() if cell not in draft.local}
    colour = {cell: colour_at(cell) for cell in outside}
    for part in sorted((part for c in (1, -1) for part in draft.components({p for p in outside if colour[p] == c})),
                       key=len):
        if len(part) < 12:                               # too small to live: the other colour takes it
            for cell in part:
                colour[cell] = -colour[cell]
    for c in (1, -1):
        for part in draft.components({p for p in outside if colour[p] == c}):
            if len(part) < 12:
                return False
            eyes = carve(rng, draft, part)
            if eyes is None:
                return False
            for cell in part - eyes:
                draft.stones[cell] = c
    return True


def carve(rng: random.Random, draft: Draft, part: set[Cell]) -> set[Cell] | None:
    """Eyes for a settled area: at least two, its stones connected; None if there is no room."""
    inner = [cell for cell in sorted(part) if all(near in part for near in draft.near(cell))]
    rng.shuffle(inner)
    eyes: set[Cell] = set()
    count = 0
    wanted = rng.uniform(0.2, 0.45) * len(part)
    for cell in inner:
        if count >= 2 and len(eyes) > wanted:
            break
        eye = {cell}
        for _ in range(rng.choice((0, 0, 1, 2, 3))):
            more = [near for at in sorted(eye) for near in draft.near(at) if near in inner and near not in eye]
            if more:
                eye.add(rng.choice(more))
        if any(near in eyes for at in eye for near in (at, *draft.near(at))):
            continue
        stones = part - eyes - eye
        if not stones or len(draft.component(min(stones), stones)) < len(stones):
            continue
        eyes |= eye
        count += 1
    return eyes if count >= 2 else None


# -- families; each draws a position, or returns None

def any_field(rng: random.Random, size: int):
    """A colour for each cell: both sides of a wavy line."""
    angle = rng.uniform(0, math.tau)
    offset = rng.uniform(-0.25, 0.25) * size
    phase, wave = rng.uniform(0, 6), rng.uniform(0, 0.15) * size

    def colour_at(cell: Cell) -> int:
        y, x = cell[0] - (size - 1) / 2, cell[1] - (size - 1) / 2
        along, across = x * math.cos(angle) + y * math.sin(angle), y * math.cos(angle) - x * math.sin(angle)
        return 1 if across + wave * math.sin(phase + 6 * along / size) > offset else -1
    return colour_at


def start_cell(rng: random.Random, size: int) -> Cell:
    """In the upper left corner, at the upper edge or in the centre."""
    place = rng.choice(("corner", "corner", "edge", "centre"))
    if place == "corner":
        return rng.choice(((0, 0), (0, 1), (1, 1)))
    middle = rng.randrange(3, size - 3)
    return (rng.choice((0, 1)), middle) if place == "edge" else (rng.randrange(3, size - 3), middle)


def life_and_death(rng: random.Random, size: int) -> Draft | None:
    """An eye space, a ring of White around it with weak points, and Black outside."""
    draft = Draft(size)
    space = blob(rng, draft, start_cell(rng, size), rng.randint(4, 8), rng.choice((0, 0.3)))
    ring = {near for cell in space for near in draft.near(cell, AROUND)} - space
    outside = {near for cell in ring for near in draft.near(cell, AROUND)} - ring - space
    draft.local = space | ring
    for cell in ring:
        draft.stones[cell] = -1
    for cell in rng.sample(sorted(ring), min(len(ring), rng.choice((0, 0, 1, 1, 2, 3)))):
        if rng.random() < 0.5:
            draft.stones[cell] = 1
        else:
            del draft.stones[cell]
    for cell in rng.sample(sorted(outside), rng.choice((0, 0, 0, 1, 2))):
        draft.local.add(cell)                            # an outside liberty
    for cell in rng.sample(sorted(space), rng.choice((0, 0, 1, 1, 2, 3))):
        draft.stones[cell] = rng.choice((1, 1, -1))
    other = any_field(rng, size)
    far = {near for cell in draft.local | outside for near in draft.near(cell, AROUND)} | outside
    return draft if settle(rng, draft, lambda cell: 1 if cell in far else other(cell)) else None


def capturing_race(rng: random.Random, size: int) -> Draft | None:
    """Two chains beside each other, each surrounded by settled stones of the other colour and a few liberties."""
    draft = Draft(size)
    start = start_cell(rng, size)
    first = blob(rng, draft, start, rng.randint(3, 7), 0.5)
    border = sorted({near for cell in first for near in draft.near(cell)} - first)
    second = {rng.choice(border)}
    wanted = rng.randint(3, 7)
    while len(second) < wanted:
        border = sorted({near for at in second for near in draft.near(at)} - second - first)
        if not border:
            return None
        second.add(rng.choice(border))
    for c, chain in ((1, first), (-1, second)):
        for cell in chain:
            draft.stones[cell] = c
    around = {near for cell in first | second for near in draft.near(cell)} - first - second
    free = set(rng.sample(sorted(around), min(len(around), rng.randint(4, 8))))
    draft.local = first | second | free
    seeds = {}
    for cell in draft.cells():
        if cell not in draft.local:
            beside = {draft.stones[near] for near in draft.near(cell) if near in first | second}
            if len(beside) == 1:
                seeds[cell] = -beside.pop()
            elif beside:
                return None
    if not seeds:
        return None

    def colour_at(cell: Cell) -> int:
        nearest = min(seeds, key=lambda at: (abs(at[0] - cell[0]) + abs(at[1] - cell[1]), at))
        return seeds[nearest]
    return draft if settle(rng, draft, colour_at) else None


def tactics(rng: random.Random, size: int) -> Draft | None:
    """Stones at random in an open place between settled areas."""
    draft = Draft(size)
    draft.local = blob(rng, draft, start_cell(rng, size), rng.randint(9, 15), 0.3)
    for cell in sorted(draft.local):
        if rng.random() < 0.5:
            draft.stones[cell] = rng.choice((1, -1))
    centre = rng.choice(sorted(draft.local))
    far = any_field(rng, size)
    angle = rng.uniform(0, math.tau)
    both = rng.random() < 0.7
    close = {near for cell in draft.local for near in draft.near(cell, AROUND)}

    def colour_at(cell: Cell) -> int:
        if not both and cell in close:
            return 1
        if abs(cell[0] - centre[0]) + abs(cell[1] - centre[1]) < 7:
            side = (cell[0] - centre[0]) * math.cos(angle) + (cell[1] - centre[1]) * math.sin(angle)
            return 1 if side > 0 else -1
        return far(cell)
    return draft if settle(rng, draft, colour_at) else None


def endgame(rng: random.Random, size: int) -> Draft | None:
    """Open places on the border of two settled areas."""
    draft = Draft(size)
    far = any_field(rng, size)
    borders = [cell for cell in draft.cells() if len({far(at) for at in (cell, *draft.near(cell))}) == 2]
    if not borders:
        return None
    places = rng.choice((1, 2, 2, 3))
    for _ in range(places):
        part = blob(rng, draft, rng.choice(borders), rng.randint(3, 10) // places + 1, 0.5)
        if draft.local & {near for cell in part for near in (cell, *draft.near(cell))}:
            return None
        draft.local |= part
    for cell in rng.sample(sorted(draft.local), rng.choice((0, 1, 1, 2, 3))):
        draft.stones[cell] = rng.choice((1, -1))
    return draft if settle(rng, draft, far) else None


FAMILIES = {"life and death": life_and_death, "capturing race": capturing_race, "tactics": tactics,
            "endgame": endgame}
