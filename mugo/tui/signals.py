"""Signals: Ctrl-C stops a search, and after any other a game is still saved.

    SIGINT             the end of a search that is under way; else KeyboardInterrupt, as Python has it
    SIGTERM, SIGHUP    the end of the input (EOFError), once
    all three          nothing, once the input has ended and while a game is saved

A terminal that is closed sends SIGHUP twice, milliseconds apart, from the shell and from the kernel.
"""
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import TextIO

from mugo.games.coords import format_gtp
from mugo.mcts.result import SearchResult

# Windows has no SIGHUP.
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
SIGNALS = (*ENDING, signal.SIGINT)


@contextlib.contextmanager
def end_input_on_signals() -> Iterator[None]:
    """Treat the first SIGTERM or SIGHUP as the end of the input, so that the game is saved; ignore what follows it."""
    def raise_eof(*_: object) -> None:
        for number in SIGNALS:
            signal.signal(number, _ignore)
        raise EOFError

    with _handlers(ENDING, raise_eof), contextlib.suppress(EOFError):
        yield


@contextlib.contextmanager
def ignore_signals() -> Iterator[None]:
    """Ignore SIGTERM, SIGHUP and SIGINT."""
    with _handlers(SIGNALS, _ignore):
        yield


@contextlib.contextmanager
def interruptible_search(out: TextIO) -> Iterator["SearchProgress"]:
    """Let Ctrl-C stop a search that gets `should_stop` and `on_progress`; a second one raises KeyboardInterrupt."""
    progress = SearchProgress(out)
    try:
        with _handlers((signal.SIGINT,), progress.interrupt, (signal.SIGINT,)):
            yield progress
    finally:
        progress.erase()
    if progress.should_stop():
        print("stopped; this is the best so far", file=out, flush=True)


class SearchProgress:
    """On a terminal, one line with the time, the simulations and the best move of a search."""

    def __init__(self, out: TextIO):
        self._out = out
        self._is_shown = self._is_stopped = False

    def interrupt(self, *_: object) -> None:
        if self._is_stopped:
            raise KeyboardInterrupt
        self._is_stopped = True

    def should_stop(self) -> bool:
        return self._is_stopped

    def on_progress(self, result: SearchResult) -> None:
        if self._out.isatty():
            self._is_shown = True
            best = result.moves[0]
            self._out.write(f"\r{result.seconds:.0f} s, {result.simulations:,} simulations, best move "
                            f"{format_gtp(best.point, result.position.shape)} ({best.win_rate:.0%})\x1b[K")
            self._out.flush()

    def erase(self) -> None:
        if self._is_shown:
            self._out.write("\r\x1b[K")


def _ignore(*_: object) -> None:
    """A handler.  Python prints an error if a signal arrives just before its handler becomes SIG_IGN."""


@contextlib.contextmanager
def _handlers(numbers: tuple[int, ...], handler: Callable[..., None], restored: tuple[int, ...] = SIGNALS
              ) -> Iterator[None]:
    """Set the handler of these signals, and at the end those of the signals `restored` as they were before; nothing
    outside the main thread, where Python sets no handlers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in restored}
    try:
        for number in numbers:
            signal.signal(number, handler)
        yield
    finally:
        for number, old_handler in before.items():
            signal.signal(number, old_handler)
