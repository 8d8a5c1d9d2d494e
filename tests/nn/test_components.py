"""Connected components: chains and empty regions, from packed planes."""
import numpy as np
import pytest
from random_records import random_record

from mugo.games import planes
from mugo.games.game import encode
from mugo.nn.inputs import connected_components
from mugo.sgf.record_positions import position_of


def by_flood_fill(colours: np.ndarray) -> np.ndarray:
    """The first point of each point's component, one point after another.  colours: (rows, columns)."""
    rows, cols = colours.shape
    first = np.full(rows * cols, -1)
    for start in range(rows * cols):
        stack = [start] if first[start] < 0 else []
        while stack:
            point = stack.pop()
            first[point] = start
            row, col = divmod(point, cols)
            for r, c in (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1):
                if 0 <= r < rows and 0 <= c < cols and first[r * cols + c] < 0 and colours[r, c] == colours[row, col]:
                    stack.append(r * cols + c)
    return first


def packed_of(colours: np.ndarray) -> np.ndarray:
    """Packed planes (1, points, 6) of a board of 0 mine, 1 theirs, 2 empty, with other bits at random."""
    packed = np.random.default_rng(0).integers(0, 256, (1, colours.size, planes.PACKED), np.uint8)
    packed[0, :, 0] = packed[0, :, 0] & 0xF8 | 1 << colours.ravel()
    return packed


def test_points_of_a_chain_or_an_empty_region_have_its_first_point():
    drawn = """
        X X . O
        . X . O
        . . . O
        O . X X
    """
    colours = np.array([["XO.".index(point) for point in line.split()] for line in drawn.split("\n") if line.split()])
    assert connected_components(packed_of(colours), 4)[0].reshape(4, 4).tolist() == [
        [0, 0, 2, 3],
        [2, 0, 2, 3],
        [2, 2, 2, 3],
        [12, 2, 14, 14]]


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 9), (13, 4), (19, 19)], ids=str)
@pytest.mark.parametrize("colours", [2, 3])
def test_components_are_those_of_a_flood_fill(shape, colours):
    """Also of spirals and combs, which random boards of two colours have."""
    rng = np.random.default_rng(1)
    boards = [rng.choice(colours, shape, p=[0.55, 0.45] if colours == 2 else None) for _ in range(20)]
    found = connected_components(np.concatenate([packed_of(board) for board in boards]), shape[1])
    assert found.dtype == np.int32
    for board, components in zip(boards, found, strict=True):
        assert components.tolist() == by_flood_fill(board).tolist()


def test_the_planes_of_a_position_have_its_chains():
    position = position_of(random_record(3))
    packed = encode([position])
    stones = planes.unpack(packed)[0, ..., :3].argmax(-1)
    assert connected_components(packed, position.shape[1])[0].tolist() == by_flood_fill(stones).tolist()
