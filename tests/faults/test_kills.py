"""kill -9 at random moments: the command again ends as one that was never killed.

    MUGO_KILLS=50 pytest -m faults tests/faults/test_kills.py -s

A command is killed, started again, killed again, ... until it has ended; then it begins anew in another folder.  The
moments are uniform over the time that an unbroken run takes, imports left out (fork_server.py).  After each kill, what
is promised for every moment is checked; at the end the contents are compared with those of an unbroken run.
"""
import random
import shutil
import sys
import time

import pytest

from fault_cases import CASES, SelfPlay, Train, kills, make_inputs
from fork_server import ForkServer

pytestmark = [pytest.mark.faults, pytest.mark.skipif(sys.platform == "win32", reason="signals")]
SHORTEST = 0.02                          # seconds of a run before it is killed, at least


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return make_inputs(tmp_path_factory.mktemp("inputs"))


def run(server, case, out, **options):
    """Run the case's command; returns its exit status and seconds, and asserts that it ended well or was killed."""
    log = out.with_name("log")
    status, seconds = server.run(case.words(out), log, case.constants, **options)
    assert status in (0, -9), log.read_text(errors="replace")[-2000:]
    return status, seconds


def unbroken_run(server, case, out) -> float:
    """Run the case without a fault, and keep its contents; returns its seconds."""
    case.prepare(out)
    status, seconds = run(server, case, out)
    assert status == 0
    case.unbroken = case.contents(out)
    case.check(out)
    return seconds


def make_start(server, case, out) -> None:
    """The first checkpoint of self-play, of a run that is killed as soon as it has written that."""
    run(server, case, out, kill_when=(out / "checkpoint.safetensors").exists)
    assert not case.frames(out)
    case.save_start(out)


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.name)
def test_a_command_that_is_killed_and_started_again_ends_as_one_that_is_not(make, inputs, tmp_path):
    if make in (Train, SelfPlay):
        pytest.importorskip("keras")
    case, killed, runs, started = make(inputs), 0, 0, time.monotonic()
    with ForkServer(list(case.modules)) as server:
        seconds = unbroken_run(server, case, tmp_path / "unbroken")
        if isinstance(case, SelfPlay):
            case.run_again = lambda out: run(server, case, out)
            make_start(server, case, tmp_path / "start")
        while killed < kills() or not runs:
            out, status, taken = tmp_path / f"out-{runs}", -9, []
            case.prepare(out)
            while status == -9:
                delay = max(SHORTEST, random.uniform(0, seconds)) if killed < kills() else None
                status, duration = run(server, case, out, kill_after=delay)
                taken.append(duration)
                if status == -9:
                    killed += 1
                    if out.exists():
                        case.check(out)
            if len(taken) == 1:
                seconds = min(seconds, taken[0])         # the first run may have compiled
            case.check(out)
            assert case.contents(out) == case.expected(out)
            runs += 1
            for path in tmp_path.glob(f"{out.name}*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    print(f"\n{case.name}: killed {killed} times in {runs} runs, nothing lost or changed; "
          f"{time.monotonic() - started:.0f} s")
