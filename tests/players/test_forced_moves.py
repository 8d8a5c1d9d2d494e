"""Wins and losses in one move: no player that searches overlooks one, and none thinks about a forced move."""
import functools
import random

import numpy as np
import pytest
from sample_positions import wins_at_once
from drawing import SEKI, SETTLED, draw
from fakes import LevelNetwork

from mugo.games.coords import PASS
from mugo.games.go import BLACK, WHITE, GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.players.player import PolicyPlayer
from mugo.players.searcher import PlayOptions, SearchPlayer
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

PLAYERS = {
    "uct": lambda n: searcher(Settings(rollout="mogo", seed=n), n),
    "uct --rollout uniform --select-by value": lambda n: searcher(Settings(seed=n), n, select_by="value"),
    "uct --threads 2": lambda n: searcher(Settings(seed=n, threads=2), n),
    "uct --expand-after 5": lambda n: searcher(Settings(seed=n, expand_after=5), n),
    "mcts": lambda n: searcher(Settings(rollout="none", seed=n), n, LevelNetwork()),
    "mcts --rollout mogo": lambda n: searcher(Settings(rollout="mogo", lambda_=0.5, seed=n), n, LevelNetwork()),
    "mcts --rollout uniform --expand-after 3": lambda n: searcher(Settings(lambda_=0.5, seed=n, expand_after=3), n,
                                                                  LevelNetwork()),
    "mcts --select-by lcb": lambda n: searcher(Settings(rollout="none", fpu_reduction_max=0.3, seed=n), n,
                                               LevelNetwork(), select_by="lcb"),
    "policy": lambda n: PolicyPlayer(LevelNetwork()),
}


def searcher(settings, simulations, network=None, **options):
    return SearchPlayer("mcts" if network else "uct", Search(settings, network),
                        PlayOptions(simulations, resign=0, **options))


def lacks_one_stone(stones, k):
    """Whether k points in a row have k - 1 stones of one colour, and the last is empty."""
    size = len(stones)
    for down, right in (0, 1), (1, 0), (1, 1), (1, -1):
        rows, first = size - (k - 1) * down, (k - 1) * (right < 0)
        columns = size - (k - 1) * abs(right)
        total = sum(stones[i * down:i * down + rows, first + i * right:first + i * right + columns] for i in range(k))
        if (np.abs(total) == k - 1).any():
            return True
    return False


@functools.cache
def positions_to_answer(n, size, exactly=False):
    """n positions of random games in which a move wins at once or must be blocked, each with the right answers."""
    rng, found = random.Random(size), []
    while len(found) < n:
        position = GomokuPosition(size, exactly=exactly)
        near = position.legal_points().tolist()
        rng.shuffle(near)
        near = near[:4 * size]                           # so that rows of five come up
        while not position.is_over:
            if lacks_one_stone(position.stones, position.k):
                answers = wins_at_once(position) or wins_at_once(position.with_turn(-position.to_play))
                if answers:
                    found.append((position, answers))
                    break
            points = [point for point in near if not position.stones.ravel()[_index(point, size)]]
            if not points:
                break
            position = position.play(rng.choice(points))
    return found


def _index(point, size):
    return (point // (size + 1) - 1) * size + point % (size + 1) - 1


def answer_all(name, n, size, simulations, exactly=False):
    player = PLAYERS[name](simulations)
    for position, answers in positions_to_answer(n, size, exactly):
        assert player.select_move(position) in answers, f"\n{position}"


@pytest.mark.parametrize("simulations", [1, 2, 30])
@pytest.mark.parametrize("name", PLAYERS)
def test_a_win_is_taken_and_a_loss_blocked(name, simulations):
    answer_all(name, 6, 8, simulations)
    answer_all(name, 3, 15, simulations)
    answer_all(name, 3, 7, simulations, exactly=True)


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 15])
@pytest.mark.parametrize("name", PLAYERS)
def test_a_win_is_taken_and_a_loss_blocked_in_1000_positions(name, size):
    answer_all(name, 1000, size, 3)


def test_a_searcher_answers_a_forced_move_at_once():
    position, at = draw("""
        . . . . . . . .
        . O X X X X a .
        . . . . . . . .
        . . O O . . . .
        . . . O . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
    """, to_play=WHITE, k=5)
    for network in None, LevelNetwork():
        player = SearchPlayer("uct", Search(Settings(seed=1), network), PlayOptions(seconds=30))
        assert player.select_move(position) == at["a"] and player.search_result.simulations < 200


def test_a_single_move_is_answered_at_once_and_to_evaluate_it_is_not():
    position = GoPosition(5)
    for select_by, simulations in (None, 500), ("visits", 1), ("value", 1):
        result = Search(Settings(seed=1)).search(position, simulations=500, allowed_moves=[21], select_by=select_by)
        assert ([info.point for info in result.moves], result.simulations) == ([21], simulations)


@pytest.mark.parametrize("to_play, komi", [(BLACK, 0.5), (WHITE, 1.5)])
@pytest.mark.parametrize("simulations", [1, 3, 200])
def test_a_pass_that_wins_a_seki_is_taken_and_the_losing_one_is_not(to_play, komi, simulations):
    position, _ = draw(SEKI, to_play=-to_play, komi=komi)        # the area score decides for the side that passes last
    end = position.play(PASS)
    for select_by in "visits", "value":
        player = searcher(Settings(seed=1), simulations, select_by=select_by)
        move = player.select_move(end)
        if end.score() * to_play > 0 and simulations == 200:
            assert move == PASS
        if move == PASS:
            assert end.score() * to_play > 0


@pytest.mark.parametrize("simulations", [1, 2, 50])
def test_a_search_knows_what_a_pass_that_ends_the_game_is_worth(simulations):
    for komi, value in (-20, 1), (20, -1), (0, 0):
        position, _ = draw(SETTLED, to_play=WHITE, komi=komi)
        komi_of_draw = position.score() + position.komi
        position = draw(SETTLED, to_play=WHITE, komi=komi or komi_of_draw)[0].play(PASS)
        result = Search(Settings(seed=1)).search(position, simulations=simulations)
        info = next(info for info in result.moves if info.point == PASS)
        assert info.proven == (value if komi else 0) and info.win_rate == (1 + info.proven) / 2
        assert (result.best().point == PASS) == (value == 1) or simulations == 50
        # The first pass: the opponent may answer with the second, so it cannot win, but it can lose.
        first = position.undo().with_turn(BLACK)
        before = Search(Settings(seed=1)).search(first, simulations=1)
        assert next(info for info in before.moves if info.point == PASS).proven == (-1 if value == -1 else None)


def test_a_move_that_superko_forbids_is_left_out_of_the_allowed_moves():
    position, at = draw("""
        . X O .
        X O a O
        . X O .
        . . . .
    """)
    position = position.play(at["a"])
    point = next(p for p in np.flatnonzero(position.board[0]["ever_captured"]).tolist())
    for searched in position, position.play(PASS).play(PASS):
        for network in None, LevelNetwork():
            result = Search(Settings(seed=1), network).search(searched, simulations=50, allowed_moves=[point, PASS])
            legal = searched.why_illegal(point) is None
            assert {info.point for info in result.moves} <= ({point, PASS} if legal else {PASS})
            assert result.best().point in (point, PASS)
            everything = Search(Settings(seed=1), network).search(searched, simulations=50, allowed_moves=[point])
            assert everything.moves and (legal or point not in {info.point for info in everything.moves})


def test_a_confirming_search_has_a_new_tree_each_time_and_that_of_the_game_is_kept():
    player, position = searcher(Settings(seed=1, early_stop=False), 400), GoPosition(5)
    player.select_move(position)
    assert [player._search_briefly(None, position).visits for _ in range(2)] == [100, 100]
    assert player.search.search(position, simulations=1).visits > 400
