"""A second process that compiles what a search needs, in the first start on a machine.

    this process     legal moves, ...   what a search calls by address, the first first -->  kernels of the tree
    the other one    kernels of the tree, with nothing to do   what a search calls by address, the last first -->

Each function is compiled by one of them: core.shared_cache.
"""
import contextlib
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from numba.core.event import Event, Listener, register, unregister

from mugo.core.machine import available_cores
from mugo.core.shared_cache import CAN_SHARE
from mugo.games.addresses import address_of
from mugo.games.position import BasePosition
from mugo.search.formulas import called_by_address
from mugo.search.records import MAX_DEPTH
from mugo.search.search import Search

_COMMAND = f"from {__name__} import main; main()"
_EDGES = 2000             # of a tree that is not searched


class _Starter(Listener):
    """Starts the process when numba first compiles a function."""

    def __init__(self, arguments: bytes):
        self._arguments = arguments
        self.process: subprocess.Popen | None = None

    def on_start(self, event: Event) -> None:
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, "-c", _COMMAND], stdin=subprocess.PIPE,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            assert self.process.stdin is not None
            with contextlib.suppress(OSError), self.process.stdin as stdin:
                stdin.write(self._arguments)

    def on_end(self, event: Event) -> None: ...


@contextlib.contextmanager
def compiled_ahead(search: Search, start: BasePosition) -> Iterator[None]:
    """While the body makes the first searches from this position, have a second process compile, too, if there is
    something to compile and a core for it."""
    if not CAN_SHARE or available_cores() == 1:
        yield
        return
    network = search.network and SimpleNamespace(has_value=search.network.has_value)
    settings = replace(search.settings, threads=1, max_edges=_EDGES)
    starter = _Starter(pickle.dumps((settings, network, start)))
    register("numba:compile", starter)
    try:
        yield
    finally:
        unregister("numba:compile", starter)
        if starter.process is not None:
            starter.process.terminate()
            starter.process.wait()


def main() -> None:
    """What the other process does."""
    settings, network, start = pickle.load(sys.stdin.buffer)
    search = Search(settings, network)
    if network is not None:
        search.growth.set_root(start, start.board[0], np.zeros(start.plies + MAX_DEPTH, np.uint64), None)
    search.growth.grow(0)
    for function, signature in reversed(called_by_address(search.tree.params, start.game).values()):
        address_of(function, signature)
