"""How many of the functions that a player needs are compiled: on stderr, and for the page of `mugo web`.

    mugo: getting ready; the first start on a machine compiles
    mugo: 61 functions, 6.1 functions/s, 00:10                               a counter in a terminal, see progress

How many there will be is not known: it depends on the player, the game and what the cache already has.
"""
import time
from typing import Protocol, Self

from mugo.core.files import log_to_stderr
from mugo.core.progress import progress_bar

COMPILING = "getting ready; the first start on a machine compiles"
NOTICE_SECONDS = 3                       # of compiling, after which stderr shows it


class _Watcher(Protocol):
    def on_start(self) -> None: ...
    def on_end(self) -> None: ...


_watchers: list[_Watcher] = []


def report_start() -> None:
    """One of MuGo's functions is not in the cache, and is compiled now."""
    for watcher in _watchers:
        watcher.on_start()


def report_end() -> None:
    """A function has been compiled."""
    for watcher in _watchers:
        watcher.on_end()


class _Notice:
    """Says once that MuGo compiles, before its first function."""
    is_given = False

    def on_start(self) -> None:
        if not self.is_given:
            log_to_stderr(COMPILING)
        self.is_given = True

    def on_end(self) -> None: ...


def announce_compiling() -> None:
    """Say on stderr when MuGo first compiles in this process, which can take a minute without a sign of life."""
    _watchers.append(_Notice())


class CompileProgress:
    """A context manager: counts the functions that are compiled meanwhile, and shows them on stderr.

    number: of them so far; None before the first one, and afterwards.
    """
    number: int | None = None

    def __init__(self):
        self._begun = 0.0
        self._bar = None

    def on_start(self) -> None:
        if self.number is None:
            self.number, self._begun = 0, time.monotonic()

    def on_end(self) -> None:
        self.number = (self.number or 0) + 1
        if self._bar is not None:
            self._bar.update()
        elif time.monotonic() - self._begun >= NOTICE_SECONDS:
            log_to_stderr(COMPILING)
            self._bar = progress_bar("functions", None, self.number)

    def __enter__(self) -> Self:
        _watchers.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _watchers.remove(self)
        self.number = None
        if self._bar is not None:
            self._bar.close()
