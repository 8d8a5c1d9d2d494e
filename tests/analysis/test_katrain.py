"""KaTrain's queries, and KaTrain's own engine where it is installed.

The recordings are what KaTrain 1.20.0 wrote: katrain/queries.jsonl for a short game, with a move to refine and a
region; katrain/game.jsonl by drive_game.py, on 23 November 2026.
KATRAIN_PYTHON names a Python that has the package katrain; by default it is looked for in this one.
"""
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from analysis.queries import run

from mugo.players.searcher import PlayOptions

HERE = Path(__file__).parent
KATRAIN_PYTHON = os.environ.get("KATRAIN_PYTHON") or (sys.executable if importlib.util.find_spec("katrain") else None)
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


@pytest.mark.skipif(not KATRAIN_PYTHON, reason="KaTrain is not installed (KATRAIN_PYTHON)")
def test_katrain_plays_and_analyzes_on_a_rectangle(tmp_path):
    command = f"{sys.executable} {HERE.parents[1] / 'main.py'} analysis uct --max-edges 20000 -analysis-threads 1"
    ended = subprocess.run([KATRAIN_PYTHON, HERE / "katrain" / "drive_game.py", command, tmp_path / "queries"],
                           capture_output=True, text=True, timeout=400)
    assert ended.returncode == 0, ended.stderr
    shown = json.loads(ended.stdout)
    assert {message.split("'")[3].split(".")[0] for message in shown["messages"]} == IGNORED
    assert all(None not in scores and len(scores) == 3 for scores in shown["scores"].values())
    assert shown["moves"]["extra"] <= shown["moves"]["alternative"] < shown["moves"]["sweep"]
    assert len(shown["played"]) == 14 and shown["frame"] > 20 and shown["frame score"] is not None
