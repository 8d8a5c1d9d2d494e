"""The decorators of compiled functions: numba's njit with a cache, and without the code that a function does not need.

    @kernel        called from Python, and by other compiled functions; runs without the interpreter's lock
    @subroutine    called by compiled functions

For every function numba also compiles one that takes its arguments from Python objects, and one with C's calling
convention.  A subroutine has neither, a kernel only the first.  Numba also links all that a function calls into it,
optimises the whole, and makes machine code of it.  For a subroutine this is left out, as it happens again in the
kernels that call it.  Together this saves two fifths of the time that compiling takes.

What a search calls of a game and of a formula is large, and only one game and one formula are in use.  It is called by
its address, so that it is compiled once, alone, and only where it is needed; a call takes 5 ns more.

    SIGNATURE = types.void(BOARD_TYPE, types.int64)
    call_play = caller(SIGNATURE)                        compiled: call_play(address, b, p)
    address_of(play, SIGNATURE)                          Python: compiles `play`, or loads it from numba's cache
"""
import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from llvmlite import binding, ir
from numba import njit, typeof, types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.typing.templates import Signature
from numba.extending import intrinsic, typeof_impl

from mugo.core.shared_cache import SharedCache


def _cached(dispatcher: Any) -> Any:
    """What numba.njit returns, with the shared cache."""
    if hasattr(dispatcher, "_cache"):                    # not with NUMBA_DISABLE_JIT
        dispatcher._cache = SharedCache(dispatcher.py_func)
    return dispatcher


class _LibraryForLinking(JITCodeLibrary):
    """The code of a subroutine, as LLVM's unoptimised code for those that call it.  It overrides what numba does not
    document: without these methods numba would only take longer, and tests/core/test_jit.py would say so."""

    def _optimize_final_module(self) -> None: ...

    def _finalize_final_module(self) -> None:
        """Make machine code of a module that has only the variables through which numba finds a function's globals:
        numba sets them, and all modules share them."""
        code = self._final_module
        variables = ir.Module()
        for variable in code.global_variables:
            if variable.linkage == binding.Linkage.common:
                shared = ir.GlobalVariable(variables, ir.IntType(8).as_pointer(), variable.name)
                shared.linkage, shared.initializer = "common", ir.Constant(shared.value_type, None)
        self._final_module = binding.parse_assembly(str(variables))
        self._final_module.triple, self._final_module.data_layout = code.triple, code.data_layout
        super()._finalize_final_module()
        self._final_module = code


class _SubroutineCompiler(Compiler):
    """Numba's compiler, with such a library."""

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any):
        library = _LibraryForLinking(target_context.codegen(), "subroutine")
        library.enable_object_caching()
        super().__init__(typing_context, target_context, library, *rest)


_FOR_PYTHON: Any = {"no_cfunc_wrapper": True}            # options of numba's compiler that its type stubs lack
_FOR_COMPILED: Any = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True} | (
    {"pipeline_class": _SubroutineCompiler} if sys.platform == "linux" else {})      # not tried elsewhere


def kernel(function: Callable) -> Any:
    """A compiled function that Python also calls; numba's dispatcher."""
    return _cached(njit(nogil=True, **_FOR_PYTHON)(function))


class Subroutine:
    """A compiled function that compiled functions call.  py_func: as it was written.  A call from Python, as tests
    make, compiles it once more, and this is cached by another name."""

    def __init__(self, function: Callable):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.dispatcher = _cached(njit(**_FOR_COMPILED)(function))
        self._from_python: Any = None

    def __call__(self, *arguments: Any) -> Any:
        if self._from_python is None:
            copy = FunctionType(self.py_func.__code__, self.py_func.__globals__, self.py_func.__name__,
                                self.py_func.__defaults__)
            copy.__qualname__, copy.__module__ = f"{self.py_func.__qualname__}.from_python", self.py_func.__module__
            self._from_python = kernel(copy)
        return self._from_python(*arguments)


@typeof_impl.register(Subroutine)
def _typeof_subroutine(value: Subroutine, context: Any) -> types.Type:
    """To numba it is what it has compiled."""
    return typeof(value.dispatcher)


subroutine = Subroutine


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
