"""Progress and interruption of a search that a person waits for."""
import signal
import threading
from types import TracebackType
from typing import TextIO

from mugo.games.coords import format_gtp
from mugo.search.result import SearchResult


class SearchProgress:
    """A context in which Ctrl-C stops a search instead of the program.

    Pass `should_stop` and `on_progress` to the search.  On a terminal, `on_progress` shows the time, the simulations
    and the best move in one line, which is erased at the end.  A second Ctrl-C raises KeyboardInterrupt.
    stopped: whether Ctrl-C was pressed.
    """

    def __init__(self, out: TextIO):
        self.stopped = False
        self._out = out
        self._is_shown = False

    def __enter__(self) -> "SearchProgress":
        if threading.current_thread() is threading.main_thread():        # only there may signal handlers be set
            self._old_handler = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._old_handler)
        if self._is_shown:
            self._out.write("\r\x1b[K")
        if self.stopped and error is None:
            print("stopped; this is the best so far", file=self._out, flush=True)

    def _interrupt(self, *_) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = True

    def should_stop(self) -> bool:
        return self.stopped

    def on_progress(self, result: SearchResult) -> None:
        if not self._out.isatty():
            return
        self._is_shown = True
        best = result.moves[0]
        self._out.write(f"\r{result.seconds:.0f} s, {result.simulations:,} simulations, best move "
                        f"{format_gtp(best.point, result.position.shape)} ({best.win_rate:.0%})\x1b[K")
        self._out.flush()
