// The panel of the exercises: puzzles from mistakes, and guesses of the moves that were played.  The status line asks.

import { asked, isOver, puzzlesOf, scoreOf, verdict } from "../core/exercises.js";
import { joined, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { canExercise, lineLosses, reviewedColour } from "../queries.js";

export function renderExercises(state) {
  const { game, exercise } = state;
  document.body.toggleAttribute("data-exercise", Boolean(exercise));
  byId("exercise-run").hidden = !exercise;
  byId("slider").disabled = Boolean(exercise);
  if (exercise) {
    renderRunning(state);
    for (const button of document.querySelectorAll("#navigation button:not(#open-menu)")) button.disabled = true;
  }
  const isPossible = canExercise(state);
  const count = puzzlesOf(lineLosses(state), reviewedColour(state)).length;
  byId("start-puzzles").disabled = !isPossible || !count;
  byId("start-puzzles").textContent = count ? t("puzzles", { count }) : t("puzzlesFromMistakes");
  byId("start-guess").disabled = !isPossible || !game.root.children.length;
}

function renderRunning({ exercise }) {
  const found = verdict(exercise);
  const { points, most } = scoreOf(exercise);
  const isGuess = exercise.kind === "guess";
  const { index, nodes: { length } } = exercise;
  byId("exercise-score").textContent = joined(t("questionOf", { index: Math.min(index + 1, length), count: length }),
    isGuess ? t("pointsOf", { points, most }) : t("solvedFirst", { points }));
  const isDone = isOver(exercise);
  const isAnswered = exercise.isShown || Boolean(found && (isGuess || found.isRight));
  byId("exercise-hint").disabled = isDone || isAnswered;
  byId("exercise-solution").disabled = isDone || exercise.isShown || !asked(exercise)?.parent.analysis?.moves.length;
  byId("exercise-solution").hidden = isGuess;
  byId("exercise-next").disabled = isDone;
  byId("exercise-next").textContent = t(isAnswered || isDone ? "next" : "skip");
  byId("exercise-next").classList.toggle("primary", isAnswered);
}
