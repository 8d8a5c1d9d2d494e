// Networks in a tab: packed planes in, what the network says of them out, as nn/inference.py has it.
//
//   base + networks/networks.json              what each network is and plays (mugo/web/site.py writes it)
//   base + networks/NAME.packed                its steps (steps.js), in gzip, loaded when a board needs them: many web
//                                              servers do not compress such files

import { BadInput } from "./errors.js";
import { Steps } from "./steps.js";

const BITS = 8;
const KOMI_CLIP = 20;                    // as in nn/inference.py

const tables = new Map();                // base -> the promise of networks.json
const loaded = new Map();                // address of a network -> the promise of a Network

/** The row of networks.json for a board, { game, rows, cols, k, exactly, forSearch }; nothing else is loaded.  Throws where no
    network plays it. */
export async function networkInfo(base, board) {
  return rowFor((await tableOf(base)).networks, board);
}

/** The Network for a board, which computes by these kernels.  onBytes: called with the bytes loaded and their total.  Throws
    as networkInfo. */
export async function networkFor(base, board, kernels, onBytes = () => {}) {
  const info = await networkInfo(base, board);
  const key = base + info.file;
  if (!loaded.has(key)) {
    loaded.set(key, open(base, info, kernels, onBytes).catch((error) => { loaded.delete(key); throw error; }));
  }
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
function rowFor(networks, { game, rows, cols, k = 0, exactly = false, forSearch = false }) {
  if (game === "go") {
    const distance = ({ size }) => Math.abs(2 * size - rows - cols);
    return networks.filter((row) => row.game === "go" && (forSearch || !row.forSearch))
      .sort((a, b) => distance(a) - distance(b) || b.size - a.size || b.forSearch - a.forSearch)[0];
  }
  const found = networks.filter((row) => row.game === game);
  const row = !exactly && found.find((each) => each.size === rows && each.size === cols && each.k === k);
  if (row) return row;
  throw new BadInput(`there is no bundled network for Gomoku, ${exactly ? "exactly " : ""}${k} in a row, on ${cols}x${rows} `
    + `(only ${found.map(({ name }) => name).join(", ")}): name one with --network`);
}

async function open(base, info, kernels, onBytes) {
  const { rankNames } = await tableOf(base);
  let sum = 0;
  const bytes = await fetchPacked(new URL(`networks/${info.file}`, base), (count) => onBytes(sum += count, info.bytes));
  return new Network(info, rankNames, new Steps(kernels, bytes));
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

/** A network: the fields of a row of networks.json, and its steps. */
class Network {
  constructor(info, rankNames, steps) {
    Object.assign(this, info);
    this.rankNames = rankNames;
    this.steps = steps;
    this.trainedBias = info.bias && new Float32Array(Uint8Array.from(atob(info.bias), (c) => c.charCodeAt(0)).buffer);
    this.biases = new Map();             // shape -> the bias of its points
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

  /** What the network says of a position: { priors, value, ownership, scoreMean, scoreStdev }, undefined for what it has not.
      packed: its planes.  features: komi and colour.  people: Float32Array 75, null: unknown.  components: Int32Array. */
  evaluate({ rows, cols, packed, features: [komi, colour], people, components }) {
    const { policy, value, ownership, score_mean: mean, score_stdev: stdev } = this.steps.run(rows, cols, {
      nchw_q: unpack(packed), komi: [clip(komi, rows * cols + KOMI_CLIP)], colour: [colour],
      people: people ?? new Float32Array(75), point_bias: this.biasOf(rows, cols) }, components);
    return { priors: policy.slice(), value: value?.[0], ownership: ownership?.slice(), scoreMean: mean?.[0], scoreStdev: stdev?.[0] };
  }

  biasOf(rows, cols) {
    const key = [rows, cols].join();
    if (!this.biases.has(key)) this.biases.set(key, this.trainedBias ? fitBias(this.trainedBias, this.size, rows, cols) : []);
    return this.biases.get(key);
  }
}

const clip = (value, most) => Math.min(Math.max(value, -most), most);

/** Planes of 0 and 1 from packed ones: plane k of a point is bit k % 8 of byte k / 8 of it. */
function unpack(packed) {
  const planes = new Uint8Array(packed.length * BITS);
  packed.forEach((byte, at) => { for (let k = 0; k < BITS; k += 1) planes[at * BITS + k] = byte >> k & 1; });
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
