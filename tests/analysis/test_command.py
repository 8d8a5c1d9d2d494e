"""The command line of `mugo analysis`, and what it refuses."""
import argparse
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from analysis.queries import FAST, GAME, query

from mugo import __version__
from mugo.analysis import command as analysis_command
from mugo.analysis.engine import AnalysisEngine
from mugo.files import BadInput
from mugo.players.searcher import PlayOptions

MUGO = (sys.executable, str(Path(__file__).parents[2] / "main.py"), "analysis")


def test_players_that_cannot_be_analyzed_are_refused():
    parser = argparse.ArgumentParser()
    analysis_command.add_arguments(parser)
    with pytest.raises(BadInput, match="random cannot analyze"):
        analysis_command.command(parser.parse_args(["random"]))
    with pytest.raises(BadInput, match="1 or more, not 0"):
        AnalysisEngine(None, FAST, io.StringIO(), play_options=PlayOptions(), threads=0)


def test_the_command_answers_over_pipes():
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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_answers_that_a_full_disk_loses_are_a_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*MUGO, "uct", "--max-edges", "20000"], input=json.dumps(query("a", maxVisits=3)) + "\n",
                              stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == "mugo analysis: No space left on device"
