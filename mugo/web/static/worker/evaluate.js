// Networks for positions: planes in, priors and values out.  mugo/nn/inference.py around network.js.

import { symmetries } from "./coords.js";

const MAX_POINTS = 1e6;
const GROUP_MS = 20, FIRST_MS = 10;        // of a run, and of a position before any was evaluated

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

  async forPosition(position) {
    const network = await this.open(boardOf(position));
    if (!this.evaluators.has(network)) this.evaluators.set(network, new Evaluator(this.engine, network));
    return this.evaluators.get(network);
  }
}

export const boardOf = ({ game, shape: [rows, cols], k, exactly }) => ({ game, rows, cols,
  ...(game === "gomoku" ? { k, exactly } : {}) });

export class Evaluator {
  constructor(engine, network) {
    Object.assign(this, { engine, network, times: new Map() });
    for (const name of ["name", "hasValue", "hasOwnership", "takesPeople", "ranks", "equivariant"]) this[name] = network[name];
  }

  /** The outputs for packed planes of boards with a shape, and their number n.  Each run takes GROUP_MS about; where
      `shouldStop` says so after one, the boards behind it have no outputs. */
  async evaluatePacked(shape, packed, features, { people = null, shouldStop = async () => false } = {}) {
    const total = features.length / 2, bytes = packed.length / total;
    const outputs = [];
    let done = 0;
    do {
      const n = Math.min(Math.max(Math.floor(GROUP_MS / this.ms(shape)), 1), total - done);
      const started = performance.now();
      outputs.push(await this.run(shape, packed.subarray(done * bytes, (done + n) * bytes),
        features.subarray(2 * done, 2 * (done + n)), people));
      done += n;
      this.times.set(shape.join(), Math.min((performance.now() - started) / n, 2 * this.ms(shape)));
    } while (done < total && !await shouldStop());
    return { ...joined(outputs), n: done };
  }

  /** Milliseconds that a position takes, about. */
  ms(shape) { return this.times.get(shape.join()) ?? FIRST_MS; }

  run([rows, cols], packed, features, people) {
    const n = features.length / 2;
    const components = this.network.inputs.includes("components") ? this.components(packed, n, rows * cols, cols) : null;
    return this.network.evaluate({ n, rows, cols, packed, features, people, components });
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

/** The outputs of several runs as one. */
function joined(outputs) {
  if (outputs.length === 1) return outputs[0];
  return Object.fromEntries(Object.keys(outputs[0]).map((name) => {
    const parts = outputs.map((output) => output[name]);
    if (!parts[0]?.length) return [name, parts[0]];
    const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    parts.reduce((at, part) => { all.set(part, at); return at + part.length; }, 0);
    return [name, all];
  }));
}

function turnedBack(of, symmetry, width) {
  const back = new Float32Array(of.length);
  for (let row = 0; row < of.length; row += width) for (let i = 0; i < width; i += 1) back[row + i] = of[row + symmetry[i]];
  return back;
}

