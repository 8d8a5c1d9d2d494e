// Starts and stops the clock as the state of the game demands, and ends the game when a flag falls.

import { runningColour } from "../queries.js";
import { change, state } from "../store.js";
import { showFlag } from "./jobs.js";

const CHECKED_EVERY = 100;               // milliseconds
let timer = null;

export function runClock() {
  clearTimeout(timer);
  const { clock } = state.game ?? {};
  if (!clock) return;
  clock.run(runningColour(state));
  // A timer may be late, in a tab in the background for instance, or early, where the machine has slept: the clock itself
  // says how much time has passed.
  if (clock.colour) timer = setTimeout(runClock, Math.max(0, Math.min(CHECKED_EVERY, 1000 * clock.secondsToEnd(clock.colour))));
  const { game } = state;
  const colour = game.checkFlag();
  if (colour) change(() => showFlag(colour));
}
