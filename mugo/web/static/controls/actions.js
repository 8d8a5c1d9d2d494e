// What the elements of the page do.  index.html names it, and these are the only listeners of buttons, fields and keys:
//
//   <button data-action="step" data-value="first" data-key="Home">      a click or the key calls step("first")
//   <select data-change="changeLanguage">, <input data-input="...">     a change or an input calls it with the value
//   <input data-setting="sound" type="checkbox">                        shows the setting (view/settings.js), and sets it
//
// A name is a function of actions/ or of a dialog.  Titles and the help show the keys (dom.js).

import * as analysis from "../actions/analysis.js";
import * as edit from "../actions/edit.js";
import * as exercises from "../actions/exercises.js";
import * as files from "../actions/files.js";
import * as gameOver from "../actions/game_over.js";
import * as local from "../actions/local.js";
import * as navigate from "../actions/navigate.js";
import * as playing from "../actions/play.js";
import * as review from "../actions/review.js";
import * as score from "../actions/score.js";
import * as settings from "../actions/settings.js";
import * as start from "../actions/start.js";
import { t } from "../core/texts.js";
import { byId } from "../dom.js";
import { screen, touchedVertex } from "../queries.js";
import { change, showMessage, state } from "../store.js";
import * as gameInfo from "./game_info.js";
import * as newGame from "./new_game.js";
import * as progress from "./progress.js";
import * as savedGames from "./saved_games.js";
import * as share from "./share.js";

/** Name -> function of the value, a number if it looks like one, and of the element. */
export const ACTIONS = {
  ...analysis, ...edit, ...exercises, ...files, ...gameOver, ...local, ...navigate, ...playing, ...review, ...score, ...settings, ...start,
  ...gameInfo, ...newGame, ...progress, ...savedGames, ...share,
  openDialog: (id) => byId(id).showModal(),
  cancel: (_, button) => button.closest("dialog").close(""),
  askFile: () => byId("file").click(),
  openChosen(_, field) {
    files.openFiles([...field.files].map((file) => [file.name, file]));
    field.value = "";
  },
  pass: () => playing.play("pass"),
  startExercise: (kind) => exercises.startExercise(kind),
  playTouched: () => playing.play(touchedVertex(state)),
};

const typed = (value) => (/^-?\d+$/.test(value) ? Number(value) : value);

for (const [type, name] of [["click", "action"], ["change", "change"], ["input", "input"]]) {
  addEventListener(type, ({ target }) => {
    const element = target.closest?.(`[data-${name}]:not(kbd, :disabled)`);
    if (!element) return;
    if (element.matches("#menu button")) byId("menu").hidePopover();
    ACTIONS[element.dataset[name]](name === "action" ? typed(element.dataset.value) : element.value, element);
  }, true);
}

addEventListener("change", ({ target }) => {
  const { setting } = target.dataset ?? {};
  if (!setting) return;
  const value = typeof state.settings[setting] === "number" ? Number(target.value) : target.value;
  settings.set({ [setting]: target.type === "checkbox" ? target.checked : value });
}, true);

// ---- keys

/** Whether a field uses a key itself: a text or a list every key, the overlays, the slider and the tabs those that move them. */
function usesKey(field, key) {
  return field.closest("textarea, select, input[type=text]") || (key === " " && field.closest("button, input, summary"))
    || (field.closest("input, [role=tab]") && /^(Arrow|Home|End|Page)/.test(key));
}

/** The element whose key it is: in an exercise one of it, while the board is edited first one of the tools. */
function elementOf(key) {
  const found = [...document.querySelectorAll("[data-key]")].filter(({ dataset }) => dataset.key === key);
  const inside = (place) => found.find((element) => element.closest(place));
  if (screen(state) !== "game") return inside("[data-always]");
  if (state.exercise) return inside("#exercise-run, [data-always]");
  return (state.tool !== null && inside("#edit-tools")) || found.find((element) => !element.closest("#exercise-run, #edit-tools"));
}

addEventListener("keydown", (event) => {
  const { key } = event;
  if (!state.game || document.querySelector("dialog[open]")) return;
  if (event.altKey || event.ctrlKey || event.metaKey) {
    editKey(event);
    return;
  }
  if (key === "Escape") escape(event.target);
  if (usesKey(event.target, key) || (key.length === 1 && !state.settings.keys)) return;
  const element = elementOf(key);
  if (!element) return;
  event.preventDefault();
  const { action, value } = element.dataset;
  if (action === "pass" && !state.at.isPassAsked) {              // a slip of the finger would end the turn
    showMessage(t("pressAgain", { key: key.toUpperCase() }));
    state.at.isPassAsked = true;
  } else {
    ACTIONS[action](typed(value), element);
  }
});

/** Ctrl+Z and Ctrl+Y, or Shift+Ctrl+Z, while the board is edited. */
function editKey(event) {
  const key = event.key.toLowerCase();
  if (state.tool === null || event.altKey || !["z", "y"].includes(key) || event.target.closest("textarea, input[type=text]")) return;
  event.preventDefault();
  edit.undoEdit(key === "y" || event.shiftKey);
}

/** Leave what is being chosen, drawn or written. */
function escape(field) {
  if (field.closest("textarea, input[type=text]")) field.blur();
  local.endChoosing();
  if (state.at.lineStart) change(({ at }) => { at.lineStart = null; });
}

// After a mouse or a finger has used a button, an overlay, the slider or a list, the keys belong to the page again.
let isPointer = false;
addEventListener("pointerdown", ({ target }) => {
  isPointer = true;
  if (target.closest?.("#board")) document.activeElement.closest("textarea, input[type=text]")?.blur();   // what is written is finished
}, true);
addEventListener("keydown", () => { isPointer = false; }, true);
for (const [type, fields] of [["click", "button, input:not([type=text])"], ["change", "input, select"]]) {
  addEventListener(type, ({ target }) => {
    const field = target.closest?.(fields);
    if (isPointer && field && !field.closest("dialog")) field.blur();
  });
}

// ---- tabs: as the ARIA pattern has it, the arrow keys, Home and End go from tab to tab, and Tab to the panel

byId("tabs").onkeydown = ({ key, target }) => {
  const tabs = [...byId("tabs").children];
  const next = { ArrowLeft: tabs.indexOf(target) - 1, ArrowRight: tabs.indexOf(target) + 1, Home: 0, End: -1 }[key];
  if (next === undefined) return;
  const tab = tabs.at(next % tabs.length);
  settings.setMode(tab.dataset.value);
  tab.focus();
};
