// Puzzles from mistakes, and guesses of the moves that were played.

import { FULL_POINTS, asked, guessesOf, isOver, makeExercise, puzzlesOf, settle } from "../core/exercises.js";
import { newNode } from "../core/game.js";
import { t } from "../core/texts.js";
import { canExercise, decidingMoves, lineLosses, moveError, reviewedColour } from "../queries.js";
import { fetchPosition } from "../requests.js";
import { change, resetAt, showMessage, state } from "../store.js";

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

function begin(kind, nodes) {
  change(() => {
    Object.assign(state, { exercise: makeExercise(kind, state.game, nodes), analyzing: false, writing: null });
    state.settings.mode = "review";
    show();
  });
}

/** Show the position of the question, or at the end the last position. */
function show() {
  const { exercise, game } = state;
  const node = asked(exercise);
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
  exercise.results[exercise.index] ??= null;
  Object.assign(exercise, { index: exercise.index + 1, tried: null, hints: 0, isShown: false });
  show();
}

export function endExercise() {
  change(() => {
    state.exercise = null;
    resetAt();
  });
}
