"""Several processes that compile the same functions at the same time."""
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.registry import cpu_target

import mugo
from mugo.core import shared_cache

pytestmark = pytest.mark.skipif(not shared_cache.CAN_SHARE, reason="files cannot be locked here")
ROOT = Path(mugo.__file__).parents[1]
FUNCTIONS = 5
MODULE = """
from mugo.core.jit import kernel, subroutine
""" + "".join(f"""
@subroutine
def f{k}(x):
    return {f"f{k - 1}(x) + f{k - 1}(x)" if k else "x + 1"}
""" for k in range(FUNCTIONS - 1)) + """
@kernel
def g(x):
    return f3(x)
"""
PROGRAM = """
import sys, time
from numba.core.event import Listener, register
class Count(Listener):
    number = 0
    def on_start(self, event): self.number += 1
    def on_end(self, event): ...
register("numba:compile", count := Count())
import functions
print("ready", flush=True)
sys.stdin.readline()
print(functions.g(20), count.number)
"""


def start(folder: Path) -> subprocess.Popen:
    """A process that has loaded the module, and calls its kernel when it gets a line."""
    (folder / "functions.py").write_text(MODULE)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"),
                                "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def test_each_function_is_compiled_by_one_process(tmp_path):
    processes = [start(tmp_path) for _ in range(3)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate()[0].split() for process in processes]
    assert {result for result, _ in answers} == {str(21 * 8)}
    assert sum(int(number) for _, number in answers) == FUNCTIONS


HOLD = """
import fcntl, sys
file = open(sys.argv[1], "ab")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.readline()
"""


def test_a_process_that_holds_a_lock_for_too_long_is_not_waited_for(tmp_path, monkeypatch):
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as holder, open(lock, "ab") as file:
        assert holder.stdout.readline() == "locked\n"
        waits = []
        monkeypatch.setattr(shared_cache, "_lock_file", lambda: file)
        monkeypatch.setattr(shared_cache, "MAX_WAIT", 0.1)
        monkeypatch.setattr(shared_cache.time, "sleep", waits.append)
        cache = shared_cache.SharedCache(start)
        assert cache.load_overload((), cpu_target.target_context) is None
        assert waits
        holder.communicate("\n")


def test_a_lock_that_cannot_be_made_is_not_waited_for(tmp_path, monkeypatch):
    (tmp_path / "lock").mkdir()
    monkeypatch.setattr(shared_cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(shared_cache, "_lock_file", shared_cache._lock_file.__wrapped__)
    monkeypatch.setattr(shared_cache.time, "sleep", lambda seconds: pytest.fail("waits for a lock"))
    assert shared_cache._lock_file() is None
    assert shared_cache.SharedCache(start).load_overload((), cpu_target.target_context) is None
