"""Atomic operations on the fields of a record, for threads that grow one tree.  Compiled.

    fetch_add(record, "field", n, shared)    add n, return the value before; for integers and floats
    lock(record), unlock(record)             a spin lock in the field "lock" (int64), 0 while it is free
    release_fence()                          what was written before it is seen before what is written after it,
    acquire_fence()                          by a thread that reads the second, calls this, and then reads the first

The field's name is a literal.  An atomic addition takes 20 times as long as a plain one, so it is plain where `shared`,
or for a lock record.shared, is false.  A thread that holds a lock must not raise: nothing would unlock it.
"""
import platform

from llvmlite import ir
from mugo.core.jit import subroutine
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _member(context, builder, record_type, record, field):
    """The LLVM pointer to a field of a record."""
    kind = context.get_value_type(record_type.typeof(field))
    return cgutils.get_record_member(builder, record, record_type.offset(field), kind)


@intrinsic(prefer_literal=True)
def fetch_add(typingctx, record, field, value, shared):
    """Add to a field of a record, atomically if it is shared; returns its value before.  A thread that reads the field,
    calls acquire_fence() and reads on sees what was written before the addition."""
    if not isinstance(record, types.Record) or not isinstance(field, types.StringLiteral):
        return None
    kind = record.typeof(field.literal_value)
    is_float = isinstance(kind, types.Float)

    def generate(context, builder, signature, arguments):
        pointer = _member(context, builder, record, arguments[0], field.literal_value)
        before = cgutils.alloca_once(builder, context.get_value_type(kind))
        with builder.if_else(arguments[3]) as (atomic, plain):
            with atomic:
                operation = "fadd" if is_float else "add"
                builder.store(builder.atomic_rmw(operation, pointer, arguments[2], "release"), before)
            with plain:
                add = builder.fadd if is_float else builder.add
                builder.store(builder.load(pointer), before)
                builder.store(add(builder.load(before), arguments[2]), pointer)
        return builder.load(before)

    return kind(record, field, kind, types.boolean), generate


@intrinsic
def _try_lock(typingctx, record):
    """Set the field "lock" to 1; returns whether it was 0."""
    def generate(context, builder, signature, arguments):
        free, taken = (context.get_constant(types.int64, value) for value in (0, 1))
        pointer = _member(context, builder, record, arguments[0], "lock")
        pair = builder.cmpxchg(pointer, free, taken, "acquire", "monotonic")
        return builder.extract_value(pair, 1)

    return types.boolean(record), generate


@intrinsic
def _is_taken(typingctx, record):
    """Whether the field "lock" is not 0, read anew."""
    def generate(context, builder, signature, arguments):
        pointer = _member(context, builder, record, arguments[0], "lock")
        return builder.icmp_signed("!=", builder.load_atomic(pointer, "monotonic", 8), ir.IntType(64)(0))

    return types.boolean(record), generate


@intrinsic
def _pause(typingctx):
    """Tell the processor that a thread waits in a loop, so that another on its core gets the time."""
    def generate(context, builder, signature, arguments):
        machine = platform.machine().lower()
        if machine in ("x86_64", "amd64"):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        elif machine in ("aarch64", "arm64"):            # the hint with number 1 is `yield`
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)])
            hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.aarch64.hint")
            builder.call(hint, [ir.IntType(32)(1)])
        return context.get_dummy_value()

    return types.none(), generate


@intrinsic
def _set_free(typingctx, record):
    """Set the field "lock" to 0."""
    def generate(context, builder, signature, arguments):
        pointer = _member(context, builder, record, arguments[0], "lock")
        builder.atomic_rmw("xchg", pointer, context.get_constant(types.int64, 0), "release")
        return context.get_dummy_value()

    return types.none(record), generate


def _fence(ordering):
    def generate(context, builder, signature, arguments):
        builder.fence(ordering)
        return context.get_dummy_value()

    return intrinsic(lambda typingctx: (types.none(), generate))


acquire_fence, release_fence = _fence("acquire"), _fence("release")


@subroutine
def lock(record):
    """Wait until no other thread has the lock, and take it."""
    if record.shared:
        while not _try_lock(record):
            while _is_taken(record):                     # reading leaves the cache line with its owner
                _pause()


@subroutine
def unlock(record):
    """Give the lock back; what was written under it is seen by the next thread that has it."""
    if record.shared:
        _set_free(record)
