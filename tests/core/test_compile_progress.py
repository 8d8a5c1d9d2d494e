"""What is said while numba compiles."""
import io
import sys

import pytest

from mugo.core import compile_progress, progress
from mugo.core.compile_cache import announce_compiling
from mugo.core.compile_progress import CompileProgress


@pytest.fixture
def clock(monkeypatch):
    """Seconds that the test sets, by clock[0]."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def cached(monkeypatch):
    """The number of functions in the cache, by cached[0]."""
    number = [7]
    monkeypatch.setattr(compile_progress, "_count_cached", lambda: number[0])
    return number


def compile_one(counted, clock, cached):
    counted.on_start(None)
    clock[0] += 0.25
    cached[0] += 1
    counted.on_end(None)


def test_compiling_shows_how_far_it_is(clock, cached, monkeypatch):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with CompileProgress() as counted:
        assert counted.number is None
        for _ in range(80):                              # 20 seconds
            compile_one(counted, clock, cached)
        assert counted.number == 80
    assert counted.number is None
    first, *lines = log.getvalue().splitlines()
    assert first == "mugo: getting ready; the first start on a machine compiles"
    assert lines[0] == "mugo: 52 functions, 4.0 functions/s, 00:10"


def test_a_few_functions_are_compiled_without_a_word(clock, cached, monkeypatch):
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    with CompileProgress() as counted:
        for _ in range(11):
            compile_one(counted, clock, cached)
        assert counted.number == 11
    with CompileProgress() as counted:
        assert counted.number is None                    # nothing is compiled
    assert log.getvalue() == ""


def test_it_counts_what_numba_compiles_and_what_is_in_the_cache(tmp_path, monkeypatch):
    from numba import njit
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "games").mkdir()
    for name in "board.1.nbc", "board.nbi":
        (tmp_path / "games" / name).write_text("")
    assert compile_progress._count_cached() == 1
    announce_compiling()                                 # as the library does: numba tells both
    with CompileProgress() as counted:
        njit(lambda x: x + 1)(1)
        assert counted.number == 0                       # numba has compiled it, and not saved it
