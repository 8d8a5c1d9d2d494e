"""Kernels and subroutines: what is compiled for Python, and what for compiled functions only."""
import numpy as np
import pytest
from llvmlite.binding import ObjectFileRef
from numba.core.caching import NullCache

from mugo.core.jit import kernel, subroutine
from mugo.games.board import is_stone


@subroutine
def twice(x):
    """Twice a number."""
    return 2 * x


@kernel
def twice_and_one(x):
    return twice(x) + 1


@subroutine
def checked(x):
    if x < 0:
        raise ValueError("negative")
    return x


@kernel
def twice_checked(x):
    return twice(checked(x))


def instructions(dispatcher):
    """How many bytes of instructions the object code of a function has, all that is linked into it included."""
    compiled, = dispatcher.overloads.values()
    sections = ObjectFileRef.from_data(compiled.library._get_compiled_object()).sections()
    return sum(section.size() for section in sections if section.is_text())


def test_machine_code_is_made_of_kernels_only():
    checked.dispatcher._cache = twice_checked._cache = NullCache()
    assert twice_checked(20) == 40
    with pytest.raises(ValueError, match="negative"):
        twice_checked(-1)
    assert instructions(twice_checked) > 0 == instructions(checked.dispatcher)


def test_a_kernel_calls_a_subroutine_and_so_does_python():
    assert twice_and_one(20) == 41
    assert twice(20) == 40 and twice(0.25) == 0.5
    assert twice.__name__ == "twice" and twice.py_func("a") == "aa"
    assert is_stone(np.int8(1)) and not is_stone(np.int8(0))     # of another module, from its cache
