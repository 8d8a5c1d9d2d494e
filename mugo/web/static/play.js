// Playing and stepping through a game, and counting it.

import { analyse, fetchOverlay, heard, look } from "./analysis.js";
import { place } from "./board.js";
import { by, keep, link, NAMES, state } from "./page.js";
import { board, isEnded, render, say } from "./render.js";

/** Show a node of the game: ask what is not known of it yet, and go on with whatever is switched on. */
export async function show() {
  const { game } = state;
  const { node } = game;
  keep();
  render();
  try {
    await look(game, node);
    if (game === state.game && node === game.node) render();
    game.offers ??= await link.ask("offers", game.at(game.root));
    if (game !== state.game || node !== game.node) return;
    render();
    if (node.view.over && !node.children.length && !game.info.result) await end();
    if (isMugosTurn()) await letMugoPlay();
    else analyse();
    await fetchOverlay();
  } catch (error) {
    say(error.message, true);
  }
}

/** The game shown is over: Gomoku says who has won, in Go the points are counted. */
async function end() {
  const { game, human } = state;
  if (game.isGo) {
    if (!state.count) await openCount();
  } else if (human) {
    game.info.result = game.node.view.result;
    keep();
    render();
  }
}

export function go(node) {
  by("comment").blur();                  // what is written there belongs to the move left
  state.game.show(node);
  Object.assign(state, { count: null, hover: null, note: null });
  show();
}

export function step(where) {
  const { game } = state;
  const line = game.line();
  const node = { first: game.root, back: game.node.parent, on: game.next(), last: line.at(-1) }[where];
  if (node && node !== game.node) go(node);
}

/** The next variation beside the node shown, or after it. */
export function otherBranch(offset) {
  const { game } = state;
  let { node } = game;
  if (node.children.length < 2) node = node.parent;
  while (node && node.children.length < 2) node = node.parent;
  if (!node) return;
  const next = (node.chosen + offset + node.children.length) % node.children.length;
  go(node.children[next]);
}

// ---- moves

export async function play(vertex) {
  const { game } = state;
  const { node } = game;
  if (!node.view) return;
  if (state.thinking === node) {
    say(`MuGo is thinking: it plays ${NAMES[node.view.to_play]}.`);
    return;
  }
  if (vertex === "pass" && !game.isGo) {
    say("Nobody passes in Gomoku.", true);
    return;
  }
  const at = place(vertex, game.size);
  if (at && node.view.stones[at.row * game.size + at.col] !== ".") {
    say(`${vertex} is occupied.`, true);
    return;
  }
  if (node.view.illegal[vertex]) {
    say(isEnded(node) ? "The game is over." : `${vertex} ${node.view.illegal[vertex]}.`, true);
    return;
  }
  try {
    const { move, ...view } = await link.ask("play", { ...game.at(node), move: vertex });
    if (game !== state.game || node !== game.node) return;
    const child = game.add(move);
    child.view = view;
    state.hover = board.cursor ? vertex : null;
    Object.assign(state, { count: null, note: null });
    await show();
  } catch (error) {
    say(error.message, true);
  }
}

function isMugosTurn() {
  const { game, human, thinking } = state;
  const { view, children } = game.node;
  return human && human !== "both" && !game.info.result && !thinking && view && !view.over && !children.length
    && view.to_play !== human;
}

async function letMugoPlay() {
  const { game, level } = state;
  const { node } = game;
  Object.assign(state, { thinking: node, sweep: null });
  render();
  let answer;
  try {
    answer = await link.ask("choose", { ...game.at(node), level }, ({ thought, waiting }) => {
      state.waiting = waiting;
      if (thought) heard(game, node, thought);
    });
  } finally {
    if (state.thinking === node) state.thinking = null;
  }
  if (game !== state.game || answer.stopped) return;
  if (answer.thought) heard(game, node, answer.thought);
  if (answer.move === "resign") {
    finish(`${node.view.to_play === "B" ? "W" : "B"}+R`);
    return;
  }
  const isShown = game.node === node;
  const before = game.node;
  game.show(node);
  game.add(`${node.view.to_play} ${answer.move}`);
  if (!isShown) game.show(before);
  state.note = null;
  await show();
}

/** The game is over. */
function finish(result) {
  state.game.info.result = result;
  state.note = null;
  state.thinking = null;
  keep();
  render();
  analyse();
}

export async function undo() {
  const { game } = state;
  if (!game.node.parent) return;
  if (state.thinking) {
    state.thinking = null;
    await link.ask("stop");
  }
  Object.assign(state, { count: null, note: null });
  if (!state.human && game.node.children.length) {
    game.show(game.node.parent);         // a game that is looked at keeps its moves
  } else {
    if (game.info.result && state.human) delete game.info.result;
    game.remove();
    const turn = (node) => (node.move ? (node.move[0] === "B" ? "W" : "B") : game.start.first);
    if (state.human && state.human !== "both" && turn(game.node) !== state.human && game.node.parent) game.remove();
  }
  await show();
}

export async function resign() {
  if (state.thinking) {
    state.thinking = null;
    await link.ask("stop");
  }
  finish(`${state.human === "B" ? "W" : "B"}+R`);
}

// ---- counting

export async function openCount() {
  const { game } = state;
  if (!game.isGo) return;
  const { node } = game;
  const count = await link.ask("score", game.at(node));
  if (node === game.node) setCount(count);
}

export async function toggleDead(vertex) {
  const { game, count } = state;
  const at = place(vertex, game.size);
  if (game.node.view.stones[at.row * game.size + at.col] === ".") return;
  try {
    setCount(await link.ask("score", { ...game.at(), dead: count.dead, toggle: vertex }));
  } catch (error) {
    say(error.message, true);
  }
}

function setCount(count) {
  const { game } = state;
  state.count = count;
  state.note = null;
  if (game.node.view.over && state.human) game.info.result = count.result;
  keep();
  render();
}
