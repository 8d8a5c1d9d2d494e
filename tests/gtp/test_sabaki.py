"""Sabaki's GTP controller plays and analyzes, where node and @sabaki/gtp are installed (NODE_PATH).

How Sabaki reads a win rate is written from its documentation, in Sabaki's repository
docs/guides/engine-analysis-integration.md, and from what version 0.60 shows.
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from drawing import SETTLED, draw
from gtp.test_analyze import analyze

from mugo.gtp.engine import COMMANDS, GtpEngine
from mugo.players.registry import make_player

HERE = Path(__file__).parent
NODE = shutil.which("node")
INSTALLED = NODE and subprocess.run([NODE, "-e", "require.resolve('@sabaki/gtp')"], cwd=HERE / "sabaki",
                                    capture_output=True).returncode == 0


def percents(command, win_rate):
    """Win rates in percent: by Sabaki's documentation, where a whole number is in hundredths of a percent and a number
    with a decimal point a fraction; and by version 0.60, which reads fractions from KataGo's commands only."""
    documented = float(win_rate) * 100 if "." in win_rate else int(win_rate) / 100
    return documented, float(win_rate) * 100 if command.startswith("kata-") else float(win_rate) / 100


def test_sabaki_shows_the_win_rate_of_the_command_that_it_prefers():
    engine = GtpEngine(make_player("uct", seed=1), size=7)
    engine.position, _ = draw(SETTLED, komi=0.5)         # Black has won
    preferred = next(name for name in ("analyze", "kata-analyze", "lz-analyze")
                     if name in engine.answer("list_commands").split())
    for command in preferred, "lz-analyze":
        line = analyze(engine, f"{command} b 5")[-1]
        for percent in percents(command, re.search(r" winrate (\S+)", line)[1]):
            assert 80 < percent <= 100, (command, percent)


@pytest.mark.skipif(not INSTALLED, reason="node or its package @sabaki/gtp is not installed")
def test_sabakis_controller_plays_and_analyzes():
    engine = [sys.executable, str(HERE.parents[1] / "main.py"), "gtp", "uct", "--simulations", "300"]
    ended = subprocess.run([NODE, str(HERE / "sabaki" / "drive.js"), *engine], capture_output=True, text=True,
                           timeout=200)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["name"] == "MuGo uct" and report["commands"] == list(COMMANDS)
    assert report["unknown"] and not report["error"]
    assert re.fullmatch(r"[A-E][1-5]", report["genmove"]) and re.fullmatch(r"play ([A-E][1-5]|pass)", report["played"])
    assert report["protocol"] == "2" and report["analysis"] >= 3
    assert (report["analyzeCommand"], report["genmoveCommand"]) == ("kata-analyze", "kata-genmove_analyze")
    for percent in percents("kata-analyze", report["winrate"]) + percents("lz-analyze", report["wholeNumber"]):
        assert 1 < percent < 99
    assert report["milliseconds"] < 20_000          # 20 on an idle machine; else the analysis goes on
