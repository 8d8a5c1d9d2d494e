// Exercises on the moves of a line: puzzles from mistakes, and guesses of the moves that were played.
//
//   exercise   { kind: "puzzles" or "guess", game, nodes, index, tried, hints, isShown, results, sources }
//   nodes      those with the moves that are asked for; the board shows the position before nodes[index]
//   sources    of each node { game, human, opponent }, where they are of several stored games; else null
//   tried      the person's answer: a node after that position, which is in no game tree; null before there is one
//   isShown    whether the solution is shown
//   results    of each question the verdict of the first answer; null where there was none before the solution
//
// An answer is judged by the search of the position before it; if that has hardly looked at it, by a search after it.

import { chanceText, dangerText } from "./coach.js";
import { LEVELS, bestMove, formatLossWithUnit, lossOf, mistakes, unitOf } from "./losses.js";
import { colourName, t } from "./texts.js";

export const EXERCISE_VISITS = 200;      // of the search before an answer
const MIN_SHARE = 0.1;                   // of the visits of the best move: what makes the search before judge a move
const INACCURACY = 2;                    // the level of a loss from which on an answer is wrong
const MAX_PUZZLES = 20;                  // of a game: its largest mistakes
export const FULL_POINTS = 2;            // of a guess

/** The nodes of the largest mistakes of a colour (null: of both), in the order of the game: those with a better move that is known.
    lost: of losses.lostByMoves. */
export function puzzlesOf({ moves }, colour, most = MAX_PUZZLES) {
  return mistakes(moves, colour).filter(isPuzzle).slice(0, most).map(({ node }) => node).sort((a, b) => a.index - b.index);
}

/** Whether a loss (losses.lossOf) can be a puzzle: a mistake with a better move that is known. */
const isPuzzle = (loss) => Boolean(loss?.isListed && loss.better && loss.better !== loss.vertex && loss.vertex !== "pass");

/** The nodes of the moves by which a colour lost most in a game, kept or taken back, one of a position at most, in the order
    of the game, with what they lost: of losses.lossOf. */
export function criticalMoves(line, colour, most = 3) {
  const unit = unitOf(line);
  const found = line.flatMap((node) => node.children.filter(({ move }) => move?.[0] === colour)
    .map((child) => lossOf(node, child, unit)).filter(isPuzzle).sort((a, b) => b.lost - a.lost).slice(0, 1));
  return found.sort((a, b) => b.lost - a.lost).slice(0, most).sort((a, b) => a.node.index - b.node.index);
}

/** The nodes of a line after a node whose moves a colour (null: either) has played, without passes. */
export function guessesOf(line, colour, after) {
  return line.filter(({ index, move, illegal, parent }) => index > after.index && move?.startsWith(colour ? `${colour} ` : "")
    && !move.endsWith(" pass") && !illegal && !parent.illegal);
}

export const makeExercise = (kind, game, nodes, sources = null) =>
  ({ kind, game, nodes, index: 0, tried: null, hints: 0, isShown: false, results: [], sources });

/** The node with the move that is asked for; null at the end. */
export const asked = ({ nodes, index }) => nodes[index] ?? null;

export const isOver = (exercise) => !asked(exercise);

const vertexOf = ({ move }) => move.split(" ")[1];

/** The best move of the position that is asked about; null if it is not known. */
export const bestOf = (exercise) => asked(exercise)?.parent.analysis?.moves[0] ?? null;

/** { vertex, lost, unit, visits, isBest, isPlayed, isRight, points } of the answer; null if it needs another search.

    lost: null if the played move is guessed before a search has looked at it. */
export function verdict(exercise) {
  const { kind, tried } = exercise;
  const node = asked(exercise);
  if (!tried || !node) return null;
  const [vertex, before] = [vertexOf(tried), node.parent];
  const isPlayed = vertex === vertexOf(node);
  const isBest = vertex === bestMove(before.analysis, vertex)?.move;
  const loss = (isPlayed && !isBest && lossOf(before, node, unitOf([before, node]))) || lossFromBefore(before, tried)
    || lossAfter(before, tried);
  if (!loss && !(kind === "guess" && isPlayed)) return null;
  const isRight = isBest || Boolean(loss && loss.lost < LEVELS[loss.unit][INACCURACY - 1]);
  return { vertex, lost: loss?.lost ?? null, unit: loss?.unit ?? null, visits: loss?.visits, isBest, isPlayed, isRight,
    points: kind === "guess" ? guessPoints(exercise, { isPlayed, isBest, isRight, ...loss }) : Number(isRight) };
}

/** 2 for the played move, and for one that is no inaccuracy and loses no more than it or nearly nothing; 1 for one that is no
    inaccuracy or loses no more than the played one. */
function guessPoints(exercise, { isPlayed, isBest, isRight, lost, unit }) {
  if (isPlayed || isBest) return FULL_POINTS;
  const node = asked(exercise);
  const played = lossOf(node.parent, node, unit)?.lost ?? lossFromBefore(node.parent, node)?.lost ?? 0;
  return lost <= Math.max(played, LEVELS[unit][0]) ? 1 + Number(isRight) : Number(isRight);
}

/** { lost, unit, visits } of a move by the search before it; null if that has hardly looked at it. */
function lossFromBefore(before, node) {
  const moves = before.analysis?.moves ?? [];
  const [best, info] = [moves[0], moves.find(({ move }) => move === vertexOf(node))];
  if (!info || info.visits < MIN_SHARE * best.visits || info.win_rate == null) return null;
  const unit = info.lead != null && best.lead != null ? "lead" : "win_rate";
  return { unit, visits: info.visits, lost: Math.max(0, (best[unit] - info[unit]) * (node.move[0] === "B" ? 1 : -1)) };
}

function lossAfter(before, node) {
  if (!node.analysis) return null;
  return lossOf(before, node, [before, node].every((each) => unitOf([each]) === "lead") ? "lead" : "win_rate");
}

/** Note the verdict of the first answer to a question, as soon as there is one. */
export function settle(exercise) {
  const found = verdict(exercise);
  if (found && exercise.results[exercise.index] === undefined) exercise.results[exercise.index] = found;
  return found;
}

/** { points, most, answered, played }: of all questions so far, and how many were answered with the played move. */
export function scoreOf({ kind, results, index, nodes }) {
  const count = Math.min(nodes.length, Math.max(index, results.length));
  const given = results.filter(Boolean);
  const most = count * (kind === "guess" ? FULL_POINTS : 1);
  return { points: given.reduce((sum, each) => sum + each.points, 0), most, count,
    played: given.filter(({ isPlayed }) => isPlayed).length };
}

/** What the page says of the exercise. number: the number of the move that is asked for, in print; names: of planes. */
export function exerciseText(exercise, number, names) {
  const { kind, tried, isShown, index, nodes, game: { size, isGo } } = exercise;
  if (isOver(exercise)) return scoreText(exercise);
  const name = colourName(asked(exercise).move[0]);
  const [best, found] = [bestOf(exercise), verdict(exercise)];
  const played = vertexOf(asked(exercise));
  const chance = () => (isGo ? chanceText(asked(exercise), best.move, names, size) : "");
  const joinedText = (...texts) => texts.filter(Boolean).join(" ");
  if (isShown && best) return joinedText(t("theSolutionIs", { best: best.move, played }), chance());
  if (tried && !found) return t("looksAt", { vertex: vertexOf(tried) });
  if (!found) {
    return kind === "guess" ? t("whereDid", { number, colour: name })
      : t("puzzleOf", { index: index + 1, count: nodes.length, colour: name, played });
  }
  const { vertex, isBest, isRight, isPlayed, lost, unit, visits, points } = found;
  const loses = isBest || lost === null ? "" : t("vertexLoses", { vertex, loss: formatLossWithUnit(Math.max(0, lost), unit, visits) });
  if (kind === "guess") {
    const values = { colour: name, played, points, most: FULL_POINTS };
    return isPlayed ? t("yesPlayed", values) : t("noPlayed", { ...values, verdict: loses || t("isMuGosChoice", { vertex }) });
  }
  if (isBest) return joinedText(t("rightBest", { vertex }), chance());
  if (isRight) return t("rightNotBest", { loses, best: best.move });
  return t(isPlayed ? "wrongAsPlayed" : "wrong", { vertex, loses: joinedText(loses, isGo && dangerText(tried, names, size)) });
}

function scoreText(exercise) {
  const { points, most, count, played } = scoreOf(exercise);
  if (!count) return t("exerciseOver");
  if (exercise.kind === "puzzles") return t("youSolved", { points, most });
  return t("guessScore", { points, most, percent: Math.round(100 * points / most), played, count });
}

// ---- when a puzzle comes again: Leitner's boxes, in days

const DAYS = [1, 2, 4, 8, 16];           // until a puzzle of each box comes again

/** A day, '2026-11-23'; days: after today. */
export const dayText = (days = 0) => new Date(Date.now() + 864e5 * days).toLocaleDateString("sv");

/** The box of a puzzle after an answer, [number, the day on which it is due]: one up if it was right at once, else the first.
    A right answer before that day leaves it. */
export function nextBox(box, isRight) {
  if (isRight && box && box[1] > dayText()) return box;
  const number = isRight ? Math.min(box ? box[0] + 1 : 1, DAYS.length - 1) : 0;
  return [number, dayText(DAYS[number])];
}

/** Whether a puzzle is due; without a box it is new. */
export const isDue = (day = "") => day <= dayText();

/** Note the answer to the question that is asked, if there was one, in the box of its node; returns whether it did. */
export function noteAnswer(exercise) {
  const result = exercise.results[exercise.index];
  if (exercise.kind !== "puzzles" || result === undefined) return false;
  const node = asked(exercise);
  node.box = nextBox(node.box, Boolean(result?.points) && !exercise.hints);
  return true;
}
