"""Eye spaces as sets of cells, and the slow way to see whether they live: every line of play."""
import functools

from oracles import BLACK, WHITE, Point, Stones, every_point, put

Cells = frozenset[Point]


def grown(shape: Cells) -> set[Cells]:
    """The shapes with one cell more."""
    return {shape | {cell} for row, col in shape
            for cell in ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)) if cell not in shape}


def canonical(shape: Cells) -> Cells:
    """The same for shapes that differ by shifting, turning and reflecting; its least row and column are 1."""
    turned = []
    for flip in (1, -1):
        cells = {(row, flip * col) for row, col in shape}
        for _ in range(4):
            cells = {(col, -row) for row, col in cells}
            top, left = (min(cell[axis] for cell in cells) - 1 for axis in (0, 1))
            turned.append(sorted((row - top, col - left) for row, col in cells))
    return frozenset(min(turned))


@functools.cache
def polyominoes(n: int) -> tuple[Cells, ...]:
    """All connected shapes of n cells, but for symmetry: 1, 1, 2, 5, 12, 35, 108, ..."""
    if n == 1:
        return (frozenset([(1, 1)]),)
    return tuple(sorted({canonical(more) for shape in polyominoes(n - 1) for more in grown(shape)}, key=sorted))


def walled(shape: Cells) -> tuple[int, Stones]:
    """(size, stones): Black on the whole of the smallest board that leaves the shape a ring."""
    size = 2 + max(max(cell) for cell in shape)
    return size, dict.fromkeys(set(every_point(size)) - shape, BLACK)


@functools.cache
def killers(shape: Cells) -> frozenset[Point | None]:
    """White's first moves, None for a pass, after which it captures the wall around a canonical eye space, whatever
    Black does.  A position that comes again and again is alive: White cannot win by a ko."""
    size, stones = walled(shape)
    wall = (0, 0)
    start = frozenset(stones.items()), WHITE
    following: dict[tuple, dict[Point | None, tuple]] = {}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        if state in following:
            continue
        board, colour = dict(state[0]), state[1]
        following[state] = {None: (state[0], -colour)}
        for cell in shape:
            after = put(size, board, cell, colour) if wall in board else None
            if after is not None:
                following[state][cell] = (frozenset(after.items()), -colour)
        waiting += following[state].values()
    lost = {state for state in following if wall not in dict(state[0])}
    before = -1
    while len(lost) != before:
        before = len(lost)
        lost |= {state for state, moves in following.items()
                 if (any if state[1] == WHITE else all)(after in lost for after in moves.values())}
    return frozenset(move for move, after in following[start].items() if after in lost)


@functools.cache
def is_killed(shape: Cells) -> bool:
    """Whether White, moving first, kills an eye space."""
    return bool(killers(canonical(shape)))


def vital_cells(shape: Cells) -> set[Point]:
    """Where White must play to kill a canonical eye space, if a pass would let it live and a move of Black makes it
    live; else none."""
    moves = killers(shape)
    return set() if None in moves else {move for move in moves if move is not None}
