// The analysis of a node: { win_rate, lead, visits, moves }, all from Black's point of view.
//
//   moves   the best ones, the best first: { move, win_rate, lead, visits, pv }; [] where only the values are known
//   visits  0 for the result of a finished game, which no search has found
//
// The last search of the server's has more: `prior` and `symmetry_of` of the moves, `ownership`.  An opponent's search is
// not one.

import { WRITTEN_MOVES, WRITTEN_PLIES, distinctMoves } from "./lz.js";

/** The values of a node, from its result where it was counted, else from its analysis; undefined without both. */
export const valuesOf = ({ final, analysis }) => final ?? analysis;

/** Whether an analysis is worth as much as one with this many visits, and has its best moves. */
export const isComplete = (analysis, visits) => Boolean(analysis && analysis.visits >= visits && analysis.moves.length);

/** Whether a search takes the place of the analysis that a node has. */
export const isBetter = (search, analysis) => !analysis || !analysis.moves.length || search.visits >= analysis.visits
  || (analysis.lead == null && search.lead != null);

const rounded = (value, digits) => (value == null ? null : Number(value.toFixed(digits)));

/** What is stored of an analysis. */
export function compact(analysis) {
  if (!analysis) return undefined;
  const { win_rate: winRate, lead, visits } = analysis;
  const moves = distinctMoves(analysis, WRITTEN_MOVES).map((move) =>
    ({ move: move.move, win_rate: rounded(move.win_rate, 4), lead: rounded(move.lead, 2), visits: move.visits,
      prior: rounded(move.prior, 4) ?? undefined, pv: move.pv.slice(0, WRITTEN_PLIES) }));
  return { win_rate: rounded(winRate, 4), lead: rounded(lead, 2), visits, moves };
}

/** The analysis of a position in which the game has ended with a result that was counted; null for another result. */
export function ofResult(result) {
  if (result === "0" || result === "Draw") return { win_rate: 0.5, lead: 0, visits: 0, moves: [] };
  const [, colour, points] = /^([BW])\+(\d+(?:\.\d+)?)?$/.exec(result ?? "") ?? [];
  if (!colour) return null;
  const sign = colour === "B" ? 1 : -1;
  return { win_rate: colour === "B" ? 1 : 0, lead: points ? sign * Number(points) : null, visits: 0, moves: [] };
}
