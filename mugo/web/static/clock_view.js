// The clocks on the page: fields of a dialog, the times next to the players, the pause button, and a flag that falls.

import { GameClock, formatSettings, formatSide, spend, timesAt } from "./core/clock.js";
import { COLOUR_NAMES, byId, state } from "./state.js";

const SHOWN_EVERY = 100;                 // milliseconds
let onFlag = () => {};                   // called with the colour whose time has run out; play.js sets it
let timer = null;

/** Set what happens when time runs out: called with the colour, which has lost. */
export function setFlagHandler(handler) { onFlag = handler; }

/** Put the fields of the time system into a dialog's form, before its menu. */
export function addClockFields(form) {
  const fields = byId("clock-fields").content.cloneNode(true);
  form.querySelector("menu").before(fields);
  const show = () => {
    const system = form.clock.value;
    for (const label of form.querySelectorAll("[data-clock]")) {
      label.hidden = !label.dataset.clock.split(" ").includes(system);
      label.querySelector("input").disabled = label.hidden;
    }
  };
  form.clock.addEventListener("change", show);
  show();
}

/** The selected time system, as GameClock's settings; null without a clock. */
export function clockSettings(form) {
  const system = form.clock.value;
  if (system === "none") return null;
  const [main, period, periods, increment] = ["main", "period", "periods", "increment"].map((name) => Number(form[name].value));
  return system === "fischer" ? { main: 60 * main, period: 0, periods: 0, increment }
    : { main: 60 * main, period, periods, increment: 0 };
}

/** Give a game its clock, from the current node on, and where the game begins there TM and OT. */
export function startClock(game, settings) {
  game.clock = settings && settings.main + settings.period + settings.increment ? new GameClock(settings, game.node) : null;
  if (game.clock && !game.node.parent && !game.played) Object.assign(game.info, formatSettings(settings));
}

/** Whose clock should run now: "B", "W" or null.  MuGo's runs while it searches. */
function runningColour() {
  const { game, human, genmoveNode } = state;
  const { clock } = game;
  if (clock.isPaused || game.result || !human || clock.node.position?.is_over || state.offer || state.tool) return null;
  const colour = game.toPlay(clock.node);
  const isMuGos = human !== "both" && colour !== human;
  return !isMuGos || (genmoveNode === clock.node && !state.waiting) ? colour : null;
}

/** Start or stop the clock as the state of the game demands, and show the times. */
export function renderClocks() {
  clearTimeout(timer);
  const { clock } = state.game;
  if (clock) {
    clock.run(runningColour());
    if (clock.colour) {
      const left = 1000 * clock.secondsToEnd(clock.colour);
      timer = setTimeout(tick, Math.max(0, Math.min(SHOWN_EVERY, left)));
    }
  }
  byId("pause").hidden = !clock || Boolean(state.game.result) || !state.human;
  byId("pause").textContent = clock?.isPaused ? "Resume clock" : "Pause clock";
  showTimes();
}

/** A timer may be late, in a tab in the background for instance: the clock itself says how much time has passed. */
function tick() {
  if (!checkFlag()) renderClocks();
}

/** Whether the time of the side to move has run out; then the game is over. */
export function checkFlag() {
  const { clock } = state.game;
  if (!clock?.colour || clock.secondsToEnd(clock.colour) > 0) return false;
  const { colour } = clock;
  clock.run(null);
  onFlag(colour);
  return true;
}

function showTimes() {
  const { game } = state;
  const { clock, node } = game;
  const isLive = clock && clock.node === node;
  const times = isLive ? null : timesAt(node);
  for (const [colour, name] of [["B", "black"], ["W", "white"]]) {
    const element = document.querySelector(`#player-${name} .clock`);
    const side = isLive ? clock.side(colour, game.toPlay(node)) : times[colour];
    element.hidden = !side;
    if (!side) continue;
    element.textContent = formatSide(side.left === null && !side.main && side.periods ? spend(side, 0, clock?.settings ?? {}) : side);
    element.setAttribute("aria-label", `${COLOUR_NAMES[colour]} has ${element.textContent} left`);
    element.classList.toggle("low", (side.left ?? side.main) < 10 && side.periods <= 1);
  }
}

export function togglePause() {
  const { clock } = state.game;
  if (!clock) return;
  clock.isPaused = !clock.isPaused;
  renderClocks();
}

/** After an undo or a redo: the times of the node that is shown, and no clock runs until a move is played. */
export function rewindClock() {
  const { clock, node } = state.game;
  if (!clock || !state.game.isInPlay()) return;
  clock.restore(node, node.times ?? null);
  clock.isPaused = true;
}

/** A move has been played from a node of the game, which led to another. */
export function pressClock(node, child, colour) {
  const { clock } = state.game;
  if (!clock || !state.game.isInPlay(node)) return;
  if (clock.node !== node) clock.restore(node, node.times ?? null);
  clock.press(colour, child);
}
