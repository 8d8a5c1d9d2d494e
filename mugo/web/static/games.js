// Games: new ones, game records in files, folders and the clipboard, and the game that is restored after a reload.

import { evaluateLine } from "./analysis.js";
import { startClock } from "./clock_view.js";
import { confirmReplacing } from "./ask.js";
import { formatSize } from "./core/coordinates.js";
import { isAvailable } from "./current_overlay.js";
import { Game } from "./core/game.js";
import { defaultOpponent } from "./opponents.js";
import { fetchOpponents, showNode } from "./play.js";
import { showMessage } from "./render.js";
import { formatGame } from "./core/sgf.js";
import { STORAGE_KEY, byId, connection, replaceGame, state, storeState } from "./state.js";

const MAX_LISTED = 1000;                 // games of a file that the server lists; files of a folder
const RECORD = /\.(sgf|gib|ngf|ugf|ugi)$/i;     // names of the files of a folder that are game records
let opened = [];                         // [name, File] of several files that were opened at once

/** Make a game the current one, and reset what belongs to the old one. */
function setGame(game, fields) {
  replaceGame(game);
  Object.assign(state, { genmoveNode: null, gameAnalysis: null, score: null, message: null, hover: null,
    tool: null, lineStart: null, offer: null, revealed: null }, fields);
  const name = game.isGo ? "go" : "gomoku";
  document.querySelector("main").dataset.game = name;
  byId("plane").replaceChildren(...state.planes[name].map((plane, i) => new Option(plane, i)));
  if (state.plane >= state.planes[name].length) state.plane = 0;
  if (!isAvailable(state.overlay)) state.overlay = "none";
  byId("plane").value = state.plane;
  document.querySelector(`[name=overlay][value=${state.overlay}]`).checked = true;
}

/** Start a game.  rules: the fields of the request "new".  human: "B", "W", "both" or "random"; clock: settings or null. */
export async function newGame(rules, { human, opponent: preferred, clock = null }) {
  await connection.request("stop");
  const game = new Game((await connection.request("new", rules)).game);
  await fetchOpponents(game);
  const colour = human === "random" ? "BW"[Math.floor(2 * Math.random())] : human;
  const opponent = defaultOpponent(game.opponents, preferred);
  setGame(game, { human: colour, opponent });
  if (colour !== "both") {
    game.info[colour === "B" ? "white" : "black"] = `MuGo ${opponent}`;
    game.info[colour === "B" ? "black" : "white"] = "You";
  }
  startClock(game, clock);
  game.info.date = new Date().toISOString().slice(0, 10);
  await showNode();
}

/** Open one file, or ask which of several.  files: [name, File] each. */
export async function openFiles(files) {
  if (files.length > 1) {
    opened = [...files].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
    byId("files").hidden = false;
    await openAnotherFile();
  } else if (files.length) {
    await openFile(files[0][1], files[0][0]);
  }
}

/** Ask which of the files that were opened at once to open. */
export async function openAnotherFile() {
  const listed = opened.slice(0, MAX_LISTED);
  const number = await choose(`${listed.length < opened.length ? "The first " : ""}${listed.length} files`,
    listed.map(([name]) => ({ text: name })));
  if (number !== null) await openFile(opened[number][1], opened[number][0]);
}

/** The files that were dropped or pasted, as [name, File]; of folders, the game records in them. */
export async function filesOf(dataTransfer) {
  const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...dataTransfer.files].map((file) => [file.name, file]);
  const found = [];
  while (entries.length && found.length <= MAX_LISTED) {
    const entry = entries.shift();
    if (entry.isDirectory) {
      const reader = entry.createReader();
      let more;
      do {                                               // it gives at most 100 entries at a time
        more = await new Promise((...handlers) => reader.readEntries(...handlers));
        entries.push(...more);
      } while (more.length);
    } else if (RECORD.test(entry.name)) {
      found.push([entry.fullPath.replace(/^\//, ""), await new Promise((...handlers) => entry.file(...handlers))]);
    }
  }
  return found;
}

/** Open what was dropped or pasted: files, folders, or the text of a record. */
export async function openTransferred(dataTransfer) {
  const text = dataTransfer.getData("text");             // a transfer is empty after its event, so before any await
  const files = await filesOf(dataTransfer).catch((error) => {
    showMessage(error.message, true);
    return [];
  });
  if (files.length) await openFiles(files);
  else if (text.trim()) await openFile(new File([text], "The text"), "The text");
  else showMessage("There is no game record in it.", true);
}

async function openFile(file, name) {
  try {
    if (file.size > 1.5e6) throw new Error(`${name} is larger than 1.5 MB`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    let { game, games } = await connection.load(bytes);
    if (games) {
      const number = await choose(`${name}: ${games.length < MAX_LISTED ? "" : "the first "}${games.length} games`,
        games.map((each, i) => ({ text: each.error ? `${i + 1}: ${each.error}` : gameText(each, i), disabled: Boolean(each.error) })));
      if (number === null) return;
      ({ game } = await connection.load(bytes, { number }));
    }
    if (!await confirmReplacing("Open the file")) return;
    setGame(new Game(game), { human: null, analyzing: false });
    await showNode();
    if (game.notice) showMessage(game.notice);
    await evaluateLine();
  } catch (error) {
    showMessage(`${name}: ${error.message}`, true);
  }
}

/** Ask for one of several items, { text, disabled } each; resolves with its number, from 0, or with null. */
function choose(title, items) {
  const dialog = byId("collection-dialog");
  byId("collection-title").textContent = title;
  byId("collection").replaceChildren(...items.map(({ text, disabled = false }, i) => {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("button"), { value: i, disabled, textContent: text }));
    return item;
  }));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(/^\d+$/.test(dialog.returnValue) ? Number(dialog.returnValue) : null);
  });
}

/** '1: Aoi 6d – Beni 7d · W+R · 2016-03-09'. */
function gameText(game, i) {
  const player = (colour) => [game[colour] ?? { black: "Black", white: "White" }[colour], game[`${colour}_rank`]]
    .filter(Boolean).join(" ");
  return `${i + 1}: ${[`${player("black")} – ${player("white")}`, game.result, game.date, game.event].filter(Boolean).join(" · ")}`;
}

/** Save the game as a file. */
export function saveFile() {
  const { game } = state;
  const sgf = formatGame(game.toRecord(), game.writtenInfo);
  const url = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
  const time = new Date().toISOString().slice(0, 16).replace(/[T:]/g, "-");
  const name = `mugo-${game.isGo ? "" : "gomoku-"}${formatSize(game.size)}-${time}.sgf`;
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  game.isUnsaved = false;
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  storeState();
  showMessage(`Saved as ${name}${game.notice ? `. ${game.notice}` : ""}`);
}

/** Show a stored game, with its clock stopped. */
export async function restoreStored({ game: stored, human, opponent }) {
  await connection.request("stop").catch(() => {});
  const game = Game.fromJSON(stored);
  if (game.clock) game.clock.isPaused = true;
  setGame(game, { human, opponent, analyzing: false });
  await showNode();
}

/** Restore the game stored in this tab; without one, start `first`, a game of the server. */
export async function restoreGame(first) {
  try {
    const { game, ...fields } = JSON.parse(sessionStorage.getItem(STORAGE_KEY));
    Object.assign(state, fields);
    setGame(Game.fromJSON(game));
  } catch {
    await newGame(first, { human: "B", opponent: null });
    return;
  }
  await showNode();
  if (!state.human && !state.analyzing) await evaluateLine();
}
