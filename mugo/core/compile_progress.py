"""How far compiling what a player needs is: on stderr, and for the page of `mugo web`.

    mugo: getting ready; the first start on a machine compiles
    mugo: 38 %, 61 of 160 functions, 6.1 functions/s, 00:10, 00:16 left      a bar in a terminal, see progress
"""
import os
import time
from pathlib import Path
from typing import Self

from numba.core.event import Event, Listener, register, unregister

from mugo.core.compile_cache import COMPILING
from mugo.core.files import log_to_stderr
from mugo.core.progress import progress_bar

FUNCTIONS = 160                          # that `mcts` needs, about; other players need fewer
NOTICE_SECONDS = 3                       # of compiling, after which stderr shows it
_EVENT = "numba:compile"


def _count_cached() -> int:
    """The functions in the cache, those that other processes have compiled included."""
    return sum(1 for _ in Path(os.environ["NUMBA_CACHE_DIR"]).glob("*/*.nbc"))


class CompileProgress(Listener):
    """A context manager: counts the functions that are compiled meanwhile, and shows them on stderr.

    share: of FUNCTIONS, from 0 to below 1; None before numba compiles one, and afterwards.
    """
    share: float | None = None

    def __init__(self):
        self._before = 0                                 # functions in the cache
        self._begun = 0.0
        self._bar = None

    def on_start(self, event: Event) -> None:
        if self.share is None:
            self.share, self._before, self._begun = 0.0, _count_cached(), time.monotonic()

    def on_end(self, event: Event) -> None:
        done = min(_count_cached() - self._before, FUNCTIONS - 1)
        self.share = done / FUNCTIONS
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif time.monotonic() - self._begun >= NOTICE_SECONDS:
            log_to_stderr(COMPILING)
            self._bar = progress_bar("functions", FUNCTIONS, done)

    def __enter__(self) -> Self:
        register(_EVENT, self)
        return self

    def __exit__(self, *_: object) -> None:
        unregister(_EVENT, self)
        self.share = None
        if self._bar is not None:
            self._bar.close()
