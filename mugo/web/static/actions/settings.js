// Settings: what the board, the graph and the analysis show, and teaching.

import { setLanguage, t } from "../core/texts.js";
import { change, isAvailable, showMessage, state } from "../store.js";

const MOVE_NUMBERS = { 0: "numbersNone", 1: "numbersLast", 5: "numbersLast5", 20: "numbersLast20", all: "numbersAll",
  branch: "numbersBranch" };
let shownNumbers = "all";                // what the key shows again

/** Set settings by name. */
export function set(settings) { change(() => Object.assign(state.settings, settings)); }

/** Show the page in a language, "auto" for the browser's.  A message in the status line goes: it has another language. */
export function chooseLanguage(language) {
  setLanguage(language, navigator.languages);
  change(({ at, settings }) => {
    settings.language = language;
    at.message = null;
  });
}

/** Show the moves of players of a rank, by its number among those that the network knows. */
export const setPeopleRank = (number) => set({ peopleRank: state.game.ranks[number] });

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
  showMessage(t("moveNumbersShown", { which: t(MOVE_NUMBERS[shown]) }));
}
