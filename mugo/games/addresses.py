"""Compiled functions that other compiled functions call by their address.

Numba links all that a compiled function calls into it, and optimises it again at every level of a chain of calls.  What
a search calls of a game and of a formula is large, and only one game and one formula are in use.  By address it is
compiled once, alone, and only where it is needed; a call takes 5 ns more.

    SIGNATURE = types.void(BOARD_TYPE, types.int64)
    call_play = caller(SIGNATURE)                        compiled: call_play(address, b, p)
    address_of(play, SIGNATURE)                          Python: compiles `play`, or loads it from numba's cache
"""
import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from mugo.core.shared_cache import SharedCache
from mugo.games.board import BOARD

BOARD_TYPE = from_dtype(BOARD)


def caller(signature: Signature) -> Callable:
    """A function for kernels, (address, *arguments) -> result, that calls the function of this signature there.  No
    function is at address 0."""
    @intrinsic
    def call(typingctx: Any, address: types.Type, *arguments: types.Type) -> tuple[Signature, Callable]:
        def generate(context: Any, builder: ir.IRBuilder, _: Signature, values: list[ir.Value]) -> ir.Value:
            given = cgutils.unpack_tuple(builder, values[1])
            cast = [context.cast(builder, value, kind, wanted)
                    for value, kind, wanted in zip(given, arguments, signature.args, strict=True)]
            kinds = [context.get_value_type(wanted) for wanted in signature.args]
            function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
            return builder.call(builder.inttoptr(values[0], function.as_pointer()), cast)

        return signature.return_type(types.int64, types.StarArgTuple(arguments)), generate

    return call


@functools.cache
def _compiled(function: Callable, signature: Signature) -> Any:
    """The compiled function; it is kept, as its code would go with it."""
    compiled: Any = CFunc(function, (signature.args, signature.return_type), locals={}, options={})
    compiled._cache = SharedCache(function)
    compiled.compile()
    return compiled


def address_of(function: Any, signature: Signature) -> int:
    """The address of a compiled function's twin of this signature, for `caller`; valid as long as the process lives.
    function: what numba.njit returns."""
    return _compiled(function.py_func, signature).address
