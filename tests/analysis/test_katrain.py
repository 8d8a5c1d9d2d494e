"""Recorded queries of KaTrain 1.20.0: katrain/queries.jsonl is a short game with a move to refine and a region,
katrain/game.jsonl games on a rectangle with all rules, extra analyses and opponents."""
import json
from pathlib import Path

from analysis.queries import run

from mugo.players.searcher import PlayOptions

HERE = Path(__file__).parent
IGNORED = {"ignored: suicide true", "ignored: tax ALL",
                "this player has no such settings: wideRootNoise",           # uct has no priors
                "this player has no such settings: wideRootNoise, antiMirror",
                "this player has no such settings: wideRootNoise, playoutDoublingAdvantage, "
                "playoutDoublingAdvantagePla"}


def recording(name):
    return [json.loads(line) for line in (HERE / "katrain" / name).read_text().splitlines()]


def test_what_katrain_asked_for_is_answered():
    queries = recording("queries.jsonl")
    lines = run(*queries, play_options=PlayOptions(9))
    assert {line["warning"] for line in lines if "moveInfos" not in line} == {           # japanese rules are followed
        "this player has no such settings: wideRootNoise"}
    answers = {line["id"]: line for line in lines if "moveInfos" in line}
    assert list(answers) == [query["id"] for query in queries] and len(answers) == 6
    for query in queries:
        answer = answers[query["id"]]
        assert answer["turnNumber"] == len(query["moves"]) and answer["rootInfo"]["visits"] == query["maxVisits"]
        assert len(answer["policy"]) == 82
        assert ("ownership" in answer) == ("ownership" in answer["moveInfos"][0]) == query["includeOwnership"]
        for info in answer["moveInfos"]:                 # what KaTrain's game_node.py reads
            assert {"move", "order", "visits", "winrate", "scoreLead", "prior", "pv"} <= info.keys()
        avoided = {move for entry in query.get("avoidMoves", ()) for move in entry["moves"]}
        assert avoided.isdisjoint(info["move"] for info in answer["moveInfos"])


def test_katrains_games_on_a_rectangle_its_rules_extra_analyses_and_opponents_are_answered():
    lines = recording("game.jsonl")
    queries = [line for line in lines if "action" not in line]
    replies = run(*lines, play_options=PlayOptions(9))
    assert not [line for line in replies if "error" in line]
    assert {line["warning"].split(".")[0] for line in replies if "warning" in line} == IGNORED
    answers = {line["id"]: line for line in replies if line.get("isDuringSearch") is False}
    assert sorted(answers) == sorted(query["id"] for query in queries)
    stopped = {line["terminateId"] for line in lines if line.get("action") == "terminate"}
    assert len(stopped) == 1
    for query in queries:
        if query["id"] in stopped:
            continue
        answer = answers[query["id"]]
        points = query["boardXSize"] * query["boardYSize"]
        assert answer["turnNumber"] == query["analyzeTurns"][0] and answer["rootInfo"]["visits"] == query["maxVisits"]
        assert len(answer["policy"]) == points + 1
        assert len(answer.get("ownership", [])) == points * query["includeOwnership"]
        assert len(answer["moveInfos"][0].get("ownership", [])) == points * query["includeMovesOwnership"]
