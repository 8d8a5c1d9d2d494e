// From mistake to mistake: the position before the move, with the move and a better one.

import { t } from "../core/texts.js";
import { isAnalysisHidden, nextMistake } from "../queries.js";
import { change, resetAt, showMessage, state } from "../store.js";

/** Show the position before a node's move, as a mistake. */
export function showMistake(node) {
  change(({ game }) => {
    Object.assign(state, { exercise: null, writing: null });
    game.goTo(node);                     // selects the line that it belongs to
    game.goTo(node.parent);
    resetAt();
    state.at.mistake = node;
    state.settings.mode = "review";
  });
}

/** direction: 1 for the next mistake, -1 for the previous one. */
export function stepMistake(direction) {
  if (!state.game || isAnalysisHidden(state)) return;
  const node = nextMistake(state, direction);
  if (node) showMistake(node);
  else showMessage(t(direction > 0 ? "noLaterMistake" : "noEarlierMistake"));
}

/** Show the line after the better move or after the played one. */
export function switchMistakeLine(name = state.at.mistakeLine === "better" ? "played" : "better") {
  if (state.at.mistake) change(({ at }) => { at.mistakeLine = name; });
}

export function leaveMistake() { change(({ at }) => { at.mistake = null; }); }
