"""Rules, planes, SGF and search on random small games, against slow oracles: hypothesis chooses and shrinks games."""
import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mugo.games import gomoku, planes
from mugo.games.coords import PASS, board_points, move_index
from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.games.position import BasePosition, IllegalMove
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.sgf.convert import format_record, record_from_position
from mugo.sgf.parser import read_records
from mugo.sgf.record_positions import position_of

few = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
choices = st.lists(st.integers(0, 1000), max_size=40)


def played(position: BasePosition, numbers: list[int]) -> BasePosition:
    """The position after moves: each number chooses one of the legal points, 0 a pass in Go."""
    for number in numbers:
        points = position.legal_points().tolist()
        if position.is_over:
            break
        point = PASS if position.may_pass and (number == 0 or not points) else points[number % len(points)]
        position = position.play(int(point))
    return position


def oracle_game(position: BasePosition):
    """The oracle's game with the same moves."""
    import oracles

    game = oracles.Game(position.size)
    for colour, point in position.moves:
        game.play(None if point == PASS else divmod(move_index(point, position.size), position.size), colour)
    return game


@few
@given(st.integers(2, 7), choices)
def test_legal_moves_and_stones_are_the_oracles(size, numbers):
    position = played(GoPosition(size), numbers)
    if position.is_over:
        return
    game = oracle_game(position)
    ours = {divmod(move_index(int(point), size), size) for point in position.legal_points()}
    assert ours == game.legal() and position.to_play == game.to_play
    for point in board_points(size).tolist():
        where = divmod(move_index(int(point), size), size)
        if where not in ours:
            with pytest.raises(IllegalMove):
                position.play(int(point))


@few
@given(st.integers(5, 9), choices)
def test_planes_are_the_oracles(size, numbers):
    import oracles

    position = played(GoPosition(size), numbers)
    if not position.is_over:
        assert np.array_equal(planes.unpack(encode([position]))[0], oracles.planes(oracle_game(position)))


@few
@given(st.integers(2, 9), choices)
def test_a_game_written_as_sgf_and_read_again_is_the_same(size, numbers):
    position = played(GoPosition(size, 6.5), numbers)
    record, = read_records(format_record(record_from_position(position)).encode())
    again = position_of(record)
    assert again.moves == position.moves and again.to_play == position.to_play and again.komi == position.komi
    assert np.array_equal(again.stones, position.stones)


KNOWN: dict = {}                         # values of positions


def exact_value(position: BasePosition) -> int:
    """For the side to move, by exhaustive search."""
    key = position.stones.tobytes(), position.to_play
    if key not in KNOWN:
        KNOWN[key] = int(position.score()) * position.to_play if position.is_over else max(
            -exact_value(position.play(int(point))) for point in position.legal_points())
    return KNOWN[key]


@few
@given(st.lists(st.integers(0, 1000), min_size=3, max_size=8), st.integers(1, 2),
       st.sampled_from([{}, {"rave": True, "heuristic_priors": True}, {"reuse_tree": False}]))
def test_a_search_of_noughts_and_crosses_never_gives_away_its_value(numbers, threads, changes):
    position = played(gomoku.GomokuPosition(3, 3), numbers)
    if position.is_over:
        return
    result = Search(Settings(seed=1, threads=threads, **changes)).search(position, simulations=1000)
    best = result.moves[0].point
    assert -exact_value(position.play(best)) == exact_value(position), f"{position}\n{best}"
