// A network as steps (mugo/nn/steps.py), one position at a time, by the kernels of mugo/nn/int8_kernels.py.
//
//   bytes --> steps, arrays --> for a shape of boards: tensors, and a list of calls --> outputs of a position

const ROWS = 4, PAIR = 2, COLUMNS = 8, SPOTS = 16, TILES = 28;          // of int8_kernels.py
const ALIGNMENT = 64;                                   // of steps.py
const TILES_PAY = 0.8;                                  // products by tiles to those without
const TYPES = { int8: Int8Array, int32: Int32Array, float32: Float32Array };

/** A network for the kernels, of the bytes of its file. */
export class Steps {
  constructor(kernels, bytes) {
    this.kernels = kernels;
    const length = new DataView(bytes.buffer).getUint32(0, true);
    Object.assign(this, JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))));
    const start = Math.ceil((4 + length) / ALIGNMENT) * ALIGNMENT;
    for (const [name, [type, at, count]] of Object.entries(this.arrays)) {
      const array = kernels.array(type === "int8" ? "int16" : type, count);
      array.data.set(new TYPES[type](bytes.buffer, start + at, count));
      this.arrays[name] = array;
    }
  }

  /** The weights of a 3x3 convolution for tiles: int16 (16, filters / 8, pairs, 8, 2). */
  transformed(name, columns) {
    const key = `${name} tiles`;
    if (!(key in this.arrays)) {
      const { length } = this.arrays[name], size = columns * COLUMNS, all = length / 9;
      this.arrays[key] = this.kernels.array("int16", all * SPOTS);
      const { data: from } = this.arrays[name], { data: to } = this.arrays[key];
      const line = (a, b, c) => [2 * a, a + b + c, a - b + c, 2 * c];
      for (let i = 0; i < all; i += 1) {
        const at = Math.floor(i / size) * 9 * size + i % size;
        const rows = [0, 3, 6].map((tap) => line(from[at + tap * size], from[at + (tap + 1) * size], from[at + (tap + 2) * size]));
        for (let col = 0; col < 4; col += 1) {
          line(rows[0][col], rows[1][col], rows[2][col]).forEach((value, row) => { to[(4 * row + col) * all + i] = value; });
        }
      }
    }
    return this.arrays[key];
  }

  /** The outputs for a position, arrays that the next one overwrites: { policy, value, ... }.
      inputs: { nchw_q, komi, ... }, arrays; components: Int32Array. */
  run(rows, cols, inputs, components) {
    if (this.plan?.rows !== rows || this.plan.cols !== cols) {
      this.plan?.release();
      this.plan = new Plan(this, rows, cols);
    }
    return this.plan.run(inputs, components);
  }
}

/** The steps for boards of a shape. */
class Plan {
  constructor(network, rows, cols) {
    const { kernels, steps, tensors, outputs } = network;
    Object.assign(this, { network, kernels, rows, cols, points: rows * cols, groups: Math.floor(rows * cols / ROWS) + 1 });
    this.made = [];                      // all arrays
    this.free = new Map();               // type and length -> arrays of tensors that are not needed any more
    this.arrays = new Map();             // tensor -> its array
    this.first = this.array("int32", this.points);
    this.share = this.array("float32", this.points);
    this.tables = new Map();
    const last = new Map(steps.flatMap(({ x }, i) => x.map((name) => [name, i])));
    const kept = new Set(Object.values(outputs));
    const inputs = Object.keys(tensors).filter((name) => !steps.some(({ y }) => y === name));
    for (const name of inputs) this.make(name);
    this.calls = steps.map((step, i) => {
      const given = step.x.map((name) => this.arrays.get(name));
      this.make(step.y);
      const call = this[step.op](step, this.arrays.get(step.y), ...given);
      for (const name of new Set(step.x)) {
        if (last.get(name) === i && !kept.has(name) && !inputs.includes(name)) this.reuse(this.arrays.get(name));
      }
      return call;
    });
  }

  release() { for (const array of this.made) array.release(); }

  run(inputs, components) {
    const { first, share, points } = this;
    for (const [name, values] of Object.entries(inputs)) {
      const array = this.arrays.get(name);
      if (array) array.data.set(values, array.item === "int16" ? this.width(name) : 0);
    }
    if (components) {
      const sizes = new Uint16Array(points);
      for (const component of components) sizes[component] += 1;
      first.data.set(components);
      share.data.set(Array.from(components, (component) => 1 / sizes[component]));
    }
    for (const call of this.calls) call();
    return Object.fromEntries(Object.entries(this.network.outputs).map(([name, tensor]) => [name, this.arrays.get(tensor).data]));
  }

  // ---- tensors

  array(type, length) {
    const array = this.kernels.array(type, length);
    this.made.push(array);
    return array;
  }

  width(tensor) { return this.network.tensors[tensor][1]; }

  make(tensor) {
    const [kind, columns] = this.network.tensors[tensor];
    const isBoard = kind === "int16" || kind === "float32";
    const length = isBoard ? (1 + ROWS * this.groups) * columns
      : kind === "column" ? this.points : columns || this.points + 1;
    const type = kind === "int16" ? kind : "float32";
    this.arrays.set(tensor, this.free.get(`${type} ${length}`)?.pop() ?? this.array(type, length));
  }

  reuse(array) {
    const key = `${array.item} ${array.length}`;
    if (!this.free.has(key)) this.free.set(key, []);
    this.free.get(key).push(array);
  }

  /** The first rows of a tensor's array behind the row of zeros. */
  board(array, rows = ROWS * this.groups) {
    const columns = array.length / (1 + ROWS * this.groups);
    return array.part(columns, rows, columns);
  }

  constant(name) { return this.network.arrays[name]; }

  // ---- steps

  conv({ x: [x], width, dilation, low, high, w, b, scale }, y, given) {
    const columns = this.width(x);
    const tiles = width === 3 && this.tiles(dilation, columns, this.constant(b).length);
    if (tiles) {
      const [v, m] = [["int16", columns], ["int32", this.constant(b).length]].map(([type, n]) => this.between(type, SPOTS * TILES * n));
      return this.kernels.bind("convolve_tiles", given, tiles, this.network.transformed(w, columns), columns / PAIR,
        this.constant(b), this.constant(scale), low, high, v, m, y);
    }
    const [entries, starts] = this.table(width, dilation, columns);
    return this.kernels.bind("convolve", given, entries, starts, this.constant(w), columns / PAIR, this.constant(b),
      this.constant(scale), low, high, y);
  }

  /** What a convolution takes for each four points: its taps on the board, and the rows of x there; see int8_kernels.py. */
  table(width, dilation, columns) {
    const key = [width, dilation, columns].join();
    if (!this.tables.has(key)) {
      const { rows, cols, points } = this;
      const entries = [], starts = [0], middle = width >> 1;
      for (let group = 0; group < this.groups; group += 1) {
        for (let tap = 0; tap < width * width; tap += 1) {
          const of = Array.from({ length: ROWS }, (_, i) => {
            const point = ROWS * group + i;
            const row = Math.floor(point / cols) + dilation * (Math.floor(tap / width) - middle);
            const col = point % cols + dilation * (tap % width - middle);
            return point < points && row >= 0 && row < rows && col >= 0 && col < cols ? (1 + row * cols + col) * columns : 0;
          });
          if (of.some(Boolean)) entries.push(tap * columns * COLUMNS, ...of);
        }
        starts.push(entries.length / (1 + ROWS));
      }
      this.tables.set(key, [entries, starts].map((values) => {
        const array = this.array("int32", values.length);
        array.data.set(values);
        return array;
      }));
    }
    return this.tables.get(key);
  }

  /** The tiles of a 3x3 convolution: the rows of 16 inputs and of 4 outputs; null where they would take longer. */
  tiles(dilation, columns, filters) {
    const key = ["tiles", dilation, columns, filters].join();
    if (!this.tables.has(key)) {
      const { rows, cols, points } = this, table = [];
      const place = (row, col, outside, n) => (row >= 0 && row < rows && col >= 0 && col < cols ? 1 + row * cols + col : outside) * n;
      const starts = (length) => Array.from({ length }, (_, i) => i).filter((i) => i % (2 * dilation) < dilation);
      for (const row of starts(rows)) {
        for (const col of starts(cols)) {
          for (let i = 0; i < SPOTS; i += 1) table.push(place(row + ((i >> 2) - 1) * dilation, col + (i % 4 - 1) * dilation, 0, columns));
          for (let i = 0; i < 4; i += 1) table.push(place(row + (i >> 1) * dilation, col + i % 2 * dilation, 1 + points, filters));
        }
      }
      const size = SPOTS + 4;
      if (SPOTS * table.length / size > TILES_PAY * 9 * points) {
        this.tables.set(key, null);
      } else {
        while (table.length / size % ROWS) table.push(...Array(SPOTS).fill(0), ...Array(4).fill((1 + points) * filters));
        this.tables.set(key, this.array("int32", table.length));
        this.tables.get(key).data.set(table);
      }
    }
    return this.tables.get(key);
  }

  /** An array that a step fills and reads. */
  between(type, length) {
    const key = `between ${type} ${length}`;
    if (!this.tables.has(key)) this.tables.set(key, this.array(type, length));
    return this.tables.get(key);
  }

  quantize({ scale, low, high }, y, x) { return this.kernels.bind("quantize", flat(this.board(x)), scale, low, high,
      flat(this.board(y))); }

  dequantize({ scale }, y, x) { return this.kernels.bind("dequantize", flat(this.board(x)), scale, flat(this.board(y))); }

  add_board({ relu, x: [, name] }, y, a, b) {
    const isBoard = this.network.tensors[name][0] !== "vector";
    return this.kernels.bind("add", this.board(a), isBoard ? this.board(b) : b.part(0, 1, b.length), relu ? 0 : -Infinity,
      this.board(y));
  }

  pool({ parts, x: [x] }, y, given) {
    const columns = this.width(x);
    const maxima = parts === 2 ? y.part(columns, columns) : this.array("float32", columns);
    return this.kernels.bind("pool", this.board(given, this.points), y.part(0, columns), maxima);
  }

  pool_chains(_, y, x) { return this.kernels.bind("pool_chains", this.board(x), this.first, this.share, this.board(y)); }

  plane({ w, b }, y, x) { return this.kernels.bind("plane", this.board(x), this.constant(w), b, y); }

  dense({ x: [x], w, b, activation }, y, given) {
    const isVector = this.network.tensors[x][0] === "vector";
    const multiply = this.kernels.bind("dense", isVector ? given : flat(this.board(given, this.points)),
      this.constant(w).part(0, this.constant(w).length / y.length, y.length), y);
    const activate = { relu: (v) => Math.max(v, 0), elu: (v) => (v < 0 ? Math.exp(v) - 1 : v) }[activation];
    return () => {
      y.data.set(this.constant(b).data);
      multiply();
      if (activate) each(y, activate);
    };
  }

  affine({ scale, shift }, y, x) {
    const [by, plus] = [scale, shift].map((name) => this.constant(name));
    return () => {
      const [factors, terms, of] = [by.data, plus.data, x.data];
      each(y, (_, i) => Math.fround(of[i] * factors[i]) + terms[i]);
    };
  }

  concat(_, y, ...parts) {
    return () => { parts.reduce((at, part) => { y.data.set(part.data, at); return at + part.length; }, 0); };
  }

  add(_, y, a, b) { return () => { const [left, right] = [a.data, b.data]; each(y, (_v, i) => left[i] + right[i]); }; }

  divide(_, y, a, b) { return () => { y.data[0] = a.data[0] / b.data[0]; }; }

  sum(_, y, x) { return () => { y.data[0] = x.data.reduce((total, value) => total + value, 0); }; }

  tanh(_, y, x) { return () => { const of = x.data; each(y, (_v, i) => Math.tanh(of[i])); }; }

  softplus(_, y, x) { return () => { y.data[0] = Math.log1p(Math.exp(x.data[0])); }; }

  softmax(_, y, x) {
    return () => {
      const of = x.data, most = of.reduce((a, b) => Math.max(a, b));
      each(y, (_v, i) => Math.exp(of[i] - most));
      const total = y.data.reduce((sum, value) => sum + value, 0);
      each(y, (value) => value / total);
    };
  }
}

const flat = (array) => array.part(0, array.length);

function each(array, value) {
  const { data } = array;
  for (let i = 0; i < data.length; i += 1) data[i] = value(data[i], i);
}
