// What a reload restores: the game, the region that is searched, the players and the settings, in this tab's storage.  And
// the last games in the browser's storage, as core/autosave.js keeps them.
//
// Both are written a second after a change, when the page is hidden or left, and before another game comes.  A step through
// the game is no change: it is kept when the page is left.

import { isFull, saveEntry } from "../core/autosave.js";
import { DEPTHS, summaryOf } from "../core/review.js";
import { languageNames, t } from "../core/texts.js";
import { LANGUAGE_KEY } from "../dom.js";
import { kept as storage } from "../kept.js";
import { screen } from "../queries.js";
import { LOOKS, onReplace, showMessage, state } from "../store.js";

const KEY = "mugo-2";                    // of this tab's state; the number is its format
const BROWSER_KEYS = { moveNumbers: "mugo-move-numbers", sound: "mugo-sound", keys: "mugo-keys", coordinates: "mugo-coordinates", theme: "mugo-theme",
  boardLook: "mugo-board", stoneLook: "mugo-stones", depth: "mugo-depth", name: "mugo-name", peopleRank: "mugo-people-rank",
  language: LANGUAGE_KEY };              // settings of all tabs
const DELAY = 1000;                      // milliseconds after a change in which others join it
let timer = null;
let seen = {};                           // the state that is stored, or is about to be
let inBrowser = null;                    // the settings with which the browser's were read or written last
let kept = {};                           // what the browser keeps of the game on the board: { game, revision, node }

// ---- this tab

/** What is stored in this tab. */
function storedState() {
  const { game, region, human, opponent, settings } = state;
  const ofTab = Object.entries(settings).filter(([name]) => !(name in BROWSER_KEYS));
  return { game: game.toJSON(), region, human, opponent, ...Object.fromEntries(ofTab) };
}

/** Store the state soon, if it has changed. */
export function storeChanges() {
  const { game, region, human, opponent, settings } = state;
  storeInBrowser(settings);
  if (!game) return;
  const now = { game, revision: game.revision, region, human, opponent, settings: JSON.stringify(settings) };
  if (Object.keys(now).every((name) => now[name] === seen[name])) return;
  seen = now;
  timer ??= setTimeout(storeNow, DELAY);
}

/** Store the state now. */
export function storeNow() {
  clearTimeout(timer);
  timer = null;
  const { game } = state;
  if (!game || screen(state) !== "game") return;
  const isKept = kept.game === game && kept.revision === game.revision && kept.node === game.node;
  if (!isKept && (game.isUnsaved || game.savedAs)) keepGame();       // but not a file that is only viewed
  else storeInTab();
}

function storeInTab() {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(storedState()));
  } catch {
    try {
      sessionStorage.removeItem(KEY);    // it is full: a reload starts a new game, not one from before
    } catch {
      // it is forbidden
    }
  }
}

/** Store the settings of all tabs that have changed: another tab may have changed others. */
function storeInBrowser(settings) {
  const before = inBrowser ?? settings;  // the first ones are those that the browser has
  inBrowser = { ...settings };
  for (const [name, key] of Object.entries(BROWSER_KEYS)) {
    if (settings[name] === before[name]) continue;
    const value = { true: "on", false: "off" }[settings[name]] ?? settings[name];
    try {
      localStorage.setItem(key, value);
    } catch {
      // storage is full or forbidden
    }
  }
}

/** Whether a stored value can be one of the setting. */
const VALUES = { ...LOOKS, depth: Object.keys(DEPTHS), language: ["auto", ...languageNames.map(([tag]) => tag)] };
const isSetting = (name, value) => !(name in VALUES) || VALUES[name].includes(value);

/** The settings that the browser remembers. */
export function browserSettings() {
  try {
    const stored = Object.entries(BROWSER_KEYS).map(([name, key]) => [name, localStorage.getItem(key)]);
    return Object.fromEntries(stored.filter(([name, value]) => value !== null && isSetting(name, value))
      .map(([name, value]) => [name, { on: true, off: false }[value] ?? value]));
  } catch {
    return {};                           // storage is forbidden
  }
}

/** What this tab has stored: { game: of Game.toJSON, region, human, opponent, settings }.  Throws if there is nothing to read. */
export function storedInTab() {
  const { game, region, human, opponent, ...settings } = JSON.parse(sessionStorage.getItem(KEY));
  const known = Object.entries(settings).filter(([name]) => name in state.settings);
  return { game, region, human, opponent, settings: Object.fromEntries(known) };
}

// ---- the last games

/** Keep the game on the board in the browser's storage. */
export function keepGame() {
  const { game } = state;
  try {
    const { savedAs, ...stored } = storedState().game;
    const { human, opponent } = state;
    const { name } = state.settings;
    game.savedAs = saveEntry(storage, game.savedAs, summaryOf(game, human, name), JSON.stringify({ human, opponent, game: stored }));
    kept = { game, revision: game.revision, node: game.node };
    state.storageProblem = null;
  } catch (error) {
    showProblem(error);
  }
  storeInTab();
}

/** Say once why games are not kept. */
function showProblem(error) {
  const isFirst = !state.storageProblem;
  state.storageProblem = ["SecurityError", "InvalidStateError"].includes(error.name) ? t("storageForbidden")
    : isFull(error) ? t("storageFull")
      : t("notKept", { reason: error.message });
  if (isFirst && state.game) showMessage(t("saveWritesIt", { problem: state.storageProblem }));
}
storage.onError = showProblem;

/** Entries were deleted: the game on the board, if it was one of them, is kept again when it changes. */
export function forgetChanges(isDeleted) {
  const { game } = state;
  kept = { game, revision: game.revision, node: game.node };
  if (isDeleted(game.savedAs)) game.savedAs = null;
}

/** Store before another game comes, and when the page is hidden or left. */
export function storeAtTheEnd() {
  onReplace(storeNow);
  for (const name of ["pagehide", "visibilitychange"]) {
    addEventListener(name, () => (name === "pagehide" || document.hidden) && storeNow());
  }
}
