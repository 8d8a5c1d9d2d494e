// The root of a search: its position, the moves that may be searched there, their priors.  mugo/mcts/root.py.

import { BLACK, PASS, WHITE, boardPoints, moveIndex, pointOfIndex, symmetries } from "./coords.js";
import { copied } from "./result.js";

/** Moves that a search leaves out, down to a depth. */
export class AvoidedMoves {
  constructor() {
    this.depths = new Map();             // "colour point" -> plies from the root, 1 for the next move only
    this.named = new Set();              // "colour point" of the moves that `allow` names
  }

  avoid(colour, points, depth) {
    if (!depth) return;
    for (const point of points) {
      const key = `${colour} ${point}`;
      this.depths.set(key, Math.max(depth, this.depths.get(key) ?? 0));
    }
  }

  /** Leave all moves out but these. */
  allow(colour, points, depth, shape) {
    this.avoid(colour, [PASS, ...boardPoints(shape)].filter((point) => !points.includes(point)), depth);
    for (const point of points) this.named.add(`${colour} ${point}`);
  }

  /** Leave out all moves of both sides outside a region, at any depth. */
  outside(points, shape, depth) {
    for (const colour of [BLACK, WHITE]) this.avoid(colour,
      [PASS, ...boardPoints(shape)].filter((point) => !points.includes(point)), depth);
  }

  /** The legal moves that are left at the root; null where its side to move has all. */
  allowedAt(position) {
    const isAvoided = (point) => this.depths.has(`${position.toPlay} ${point}`);
    if (![...this.depths.keys()].some((key) => key.startsWith(`${position.toPlay} `))) return null;
    return [...position.legalPoints, ...(position.mayPass ? [PASS] : [])].filter((point) => !isAvoided(point));
  }

  /** Those of `allowedAt` that fill no own true eye or are named. */
  consideredAt(position) {
    const sensible = new Set([PASS, ...position.sensiblePoints]);
    return this.allowedAt(position)?.filter((point) => sensible.has(point)
      || this.named.has(`${position.toPlay} ${point}`)) ?? null;
  }

  /** The part that is of moves after the first: [colour, point, depth]. */
  belowRoot() {
    return [...this.depths].map(([key, depth]) => [...key.split(" ").map(Number), depth]).filter(([, point, depth]) =>
      depth > 1 && point !== PASS);
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** The symmetries that map a position to itself, the identity first. */
function symmetriesOf(position) {
  const state = [...position.stones, 0];
  const maps = symmetries(position.shape).filter((map) => map.every((to, i) => state[to] === state[i]));
  if (maps.length < 2) return maps;
  const legal = new Array(state.length).fill(false);
  for (const point of position.legalPoints) legal[moveIndex(point, position.shape)] = true;
  return maps.filter((map) => map.every((to, i) => legal[to] === legal[i]));
}

export class Root {
  constructor(position, { allowedMoves = null, mayPass = true, avoided = new AvoidedMoves(), prunes, unsettled }) {
    const { engine } = position;
    Object.assign(this, { position, avoided, mayPass, unsettled, priors: null });
    const b = engine.load(position);
    b.passes = Math.min(b.passes, 1);
    this.board = b.bytes.slice();
    const considered = allowedMoves ?? avoided.consideredAt(position);
    this.asked = considered?.length ? considered : allowedMoves ?? avoided.allowedAt(position);
    this.pruned = prunes && !avoided.belowRoot().length ? prunedMoves(position, this.asked) : new Map();
    this.allowed = this.asked;
    if (this.pruned.size) {
      this.allowed = (this.asked ?? [...position.legalPoints, PASS]).filter((point) => !this.pruned.has(point));
    }
    this.ownPriors = new Map();          // of the moves that are not searched
  }

  mayReuseTreeOf(before) {
    if (!before.position.hasSameRules(this.position) || (this.unsettled !== null && before.unsettled === null)) return false;
    const [below, was] = [this.avoided.belowRoot(), before.avoided.belowRoot()];
    return !(below.length || was.length)
      || (same(below.sort(), was.sort()) && same([...before.position.hashes].map(String), [...this.position.hashes].map(String)));
  }

  /** Whether the visits of another root with this position count. */
  mayContinue(before) {
    return before.allowed === null || (this.allowed !== null && same([...before.allowed].sort(), [...this.allowed].sort()));
  }

  standIn(point) { return this.pruned.get(point)?.[0] ?? point; }

  /** Let the search select only the edges of the moves that are allowed, and that superko does not forbid. */
  restrict(edges) {
    const legal = edges.map((edge) => !edge.may_repeat || !this.position.whyIllegal(edge.move));
    const allowed = this.allowed && new Set(this.allowed);
    let wanted = edges.map((edge, i) => legal[i] && (!allowed || allowed.has(edge.move)));
    const others = edges.map((edge, i) => wanted[i] && edge.move !== PASS);
    if (!this.mayPass && others.some(Boolean)) wanted = others;
    if (!wanted.some(Boolean)) wanted = legal;
    edges.forEach((edge, i) => { edge.allowed = Number(wanted[i]); });
  }

  /** Give the edges their priors, with those of the moves that they stand for. */
  setPriors(edges) {
    const places = new Map(edges.map((edge, i) => [edge.move, i]));
    this.ownPriors = new Map(this.pruned.size ? edges.map((edge, i) => [edge.move, this.priors[i]]) : []);
    const priors = this.priors.slice();
    for (const [point, [searched]] of this.pruned) {
      const at = places.get(searched);
      if (at !== undefined) priors[at] = Math.fround(priors[at] + (this.ownPriors.get(point) ?? 0));
    }
    const allowed = edges.flatMap((edge, i) => (edge.allowed ? [i] : []));
    withTemperature(allowed.map((i) => priors[i]), 1).forEach((prior, k) => { edges[allowed[k]].prior = prior; });
  }

  /** These moves, each followed by those that are symmetric to it. */
  withPruned(infos) {
    if (!this.pruned.size) return infos;
    const copies = new Map();
    for (const [point, symmetry] of this.pruned.values()) copies.set(point, [...(copies.get(point) ?? []), symmetry]);
    return infos.flatMap((info) =>
      [info, ...(copies.get(info.point) ?? []).map((symmetry) => copied(info, symmetry, this.position.shape, this.ownPriors))]);
  }
}

/** The moves that are not searched: point -> [the point searched in its stead, the symmetry that maps that to this]. */
function prunedMoves(position, allowed) {
  const pruned = new Map();
  const maps = symmetriesOf(position);
  if (maps.length < 2) return pruned;
  const { shape } = position;
  const legal = new Set((allowed ?? position.legalPoints).filter((point) => point !== PASS));
  const distance = (point) => {
    const i = moveIndex(point, shape);
    return [Math.floor(i / shape[1]) - (i % shape[1]), -(i % shape[1])];
  };
  const nearest = [...legal].sort((a, b) => distance(a)[0] - distance(b)[0] || distance(a)[1] - distance(b)[1]);
  for (const point of nearest) {
    if (pruned.has(point)) continue;
    for (const map of maps) {
      const copy = pointOfIndex(map[moveIndex(point, shape)], shape);
      if (copy !== point && legal.has(copy) && !pruned.has(copy)) pruned.set(copy, [point, map]);
    }
  }
  return pruned;
}

/** prior^(1 / temperature), normalised. */
export function withTemperature(priors, temperature) {
  const logits = priors.map((prior) => Math.log(Math.max(prior, 1e-30)) / temperature);
  const most = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - most));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}
