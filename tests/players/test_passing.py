"""When players pass, rule by rule, with search results made by hand."""
import functools
import time
from dataclasses import replace

import numpy as np
import pytest
from drawing import DEAD_STONES, SEKI, SETTLED, draw

from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, board_points, move_index
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.rules import NAMED_RULES
from mugo.players import passing
from mugo.players.passing import Plan
from mugo.players.player import RESIGN
from mugo.players.searcher import SECONDS, PlayOptions, SearchPlayer
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.root import AvoidedMoves
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings


def result_of(position, *infos, visits=1000, win_rate=0.5, ownership=None, rollouts=0, proven=None):
    """infos: (point, win rate, visits)."""
    moves = tuple(MoveInfo(point, 0.1, visits, rate, (point,)) for point, rate, visits in infos)
    return SearchResult(position, moves, win_rate, visits, visits, 1.0, 1.0, 1, rollouts, ownership, proven)


class Recorder:
    """A search that notes how it was called, and answers with a result or searches."""
    network = None
    settings = Settings(seed=1)
    now = staticmethod(time.perf_counter)

    def __init__(self, result=None):
        self.calls, self._result, self._search = [], result, Search(self.settings)

    def search(self, position, **options):
        self.calls.append(options)
        return self._result or self._search.search(position, **options)


def move_or_pass(result, brief=None, **options):
    """brief: what a brief search returns."""
    plan = Plan(True, **options)
    return passing.move_or_pass(Recorder(brief).search, result, result.moves[0], cleanup=False, plan=plan,
                                rollout_weight=1)


def ends(value, is_won):
    """A position in which a pass is worth so much by area, and wins or not without the dead stones."""
    for to_play in BLACK, WHITE:
        for komi in range(-49, 50):
            position, at = draw(DEAD_STONES, to_play, komi)
            if ((28 - 21 - komi) * to_play > 0) == is_won and (1 + np.sign(position.score()) * to_play) / 2 == value:
                return position, int(position.sensible_points()[0])
    raise AssertionError("there is no such komi")


@pytest.mark.parametrize("value, is_won, win_rate, passes", [
    (1, True, 1.0, True),                                # as good as any move
    (1, False, 1.0, False),                              # a win by area only, and another move wins as well
    (1, False, 0.9, True),                               # other moves are worse
    (0.5, False, 0.4, True), (0.5, False, 0.48, False), (0.5, True, 0.6, False),
    (0, True, 0.0, False),                               # a pass that loses by area is not taken by this rule
    (0, False, 0.0, False),
])
def test_a_pass_that_ends_the_game_is_compared_with_the_best_move(value, is_won, win_rate, passes):
    position, point = ends(value, is_won)
    assert passing.value_of_last_pass(position) == value
    result = result_of(position, (point, win_rate, 90), visits=99)
    assert move_or_pass(result, may_end_game=True) == (PASS if passes else point)
    assert move_or_pass(result) == point                 # before the game is nearly over


@pytest.mark.parametrize("is_won, rates, chosen_pass", [
    (True, (0.9, 0.88), True), (False, (0.9, 0.88), False), (False, (0.9, 0.8), True),
])
def test_a_preferred_pass_of_a_lost_game_gives_way_to_a_move_that_is_hardly_worse(is_won, rates, chosen_pass):
    position, point = ends(1, is_won)
    result = result_of(position, (PASS, rates[0], 50), (point, rates[1], 40), visits=99)
    assert move_or_pass(result) == (PASS if chosen_pass else point)
    assert move_or_pass(result_of(position, (PASS, rates[0], 50), (point, 1.0, 0), visits=99)) == PASS   # not visited


OWNERS = np.full((5, 5), 0.95, np.float32)
UNCLEAR = np.where(np.arange(25).reshape(5, 5), OWNERS, 0.85).astype(np.float32)


@pytest.mark.parametrize("is_settled, options", [
    (True, dict(ownership=OWNERS)), (True, dict(ownership=-OWNERS)), (False, dict(ownership=UNCLEAR)),
    (False, dict(ownership=OWNERS, visits=99)), (True, dict(ownership=OWNERS, visits=9, proven=1)),
    (False, dict(ownership=OWNERS, rollouts=99)),        # those of the empty board are not settled
    (False, dict(ownership=OWNERS, score_lead=2.5))])    # a network's
def test_a_pass_is_searched_where_the_points_are_settled_after_enough_simulations_or_a_proof(is_settled, options):
    position = GoPosition(5)
    point = int(position.legal_points()[0])
    lead = options.pop("score_lead", None)
    result = result_of(position, (point, 0.5, 10), **{"visits": 100, "rollouts": 100} | options)
    result = replace(result, score_lead=lead)
    assert move_or_pass(result, result_of(position, win_rate=0.1)) == (PASS if is_settled else point)


@pytest.mark.parametrize("visits, win_rate, proven, passes", [
    (25, 0.44, None, True), (24, 0.44, None, False), (1, 0.0, -1, True), (25, 0.46, None, False), (1, 1.0, 1, False),
])
def test_a_pass_needs_a_reliable_search_that_finds_no_loss(visits, win_rate, proven, passes):
    result = result_of(GoPosition(5), (21, 0.6, 90), visits=100, ownership=OWNERS, rollouts=100)
    player, brief = player_with(Recorder()), Recorder(result_of(GoPosition(5), visits=visits, win_rate=win_rate,
                                                                proven=proven))
    player.search_result, player._second_search = result, brief

    def passes_before(deadline):
        search = functools.partial(player._search_briefly, deadline)
        return PASS == passing.move_or_pass(search, result, result.moves[0], cleanup=False, plan=Plan(True),
                                            rollout_weight=1)

    assert passes_before(None) == passes
    assert brief.calls[0]["simulations"] == 25 and brief.calls[0]["seconds"] is None
    assert not passes_before(-1.0) and len(brief.calls) == 1         # no time is left


@pytest.mark.parametrize("rollout_weight, win_rate, passes", [
    (1.0, 0.59, True), (1.0, 0.61, False), (0.25, 0.49, True), (0.25, 0.51, False), (0.0, 0.49, True)])
def test_after_the_end_a_pass_may_be_worse_by_what_rollouts_hope_for(rollout_weight, win_rate, passes):
    position = draw(SETTLED)[0].with_rules(NAMED_RULES["japanese"])
    result, after = result_of(position, (21, 0.6, 90), visits=100), result_of(position, win_rate=win_rate)
    move = passing.move_or_pass(Recorder(after).search, result, result.moves[0], cleanup=False,
                                plan=Plan(True, is_finished=True), rollout_weight=rollout_weight)
    assert (move == PASS) == passes


@pytest.mark.parametrize("win_rate, chosen", [(0.5, "dame"), (0.3, PASS)])
def test_neutral_points_are_filled_by_area_if_that_loses_nothing(monkeypatch, win_rate, chosen):
    position = draw(SETTLED)[0]
    dame = int(position.sensible_points()[0])
    monkeypatch.setattr(passing, "dame", lambda position: [dame, 21])            # 21 holds a stone
    result = result_of(position, (PASS, 0.6, 90), visits=100)
    brief = Recorder(result_of(position, (dame, win_rate, 30), visits=30, win_rate=0.3))
    move = passing.move_or_pass(brief.search, result, result.moves[0], cleanup=False,
                                plan=Plan(True, is_finished=True), rollout_weight=1)
    assert move == (dame if chosen == "dame" else PASS)
    assert brief.calls[0] == {"allowed_moves": [dame]} and len(brief.calls) == 1 + (move == PASS)


def player_with(search, **options):
    player = SearchPlayer("uct", search, PlayOptions(**({"simulations": 300, "resign": 0} | options)))
    player._second_search = Recorder()
    return player


def test_a_game_that_a_pass_wins_is_not_resigned():
    for komi, chosen in (0.5, PASS), (1.5, RESIGN):
        position = draw(SEKI, komi=komi, to_play=WHITE)[0].play(PASS)
        assert player_with(Recorder(), resign=0.2, resign_moves=1).select_move(position) == chosen


# Every chain is clear, those in seki by reading only; at a, not yet finished.
SEKI_AND_A_HOLE = """
    O O X . O X X O O . O O
    . O X X O X . X O O O O
    O O X X O X X X O . O O
    . O X X O X X . a O O O
    O O X O O X X X O O O O
    . O X O O X . X O O . O
    O O X . O X X O O O O O
"""


def test_a_pass_is_answered_by_who_has_won_although_neutral_points_are_left_and_rollouts_do_not_see_a_seki():
    for komi, winner in (-30, BLACK), (0.5, WHITE):
        for to_play in BLACK, WHITE:
            position = draw(SEKI_AND_A_HOLE, to_play=-to_play, komi=komi)[0].play(PASS)
            assert not passing.is_finished(position)
            assert passing.plan_move(position, cleanup=False).wins_by_pass == (to_play == winner)


def test_without_a_limit_a_move_takes_two_seconds_and_with_several_the_least():
    for options, seconds, limits in (
            ({"simulations": None}, None, (None, SECONDS)), ({"simulations": 7}, None, (7, None)),
            ({"simulations": None}, 9.0, (None, 9.0)), ({"simulations": 7, "seconds": 3.0}, 9.0, (7, 3.0)),
            ({"simulations": 7, "seconds": 9.0}, 3.0, (7, 3.0))):
        search = Recorder(result_of(GoPosition(5), (21, 0.5, 90), visits=90))
        player_with(search, **options).select_move(GoPosition(5), seconds=seconds)
        assert (search.calls[0]["simulations"], search.calls[0]["seconds"]) == limits


@pytest.mark.parametrize("picture, to_play, moves", [
    (SETTLED, BLACK, 0), (DEAD_STONES, WHITE, 1), (DEAD_STONES, BLACK, 2)])
def test_with_cleanup_a_pass_comes_after_liberties_of_dead_stones_and_two_are_searched(picture, to_play, moves):
    position = draw(picture, to_play=-to_play, komi=-49 * to_play)[0].play(PASS)
    first = passing.dead_liberties(position).tolist()
    assert len(first) == moves
    search = Recorder(result_of(position, (first[-1], 0.0, 900), win_rate=0.0) if moves == 2 else None)
    move = player_with(search, resign=0.5, resign_moves=1).select_move(position, cleanup=True)
    assert move == (first[-1] if first else PASS) and len(search.calls) == (moves == 2)      # whatever its win rate


# -- what both kinds of players ask: is the game over?

def test_a_game_is_nearly_over_when_its_points_are_settled():
    assert passing.is_nearly_over(draw(SETTLED)[0])
    half_open, _ = draw("""
        . X O . . . .
        . X O . . . .
        X X O . . . .
        . X O . . . .
        . X O O . . .
        X X X O . . .
        . X . O . . .
    """)
    assert not passing.is_nearly_over(half_open) and not passing.is_nearly_over(GoPosition(9))


def test_a_pass_is_evaluated_near_the_end_and_not_after_a_pass():
    settled = draw(SETTLED)[0]
    after = settled.play(PASS)
    assert passing.may_search_pass(settled) and passing.may_search_pass(after)
    assert not passing.may_search_pass(after, may_end_game=False)
    assert not passing.may_search_pass(GoPosition(9)) and not passing.may_search_pass(GomokuPosition(6, 4))
    named = AvoidedMoves()
    named.allow(GoPosition(9).to_play, [PASS], 1, 9)
    assert passing.may_search_pass(GoPosition(9), named)


def candidates(position, priors):
    """The points that a policy chooses from.  priors: of points, and of PASS; 0 elsewhere."""
    dense = np.zeros(position.size ** 2 + 1, np.float32)
    for point, prior in priors.items():
        dense[move_index(point, position.size)] = prior
    return passing.candidate_moves(position, dense).tolist()


def test_a_policy_does_not_pass_while_stones_cover_less_than_a_quarter_of_the_board():
    points = board_points(9)
    for stones, passes in (20, False), (21, True):       # a quarter of 81 is 20.25
        position = GoPosition(9).with_stones(black=points[1:2 * stones:2])
        assert (candidates(position, {PASS: 0.9}) == []) == passes


UNSETTLED = """
    . v . O X X .
    O O O O X X X
    X X X X X X X
    X X X X X s .
    X X X X X X X
    X . X X X X X
    X X X X X X X
"""


@pytest.mark.parametrize("swapped", [False, True])
def test_who_has_lost_answers_a_pass_at_an_unsettled_point(swapped):
    picture = UNSETTLED.translate(str.maketrans("XO", "OX")) if swapped else UNSETTLED
    position, at = draw(picture, BLACK if swapped else WHITE, komi=-60 if swapped else 60)
    behind = position.play(PASS)
    assert behind.score() * behind.to_play < 0
    assert at["v"] in candidates(behind, {at["s"]: 0.9, at["v"]: 0.5})
    assert at["s"] not in candidates(behind, {at["s"]: 0.9, at["v"]: 0.5})


def test_where_the_pass_is_preferred_only_points_with_a_tenth_of_its_prior_are_played():
    position, at = draw(UNSETTLED)
    assert candidates(position, {PASS: 0.8, at["v"]: 0.1}) == [at["v"]]
    assert candidates(position, {PASS: 0.8, at["v"]: 0.05}) == []


def test_whether_a_game_is_finished_costs_no_long_reading(monkeypatch):
    """Read as long as for a score, this position took a second; a policy asks at every move."""
    position, _ = draw("""
        X O X . .
        . O O . X
        O . X X O
        X . O X .
        X O X . O
    """)
    effort, look = [], scoring._look
    monkeypatch.setattr(scoring, "_look", lambda *arguments: (effort.append(arguments[-1]), look(*arguments))[1])
    assert not passing.is_finished(position) and set(effort) <= {scoring.QUICK}
