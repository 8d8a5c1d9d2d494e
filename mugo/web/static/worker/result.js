// What a search returns, and how moves are ranked: mugo/mcts/result.py and solver.py.

import { moveIndex, pointOfIndex } from "./coords.js";

export const LOSS = -1, WIN = 1, NULL_NODE = 0;
const LARGEST_VARIANCE = 1, UNVISITED = -3;

export const isProven = (record) => record.lower === record.upper;

/** Visits, means and mean squares of edges: { visits, means, squares }. */
export function rootMoves(tree, edges) {
  const visits = [], means = [], squares = [];
  for (const edge of edges) {
    const below = edge.node === NULL_NODE ? null : tree.node(edge.node);
    const mean = isProven(edge) ? edge.lower : below ? -below.total / Math.max(below.visits, 1) : edge.q;
    visits.push(edge.visits);
    means.push(mean);
    squares.push(isProven(edge) ? mean ** 2 : below ? below.value_square : 1);
  }
  return { visits, means, squares };
}

export function standardError(visits, variance) {
  const weight = 1 / visits ** 2, total = visits + weight;
  const added = Math.max(variance, 1e-8) + LARGEST_VARIANCE * weight / total;
  return Math.sqrt(added * (visits + weight ** 2)) / total;
}

export function lowerConfidenceBounds({ visits, means, squares }, stdevs) {
  return visits.map((n, i) => (n > 0 ? means[i] - stdevs * standardError(Math.max(n, 1), squares[i] - means[i] ** 2) : UNVISITED));
}

/** The index of the move with the highest bound, of those that have this proportion of the most visits. */
export function bestByLcb(visits, bounds, minVisitProp) {
  const least = minVisitProp * Math.max(...visits);
  let best = -1;
  for (let i = 0; i < visits.length; i += 1) {
    if (!(visits[i] > 0 && visits[i] >= least)) continue;
    const [bound, most] = [Math.max(bounds[i], -1), best < 0 ? 0 : Math.max(bounds[best], -1)];
    if (best < 0 || bound > most || (bound === most && visits[i] > visits[best])) best = i;
  }
  return Math.max(best, 0);
}

/** The indices of a node's edges, the best first.  lengths: by node, the length of the proof that a won node has. */
export function ranking(edges, lengths = null) {
  const lower = Math.max(LOSS, ...edges.map((edge) => edge.lower)), upper = Math.max(LOSS, ...edges.map((edge) => edge.upper));
  const keys = edges.map((edge) => [
    Number(lower === upper ? edge.lower < lower : edge.upper === LOSS), Number(edge.upper === LOSS),
    lengths && edge.lower === WIN && edge.node !== NULL_NODE ? lengths[edge.node] : 0, -edge.visits, -edge.prior]);
  const compare = (a, b) => { for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return a[i] - b[i]; return 0; };
  return [...keys.keys()].sort((a, b) => compare(keys[a], keys[b]) || a - b);
}

/** The part of a node's mean value that is for the score. */
export const utilityOfScore = (node) => node.score_utility * node.scored / Math.max(node.visits, 1);

/** [mean, standard deviation] of a node's score; nulls where no leaf has one. */
export function scoreOf(node) {
  if (!node.scored) return [null, null];
  const mean = node.score_mean;
  return [mean, Math.sqrt(Math.max(node.score_square - mean * mean, 0))];
}

/** A MoveInfo for each edge of a node, the best first. */
export function moveInfos(tree, edges, { lengths = null, lcbStdevs, priors = edges.map((edge) => edge.prior) }) {
  const { PV_LENGTH, PV_MOVES } = tree.engine.facts.constants.result;
  const lcbs = lowerConfidenceBounds(rootMoves(tree, edges), lcbStdevs).map((bound) => (1 + bound) / 2);
  return ranking(edges, lengths).map((i, rank) => moveInfo(tree, edges[i], priors[i], lcbs[i], rank < PV_MOVES ? PV_LENGTH : 1));
}

function moveInfo(tree, edge, prior, lcb, moves) {
  const below = edge.node === NULL_NODE ? null : tree.node(edge.node);
  const pv = [edge.move, ...(edge.visits && below && moves > 1 ? principalVariation(tree, edge.node, moves - 1) : [])];
  const proven = isProven(edge) ? edge.lower : null;
  const [mean, stdev] = below ? scoreOf(below) : [null, null];
  const scoreUtility = mean === null || proven !== null ? 0 : -utilityOfScore(below);
  const winRate = proven === null ? (1 + edge.q - scoreUtility) / 2 : (1 + proven) / 2;
  return { point: pv[0], prior, visits: edge.visits, winRate: clip(winRate), pv, proven, scoreLead: mean === null ? null : -mean,
    scoreStdev: stdev, lcb, scoreUtility, symmetryOf: null };
}

export const clip = (x) => Math.min(Math.max(x, 0), 1);

function principalVariation(tree, node, longest) {
  const moves = [];
  while (moves.length < longest) {
    const edges = tree.edgesOf(node);
    if (!edges.length) break;
    const best = edges[ranking(edges)[0]];
    if (best.visits === 0 && best.lower < WIN) break;
    moves.push(best.move);
    ({ node } = best);
  }
  return moves;
}

/** These moves without those that are symmetric to one that was searched in their stead. */
export const distinct = (infos) => infos.filter((info) => info.symmetryOf === null);

export const utilityOf = (info) => 2 * info.winRate - 1 + info.scoreUtility;

/** What a search returns: the fields of mugo.mcts.result.SearchResult. */
export class SearchResult {
  constructor(fields) { Object.assign(this, fields); }

  /** The move to play, by "visits", "value" or "lcb". */
  best(selectBy = "visits") {
    if (selectBy === "visits" || this.proven !== null) return this.moves[0];
    const infos = this.moves.filter((info) => info.proven !== LOSS);
    if (selectBy === "lcb") {
      const bounds = infos.map(({ lcb }) => (lcb === null ? -1 : 2 * lcb - 1));
      return infos[bestByLcb(infos.map((info) => info.visits), bounds, this.minVisitPropForLcb)];
    }
    const isBetter = (a, b) => (a.visits > 0) - (b.visits > 0) || utilityOf(a) - utilityOf(b) || a.visits - b.visits;
    return infos.reduce((best, info) => (isBetter(info, best) > 0 ? info : best));
  }

  /** With the move of `best` first. */
  ordered(selectBy = "visits") {
    const first = this.best(selectBy);
    const place = (info) => (info === first ? 0 : info.symmetryOf === first ? 1 : 2);
    return new SearchResult({ ...this, moves: [0, 1, 2].flatMap((at) => this.moves.filter((info) => place(info) === at)) });
  }
}

/** What a move that was searched says of the one that a symmetry maps it to. */
export function copied(info, symmetry, shape, priors) {
  const pv = info.pv.map((point) => pointOfIndex(symmetry[moveIndex(point, shape)], shape));
  return { ...info, point: pv[0], pv, prior: priors.get(pv[0]) ?? info.prior, symmetryOf: info };
}

