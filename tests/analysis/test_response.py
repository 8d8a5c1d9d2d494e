"""What responses contain: the fields that KataGo documents, and those that KaTrain reads."""
from dataclasses import replace
import time

import numpy as np
import pytest
from analysis.queries import FAST, GAME, FakeNetwork, query, run, run_one, stones_of
from drawing import SETTLED, draw
from fakes import StoneCounter

from mugo.analysis.request import parse_query
from mugo.analysis.response import RawEvaluation, format_response, legal_policy
from mugo.games import scoring
from mugo.games.go import GoPosition
from mugo.players import passing
from mugo.players.searcher import PlayOptions
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.settings import Settings


def test_the_documented_query_gets_every_documented_field_for_each_turn():
    warning, *answers = run({
        "id": "foo", "initialStones": [["B", "Q4"], ["B", "C4"]], "moves": [["W", "P5"], ["B", "P6"]],
        "rules": "tromp-taylor", "komi": 7.5, "boardXSize": 19, "boardYSize": 19,
        "analyzeTurns": [0, 1, 2], "includePVVisits": True, "includeNoResultValue": True}, play_options=PlayOptions(5))
    assert "suicide true" in warning["warning"]
    assert [(a["id"], a["turnNumber"], a["isDuringSearch"]) for a in answers] \
        == [("foo", 0, False), ("foo", 1, False), ("foo", 2, False)]
    assert [a["rootInfo"]["currentPlayer"] for a in answers] == ["W", "B", "W"]
    for answer in answers:
        assert answer.keys() == {"id", "turnNumber", "isDuringSearch", "moveInfos", "rootInfo"}
        assert {"winrate", "visits", "scoreLead", "scoreSelfplay", "scoreStdev", "utility", "lcb", "rawWinrate",
                "rawStScoreError"} <= answer["rootInfo"].keys()
        assert answer["rootInfo"]["visits"] == 5
        assert answer["rootInfo"].keys().isdisjoint({"thisHash", "symHash"})     # Ogatak warns of others
        for order, info in enumerate(answer["moveInfos"]):
            assert info["order"] == order and info["pv"][0] == info["move"] and info["noResultValue"] == 0
            assert len(info["pvVisits"]) == len(info["pv"]) and info["pvVisits"][0] == info["visits"]
            assert {"winrate", "scoreMean", "scoreLead", "scoreStdev", "scoreSelfplay", "prior", "utility", "lcb",
                    "utilityLcb", "edgeVisits", "weight"} <= info.keys()


def test_values_are_of_the_perspective_that_the_query_names():
    position = query(moves=[["B", "C3"]], maxVisits=1, includeOwnership=True)
    seen = {view: run_one(position | {"overrideSettings": {"reportAnalysisWinratesAs": view}}, network=FakeNetwork(0.5))
            for view in ("BLACK", "WHITE", "SIDETOMOVE")}
    black, white = seen["BLACK"], seen["WHITE"]
    assert black["rootInfo"]["winrate"] == black["rootInfo"]["rawWinrate"] == 0.75
    assert white["rootInfo"]["winrate"] == white["moveInfos"][0]["winrate"] == 0.25
    assert seen["SIDETOMOVE"] == white
    assert black["rootInfo"]["scoreLead"] == -white["rootInfo"]["scoreLead"] > 0
    assert black["rootInfo"]["utility"] == -white["rootInfo"]["utility"] == 0.5
    assert black["rootInfo"]["lcb"] == pytest.approx(1 - white["rootInfo"]["lcb"])
    assert black["ownership"] == [-owner for owner in white["ownership"]]
    assert run_one(position, network=FakeNetwork(0.5)) == black                   # the default


def test_a_search_finds_who_wins_a_settled_position():
    position, _ = draw(SETTLED)
    stones, score = stones_of(position), position.score()
    for player in "BW":
        for komi, low, high in (-20, 0.9, 1), (20, 0, 0.1):
            answer = run_one(query(size=7, initialStones=stones, initialPlayer=player, komi=komi, maxVisits=200))
            assert low <= answer["rootInfo"]["winrate"] <= high
            assert low <= answer["moveInfos"][0]["winrate"] <= high
            assert answer["rootInfo"]["scoreLead"] == pytest.approx(score - komi, abs=2)


def test_the_policy_is_row_by_row_from_the_top_with_minus_one_for_illegal_moves():
    answer = run(query(moves=[["B", "A5"], ["W", "B5"]], maxVisits=1, includePolicy=True), network=FakeNetwork())[-1]
    policy = answer["policy"]
    assert len(policy) == 26 and sum(p for p in policy if p >= 0) == pytest.approx(1)
    assert [i for i, p in enumerate(policy) if p == -1] == [0, 1]            # A5 and B5
    assert policy[2:] == sorted(policy[2:])
    assert [info["move"] for info in answer["moveInfos"]][:3] == ["pass", "E1", "D1"]
    assert answer["moveInfos"][1]["prior"] == pytest.approx(policy[24], abs=1e-6)


def test_without_a_network_the_policy_is_uniform():
    policy = run_one(query(moves=GAME, includePolicy=True))["policy"]
    assert set(np.round(policy, 6)) == {-1, round(1 / 23, 6)}


def test_the_score_of_a_move_with_few_visits_is_near_the_positions():
    position = GoPosition(5, komi=0)
    infos = [MoveInfo(point, 0.5, visits, 0.0, (point,)) for point, visits in ((7, 1), (8, 1000))]
    result = SearchResult(position, tuple(infos), 0.5, 1001, 1001, 1.0, 1.0, 1, 1001, np.zeros((5, 5), np.float32))
    parsed, _ = parse_query(query())
    raw = RawEvaluation(legal_policy(position, np.ones(26)), 0.5)
    answer = format_response(parsed, 0, result, result.ownership, raw, list)
    once, often = (info["scoreLead"] for info in answer["moveInfos"])
    assert answer["rootInfo"]["scoreLead"] == 0 > once > often / 4 > -25
    assert answer["rootInfo"]["scoreStdev"] == 10                # twice the square root of 25 undecided points


def test_a_single_visit_is_searched_where_the_network_has_no_value_head():
    class PriorsOnly(FakeNetwork):
        has_value = False

        def evaluate_packed(self, packed, features=None):
            return super().evaluate_packed(packed)._replace(values=None)

        def evaluate(self, positions, symmetries=False):
            return super().evaluate(positions)._replace(values=None)

    assert run_one(query(maxVisits=1), network=PriorsOnly())["rootInfo"]["visits"] == 1      # and no warning


def test_without_rollouts_scores_are_zero_with_one_warning():
    warning, *answers = run(query(maxVisits=1), query("b", maxVisits=1), network=FakeNetwork())
    assert warning["field"] == "scoreLead" and len(answers) == 2
    assert all(answer["rootInfo"]["scoreLead"] == 0 for answer in answers)


@pytest.mark.parametrize("settings, visits", [(Settings(rollout="none", seed=1, max_edges=20_000), 40), (None, 1)],
                         ids=["search", "network"])
@pytest.mark.parametrize("view, player", [("BLACK", "B"), ("BLACK", "W"), ("WHITE", "B"), ("SIDETOMOVE", "W")])
def test_scores_and_ownership_are_the_networks_where_it_has_them(settings, visits, view, player, monkeypatch):
    monkeypatch.setattr(scoring, "rollout_ownership", None)         # no rollouts
    monkeypatch.setattr(passing, "is_nearly_over", lambda position: False)
    position, _ = draw(SETTLED)
    sign = 1 if view == "BLACK" or view == "SIDETOMOVE" and player == "B" else -1
    answer = run_one(query(size=7, initialStones=stones_of(position), initialPlayer=player, komi=2.5, maxVisits=visits,
                           includeOwnership=True, includeMovesOwnership=True, includeOwnershipStdev=True,
                           overrideSettings={"reportAnalysisWinratesAs": view}), network=StoneCounter(),
                     settings=settings)
    lead, root = sign * (int(position.stones.sum()) - 2.5), answer["rootInfo"]
    assert root["rawLead"] == root["rawScoreSelfplay"] == lead and root["rawScoreSelfplayStdev"] == 3
    assert root["scoreLead"] == root["scoreMean"] == root["scoreSelfplay"] == pytest.approx(lead, abs=2)
    assert root["scoreStdev"] == pytest.approx(3, abs=1)
    stones = position.stones.ravel()
    for info in answer["moveInfos"]:
        assert info["scoreLead"] == info["scoreSelfplay"] == pytest.approx(lead, abs=2 * len(info["pv"]))
        assert np.array(info["ownership"])[stones != 0].tolist() == (sign * stones[stones != 0]).tolist()
        assert len(np.flatnonzero(info["ownership"])) <= np.count_nonzero(stones) + len(info["pv"])
    assert np.array(answer["ownership"])[stones != 0].tolist() == (sign * stones[stones != 0]).tolist()
    if settings:
        leads = {info["scoreLead"] for info in answer["moveInfos"]}
        assert len(leads) > 1                            # each move's own, not the position's


def test_a_move_that_was_not_searched_names_the_one_in_its_stead():
    prunes = replace(FAST, root_symmetry_pruning=True)
    start = query(moves=[], maxVisits=60, includePVVisits=True)
    infos = {info["move"]: info for info in run_one(start, settings=prunes)["moveInfos"]}
    copy, of = infos["B2"], infos["D4"]
    assert copy["isSymmetryOf"] == "D4" and "isSymmetryOf" not in of and copy["order"] > of["order"]
    assert all(copy[key] == of[key] for key in of.keys() - {"move", "order", "pv"})
    all_moves = run_one(start | {"overrideSettings": {"rootSymmetryPruning": False}}, settings=prunes)["moveInfos"]
    assert all("isSymmetryOf" not in info for info in all_moves)


@pytest.mark.parametrize("settings", [FAST, None])
def test_avoid_moves_and_allow_moves(settings):
    network = FakeNetwork()
    allow = query(moves=GAME, maxVisits=60, allowMoves=[{"player": "W", "moves": ["A1", "B4", "E5"], "untilDepth": 1}])
    answer = run(allow, network=network, settings=settings)[-1]
    assert {info["move"] for info in answer["moveInfos"]} == {"A1", "E5"}    # B4 is occupied
    avoid = query(moves=GAME, maxVisits=60, avoidMoves=[{"player": "W", "moves": ["A1", "pass"], "untilDepth": 1},
                                                        {"player": "B", "moves": ["E5"], "untilDepth": 1}])
    moves = {info["move"] for info in run(avoid, network=network, settings=settings)[-1]["moveInfos"]}
    assert moves and not moves & {"A1", "pass"}
    both = [{"player": "W", "moves": ["A1", "E5"], "untilDepth": 1}, {"player": "B", "moves": ["D4"], "untilDepth": 1}]
    turns = run(query(moves=GAME, maxVisits=60, analyzeTurns=[2, 3], allowMoves=both), network=network,
                settings=settings)
    assert [{info["move"] for info in answer["moveInfos"]} for answer in turns if "moveInfos" in answer] \
        == [{"D4"}, {"A1", "E5"}]
    nothing = query(moves=GAME, allowMoves=[{"player": "w", "moves": ["B4"], "untilDepth": 1}])
    assert run(nothing, network=network, settings=settings)[-1]["moveInfos"] == []


def test_moves_are_left_out_down_to_their_depth():
    allowed = {"B": ["A1", "B1", "C1"], "W": ["D1", "E1"]}
    for depth, is_free in (2, True), (3, False), (10 ** 30, False):
        answer = run(query(maxVisits=150, allowMoves=[{"player": side, "moves": moves, "untilDepth": depth}
                                                      for side, moves in allowed.items()]))[-1]
        assert {info["move"] for info in answer["moveInfos"]} == set(allowed["B"])
        variations = [info["pv"] for info in answer["moveInfos"]]
        assert {pv[1] for pv in variations if len(pv) > 1} <= {*allowed["W"], "pass"}
        third = {pv[2] for pv in variations if len(pv) > 2}
        assert third and (third <= {*allowed["B"], "pass"}) != is_free


def test_standard_deviations_of_ownership_utilities_and_bounds_belong_to_their_means():
    answer = run_one(query(moves=GAME, maxVisits=60, includeOwnership=True, includeOwnershipStdev=True))
    mean, stdev = np.array(answer["ownership"]), np.array(answer["ownershipStdev"])
    assert mean ** 2 + stdev ** 2 == pytest.approx(np.ones(25), abs=1e-3) and stdev.max() > 0.5
    for info in answer["rootInfo"], *answer["moveInfos"]:
        assert info["utility"] == pytest.approx(2 * info["winrate"] - 1, abs=1e-5)
        assert info["utilityLcb"] == pytest.approx(2 * info["lcb"] - 1, abs=1e-5)


def test_a_variation_is_as_long_as_asked_for_after_its_first_move():
    """Analysis_Engine.md: "maximum length of the PV to send for each move (not including the first move)"."""
    every = {"analysisPVLen": 1}, {"analysisPVLen": 2}, {"overrideSettings": {"analysisPVLen": 1}}, {}
    lengths = [max(len(info["pv"]) for info in run_one(query(maxVisits=1000, **fields))["moveInfos"])
               for fields in every]
    assert lengths[:3] == [2, 3, 2] and lengths[3] > 3


def test_a_proven_win_is_its_own_lower_bound():
    """Black plays A1 and has the whole board, White cannot live in it."""
    stones = [["B", vertex] for vertex in ("A2", "B2", "C2", "B1", "B3")]
    answer = run_one(query(size=3, initialStones=stones, initialPlayer="B", komi=-8.5, maxVisits=500))
    info = answer["moveInfos"][0]
    for fields in info, answer["rootInfo"]:
        assert (fields["winrate"], fields["lcb"], fields["utilityLcb"]) == (1, 1, 1)


def test_every_query_gets_its_visits_whatever_came_before():
    stones = stones_of(draw(SETTLED)[0])
    queries = [query(str(i), size=7, initialStones=stones, komi=-20, maxVisits=150) for i in range(3)]
    answers = run(*queries, settings=Settings(max_edges=20_000))
    assert [answer["rootInfo"]["visits"] for answer in answers] == [150] * 3
    assert run_one(query(size=3, maxVisits=150))["rootInfo"]["visits"] == 150      # an early stop would come after 129


def test_moves_are_ordered_by_their_win_rates_if_they_are_chosen_so():
    for select_by, field in (("value", "winrate"), ("visits", "visits")):
        infos = run_one(query(maxVisits=100), play_options=PlayOptions(40, select_by=select_by))["moveInfos"]
        values = [info[field] for info in infos]
        assert values == sorted(values, reverse=True) and len(set(values)) > 2


def test_a_query_limits_its_time():
    start = time.monotonic()
    answers = run(query(maxTime=0.05), play_options=PlayOptions(seconds=90))     # perhaps a warning: the tree is full
    answer = next(answer for answer in answers if "rootInfo" in answer)
    assert answer["rootInfo"]["visits"] > 0 and time.monotonic() - start < 80


def test_the_ownership_of_a_short_search_is_from_more_rollouts_than_its_own():
    ownership = run_one(query(maxVisits=2, includeOwnership=True))["ownership"]
    assert set(ownership) - {-1, -0.5, 0, 0.5, 1}        # means of two rollouts, with neutral points
