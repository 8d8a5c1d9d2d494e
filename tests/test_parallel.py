"""Process pools: results in order, bounded memory, and workers that end with their parent."""
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from mugo.parallel import ordered_map, process_pool


def test_results_come_in_order_and_items_are_read_only_as_needed():
    read = []

    def items():
        for i in range(20):
            read.append(i)
            yield i

    def slow(i):
        time.sleep(0.002 * (i % 3))
        return i * i

    with ThreadPoolExecutor(3) as executor:
        for n, result in enumerate(ordered_map(executor, slow, items(), max_in_flight=4)):
            assert result == n * n
            assert len(read) <= n + 4
    assert n == 19


def test_a_process_pool_gives_the_same_results_as_a_thread():
    with process_pool(2) as executor:
        assert list(ordered_map(executor, abs, range(-5, 5), 2)) == [5, 4, 3, 2, 1, 0, 1, 2, 3, 4]
    with process_pool(1) as executor:
        assert list(ordered_map(executor, abs, range(-2, 2), 2)) == [2, 1, 0, 1]


def test_workers_end_when_their_parent_is_killed(tmp_path):
    program = tmp_path / "parent.py"
    program.write_text("import os, time\nfrom mugo.parallel import process_pool\n"
                       "if __name__ == '__main__':\n"
                       "    executor = process_pool(2)\n"
                       "    print(executor.submit(os.getpid).result(), flush=True)\n"
                       "    time.sleep(60)\n")
    parent = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and os.path.exists(f"/proc/{worker}"):
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{worker}") or "State:\tZ" in open(f"/proc/{worker}/status").read()
