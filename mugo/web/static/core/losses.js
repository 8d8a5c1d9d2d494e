// What each move of the current line lost, by the searches before and after it.

import { valuesOf } from "./analysis.js";
import { colourName, formatNumber, percent, t } from "./texts.js";

/** Losses from which on a move has each of the levels 1 to 5, in points and in win rate: the server's. */
export const LEVELS = { lead: [], win_rate: [] };

export const LISTED_LEVEL = 3;           // from which on a move is listed: mistakes and blunders
/** The names of the levels from LISTED_LEVEL on. */
export const levelNames = () => ["levelMistake", "levelBlunder", "levelLargeBlunder"].map((key) => t(key));
const EXACT_VISITS = 400;                // from which on tenths of a point are shown
const MOST_UNEVEN = 2;                   // visits of one position for each of the other, for a loss that is listed
const LEAST_SHARE = 0.05;                // of the best move's visits, for a candidate whose loss is shown
const LEAST_VISITS = 10;                 // of it

/** The level of a loss, 0 to 5. */
const levelOf = (lost, unit) => LEVELS[unit].filter((least) => lost >= least).length;

/** "lead" if searches of this line have leads, else "win_rate". */
export const unitOf = (line) => (line.some((node) => valuesOf(node)?.lead != null) ? "lead" : "win_rate");

/** { unit, moves }: for each move between two searches what lossOf has, and the index of its node in the line. */
export function lostByMoves(line) {
  const unit = unitOf(line);
  const moves = [];
  for (let index = 1; index < line.length; index++) {
    const loss = lossOf(line[index - 1], line[index], unit);
    if (loss) moves.push({ ...loss, index });
  }
  return { unit, moves };
}

/** What the move of a node lost; null where it is not between two searches:
    { node, unit, colour, vertex, lost, winRateLost, level, better, betterLine, playedLine, visits, isSure, isListed }.

    lost: points or win rate of the side that moved; searches differ, so it can be below 0.  The move that the search
    before it would have played loses nothing.
    better: the best move of the search before, which can be this one; null if it is not known.
    visits: how many the position has that was searched less.  isSure: whether the loss holds: both positions were
    searched about as much, and the policy does not like the move better than the best one.  isListed: whether it is a
    mistake: it is sure, and its level is high enough.
    betterLine, playedLine: the principal variations that begin with the better move, and with this one. */
export function lossOf(before, node, unit) {
  const [valueBefore, value] = [before, node].map((each) => valuesOf(each));
  if (!node.move || node.illegal || node.final || node.position?.is_over) return null;
  if (valueBefore?.[unit] == null || value?.[unit] == null) return null;
  const [colour, vertex] = node.move.split(" ");
  const sign = colour === "B" ? 1 : -1;
  const best = bestMove(before.analysis, vertex);
  const isBest = best?.move === vertex;
  const lost = isBest ? 0 : sign * (valueBefore[unit] - value[unit]);
  const visits = [valueBefore, value].map((each) => each.visits || Infinity);       // a counted result is exact
  const isEven = visits.includes(Infinity) || Math.max(...visits) <= MOST_UNEVEN * Math.min(...visits);
  const prior = before.analysis?.moves.find((info) => info.move === vertex)?.prior;
  const level = levelOf(lost, unit);
  const isSure = isEven && !(prior > best?.prior);
  return { node, unit, colour, vertex, lost, winRateLost: isBest ? 0 : sign * (valueBefore.win_rate - value.win_rate),
    level, better: best?.move ?? null, betterLine: best?.pv ?? [],
    playedLine: [vertex, ...(node.analysis?.moves[0]?.pv ?? [])], visits: Math.min(...visits), isSure,
    isListed: level >= LISTED_LEVEL && isSure };
}

/** The best move of an analysis, in the symmetry in which it was played where it was; undefined without one. */
export function bestMove(analysis, vertex) {
  const best = analysis?.moves[0];
  return analysis?.moves.find((info) => info.move === vertex && info.symmetry_of === best.move) ?? best;
}

/** The mistakes of a colour among these moves (null: of both), the largest first. */
export function mistakes(moves, colour = null) {
  return moves.filter((each) => each.isListed && (!colour || each.colour === colour))
    .sort((a, b) => b.lost - a.lost);
}

/** 'Black 47 lost 5.3 points: D4 was better than C3.'  number: the number of the move in print. */
export function lossSentence({ unit, colour, vertex, lost, better, visits }, number) {
  const loss = formatLossWithUnit(lost, unit, visits);
  return t(better ? "lossBetter" : "lossUnknownBetter", { colour: colourName(colour), number, loss, vertex, better });
}

/** What each move of a search loses against the first one, the best: { lost, unit, level }; null without values.  Null
    for a move that has too few visits to say, or seems better than the best one, which has been searched more. */
export function candidateLosses(moves, toPlay) {
  if (moves.some((move) => move.win_rate == null)) return null;
  const unit = moves.every((move) => move.lead != null) ? "lead" : "win_rate";
  return moves.map((move) => {
    const lost = (moves[0][unit] - move[unit]) * (toPlay === "B" ? 1 : -1) + 0;      // no -0
    const isUnknown = lost < 0 || (move !== moves[0] && move.visits < Math.max(LEAST_VISITS, LEAST_SHARE * moves[0].visits));
    return isUnknown ? null : { lost, unit, level: levelOf(lost, unit) };
  });
}

/** '3.2', '12'; whole points where a search had few visits. */
export function formatShortLoss(lost, unit, visits = Infinity) {
  const text = formatLoss(lost, unit, lost >= 9.95 || visits < EXACT_VISITS ? 0 : 1);
  return text === formatNumber(0, 1) ? "0" : text;
}

/** A loss as a number: '3.2' points, with this many digits, or '12' percent. */
export const formatLoss = (lost, unit, digits = 1) =>
  (unit === "lead" ? formatNumber(lost, digits) : percent(lost, lost < 0.1 ? 1 : 0));

/** '3.2 points', 'about 3 points' or 'hardly anything' where a search had few visits, '12 % of win rate'. */
export function formatLossWithUnit(lost, unit, visits = Infinity) {
  const count = Math.round(lost);
  if (unit === "lead" && visits < EXACT_VISITS) return count ? t("aboutPoints", { count }) : t("hardlyAnything");
  return t(unit === "lead" ? "lossPoints" : "lossPercent", { loss: formatLoss(lost, unit) });
}
