// The compiled kernels (kernels.wasm) and their memory: records, arrays, calls.  kernels.json describes them.
//
//   kernels.call("play_go", board, 40, 1)       a record or an array is passed by its address, numbers as they are
//   kernels.record("BOARD")                     a record: board.to_play, board.colour[40]
//   kernels.array("int32", 2, 361)              an array: array.data[5]
//
// Views (`data`, `colour`) are made when they are asked for, as memory moves when it grows.  What a kernel allocates is
// taken back after the call.

const VIEWS = { int8: Int8Array, uint8: Uint8Array, bool: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
  float32: Float32Array, int64: BigInt64Array, uint64: BigUint64Array, float64: Float64Array };
const HEADER = 64;                       // bytes before what a kernel allocates: numba's record of it
const RETURNED = 128;                    // bytes for a result
const align = (n) => (n + 63) & ~63;

/** Kernels of the bytes of kernels.wasm, or of its module, and kernels.json. */
export async function loadKernels(module, description) {
  const kernels = new Kernels(description);
  const unknown = (name) => () => { throw new Error(`a kernel called ${name}`); };
  const provided = {
    log: Math.log, logf: (x) => Math.fround(Math.log(x)), atan: Math.atan, NRT_Free: () => {},
    NRT_MemInfo_alloc_aligned: (size) => kernels.allocate(Number(size)),
    NRT_MemInfo_new_varsize_dtor: (size) => kernels.allocate(Number(size)),
  };
  const env = new Proxy(provided, { get: (of, name) => of[name] ?? unknown(name) });
  const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
  const imports = Object.fromEntries(WebAssembly.Module.imports(compiled).map(({ name }) => [name, env[name]]));
  kernels.start((await WebAssembly.instantiate(compiled, { env: imports })).exports);
  return kernels;
}

export class Kernels {
  constructor(description) {
    this.description = description;
    this.constants = description.constants;
    this.types = Object.fromEntries(Object.entries(description.records).map(([name, of]) => [name, recordType(this, of)]));
    this.views = {};
    this.free = new Map();               // bytes -> addresses that may be used again
    this.used = 0;                       // up to where kernels have allocated
  }

  start(exports) {
    this.exports = exports;
    this.top = align(exports.__heap_base.value);
    const table = exports.__indirect_function_table;
    this.addresses = {};
    for (const name of this.description.called) {
      const at = table.grow(1);
      table.set(at, exports[`f_called_${name}`]);
      this.addresses[name] = at;
    }
    this.returned = this.take(RETURNED);
  }

  // ---- memory

  /** The view of all memory as items of a type. */
  view(type) {
    const { buffer } = this.exports.memory;
    const known = this.views[type];
    if (known?.buffer === buffer) return known;
    return this.views[type] = new VIEWS[type](buffer);
  }

  /** The address of n new bytes, zeros. */
  take(n) {
    const size = align(n || 8);
    const known = this.free.get(size)?.pop();
    const at = known ?? this.bump(size);
    const dirty = known ? at + size : Math.min(at + size, this.used);        // memory is zeros where nothing has been
    if (dirty > at) this.view("uint8").fill(0, at, dirty);
    return at;
  }

  /** Let bytes that were taken be taken again. */
  giveBack(at, n) {
    const size = align(n || 8);
    if (!this.free.has(size)) this.free.set(size, []);
    this.free.get(size).push(at);
  }

  bump(size) {
    const at = this.top;
    this.top += size;
    const missing = this.top - this.exports.memory.buffer.byteLength;
    if (missing > 0) this.exports.memory.grow(Math.ceil(missing / 65536) + 16);
    return at;
  }

  /** For numba: the address of its record of n bytes behind it. */
  allocate(n) {
    const at = this.bump(align(n + HEADER));
    this.used = Math.max(this.used, this.top);
    this.view("int64")[at >> 3] = 1n;
    this.view("uint32")[(at + 24) >> 2] = at + HEADER;
    this.view("int64")[(at + 32) >> 3] = BigInt(n);
    return at;
  }

  record(name, at = null) {
    const Type = this.types[name];
    return new Type(at ?? this.take(Type.size));
  }

  /** An array; item: a type of number, or the name of a record. */
  array(item, ...shape) {
    return new KernelArray(this, item, shape);
  }

  /** Working memory that kernels.json describes. */
  scratch(name) {
    return this.description.scratch[name].map(([size, shape]) => {
      const bytes = size * shape.reduce((a, b) => a * b, 1), at = this.take(bytes);
      return { flat: flatArray(at, size, shape), at, bytes };
    });
  }

  // ---- calls

  /** Call a kernel; returns its result: a number, a boolean, an array of numbers for a tuple, or an Int32Array. */
  call(name, ...given) {
    return this.bind(name, ...given)();
  }

  /** A function that calls a kernel with these arguments. */
  bind(name, ...given) {
    const { takes, gives } = this.description.functions[name];
    const kernel = this.exports[`f_${name}`];
    const args = [this.returned, this.returned + 64];
    takes.forEach((kind, i) => flatten(kind, given[i], args));
    return () => {
      const { top } = this;
      const status = kernel(...args);
      const result = this.result(gives);
      this.top = top;
      if (status !== 0 && status !== -2) throw new Error(`${name} failed with status ${status}`);
      return result;
    };
  }

  result(kind) {
    const at = this.returned;
    if (kind === "none") return undefined;
    if (kind === "bool") return this.view("uint8")[at] !== 0;
    if (kind === "float64") return this.view("float64")[at >> 3];
    if (kind === "uint64") return this.view("uint64")[at >> 3];
    if (Array.isArray(kind)) return kind.map((_, i) => Number(this.view("int64")[(at >> 3) + i]));
    if (kind.array) {
      const length = Number(this.view("int64")[(at >> 3) + 1]);
      const data = this.view("uint32")[(at >> 2) + 6];
      return this.view(kind.item).slice(data >> 2, (data >> 2) + length);
    }
    return Number(this.view("int64")[at >> 3]);
  }
}
VIEWS.uint32 = Uint32Array;

function flatten(kind, value, args) {
  if (Array.isArray(kind)) value.forEach((each, i) => flatten(kind[i], each, args));
  else if (kind.array) args.push(...value.flat);
  else if (kind === "record") args.push(value.at);
  else if (kind === "bool") args.push(value ? 1 : 0);
  else if (kind.startsWith("float")) args.push(value);
  else args.push(BigInt(value));
}

/** The arguments that stand for a C-contiguous array. */
function flatArray(at, size, shape) {
  const strides = shape.map((_, i) => size * shape.slice(i + 1).reduce((a, b) => a * b, 1));
  const count = shape.reduce((a, b) => a * b, 1);
  return [0, 0, BigInt(count), BigInt(size), at, ...shape.map(BigInt), ...strides.map(BigInt)];
}

export class KernelArray {
  constructor(kernels, item, shape, at = null) {
    this.kernels = kernels;
    this.item = item;
    this.shape = shape;
    this.itemSize = kernels.types[item]?.size ?? VIEWS[item].BYTES_PER_ELEMENT;
    this.length = shape.reduce((a, b) => a * b, 1);
    this.at = at ?? kernels.take(this.length * this.itemSize);
    this.flat = flatArray(this.at, this.itemSize, shape);
  }

  /** The numbers; of an array of records its bytes. */
  get data() {
    const View = VIEWS[this.item] ?? Uint8Array;
    const bytes = this.length * this.itemSize;
    return new View(this.kernels.exports.memory.buffer, this.at, bytes / View.BYTES_PER_ELEMENT);
  }

  /** The record with a number, of an array of records. */
  record(i) {
    return this.kernels.record(this.item, this.at + i * this.itemSize);
  }

  /** Its items from one on, in this shape. */
  part(first, ...shape) {
    return new KernelArray(this.kernels, this.item, shape, this.at + first * this.itemSize);
  }

  /** The first n rows. */
  first(n) {
    return new KernelArray(this.kernels, this.item, [n, ...this.shape.slice(1)], this.at);
  }

  release() {
    this.kernels.giveBack(this.at, this.length * this.itemSize);
  }
}

/** A class for records: numbers are properties (integers of 64 bits as numbers, unsigned ones as BigInt), arrays of
    numbers views, records in it records. */
function recordType(kernels, { size, fields }) {
  class RecordOf {
    constructor(at) { this.at = at; }

    get bytes() { return kernels.view("uint8").subarray(this.at, this.at + size); }

    copyFrom(bytes) { this.bytes.set(bytes); }
  }
  RecordOf.size = size;
  for (const [name, [offset, type, count]] of Object.entries(fields)) {
    Object.defineProperty(RecordOf.prototype, name, typeof type === "object" ? nested(kernels, offset, type)
      : count > 1 ? { get() { return viewAt(kernels, type, this.at + offset, count); } } : number(kernels, offset, type));
  }
  return RecordOf;
}

function nested(kernels, offset, type) {
  const Type = recordType(kernels, type);
  return { get() { return new Type(this.at + offset); } };
}

const viewAt = (kernels, type, at, count) => new VIEWS[type](kernels.exports.memory.buffer, at, count);

function number(kernels, offset, type) {
  const size = VIEWS[type].BYTES_PER_ELEMENT;
  const at = (record) => (record.at + offset) / size;
  if (type === "int64") {
    return { get() { return Number(kernels.view(type)[at(this)]); }, set(value) { kernels.view(type)[at(this)] = BigInt(value); } };
  }
  return { get() { return kernels.view(type)[at(this)]; }, set(value) { kernels.view(type)[at(this)] = value; } };
}
