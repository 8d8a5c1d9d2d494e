"""A client that goes away in the middle of a long search: the program ends by itself, without a traceback."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes import is_running

MAIN = Path(__file__).parents[2] / "main.py"
pytestmark = [pytest.mark.faults, pytest.mark.skipif(sys.platform == "win32", reason="signals")]
SECONDS = 120                            # that a program may take to end, on a busy machine
QUERY = json.dumps({"id": "a", "moves": [], "rules": "chinese", "boardXSize": 5, "boardYSize": 5,
                    "maxVisits": 10 ** 9, "reportDuringSearchEvery": 0.1}) + "\n"
PROGRAMS = {                             # its words, what it gets, and a text of its answer
    "genmove": (["gtp", "uct", "--size", "5", "--simulations", "1000000000"], "genmove b\n", None),
    "kata-analyze": (["gtp", "uct", "--size", "5"], "kata-analyze b 10\n", "info move"),
    "pondering": (["gtp", "uct", "--size", "5", "--simulations", "100", "--ponder"], "genmove b\n", "= "),
    "analysis": (["analysis", "uct"], QUERY, "moveInfos"),
}
# Where nothing is written the next reply finds that nobody is there; `analysis` stops its searches at once.
NEXT_LINE = {"pondering": "name\n", "analysis": json.dumps({"id": "b", "action": "query_version"}) + "\n"}


def begun(words, text, answer) -> subprocess.Popen:
    """A program that is busy with what it was sent."""
    process = subprocess.Popen([sys.executable, MAIN, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    process.stdin.write(text)
    process.stdin.flush()
    for line in process.stderr if answer is None else process.stdout:
        if (answer or "beginning main") in line:
            return process
    raise AssertionError(f"it has ended: {process.communicate()[1]}")


def ended(process) -> str:
    """What a program wrote to stderr until its end."""
    try:
        process.wait(SECONDS)
    finally:
        process.kill()
    with process.stderr as errors:
        return errors.read()


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("how", ["both pipes closed", "the output closed"])
def test_a_program_ends_when_its_client_is_gone(name, how):
    process = begun(*PROGRAMS[name])
    if how == "both pipes closed":
        process.stdin.close()
    process.stdout.close()
    if how == "the output closed" and name in NEXT_LINE:
        process.stdin.write(NEXT_LINE[name])
        process.stdin.flush()
    errors = ended(process)
    if not process.stdin.closed:
        process.stdin.close()
    assert process.returncode in (0, 1) and "Traceback" not in errors, errors


def test_a_program_ends_when_its_client_is_killed(tmp_path):
    """The client holds the other ends of both pipes, and dies of SIGKILL."""
    client = ("import subprocess, sys, time\n"
              f"p = subprocess.Popen([sys.executable, {str(MAIN)!r}, 'gtp', 'uct', '--size', '5'],"
              " stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n"
              "p.stdin.write('kata-analyze b 10\\n'); p.stdin.flush()\n"
              "p.stdout.readline(); print(p.pid, flush=True); time.sleep(600)\n")
    process = subprocess.Popen([sys.executable, "-c", client], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    pid = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    until = time.monotonic() + SECONDS
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(pid)
    errors = process.communicate()[1]
    assert "Traceback" not in errors
