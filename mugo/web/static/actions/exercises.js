// Puzzles from mistakes, and guesses of the moves that were played.

import { confirmReplacing } from "../ask.js";
import { listEntries, readEntry } from "../core/autosave.js";
import { FULL_POINTS, asked, guessesOf, isDue, isOver, makeExercise, noteAnswer, puzzlesOf, settle } from "../core/exercises.js";
import { Game, newNode } from "../core/game.js";
import { ownPuzzles } from "../core/review.js";
import { t } from "../core/texts.js";
import { kept } from "../kept.js";
import { canExercise, decidingMoves, lineLosses, moveError, reviewedColour } from "../queries.js";
import { fetchPosition } from "../requests.js";
import { change, replaceGame, resetAt, showMessage, state } from "../store.js";

const MOST = 10;                         // puzzles of all games at once

/** Begin an exercise on the moves of the side that is reviewed.  kind: "puzzles" or "guess"; most: how many questions. */
export function startExercise(kind, most) {
  const { game } = state;
  if (!game || !canExercise(state)) return;
  const [line, colour] = [game.line(), reviewedColour(state)];
  let nodes = kind === "puzzles" ? puzzlesOf(lineLosses(state), colour, most) : guessesOf(line, colour, game.node);
  if (kind === "guess" && !nodes.length) nodes = guessesOf(line, colour, game.root);
  if (!nodes.length) {
    showMessage(t(kind === "guess" ? "noMovesToGuess" : "noPuzzles"));
    return;
  }
  begin(kind, nodes);
}

/** Ask for better moves than those by which the person lost most in the game that has ended, this one first. */
export function practiseDeciding(index) {
  const nodes = decidingMoves(state).map(({ node }) => node);
  begin("puzzles", [...nodes.slice(index), ...nodes.slice(0, index)]);
}

/** Count the puzzles of all games that are due. */
export const countDue = () => change(() => {
  state.due = dueEntries().reduce((sum, { due }) => sum + due.length, 0);
});

/** The stored games with puzzles that are due, those first that have waited longest: [{ id, due }]. */
const dueEntries = () => listEntries(kept).map(({ id, summary }) => ({ id, due: (summary?.due ?? []).filter((day) => isDue(day)) }))
  .filter(({ due }) => due.length)
  .sort((a, b) => (a.due.toSorted()[0] || "9") < (b.due.toSorted()[0] || "9") ? -1 : 1);      // new ones last

/** Ask for better moves than the person's mistakes in all games, as far as they are due. */
export async function practiseAll() {
  if (!await confirmReplacing(t("practise"))) return;
  const found = [];
  for (const { id } of dueEntries()) {
    if (found.length >= MOST) break;
    const { savedAs, body: { game: stored, human, opponent } } = readEntry(kept, id);
    const game = savedAs.id === state.game?.savedAs?.id ? state.game : Game.fromJSON({ ...stored, savedAs });
    if (game.clock) game.clock.isPaused = true;
    for (const { node } of ownPuzzles(game, human, state.settings.name)) {
      if (isDue(node.box?.[1])) found.push({ node, source: { game, human, opponent } });
    }
  }
  const questions = found.slice(0, MOST);
  if (questions.length) begin("puzzles", questions.map(({ node }) => node), questions.map(({ source }) => source));
  else countDue();
}

function begin(kind, nodes, sources = null) {
  change(() => {
    Object.assign(state, { exercise: makeExercise(kind, state.game, nodes, sources), analyzing: false, writing: null });
    state.settings.mode = "review";
    show();
  });
}

/** Show the position of the question, or at the end the last position. */
function show() {
  const { exercise } = state;
  const node = asked(exercise);
  const { game, ...players } = (node && exercise.sources?.[exercise.index]) || exercise;
  if (game !== state.game) {
    exercise.game = game;
    replaceGame(game, { ...players, exercise, replaced: null });
  }
  if (node) game.goTo(node.parent);
  resetAt();
}

/** The person's move. */
export async function answer(vertex) {
  const { exercise, game } = state;
  const node = asked(exercise);
  await fetchPosition(game, game.node);                            // of a question that has just been shown
  if (exercise !== state.exercise || node !== asked(exercise)) return;
  if (!node || exercise.isShown || (exercise.kind === "guess" && exercise.tried)) {
    showMessage(t("goOnWithNext"));
    return;
  }
  const error = moveError(state, vertex);
  if (error) {
    showMessage(error, true);
    return;
  }
  change(() => {
    exercise.tried = newNode(game.node, { move: `${node.move[0]} ${vertex}` });
    Object.assign(state.at, { message: null, touched: null });
    state.at.failed.delete("try");
    const found = settle(exercise);
    if (exercise.kind === "guess" && found?.isPlayed) {            // on with the next one
      goOn();
      if (!isOver(exercise)) state.at.message = { text: t("yesWasPlayed", { vertex: found.vertex, points: FULL_POINTS }) };
    }
  });
}

/** First the part of the board with the best move, then the move itself. */
export function exerciseHint() {
  change(({ exercise, at }) => {
    exercise.hints += 1;
    at.message = null;
  });
}

export function showSolution() {
  change(({ exercise, at }) => {
    at.message = null;
    exercise.isShown = true;
    exercise.results[exercise.index] ??= null;
  });
}

export function nextQuestion() { change(goOn); }

function goOn() {
  const { exercise } = state;
  note();
  exercise.results[exercise.index] ??= null;
  Object.assign(exercise, { index: exercise.index + 1, tried: null, hints: 0, isShown: false });
  show();
}

export function endExercise() {
  change(() => {
    note();
    state.exercise = null;
    resetAt();
  });
  countDue();
}

/** Keep how well the question was answered with its game. */
function note() {
  if (state.exercise && !isOver(state.exercise) && noteAnswer(state.exercise)) state.game.touch(false);
}
