"""What is said while numba compiles."""
import io
import sys

import pytest
from numba import njit

from mugo.core import compile_progress, progress
from mugo.core.compile_progress import CompileProgress
from mugo.core.jit import kernel
from mugo.core import shared_cache


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the test sets, by clock[0]."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def compile_one(clock):
    compile_progress.report_start()
    clock[0] += 0.25
    compile_progress.report_end()


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
