"""When a searcher passes, rule by rule, with search results made by hand."""
import functools
import time
from dataclasses import replace

import numpy as np
import pytest
from drawing import SEKI, SETTLED, draw

from mugo.games import scoring
from mugo.games.coords import PASS
from mugo.games.go import BLACK, WHITE, Position
from mugo.games.rules import NAMED_RULES
from mugo.players import passing
from mugo.players.player import RESIGN
from mugo.players.searcher import SECONDS, PlayOptions, SearchPlayer
from mugo.search.result import MoveInfo, SearchResult
from mugo.search.search import Search
from mugo.search.settings import Settings


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


def move_or_pass(result, **options):
    options = {"cleanup": False, "may_end_game": False} | options
    return passing.move_or_pass(Recorder(result).search, result, result.moves[0], **options)


@pytest.mark.parametrize("value, is_won, win_rate, passes", [
    (1, True, 1.0, True),                                # as good as any move
    (1, False, 1.0, False),                              # a win by area only, and another move wins as well
    (1, False, 0.9, True),                               # other moves are worse
    (0.5, False, 0.4, True), (0.5, False, 0.48, False), (0.5, True, 0.6, False),
    (0, True, 0.0, False),                               # a pass that loses by area is not taken by this rule
    (0, False, 0.0, False),
])
def test_a_pass_that_ends_the_game_is_compared_with_the_best_move(monkeypatch, value, is_won, win_rate, passes):
    monkeypatch.setattr(passing, "_is_settled", lambda result: False)
    monkeypatch.setattr(passing, "_is_won", lambda position, cleanup: is_won)
    monkeypatch.setattr(passing, "value_of_last_pass", lambda position: value)
    result = result_of(Position(5).play(PASS), (21, win_rate, 900))
    assert move_or_pass(result, may_end_game=True) == (PASS if passes else 21)
    assert move_or_pass(result) == 21                    # before the game is nearly over


@pytest.mark.parametrize("komi, to_play, value", [(0, BLACK, 0.5), (3, BLACK, 0), (3, WHITE, 1), (-3, WHITE, 0)])
def test_the_value_of_a_pass_that_ends_the_game_is_that_of_the_area_score(komi, to_play, value):
    position, _ = draw(SETTLED, to_play=to_play)
    komi += position.score()
    assert passing.value_of_last_pass(draw(SETTLED, to_play=to_play, komi=komi)[0]) == value


@pytest.mark.parametrize("is_won, rates, chosen", [
    (True, (0.9, 0.88), PASS), (False, (0.9, 0.88), 21), (False, (0.9, 0.8), PASS),
])
def test_a_preferred_pass_of_a_lost_game_gives_way_to_a_move_that_is_hardly_worse(monkeypatch, is_won, rates, chosen):
    monkeypatch.setattr(passing, "_is_settled", lambda result: False)
    monkeypatch.setattr(passing, "_is_won", lambda position, cleanup: is_won)
    assert move_or_pass(result_of(Position(5), (PASS, rates[0], 500), (21, rates[1], 400))) == chosen
    assert move_or_pass(result_of(Position(5), (PASS, rates[0], 500), (21, 1.0, 0))) == PASS     # not visited


def test_points_are_settled_after_enough_simulations_or_a_proof():
    owners = np.full((5, 5), 0.95, np.float32)
    unclear = owners.copy()
    unclear[0, 0] = 0.85
    point = int(Position(5).legal_points()[0])

    def is_settled(**options):
        return passing._is_settled(result_of(Position(5), (point, 0.5, 10), **options))

    assert is_settled(visits=100, ownership=owners, rollouts=100)
    assert is_settled(visits=100, ownership=-owners, rollouts=100)
    assert not is_settled(visits=99, ownership=owners, rollouts=100)
    assert is_settled(visits=9, ownership=owners, rollouts=100, proven=1)
    assert not is_settled(visits=100, ownership=unclear, rollouts=100)
    assert not is_settled(visits=100, ownership=owners, rollouts=99)     # those of the empty board are not settled
    by_network = replace(result_of(Position(5), (point, 0.5, 10), visits=100, ownership=owners, rollouts=100),
                         score_lead=2.5)
    assert not passing._is_settled(by_network)


@pytest.mark.parametrize("visits, win_rate, proven, passes", [
    (25, 0.44, None, True), (24, 0.44, None, False), (1, 0.0, -1, True), (25, 0.46, None, False), (1, 1.0, 1, False),
])
def test_a_pass_needs_a_reliable_search_that_finds_no_loss(monkeypatch, visits, win_rate, proven, passes):
    result = result_of(Position(5), (21, 0.6, 90), visits=100)
    player, brief = player_with(Recorder()), Recorder(result_of(Position(5), visits=visits, win_rate=win_rate,
                                                                proven=proven))
    player.search_result, player._second_search = result, brief
    monkeypatch.setattr(passing, "_is_settled", lambda result: True)

    def passes_before(deadline):
        return PASS == passing.move_or_pass(functools.partial(player._search_briefly, deadline), result,
                                            result.moves[0], cleanup=False, may_end_game=False)

    assert passes_before(None) == passes
    assert brief.calls[0]["simulations"] == 25 and brief.calls[0]["seconds"] is None
    assert not passes_before(-1.0) and len(brief.calls) == 1         # no time is left


@pytest.mark.parametrize("rules, cleanup, may_pass", [
    ("chinese", False, False), ("chinese", True, True), ("japanese", False, True)])
def test_the_opponents_pass_is_searched_unless_dead_stones_would_count_as_alive(rules, cleanup, may_pass):
    position = draw(SETTLED)[0].with_rules(NAMED_RULES[rules])
    result, brief = result_of(position, (21, 0.6, 90), visits=100), Recorder(result_of(position))
    passing.move_or_pass(brief.search, result, result.moves[0], cleanup=cleanup, may_end_game=False, is_finished=True)
    assert brief.calls == [{"may_pass": may_pass}]


@pytest.mark.parametrize("win_rate, chosen", [(0.5, "dame"), (0.3, PASS)])
def test_neutral_points_are_filled_by_area_if_that_loses_nothing(monkeypatch, win_rate, chosen):
    position = draw(SETTLED)[0]
    dame = int(position.sensible_points()[0])
    monkeypatch.setattr(scoring, "dame", lambda position: [dame, 21])            # 21 holds a stone
    result = result_of(position, (PASS, 0.6, 90), visits=100)
    brief = Recorder(result_of(position, (dame, win_rate, 30), visits=30, win_rate=0.3))
    move = passing.move_or_pass(brief.search, result, result.moves[0], cleanup=False, may_end_game=False,
                                is_finished=True)
    assert move == (dame if chosen == "dame" else PASS)
    assert brief.calls[0] == {"allowed_moves": [dame]} and len(brief.calls) == 1 + (move == PASS)


def test_a_brief_search_has_a_quarter_of_the_moves_simulations_however_long_was_pondered():
    position, _ = draw(SETTLED)
    player = SearchPlayer("uct", Search(Settings(seed=1, early_stop=False)), PlayOptions(simulations=100))
    player._second_search = Recorder()
    player.search.search(position, simulations=3000)
    player.select_move(position)
    assert player.search_result.visits > 3000
    assert [call["simulations"] for call in player._second_search.calls] == [25]


def test_a_brief_search_is_not_stopped_early():
    """It would end before the visits that make it reliable, here because there is a single move."""
    player = SearchPlayer("uct", Search(Settings(seed=1, rollout="mogo")), PlayOptions(simulations=100))
    position = draw(SETTLED)[0]
    options = {"simulations": 25, "allowed_moves": [int(position.sensible_points()[0])], "select_by": "visits"}
    assert player._brief_search.search(position, **options).visits == 25
    assert player.search.search(position, **options).visits < 25


def player_with(search, **options):
    player = SearchPlayer("uct", search, PlayOptions(**({"simulations": 300, "resign": 0} | options)))
    player._second_search = Recorder()
    return player


def test_a_pass_that_ends_the_game_is_left_out_of_the_search(monkeypatch):
    monkeypatch.setattr(scoring, "is_finished", lambda position: False)
    position = draw(SEKI, komi=0.5, to_play=WHITE)[0].play(PASS)
    search = Recorder()
    assert player_with(search).select_move(position) == PASS     # Black leads by 1, and every move kills itself
    assert (search.calls[0]["may_pass"], search.calls[0]["select_by"]) == (False, None)
    before = Recorder()
    player_with(before, select_by="value").select_move(draw(SETTLED, komi=0.5)[0])
    assert (before.calls[0]["may_pass"], before.calls[0]["select_by"]) == (True, "value")
    early = Recorder()
    player_with(early).select_move(Position(5).play(PASS))
    assert (early.calls[0]["may_pass"], early.calls[0]["select_by"]) == (False, "visits")


def test_a_game_that_a_pass_wins_is_not_resigned():
    for komi, chosen in (0.5, PASS), (1.5, RESIGN):
        position = draw(SEKI, komi=komi, to_play=WHITE)[0].play(PASS)
        assert player_with(Recorder(), resign=0.2, resign_moves=1).select_move(position) == chosen


def test_a_fifth_of_the_time_is_kept_for_the_search_after_a_pass():
    for position, share in (draw(SETTLED)[0], 0.8), (Position(5), 1):
        search = Recorder(result_of(position, (21, 0.5, 90), visits=90))
        player_with(search, simulations=None).select_move(position, seconds=1.0)
        assert search.calls[0]["seconds"] == share


def test_without_a_limit_a_move_takes_two_seconds_and_with_several_the_least():
    for options, seconds, limits in (
            ({"simulations": None}, None, (None, SECONDS)), ({"simulations": 7}, None, (7, None)),
            ({"simulations": None}, 9.0, (None, 9.0)), ({"simulations": 7, "seconds": 3.0}, 9.0, (7, 3.0)),
            ({"simulations": 7, "seconds": 9.0}, 3.0, (7, 3.0))):
        search = Recorder(result_of(Position(5), (21, 0.5, 90), visits=90))
        player_with(search, **options).select_move(Position(5), seconds=seconds)
        assert (search.calls[0]["simulations"], search.calls[0]["seconds"]) == limits


def test_a_move_before_a_pass_is_played_whatever_its_win_rate(monkeypatch):
    monkeypatch.setattr(passing, "wins_by_pass", lambda position, cleanup, is_finished: True)
    monkeypatch.setattr(passing, "moves_before_pass", lambda position, cleanup: [21, 22])
    position = draw(SETTLED)[0]                          # where the search would pass
    search = Recorder(result_of(position, (21, 0.0, 900), win_rate=0.0))
    assert player_with(search, resign=0.5, resign_moves=1).select_move(position, cleanup=True) == 21


@pytest.mark.parametrize("points, searches", [([], 0), ([21], 0), ([21, 22], 1)])
def test_moves_before_a_pass_are_searched_if_there_are_two(monkeypatch, points, searches):
    monkeypatch.setattr(passing, "wins_by_pass", lambda position, cleanup, is_finished: True)
    monkeypatch.setattr(passing, "moves_before_pass", lambda position, cleanup: points)
    search = Recorder()
    assert player_with(search).select_move(Position(5).play(PASS), cleanup=True) in (points or [PASS])
    assert len(search.calls) == searches
