"""Order and parallel running of queries, reports during a search, termination, failures, random input."""
import io
import json
import random
import re
import threading
import time
from dataclasses import replace

import pytest

from analysis.queries import FAST, GAME, FakeNetwork, RunningEngine, is_final, query, run, run_one

from mugo.core.version import VERSION
from mugo.analysis.engine import AnalysisEngine, serve
from mugo.core.files import BadInput
from mugo.players.searcher import PlayOptions


def test_a_search_reports_while_it_runs_until_it_is_terminated():
    with RunningEngine() as running:
        running.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.05, maxTime=600,
                          includeOwnership=True, includeMovesOwnership=True))
        early = running.wait_for(lambda line: line.get("isDuringSearch"))
        assert early["id"] == "long" and len(early["ownership"]) == 25
        assert "ownership" not in early["moveInfos"][0]          # it would delay the search
        visits = early["rootInfo"]["visits"]
        running.wait_for(lambda line: line.get("isDuringSearch") and line["rootInfo"]["visits"] > visits)
        begun = time.perf_counter()
        running.send(id="t", action="terminate", terminateId="long")
        last = running.wait_for(is_final)
        assert time.perf_counter() - begun < 2           # on an idle machine 0.02 s
        assert last["rootInfo"]["visits"] >= early["rootInfo"]["visits"]
        running.wait_for(lambda line: line == {"id": "t", "action": "terminate", "terminateId": "long"})


def test_the_first_report_has_a_delay_of_its_own():
    with RunningEngine() as running:
        running.send(**query("a", maxVisits=10 ** 9, firstReportDuringSearchAfter=0.02, reportDuringSearchEvery=900))
        running.wait_for(lambda line: line.get("isDuringSearch"))
        time.sleep(0.1)
        assert len(running.lines) == 1


def test_waiting_turns_are_terminated_without_results():
    with RunningEngine() as running:
        running.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.02))
        running.wait_for(lambda line: "moveInfos" in line)
        running.send(**query("next", GAME, analyzeTurns=[0, 1, 2, 3]))
        running.send(id="t", action="terminate", terminateId="next", turnNumbers=[1, 3])
        running.wait_for(lambda line: line["id"] == "t")
        assert [line for line in running.lines if line.get("noResults")] == [
            {"id": "next", "turnNumber": turn, "isDuringSearch": False, "noResults": True} for turn in (1, 3)]
        running.send(id="all", action="terminate_all", turnNumbers=[0])
        running.wait_for(lambda line: line["id"] == "long" and is_final(line))
        running.wait_for(lambda line: line["id"] == "next" and line.get("turnNumber") == 2 and is_final(line))
        finals = [line["turnNumber"] for line in running.lines if line["id"] == "next" and is_final(line)]
        assert sorted(finals) == [0, 1, 2, 3]


def test_the_highest_priority_is_first_then_the_oldest():
    with RunningEngine() as running:
        running.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.02))
        running.wait_for(lambda line: "moveInfos" in line)
        running.send(**query("low", priority=-1))
        running.send(**query("turns", GAME, analyzeTurns=[3, 1, 0], priority=5))
        running.send(**query("high", priority=6))
        running.send(**query("as low", priority=-1))
        running.send(id="t", action="terminate", terminateId="long")
        running.wait_for(lambda line: line["id"] == "as low")
        finals = [(line["id"], line["turnNumber"]) for line in running.lines if is_final(line)]
        assert finals == [("long", 0), ("high", 0), ("turns", 0), ("turns", 1), ("turns", 3), ("low", 0), ("as low", 0)]


def test_what_terminates_all_is_read_behind_any_number_of_queries():
    with RunningEngine() as running:
        running.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.02))
        running.wait_for(lambda line: "moveInfos" in line)
        for number in range(100):
            running.send(**query(f"{number}"))
        running.send(id="t", action="terminate_all")
        running.wait_for(lambda line: line["id"] == "t")
        running.wait_for(lambda line: line["id"] == "long" and is_final(line))
        assert sum(line.get("noResults", False) for line in running.lines) == 100
        running.send(**query("next", maxVisits=3))
        assert running.wait_for(lambda line: line["id"] == "next")["rootInfo"]["visits"] == 3


def test_input_is_read_while_the_client_reads_nothing():
    """It would wait for its input to be read, and the engine for its output."""
    reading = threading.Event()

    class Unread(io.StringIO):
        def write(self, text):
            assert reading.wait(60)
            return super().write(text)

    out = Unread()
    engine = AnalysisEngine(None, FAST, out, play_options=PlayOptions(2), log=pytest.fail)
    threading.Timer(30, reading.set).start()             # of an engine that waits
    for number in range(500):
        engine.handle_line(json.dumps(query(f"{number}", colour="red")))     # each gets a warning
    was_waiting = reading.is_set()
    reading.set()
    engine.close()
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert not was_waiting
    assert sum("warning" in line for line in lines) == sum(map(is_final, lines)) == 500


def test_a_search_ends_when_nobody_reads_the_output():
    abandoned = threading.Event()
    with RunningEngine(is_abandoned=abandoned.is_set) as running:
        running.send(**query("long", maxVisits=10 ** 9, maxTime=600))
        time.sleep(0.05)
        assert not running.lines
        abandoned.set()
        running.wait_for(is_final, 10)


def test_searches_run_in_parallel():
    with RunningEngine(jobs=2) as running:
        for name in "first", "second":
            running.send(**query(name, maxVisits=10 ** 9, reportDuringSearchEvery=0.05))
        running.wait_for(lambda line: line["id"] == "first")
        running.wait_for(lambda line: line["id"] == "second")
        assert not any(map(is_final, running.lines))


def test_at_the_end_of_the_input_waiting_queries_are_finished_or_dropped():
    many = [query(str(i)) for i in range(5)]
    assert [answer["id"] for answer in run(*many)] == list("01234")
    with RunningEngine() as running:
        running.send(**query("long", maxVisits=10 ** 9, reportDuringSearchEvery=0.02))
        running.wait_for(lambda line: "moveInfos" in line)
        running.engine.close(finish=False)
        count = len(running.lines)
        assert not any(map(is_final, running.lines)) and len(running.lines) == count


def test_it_stops_when_the_client_closes_the_output():
    class ClosedPipe(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    engine = AnalysisEngine(None, FAST, ClosedPipe(), play_options=PlayOptions(10 ** 9), jobs=1)
    engine.handle_line(json.dumps(query(reportDuringSearchEvery=0.02)))
    engine.handle_line(json.dumps(query("waits")))
    engine.close()
    assert engine.output_closed


def test_with_a_seed_a_response_does_not_depend_on_earlier_queries():
    alone = run_one(query("b", GAME))
    assert run(query("a"), query("b", GAME))[1] == alone


def test_actions_are_echoed():
    assert run({"id": "v", "action": "query_version"}) == [
        {"id": "v", "action": "query_version", "version": VERSION, "git_hash": "<omitted>"}]
    (models,) = run({"id": "m", "action": "query_models"}, network=FakeNetwork())
    assert [model["name"] for model in models["models"]] == ["fake"]
    forgotten = []
    network = FakeNetwork()
    network.forget = lambda: forgotten.append(1)
    for given in (None, network):
        assert run({"id": "c", "action": "clear_cache", "more": 1}, network=given) == [
            {"id": "c", "action": "clear_cache", "more": 1}]
    assert forgotten == [1]
    assert run({"id": "t", "action": "terminate", "terminateId": "nobody"})[0]["terminateId"] == "nobody"


def test_random_queries_are_answered_and_never_fatal():
    rng = random.Random(5)
    whole = query("f", GAME, maxVisits=1, analyzeTurns=[0, 3], includeOwnership=True, priority=1, komi=6.5,
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
    answers = run(*lines, query("last", maxVisits=1), network=FakeNetwork(), settings=None)
    assert answers[-1]["id"] == "last"
    assert not [answer for answer in answers if "internal" in answer.get("error", "")]
    assert all(("error" in answer) + ("warning" in answer) + ("turnNumber" in answer) + ("action" in answer) == 1
               for answer in answers)
    assert sum("error" in answer or is_final(answer) or "action" in answer for answer in answers) >= len(lines)


def test_a_full_tree_is_told():
    warning, answer = run(query("full", maxVisits=3000), settings=replace(FAST, max_edges=1000))
    assert re.fullmatch(r"the search tree is full with \d+ nodes and reads no deeper", warning["warning"])
    assert (warning["id"], warning["field"]) == ("full", "maxVisits") and answer["rootInfo"]["visits"] == 3000


def test_a_network_that_fails_is_an_error_of_its_query():
    class Broken(FakeNetwork):
        def evaluate(self, positions, symmetries=False):
            if positions[0].size == 4:
                raise RuntimeError("no memory")
            if positions[0].size == 3:
                raise BadInput("plays 19x19 only")
            return super().evaluate(positions, symmetries)

    out = io.StringIO()
    logged = []
    engine = AnalysisEngine(Broken(), FAST, out, play_options=PlayOptions(5), log=logged.append)
    serve(engine, [json.dumps(query(str(size), size=size)) for size in (4, 3, 5)])
    first, second, third = map(json.loads, out.getvalue().splitlines())
    assert first == {"error": "internal error: RuntimeError no memory", "id": "4", "turnNumber": 0} and logged
    assert second["error"] == "plays 19x19 only" and third["rootInfo"]["visits"] == 5
