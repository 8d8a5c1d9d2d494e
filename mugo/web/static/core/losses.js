// What each move of the current line lost, by the searches before and after it.

import { valuesOf } from "./analysis.js";

/** Losses from which on a move has each of the levels 1 to 5, in points and in win rate: the server's. */
export const LEVELS = { lead: [], win_rate: [] };
const LISTED_LEVEL = 2;                  // from which on a move is listed: inaccuracies, mistakes and blunders

/** "lead" if searches of this line have leads, else "win_rate". */
const unitOf = (line) => (line.some((node) => valuesOf(node)?.lead != null) ? "lead" : "win_rate");

/** { unit, moves }: for each move between two searches { node, index, colour, vertex, lost, level, better }.

    index: of the node in the line.  lost: points or win rate of the side that moved; searches differ, so it can be below 0.
    better: the best move of the search before, which can be this one; null if it is not known. */
export function lostByMoves(line) {
  const unit = unitOf(line);
  const moves = [];
  for (let index = 1; index < line.length; index++) {
    const [before, node] = [line[index - 1], line[index]];
    const [valueBefore, value] = [before, node].map((each) => valuesOf(each)?.[unit]);
    if (!node.move || node.illegal || node.final || node.position?.is_over || valueBefore == null || value == null) continue;
    const [colour, vertex] = node.move.split(" ");
    const lost = (valueBefore - value) * (colour === "B" ? 1 : -1);
    const best = before.analysis?.moves[0]?.move ?? null;
    const level = LEVELS[unit].filter((least) => lost >= least).length;
    moves.push({ node, index, colour, vertex, lost, level, better: best });
  }
  return { unit, moves };
}

/** The mistakes among these moves, the largest first. */
export function mistakes(moves) {
  return moves.filter(({ level }) => level >= LISTED_LEVEL).sort((a, b) => b.lost - a.lost);
}

/** 'Mean loss of a move, in points: Black 0.6, White 1.2.'; '' without moves. */
export function meanLosses({ unit, moves }) {
  const means = [["B", "Black"], ["W", "White"]].map(([colour, name]) => {
    const lost = moves.filter((each) => each.colour === colour).map((each) => Math.max(0, each.lost));
    return lost.length ? [name, formatLoss(lost.reduce((a, b) => a + b) / lost.length, unit)] : null;
  }).filter(Boolean);
  if (!means.length) return "";
  const what = unit === "lead" ? "points" : "% of win rate";
  return `Mean loss of a move, in ${what}: ${means.map((mean) => mean.join(" ")).join(", ")}.`;
}

/** A loss as a number: '3.2' points, with so many digits, or '12' percent. */
export const formatLoss = (lost, unit, digits = 1) =>
  (unit === "lead" ? lost.toFixed(digits) : (100 * lost).toFixed(lost < 0.1 ? 1 : 0));
