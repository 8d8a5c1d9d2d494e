"""A second process that compiles what a search needs, in the first start on a machine.

    this process     legal moves, ...   what a search calls by address, the first first -->  kernels of the tree
    the other one    kernels of the tree, with nothing to do   what a search calls by address, the last first -->

Each function is compiled by one of them: core.shared_cache.  The other one ends with this process, however that ends:
it reads from a pipe, which is closed then.
"""
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from numba.core.event import Event, Listener, register, unregister

import mugo
from mugo.core.machine import available_cores
from mugo.core.shared_cache import CAN_SHARE
from mugo.games.addresses import address_of
from mugo.games.game import new_game
from mugo.games.position import BasePosition
from mugo.mcts.formulas import called_by_address
from mugo.mcts.records import MAX_DEPTH
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

# Not `-m`, nor `-c` alone: they put the current folder, where anybody's random.py may lie, in front of sys.path.
_PROGRAM = f"import sys; sys.path.append(sys.argv[1]); from {__name__} import main; main()"
_COMMAND = [sys.executable, "-P", "-c", _PROGRAM, str(Path(mugo.__file__).parents[1])]
_EDGES = 2000             # of a tree that is not searched


class _Starter(Listener):
    """Starts the process when numba first compiles a function."""

    def __init__(self, argument: str):
        self._argument = argument
        self.process: subprocess.Popen | None = None

    def on_start(self, event: Event) -> None:
        if self.process is None:
            self.process = subprocess.Popen([*_COMMAND, self._argument], stdin=subprocess.PIPE,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def on_end(self, event: Event) -> None: ...


@contextlib.contextmanager
def compiled_ahead(search: Search, start: BasePosition) -> Iterator[None]:
    """While the body makes the first searches from this position, have a second process compile, too, if there is
    something to compile and a core for it."""
    if not CAN_SHARE or available_cores() == 1:
        yield
        return
    settings = asdict(replace(search.settings, threads=1, max_edges=_EDGES, seed=None))
    has_value = None if search.network is None else search.network.has_value
    starter = _Starter(json.dumps([settings, has_value, start.game, start.shape]))
    register("numba:compile", starter)
    try:
        yield
    finally:
        unregister("numba:compile", starter)
        if starter.process is not None:
            with starter.process as process:             # which waits for it
                process.terminate()


def main() -> None:
    """The other process."""
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    compile_for(sys.argv[2])


def _end_with_stdin() -> None:
    os.read(0, 1)                        # sys.stdin would be locked when the interpreter ends
    os._exit(0)


def compile_for(argument: str) -> None:
    """Compile what a search calls, given as JSON by `compiled_ahead`."""
    settings, has_value, game, shape = json.loads(argument)
    start = new_game(game, tuple(shape))
    search = Search(Settings(**settings), None if has_value is None else SimpleNamespace(has_value=has_value))
    if search.network is not None:
        search.growth.set_root(start, start.board[0], np.zeros(start.plies + MAX_DEPTH, np.uint64), None)
    search.growth.grow(0)
    for function, signature in reversed(called_by_address(search.tree.params, game).values()):
        address_of(function, signature)
