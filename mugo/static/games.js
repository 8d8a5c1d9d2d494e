// Games: begun, opened, saved, and kept for a reload.

import { judge } from "./analysis.js";
import { Game } from "./game.js";
import { by, keep, link, state } from "./page.js";
import { show } from "./play.js";
import { say } from "./render.js";

export async function begin({ size, komi, handicap, human, level }) {
  await link.ask("stop");
  const { game } = await link.ask("new", { size, komi, handicap });
  const colour = human === "any" ? "BW"[Math.floor(2 * Math.random())] : human;
  Object.assign(state, { game: new Game(game), human: colour, level, thinking: null, sweep: null, count: null, note: null, hover: null });
  if (colour !== "both") {
    const { info } = state.game;
    info[colour === "B" ? "white" : "black"] = `MuGo ${level}`;
    info[colour === "B" ? "black" : "white"] = "You";
  }
  state.game.info.date = new Date().toISOString().slice(0, 10);
  await show();
}

export async function open(file) {
  try {
    if (file.size > 3e6) throw new Error(`${file.name} is larger than 3 MB`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
    const { game } = await link.ask("load", { data: btoa(text) });
    Object.assign(state, { game: new Game(game), human: null, thinking: null, analysing: false, sweep: null, count: null, note: null, hover: null });
    await show();
    await judge();
  } catch (error) {
    say(`${file.name}: ${error.message}`, true);
  }
}

export async function save() {
  const { game } = state;
  try {
    const { sgf } = await link.ask("save", { game: game.plain() });
    const address = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
    const name = `mugo-${game.size}x${game.size}-${new Date().toISOString().slice(0, 16).replace(/[T:]/g, "-")}.sgf`;
    Object.assign(document.createElement("a"), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    say(`Saved as ${name}`);
  } catch (error) {
    say(error.message, true);
  }
}

export async function restore() {
  try {
    const { game, ...rest } = JSON.parse(sessionStorage.getItem("mugo"));
    Object.assign(state, rest, { game: Game.from(game) });
  } catch {
    await begin({ size: 9, komi: 7.5, handicap: 0, human: "B", level: "mcts-200" });
    return;
  }
  by("by").value = state.by;
  by("plane").value = state.plane;
  document.querySelector(`[name=overlay][value=${state.overlay}]`).checked = true;
  await show();
}
