// The dialog "My games": those that the browser keeps.

import { countDue } from "../actions/exercises.js";
import { importGames, openKept } from "../actions/files.js";
import { confirm } from "../ask.js";
import { MAX_CHARACTERS, MAX_GAMES, deleteAll, deleteEntry, listEntries } from "../core/autosave.js";
import { parseSize } from "../core/coordinates.js";
import { formatNumber, joined, momentText, t } from "../core/texts.js";
import { byId, onChoice, updateChildren } from "../dom.js";
import { nameText } from "../queries.js";
import { forgetChanges, storeNow } from "../effects/storage.js";
import { kept } from "../kept.js";
import { showError, state } from "../store.js";
import { thumbnail } from "../view/thumbnail.js";

kept.onChange = () => {
  countDue();
  if (byId("saved-dialog").open) listGames();
};

/** 'You – MuGo mcts-200 · 9×9 · 34 moves · W+R · 2026-11-23, 14:05'. */
function describe({ summary: found, saved }) {
  if (!found) return t("cannotBeRead");
  const { black, white, size, isGo, moves, result, date } = found;
  const time = momentText(saved);
  return joined(`${nameText(state, black || "Black")} – ${nameText(state, white || "White")}`, `${isGo ? "" : "Gomoku "}${size}`,
    t("movesCount", { count: moves }), result, date && !time.startsWith(date) ? t("playedOn", { date }) : null, time);
}

/** '31 points lost; most: 47 C3 −6, 52 D4 −5'; '' of a game that is not analysed. */
function mistakesText({ summary }) {
  const { lost, worst = [] } = summary ?? {};
  if (lost === undefined) return "";
  const most = worst.map(([number, vertex, points]) => `${number} ${vertex} −${Math.round(points)}`).join(", ");
  return joined(t("pointsLostInAll", { points: Math.round(lost) }), most && t("mostLost", { moves: most }));
}

/** Show the list of games. */
export function openSavedGames() {
  storeNow();
  listGames();
  byId("saved-dialog").showModal();
}

function listGames() {
  const entries = listEntries(kept);
  const list = byId("saved-games");
  const focused = choiceOf(document.activeElement);
  updateChildren(list, entries.map((entry) => {
    const text = describe(entry);
    const open = Object.assign(document.createElement("button"), { type: "button", textContent: text, disabled: !entry.summary });
    const mistakes = mistakesText(entry);
    if (mistakes) open.append(Object.assign(document.createElement("small"), { textContent: mistakes }));
    if (entry.summary?.stones) open.prepend(thumbnail(entry.summary.stones, parseSize(entry.summary.size.replace("×", "x"))));
    if (entry.id === state.game?.savedAs?.id) open.setAttribute("aria-current", "true");
    const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "✕" });
    remove.setAttribute("aria-label", t("deleteGame", { game: text }));
    const item = document.createElement("li");
    Object.assign(open.dataset, { id: entry.id, choice: "open" });
    Object.assign(remove.dataset, { id: entry.id, choice: "delete" });
    item.append(open, remove);
    return item;
  }));
  // The games of other tabs may have changed places.
  if (focused) list.querySelector(`[data-id="${focused.id}"][data-choice=${focused.choice}]`)?.focus();
  for (const name of ["delete-all", "export-games"]) byId(name).disabled = !entries.length;
  const size = formatNumber(entries.reduce((sum, each) => sum + each.size, 0) / 1e6, 2);
  byId("saved-note").textContent = state.storageProblem
    ?? t("lastGamesKept", { games: MAX_GAMES, most: MAX_CHARACTERS / 1e6, size });
}

/** { id, choice } of a button of the list; null for another element. */
function choiceOf(element) {
  const { id, choice } = element?.closest("#saved-games button")?.dataset ?? {};
  return id ? { id, choice } : null;
}

onChoice(byId("saved-games"), choiceOf, ({ id, choice }) => (choice === "open" ? openGame(id) : removeGame(id)));

async function openGame(id) {
  try {
    if (await openKept(id)) byId("saved-dialog").close();
  } catch (error) {
    showError(error);
    listGames();
  }
}

function removeGame(id) {
  const buttons = [...byId("saved-games").querySelectorAll("button")];
  const place = buttons.indexOf(document.activeElement);
  forget(() => deleteEntry(kept, id), (savedAs) => savedAs?.id === id);
  const left = [...byId("saved-games").querySelectorAll("button")];
  (left[Math.min(place, left.length - 1)] ?? byId("saved-dialog").querySelector("[value=cancel]")).focus();
}

export async function askDeleteAll() {
  if (await confirm(t("deleteAllQuestion"), t("deleteAll"))) forget(() => deleteAll(kept), Boolean);
}

export const askImport = () => byId("import-file").click();

export async function importChosen(_, field) {
  for (const file of field.files) await importGames(file);
  field.value = "";
  listGames();
}

/** Delete entries; the game on the board, if it was one of them, is kept again when it changes. */
function forget(action, isOnBoard) {
  try {
    action();
    forgetChanges(isOnBoard);
  } catch (error) {
    showError(error);
  }
  listGames();
}
