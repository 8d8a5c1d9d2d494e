// Scoring a finished game of Go, and ownership by rollouts: mugo/games/scoring.py, whose kernels find what is dead.

import { BLACK, EMPTY, WHITE, boardPoints, formatGtp, moveIndex } from "./coords.js";
import { BadInput } from "./errors.js";
import { encodeStones, formatScore } from "./position.js";

const REMEMBERED = 64;

/** A function of (engine, stones, shape, ...numbers) that remembers its last results. */
function byStones(compute) {
  const known = new Map();
  return (engine, stones, shape, ...rest) => {
    const key = [shape, rest, stones].join(";");
    if (!known.has(key)) {
      if (known.size >= REMEMBERED) known.delete(known.keys().next().value);
      known.set(key, compute(engine, stones, shape, ...rest));
    }
    return known.get(key);
  };
}

/** Put a board with these stones where the kernels find it. */
function loadStones(engine, stones, shape) {
  const b = engine.empty(shape);
  engine.call("set_up_go", b, engine.encode(encodeStones(stones)));
  return b;
}

/** Int32Array (POINTS): sums of the final ownership over n rollouts, "mogo" or "uniform". */
const rolloutOwnership = byStones((engine, stones, shape, kind, n) => {
  const b = loadStones(engine, stones, shape);
  b.random = BigInt(engine.facts.reading.SEED);
  engine.sums ??= engine.kernels.array("int32", engine.POINTS);
  engine.sums.data.fill(0);
  const [,,,,,,, lightBoards] = engine.scratch;          // of mugo/games/planes.py
  engine.firstPlays ??= engine.kernels.array("int8", engine.POINTS);
  engine.firstPlays.data.fill(0);
  engine.call("roll_outs_ownership", engine.boards, engine.kernels.addresses[`roll_out_go_${kind}`], n, engine.sums, lightBoards,
    engine.firstPlays);
  return engine.sums.data.slice();
});

/** The mean owner of each point, row by row, at the end of n rollouts: 1 Black, -1 White. */
export function ownership(position, n = constants(position).ROLLOUTS, kind = "uniform") {
  const sums = rolloutOwnership(position.engine, position.stones, position.shape, kind, n);
  return boardPoints(position.shape).map((point) => Math.fround(sums[point] / n));
}

const constants = ({ engine }) => engine.facts.constants.scoring;

/** The points that neither colour owns for sure, in a game that is nearly over; null before. */
export function unsettledPoints(position) {
  return position.remembered("unsettled", () => {
    const { MOVE_ROLLOUTS, ROLLOUTS, SETTLED } = constants(position);
    const sensible = position.sensiblePoints;
    if (3 * countStones(position) < position.area) return sensible.length ? null : sensible;
    let unsettled;
    for (const [n, least] of [[MOVE_ROLLOUTS, 5], [ROLLOUTS, 10]]) {
      const owners = ownership(position, n, "mogo");
      unsettled = boardPoints(position.shape).filter((_, i) => Math.abs(owners[i]) <= Math.fround(SETTLED));
      const left = new Set(unsettled);
      if (least * sensible.filter((point) => left.has(point)).length > position.area) return null;
    }
    return unsettled;
  });
}

export const countStones = ({ stones }) => stones.reduce((n, stone) => n + (stone !== EMPTY), 0);

/** What is dead and in seki: { dead, seki: arrays of booleans row by row, isClear }. */
export function judge(position, deep = true) {
  const { engine, stones, shape } = position;
  const { DEEP, QUICK } = engine.facts.reading;
  let found = look(engine, stones, shape, QUICK);
  const { isClear } = found;
  let dead = stones.map(() => 0), seki = dead;
  const without = () => stones.map((stone, i) => (dead[i] ? EMPTY : stone));
  for (;;) {
    if (deep && !found.isClear) found = look(engine, without(), shape, DEEP);
    seki = seki.map((is, i) => is | found.seki[i]);
    const died = found.dead.map((is, i) => is & !seki[i]);
    if (!died.some(Boolean)) return { dead, seki, isClear };
    dead = dead.map((is, i) => is | died[i]);
    found = look(engine, without(), shape, QUICK);
  }
}

const look = byStones((engine, stones, shape, nodes) => {
  const { kernels, POINTS } = engine;
  const n = engine.facts.constants.scoring.ROLLOUTS;
  const sums = rolloutOwnership(engine, stones, shape, "mogo", n);
  const b = loadStones(engine, stones, shape);
  engine.means ??= kernels.array("float64", POINTS);
  engine.marks ??= [kernels.array("bool", POINTS), kernels.array("bool", POINTS)];
  engine.means.data.set(Array.from(sums, (sum) => sum / n));
  for (const marks of engine.marks) marks.data.fill(0);
  const isClear = kernels.call("mark", b, engine.means, newReader(engine), nodes, ...engine.marks);
  const [dead, seki] = engine.marks.map((marks) => Int8Array.from(boardPoints(shape), (point) => marks.data[point]));
  return { dead, seki, isClear };
});

/** The memory of a reading that nothing has used. */
function newReader(engine) {
  engine.reader ??= engine.kernels.scratch("reader");
  for (const { at, bytes } of engine.reader) engine.kernels.view("uint8").fill(0, at, at + bytes);
  engine.kernels.record("REGION", engine.reader[0].at).node.fill(-1);
  return engine.reader;
}

/** A finished position without its dead stones, which are prisoners; itself where no stone is dead. */
export function withoutDead(position) {
  return position.remembered("withoutDead", () => {
    const { dead } = judge(position);
    const points = boardPoints(position.shape).filter((_, i) => dead[i]);
    return points.length ? position.withoutStones(points) : position;
  });
}

/** The points of every chain. */
export function chains(position) {
  return position.remembered("chains", () => {
    const b = position.engine.load(position);
    const [colours, heads] = [b.colour.slice(), b.head.slice()];
    const found = new Map();
    for (const point of boardPoints(position.shape)) {
      if (colours[point] === EMPTY) continue;
      if (!found.has(heads[point])) found.set(heads[point], []);
      found.get(heads[point]).push(point);
    }
    return [...found.values()];
  });
}

export const neighbours = (point, { shape: [, cols] }) => [-cols - 1, -1, 1, cols + 1].map((step) => point + step);
export const coloursOf = (position) => position.engine.load(position).colour.slice();

function ownerOfPoints(cleared) {
  const { engine } = cleared;
  engine.owners.data.fill(0);
  engine.call("area_ownership", engine.load(cleared), engine.owners);
  return engine.owners.data.slice();
}

export function stonesInSeki(position) {
  const { seki } = judge(position);
  return boardPoints(position.shape).filter((_, i) => seki[i]);
}

/** The owners of all points of the board array; by rules with a tax on seki, eyes of chains in seki are nobody's. */
function finalOwners(cleared, position) {
  const owners = ownerOfPoints(cleared);
  if (cleared.rules.tax === "SEKI") {
    const colours = coloursOf(cleared);
    const eyes = new Set(), left = stonesInSeki(position).filter((point) => colours[point] !== EMPTY);
    while (left.length) {
      for (const next of neighbours(left.pop(), cleared)) {
        if (colours[next] === EMPTY && owners[next] !== EMPTY && !eyes.has(next)) {
          eyes.add(next);
          left.push(next);
        }
      }
    }
    for (const eye of eyes) owners[eye] = EMPTY;
  }
  return owners;
}

/** The empty points that nobody owns, of a position without dead stones. */
export function neutralPoints(cleared) {
  const owners = ownerOfPoints(cleared);
  return boardPoints(cleared.shape).filter((point, i) => owners[point] === EMPTY && cleared.stones[i] === EMPTY);
}

/** A finished position and its dead stones, which a person can change. */
export class ScoringSession {
  constructor(position, dead = null) {
    this.position = position;
    if (dead === null) {
      const cleared = position.removesDeadStones ? withoutDead(position) : position;
      dead = boardPoints(position.shape).filter((_, i) => cleared.stones[i] === EMPTY);
    }
    const marked = new Set(dead);
    this.dead = new Set(chains(position).filter((chain) => chain.some((point) => marked.has(point))).flat());
  }

  toggle(point) {
    const chain = chains(this.position).find((each) => each.includes(point));
    if (!chain) {
      throw new BadInput(`there is no stone on ${formatGtp(point, this.position.shape)}; name a point of a chain to mark it dead or alive`);
    }
    for (const each of chain) if (!this.dead.delete(each)) this.dead.add(each);
  }

  get cleared() { return this.position.withoutStones(this.dead); }

  /** The owner of each point, row by row, without the dead stones. */
  ownership() {
    const owners = finalOwners(this.cleared, this.position);
    return boardPoints(this.position.shape).map((point) => owners[point]);
  }

  points() {
    const { cleared } = this;
    const owners = this.ownership().map((owner, i) =>
      (this.position.countsTerritory && cleared.stones[i] !== EMPTY ? EMPTY : owner));
    const prisoners = this.position.countsTerritory ? this.prisoners() : { [BLACK]: 0, [WHITE]: 0 };
    const of = (colour) => owners.filter((owner) => owner === colour).length + prisoners[colour];
    return { [BLACK]: of(BLACK), [WHITE]: of(WHITE) };
  }

  prisoners() { return this.cleared.captures; }

  score() {
    const points = this.points();
    return points[BLACK] - points[WHITE] - this.position.whitePoints;
  }

  result() { return this.position.isNoResult ? "Void" : formatScore(this.score()); }
}

export const finalScore = (position) => (position.isNoResult ? 0 : new ScoringSession(position).score());

/** The owners of points, of an array row by row. */
export const ownersAt = (owners, points, shape) => points.map((point) => owners[moveIndex(point, shape)]);
