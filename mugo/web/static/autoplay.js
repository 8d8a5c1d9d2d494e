// Autoplay: steps through the current line, a move every few seconds, and stops at its end.

import { step } from "./play.js";
import { byId, state } from "./state.js";

let timer = null;
let shown = null;                        // the game through which it steps

/** Start or stop. */
export function toggleAutoplay() {
  if (timer !== null || !state.game?.next()) stop();
  else start();
}

function start() {
  shown = state.game;
  timer = setTimeout(advance, seconds() * 1000);
  renderAutoplay();
}

function stop() {
  clearTimeout(timer);
  timer = null;
  renderAutoplay();
}

const seconds = () => Number(byId("autoplay-seconds").value);

async function advance() {
  const { game } = state;
  if (game !== shown || document.querySelector("dialog[open]")) {
    stop();
    return;
  }
  await step("next");
  if (timer === null) return;                                       // stopped meanwhile
  if (game.next()) start();
  else stop();
}

export function renderAutoplay() {
  const button = byId("autoplay");
  button.setAttribute("aria-pressed", String(timer !== null));
  button.textContent = timer === null ? "Autoplay" : "Stop";
  button.disabled = timer === null && !state.game?.next();
}

byId("autoplay").onclick = toggleAutoplay;
byId("autoplay-seconds").onchange = () => {
  if (timer === null) return;
  clearTimeout(timer);
  start();
};
