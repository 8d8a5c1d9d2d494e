// Networks for positions: planes in, priors and values out.  mugo/nn/inference.py around network.js.

import { symmetries } from "./coords.js";

const MAX_POINTS = 1e6;
const REMEMBERED = 3000;                 // positions of each network; 5 kB each on 19x19

/** What a value depends on besides the board: Float32Array (n, 2). */
export function globalFeatures(whitePoints, toPlay) {
  return Float32Array.from(toPlay.flatMap((side, i) =>
    [Math.min(Math.max(-whitePoints[i] * side, -MAX_POINTS), MAX_POINTS), side]));
}

/** Packed planes of positions of one shape: Uint8Array. */
export function encode(positions, symmetry = 0) {
  const [{ engine, game, shape, area }] = positions;
  const bytes = area * (game === "go" ? 6 : 1);
  const packed = new Uint8Array(positions.length * bytes);
  const permutation = engine.kernels.array("int64", area + 1), out = engine.kernels.array("uint8", area, bytes / area);
  permutation.data.set(symmetries(shape)[symmetry].map(BigInt));
  positions.forEach((position, i) => {
    engine.load(position);
    engine.call("write_planes", engine.kernels.addresses[`write_planes_${game}`], engine.boards, engine.history,
      engine.scratch, permutation, out);
    packed.set(out.data, i * bytes);
  });
  permutation.release();
  out.release();
  return packed;
}

/** The networks of network.js, by the board: forPosition(position) -> Evaluator. */
export class Networks {
  /** open: (board) => Promise of a network of network.js; info: the same without loading it. */
  constructor(engine, { open, info }) {
    Object.assign(this, { engine, open, info });
    this.evaluators = new Map();
  }

  /** forSearch: what a search evaluates by. */
  async forPosition(position, forSearch = false) {
    const network = await this.open({ ...boardOf(position), forSearch });
    if (!this.evaluators.has(network)) this.evaluators.set(network, new Evaluator(this.engine, network));
    return this.evaluators.get(network);
  }
}

export const boardOf = ({ game, shape: [rows, cols], k, exactly }) => ({ game, rows, cols,
  ...(game === "gomoku" ? { k, exactly } : {}) });

export class Evaluator {
  constructor(engine, network) {
    Object.assign(this, { engine, network, known: new Map() });
    for (const name of ["name", "hasValue", "hasOwnership", "takesPeople", "ranks", "equivariant"]) this[name] = network[name];
  }

  /** The outputs for packed planes of boards with a shape, and their number n.  Where `shouldStop` says so after a board,
      those behind it have no outputs. */
  async evaluatePacked([rows, cols], packed, features, { people = null, shouldStop = async () => false } = {}) {
    const total = features.length / 2, points = rows * cols, bytes = packed.length / total;
    const components = this.network.inputs.includes("components") ? this.components(packed, total, points, cols) : null;
    const outputs = [];
    const row = (of, k, length) => of?.subarray(k * length, (k + 1) * length);
    do {
      const k = outputs.length;
      outputs.push(await this.evaluateOne({ rows, cols, packed: row(packed, k, bytes), features: row(features, k, 2), people,
        components: row(components, k, points) }));
    } while (outputs.length < total && !await shouldStop());
    const all = (name) => (outputs[0][name] === undefined ? null
      : Float32Array.from(outputs.flatMap((output) => (output[name].length ? Array.from(output[name]) : output[name]))));
    return { n: outputs.length, priors: all("priors"), values: all("value"), ownership: all("ownership"),
      scoreMean: all("scoreMean"), scoreStdev: all("scoreStdev") };
  }

  /** What the network says of a position, or said: analyses and opponents ask for many again. */
  async evaluateOne(position) {
    const { rows, cols, packed, features, people } = position;
    const key = [rows, cols, features, people, String.fromCharCode(...packed)].join();
    let output = this.known.get(key);
    if (output) {
      this.known.delete(key);            // the least recently used is the first
    } else {
      output = await this.network.evaluate(position);
      if (this.known.size >= REMEMBERED) this.known.delete(this.known.keys().next().value);
    }
    this.known.set(key, output);
    return output;
  }

  components(packed, n, points, cols) {
    const { kernels } = this.engine;
    const planes = kernels.array("uint8", n, points, packed.length / n / points), first = kernels.array("int32", n, points);
    planes.data.set(packed);
    kernels.call("write_components", planes, cols, first);
    const found = first.data.slice();
    planes.release();
    first.release();
    return found;
  }

  /** Evaluate positions of one shape: { priors: Float32Array (n, points + 1), values, ownership, scoreMean, scoreStdev }.
      withSymmetries: the mean over the symmetries, unless outputs turn with the board. */
  async evaluate(positions, { withSymmetries = false, ...options } = {}) {
    const [{ shape, area }] = positions;
    const features = globalFeatures(positions.map((each) => each.areaKomi), positions.map((each) => each.toPlay));
    const maps = withSymmetries && !this.equivariant ? symmetries(shape) : symmetries(shape).slice(0, 1);
    const outputs = [];
    for (const symmetry of maps.keys()) {
      const output = await this.evaluatePacked(shape, encode(positions, symmetry), features, options);
      outputs.push({ ...output, priors: turnedBack(output.priors, maps[symmetry], area + 1),
        ownership: output.ownership && turnedBack(output.ownership, maps[symmetry], area) });
    }
    if (outputs.length === 1) return outputs[0];
    const mean = (name) => outputs[0][name] && outputs[0][name].map((_, i) =>
      outputs.reduce((sum, each) => Math.fround(sum + each[name][i]), 0) / outputs.length);
    return { priors: mean("priors"), values: mean("values"), ownership: mean("ownership"), scoreMean: mean("scoreMean"),
      scoreStdev: mean("scoreStdev") };
  }
}

function turnedBack(of, symmetry, width) {
  const back = new Float32Array(of.length);
  for (let row = 0; row < of.length; row += width) for (let i = 0; i < width; i += 1) back[row + i] = of[row + symmetry[i]];
  return back;
}

