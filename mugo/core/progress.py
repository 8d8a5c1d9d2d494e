"""Progress of long work, on stderr: a bar in a terminal or a notebook, plain lines in a log.

    terminal     38%|███▊      | 48.6k/128k [01:04<01:45, 757 positions/s, loss 2.310]       tqdm, redrawn in place
    log         mugo: 38 %, 48,640 of 128,000 positions, 757 positions/s, 01:04, 01:45 left, loss 2.310

A log gets at most one line in LOG_SECONDS, without carriage returns, and none from work that takes less.
"""
import contextlib
import sys
import time
from typing import TYPE_CHECKING, Self, TextIO, TypeAlias

from mugo.core.files import log_to_stderr

if TYPE_CHECKING:                        # a tenth of a second, which the first move of an engine need not wait for
    from tqdm import tqdm

LOG_SECONDS = 10
COMPILING = "getting ready; the first start on a machine compiles"
NOTICE_SECONDS = 3                       # of compiling, after which stderr shows it


def progress_bar(unit: str, total: float | None, initial: float = 0, *, scale: bool = False, smoothing: float = 0.1,
                 delay: float = 0) -> "ProgressBar":
    """A context manager that shows the progress of work.

    total: units of the whole work; None: not known.  initial: those done before.  unit: in the plural, say "games".
    scale: show 48,640 as 48.6k.  smoothing: the smoothing of the speed in a terminal, from 0, its mean, to 1, that of
    the last update.  delay: seconds before a bar is drawn.
    """
    if _redraws(sys.stderr):
        from tqdm import tqdm
        return tqdm(total=total, initial=initial, unit=unit if unit == "B" else f" {unit}", unit_scale=scale,
                    smoothing=smoothing, delay=delay)
    return ProgressLog(unit, total, initial, scale)


def _redraws(stream: TextIO | None) -> bool:
    """Whether a line on this stream can be drawn again: in a terminal, and in a notebook."""
    if type(stream).__module__ == "ipykernel.iostream":
        return True
    with contextlib.suppress(OSError, ValueError):       # of a closed stream
        return stream is not None and stream.isatty()
    return False


class ProgressLog(contextlib.AbstractContextManager["ProgressLog"]):
    """The part of tqdm's interface that MuGo uses, written as lines; parameters as in `progress_bar`."""

    def __init__(self, unit: str, total: float | None, initial: float = 0, scale: bool = False):
        self.unit, self.total, self.initial, self.n, self._scale = unit, total, initial, initial, scale
        self._postfix = ""
        self._start = self._last = time.monotonic()

    def update(self, n: float = 1) -> None:
        """Advance by n; writes a line if the last one is LOG_SECONDS old."""
        self.n += n
        now = time.monotonic()
        if now - self._last >= LOG_SECONDS:
            self._last = now
            log_to_stderr(self._line(now - self._start))

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        """Text that later lines end with.  refresh: as in tqdm."""
        self._postfix = text

    def write(self, text: str, file: TextIO | None = None) -> None:
        """Print a line, by default to stdout."""
        print(text, file=file or sys.stdout, flush=True)

    def close(self) -> None:
        """Nothing: as tqdm has it."""

    def __exit__(self, *_: object) -> None: ...

    def _line(self, seconds: float) -> str:
        from tqdm import tqdm
        speed = (self.n - self.initial) / seconds
        done = self._amount(self.n) if self.total is None else f"{self._number(self.n)} of {self._amount(self.total)}"
        parts = [done, f"{self._amount(round(speed, 2 if speed < 10 else None))}/s", tqdm.format_interval(seconds)]
        if self.total:
            parts.insert(0, f"{int(100 * self.n / self.total)} %")
        if speed > 0 and self.total is not None:
            parts.append(f"{tqdm.format_interval(max(0, self.total - self.n) / speed)} left")
        return ", ".join([*parts, *([self._postfix] if self._postfix else [])])

    def _number(self, value: float) -> str:
        from tqdm import tqdm
        return tqdm.format_sizeof(value) if self._scale else f"{value:,}"

    def _amount(self, value: float) -> str:
        return f"{self._number(value)}{self.unit if self.unit == 'B' else f' {self.unit}'}"


ProgressBar: TypeAlias = "tqdm | ProgressLog"


# ---- Compiling.  How many functions there will be depends on the player, the game and what the cache has: not known.

class CompileProgress:
    """A context manager: counts MuGo's functions that are compiled meanwhile, and shows them on stderr.

    number: of them so far; None before the first one, and afterwards.
    """
    number: int | None = None
    _begun = 0.0
    _bar: "ProgressBar | None" = None

    def __enter__(self) -> Self:
        _counting.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _counting.remove(self)
        self.number = None
        if self._bar is not None:
            self._bar.close()


_counting: list[CompileProgress] = []
_notices: list[str] = []                 # to say when the next function is compiled


def announce_compiling() -> None:
    """Say on stderr when MuGo first compiles in this process, which can take a minute without a sign of life."""
    _notices.append(COMPILING)


def report_compiling() -> None:
    """One of MuGo's functions is not in the cache, and is compiled now."""
    while _notices:
        log_to_stderr(_notices.pop())
    for each in _counting:
        if each.number is None:
            each.number, each._begun = 0, time.monotonic()


def report_compiled() -> None:
    """A function has been compiled."""
    for each in _counting:
        each.number = (each.number or 0) + 1
        if each._bar is not None:
            each._bar.update()
        elif time.monotonic() - each._begun >= NOTICE_SECONDS:
            log_to_stderr(COMPILING)
            each._bar = progress_bar("functions", None, each.number)
