"""Gomoku: rules against an oracle, rollouts, planes, and positions that a search must solve."""

import numpy as np
import pytest
from drawing import after, draw, named

from mugo.core.files import BadInput
from mugo.games import gomoku
from mugo.games.board import BLACK, EMPTY, POINTS, WHITE
from mugo.games.coords import PASS, board_points, interpret_gtp, point_at, row_col
from mugo.games.game import encode
from mugo.games.gomoku import GomokuPosition
from mugo.games.planes import unpack
from mugo.games.position import IllegalMove
from mugo.games.rollouts import MOGO, UNIFORM
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

# ---- rules

def longest_row(stones: np.ndarray, row: int, col: int) -> set[int]:
    """The lengths of the four rows through a stone: the oracle."""
    size, colour = len(stones), stones[row, col]
    lengths = set()
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        n = 1
        for sign in (1, -1):
            r, c = row + sign * down, col + sign * right
            while 0 <= r < size and 0 <= c < size and stones[r, c] == colour:
                n, r, c = n + 1, r + sign * down, c + sign * right
        lengths.add(n)
    return lengths


@pytest.mark.parametrize("size, k, exactly", [(3, 3, False), (6, 4, False), (7, 4, True), (8, 5, False), (19, 5, True)])
def test_the_winner_is_the_oracles(size, k, exactly):
    rng = np.random.default_rng(size)
    winners = []
    for _ in range(40):
        position = GomokuPosition(size, k, exactly)
        while not position.is_over:
            position = position.play(int(rng.choice(position.legal_points())))
            lengths = longest_row(position.stones, *row_col(position.last, size))
            has_won = k in lengths if exactly else max(lengths) >= k
            assert position.winner == (position.mover if has_won else EMPTY)
        assert position.winner or not (position.stones == EMPTY).any()
        winners.append(position.winner)
    assert {BLACK, WHITE} <= set(winners)


def test_all_games_of_noughts_and_crosses():
    """255,168 games, 131,184 won by Black, 77,904 by White, 46,080 drawn: known numbers."""
    counts = {BLACK: 0, WHITE: 0, EMPTY: 0}
    known: dict[bytes, tuple[int, int, int]] = {}

    def count(position: GomokuPosition) -> tuple[int, int, int]:
        key = position.stones.tobytes()
        if key not in known:
            if position.is_over:
                known[key] = tuple(int(position.winner == colour) for colour in counts)
            else:
                known[key] = tuple(map(sum, zip(*(count(position.play(int(p))) for p in position.legal_points()),
                                                strict=True)))
        return known[key]

    assert count(GomokuPosition(3, 3)) == (131_184, 77_904, 46_080)
    assert len(known) == 5_478


@pytest.mark.parametrize("exactly, winner", [(False, BLACK), (True, EMPTY)])
def test_six_in_a_row_win_unless_exactly_five_are_needed(exactly, winner):
    stones = [point_at(3, col, 8) for col in (1, 2, 3, 5, 6)]
    position = GomokuPosition(8, 5, exactly).with_stones(black=stones).play(point_at(3, 4, 8))
    assert position.winner == winner
    assert len(position.row) == (6 if winner else 0)
    assert position.result() == ("B+" if winner else "?")


def test_a_row_does_not_wrap_around_the_edge():
    wrapped = [point_at(2, 6, 8), point_at(2, 7, 8), point_at(3, 0, 8), point_at(3, 1, 8)]
    assert GomokuPosition(8, 5).with_stones(black=wrapped).play(point_at(3, 2, 8)).winner == EMPTY


def test_the_winning_row_is_named_in_every_direction():
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        col = 5 if right < 0 else 1
        points = [point_at(1 + i * down, col + i * right, 7) for i in range(4)]
        for last in range(4):
            start = GomokuPosition(7, 4).with_stones(black=points[:last] + points[last + 1:])
            assert start.play(points[last]).row == tuple(sorted(points))


def test_after_the_end_no_move_is_legal_and_a_search_is_an_error():
    position, at = draw("""
        X X a
        O O .
        . . .
    """, k=3)
    position = position.play(at["a"])
    assert position.is_over and position.winner == BLACK and position.score() == 1 and position.result() == "B+"
    assert not len(position.legal_points())
    with pytest.raises(IllegalMove, match="C1 comes after the end of the game"):
        position.play(interpret_gtp("C1", 3))
    with pytest.raises(BadInput, match="the game is over"):
        Search(Settings()).search(position, simulations=10)


def test_a_pass_is_illegal():
    with pytest.raises(IllegalMove, match="pass is not a move of Gomoku"):
        GomokuPosition(6).play(PASS)


@pytest.mark.parametrize("size, k, line", [
    (2, None, "a Gomoku board is 3x3 to 19x19, not 2x2"), (20, None, "a Gomoku board is 3x3 to 19x19, not 20x20"),
    (6, 7, "3 to 6 in a row can win on 6x6, not 7"), (6, 2, "3 to 6 in a row can win on 6x6, not 2"),
])
def test_a_board_or_row_that_does_not_fit_is_refused(size, k, line):
    with pytest.raises(ValueError, match=line):
        GomokuPosition(size, k)


def test_stones_that_have_won_already_cannot_be_set_up():
    with pytest.raises(IllegalMove, match="a black stone cannot be placed on C3"):
        GomokuPosition(3).with_stones(black=[interpret_gtp(f"{column}3", 3) for column in "ABC"])


# ---- rollouts

def test_rollouts_win_at_the_exact_rates():
    """On a 3x3 board played uniformly at random Black wins 58.5 %, White 28.8 %, and 12.7 % are drawn."""
    start, boards = GomokuPosition(3, 3).board, GomokuPosition(3, 3).board.copy()
    state, won = np.uint64(1), {BLACK: 0, WHITE: 0, EMPTY: 0}
    for _ in range(20_000):
        boards[:] = start
        boards["random"] = state
        won[int(gomoku.roll_out(boards[0], UNIFORM, np.zeros(POINTS, np.int8)))] += 1
        state = boards[0]["random"]
    assert won[BLACK] / 20_000 == pytest.approx(0.585, abs=0.015)
    assert won[WHITE] / 20_000 == pytest.approx(0.288, abs=0.015)


def test_rollouts_with_threats_see_two_fours_that_an_older_move_made():
    picture, names = WINS["two fours at once"]
    position, at = draw(picture, k=5)
    position = after(position, at, names)
    for point in position.legal_points()[:8].tolist():
        boards = position.play(point).board.copy()
        boards["random"] = 1 + point
        assert gomoku.roll_out(boards[0], MOGO, np.zeros(POINTS, np.int8)) == BLACK


def test_rollouts_with_threats_never_miss_a_win_or_a_block():
    """Of games from the empty board the last two moves: the loser's could neither win nor block all wins."""
    blocks = 0
    for seed in range(1, 150):
        boards = GomokuPosition(6, 4).board.copy()
        boards["random"] = seed
        winner = int(gomoku.roll_out(boards[0], MOGO, np.zeros(POINTS, np.int8)))
        if winner == EMPTY:
            continue
        end = boards[0]
        last, before = (int(end["recent"][(int(end["moves"]) - back) % 8]) for back in (0, 1))
        stones = {c: [int(p) for p in board_points(6) if end["colour"][p] == c and p not in (last, before)]
                  for c in (BLACK, WHITE)}
        position = GomokuPosition(6, 4).with_stones(stones[BLACK], stones[WHITE], to_play=-winner)
        wins_of = {c: [p for p in position.legal_points().tolist() if gomoku.wins(position.board[0], p, c)]
                   for c in (BLACK, WHITE)}
        assert not wins_of[-winner], position
        assert not wins_of[winner] or before in wins_of[winner], position
        blocks += bool(wins_of[winner])
    assert blocks > 20


# ---- planes

def test_the_four_planes():
    position, at = draw("""
        X . . .
        . O a .
        . . . .
        . . . b
    """, k=4)
    seen = unpack(encode([position]), gomoku.DEPTH)[0]
    assert seen.shape == (4, 4, 4)
    assert np.array_equal(seen[..., 0], position.stones == BLACK)
    assert np.array_equal(seen[..., 1], position.stones == WHITE)
    assert not seen[..., 2].any() and seen[..., 3].all()
    seen = unpack(encode([after(position, at, "a")]), gomoku.DEPTH)[0]
    assert np.array_equal(np.argwhere(seen[..., 2]), [[1, 2]])
    assert seen[1, 2, 1] and seen[1, 1, 0] and not seen[..., 3].any()


# ---- searching

def best(position: GomokuPosition, simulations: int = 3_000, **settings) -> int:
    return Search(Settings(seed=1, **settings)).search(position, simulations=simulations).best().point


WINS = {
    "an open three is made an open four": ("""
        . . . . . . . .
        . O . . . . . .
        . a X X X b . .
        . . . . . . . .
        . . . O . O . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
    """, "a b"),
    "two fours at once": ("""
        . . . . . . . .
        . . . . . . . O
        O X X X a . . .
        . . . . X . . .
        . . O . X . . .
        . . O . X . . .
        . . O . O . . .
        . . . . . . . .
    """, "a"),
}
BLOCKS = {
    "blocks an open three": ("""
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . a O O O b . .
        . . . X . . . .
        . . . X . . . .
        . . . . . . . .
        . . . . . . . .
    """, "a b"),
}


@pytest.mark.parametrize("rollout", ["uniform", "mogo"])
@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize("what", [*WINS, *BLOCKS])
def test_uct_finds(what, colour, rollout):
    picture, names = (WINS | BLOCKS)[what]
    position, at = draw(picture if colour == BLACK else picture.translate(str.maketrans("XO", "OX")), colour, k=5)
    assert best(position, 15_000, rollout=rollout) in named(at, names)


def test_the_tree_is_not_reused_for_another_winning_row():
    """The tree of five in a row is not reused for four in a row on the same board."""
    search = Search(Settings(seed=1, early_stop=False))
    search.search(GomokuPosition(6, 5), simulations=500)
    assert search.search(GomokuPosition(6, 4), simulations=10).visits == 10
