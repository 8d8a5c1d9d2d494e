// Teaching: a move of the person that loses much is offered back before MuGo answers.
//
//   position before --search--> lead        loss = lead before - lead after, of the side that moved
//   position after  --search--> lead        win rates, where no network with scores plays the board
//
// The position before is searched while the person thinks.  What the searches find is shown only with an offer.

import { fetchPosition, setOverlay, storeSearch } from "./analysis.js";
import { LEVELS, formatLoss } from "./core/losses.js";
import { showNode, undo } from "./play.js";
import { render, showMessage } from "./render.js";
import { byId, connection, searchPlayer, state, storeState } from "./state.js";

const SIMULATIONS = { mcts: 1600, uct: 8000 };   // of each search, at most
const MAX_SECONDS = 2;                           // of each search, by the clock
const MAX_WAIT = 10_000;                         // milliseconds for both, after which the game goes on without
const OFFERED_LEVELS = [2, 3, 4, 5];             // of LEVELS: those that can be selected
const SHOWN_MOVES = 3;                           // better moves named in the status line

/** Offer the levels of the server. */
export function updateLevels() {
  byId("teaching-level").replaceChildren(...OFFERED_LEVELS.map((level) =>
    new Option(`${LEVELS.lead[level - 1]} points / ${100 * LEVELS.win_rate[level - 1]} %`, level)));
  byId("teaching-level").value = state.teachingLevel;
}

byId("teaching").onchange = ({ target }) => {
  state.teaching = target.checked;
  if (!state.teaching) state.offer = null;
  storeState();
  showNode();
};
byId("teaching-level").onchange = ({ target }) => {
  state.teachingLevel = Number(target.value);
  storeState();
};
byId("take-back").onclick = () => takeBack();
byId("play-on").onclick = () => playOn();
byId("show-better").onclick = () => showBetter();

/** Whether the person has just played the move of the current node, in a game with teaching. */
function isToBeChecked() {
  const { game, human, teaching } = state;
  const { node } = game;
  return Boolean(teaching && human && node.move && node.parent && !node.isAccepted && !game.result && game.isInPlay()
    && game.isInPlay(node.parent) && (human === "both" || node.move[0] === human) && !game.reply() && !node.illegal
    && !node.stones && !node.position?.is_over);
}

/** Whether the game goes on after the current node: true, unless its move is offered back, or the person has left. */
export async function isMoveAccepted() {
  const { game } = state;
  const { node } = game;
  if (!isToBeChecked()) return true;
  state.checking = node;
  try {
    const before = await withinTime(evaluate(game, node.parent));
    const after = game.node === node && game === state.game && before ? await withinTime(evaluate(game, node)) : null;
    if (game !== state.game || node !== game.node || !isToBeChecked()) return false;
    if (!before || !after) return true;
    const unit = before.lead != null && after.lead != null ? "lead" : "win_rate";
    const lost = (before[unit] - after[unit]) * (node.move[0] === "B" ? 1 : -1);
    if (lost < LEVELS[unit][state.teachingLevel - 1]) {
      node.isAccepted = true;
      return true;
    }
    const loss = unit === "lead" ? `${formatLoss(lost, unit)} points` : `${formatLoss(lost, unit)} % of win rate`;
    state.offer = { node, text: `${node.move.slice(2)} lost ${loss}.` };
    return false;
  } finally {
    if (state.checking === node) state.checking = null;
    render();
  }
}

/** Search the current position while the person thinks, so that the check after the move is quick. */
export function prepareCheck() {
  const { game, human, teaching } = state;
  if (!teaching || !human || game.result || !game.isInPlay() || game.node.position?.is_over) return;
  if (state.genmoveNode || state.analyzing || state.gameAnalysis || (human !== "both" && game.toPlay() !== human)) return;
  evaluate(game, game.node).catch(() => {});
}

/** The search of a node, { win_rate, lead, moves }; null if it was stopped or has failed. */
function evaluate(game, node) {
  const player = searchPlayer();
  if (node.evaluation?.player === player) return Promise.resolve(node.evaluation);
  node.evaluating ??= (async () => {
    await fetchPosition(game, node);
    const fields = { ...game.requestFields(node), player, simulations: SIMULATIONS[player], seconds: MAX_SECONDS };
    const { search } = await connection.request("analyze", fields, () => {});
    if (!search) return null;
    node.evaluation = { player, ...search };
    if (!(node.visits > search.visits)) storeSearch(game, node, search);
    return node.evaluation;
  })().catch(() => null).finally(() => { delete node.evaluating; });
  return node.evaluating;
}

/** The value of a promise, or null when it takes too long: teaching never keeps a game from going on. */
function withinTime(promise) {
  return Promise.race([promise, new Promise((resolve) => { setTimeout(() => resolve(null), MAX_WAIT / 2); })]);
}

/** Go back to before the move; another one can be played. */
async function takeBack() {
  if (!state.offer) return;
  state.offer = null;
  await undo();
}

/** Keep the move; the game goes on. */
async function playOn() {
  if (!state.offer) return;
  state.offer.node.isAccepted = true;
  state.offer = null;
  await showNode();
}

/** Take the move back, and show what the search prefers, even where the analysis is hidden. */
async function showBetter() {
  const node = state.offer?.node.parent;
  if (!node) return;
  await takeBack();
  if (state.game.node !== node) return;
  state.revealed = { node, overlay: state.revealed?.overlay ?? state.overlay };
  if (!node.search) {
    const { player, ...search } = await evaluate(state.game, node) ?? {};
    if (search.moves) storeSearch(state.game, node, search);
  }
  setOverlay("search");
  const moves = node.search?.moves.slice(0, SHOWN_MOVES).map(({ move }) => move) ?? [];
  showMessage(moves.length ? `The search prefers ${moves.join(", ")}.` : "The search has found no better move.");
}

/** Put the overlay back that was on the board before better moves were shown, once another position is there. */
export function endReveal() {
  const { revealed, game } = state;
  if (!revealed || revealed.node === game.node) return;
  state.revealed = null;
  if (state.overlay === "search") setOverlay(revealed.overlay);
}

export function renderTeaching() {
  byId("teaching").checked = state.teaching;
  byId("teaching-level").value = state.teachingLevel;
  byId("teaching-level").disabled = !state.teaching;
  byId("offer").hidden = !state.offer;
}
