// The players above the board: names, captures, who is to play, and their clocks.

import { formatSide, spend, timesAt } from "../core/clock.js";
import { colourName, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { nameText, shownName, thinkingNode } from "../queries.js";

export function renderPlayers(state) {
  const { game, opponent } = state;
  const { position } = game.node;
  for (const [colour, name] of [["B", "black"], ["W", "white"]]) {
    const side = byId(`player-${name}`);
    const player = shownName(state, colour);
    side.querySelector(".name").textContent = nameText(state, player);
    side.querySelector(".name").title = t("nameOfSide", { colour: colourName(colour), name: player });
    side.querySelector(".spinner").hidden = !(thinkingNode(state) === game.node && position?.to_play === colour);
    const captures = position?.captures?.[colour] ?? 0;
    side.querySelector(".captures").textContent = game.isGo ? t("captured", { count: captures })
      : t(game.start.exactly ? "winsWithExactly" : "winsWith", { count: game.start.k });
    if (game.isGo && colour === "W") {
      const komi = document.createElement("span");         // left out where a clock needs the place
      komi.className = "komi";
      komi.textContent = t("komiShort", { komi: game.start.komi });
      side.querySelector(".captures").append(komi);
    }
    side.classList.toggle("to-play", position?.to_play === colour && !position.is_over && !game.resultAt(game.node));
  }
}

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
