"""The command line of `mugo analysis`, and what it refuses."""
import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest
from analysis.queries import GAME, query

from mugo.analysis import command
from mugo.analysis.options import add_analysis_arguments
from mugo.core.version import VERSION
from mugo.games.board import WHITE

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


def test_katagos_configuration_on_the_command_line_is_applied_or_named(capsys):
    parser = argparse.ArgumentParser()
    add_analysis_arguments(parser)
    arguments = parser.parse_args(["uct", "-config", "katago.cfg", "-override-config",
                                   "maxVisits=7, numSearchThreads = 2,nnCacheSizePowerOfTwo=20", "-override-config",
                                   "numAnalysisThreads=1,reportAnalysisWinratesAs=WHITE,wideRootNoise=1"])
    overrides = command._read_config(arguments)
    assert (overrides.max_visits, overrides.perspective, arguments.threads, arguments.jobs) == (7, WHITE, 2, 1)
    err = capsys.readouterr().err
    assert "katago.cfg is not read" in err
    assert "-override-config: this player has no such settings: nnCacheSizePowerOfTwo, wideRootNoise" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_answers_that_a_full_disk_loses_are_a_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*MUGO, "uct", "--max-edges", "20000"], input=json.dumps(query("a", maxVisits=3)) + "\n",
                              stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == "mugo analysis: No space left on device"
