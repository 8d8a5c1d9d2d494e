"""How the bundled networks open: on every board, the default network's moves are sane in the first few plies.

Sane means: no move on the first line, from 5x5 on; on 3x3 the first move is the centre, and on 2x2 and 4x4 it is no
pass: the networks have learned nothing of boards so small.
"""
import numpy as np
import pytest

from mugo.games.coords import MAX_SIZE, MIN_SIZE, PASS, board_points, format_gtp, point_at, symmetries
from mugo.games.go import GoPosition
from mugo.nn.bundled import BundledNetworks
from mugo.players.player import PolicyPlayer


@pytest.fixture(scope="module")
def networks() -> BundledNetworks:
    return BundledNetworks(threads=1)


def first_line(size: int) -> np.ndarray:
    """bool (size² + 1,): the move indices of points at the edge."""
    inner = np.pad(np.ones((max(size - 2, 0),) * 2, bool), 1)[:size, :size]
    return np.append(~inner.ravel(), False)


def first_moves(size: int) -> list[int]:
    """The points off the first line in one eighth of the board: all others are their images."""
    half = (size + 1) // 2
    return [point_at(row, col, size) for row in range(1, half) for col in range(row, half)]


@pytest.mark.parametrize("size", range(MIN_SIZE, MAX_SIZE + 1))
def test_the_default_network_opens_off_the_first_line(networks, size):
    empty = GoPosition(size)
    point = PolicyPlayer(networks).select_move(empty)
    if size in (2, 4):
        assert point != PASS
    elif size == 3:
        assert format_gtp(point, size) == "B2"
    else:
        priors = networks.evaluate([empty]).priors[0]
        assert not first_line(size)[priors.argmax()]
        assert priors[first_line(size)].sum() < 0.03
        assert priors[symmetries(size)] == pytest.approx(np.tile(priors, (8, 1)), abs=0.02)    # int8 rounds


@pytest.mark.parametrize("size", [5, 6, 9, 13, 19, *(pytest.param(size, marks=pytest.mark.slow)
                                                     for size in (7, 8, 10, 11, 12, 14, 15, 16, 17, 18))])
def test_the_default_network_replies_off_the_first_line(networks, size):
    """To every first move that is off it.  From 6x6 on the prior of the whole line is small too, for `randompolicy`."""
    positions = [GoPosition(size).play(point) for point in first_moves(size)]
    edge = {format_gtp(int(point), size) for point in board_points(size)[first_line(size)[:-1]]}
    replies = {format_gtp(position.last, size): format_gtp(PolicyPlayer(networks).select_move(position), size)
               for position in positions}
    assert not {first: reply for first, reply in replies.items() if reply in edge or reply == "pass"}
    priors = networks.evaluate(positions).priors
    assert size == 5 or priors[:, first_line(size)].sum(axis=1).max() < 0.03
