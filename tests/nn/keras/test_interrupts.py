"""Ctrl-C during training takes effect between two steps, and is never lost."""
import contextlib
import signal

import pytest

from mugo.nn.keras.devices import Interrupt


@contextlib.contextmanager
def handler_of_ctrl_c(handler):
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Destroyed:
    """Ctrl-C comes while one is destroyed, where Python loses an exception."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_takes_effect_at_the_end_of_the_step():
    done = []
    with handler_of_ctrl_c(signal.default_int_handler):
        with pytest.raises(KeyboardInterrupt), Interrupt() as interrupt:
            for step in range(3):
                if step == 1:
                    Destroyed()
                done.append(step)
                interrupt.check()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert done == [0, 1]


def test_ctrl_c_after_the_last_step_is_not_lost():
    with handler_of_ctrl_c(signal.default_int_handler), pytest.raises(KeyboardInterrupt), Interrupt():
        Destroyed()


def test_a_second_ctrl_c_takes_effect_at_once():
    done = []
    with handler_of_ctrl_c(signal.default_int_handler), pytest.raises(KeyboardInterrupt), Interrupt():
        signal.raise_signal(signal.SIGINT)
        done.append(1)
        signal.raise_signal(signal.SIGINT)
        done.append(2)
    assert done == [1]


def test_an_ignored_ctrl_c_stays_ignored():
    """As a shell starts what runs in its background."""
    with handler_of_ctrl_c(signal.SIG_IGN):
        with Interrupt() as interrupt:
            signal.raise_signal(signal.SIGINT)
            interrupt.check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
