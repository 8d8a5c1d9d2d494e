"""Ctrl-C while Keras trains."""
import signal
import threading
from types import TracebackType
from typing import Self

from mugo.nn.backend import keras


class InterruptCallback(keras.callbacks.Callback):
    """A context in which Ctrl-C takes effect between two training steps, as KeyboardInterrupt.

    Python raises KeyboardInterrupt wherever it is: in a destructor, where it is lost, or under C++ code of the backend,
    which aborts the process.  A second Ctrl-C raises it at once, for a first step that is still being compiled.
    """

    def __init__(self):
        super().__init__()
        self.requested = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():        # only there may signal handlers be set
            self._before = signal.getsignal(signal.SIGINT)
            if self._before == signal.default_int_handler:               # not where it is ignored
                signal.signal(signal.SIGINT, self._request)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._before)
        if error is None:
            self.raise_if_requested()

    def on_train_batch_end(self, batch, logs=None):
        self.raise_if_requested()

    def on_epoch_end(self, epoch, logs=None):
        self.raise_if_requested()

    def raise_if_requested(self) -> None:
        """Between two steps of a training loop that is not Keras's."""
        if self.requested:
            raise KeyboardInterrupt

    def _request(self, *_: object) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
