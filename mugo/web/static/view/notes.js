// What is drawn on the board above the stones: the moves of a mistake with the line of one of them, and an exercise.

import { parseVertex } from "../core/coordinates.js";
import { bestOf } from "../core/exercises.js";
import { formatShortLoss } from "../core/losses.js";
import { exerciseOnBoard, mistakeOnBoard } from "../queries.js";
import { draw } from "./board.js";

const HINT_REACH = 2;                    // points around the best move, of the first hint

/** { elements, line }: line: moves as numbered stones, the side to move first; null where nothing is shown. */
export function boardNotes(state) {
  const { size } = state.game;
  const mistake = mistakeOnBoard(state);
  if (mistake) return ofMistake(mistake, state.at, size);
  if (state.at.hinted) return { elements: ring(state.at.hinted, size, "better hint"), line: [] };
  const exercise = exerciseOnBoard(state);
  return exercise ? ofExercise(exercise, state.exercise, size) : null;
}

/** The played and the better move: the first stone of the line that is shown has a ring, the other one is a disc, or has a
    ring too if the line comes to it. */
function ofMistake({ vertex, better, betterLine, playedLine, lost, unit, level, visits }, { mistakeLine, plies }, size) {
  const hasBetter = better !== null && better !== vertex;
  const isBetterShown = mistakeLine === "better" && hasBetter;
  const line = (isBetterShown ? betterLine : playedLine).slice(0, plies);
  const mark = (move, className, text, of) => {
    const ply = line.indexOf(move);
    if (ply < 0) return disc(move, size, text, of);
    return ply % 2 ? [] : ring(move, size, className);             // a stone of the other side is not that move
  };
  const elements = [...mark(vertex, "played", formatShortLoss(lost, unit, visits), level), ...(hasBetter ? mark(better, "better", "0", 0) : [])];
  return { elements, line };
}

function ofExercise({ played, tried, isRight, best, line }, exercise, size) {
  const elements = [];
  const sign = { true: "✓", false: "✗", null: "?" }[isRight];
  if (tried && tried !== best) elements.push(...disc(tried, size, sign, isRight === false ? 4 : 0));
  if (played && played !== best && played !== tried) elements.push(...ring(played, size, "played"));
  if (best) elements.push(...(line.length ? [] : disc(best, size, "✓")), ...ring(best, size, "better"));
  const hinted = exercise.hints && !best ? bestOf(exercise) : null;
  if (hinted && exercise.hints > 1) elements.push(...ring(hinted.move, size, "better"));
  else if (hinted) elements.push(...region(hinted.move, size));
  return { elements, line };
}

/** A ring around a point. */
export function ring(vertex, size, className) {
  const at = parseVertex(vertex, size);
  return at ? [draw("circle", { cx: at.col, cy: at.row, r: 0.46, class: `ring ${className}` })] : [];
}

function disc(vertex, size, text, level = 0) {
  const at = parseVertex(vertex, size);
  if (!at) return [];
  return [draw("circle", { cx: at.col, cy: at.row, r: 0.44, class: `disc level-${level}` }),
    draw("text", { x: at.col, y: at.row, class: `note ${level < 4 ? "dark" : "bright"}` }, text)];
}

function region(vertex, size) {
  const at = parseVertex(vertex, size);
  if (!at) return [];
  const [top, left] = [at.row, at.col].map((value) => Math.max(0, value - HINT_REACH) - 0.5);
  const end = (value, count) => Math.min(count - 1, value + HINT_REACH) + 0.5;
  const [bottom, right] = [end(at.row, size.rows), end(at.col, size.cols)];
  return [draw("rect", { x: left, y: top, width: right - left, height: bottom - top, rx: 0.2, class: "region" })];
}
