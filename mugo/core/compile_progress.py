"""How many of the functions that a player needs are compiled: on stderr, and for the page of `mugo web`.

    mugo: getting ready; the first start on a machine compiles
    mugo: 61 functions, 6.1 functions/s, 00:10                               a counter in a terminal, see progress

How many there will be is not known: it depends on the player, the game and what the cache already has.
"""
import os
import time
from pathlib import Path
from typing import Self

from numba.core.event import Event, Listener, register, unregister

from mugo.core.compile_cache import COMPILING
from mugo.core.files import log_to_stderr
from mugo.core.progress import progress_bar

NOTICE_SECONDS = 3                       # of compiling, after which stderr shows it
_EVENT = "numba:compile"


def _count_cached() -> int:
    """The functions in the cache, those that other processes have compiled included."""
    return sum(1 for _ in Path(os.environ["NUMBA_CACHE_DIR"]).glob("*/*.nbc"))


class CompileProgress(Listener):
    """A context manager: counts the functions that are compiled meanwhile, and shows them on stderr.

    number: of them so far; None before numba compiles one, and afterwards.
    """
    number: int | None = None

    def __init__(self):
        self._before = 0                                 # functions in the cache
        self._begun = 0.0
        self._bar = None

    def on_start(self, event: Event) -> None:
        if self.number is None:
            self.number, self._before, self._begun = 0, _count_cached(), time.monotonic()

    def on_end(self, event: Event) -> None:
        self.number = _count_cached() - self._before
        if self._bar is not None:
            self._bar.update(self.number - self._bar.n)
        elif time.monotonic() - self._begun >= NOTICE_SECONDS:
            log_to_stderr(COMPILING)
            self._bar = progress_bar("functions", None, self.number)

    def __enter__(self) -> Self:
        register(_EVENT, self)
        return self

    def __exit__(self, *_: object) -> None:
        unregister(_EVENT, self)
        self.number = None
        if self._bar is not None:
            self._bar.close()
