// Through the game: steps, variations, undo and redo, and autoplay.

import { confirm } from "../ask.js";
import { t } from "../core/texts.js";
import { change, resetAt, settleScore, state } from "../store.js";

const AUTOPLAY_SECONDS = 1;              // between two moves
let timer = null;

/** Go somewhere, and leave what was written or asked. */
function leave(go) {
  change(() => {
    settleScore(state);
    Object.assign(state, { writing: null, exercise: null });
    go(state.game);
    resetAt();
  });
}

export function goTo(node) { leave((game) => game.goTo(node)); }

/** Go to a node of the current line, by its index. */
export const goToIndex = (index) => goTo(state.game.line()[index]);

/** target: "first", "previous", "next" or "last". */
export function step(target) {
  const { game, exercise } = state;
  if (exercise) return;                  // it would show the move that is asked for
  const node = { first: game.root, previous: game.node.parent, next: game.next(), last: game.line().at(-1) }[target];
  if (node && node !== game.node) goTo(node);
}

/** Go to another variation at the nearest branching point at or before the current node. */
export function switchVariation(offset) {
  let { node } = state.game;
  if (node.children.length < 2) node = node.parent;
  while (node && node.children.length < 2) node = node.parent;
  if (!node) return;
  goTo(node.children[(node.selected + offset + node.children.length) % node.children.length]);
}

/** Go back to the main line, to where the variation of the current node begins. */
export function backToMainLine() {
  if (state.game.branching()) leave((game) => game.leaveVariation());
}

/** Make the variation of the current node the main line. */
export function promote() {
  if (state.game.branching()) leave((game) => game.promote());
}

/** Go back one move; in a game against MuGo, to the person's turn before.  The moves stay in the game. */
export function undo() {
  const { game, human } = state;
  if (!game.undoTarget(human)) return;
  cancelGenmove();
  leave(() => {
    game.undo(human);
    game.rewindClock();
  });
}

/** Go forward one move; in a game against MuGo, to the person's next turn. */
export function redo() {
  const { game, human } = state;
  const node = game.redoTarget(human);
  if (!node) return;
  const isInPlay = game.isInPlay() && game.isInPlay(node);
  leave(() => {
    game.goTo(node);
    if (isInPlay) game.rewindClock();
  });
}

/** Delete the current move and those after it. */
export async function deleteMove() {
  const { game } = state;
  const { node } = game;
  if (!node.parent) return;
  const question = node.move ? t("deleteMoveQuestion", { number: game.moveNumber() }) : t("deleteNodeQuestion");
  if (!await confirm(question, t("delete")) || game !== state.game || node !== game.node) return;
  cancelGenmove();
  leave(() => {
    const isPlayed = Boolean(game.played);
    game.remove(state.human);
    if (isPlayed && !game.played) stopPlaying();
    game.rewindClock();
  });
}

/** MuGo's move is not awaited any more. */
export function cancelGenmove() {
  if (state.job?.kind === "genmove") change(() => { state.job.isCancelled = true; });
}

/** Back to viewing: MuGo plays no more, and new moves are variations.  The moves so far stay. */
export function stopPlaying() {
  change(() => {
    state.human = null;
    state.settings.mode = "review";
    Object.assign(state.game, { played: null, clock: null, undone: null });
    state.game.touch(false);
    resetAt();
  });
}

// ---- autoplay: a move every few seconds, until the end of the line

export function toggleAutoplay() {
  if (state.exercise) return;
  if (state.autoplay || !state.game?.next()) stopAutoplay();
  else startAutoplay();
}

function startAutoplay() {
  change(() => { state.autoplay = state.game; });
  timer = setTimeout(() => {
    const { exercise, tool, writing } = state;
    if (state.game !== state.autoplay || exercise || tool !== null || writing || document.querySelector("dialog[open]")) {
      stopAutoplay();
      return;
    }
    step("next");
    if (state.game.next()) startAutoplay();
    else stopAutoplay();
  }, 1000 * AUTOPLAY_SECONDS);
}

function stopAutoplay() {
  clearTimeout(timer);
  change(() => { state.autoplay = null; });
}
