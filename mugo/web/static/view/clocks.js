// The times next to the players, and the button that pauses the clock.

import { formatSide, spend, timesAt } from "../core/clock.js";
import { colourName, t } from "../core/texts.js";
import { byId } from "../dom.js";

const SHOWN_EVERY = 100;                 // milliseconds
let timer = null;

export function renderClocks(state) {
  const { game, human } = state;
  const { clock } = game;
  byId("pause").hidden = !clock || Boolean(game.result) || !human;
  byId("pause").textContent = t(clock?.isPaused ? "resumeClock" : "pauseClock");
  showTimes(game);
  clearTimeout(timer);
  if (clock?.colour) timer = setTimeout(() => renderClocks(state), SHOWN_EVERY);
}

function showTimes(game) {
  const { clock, node } = game;
  const isLive = clock && clock.node === node;
  const times = isLive ? null : timesAt(node);
  for (const [colour, name] of [["B", "black"], ["W", "white"]]) {
    const element = document.querySelector(`#player-${name} .clock`);
    const side = isLive ? clock.side(colour, game.toPlay(node)) : times[colour];
    element.hidden = !side;
    if (!side) continue;
    element.textContent = formatSide(side.left === null && !side.main && side.periods ? spend(side, 0, clock?.settings ?? {}) : side);
    element.setAttribute("aria-label", t("timeLeft", { colour: colourName(colour), time: element.textContent }));
    element.classList.toggle("low", (side.left ?? side.main) < 10 && side.periods <= 1);
  }
}
