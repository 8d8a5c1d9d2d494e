"""Parsing of queries: fields, errors, warnings, rules, positions."""
import pytest
from analysis.queries import FakeNetwork, query, run, run_one

from mugo.analysis.engine import MAX_LINE_BYTES
from mugo.analysis.parameters import InvalidQuery, Overrides, read_overrides
from mugo.analysis.request import NO_OVERRIDES, parse_query
from mugo.core.options import options_of
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import interpret_gtp
from mugo.mcts.settings import Settings


@pytest.mark.parametrize("line, text", [
    ("what?", "could not parse the line as JSON"),
    ('{"id": "a"', "could not parse the line as JSON"),
    ('{"id": "a", "komi": NaN}', "NaN is not a JSON number"),
    ("[" * 100_000, "could not parse the line as JSON"),
    ("9" * 5000, "could not parse the line as JSON"),
    ('{"id": "' + "a" * MAX_LINE_BYTES, "a line has at most 1048576 bytes"),
    ("[1, 2]", "an object of JSON"),
    ("{}", 'a query must have an "id"'),
    ('{"id": 7}', 'a query must have an "id"'),
])
def test_a_line_that_is_not_a_query_is_answered_with_an_error(line, text):
    (answer,) = run(line)
    assert answer.keys() == {"error"} and text in answer["error"] and len(answer["error"]) < 400


ERRORS = {
    "boardXSize": [(1, "at least 2"), (25, "at most 19"), (True, "a whole number")],
    "boardYSize": [(None, "at least 2")],
    "moves": [(None, "pairs"), ("C3", "pairs"), ([["B", "C3", 1]], "pairs"), ([["X", "C3"]], '"B" or "W"'),
              ([["B", "K1"]], "'K1' is not a vertex on 5x5"), ([["B", 3]], "GTP vertices"),
              ([["B", "pass"]] * 4096, "at most 4095 entries, not 4096"),
              ([["B", "C3"], ["W", "C3"]], "Illegal move 2: White C3 is occupied")],
    "initialStones": [([["B", "A1"]] * 4096, "at most 4095 entries, not 4096"), ([["B", "pass"]], "not on a pass"),
                      ([["B", "A1"], ["W", "A2"], ["W", "B1"]], "cannot be placed on"),
                      ([["B", "D4"], ["W", "D4"]], "two stones are on one point"),
                      ([["B", "D4"], ["B", "D4"]], "two stones are on one point")],
    "initialPlayer": [("green", '"B" or "W"')],
    "rules": [(None, "rules are a name such as"), ("klingon", "could not parse rules: 'klingon'"),
              ({"ko": "NEVER"}, "could not parse rules: 'ko'"), ({"luck": True}, "could not parse rules: 'luck'"),
              (3, "rules are a name such as"), ('{"ko": "NEVER"}', "could not parse rules: 'ko'"),
              ("{ko", "could not parse rules: the rules are not JSON")],
    "komi": [("7.5", "a number"), (400.5, "at most 400")],
    "whiteHandicapBonus": [("2N", '"0", "N" or "N-1"')],
    "analyzeTurns": [([1], "invalid turn number: 1"), ([0.5], "array of integers"), ([], "at least one turn")],
    "priority": [(1.5, "a whole number")],
    "maxVisits": [(0, "at least 1")],
    "analysisPVLen": [(0, "at least 1")],
    "maxTime": [(-1, "at least 0")],
    "includePolicy": [("yes", "true or false")],
    "reportDuringSearchEvery": [(0, "at least 0.001")],
    "avoidMoves": [([{"player": "B"}], "player, moves and untilDepth"),
                   ([{"player": "B", "moves": "A1", "untilDepth": 1}], "array of GTP vertices"),
                   ([{"player": "B", "moves": ["Z9"], "untilDepth": 1}], "'Z9' is not a vertex")],
    "allowMoves": [([{"player": "B", "moves": [], "untilDepth": 0}], "1 or more"),
                   ([{"player": "B", "moves": [], "untilDepth": 1}] * 2, "at most one entry for each player")],
    "overrideSettings": [([], "an object"), ({"reportAnalysisWinratesAs": "GREEN"}, "one of BLACK, WHITE, SIDETOMOVE"),
                         ({"maxTime": "soon"}, "maxTime must be a number"),
                         ({"maxPlayouts": "ten"}, "maxPlayouts must be a whole number"),
                         ({"wideRootNoise": "x"}, "wideRootNoise must be a number"),
                         ({"maxVisits": "1_0"}, "maxVisits must be a whole number"),
                         ({"maxTime": "３"}, "maxTime must be a number"),
                         ({"cpuctExploration": "high"}, "cpuctExploration must be a number"),
                         ({"minVisitPropForLCB": 2}, "minVisitPropForLCB must be at most 1"),
                         ({"numSearchThreads": 0}, "numSearchThreads must be at least 1")],
    "rootPolicyTemperature": [("much", "a number"), (0, "must be above 0")],
    "action": [("dance", "one of query_version")],
}


@pytest.mark.parametrize("field, value, text", [
    (field, value, text) for field, cases in ERRORS.items() for value, text in cases])
def test_an_error_names_the_field(field, value, text):
    answer = run_one(query("it") | {field: value}, network=FakeNetwork())
    assert answer["id"] == "it" and text in answer["error"] and answer["field"] == field


def test_fields_that_are_not_supported_are_warned_about():
    def fields(**more):
        return [(field, text) for field, text in parse_query(query(**more))[1]]

    assert fields() == fields(rules="chinese-ogs") == fields(rules='{"score": "AREA"}') == []
    for supported in ("japanese", "korean", "chinese", "AGA", {"ko": "SIMPLE", "scoring": "AREA"},
                      '{"score": "TERRITORY"}', {"scoring": "TERRITORY", "tax": "NONE"}, {"tax": "SEKI"}):
        assert fields(rules=supported) == [], supported
    for rules, text in (("stone_scoring", ": tax ALL."), ("tromptaylor", ": suicide true."),
                        ("nz", ": suicide true."), ("aga-button", "hasButton true."),
                        ("ancient-territory", ": tax ALL."), ({"ko": "SPIGHT"}, ": ko SPIGHT.")):
        ((field, warning),) = fields(rules=rules)
        assert field == "rules" and text in warning, rules
    for name in "rootPolicyTemperature", "rootFpuReductionMax":
        assert fields(**{name: 1.2}) == []
        parsed, warnings = parse_query(query(**{name: 1.2}), player="uct")
        assert not parsed.overrides.settings and warnings == [(name, "this player has no such setting: ignored")]
    assert fields(colour="red")[0] == ("colour", "unknown field: ignored")
    assert "playoutDoublingAdvantage" in fields(overrideSettings={"playoutDoublingAdvantage": 1, "maxTime": "3"})[0][1]


def test_a_query_overrides_the_settings_of_its_search():
    """Every setting of the search that has a name of KataGo's, and KataGo's noise."""
    values = {"cpuctExploration": 1.2, "cpuctExplorationBase": 400, "cpuctExplorationLog": "0.45",
              "dynamicScoreUtilityFactor": 0.2, "fpuReductionMax": 0.1, "lcbStdevs": 4,
              "minVisitPropForLCB": 0.2, "numSearchThreads": 2,
              "rootFpuReductionMax": 0.05, "rootPolicyTemperature": 1.1,
              "rootSymmetryPruning": False, "wideRootNoise": 0.04}
    parsed, warnings = parse_query(query(overrideSettings=values))
    assert not warnings and parsed.overrides.settings == {
        "c": 1.2, "cpuct_exploration_base": 400, "cpuct_exploration_log": 0.45, "fpu_reduction_max": 0.1,
        "dynamic_score_utility_factor": 0.2,
        "lcb_stdevs": 4, "min_visit_prop_for_lcb": 0.2, "threads": 2, "root_fpu_reduction_max": 0.05,
        "root_policy_temperature": 1.1, "root_symmetry_pruning": False, "dirichlet_weight": 0.04}
    assert set(values) == {each.katago for each in options_of(Settings).values() if each.katago} | {"wideRootNoise"}
    parsed, _ = parse_query(query(rootPolicyTemperature=2, overrideSettings={"rootPolicyTemperature": 1.5}))
    assert parsed.overrides.settings == {"root_policy_temperature": 2}
    for player, left in ("uct", {"cpuctExploration", "lcbStdevs", "minVisitPropForLCB", "numSearchThreads",
                                 "rootSymmetryPruning"}), ("policy", set()):
        _, ((field, text),) = parse_query(query(overrideSettings=values), player=player)
        assert field == "overrideSettings" and {*text.partition(": ")[2].split(", ")} == values.keys() - left


def test_a_query_overrides_the_configuration():
    values = {"maxVisits": "7", "maxTime": "3", "cpuctExploration": "1.5", "wideRootNoise": "0.1",
                       "reportAnalysisWinratesAs": "SIDETOMOVE", "analysisPVLen": "4"}
    config, _ = read_overrides(values, NO_OVERRIDES, "mcts")
    plain = parse_query(query(), config)[0].overrides
    assert (plain.max_visits, plain.max_time, plain.perspective, plain.pv_length) == (7, 3, None, 4)
    assert plain.settings == {"c": 1.5, "dirichlet_weight": 0.1}
    other = parse_query(query(maxVisits=8, analysisPVLen=5, overrideSettings={
        "maxTime": 1, "cpuctExploration": 1, "reportAnalysisWinratesAs": "WHITE"}), config)[0].overrides
    assert (other.max_visits, other.max_time, other.perspective, other.pv_length) == (8, 1, WHITE, 5)
    assert other.settings == {"c": 1, "dirichlet_weight": 0.1}


def test_a_query_is_scored_by_its_rules():
    for rules, is_territory, tax in (("japanese", True, "SEKI"), ("chinese", False, "NONE"),
                                     ({"scoring": "TERRITORY", "tax": "NONE"}, True, "NONE"),
                                     ("ancient-territory", True, "NONE"), ({"tax": "SEKI"}, False, "SEKI")):
        for position in parse_query(query(rules=rules, moves=[["B", "C3"], ["W", "D3"]]))[0].position(1).positions():
            assert position.counts_territory == is_territory and position.rules.tax == tax, rules
    stones = [["B", "A1"], ["B", "C3"], ["B", "E5"]]
    position = parse_query(query(rules="japanese", initialStones=stones, komi=0.5))[0].position(0)
    assert (position.white_points, position.area_komi) == (0.5, 0.5 + 3 - 0.5)


def test_a_warning_about_rules_is_sent_once():
    lines = run(query("a", rules="aga"), query("b", rules="nz"), query("c", rules="nz"), query("d", rules="aga"))
    assert sorted(line["id"] for line in lines if "warning" in line) == ["b"]
    assert sorted(line["id"] for line in lines if "moveInfos" in line) == ["a", "b", "c", "d"]


def test_the_fields_of_a_query():
    parsed, _ = parse_query(query(moves=[["b", "c3"], ["white", "A5"], ["W", "pass"]], analyzeTurns=[3, 1],
                                overrideSettings={"maxTime": "2.5", "maxVisits": 7}, komi=None))
    assert parsed.position(2).moves[-1] == (WHITE, 7) and parsed.position(3).to_play == BLACK
    assert parsed.turns == (1, 3) and parsed.overrides == Overrides(7, 2.5, perspective=BLACK)
    assert parsed.position(0).komi == 7.5
    assert parse_query(query(rules="japanese", komi=None))[0].position(0).komi == 6.5
    assert [parse_query(query(komi=komi))[0].position(0).komi for komi in (-400, 400, 361.5)] == [-400, 400, 361.5]
    assert parse_query(query(initialPlayer="W"))[0].position(0).to_play == WHITE
    assert parse_query(query(maxVisits=3, overrideSettings={"maxVisits": 9}))[0].overrides.max_visits == 3


@pytest.mark.parametrize("rules, bonus, komi", [
    ("chinese", None, 3), ("aga", None, 2), ("tromp-taylor", None, 0), ("chinese", "0", 0), ("ing", 0, 0),
    ('{"whiteHandicapBonus": "N"}', None, 3),
    ({"whiteHandicapBonus": 0}, "N-1", 2)])
def test_white_gets_points_for_handicap_stones(rules, bonus, komi):
    stones = [["B", "A1"], ["B", "C3"], ["B", "E5"]]
    parsed, _ = parse_query(query(rules=rules, whiteHandicapBonus=bonus, initialStones=stones))
    assert parsed.position(0).komi == komi and parsed.position(0).to_play == WHITE
    one, _ = parse_query(query(rules=rules, whiteHandicapBonus=bonus, initialStones=stones[:1]))
    assert one.position(0).komi == 0 and one.position(0).to_play == BLACK         # one stone is no handicap


def test_the_rules_of_a_query_decide_which_repetitions_are_searched():
    stones = [["B", "C4"], ["B", "B3"], ["B", "C2"], ["W", "D4"], ["W", "E3"], ["W", "D2"], ["W", "C3"]]
    moves = [["B", "D3"], ["W", "pass"], ["B", "pass"]]
    point = interpret_gtp("C3", 5)
    for rules, is_legal in ("tromp-taylor", False), ("aga", False), ("chinese", True), ("japanese", True):
        position = parse_query(query(rules=rules, initialStones=stones, moves=moves))[0].position(3)
        assert (point in position.legal_points()) == is_legal, rules


def test_moves_may_repeat_a_position_but_not_retake_a_ko():
    stones = [["B", "C4"], ["B", "B3"], ["B", "C2"], ["W", "D4"], ["W", "E3"], ["W", "D2"], ["W", "C3"]]
    moves = [["B", "D3"], ["W", "pass"], ["B", "pass"], ["W", "C3"]]
    parsed, _ = parse_query(query(initialStones=stones, moves=moves))
    before, after = parsed.position(3), parsed.position(4)
    assert before.why_illegal(after.last) == "repeats a position (superko)"
    with pytest.raises(InvalidQuery, match="Illegal move 2: White C3 retakes the ko"):
        parse_query(query(initialStones=stones, moves=[moves[0], moves[3]]))
