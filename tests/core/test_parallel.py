"""Process pools: results in order, bounded memory, and workers that end with their parent."""
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from mugo.core.parallel import completed, open_executor, ordered_map


def test_processes_and_threads_give_the_same_results():
    with open_executor(2) as executor:
        assert list(ordered_map(executor, abs, range(-5, 5), 2)) == [5, 4, 3, 2, 1, 0, 1, 2, 3, 4]
        assert executor.submit(os.getpid).result() != os.getpid()
    with open_executor(1) as executor:
        assert list(ordered_map(executor, abs, range(-2, 2))) == [2, 1, 0, 1]
    with open_executor(2, threads=True) as executor:
        assert sorted(completed(executor, abs, range(-5, 5))) == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
        assert executor.submit(os.getpid).result() == os.getpid()


def test_completed_reads_items_only_as_needed_and_yields_what_is_done_first():
    read, first_may_end = [], threading.Event()

    def items():
        for i in range(30):
            read.append(i)
            yield i

    def work(i):
        if i == 0:
            assert first_may_end.wait(20)
        return i

    with open_executor(2, threads=True) as executor:
        results = completed(executor, work, items())
        assert next(results) != 0
        assert len(read) <= 4 * 2
        first_may_end.set()
        assert 0 in list(results)
    assert read == list(range(30))


def test_what_has_not_begun_is_cancelled_when_the_block_raises():
    begun, may_end = [], threading.Event()

    def work(i):
        begun.append(i)
        assert may_end.wait(20)

    with pytest.raises(KeyboardInterrupt), open_executor(1) as executor:
        futures = [executor.submit(work, i) for i in range(5)]
        while not begun:
            time.sleep(0.01)
        may_end.set()
        raise KeyboardInterrupt
    assert futures[4].cancelled() and 4 not in begun


def test_workers_end_when_their_parent_is_killed(tmp_path):
    program = tmp_path / "parent.py"
    program.write_text("import os, time\nfrom mugo.core.parallel import open_executor\n"
                       "if __name__ == '__main__':\n"
                       "    with open_executor(2) as executor:\n"
                       "        print(executor.submit(os.getpid).result(), flush=True)\n"
                       "        time.sleep(60)\n")
    parent = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and os.path.exists(f"/proc/{worker}"):
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{worker}") or "State:\tZ" in open(f"/proc/{worker}/status").read()
