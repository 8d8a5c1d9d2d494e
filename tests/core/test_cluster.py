"""Tasks on a Dask cluster: each result once, workers that are lost, and one clear line for what is wrong."""
import contextlib
import gc
import json
import logging
import os
import subprocess
import sys
import threading
import time

import pytest

pytest.importorskip("distributed")

import cluster_tasks as tasks

from mugo.core import cluster
from mugo.cli.main import main
from mugo.core.cluster import open_cluster
from mugo.core.files import BadInput
from mugo.core.parallel import completed, open_executor, ordered_map


@pytest.fixture(scope="module")
def address():
    with tasks.local_cluster(2) as local:
        yield local.scheduler_address


def test_results_are_those_of_this_machine_and_in_order(address):
    with open_executor(scheduler=address) as executor:
        assert executor.capacity == 2
        assert list(ordered_map(executor, tasks.square, range(30))) == [i * i for i in range(30)]
        assert sorted(completed(executor, tasks.square, range(30))) == [i * i for i in range(30)]
        assert len(set(ordered_map(executor, tasks.process_id, range(20))) - {os.getpid()}) == 2


def test_a_task_whose_worker_is_killed_is_run_again_and_counts_once(address, tmp_path):
    with open_executor(scheduler=address) as executor:
        items = [(tmp_path / "killed", i) for i in range(12)]
        assert list(ordered_map(executor, tasks.kill_once, items)) == [i * i for i in range(12)]
    assert (tmp_path / "killed").exists()


def test_a_task_that_kills_every_worker_is_named(address):
    with pytest.raises(BadInput, match=r"^game 17: 2 workers were lost while they worked on it"):
        with open_executor(scheduler=address) as executor:
            executor.submit(tasks.kill, "game 17").result()


def test_an_error_of_the_worker_names_it_and_the_file(address, tmp_path):
    with open_executor(scheduler=address) as executor:
        with pytest.raises(BadInput, match=rf"^worker tcp://\S+: {tmp_path}/none: No such file or directory: all "
                                            "workers must see it under the same path$"):
            executor.submit(tasks.fail, tmp_path / "none").result()


def test_what_has_not_begun_is_cancelled_when_the_block_raises(address, tmp_path):
    (block := tmp_path / "block").touch()
    with pytest.raises(KeyboardInterrupt), open_executor(scheduler=address) as executor:
        running = [executor.submit(tasks.sleep_while, block) for _ in range(2)]
        waiting = [executor.submit(tasks.log_and_square, (tmp_path / "log", i)) for i in range(20)]
        raise KeyboardInterrupt
    assert all(future.cancelled() for future in [*running, *waiting])
    block.unlink()
    with open_executor(scheduler=address) as executor:
        assert list(ordered_map(executor, tasks.square, range(4))) == [0, 1, 4, 9]
    log = tmp_path / "log"
    assert not log.exists() or len(log.read_text().splitlines()) < 20        # those that workers had been given before


def test_nobody_listens(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    (tmp_path / "a.sgf").write_text("(;GM[1]SZ[9];B[aa];W[bb])")
    assert main(["review", str(tmp_path / "a.sgf"), "--fast", "-o", str(tmp_path / "out"),
                 "--scheduler", "tcp://127.0.0.1:9"]) == 2
    error, = capsys.readouterr().err.splitlines()
    assert error.startswith("mugo review: --scheduler tcp://127.0.0.1:9: no Dask scheduler answers there, expected an "
                            "address such as tcp://10.0.0.1:8786 (")
    for address in "here", "carrier-pigeon://1:2", "tcp://127.0.0.1:port":
        gc.collect()                     # a failed client that is collected while the next one starts deadlocks
        with pytest.raises(BadInput, match="no Dask scheduler answers"), open_cluster(address):
            pass


def test_a_worker_of_other_versions_is_named(address, monkeypatch):
    own = cluster.versions()
    monkeypatch.setattr(cluster, "versions", lambda: "mugo 0, python 3.11, numpy 1.0")
    with pytest.raises(BadInput, match=rf"^worker tcp://\S+ has {own}, and the command mugo 0, python 3.11, numpy 1.0: "
                                       "install the same versions$"):
        with open_executor(scheduler=address) as executor:
            list(ordered_map(executor, tasks.square, range(3)))


def test_a_worker_of_several_threads_is_refused():
    import distributed

    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as local:
        with pytest.raises(BadInput, match="runs 2 tasks in one process, expected 1: start it with --nthreads 1"):
            with open_executor(scheduler=local.scheduler_address) as executor:
                executor.submit(tasks.square, 3).result()


def test_a_scheduler_without_workers_is_told(monkeypatch):
    import distributed

    monkeypatch.setattr(cluster, "WAIT_SECONDS", 0.5)
    scheduler = {"cls": distributed.Scheduler, "options": {"host": "127.0.0.1", "port": 0, "dashboard": False}}
    with distributed.SpecCluster({}, scheduler, silence_logs=50) as local:
        with pytest.raises(BadInput, match="no worker has joined it in 0.5 seconds; start one with: dask worker"):
            with open_cluster(local.scheduler_address):
                pass


def test_the_scheduler_goes_while_units_run(tmp_path):
    (block := tmp_path / "block").touch()
    file = tmp_path / "scheduler.json"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    programs = [[sys.executable, "-m", f"distributed.cli.dask_{role}", "--scheduler-file", str(file), *options]
                for role, options in (("scheduler", ["--port", "0", "--no-dashboard"]),
                                      ("worker", ["--nthreads", "1", "--no-nanny", "--no-dashboard"]))]
    with contextlib.ExitStack() as stack:
        scheduler, worker = (stack.enter_context(subprocess.Popen(program, env=environment, cwd=tmp_path,
                                                                  stderr=subprocess.DEVNULL)) for program in programs)
        stack.callback(worker.kill)
        stack.callback(scheduler.kill)
        while not file.exists() or not file.read_text().endswith("}"):
            assert scheduler.poll() is None
            time.sleep(0.05)
        with pytest.raises(BadInput, match=r"the scheduler has gone; the same command continues .* \(selfplay with "
                                           r"--resume\)"):
            with open_executor(scheduler=json.loads(file.read_text())["address"]) as executor:
                future = executor.submit(tasks.sleep_while, block)
                threading.Timer(0.5, scheduler.kill).start()
                future.result(60)
    assert not logging.getLogger("distributed.client").isEnabledFor(logging.ERROR)


def test_local_numbers_and_a_scheduler_exclude_each_other(capsys, tmp_path):
    (tmp_path / "a.sgf").write_text("(;GM[1]SZ[9];B[aa];W[bb])")
    assert main(["review", str(tmp_path / "a.sgf"), "--jobs", "2", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert capsys.readouterr().err == ("mugo review: --jobs is for this machine; with --scheduler every worker of the "
                                       "cluster takes part\n")
