// The list of the last games, which the browser keeps, and when they are kept.

import { MAX_CHARACTERS, MAX_GAMES, deleteAll, deleteEntry, isFull, listEntries, readEntry, saveEntry } from "./core/autosave.js";
import { confirm, confirmReplacing } from "./ask.js";
import { formatSize } from "./core/coordinates.js";
import { onChoice, updateChildren } from "./dom.js";
import { restoreStored } from "./games.js";
import { showMessage } from "./render.js";
import { byId, onReplace, onStore, state, storeState, storedState } from "./state.js";

const DELAY = 1000;                      // milliseconds after a change in which others join it
let timer = null;
let problem = null;                      // why games are not kept; said once

onStore(() => {
  if (!state.game.isUnsaved && !state.game.savedAs) return;        // a file that is only viewed is not kept
  timer ??= setTimeout(keepGame, DELAY);
});
onReplace(() => timer !== null && keepGame());
for (const name of ["pagehide", "visibilitychange"]) {
  addEventListener(name, () => {
    if (name === "visibilitychange" && !document.hidden) return;
    if (state.game) storeState();
    if (timer !== null) keepGame();
  });
}
addEventListener("storage", () => byId("saved-dialog").open && listGames());

/** Keep the game on the board in the browser's storage. */
export function keepGame() {
  clearTimeout(timer);
  timer = null;
  const { game } = state;
  try {
    const { savedAs, ...stored } = storedState().game;
    game.savedAs = saveEntry(localStorage, game.savedAs, summary(game),
      JSON.stringify({ ...storedState(), game: stored }));
    storeState(false);
    problem = null;
  } catch (error) {
    const isFirst = !problem;
    problem = error.name === "SecurityError" ? "This browser forbids the page to keep games."
      : isFull(error) ? "The browser's storage is full: this game is not kept."
        : `This game is not kept: ${error.message}.`;
    if (isFirst) showMessage(`${problem} Save writes it into a file.`);
  }
}

function summary(game) {
  const { black, white, date, result } = game.info;
  return { black, white, date, result: result ?? game.result ?? undefined, size: formatSize(game.size).replace("x", "×"),
    isGo: game.isGo, moves: game.moveNumber(game.line().at(-1)) };
}

/** 'You – MuGo mcts-200 · 9×9 · 34 moves · W+R · 2026-11-23, 14:05'. */
function describe({ summary: found, saved }) {
  if (!found) return "A game that cannot be read";
  const { black, white, size, isGo, moves, result, date } = found;
  const day = new Date(saved);
  const time = `${day.toLocaleDateString("sv")} ${day.toLocaleTimeString("sv").slice(0, 5)}`;
  return [`${black || "Black"} – ${white || "White"}`, `${isGo ? "" : "Gomoku "}${size}`,
    `${moves} ${moves === 1 ? "move" : "moves"}`, result, date && !time.startsWith(date) ? `played ${date}` : null, time]
    .filter(Boolean).join(" · ");
}

/** Show the list of games. */
export function openSavedGames() {
  if (timer !== null) keepGame();
  listGames();
  byId("saved-dialog").showModal();
}

function listGames() {
  let entries = [];
  try {
    entries = listEntries(localStorage);
  } catch (error) {
    problem = "This browser forbids the page to keep games.";
  }
  const list = byId("saved-games");
  const focused = choiceOf(document.activeElement);
  updateChildren(list, entries.map((entry) => {
    const text = describe(entry);
    const open = Object.assign(document.createElement("button"), { type: "button", textContent: text, disabled: !entry.summary });
    if (entry.id === state.game?.savedAs?.id) open.setAttribute("aria-current", "true");
    const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "Delete" });
    remove.setAttribute("aria-label", `Delete ${text}`);
    const item = document.createElement("li");
    Object.assign(open.dataset, { id: entry.id, action: "open" });
    Object.assign(remove.dataset, { id: entry.id, action: "delete" });
    item.append(open, remove);
    return item;
  }));
  // The games of other tabs may have changed places.
  if (focused) list.querySelector(`[data-id="${focused.id}"][data-action=${focused.action}]`)?.focus();
  byId("delete-all").disabled = !entries.length;
  const size = (entries.reduce((sum, each) => sum + each.size, 0) / 1e6).toFixed(2);
  byId("saved-note").textContent = problem ?? `The last ${MAX_GAMES} games that you have played or changed, ` +
    `up to ${MAX_CHARACTERS / 1e6} MB (now ${size}). They are in this browser only.`;
}

/** { id, action } of a button of the list; null for another element. */
function choiceOf(element) {
  const { id, action } = element?.closest("#saved-games button")?.dataset ?? {};
  return id ? { id, action } : null;
}

onChoice(byId("saved-games"), choiceOf, ({ id, action }) => (action === "open" ? openGame(id) : removeGame(id)));

async function openGame(id) {
  try {
    if (!await confirmReplacing("Open the game")) return;
    const { savedAs, body } = readEntry(localStorage, id);
    byId("saved-dialog").close();
    await restoreStored({ ...body, game: { ...body.game, savedAs } });
  } catch (error) {
    showMessage(error.message, true);
    listGames();
  }
}

function removeGame(id) {
  const buttons = [...byId("saved-games").querySelectorAll("button")];
  const place = buttons.indexOf(document.activeElement);
  forget(() => deleteEntry(localStorage, id), (savedAs) => savedAs?.id === id);
  const left = [...byId("saved-games").querySelectorAll("button")];
  (left[Math.min(place, left.length - 1)] ?? byId("saved-dialog").querySelector("[value=cancel]")).focus();
}

byId("delete-all").onclick = async () => {
  if (await confirm("Delete all games that this browser keeps?", "Delete all")) forget(() => deleteAll(localStorage), Boolean);
};

/** Delete entries; the game on the board, if it was one of them, is kept again when it changes. */
function forget(action, isOnBoard) {
  try {
    action();
    clearTimeout(timer);
    timer = null;
    if (isOnBoard(state.game.savedAs)) state.game.savedAs = null;
  } catch (error) {
    showMessage(error.message, true);
  }
  listGames();
}
