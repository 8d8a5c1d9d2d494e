// Settings: what the board, the graph and the analysis show, and teaching.

import { change, isAvailable, showMessage, state } from "../store.js";

const MOVE_NUMBERS = { 0: "none", 1: "the last move", all: "all", branch: "from the first move of the variation" };
let shownNumbers = "all";                // what the key shows again

/** Set settings by name. */
export function set(settings) { change(() => Object.assign(state.settings, settings)); }

/** Show the tab of playing or of reviewing. */
export const setMode = (mode) => set({ mode });

/** Show the estimate of the score, or hide it. */
export function toggleEstimates() {
  if (state.game.isGo) set({ estimates: !state.settings.estimates });
}

/** Select an overlay, if the current game has it. */
export function setOverlay(name) {
  if (!isAvailable(name, state.game)) return;
  state.at.overlay = null;
  set({ overlay: name });
}

/** Show the numbers as before, or hide them. */
export function toggleMoveNumbers() {
  const { moveNumbers } = state.settings;
  if (moveNumbers !== "0") shownNumbers = moveNumbers;
  const shown = moveNumbers === "0" ? shownNumbers : "0";
  set({ moveNumbers: shown });
  showMessage(`Move numbers: ${MOVE_NUMBERS[shown] ?? `the last ${shown}`}.`);
}
