// What can be done with a game that has ended: learn one thing from it, or play another one like it.

import { confirmReplacing } from "../ask.js";
import { puzzlesOf } from "../core/exercises.js";
import { nextOpponent } from "../core/opponents.js";
import { t } from "../core/texts.js";
import { lineLosses, outcome, reviewedColour } from "../queries.js";
import { change, showError, showMessage, state } from "../store.js";
import { startReview } from "./analysis.js";
import { startExercise } from "./exercises.js";
import { newGame } from "./files.js";
import { goTo } from "./navigate.js";
import { playFrom } from "./play.js";
import { set } from "./settings.js";

/** Show the person's largest mistake, when the game has been analysed, and let them find the better move. */
export function showOneThing() {
  startReview();
  change(() => { state.oneThing = state.game; });
}

/** The analysis has ended: ask for a better move in the place of the person's largest mistake. */
export function showWorst() {
  if (!state.oneThing || state.lineAnalysis || state.job?.kind === "line") return;
  change(() => { state.oneThing = null; });
  if (puzzlesOf(lineLosses(state), reviewedColour(state)).length) startExercise("puzzles", 1);
  else showMessage(t("noMistakes"));
}

/** Play the same game again; step: against an opponent one step stronger or weaker. */
export async function again(step = 0) {
  const { game, human } = state;
  const opponent = human === "both" ? state.opponent : nextOpponent(game.opponents, state.opponent, step);
  set({ losses: outcome(state) < 0 && !step ? state.settings.losses + 1 : 0 });
  const clock = game.clock?.settings ?? null;
  // Of a file, or where stones were set up, the position has more than the fields of a new game say.
  const from = game.played ? game.played.from : game.root.properties === undefined ? null : game.root;
  if (from) {
    goTo(from);
    playFrom({ human, opponent, clock });
  } else if (await confirmReplacing(t("playAgain"))) {
    const { name, size, komi, handicap, scoring, rules, k, exactly } = game.start;
    const same = game.isGo ? { name, size, komi, handicap, scoring, rules } : { name, size, k, exactly };
    newGame(same, { human, opponent, clock }).catch(showError);
  }
}
