// What the network and the search say of a position: asked for, heard and kept with its node.

import { fits } from "./layer.js";
import { analyst, hasNetwork, keep, link, state } from "./page.js";
import { isEnded, refresh, render, say } from "./render.js";

const SWEEP = 100;                       // simulations for each move, where all moves are analysed

/** Show this overlay, where the game has it. */
export function setOverlay(name) {
  if (!fits(name)) return;
  state.overlay = name;
  document.querySelector(`[name=overlay][value=${name}]`).checked = true;
  keep();
  render();
  fetchOverlay();
}

/** Ask for what the chosen overlay shows, if that is not known yet. */
export async function fetchOverlay() {
  const { game, overlay } = state;
  const { node } = game;
  const what = { policy: "policy", ladders: "planes", plane: "planes", owners: "owners" }[overlay];
  if (!what || node[what] || (what === "policy" && !hasNetwork()) || (what === "owners" && node.thought?.owners)) return;
  try {
    node[what] = await link.ask(what, game.at(node));
  } catch (error) {
    say(error.message, true);
  }
  if (game === state.game && node === game.node) render();
}

/** Ask how a position looks, if that is not known yet.  Who has won a game that is over has won it surely. */
export async function look(game, node) {
  node.view ??= await link.ask("look", game.at(node));
  if (isEnded(node)) node.black = { "B+": 1, "W+": 0 }[node.view.result] ?? 0.5;
}

// ---- searches

/** A search has found something about a node. */
export function heard(game, node, thought) {
  node.thought = thought;
  Object.assign(node, { black: thought.black, visits: thought.visits });
  if (game === state.game) refresh();
}

/** Analyse the position shown, if that is switched on and nothing else searches. */
export async function analyse(limits = {}) {
  const { game } = state;
  if (!state.analysing || state.thinking || state.sweep || !game.node.view || isEnded(game.node)) return;
  const { node } = game;
  try {
    const answer = await link.ask("analyse", { ...game.at(node), by: analyst(), ...limits }, ({ thought, waiting }) => {
      state.waiting = waiting;
      if (thought) heard(game, node, thought);
    });
    if (answer.stopped) return;
    heard(game, node, answer.thought);
    state.analysing = false;
    keep();
  } catch (error) {
    state.analysing = false;
    say(error.message, true);
  }
}

export async function switchAnalysis(isOn = !state.analysing, limits = {}) {
  state.note = null;
  if (state.sweep) await switchSweep();
  state.analysing = isOn;
  if (isOn && ["none", "policy"].includes(state.overlay)) setOverlay("search");
  render();
  if (isOn) await analyse(limits);
  else if (!state.thinking) await link.ask("stop");
}

export async function hint() {
  const { node } = state.game;
  if (state.thinking || !node.view || isEnded(node)) return;
  setOverlay("search");
  say("Looking for a good move…");
  await switchAnalysis(true, { seconds: 2 });
  const best = node.thought?.moves[0];
  if (!best || node !== state.game.node) return;
  const wins = node.view.to_play === "B" ? best.black : 1 - best.black;
  say(`${best.move === "pass" ? "A pass" : best.move} looks best: it wins ${(100 * wins).toFixed(0)} %.`);
}

/** Analyse every move of the line shown, one after the other. */
export async function switchSweep() {
  if (state.sweep) {
    state.sweep = null;
    await link.ask("stop");
    render();
    return;
  }
  const { game } = state;
  const line = game.line();
  const sweep = { done: 0, of: line.length };
  Object.assign(state, { sweep, analysing: false });
  render();
  try {
    await judge();
    for (const node of line) {
      if (state.sweep !== sweep || state.game !== game) break;
      await look(game, node);
      if (!(node.visits >= SWEEP) && !isEnded(node)) {
        const answer = await link.ask("analyse", { ...game.at(node), by: analyst(), simulations: SWEEP },
          ({ thought }) => thought && heard(game, node, thought));
        if (answer.thought) heard(game, node, answer.thought);
      }
      sweep.done += 1;
      refresh();
    }
  } catch (error) {
    say(error.message, true);
  }
  if (state.sweep === sweep) state.sweep = null;
  keep();
  render();
}

/** What the network says at a glance of every position of the line. */
export async function judge() {
  const { game } = state;
  if (!hasNetwork()) return;
  const line = game.line();
  const { rates } = await link.ask("judge", game.at(line.at(-1)), () => {});
  rates?.forEach((rate, i) => { line[i].value = rate; });
  if (game === state.game) render();
}
