// Local search: the region and the points that the analysis is restricted to, and how they are chosen on the board.

import { rectangle, regionText, togglePick } from "../core/region.js";
import { t } from "../core/texts.js";
import { isRestricted } from "../queries.js";
import { NO_PICKS, change, showMessage, state } from "../store.js";

/** Begin to choose ("region" or "points"), or end it. */
export function toggleChoosing(kind) {
  if (!state.game || state.exercise) return;
  const { at } = state;
  const isOn = at.choosing !== kind;
  change(() => {
    state.tool = null;
    if (isOn) state.settings.mode = "review";
    Object.assign(at, { choosing: isOn ? kind : null, corner: null, pressed: null, message: null, touched: null });
    if (at.score) Object.assign(at, { score: null, isScoreHidden: true });
  });
  if (isOn) showMessage(t(kind === "region" ? "chooseRegion" : "choosePoints"));
}

/** The key of the region: choose one, or search the whole board again. */
export function toggleRegion() {
  if (state.region && !state.exercise) searchWholeBoard();
  else toggleChoosing("region");
}

/** Where the mouse is pressed while a region is chosen: a drag begins. */
export function press(vertex) {
  if (state.at.choosing === "region") change(({ at }) => { at.pressed = vertex; });
}

/** A click or a tap on a point while something is chosen; pressed: where the mouse went down. */
export function choosePoint(vertex, pressed = vertex) {
  const { game, at } = state;
  if (at.choosing === "points") {
    const picks = togglePick(at.picks, vertex);
    restrict(() => { at.picks = picks; });
    const pick = picks.get(vertex);
    showMessage(t(pick === "forbidden" ? "isForbidden" : pick === "only" ? "isOnlyOne" : "isNeither", { vertex }));
    return;
  }
  const first = at.corner ?? (pressed === vertex ? null : pressed);
  if (first === null) {
    change(() => Object.assign(at, { corner: vertex, pressed: null }));
    showMessage(t("secondCorner", { vertex }));
    return;
  }
  const region = rectangle(first, vertex, game.size);
  restrict(() => {
    state.region = region;
    Object.assign(at, { choosing: null, corner: null, pressed: null });
  });
  showMessage(t("onlyIsSearched", { region: regionText(region, game.size) }));
}

/** Search the whole board, and all moves. */
export function searchWholeBoard() {
  if (!isRestricted(state) && !state.at.choosing) return;
  restrict(() => {
    state.region = null;
    Object.assign(state.at, { picks: NO_PICKS, choosing: null, corner: null, pressed: null });
  });
  showMessage(t("wholeIsSearched"));
}

/** Change what is searched: what was found for another restriction is dropped. */
function restrict(edit) {
  change(() => {
    edit();
    Object.assign(state.at, { localSearch: null, message: null });
  });
}

/** Leave the choice, with what has been chosen. */
export function endChoosing() { if (state.at.choosing) toggleChoosing(state.at.choosing); }
