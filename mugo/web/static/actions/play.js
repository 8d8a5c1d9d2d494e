// Moves of the person, the end of a game, playing on from a position, and what is done with a move that is offered back.

import { confirm } from "../ask.js";
import { GameClock, formatSettings } from "../core/clock.js";
import { distinctMoves } from "../core/lz.js";
import { t } from "../core/texts.js";
import { canResign, isMuGoToMove, isMuGosColour, moveError, offer, playerName } from "../queries.js";
import { fetchPosition } from "../requests.js";
import { server } from "../server.js";
import { change, resetAt, showError, showMessage, state } from "../store.js";
import { answer } from "./exercises.js";
import { answerLesson } from "./start.js";
import { cancelGenmove, undo } from "./navigate.js";

const SHOWN_MOVES = 3;                   // better moves named in the status line

let playing = Promise.resolve();         // moves of the person wait for those before them
let pressed = null;                      // the point of the last one that waits

/** Play a move of the person, after those that the server has not answered yet.  isKept: whether the board's cursor stays. */
export function play(vertex, isKept = false) {
  const { game } = state;
  if (state.exercise || state.lesson) {
    (state.lesson ? answerLesson : answer)(vertex).catch(showError);
    return;
  }
  if (!game || (vertex === pressed && vertex !== "pass")) return;      // no game yet, or a double click
  const { result } = game;               // a flag may fall meanwhile
  pressed = vertex;
  playing = playing.then(() => {
    if (game === state.game && game.result === result) return addMove(game, vertex, isKept);
    return null;
  }).catch(showError).finally(() => {
    if (pressed === vertex) pressed = null;
  });
}

async function addMove(game, vertex, isKept) {
  const { node, result } = game;
  const isShown = () => game === state.game && node === game.node && game.result === result;
  await fetchPosition(game, node);                                 // of a node that has just been shown
  if (!isShown()) return;
  const error = moveError(state, vertex);
  if (error) {
    if (isMuGoToMove(state)) change(() => state.at.failed.delete("genmove"));        // its search is tried again
    showMessage(error, !isMuGoToMove(state));
    return;
  }
  const { move, ...position } = await server.request("play", { ...game.requestFields(node), move: vertex });
  if (!isShown()) return;
  if (game.checkFlag()) {
    change();                            // the board shows the result
    return;
  }
  change(() => {
    const child = game.add(move);
    child.position = position;
    game.pressClock(node, child, move[0]);
    const reply = isMuGosColour(state) && game.isInPlay() ? game.reply() : null;
    if (reply?.move) {                                             // a move from before an undo: MuGo's reply is known
      const goesOn = game.undone === game.node;
      game.goTo(reply);
      if (goesOn) game.undone = game.node;
      game.pressClock(child, reply, reply.move[0]);
    }
    if (isKept) state.at.hover = vertex;
  });
}

export async function resign() {
  if (!canResign(state) || !await confirm(t("resignGame"), t("resign")) || !canResign(state)) return;
  change(({ game, human }) => {
    game.setResult(`${human === "B" ? "W" : "B"}+R`, game.lastInPlay());
    state.at.message = null;
  });
}

export function togglePause() {
  change(({ game }) => { if (game.clock) game.clock.isPaused = !game.clock.isPaused; });
}

/** Give a game its clock, from the current node on, and where the game begins there TM and OT. */
export function startClock(game, settings) {
  game.clock = settings && settings.main + settings.period + settings.increment ? new GameClock(settings, game.node) : null;
  if (game.clock && !game.node.parent && !game.played) Object.assign(game.info, formatSettings(settings));
}

/** Play from the current node.  human: "B", "W" or "both"; clock: settings of GameClock, or null. */
export function playFrom({ human, opponent, clock }) {
  cancelGenmove();
  change(({ game }) => {
    Object.assign(state, { human, opponent, lineAnalysis: null, tool: null, exercise: null });
    state.settings.mode = "play";
    game.playFrom();
    if (!game.played) for (const [colour, name] of [["B", "black"], ["W", "white"]]) game.info[name] ||= playerName(state, colour);
    startClock(game, clock);
    game.touch(false);
    resetAt();
  });
}

// ---- a move that is offered back

/** Go back to before the move; another one can be played. */
export function takeBack() { if (offer(state)) undo(); }

/** Keep the move; the game goes on. */
export function playOn() {
  const { node } = offer(state) ?? {};
  if (node) change(() => { node.isAccepted = true; });
}

/** Take the move back, and show what the search prefers, even where the analysis is hidden. */
export function showBetter() {
  const { parent } = offer(state)?.node ?? {};
  if (!parent) return;
  undo();
  if (state.game.node !== parent) return;
  if (!parent.analysis?.moves.length) {
    const { player, ...search } = parent.evaluation;
    parent.analysis = search;
  }
  const moves = distinctMoves(parent.analysis, SHOWN_MOVES).map(({ move }) => move);
  change(() => { state.at.overlay = "search"; });
  showMessage(moves.length ? t("searchPrefers", { moves: moves.join(", ") }) : t("noBetterMove"));
}
