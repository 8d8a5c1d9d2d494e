"""Sabaki's GTP controller plays and analyzes, where node and @sabaki/gtp are installed (NODE_PATH)."""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mugo.gtp.engine import COMMANDS

HERE = Path(__file__).parent
NODE = shutil.which("node")
INSTALLED = NODE and subprocess.run([NODE, "-e", "require.resolve('@sabaki/gtp')"], cwd=HERE / "sabaki",
                                    capture_output=True).returncode == 0


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
    assert 0 <= float(report["winrate"]) <= 1 and "." in report["winrate"]
    assert report["milliseconds"] < 1000            # 20 on an idle machine
