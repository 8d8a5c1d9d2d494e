// From mistake to mistake: the position before the move, with the move and a better one.

import { t } from "../core/texts.js";
import { isAnalysisHidden, mistakeOnBoard, nextMistake, reviewedColour } from "../queries.js";
import { change, showMessage, showMistake, state } from "../store.js";

const STEP_MILLISECONDS = 500;           // between two moves of a line that is played
let timer = null;

/** direction: 1 for the next mistake, -1 for the previous one. */
export function stepMistake(direction) {
  if (!state.game || isAnalysisHidden(state)) return;
  const node = nextMistake(state, direction);
  if (!node) {
    showMessage(t("noMistakes"));
    return;
  }
  change(() => {
    Object.assign(state, { exercise: null, writing: null });
    state.settings.mode = "review";
    showMistake(state, node);
  });
}

/** Show the mistakes of one side, or again of both. */
export const reviewSide = (colour) => change(() => { state.whose = reviewedColour(state) === colour ? null : colour; });

/** Show the line after the better move or after the played one. */
export function switchMistakeLine(name = state.at.mistakeLine === "better" ? "played" : "better") {
  if (state.at.mistake) change(({ at }) => Object.assign(at, { mistakeLine: name, plies: Infinity }));
}

/** Show the line on the board move by move. */
export function playLine() {
  const { at } = state;
  const mistake = mistakeOnBoard(state);
  if (!mistake) return;
  const { length } = mistake[at.mistakeLine === "better" ? "betterLine" : "playedLine"];
  clearInterval(timer);
  timer = setInterval(() => {
    if (state.at !== at || at.plies >= length) clearInterval(timer);
    else change(() => { at.plies += 1; });
  }, STEP_MILLISECONDS);
  change(() => { at.plies = 0; });
}
