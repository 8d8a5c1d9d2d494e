"""The signals after which a game is still saved.

    SIGTERM, SIGHUP    the end of the input (EOFError), once
    SIGINT             KeyboardInterrupt, as Python has it
    all three          nothing, once the input has ended and while a game is saved

A terminal that is closed sends SIGHUP twice, milliseconds apart: an interactive shell passes on its own, and the kernel
sends another.
"""
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

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


def _ignore(*_: object) -> None:
    """A handler.  Of a signal that arrives just before its handler is SIG_IGN, Python prints an error."""


@contextlib.contextmanager
def _handlers(numbers: tuple[int, ...], handler: Callable[..., None]) -> Iterator[None]:
    """Set the handler of these signals, and at the end those of all SIGNALS as they were before.

    Does nothing outside the main thread, where Python sets no handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        for number in numbers:
            signal.signal(number, handler)
        yield
    finally:
        for number, old_handler in before.items():
            signal.signal(number, old_handler)
