"""The command line of `mugo analysis`, and what it refuses."""
import json
import subprocess
import sys
from pathlib import Path

import pytest
from analysis.queries import GAME, query

from mugo.core.version import VERSION

MUGO = (sys.executable, str(Path(__file__).parents[2] / "main.py"), "analysis")


def test_the_command_answers_over_pipes():
    process = subprocess.Popen([*MUGO, "uct", "-config", "katago.cfg", "--max-edges", "20000", "--simulations", "20",
                                "-analysis-threads", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    out, err = process.communicate("".join(json.dumps(line) + "\n" for line in (
        {"id": "v", "action": "query_version"}, query("a", GAME), query("b", maxVisits=3))), timeout=120)
    version, first, second = map(json.loads, out.splitlines())
    assert version["version"] == VERSION
    assert (first["id"], first["turnNumber"], first["rootInfo"]["visits"]) == ("a", 3, 20)
    assert (second["id"], second["rootInfo"]["visits"]) == ("b", 3)
    assert "Started, ready to begin handling requests" in err and process.returncode == 0


def test_katagos_configuration_on_the_command_line_is_applied_or_named():
    done = subprocess.run([*MUGO, "uct", "-config", "katago.cfg", "--max-edges", "20000", "-override-config",
                           "maxVisits=7, numSearchThreads = 2,nnCacheSizePowerOfTwo=20", "-override-config",
                           "numAnalysisThreads=1,reportAnalysisWinratesAs=WHITE,cpuctExploration=1"],
                          input=json.dumps(query("a", komi=-150)) + "\n", capture_output=True, text=True, timeout=120)
    (answer,) = map(json.loads, done.stdout.splitlines())
    assert answer["rootInfo"]["visits"] >= 7 and answer["rootInfo"]["winrate"] < 0.5         # two threads may do more
    assert "katago.cfg is not read" in done.stderr and done.returncode == 0
    assert "-override-config: this player has no such settings: nnCacheSizePowerOfTwo, cpuctExploration" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_answers_that_a_full_disk_loses_are_a_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*MUGO, "uct", "--max-edges", "20000"], input=json.dumps(query("a", maxVisits=3)) + "\n",
                              stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == "mugo analysis: No space left on device"
