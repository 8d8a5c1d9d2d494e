"""Layers of a network on one core, as the page without a server computes them (steps.py).  Compiled.

A tensor of the board has a row for each point, in reading order, and `filters` columns, a multiple of 8.  Before the
first row is one of zeros, which convolutions take outside the board; after the last are one to four without meaning,
until there is a multiple of 4.

    int16      uint8 less its zero point (onnx_graph.Scale): padding is 0, and products of pairs fit 32 bits
    float32    what is not quantised

WebAssembly has one instruction for what `_convolve_group` computes: products of int16, added in pairs
(i32x4.dot_i16x8_s).
"""
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from mugo.core.jit import kernel

ROWS, COLUMNS = 4, 8                     # of what is summed in registers at a time
ENTRY = 1 + ROWS                         # numbers of an entry of a convolution's table
SPOTS = 16                               # of a tile, 4 by 4 points
TILE = SPOTS + 4                         # numbers of a tile in a table
TILES = 28                               # that are between two transforms
DOT = "mugo_dot_i16x8"

_I32, _I64, _HALF, _FLOAT = ir.IntType(32), ir.IntType(64), ir.IntType(16), ir.FloatType()
_VECTOR, _PAIRS, _FLOATS = ir.VectorType(_I32, 4), ir.VectorType(_HALF, 8), ir.VectorType(_FLOAT, 4)


def _shuffle(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, indices: list[int]) -> ir.Value:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_I32, len(indices)), indices))


def _splat(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    vector = ir.VectorType(value.type, 4)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(_I32, 0))
    return _shuffle(builder, one, one, [0] * 4)


def _dot(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Sums of the products of pairs, <8 x i16> twice to <4 x i32>, by a function that kernels/webassembly.py
    replaces."""
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_VECTOR, [_PAIRS] * 2), DOT)
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        for attribute in "noinline", "nounwind":
            function.attributes.add(attribute)
        inside = ir.IRBuilder(function.append_basic_block())
        products = inside.mul(*(inside.sext(each, ir.VectorType(_I32, 8)) for each in function.args))
        inside.ret(inside.add(*(_shuffle(inside, products, products, list(range(first, 8, 2))) for first in range(2))))
    return builder.call(function, [a, b])


class _Emitter:
    """Emits the code of an intrinsic, with these arguments of it."""

    def __init__(self, context: Any, builder: ir.IRBuilder, signature: Signature, args: tuple):
        self.context, self.builder, self.kinds, self.args = context, builder, signature.args, args

    def pointer(self, i: int, kind: ir.Type, at: ir.Value | None = None) -> ir.Value:
        """To the item `at` of an argument, an array of such numbers."""
        array = self.context.make_array(self.kinds[i])(self.context, self.builder, self.args[i])
        start = self.builder.bitcast(array.data, kind.as_pointer())
        return start if at is None else self.builder.gep(start, [at])

    def load(self, start: ir.Value, kind: ir.Type, index: ir.Value | int = 0) -> ir.Value:
        place = self.builder.gep(start, [_I32(index) if isinstance(index, int) else index])
        loaded = self.builder.load(self.builder.bitcast(place, kind.as_pointer()))
        loaded.align = 2
        return loaded

    def store(self, value: ir.Value, start: ir.Value, index: ir.Value) -> None:
        place = self.builder.gep(start, [index])
        self.builder.store(value, self.builder.bitcast(place, value.type.as_pointer())).align = 2

    def sums(self, weights: ir.Value, pairs: ir.Value, rows: Callable[[ir.Value], tuple[ir.Value, list[ir.Value]]],
             first: ir.Value, last: ir.Value) -> list[ir.Value]:
        """The sums of ROWS rows times COLUMNS filters, two <4 x i32> for each row, over entries from first to last.
        rows: for an entry where its weights begin, and its rows."""
        builder = self.builder
        taps, products, next_tap, done = (builder.append_basic_block(name) for name in (
            "taps", "products", "next_tap", "done"))
        before = builder.block
        builder.branch(taps)

        builder.position_at_end(taps)
        tap, outer = builder.phi(_I32), [builder.phi(_VECTOR) for _ in range(2 * ROWS)]
        at, inputs = rows(tap)
        weights = builder.gep(weights, [at])
        builder.branch(products)

        builder.position_at_end(products)
        k, inner = builder.phi(_I32), [builder.phi(_VECTOR) for _ in range(2 * ROWS)]
        of_filters = [self.load(weights, _PAIRS, builder.add(builder.mul(k, _I32(16)), _I32(8 * v))) for v in range(2)]
        added = []
        for i, row in enumerate(inputs):
            pair = builder.bitcast(_splat(builder, self.load(row, _I32, builder.mul(k, _I32(2)))), _PAIRS)
            added += [builder.add(inner[2 * i + v], _dot(builder, pair, of_filters[v])) for v in range(2)]
        following = builder.add(k, _I32(1))
        builder.cbranch(builder.icmp_signed("<", following, pairs), products, next_tap)
        for phi, start, again in ((k, _I32(0), following), *zip(inner, outer, added, strict=True)):
            phi.add_incoming(start, taps)
            phi.add_incoming(again, products)

        builder.position_at_end(next_tap)
        following = builder.add(tap, _I32(1))
        builder.cbranch(builder.icmp_signed("<", following, last), taps, done)
        zero = ir.Constant(_VECTOR, [0] * 4)
        for phi, start, again in ((tap, first, following), *zip(outer, [zero] * len(added), added, strict=True)):
            phi.add_incoming(start, before)
            phi.add_incoming(again, next_tap)
        builder.position_at_end(done)
        return added

    def rounded(self, sums: Sequence[ir.Value], bias: ir.Value, scale: ir.Value, low: ir.Value, high: ir.Value
                ) -> ir.Value:
        """(sums + bias) * scale of COLUMNS filters, rounded to low..high: <8 x i16> of two <4 x i32>."""
        builder, halves = self.builder, []
        rint = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_FLOATS, [_FLOATS]), "llvm.rint.v4f32")
        lowest, highest = _splat(builder, low), _splat(builder, high)
        for v, each in enumerate(sums):
            whole = builder.add(each, self.load(bias, _VECTOR, 4 * v))
            real = builder.fmul(builder.sitofp(whole, _FLOATS), self.load(scale, _FLOATS, 4 * v))
            least = builder.select(builder.fcmp_ordered(">", real, lowest), real, lowest)
            clipped = builder.select(builder.fcmp_ordered("<", least, highest), least, highest)
            halves.append(builder.fptosi(builder.call(rint, [clipped]), _VECTOR))
        return builder.trunc(_shuffle(builder, *halves, list(range(8))), _PAIRS)


@intrinsic
def _convolve_group(typingctx: Any, x: Any, table: Any, first: Any, last: Any, weights: Any, at_weights: Any,
                    pairs: Any, bias: Any, scale: Any, channel: Any, low: Any, high: Any, y: Any, at: Any, stride: Any
                    ) -> tuple[Signature, Any]:
    """A convolution for ROWS points and COLUMNS filters from `channel`: y[at + stride * i:], rounded to low..high.

    table: for each entry from first to last where its weights begin, after at_weights, and the rows of x.  weights: for
    each two inputs those of the first filter, of the second ...  bias, scale: one for each filter.
    """
    def generate(context: Any, builder: ir.IRBuilder, signature: Signature, args: tuple) -> ir.Value:
        emit = _Emitter(context, builder, signature, args)
        x, table = emit.pointer(0, _HALF), emit.pointer(1, _I32)

        def rows(tap: ir.Value) -> tuple[ir.Value, list[ir.Value]]:
            at, *points = (emit.load(table, _I32, builder.add(builder.mul(tap, _I32(ENTRY)), _I32(i)))
                           for i in range(ENTRY))
            return at, [builder.gep(x, [point]) for point in points]

        pairs, begin, end = (builder.trunc(args[i], _I32) for i in (6, 2, 3))
        sums = emit.sums(emit.pointer(4, _HALF, args[5]), pairs, rows, begin, end)
        bias, scale = emit.pointer(7, _I32, args[9]), emit.pointer(8, _FLOAT, args[9])
        y = emit.pointer(12, _HALF, args[13])
        for i in range(ROWS):
            emit.store(emit.rounded(sums[2 * i:2 * i + 2], bias, scale, args[10], args[11]), y,
                       builder.mul(args[14], _I64(i)))
        return context.get_dummy_value()

    return types.void(x, table, first, last, weights, at_weights, pairs, bias, scale, channel, low, high, y, at,
                      stride), generate


@intrinsic
def _multiply_group(typingctx: Any, v: Any, at_v: Any, weights: Any, at_weights: Any, pairs: Any, m: Any, at: Any,
                    stride: Any) -> tuple[Signature, Any]:
    """ROWS rows of v, one after the other, times COLUMNS filters: m[at + stride * i:], in int32."""
    def generate(context: Any, builder: ir.IRBuilder, signature: Signature, args: tuple) -> ir.Value:
        emit = _Emitter(context, builder, signature, args)
        v, m = emit.pointer(0, _HALF, args[1]), emit.pointer(5, _I32, args[6])
        pairs = builder.trunc(args[4], _I32)
        inputs = [builder.gep(v, [builder.mul(pairs, _I32(2 * i))]) for i in range(ROWS)]
        sums = emit.sums(emit.pointer(2, _HALF, args[3]), pairs, lambda _: (_I32(0), inputs), _I32(0), _I32(1))
        for i, each in enumerate(sums):
            emit.store(each, m, builder.add(builder.mul(args[7], _I64(i // 2)), _I64(4 * (i % 2))))
        return context.get_dummy_value()

    return types.void(v, at_v, weights, at_weights, pairs, m, at, stride), generate


def _transformed(lines: list[list[Any]], of_line: Callable[[list[Any]], list[Any]]) -> list[list[Any]]:
    """A matrix of vectors with each row transformed, then each column."""
    rows = [of_line(line) for line in lines]
    return [[*column] for column in zip(*(of_line([*line]) for line in zip(*rows, strict=True)), strict=True)]


@intrinsic
def _transform_tile(typingctx: Any, x: Any, tiles: Any, tile: Any, channel: Any, v: Any, at: Any, stride: Any
                    ) -> tuple[Signature, Any]:
    """COLUMNS inputs of a tile transformed: v[at + stride * i:] for each of SPOTS."""
    def generate(context: Any, builder: ir.IRBuilder, signature: Signature, args: tuple) -> ir.Value:
        emit = _Emitter(context, builder, signature, args)
        x, v = emit.pointer(0, _HALF, args[3]), emit.pointer(4, _HALF, args[5])
        tiles = emit.pointer(1, _I32, builder.mul(args[2], _I64(TILE)))
        taken = [emit.load(x, _PAIRS, emit.load(tiles, _I32, i)) for i in range(SPOTS)]
        found = _transformed([taken[i:i + 4] for i in range(0, SPOTS, 4)], lambda of: [
            builder.sub(of[0], of[2]), builder.add(of[1], of[2]), builder.sub(of[2], of[1]), builder.sub(of[1], of[3])])
        for i, each in enumerate(sum(found, [])):
            emit.store(each, v, builder.mul(args[6], _I64(i)))
        return context.get_dummy_value()

    return types.void(x, tiles, tile, channel, v, at, stride), generate


@intrinsic
def _finish_tile(typingctx: Any, m: Any, at: Any, stride: Any, tiles: Any, tile: Any, bias: Any, scale: Any,
                 channel: Any, low: Any, high: Any, y: Any) -> tuple[Signature, Any]:
    """COLUMNS filters of a tile's four points, of the products at m[at + stride * i:]."""
    def generate(context: Any, builder: ir.IRBuilder, signature: Signature, args: tuple) -> ir.Value:
        emit = _Emitter(context, builder, signature, args)
        m, y = emit.pointer(0, _I32, args[1]), emit.pointer(10, _HALF, args[7])
        tiles = emit.pointer(3, _I32, builder.mul(args[4], _I64(TILE)))
        bias, scale = emit.pointer(5, _I32, args[7]), emit.pointer(6, _FLOAT, args[7])

        def line(of: list[ir.Value]) -> list[ir.Value]:
            return [builder.add(builder.add(of[0], of[1]), of[2]), builder.sub(builder.sub(of[1], of[2]), of[3])]

        halves = []
        for half in range(2):
            taken = [emit.load(m, _VECTOR, builder.add(builder.mul(args[2], _I64(i)), _I64(4 * half)))
                     for i in range(SPOTS)]
            found = sum(_transformed([taken[i:i + 4] for i in range(0, SPOTS, 4)], line), [])
            halves.append([builder.ashr(each, ir.Constant(_VECTOR, [2] * 4)) for each in found])
        for i, sums in enumerate(zip(*halves, strict=True)):
            emit.store(emit.rounded(sums, bias, scale, args[8], args[9]), y, emit.load(tiles, _I32, SPOTS + i))
        return context.get_dummy_value()

    return types.void(m, at, stride, tiles, tile, bias, scale, channel, low, high, y), generate


@kernel
def convolve(x, table, starts, weights, pairs, bias, scale, low, high, y):
    """y = x convolved, in int16.

    x, y: int16, tensors of the board from their row of zeros.  table, starts: the entries of each four points:
    int32 (entries, ENTRY), and int32 (groups + 1,) where those of a group begin.  weights: int16, (filters / 8, taps,
    pairs, 8, 2).  pairs: half of the columns of x.  bias: int32 (filters,).  scale: float32 (filters,), of x's steps to
    y's.  low, high: of y, float32.
    """
    filters = len(bias)
    size = len(weights) // (filters // COLUMNS)
    for channel in range(0, filters, COLUMNS):
        for group in range(len(starts) - 1):
            _convolve_group(x, table, starts[group], starts[group + 1], weights, channel // COLUMNS * size, pairs, bias,
                            scale, channel, low, high, y, (1 + ROWS * group) * filters + channel, filters)


@kernel
def convolve_tiles(x, tiles, weights, pairs, bias, scale, low, high, v, m, y):
    """As `convolve`, 3x3, by tiles of 2x2 points: 16 products instead of 36 (Winograd's F(2x2, 3x3); Lavin and Gray
    2015, arXiv:1509.09308).  In whole numbers: weights are four times as large, and sums are divided by 4.

    tiles: int32 (tiles, TILE), a multiple of ROWS: the rows of 16 inputs, and of 4 outputs.  weights: int16, (16,
    filters / 8, pairs, 8, 2), transformed.  v, m: int16 (16, TILES, columns of x) and int32 (16, TILES, filters), for
    what is between.
    """
    filters, columns = len(bias), 2 * pairs
    for first in range(0, len(tiles) // TILE, TILES):
        count = min(TILES, len(tiles) // TILE - first)
        for tile in range(count):
            for channel in range(0, columns, COLUMNS):
                _transform_tile(x, tiles, first + tile, channel, v, tile * columns + channel, TILES * columns)
        for spot in range(SPOTS):
            for channel in range(0, filters, COLUMNS):
                for tile in range(0, count, ROWS):
                    _multiply_group(v, (spot * TILES + tile) * columns, weights, (spot * filters + channel) * columns,
                                    pairs, m, (spot * TILES + tile) * filters + channel, filters)
        for tile in range(count):
            for channel in range(0, filters, COLUMNS):
                _finish_tile(m, tile * filters + channel, TILES * filters, tiles, first + tile, bias, scale, channel,
                             low, high, y)


@kernel
def quantize(x, scale, low, high, y):
    """y, int16, = x in steps, rounded to low..high."""
    for i in range(len(x)):
        y[i] = np.int16(min(max(np.rint(x[i] / scale), low), high))


@kernel
def dequantize(x, scale, y):
    for i in range(len(x)):
        y[i] = np.float32(x[i]) * scale


@kernel
def add(a, b, floor, y):
    """y = a + b, at least `floor`; b may be one row, for all."""
    for row in range(len(a)):
        for i in range(a.shape[1]):
            y[row, i] = max(a[row, i] + b[row if len(b) > 1 else 0, i], floor)


@kernel
def pool(x, means, maxima):
    """Mean and maximum of each column."""
    means[:] = 0
    maxima[:] = -np.float32(np.inf)
    for row in range(len(x)):
        for i in range(x.shape[1]):
            means[i] += x[row, i]
            maxima[i] = max(maxima[i], x[row, i])
    for i in range(len(means)):
        means[i] /= np.float32(len(x))


@kernel
def pool_chains(x, first, share, y):
    """Mean and maximum, at least 0, of each column over the component of a point, side by side.  first: as
    planes.connected_components.  share: 1 / the points of its component, of each point."""
    columns = x.shape[1]
    y[:] = 0
    for p in range(len(first)):
        means, maxima, part = y[first[p], :columns], y[first[p], columns:], share[p]
        for i in range(columns):
            means[i] += x[p, i] * part
            maxima[i] = max(maxima[i], x[p, i])
    for p in range(len(first)):
        if first[p] != p:
            y[p] = y[first[p]]


@kernel
def plane(x, weights, bias, y):
    """A number for each point: the sum of a row's products with weights."""
    for p in range(len(y)):
        sums = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
        for i in range(0, len(weights), 4):
            sums = (sums[0] + x[p, i] * weights[i], sums[1] + x[p, i + 1] * weights[i + 1],
                    sums[2] + x[p, i + 2] * weights[i + 2], sums[3] + x[p, i + 3] * weights[i + 3])
        y[p] = sums[0] + sums[1] + (sums[2] + sums[3]) + bias


@kernel
def dense(x, weights, y):
    """y += x times weights."""
    for k in range(len(x)):
        if x[k] != 0:
            for i in range(len(y)):
                y[i] += x[k] * weights[k, i]
