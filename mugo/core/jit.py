"""The decorators of compiled functions: numba's njit with a cache, and without the code that a function does not need.

    @kernel        called from Python, and by other compiled functions; runs without the interpreter's lock
    @subroutine    called by compiled functions

For every function numba also compiles one that takes its arguments from Python objects, and one with C's calling
convention.  A subroutine has neither, a kernel only the first: that is a third of the time that compiling takes.
"""
import functools
from collections.abc import Callable
from typing import Any

from numba import njit, typeof, types
from numba.extending import typeof_impl

_FOR_PYTHON: Any = {"no_cfunc_wrapper": True}            # options of numba's compiler that its type stubs lack
_FOR_COMPILED: Any = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}

kernel = njit(cache=True, nogil=True, **_FOR_PYTHON)


class Subroutine:
    """A compiled function that compiled functions call.  py_func: as it was written.  A call from Python, as tests
    make, compiles it for this process."""

    def __init__(self, function: Callable):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.dispatcher = njit(cache=True, **_FOR_COMPILED)(function)
        self._from_python: Callable | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self._from_python is None:
            self._from_python = njit(nogil=True)(self.py_func)
        return self._from_python(*arguments)


@typeof_impl.register(Subroutine)
def _typeof_subroutine(value: Subroutine, context: Any) -> types.Type:
    """To numba it is what it has compiled."""
    return typeof(value.dispatcher)


subroutine = Subroutine
