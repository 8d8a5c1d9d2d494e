"""KataGo's analysis protocol: documented queries, KaTrain's, orders of things, and nonsense."""
import argparse
import io
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from drawing import SETTLED, draw

from mugo import __version__
from mugo.analysis import command as analysis_command
from mugo.analysis.engine import AnalysisEngine, serve
from mugo.analysis.fields import InvalidQuery
from mugo.analysis.request import parse_query
from mugo.analysis.response import RawEvaluation, format_response, legal_policy, position_hashes
from mugo.files import BadInput
from mugo.games.coords import board_points, format_gtp
from mugo.games.go import BLACK, WHITE, Position
from mugo.players.searcher import PlayOptions
from mugo.search.result import MoveInfo, SearchResult
from mugo.search.settings import Settings

MUGO = (sys.executable, str(Path(__file__).parents[2] / "main.py"), "analysis")
FAST = Settings(seed=1, max_edges=20_000)
GAME = [["B", "C3"], ["W", "C4"], ["B", "B4"]]


class Thinks:
    """A network that likes each point more than the one before, and gives Black this value."""
    name = "thinks"
    has_value = True

    def __init__(self, black_wins=0.5):
        self.black_wins = black_wins
        self.asked = []

    def evaluate(self, positions, tta=False):
        self.asked.append(len(positions))
        n = positions[0].size ** 2 + 1
        priors = np.arange(1, n + 1, dtype=np.float32) / (n * (n + 1) / 2)
        return np.tile(priors, (len(positions), 1)), np.float32([self.black_wins * p.to_play for p in positions])

    def evaluate_packed(self, packed):
        n = packed.shape[1] + 1
        return np.full((len(packed), n), 1 / n, np.float32), np.zeros(len(packed), np.float32)


def query(name="a", moves=(), size=5, **fields):
    return {"id": name, "moves": list(moves), "rules": "tromp-taylor", "komi": 0, "boardXSize": size,
            "boardYSize": size} | fields


def stones_of(position):
    """The board as `initialStones` has it."""
    return [["B" if colour == BLACK else "W", format_gtp(int(point), position.size)] for point, colour in
            zip(board_points(position.size), position.stones.ravel(), strict=True) if colour]


def ask(*queries, network=None, settings=FAST, play_options=None, threads=1, **options):
    """Every line that comes out, as JSON."""
    out = io.StringIO()
    engine = AnalysisEngine(network, settings, out, play_options=play_options or PlayOptions(40), threads=threads,
                    log=pytest.fail, **options)
    serve(engine, (one if isinstance(one, str) else json.dumps(one) for one in queries))
    return [json.loads(line) for line in out.getvalue().splitlines()]


def ask_one(*args, **kwargs):
    (answer,) = ask(*args, **kwargs)
    return answer


class Live:
    """An engine whose lines are read while it works."""

    def __init__(self, **options):
        self.lines, self._changed = [], threading.Condition()
        options = {"play_options": PlayOptions(40), "log": pytest.fail} | options
        self.engine = AnalysisEngine(options.pop("network", None), options.pop("settings", FAST), self, **options)

    def write(self, text):
        with self._changed:
            self.lines.append(json.loads(text))
            self._changed.notify_all()

    def flush(self):
        pass

    def send(self, **fields):
        self.engine.handle_line(json.dumps(fields))

    def wait(self, is_it, seconds=60):
        """The first line that is meant; it fails if that does not come."""
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(is_it, self.lines)), seconds), self.lines
            return next(filter(is_it, self.lines))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.engine.close(finish=False)


def is_final(line):
    return line.get("isDuringSearch") is False


def test_the_documented_query_gets_an_answer_for_each_turn_with_every_documented_field():
    answers = ask({"id": "foo", "initialStones": [["B", "Q4"], ["B", "C4"]], "moves": [["W", "P5"], ["B", "P6"]],
                   "rules": "tromp-taylor", "komi": 7.5, "boardXSize": 19, "boardYSize": 19,
                   "analyzeTurns": [0, 1, 2], "includePVVisits": True}, play_options=PlayOptions(5))
    assert [(a["id"], a["turnNumber"], a["isDuringSearch"]) for a in answers] \
        == [("foo", 0, False), ("foo", 1, False), ("foo", 2, False)]
    assert [a["rootInfo"]["currentPlayer"] for a in answers] == ["W", "B", "W"]
    for answer in answers:
        assert answer.keys() == {"id", "turnNumber", "isDuringSearch", "moveInfos", "rootInfo"}
        assert {"winrate", "visits", "scoreLead", "scoreSelfplay", "scoreStdev", "utility", "lcb", "thisHash",
                "symHash", "rawWinrate", "rawStScoreError"} <= answer["rootInfo"].keys()
        assert answer["rootInfo"]["visits"] == 5
        for order, info in enumerate(answer["moveInfos"]):
            assert info["order"] == order and info["pv"][0] == info["move"]
            assert len(info["pvVisits"]) == len(info["pv"]) and info["pvVisits"][0] == info["visits"]
            assert {"winrate", "scoreMean", "scoreLead", "scoreStdev", "scoreSelfplay", "prior", "utility", "lcb",
                    "utilityLcb", "edgeVisits", "weight"} <= info.keys()


def test_katrains_query_is_answered_as_katrain_reads_it():
    stones = stones_of(draw(SETTLED)[0])
    (warning, answer) = ask({
        "id": "QUERY:1", "rules": "japanese", "priority": 3, "analyzeTurns": [0], "maxVisits": 150, "komi": 6.5,
        "boardXSize": 7, "boardYSize": 7, "includeOwnership": True, "includeMovesOwnership": True,
        "includePolicy": True, "initialStones": stones, "initialPlayer": "B", "moves": [],
        "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "maxTime": 600.0, "wideRootNoise": 0.04},
        "reportDuringSearchEvery": 100, "avoidMoves": [
            {"moves": ["A1"], "player": player, "untilDepth": 1} for player in "BW"]}, network=Thinks())
    assert warning["id"] == "QUERY:1" and warning["field"] == "rules" and "TERRITORY" in warning["warning"]
    assert answer["rootInfo"]["visits"] == 150
    assert len(answer["ownership"]) == 49 and len(answer["policy"]) == 50
    owned = np.reshape(answer["ownership"], (7, 7))
    assert owned[0, 0] > 0.9 and owned[0, 6] < -0.9
    assert all(len(info["ownership"]) == 49 and info["move"] != "A1" for info in answer["moveInfos"])
    assert answer["rootInfo"]["scoreLead"] == pytest.approx(np.sum(answer["ownership"]) - 6.5, abs=0.1)


def test_a_response_says_things_from_the_side_that_is_asked_for():
    position = query(moves=[["B", "C3"]], maxVisits=1, includeOwnership=True)
    seen = {view: ask_one(position | {"overrideSettings": {"reportAnalysisWinratesAs": view}}, network=Thinks(0.5))
            for view in ("BLACK", "WHITE", "SIDETOMOVE")}
    black, white = seen["BLACK"], seen["WHITE"]
    assert black["rootInfo"]["winrate"] == black["rootInfo"]["rawWinrate"] == 0.75
    assert white["rootInfo"]["winrate"] == white["moveInfos"][0]["winrate"] == 0.25
    assert seen["SIDETOMOVE"] == white
    assert black["rootInfo"]["scoreLead"] == -white["rootInfo"]["scoreLead"] > 0
    assert black["rootInfo"]["utility"] == -white["rootInfo"]["utility"] == 0.5
    assert black["rootInfo"]["lcb"] == pytest.approx(1 - white["rootInfo"]["lcb"])
    assert black["ownership"] == [-owner for owner in white["ownership"]]
    assert ask_one(position, network=Thinks(0.5)) == black                   # what is said by default


def test_a_search_knows_who_wins():
    position, _ = draw(SETTLED)
    stones, score = stones_of(position), position.score()
    for player in "BW":
        for komi, low, high in (-20, 0.9, 1), (20, 0, 0.1):
            answer = ask_one(query(size=7, initialStones=stones, initialPlayer=player, komi=komi, maxVisits=200))
            assert low <= answer["rootInfo"]["winrate"] <= high
            assert low <= answer["moveInfos"][0]["winrate"] <= high
            assert answer["rootInfo"]["scoreLead"] == pytest.approx(score - komi, abs=2)


def test_the_policy_begins_in_the_upper_left_corner_and_marks_what_is_illegal():
    answer = ask(query(moves=[["B", "A5"], ["W", "B5"]], maxVisits=1, includePolicy=True), network=Thinks())[-1]
    policy = answer["policy"]
    assert len(policy) == 26 and sum(p for p in policy if p >= 0) == pytest.approx(1)
    assert [i for i, p in enumerate(policy) if p == -1] == [0, 1]            # A5 and B5
    assert policy[2:] == sorted(policy[2:])
    assert [info["move"] for info in answer["moveInfos"]][:3] == ["pass", "E1", "D1"]
    assert answer["moveInfos"][1]["prior"] == pytest.approx(policy[24], abs=1e-6)


def test_without_a_network_the_policy_likes_every_legal_move_the_same():
    policy = ask_one(query(moves=GAME, includePolicy=True))["policy"]
    assert set(np.round(policy, 6)) == {-1, round(1 / 23, 6)}


def test_turns_that_need_no_search_are_asked_together():
    network = Thinks()
    moves = [["BW"[i % 2], f"{column}{row}"] for i, (row, column) in
             enumerate((row, column) for row in (1, 3, 5) for column in "ABCDE")]
    gate = query("first", maxVisits=1)
    answers = ask(gate, query(moves=moves, analyzeTurns=list(range(16)), maxVisits=1), network=network)[1:]
    assert [answer["turnNumber"] for answer in answers if "turnNumber" in answer] == [0, *range(16)]
    assert sum(network.asked) == 17 and len(network.asked) <= 3


def test_a_move_hardly_visited_is_worth_about_what_the_position_is():
    position = Position(5, komi=0)
    infos = [MoveInfo(point, 0.5, visits, 0.0, (point,)) for point, visits in ((7, 1), (8, 1000))]
    result = SearchResult(position, tuple(infos), 0.5, 1001, 1001, 1.0, 1.0, 1, 1001, np.zeros((5, 5), np.float32))
    asked, _ = parse_query(query())
    raw = RawEvaluation(legal_policy(position, np.ones(26)), 0.5)
    answer = format_response(asked, 0, result, result.ownership, raw, list)
    once, often = (info["scoreLead"] for info in answer["moveInfos"])
    assert answer["rootInfo"]["scoreLead"] == 0 > once > often / 4 > -25
    assert answer["rootInfo"]["scoreStdev"] == 10                # twice the root of 25 points that are open


def test_scores_are_zero_where_nobody_played_to_the_end_and_that_is_said_once():
    warning, *answers = ask(query(maxVisits=1), query("b", maxVisits=1), network=Thinks())
    assert warning["field"] == "scoreLead" and len(answers) == 2
    assert all(answer["rootInfo"]["scoreLead"] == 0 for answer in answers)


@pytest.mark.parametrize("settings", [FAST, None])
def test_moves_are_avoided_and_allowed(settings):
    network = Thinks()
    allow = query(moves=GAME, maxVisits=60, allowMoves=[{"player": "W", "moves": ["A1", "B4", "E5"], "untilDepth": 1}])
    answer = ask(allow, network=network, settings=settings)[-1]
    assert {info["move"] for info in answer["moveInfos"]} == {"A1", "E5"}    # B4 is taken
    avoid = query(moves=GAME, maxVisits=60, avoidMoves=[{"player": "W", "moves": ["A1", "pass"], "untilDepth": 1},
                                                        {"player": "B", "moves": ["E5"], "untilDepth": 1}])
    moves = {info["move"] for info in ask(avoid, network=network, settings=settings)[-1]["moveInfos"]}
    assert moves and not moves & {"A1", "pass"}
    nothing = query(moves=GAME, allowMoves=[{"player": "w", "moves": ["B4"], "untilDepth": 1}])
    assert ask(nothing, network=network, settings=settings)[-1]["moveInfos"] == []
    deep = query(maxVisits=4, avoidMoves=[{"player": "B", "moves": ["A1"], "untilDepth": 9}])
    assert "next move" in ask(deep, network=network, settings=settings)[0]["warning"]


def test_a_search_reports_while_it_goes_on_until_it_is_terminated():
    with Live() as live:
        live.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.05, maxTime=600,
                          includeOwnership=True, includeMovesOwnership=True))
        early = live.wait(lambda line: line.get("isDuringSearch"))
        assert early["id"] == "long" and len(early["ownership"]) == 25
        assert "ownership" not in early["moveInfos"][0]          # that would hold the search up
        live.wait(lambda line: line.get("isDuringSearch") and line["rootInfo"]["visits"] > early["rootInfo"]["visits"])
        begun = time.perf_counter()
        live.send(id="t", action="terminate", terminateId="long")
        last = live.wait(is_final)
        assert time.perf_counter() - begun < 2           # on an idle machine 0.02 s
        assert last["rootInfo"]["visits"] >= early["rootInfo"]["visits"]
        assert {"id": "t", "action": "terminate", "terminateId": "long"} in live.lines


def test_the_first_report_may_come_sooner_than_the_others():
    with Live() as live:
        live.send(**query("a", maxVisits=10 ** 9, firstReportDuringSearchAfter=0.02, reportDuringSearchEvery=900))
        live.wait(lambda line: line.get("isDuringSearch"))
        time.sleep(0.1)
        assert len(live.lines) == 1


def test_what_waits_is_terminated_without_results_and_the_rest_goes_on():
    with Live() as live:
        live.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.02))
        live.wait(lambda line: "moveInfos" in line)
        live.send(**query("next", GAME, analyzeTurns=[0, 1, 2, 3]))
        live.send(id="t", action="terminate", terminateId="next", turnNumbers=[1, 3])
        assert [line for line in live.lines if line.get("noResults")] == [
            {"id": "next", "turnNumber": turn, "isDuringSearch": False, "noResults": True} for turn in (1, 3)]
        live.send(id="all", action="terminate_all", turnNumbers=[0])
        live.wait(lambda line: line["id"] == "long" and is_final(line))
        live.wait(lambda line: line["id"] == "next" and line.get("turnNumber") == 2 and is_final(line))
        finals = [line["turnNumber"] for line in live.lines if line["id"] == "next" and is_final(line)]
        assert sorted(finals) == [0, 1, 2, 3]


def test_the_highest_priority_goes_first_then_the_oldest():
    with Live() as live:
        live.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.02))
        live.wait(lambda line: "moveInfos" in line)
        live.send(**query("low", priority=-1))
        live.send(**query("turns", GAME, analyzeTurns=[3, 1, 0], priorities=[5, 7, 0]))
        live.send(**query("high", priority=6))
        live.send(**query("as low", priority=-1))
        live.send(id="t", action="terminate", terminateId="long")
        live.wait(lambda line: line["id"] == "as low")
        finals = [(line["id"], line["turnNumber"]) for line in live.lines if is_final(line)]
        assert finals == [("long", 0), ("turns", 1), ("high", 0), ("turns", 3), ("turns", 0), ("low", 0), ("as low", 0)]


def test_searches_go_on_side_by_side():
    with Live(threads=2) as live:
        for name in "first", "second":
            live.send(**query(name, maxVisits=10 ** 9, reportDuringSearchEvery=0.05))
        live.wait(lambda line: line["id"] == "first")
        live.wait(lambda line: line["id"] == "second")
        assert not any(map(is_final, live.lines))


def test_at_the_end_of_the_input_what_waits_is_finished_or_dropped():
    many = [query(str(i)) for i in range(5)]
    assert [answer["id"] for answer in ask(*many)] == list("01234")
    with Live() as live:
        live.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.02))
        live.wait(lambda line: "moveInfos" in line)
        live.engine.close(finish=False)
        count = len(live.lines)
        assert not any(map(is_final, live.lines)) and len(live.lines) == count


def test_when_nobody_reads_any_more_it_stops():
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    engine = AnalysisEngine(None, FAST, Gone(), play_options=PlayOptions(10 ** 9), threads=1)
    engine.handle_line(json.dumps(query(reportDuringSearchEvery=0.02)))
    engine.handle_line(json.dumps(query("waits")))
    engine.close()
    assert engine.output_closed


def test_the_same_seed_gives_the_same_answer_whatever_came_before():
    alone = ask_one(query("b", GAME))
    assert ask(query("a"), query("b", GAME))[1] == alone


def test_actions_are_echoed():
    assert ask({"id": "v", "action": "query_version"}) == [
        {"id": "v", "action": "query_version", "version": __version__, "git_hash": "<omitted>"}]
    (models,) = ask({"id": "m", "action": "query_models"}, network=Thinks())
    assert [model["name"] for model in models["models"]] == ["thinks"]
    assert ask({"id": "c", "action": "clear_cache", "more": 1}) == [{"id": "c", "action": "clear_cache", "more": 1}]
    assert ask({"id": "t", "action": "terminate", "terminateId": "nobody"})[0]["terminateId"] == "nobody"


@pytest.mark.parametrize("line, words", [
    ("what?", "could not parse the line as JSON"),
    ('{"id": "a"', "could not parse the line as JSON"),
    ('{"id": "a", "komi": NaN}', "NaN is no number of JSON"),
    ("[" * 100_000, "could not parse the line as JSON"),
    ("9" * 5000, "could not parse the line as JSON"),
    ("[1, 2]", "an object of JSON"),
    ("{}", 'a query must have an "id"'),
    ('{"id": 7}', 'a query must have an "id"'),
])
def test_lines_that_are_no_queries_are_answered(line, words):
    (answer,) = ask(line)
    assert answer.keys() == {"error"} and words in answer["error"] and len(answer["error"]) < 400


@pytest.mark.parametrize("field, value, words", [
    ("boardXSize", 1, "from 2 to 19"),
    ("boardXSize", 25, "from 2 to 19"),
    ("boardXSize", True, "from 2 to 19"),
    ("boardYSize", None, "from 2 to 19"),
    ("boardYSize", 7, "only square boards are supported, not 5x7"),
    ("moves", None, "pairs"),
    ("moves", "C3", "pairs"),
    ("moves", [["B", "C3", 1]], "pairs"),
    ("moves", [["X", "C3"]], '"B" or "W"'),
    ("moves", [["B", "K1"]], "'K1' is no vertex on 5x5"),
    ("moves", [["B", 3]], "GTP vertices"),
    ("moves", [["B", "C3"], ["W", "C3"]], "Illegal move 2: White C3 is occupied"),
    ("initialStones", [["B", "pass"]], "not on a pass"),
    ("initialStones", [["B", "A1"], ["W", "A2"], ["W", "B1"]], "cannot stand on"),
    ("initialPlayer", "green", '"B" or "W"'),
    ("rules", None, "a name such as"),
    ("rules", "klingon", "could not parse rules: 'klingon'"),
    ("rules", {"ko": "NEVER"}, "could not parse rules: 'ko'"),
    ("rules", {"luck": True}, "could not parse rules: 'luck'"),
    ("komi", "7.5", "from -150 to 150"),
    ("komi", 151, "from -150 to 150"),
    ("whiteHandicapBonus", "2N", '"0", "N" or "N-1"'),
    ("analyzeTurns", [1], "invalid turn number: 1"),
    ("analyzeTurns", [0.5], "array of integers"),
    ("analyzeTurns", [], "at least one turn"),
    ("priority", 1.5, "an integer"),
    ("priorities", [1], "goes with analyzeTurns"),
    ("maxVisits", 0, "an integer from 1"),
    ("maxTime", -1, "a number of 0 or more"),
    ("includePolicy", "yes", "true or false"),
    ("reportDuringSearchEvery", 0, "from 0.001"),
    ("avoidMoves", [{"player": "B"}], "player, moves and untilDepth"),
    ("avoidMoves", [{"player": "B", "moves": "A1", "untilDepth": 1}], "array of GTP vertices"),
    ("avoidMoves", [{"player": "B", "moves": ["Z9"], "untilDepth": 1}], "'Z9' is no vertex"),
    ("allowMoves", [{"player": "B", "moves": [], "untilDepth": 0}], "1 or more"),
    ("overrideSettings", [], "an object"),
    ("overrideSettings", {"reportAnalysisWinratesAs": "GREEN"}, "one of BLACK, WHITE, SIDETOMOVE"),
    ("overrideSettings", {"maxTime": "soon"}, "soon"),
    ("action", "dance", "one of query_version"),
])
def test_errors_name_the_field(field, value, words):
    answer = ask_one(query("it") | {field: value})
    assert answer["id"] == "it" and words in answer["error"] and answer["field"] == field


def test_what_is_not_followed_is_warned_of():
    def fields(**more):
        return [(field, text) for field, text in parse_query(query(**more))[1]]

    assert fields() == fields(rules="chinese") == fields(rules="AGA") == []
    assert [field for field, _ in fields(rules={"ko": "SIMPLE", "scoring": "AREA"})] == ["rules"]
    assert "tax ALL" in fields(rules="stone_scoring")[0][1]
    assert fields(rootPolicyTemperature=1.2)[0][0] == "rootPolicyTemperature"
    assert fields(colour="red")[0] == ("colour", "unknown field: ignored")
    assert "humanSLProfile" in fields(overrideSettings={"humanSLProfile": "rank_1d", "maxTime": "3"})[0][1]


def test_a_query_is_read_as_it_is_meant():
    asked, _ = parse_query(query(moves=[["b", "c3"], ["white", "(0,0)"], ["W", "pass"]], analyzeTurns=[3, 1],
                                overrideSettings={"maxTime": "2.5", "maxVisits": 7}, komi=None))
    assert asked.positions[2].moves[-1] == (WHITE, 7) and asked.positions[3].to_play == BLACK
    assert (asked.turns, asked.max_visits, asked.max_time, asked.perspective) == ((1, 3), 7, 2.5, BLACK)
    assert asked.positions[0].komi == 7.5
    assert parse_query(query(rules="japanese", komi=None))[0].positions[0].komi == 6.5
    assert parse_query(query(initialPlayer="W"))[0].positions[0].to_play == WHITE
    assert parse_query(query(maxVisits=3, overrideSettings={"maxVisits": 9}))[0].max_visits == 3


@pytest.mark.parametrize("rules, bonus, komi", [
    ("chinese", None, 3), ("aga", None, 2), ("tromp-taylor", None, 0), ("chinese", "0", 0),
    ({"whiteHandicapBonus": 0}, "N-1", 2)])
def test_white_is_given_points_for_handicap_stones(rules, bonus, komi):
    stones = [["B", "A1"], ["B", "C3"], ["B", "E5"]]
    asked, _ = parse_query(query(rules=rules, whiteHandicapBonus=bonus, initialStones=stones))
    assert asked.positions[0].komi == komi and asked.positions[0].to_play == WHITE


def test_games_may_repeat_a_position():
    stones = [["B", "C4"], ["B", "B3"], ["B", "C2"], ["W", "D4"], ["W", "E3"], ["W", "D2"], ["W", "C3"]]
    moves = [["B", "D3"], ["W", "pass"], ["B", "pass"], ["W", "C3"]]
    *_, before, after = parse_query(query(initialStones=stones, moves=moves))[0].positions
    assert before.why_illegal(after.last) == "repeats a position (superko)"
    with pytest.raises(InvalidQuery, match="Illegal move 2: White C3 retakes the ko"):
        parse_query(query(initialStones=stones, moves=[moves[0], moves[3]]))


def test_a_position_has_the_same_name_turned_and_mirrored():
    first, _ = draw("""
        X . .
        . O .
        . . .
    """)
    turned, _ = draw("""
        . . X
        . O .
        . . .
    """)
    (this, symmetric), (other, other_symmetric) = position_hashes(first), position_hashes(turned)
    assert this != other and symmetric == other_symmetric
    assert position_hashes(first) != position_hashes(first.with_turn(WHITE))


def test_garbage_always_gets_an_answer_and_never_stops_it():
    rng = random.Random(5)
    whole = query("f", GAME, maxVisits=1, analyzeTurns=[0, 3], includeOwnership=True, priorities=[1, 2], komi=6.5,
                  avoidMoves=[{"player": "W", "moves": ["A1"], "untilDepth": 1}], initialStones=[["W", "E1"]],
                  overrideSettings={"maxTime": 1, "reportAnalysisWinratesAs": "WHITE"}, reportDuringSearchEvery=0.5)
    values = [None, True, 0, -1, 3, 1e300, 1e999, 10 ** 40, "", "B", "C3", "\udcff", [], [[]], {}, [["B", "A1"]],
              [1, 2], {"moves": 1}, "chinese", [None], -0.0, [[["B"]]],
              [{"player": {}, "moves": [[]], "untilDepth": {}}]]
    lines = []
    for _ in range(300):
        mixed = dict(whole)
        for _ in range(rng.randint(1, 2)):
            mixed[rng.choice([*whole, "action", "rules", "allowMoves"])] = rng.choice(values)
        text = json.dumps(mixed)
        if rng.random() < 0.3:
            at = rng.randrange(len(text))
            wrong = rng.choice(["", "\x00", "é", "{", '"', ",", "\udc80", "\\"])
            text = text[:at] + wrong + text[at + rng.randint(0, 9):]
        lines.append(text)
    answers = ask(*lines, query("last", maxVisits=1), network=Thinks(), settings=None)
    assert answers[-1]["id"] == "last"
    assert not [answer for answer in answers if "internal" in answer.get("error", "")]
    assert all(("error" in answer) + ("warning" in answer) + ("turnNumber" in answer) + ("action" in answer) == 1
               for answer in answers)
    assert sum("error" in answer or is_final(answer) or "action" in answer for answer in answers) >= len(lines)


def test_a_network_that_breaks_is_an_error_and_not_the_end():
    class Broken(Thinks):
        def evaluate(self, positions, tta=False):
            if positions[0].size == 4:
                raise RuntimeError("no memory")
            if positions[0].size == 3:
                raise BadInput("plays 19x19 only")
            return super().evaluate(positions, tta)

    out = io.StringIO()
    logged = []
    engine = AnalysisEngine(Broken(), FAST, out, play_options=PlayOptions(5), log=logged.append)
    serve(engine, [json.dumps(query(str(size), size=size)) for size in (4, 3, 5)])
    first, second, third = map(json.loads, out.getvalue().splitlines())
    assert first == {"error": "internal error: RuntimeError no memory", "id": "4", "turnNumber": 0} and logged
    assert second["error"] == "plays 19x19 only" and third["rootInfo"]["visits"] == 5


def test_what_cannot_analyse_is_refused():
    parser = argparse.ArgumentParser()
    analysis_command.add_arguments(parser)
    with pytest.raises(BadInput, match="random cannot analyze"):
        analysis_command.command(parser.parse_args(["random"]))
    with pytest.raises(BadInput, match="1 or more, not 0"):
        AnalysisEngine(None, FAST, io.StringIO(), play_options=PlayOptions(), threads=0)
    with pytest.raises(InvalidQuery, match="square"):
        parse_query(query(boardXSize=9))


def test_the_command_answers_over_pipes_and_ends_well():
    process = subprocess.Popen([*MUGO, "uct", "-config", "katago.cfg", "--max-edges", "20000", "--simulations", "20",
                                "-analysis-threads", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    out, err = process.communicate("".join(json.dumps(line) + "\n" for line in (
        {"id": "v", "action": "query_version"}, query("a", GAME), query("b", maxVisits=3))), timeout=120)
    version, first, second = map(json.loads, out.splitlines())
    assert version["version"] == __version__
    assert (first["id"], first["turnNumber"], first["rootInfo"]["visits"]) == ("a", 3, 20)
    assert (second["id"], second["rootInfo"]["visits"]) == ("b", 3)
    assert "Started, ready to begin handling requests" in err and process.returncode == 0
