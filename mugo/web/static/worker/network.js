// Networks in a tab, on onnxruntime-web: packed planes in, what the network says of them out, as nn/inference.py has it.
//
//   base + networks/networks.json              what each network is and plays (mugo/web/site.py writes it)
//   base + networks/NAME.onnx.packed           its int8 graph, loaded when a board needs it
//   base + ort.mjs, ort.wasm.packed            the runtime, loaded with the first network
//
// Packed files are in gzip: many web servers do not compress them.

import { BadInput } from "./errors.js";

const BITS = 8;
const KOMI_CLIP = 20;                    // as in nn/inference.py

const tables = new Map();                // base -> the promise of networks.json
const loaded = new Map();                // address of a network -> the promise of a Network
let runtime = null;                      // the promise of onnxruntime-web

/** The row of networks.json for a board, { game, rows, cols, k, exactly }; nothing else is loaded.  Throws where no network
    plays it. */
export async function networkInfo(base, board) {
  return rowFor((await tableOf(base)).networks, board);
}

/** The Network for a board.  onBytes: called with the bytes loaded and their total, the runtime included.  Throws as
    networkInfo. */
export async function networkFor(base, board, onBytes = () => {}) {
  const info = await networkInfo(base, board);
  const key = base + info.file;
  if (!loaded.has(key)) loaded.set(key, open(base, info, onBytes).catch((error) => { loaded.delete(key); throw error; }));
  return loaded.get(key);
}

function tableOf(base) {
  if (!tables.has(base)) {
    const table = fetch(new URL("networks/networks.json", base)).then((response) => response.json());
    tables.set(base, table.catch((error) => { tables.delete(base); throw error; }));
  }
  return tables.get(base);
}

/** The row for a board, as bundled.bundled_name chooses it. */
function rowFor(networks, { game, rows, cols, k = 0, exactly = false }) {
  if (game === "go") {
    const distance = ({ size }) => Math.abs(2 * size - rows - cols);
    return networks.filter((row) => row.game === "go").sort((a, b) => distance(a) - distance(b) || b.size - a.size)[0];
  }
  const found = networks.filter((row) => row.game === game);
  const row = !exactly && found.find((each) => each.size === rows && each.size === cols && each.k === k);
  if (row) return row;
  throw new BadInput(`there is no bundled network for Gomoku, ${exactly ? "exactly " : ""}${k} in a row, on ${cols}x${rows} `
    + `(only ${found.map(({ name }) => name).join(", ")}): name one with --network`);
}

async function open(base, info, onBytes) {
  const { runtimeBytes, rankNames } = await tableOf(base);
  const total = info.bytes + (runtime ? 0 : runtimeBytes);
  let sum = 0;
  const count = (bytes) => onBytes(sum += bytes, total);
  runtime ??= openRuntime(base, count).catch((error) => { runtime = null; throw error; });
  const [ort, graph] = await Promise.all([runtime, fetchPacked(new URL(`networks/${info.file}`, base), count)]);
  const options = { executionProviders: ["wasm"], graphOptimizationLevel: "all" };
  return new Network(info, rankNames, ort, await ort.InferenceSession.create(graph, options));
}

/** onnxruntime-web, on one thread: more need headers that most web servers do not send. */
async function openRuntime(base, count) {
  const [ort, wasm] = await Promise.all([import(new URL("ort.mjs", base)), fetchPacked(new URL("ort.wasm.packed", base), count)]);
  Object.assign(ort.env.wasm, { numThreads: 1, proxy: false, wasmBinary: wasm });
  return ort;
}

/** The content of a packed file.  count: called with the bytes of each part that has come. */
async function fetchPacked(url, count) {
  const response = await fetch(url);
  if (!response.ok) throw new BadInput(`${url.pathname} could not be loaded: ${response.status}`);
  const counted = new TransformStream({ transform(part, to) {
    count(part.length);
    to.enqueue(part);
  } });
  return new Uint8Array(await new Response(response.body.pipeThrough(counted).pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

/** A network: the fields of a row of networks.json, and its session. */
class Network {
  constructor(info, rankNames, ort, session) {
    Object.assign(this, info);
    this.rankNames = rankNames;
    this.ort = ort;
    this.session = session;
    this.trainedBias = info.bias && new Float32Array(Uint8Array.from(atob(info.bias), (c) => c.charCodeAt(0)).buffer);
    this.last = Promise.resolve();       // a session runs one batch at a time
  }

  /** The input for two players of a rank, "3d" for instance: thermometers of both, nothing of source and year. */
  peopleOf(rank) {
    const reached = this.rankNames.indexOf(/^[1-9]p$/.test(rank) ? "pro" : rank);
    if (reached < 0) throw new BadInput(`rank '${rank}': must be such as 5k, 3d, 9p or pro`);
    const [weakest] = this.ranks;
    if (reached < this.rankNames.indexOf(weakest)) {
      throw new BadInput(`${this.name} has learned from players of ${weakest} and stronger, and does not know how ${rank} plays`);
    }
    const people = new Float32Array(75);
    people.fill(1, 0, reached + 1);
    people.fill(1, this.rankNames.length, this.rankNames.length + reached + 1);
    return people;
  }

  /** What the network says of n positions: { priors, values, ownership, scoreMean, scoreStdev }, null for what it has not.
      packed: Uint8Array n * points * bytes.  features: Float32Array 2n.  people: Float32Array 75n, null: unknown.
      components: Int32Array n * points. */
  evaluate({ n, rows, cols, packed, features, people, components }) {
    const { Tensor } = this.ort;
    const points = rows * cols;
    const make = {
      planes: () => new Tensor("uint8", unpack(packed, n * points, this.depth), [n, rows, cols, this.depth]),
      global_features: () => new Tensor("float32", features.map((value, i) => clip(value, i % 2 ? 1 : points + KOMI_CLIP)), [n, 2]),
      people: () => new Tensor("float32", people ? people.slice() : new Float32Array(75 * n), [n, 75]),
      components: () => new Tensor("int64", BigInt64Array.from(components, BigInt), [n, points]),
      point_bias: () => new Tensor("float32", fitBias(this.trainedBias, this.size, rows, cols), [points]),
    };
    const inputs = Object.fromEntries(this.inputs.map((name) => [name, make[name]()]));
    const run = this.last.then(() => this.session.run(inputs)).then((outputs) => this.named(outputs));
    this.last = run.catch(() => {});
    return run;
  }

  named(outputs) {
    const data = (name) => outputs[name]?.data ?? null;
    for (const name of Object.keys(outputs)) {
      if (!outputs[name].data.every(Number.isFinite)) {
        throw new BadInput(`${this.name}: its ${name} is NaN; the network is damaged, or its training diverged`);
      }
    }
    return { priors: data("policy"), values: data("value"), ownership: data("ownership"),
      scoreMean: data("score_mean"), scoreStdev: data("score_stdev") };
  }
}

const clip = (value, most) => Math.min(Math.max(value, -most), most);

/** Planes of 0 and 1 of some points from packed ones: plane k is bit k % 8 of byte k / 8 of a point. */
function unpack(packed, points, depth) {
  const planes = new Uint8Array(points * depth);
  const bytes = Math.ceil(depth / BITS);
  for (let point = 0, to = 0; point < points; point += 1) {
    for (let k = 0; k < depth; k += 1) planes[to++] = (packed[point * bytes + (k >> 3)] >> (k & 7)) & 1;
  }
  return planes;
}

/** The bias of each point for a board of another size, as nn/inputs.fit_bias. */
export function fitBias(bias, size, rows, cols) {
  const [firstRows, lastRows] = fitLines(size, rows);
  const [firstCols, lastCols] = fitLines(size, cols);
  const mean = (a, b) => Math.fround(Math.fround(a + b) / 2);
  const inRow = (row, col) => mean(bias[firstRows[row] * size + col], bias[lastRows[row] * size + col]);
  return Float32Array.from({ length: rows * cols }, (_, i) => {
    const [row, col] = [Math.floor(i / cols), i % cols];
    return mean(inRow(row, firstCols[col]), inRow(row, lastCols[col]));
  });
}

/** The two trained lines whose mean each of `count` lines takes. */
function fitLines(trained, count) {
  const first = [];
  const last = [];
  for (let line = 0; line < count; line += 1) {
    const near = Math.min(line, (trained - 1) >> 1);
    const far = Math.max(line + trained - count, trained >> 1);
    first.push(2 * line <= count - 1 ? near : far);
    last.push(2 * line >= count - 1 ? far : near);
  }
  return [first, last];
}
