// What can be done with a game that has ended: review it, or play another one like it.

import { confirmReplacing } from "../ask.js";
import { t } from "../core/texts.js";
import { showError, state } from "../store.js";
import { toggleLineAnalysis } from "./analysis.js";
import { newGame } from "./files.js";
import { goTo } from "./navigate.js";
import { playFrom } from "./play.js";
import { setMode } from "./settings.js";

/** Show the review of the game, and begin its analysis. */
export function reviewGame() {
  setMode("review");
  if (!state.lineAnalysis) toggleLineAnalysis();
}

/** Play the same game again; steps: against an opponent this many levels stronger. */
export async function again(steps = 0) {
  const { game, human } = state;
  const at = game.opponents.findIndex(({ key }) => key === state.opponent);
  const opponent = game.opponents[at + steps]?.key ?? state.opponent;
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
