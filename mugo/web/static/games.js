// Games: new ones, SGF files, and the game that is restored after a reload.

import { evaluateLine } from "./analysis.js";
import { confirmReplacing } from "./confirm.js";
import { ConnectionError } from "./connection.js";
import { isAvailable } from "./current_overlay.js";
import { Game } from "./game.js";
import { fetchOpponents, showNode } from "./play.js";
import { showMessage } from "./render.js";
import { formatGame } from "./sgf.js";
import { STORAGE_KEY, byId, connection, state, storeState } from "./state.js";

const MAX_LISTED = 1000;                 // games of a file that the server lists

/** Make a game the current one, and reset what belongs to the old one. */
function setGame(game, fields) {
  Object.assign(state, { game, genmoveNode: null, gameAnalysis: null, score: null, message: null, hover: null }, fields);
  const name = game.isGo ? "go" : "gomoku";
  document.querySelector("main").dataset.game = name;
  byId("plane").replaceChildren(...state.planes[name].map((plane, i) => new Option(plane, i)));
  if (state.plane >= state.planes[name].length) state.plane = 0;
  if (!isAvailable(state.overlay)) state.overlay = "none";
  byId("plane").value = state.plane;
  document.querySelector(`[name=overlay][value=${state.overlay}]`).checked = true;
}

/** The preferred opponent, or a default one if the game does not have it. */
export function defaultOpponent(opponents, preferred) {
  const keys = opponents.map(({ key }) => key);
  return [preferred, "mcts-200", "uct-1000"].find((key) => keys.includes(key)) ?? "";
}

/** Start a game.  rules: the fields of the request "new".  human: "B", "W", "both" or "random". */
export async function newGame(rules, { human, opponent: preferred }) {
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
  game.info.date = new Date().toISOString().slice(0, 10);
  await showNode();
}

export async function openFile(file) {
  try {
    if (file.size > 1.5e6) throw new Error(`${file.name} is larger than 1.5 MB`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    let binary = "";
    for (let i = 0; i < bytes.length; i += 4096) binary += String.fromCharCode(...bytes.subarray(i, i + 4096));
    const data = btoa(binary);
    let { game, games } = await connection.request("load", { data });
    if (games) {
      const number = await chooseGame(file.name, games);
      if (number === null) return;
      ({ game } = await connection.request("load", { data, number }));
    }
    if (!await confirmReplacing("Open the file")) return;
    setGame(new Game(game), { human: null, analyzing: false });
    await showNode();
    if (game.notice) showMessage(game.notice);
    await evaluateLine();
  } catch (error) {
    showMessage(`${file.name}: ${error.message}`, true);
  }
}

/** Ask which game of a collection to open; resolves with its number, from 0, or with null. */
function chooseGame(name, games) {
  const dialog = byId("collection-dialog");
  byId("collection-title").textContent = `${name}: ${games.length < MAX_LISTED ? "" : "the first "}${games.length} games`;
  byId("collection").replaceChildren(...games.map((game, i) => {
    const button = Object.assign(document.createElement("button"), { value: i, disabled: Boolean(game.error) });
    button.textContent = game.error ? `${i + 1}: ${game.error}` : gameText(game, i);
    const item = document.createElement("li");
    item.append(button);
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

export async function saveFile() {
  const { game } = state;
  try {
    const written = game.toMessage();
    game.isUnsaved = false;
    const { sgf } = await connection.request("save", { game: written }).catch((error) => {
      if (error instanceof ConnectionError) return { sgf: formatGame(written) };
      game.isUnsaved = true;
      throw error;
    });
    const url = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
    const time = new Date().toISOString().slice(0, 16).replace(/[T:]/g, "-");
    const name = `mugo-${game.isGo ? "" : "gomoku-"}${game.size}x${game.size}-${time}.sgf`;
    Object.assign(document.createElement("a"), { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    storeState();
    showMessage(`Saved as ${name}${game.notice ? `. ${game.notice}` : ""}`);
  } catch (error) {
    showMessage(error.message, true);
  }
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
}
