// Games: begun, opened, saved, and kept for a reload.

import { judge } from "./analysis.js";
import { Game } from "./game.js";
import { fits } from "./layer.js";
import { by, keep, link, state } from "./page.js";
import { show } from "./play.js";
import { say } from "./render.js";

/** Make this the game shown, and let the page offer what goes with it. */
function set(game, about) {
  Object.assign(state, { game, thinking: null, sweep: null, count: null, note: null, hover: null }, about);
  const name = game.isGo ? "go" : "gomoku";
  document.querySelector("main").dataset.game = name;
  by("plane").replaceChildren(...state.planes[name].map((plane, i) => new Option(plane, i)));
  if (state.plane >= state.planes[name].length) state.plane = 0;
  if (!fits(state.overlay)) state.overlay = "none";
  by("plane").value = state.plane;
  document.querySelector(`[name=overlay][value=${state.overlay}]`).checked = true;
}

/** The level wanted, or another where the game lacks it. */
export function usualLevel({ levels }, wanted) {
  const keys = levels.map(({ key }) => key);
  return [wanted, "mcts-200", "uct-1000"].find((key) => keys.includes(key)) ?? "";
}

/** rules: what the server's "new" takes. */
export async function begin(rules, { human, level: wanted }) {
  await link.ask("stop");
  const game = new Game((await link.ask("new", rules)).game);
  game.offers = await link.ask("offers", game.at());
  const colour = human === "any" ? "BW"[Math.floor(2 * Math.random())] : human;
  const level = usualLevel(game.offers, wanted);
  set(game, { human: colour, level });
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
    set(new Game(game), { human: null, analysing: false });
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
    const name = `mugo-${game.isGo ? "" : "gomoku-"}${game.size}x${game.size}-${new Date().toISOString().slice(0, 16).replace(/[T:]/g, "-")}.sgf`;
    Object.assign(document.createElement("a"), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    say(`Saved as ${name}`);
  } catch (error) {
    say(error.message, true);
  }
}

/** Show the game that was shown before this tab was reloaded; without one, begin the first. */
export async function restore(first) {
  try {
    const { game, ...rest } = JSON.parse(sessionStorage.getItem("mugo"));
    Object.assign(state, rest);
    set(Game.from(game));
  } catch {
    await begin(first, { human: "B", level: null });
    return;
  }
  await show();
}
