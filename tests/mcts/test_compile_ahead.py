"""The second process of the first start: it compiles what the first searches call, and nothing else."""
import json
import os
import time
from dataclasses import asdict
from subprocess import DEVNULL, PIPE
from types import SimpleNamespace

import pytest
from numba import njit
from numba.core.dispatcher import Dispatcher

from mugo.cli.bench import HashNetwork
from mugo.games.go import Position as Go
from mugo.games.gomoku import Position as Gomoku
from mugo.players.searcher import default_settings
from mugo.mcts import compile_ahead, formulas, scores, tree
from mugo.mcts.search import Search

NETWORK = SimpleNamespace(has_value=True)


def signatures():
    """The signatures with which each kernel of the tree is compiled, or loaded from the cache."""
    return {name: kernel.signatures for module in (scores, tree) for name, kernel in vars(module).items()
            if isinstance(kernel, Dispatcher) and kernel.__module__ == module.__name__}


@pytest.mark.parametrize("name, start", [("uct", Go(9)), ("mcts", Go(19)), ("uct", Gomoku(8)), ("mcts", Gomoku(8))])
def test_it_compiles_the_kernels_with_the_types_of_a_search(name, start):
    settings, network = default_settings(name, start.game), HashNetwork() if name == "mcts" else None
    argument = json.dumps([asdict(settings), network and True, start.game, start.shape])
    compile_ahead.compile_for(argument)
    assert len(signatures()["select_batch" if network else "simulate"]) == 1
    Search(settings, network).search(start, simulations=2)
    assert all(len(each) <= 1 for each in signatures().values())


@pytest.mark.parametrize("name, game, called", [
    ("uct", "go", {"select_child", "write_edges", "expand", "play", "forced_move", "roll_out",
                   "write_heuristic_priors"}),
    ("mcts", "go", {"select_child", "write_edges", "play", "forced_move", "roll_out", "write_planes"}),
    ("mcts", "gomoku", {"select_child", "write_edges", "play", "forced_move", "write_planes"})])
def test_what_a_search_calls_by_address(name, game, called):
    search = Search(default_settings(name, game), NETWORK if name == "mcts" else None)
    assert set(formulas.called_by_address(search.tree.params, game)) == called


@pytest.fixture
def started(monkeypatch):
    """The arguments of the processes started, and how each was ended."""
    processes = []

    class Process:
        def __init__(self, command, **streams):
            assert streams == {"stdin": PIPE, "stdout": DEVNULL, "stderr": DEVNULL}
            self.ended = []
            processes.append((json.loads(command[-1]), self.ended))

        def terminate(self):
            self.ended.append("terminated")

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.ended.append("awaited")

    monkeypatch.setattr(compile_ahead.subprocess, "Popen", Process)
    monkeypatch.setattr(compile_ahead, "CAN_SHARE", True)
    monkeypatch.setattr(compile_ahead, "available_cores", lambda: 2)
    return processes


def test_it_starts_when_something_is_compiled_and_ends_with_the_warm_up(started):
    settings = default_settings("uct", "go")
    with compile_ahead.compiled_ahead(Search(settings), Go(9)):
        pass
    assert started == []
    with compile_ahead.compiled_ahead(Search(settings), Go(9)):
        for n in range(2):
            njit(lambda x, n=n: x + n)(1)
        ((given, *rest), ended), = started
        assert not ended
    assert (given["rave"], given["threads"], rest) == (True, 1, [None, "go", [9, 9]])
    assert ended == ["terminated", "awaited"]


def test_the_process_runs_from_any_folder(tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit('not this one')")
    settings = default_settings("uct", "gomoku")
    argument = json.dumps([asdict(settings), None, "gomoku", [4, 4]])
    command = [*compile_ahead._COMMAND, argument]
    with compile_ahead.subprocess.Popen(command, cwd=tmp_path, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert (process.stdout.read(), process.stderr.read(), process.wait()) == (b"", b"", 0)


def test_the_process_ends_with_the_one_that_started_it(tmp_path):
    argument = json.dumps([asdict(default_settings("uct", "go")), None, "go", [9, 9]])
    with compile_ahead.subprocess.Popen([*compile_ahead._COMMAND, argument], stdin=PIPE,
                                        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}) as process:
        while not list(tmp_path.rglob("*.nbc")) and process.poll() is None:        # it has a minute to go
            time.sleep(0.1)
        process.stdin.close()
        assert process.wait(timeout=15) == 0
        assert len(list(tmp_path.rglob("*.nbc"))) < 30


def test_one_core_and_files_without_locks_have_no_second_process(started, monkeypatch):
    for name, value in ("available_cores", lambda: 1), ("CAN_SHARE", False):
        with monkeypatch.context() as changed:
            changed.setattr(compile_ahead, name, value)
            with compile_ahead.compiled_ahead(Search(default_settings("uct", "go")), Go(9)):
                njit(lambda x: x + 7)(1)
    assert started == []
