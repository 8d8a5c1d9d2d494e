// The keys of the page.

import { hint, toggleAnalysis } from "../actions/analysis.js";
import { nextQuestion } from "../actions/exercises.js";
import { endChoosing, toggleChoosing, toggleRegion } from "../actions/local.js";
import { backToMainLine, deleteMove, promote, redo, step, switchVariation, toggleAutoplay, undo } from "../actions/navigate.js";
import { play } from "../actions/play.js";
import { toggleScore } from "../actions/score.js";
import { stepMistake, switchMistakeLine } from "../actions/review.js";
import { setOverlay, toggleEstimates, toggleMoveNumbers } from "../actions/settings.js";
import { byId } from "../dom.js";
import { OVERLAYS, state } from "../store.js";
import { autoplaySeconds } from "./buttons.js";
import { editAction } from "./edit.js";
import { askPlayFrom } from "./play_from.js";

const KEYS = {
  ArrowLeft: () => step("previous"), ArrowRight: () => step("next"), Home: () => step("first"), End: () => step("last"),
  ArrowUp: () => switchVariation(-1), ArrowDown: () => switchVariation(1),
  Delete: deleteMove, p: () => play("pass"), u: undo, r: redo, h: hint, s: toggleScore, a: toggleAnalysis,
  "?": () => byId("help-dialog").showModal(),
  g: toggleEstimates, n: toggleMoveNumbers, f: askPlayFrom, " ": () => toggleAutoplay(autoplaySeconds()), b: backToMainLine, m: promote,
  o: toggleRegion, x: () => toggleChoosing("points"), Escape: endChoosing,
  j: () => (state.exercise ? nextQuestion() : stepMistake(1)), k: () => stepMistake(-1), l: () => switchMistakeLine(),
  ...Object.fromEntries(OVERLAYS.map((name, i) => [i, () => setOverlay(name)])),
};

const KEYS_OF_EXERCISES = ["h", "j", "n", "?"];

/** Whether a field uses a key itself: a text or a list every key, the overlays, the slider and the tabs those that move them. */
function usesKey(field, key) {
  return field.closest("textarea, select, input[type=text]") || (key === " " && field.closest("button, input, summary"))
    || (field.closest("input, [role=tab]") && /^(Arrow|Home|End|Page)/.test(key));
}

addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !state.game) return;
  if (document.querySelector("dialog[open]") || usesKey(event.target, event.key)) return;
  if (state.exercise && !KEYS_OF_EXERCISES.includes(event.key)) return;
  const action = editAction(event.key) ?? KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// After a mouse or a finger has used a button, an overlay, the slider or a list, the keys are those of the page again.
let isPointer = false;
addEventListener("pointerdown", () => { isPointer = true; }, true);
addEventListener("keydown", () => { isPointer = false; }, true);
for (const [type, fields] of [["click", "button, input:not([type=text])"], ["change", "input, select"]]) {
  addEventListener(type, ({ target }) => {
    const field = target.closest?.(fields);
    if (isPointer && field && !field.closest("dialog")) field.blur();
  });
}
