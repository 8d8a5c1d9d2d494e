// Playing, navigation and scoring.

import { analyze, fetchOverlay, fetchPosition, storeSearch } from "./analysis.js";
import { checkFlag, pressClock, rewindClock, setFlagHandler } from "./clock_view.js";
import { confirm } from "./ask.js";
import { parseVertex } from "./core/coordinates.js";
import { stopPlaying } from "./play_from.js";
import { board, canResign, isGameOver, render, showMessage } from "./render.js";
import { hearNode } from "./sound.js";
import { byId, COLOUR_NAMES, connection, state, storeState } from "./state.js";
import { endReveal, isMoveAccepted, prepareCheck } from "./teaching.js";

/** Show the current node: request its position, then let MuGo move, or continue the analysis. */
export async function showNode() {
  const { game } = state;
  const { node } = game;
  storeState();
  render();
  try {
    await fetchPosition(game, node);
    if (game === state.game && node === game.node) render();
    if (!game.opponents) await fetchOpponents(game);
    if (game !== state.game || node !== game.node) return;
    render();
    if (node.position.is_over && !node.children.length && !game.resultAt(node) && state.tool === null) await showResult();
    hearNode(game, node);
    endReveal();
    if (await isMoveAccepted()) {
      if (shouldGenmove()) await genmove();
      else analyze();
    }
    await fetchOverlay();
    prepareCheck();
  } catch (error) {
    showMessage(error.message, true);
  }
}

/** Request the opponents in a game, and whether a network plays it. */
export async function fetchOpponents(game) {
  const { opponents, network_error } = await connection.request("opponents", game.requestFields(game.root));
  Object.assign(game, { opponents, networkError: network_error });
}

/** Show the result of a finished game: in Go start the scoring, in Gomoku set the winner. */
async function showResult() {
  const { game, human } = state;
  if (game.isGo) {
    if (!state.score) await startScoring();
  } else if (human && game.isInPlay() && !game.result) {
    game.setResult(game.node.position.result, game.node);
    storeState();
    render();
  }
}

// ---- navigation

export function goTo(node) {
  byId("comment").blur();                // its text belongs to the node that is left
  state.game.goTo(node);
  return showCurrentNode();
}

/** Show the node that the game has gone to. */
function showCurrentNode() {
  Object.assign(state, { score: null, hover: null, message: null, offer: null });
  return showNode();
}

/** target: "first", "previous", "next" or "last". */
export function step(target) {
  const { game } = state;
  const line = game.line();
  const node = { first: game.root, previous: game.node.parent, next: game.next(), last: line.at(-1) }[target];
  return node && node !== game.node ? goTo(node) : null;
}

/** Go to another variation at the nearest branching point at or before the current node. */
export function switchVariation(offset) {
  const { game } = state;
  let { node } = game;
  if (node.children.length < 2) node = node.parent;
  while (node && node.children.length < 2) node = node.parent;
  if (!node) return;
  const next = (node.selected + offset + node.children.length) % node.children.length;
  goTo(node.children[next]);
}

// ---- moves

let playing = Promise.resolve();         // moves of the person wait for those before them
let pressed = null;                      // the point of the last one that waits

/** Play a move of the person, after those that the server has not answered yet. */
export function play(vertex) {
  if (vertex === pressed && vertex !== "pass") return;             // a double click
  const { game } = state;
  pressed = vertex;
  playing = playing.then(() => (game === state.game ? addMove(vertex) : null)).finally(() => {
    if (pressed === vertex) pressed = null;
  });
}

async function addMove(vertex) {
  const { game } = state;
  const { node } = game;
  try {
    await fetchPosition(game, node);                               // of a node that has just been shown
    if (game !== state.game || node !== game.node) return;
    const error = moveError(vertex);
    if (error) {
      showMessage(error, !isMuGoToMove());
      if (shouldGenmove()) showNode();                             // its search has failed or was stopped
      return;
    }
    const { move, ...position } = await connection.request("play", { ...game.requestFields(node), move: vertex });
    if (game !== state.game || node !== game.node) return;
    if (checkFlag()) return;
    const child = game.add(move);
    child.position = position;
    pressClock(node, child, move[0]);
    const reply = isMuGosColour() && game.isInPlay() ? game.reply() : null;
    if (reply) {                                                   // a move from before an undo: MuGo's reply is known
      const goesOn = game.undone === game.node;
      game.goTo(reply);
      if (goesOn) game.undone = game.node;
      pressClock(child, reply, reply.move[0]);
    }
    state.hover = board.cursor ? vertex : null;
    Object.assign(state, { score: null, message: null, offer: null });
    showNode();
  } catch (error) {
    showMessage(error.message, true);
  }
}

/** Why the person cannot play there now; null if the move may be sent. */
export function moveError(vertex) {
  const { game } = state;
  const { node } = game;
  const { position } = node;
  if (isMuGosTurn() && game.isInPlay() && (state.offer || state.checking === node)) {
    return state.offer ? "Take the move back or play on first." : "Your move is being checked.";
  }
  if (isMuGoToMove()) return `MuGo is thinking: it plays ${COLOUR_NAMES[position.to_play]}.`;
  if (vertex === "pass" && !game.isGo) return "There is no pass in Gomoku.";
  const at = parseVertex(vertex, game.size);
  if (at && position.stones[at.row * game.size.cols + at.col] !== ".") return `${vertex} is occupied.`;
  if (position.illegal[vertex]) return isGameOver(node) ? "The game is over." : `${vertex} ${position.illegal[vertex]}.`;
  return null;
}

/** Whether MuGo is to play in the current node, in a game that goes on. */
function isMuGosTurn() { return isMuGosColour() && !state.game.result; }

function isMuGosColour() {
  const { game, human } = state;
  return human && human !== "both" && game.toPlay() !== human;
}

/** Whether MuGo is choosing a move for the current node, or is about to. */
function isMuGoToMove() { return state.genmoveNode === state.game.node || shouldGenmove(); }

/** Whether MuGo is to choose a move now. */
function shouldGenmove() {
  const { game } = state;
  const { position, children } = game.node;
  return isMuGosTurn() && state.tool === null && !state.genmoveNode && position && !position.is_over && game.isInPlay()
    && !children.some((child) => game.isInPlay(child));
}

/** Request MuGo's move in the current node, and play it there, even if the person has gone to another node. */
async function genmove() {
  const { game, opponent } = state;
  const { node } = game;
  Object.assign(state, { genmoveNode: node, gameAnalysis: null });
  render();
  let answer;
  try {
    const clock = game.clock?.node === node ? { clock: game.clock.forServer(game.toPlay(node)) } : {};
    answer = await connection.request("genmove", { ...game.requestFields(node), opponent, ...clock }, ({ search, waiting }) => {
      state.waiting = waiting;
      if (search) storeSearch(game, node, search);
    });
  } finally {
    if (game !== state.game || !checkFlag()) stopWaiting(node);
  }
  if (game !== state.game || answer.stopped || game.result) return;
  if (answer.search) storeSearch(game, node, answer.search);
  if (answer.move === "resign") {
    endGame(`${node.position.to_play === "B" ? "W" : "B"}+R`, node);
    return;
  }
  const current = game.node;
  game.goTo(node);
  const child = game.add(`${node.position.to_play} ${answer.move}`);
  pressClock(node, child, node.position.to_play);
  if (current !== node) game.goTo(current);
  state.message = null;
  await showNode();
}

function stopWaiting(node) {
  if (state.genmoveNode === node) state.genmoveNode = null;
}

/** The time of a colour has run out. */
setFlagHandler((colour) => {
  const { game } = state;
  if (state.genmoveNode) connection.request("stop").catch(() => {});
  endGame(`${colour === "B" ? "W" : "B"}+T`, game.clock.node);
  if (game.node !== game.clock.node) showMessage(`${COLOUR_NAMES[colour]} has lost on time.`);
});

/** End the game with a result in a node. */
function endGame(result, node) {
  state.game.setResult(result, node);
  state.message = null;
  state.genmoveNode = null;
  state.offer = null;
  storeState();
  render();
  analyze();
}

/** Go back one move; in a game against MuGo, to the person's turn before.  The moves stay in the game. */
export async function undo() {
  const { game, human } = state;
  if (!game.undoTarget(human)) return;
  await stopGenmove();
  if (game !== state.game || !game.undoTarget(human)) return;      // undone by another key meanwhile
  byId("comment").blur();
  game.undo(human);
  rewindClock();
  await showCurrentNode();
}

/** Go forward one move; in a game against MuGo, to the person's next turn. */
export function redo() {
  const { game } = state;
  const node = game.redoTarget(state.human);
  if (!node) return;
  const isInPlay = game.isInPlay() && game.isInPlay(node);
  game.goTo(node);
  if (isInPlay) rewindClock();
  showCurrentNode();
}

/** Delete the current move and those after it. */
export async function deleteMove() {
  const { game } = state;
  const { node } = game;
  if (!node.parent) return;
  const question = `Delete ${node.move ? `move ${game.moveNumber()}` : "this node"}, and all moves after it?`;
  const isShown = () => game === state.game && node === game.node;
  if (!await confirm(question, "Delete") || !isShown()) return;
  await stopGenmove();
  if (!isShown()) return;
  byId("comment").blur();
  const isPlayed = Boolean(game.played);
  game.remove(state.human);
  if (isPlayed && !game.played) await stopPlaying();
  rewindClock();
  await showCurrentNode();
}

/** Go back to the main line, to where the variation of the current node begins. */
export function backToMainLine() {
  const node = state.game.branching();
  if (node) goTo(node);
}

/** Make the variation of the current node the main line. */
export function promote() {
  state.game.promote();
  return showCurrentNode();
}

export async function resign() {
  if (!await confirm("Resign this game?", "Resign") || !canResign()) return;
  await stopGenmove();
  endGame(`${state.human === "B" ? "W" : "B"}+R`, state.game.lastInPlay());
}

export async function stopGenmove() {
  if (!state.genmoveNode) return;
  state.genmoveNode = null;
  await connection.request("stop");
}

// ---- scoring

export async function startScoring() {
  const { game } = state;
  if (!game.isGo) return;
  const { node } = game;
  const score = await connection.request("score", game.requestFields(node));
  if (game === state.game && node === game.node) setScore(score);
}

let toggling = Promise.resolve();        // chains wait for those before them

/** Switch the chain on a point between dead and alive. */
export function toggleDead(vertex) {
  const { game } = state;
  const { node } = game;
  const at = parseVertex(vertex, game.size);
  if (node.position.stones[at.row * game.size.cols + at.col] === ".") return;
  const isScored = () => game === state.game && node === game.node && state.score;
  toggling = toggling.then(async () => {
    if (!isScored()) return;
    const score = await connection.request("score", { ...game.requestFields(), dead: state.score.dead, toggle: vertex });
    if (isScored()) setScore(score);
  }).catch((error) => showMessage(error.message, true));
}

function setScore(score) {
  const { game } = state;
  state.score = score;
  state.message = null;
  const { resultNode } = game;
  if (game.node.position.is_over && state.human && game.isInPlay() && (!resultNode || resultNode === game.node)) {
    game.setResult(score.result, game.node);
  }
  storeState();
  render();
}
