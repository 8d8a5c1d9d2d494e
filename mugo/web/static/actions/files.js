// Games: new ones, game records in files, folders and the clipboard, and the games that are stored.

import { choose, confirmReplacing } from "../ask.js";
import { listEntries, readEntry, saveEntry } from "../core/autosave.js";
import { formatSize } from "../core/coordinates.js";
import { Game } from "../core/game.js";
import { defaultOpponent } from "../core/opponents.js";
import { summaryOf } from "../core/review.js";
import { formatGame } from "../core/sgf.js";
import { joined, playerText, t } from "../core/texts.js";
import { download } from "../dom.js";
import { kept } from "../kept.js";
import { fetchOpponents } from "../requests.js";
import { server } from "../server.js";
import { change, replaceGame, settleScore, showError, showMessage, state } from "../store.js";
import { evaluateLine, startReview } from "./analysis.js";
import { startClock } from "./play.js";

const MAX_LISTED = 1000;                 // games of a file that the server lists; files of a folder
const RECORD = /\.(sgf|gib|ngf|ugf|ugi)$/i;     // names of the files of a folder that are game records

/** Start a game.  rules: the fields of the request "new".  human: "B", "W", "both" or "random"; clock: settings or null. */
export async function newGame(rules, { human, opponent: preferred, clock = null }) {
  const game = new Game((await server.request("new", rules)).game);
  await fetchOpponents(game);
  const colour = human === "random" ? "BW"[Math.floor(2 * Math.random())] : human;
  const opponent = defaultOpponent(game.opponents, preferred);
  if (colour !== "both") {
    game.info[colour === "B" ? "white" : "black"] = `MuGo ${opponent}`;
    game.info[colour === "B" ? "black" : "white"] = state.settings.name || "You";
  }
  startClock(game, clock);
  game.info.date = new Date().toISOString().slice(0, 10);
  change(() => {
    Object.assign(state.settings, { mode: "play", estimates: false, overlay: "none" });
    replaceGame(game, { human: colour, opponent });
  });
}

// ---- files

/** Open one file, or ask which of several.  files: [name, File] each. */
export async function openFiles(files) {
  if (files.length > 1) {
    change(() => { state.files = [...files].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true })); });
    await openAnotherFile();
  } else if (files.length) {
    await openFile(files[0][1], files[0][0]);
  }
}

/** Ask which of the files that were opened at once to open. */
export async function openAnotherFile() {
  const { files: opened } = state;
  const listed = opened.slice(0, MAX_LISTED);
  const number = await choose(t(listed.length < opened.length ? "firstFiles" : "filesCount", { count: listed.length }),
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
    showError(error);
    return [];
  });
  if (files.length) await openFiles(files);
  else await openText(text);
}

/** Open the text of a record. */
export async function openText(text) {
  if (text.trim()) await openFile(new File([text], ""), t("pastedText"));
  else showMessage(t("noRecord"), true);
}

/** Open the newest record of the server's folder. */
export async function openNewest() {
  const { name } = state.server.newest;
  try {
    const answer = await fetch(`games/${encodeURIComponent(name)}`);
    if (!answer.ok) throw new Error(t("fileIsGone"));
    await openFile(new File([await answer.blob()], name), name);
  } catch (error) {
    showMessage(`${name}: ${error.message}`, true);
  }
}

async function openFile(file, name) {
  try {
    if (file.size > 1.5e6) throw new Error(t("fileTooLarge"));
    const bytes = new Uint8Array(await file.arrayBuffer());
    let { game: found, games } = await server.load(bytes);
    let number = null;
    if (games) {
      number = await choose(t(games.length < MAX_LISTED ? "gamesIn" : "firstGamesIn", { name, count: games.length }),
        games.map((each, i) => ({ text: each.error ? `${i + 1}: ${each.error}` : gameText(each, i), disabled: Boolean(each.error) })));
      if (number === null) return;
      ({ game: found } = await server.load(bytes, { number }));
    }
    if (!await confirmReplacing(t("openTheFile"))) return;
    change(() => {
      replaceGame(new Game({ ...found, fileName: nameOf(file, number) }));
      startReview();
      if (found.notice) showMessage(found.notice);
    });
  } catch (error) {
    showMessage(`${name}: ${error.message}`, true);
  }
}

/** The name with which a game of a file is saved; of several games with its number.  null for a text without a name. */
function nameOf({ name }, number) {
  const stem = name.replace(/\.\w{1,4}$/, "");
  return stem ? `${stem}${number === null ? "" : `-${number + 1}`}.sgf` : null;
}

/** '1: Aoi 6d – Beni 7d · W+R · 2016-03-09'. */
function gameText(game, i) {
  const player = (colour) => [playerText(game[colour] ?? { black: "Black", white: "White" }[colour]), game[`${colour}_rank`]]
    .filter(Boolean).join(" ");
  return `${i + 1}: ${joined(`${player("black")} – ${player("white")}`, game.result, game.date, game.event)}`;
}

/** The name of the game's file: that of the file that was opened, or one made of its size and the time. */
export function fileName(game) {
  const time = new Date().toISOString().slice(0, 16).replace(/[T:]/g, "-");
  return game.fileName ?? `mugo-${game.isGo ? "" : "gomoku-"}${formatSize(game.size)}-${time}.sgf`;
}

/** The game as SGF text. */
export function recordText() {
  settleScore(state);
  return formatGame(state.game.toRecord(), state.game.writtenInfo);
}

/** Save the game as a file. */
export function saveFile() {
  const { game } = state;
  if (!game) return;
  const name = fileName(game);
  download(new Blob([recordText()], { type: "application/x-go-sgf" }), name);
  game.touch();
  game.isUnsaved = false;
  showMessage(`${t("savedAs", { name })}${game.notice ? `. ${game.notice}` : ""}`);
}

// ---- stored games

/** Open a game that the browser keeps, with its clock stopped.  Throws if it is gone or damaged. */
export async function openKept(id) {
  if (!await confirmReplacing(t("openTheGame"))) return false;
  const { savedAs, body: { game: stored, human, opponent } } = readEntry(kept, id);
  const game = Game.fromJSON({ ...stored, savedAs });
  if (game.clock) game.clock.isPaused = true;
  change(() => {
    state.settings.mode = human && !game.result ? "play" : "review";
    replaceGame(game, { human, opponent });
  });
  return true;
}

/** Save all kept games as one file, the oldest first. */
export function exportGames() {
  const records = listEntries(kept).filter(({ summary }) => summary).map(({ id }) => {
    const game = Game.fromJSON(readEntry(kept, id).body.game);
    return formatGame(game.toRecord(), game.writtenInfo);
  });
  download(new Blob([records.reverse().join("\n")], { type: "application/x-go-sgf" }), "mugo-games.sgf");
}

/** Keep all games of a file. */
export async function importGames(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { game: only, games = [only] } = await server.load(bytes);
    for (const [number, { error }] of games.entries()) {
      if (error) continue;
      const game = new Game((await server.load(bytes, { number })).game);
      saveEntry(kept, null, summaryOf(game, null, state.settings.name), JSON.stringify({ human: null, opponent: null, game: game.toJSON() }));
    }
  } catch (error) {
    showMessage(`${file.name}: ${error.message}`, true);
  }
}

/** Bring back the game that was on the board before. */
export const openReplaced = () => openKept(state.replaced).catch(showError);

/** Restore what this tab has stored: of effects/storage.js. */
export function restoreGame({ game, region = null, human, opponent, settings }) {
  const restored = Game.fromJSON(game);
  change(() => {
    Object.assign(state.settings, settings);
    replaceGame(restored, { region, human, opponent });
    if (!human) evaluateLine();
  });
}

/** The person writes a comment on a node. */
export function writeComment(text) {
  change(({ game }) => {
    state.writing ??= game.node;
    state.writing.comment = text || undefined;
    game.touch();
  });
}
