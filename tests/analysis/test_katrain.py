"""KaTrain's queries, and KaTrain's own engine where it is installed.

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


def test_what_katrain_asked_for_is_answered():
    """The queries of katrain/drive.py, as KaTrain 1.20.0 wrote them."""
    queries = [json.loads(line) for line in (HERE / "katrain" / "queries.jsonl").read_text().splitlines()]
    lines = run(*queries, play_options=PlayOptions(9))
    assert not [line for line in lines if "moveInfos" not in line]       # KaTrain's default, japanese, is followed
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


@pytest.mark.skipif(not KATRAIN_PYTHON, reason="KaTrain is not installed (KATRAIN_PYTHON)")
def test_katrains_own_engine_shows_the_analysis(tmp_path):
    command = f"{sys.executable} {HERE.parents[1] / 'main.py'} analysis uct --max-edges 20000 -analysis-threads 1"
    ended = subprocess.run([KATRAIN_PYTHON, HERE / "katrain" / "drive.py", command, tmp_path / "queries"],
                           capture_output=True, text=True, timeout=200)
    assert ended.returncode == 0, ended.stderr
    shown = json.loads(ended.stdout)
    assert shown["errors"] == [] and shown["complete"] == [True] * 4
    assert shown["visits"] == [25, 60, 60, 60] and shown["ownership"] == [81] * 4 and shown["policy"] == [82] * 4
    assert all(0 <= rate <= 1 for rate in shown["win rates"]) and any(shown["scores"])
    assert len(shown["moves"]) == len(shown["points lost"]) > 10
    asked = [json.loads(line) for line in (tmp_path / "queries").read_text().splitlines()]
    recorded = [json.loads(line) for line in (HERE / "katrain" / "queries.jsonl").read_text().splitlines()]
    assert asked == recorded
