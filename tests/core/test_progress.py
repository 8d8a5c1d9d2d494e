"""Progress: a bar in a terminal; in a log at most a line in ten seconds, and no carriage returns."""
import io
import re
import sys
from pathlib import Path

import pytest
from numba import njit

from mugo.core import progress, shared_cache
from mugo.core.jit import kernel
from mugo.core.progress import CompileProgress

ROOT = Path(__file__).parents[2]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the test sets, by clock[0]."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_log_gets_a_line_in_ten_seconds(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with progress.progress_bar("positions", 3200) as bar:
        bar.set_postfix_str("loss 2.310")
        for _ in range(280):                 # 35 seconds
            clock[0] += 0.125
            bar.update(10)
    assert bar.n == 2800
    assert log.getvalue().splitlines() == [
        "mugo: 25 %, 800 of 3,200 positions, 80 positions/s, 00:10, 00:30 left, loss 2.310",
        "mugo: 50 %, 1,600 of 3,200 positions, 80 positions/s, 00:20, 00:20 left, loss 2.310",
        "mugo: 75 %, 2,400 of 3,200 positions, 80 positions/s, 00:30, 00:10 left, loss 2.310"]
    assert "\r" not in log.getvalue()


def test_work_of_less_than_ten_seconds_writes_nothing_to_a_log(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with progress.progress_bar("games", 3) as bar:
        for _ in range(3):
            clock[0] += 3.3
            bar.update()
    assert log.getvalue() == ""


def test_what_was_done_before_counts_for_the_part_that_is_done_but_not_for_the_speed(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with progress.progress_bar("B", 10_000_000, 5_000_000, scale=True) as bar:
        clock[0] += 10
        bar.update(1_000_000)
    assert log.getvalue() == "mugo: 60 %, 6.00M of 10.0MB, 100kB/s, 00:10, 00:40 left\n"


def test_work_of_unknown_length_is_counted(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with progress.progress_bar("functions", None, 5) as bar:
        clock[0] += 10
        bar.update(61)
    assert log.getvalue() == "mugo: 66 functions, 6.1 functions/s, 00:10\n"


def test_messages_of_a_log_are_plain_lines(monkeypatch, capsys):
    with progress.progress_bar("games", 3) as bar:
        bar.write("game 1: Black resigned")
        bar.write("game 2: a crash", file=sys.stderr)
    assert capsys.readouterr() == ("game 1: Black resigned\n", "game 2: a crash\n")


def test_a_terminal_gets_a_bar_that_is_redrawn(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with progress.progress_bar("games", 4, 1) as bar:
        bar.update(3)
        bar.refresh()
    assert "\r" in terminal.getvalue()
    assert re.search(r"100%.*4/4 .* games/s", terminal.getvalue())


@pytest.mark.parametrize("exists", [False, True])
def test_without_stderr_nothing_is_written(clock, monkeypatch, exists):
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed if exists else None)
    with progress.progress_bar("games", 3) as bar:
        clock[0] += 11
        bar.update()
    assert bar.n == 1


# ---- compiling

def compile_one(clock):
    progress.report_compiling()
    clock[0] += 0.25
    progress.report_compiled()


def test_compiling_shows_how_far_it_is(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with CompileProgress() as counted:
        assert counted.number is None
        for _ in range(80):                              # 20 seconds
            compile_one(clock)
        assert counted.number == 80
    assert counted.number is None
    first, *lines = log.getvalue().splitlines()
    assert first == "mugo: getting ready; the first start on a machine compiles"
    assert lines[0] == "mugo: 52 functions, 4.0 functions/s, 00:10"


def test_a_few_functions_are_compiled_without_a_word(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with CompileProgress() as counted:
        for _ in range(11):
            compile_one(clock)
        assert counted.number == 11
    with CompileProgress() as counted:
        assert counted.number is None                    # nothing is compiled
    assert log.getvalue() == ""


def add_one(x):
    return x + 1


def test_it_counts_the_functions_of_mugo_that_numba_compiles(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(shared_cache, "_lock_file", lambda: None)
    for number in 1, None:                               # the second time it is in the cache
        with CompileProgress() as counted:
            assert njit(add_one)(1) == 2                 # as a user's
            assert kernel(add_one)(1) == 2
            assert counted.number == number
