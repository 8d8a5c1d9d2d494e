// Scoring: which chains are dead, and the points of both sides.

import { indexOf } from "../core/coordinates.js";
import { t } from "../core/texts.js";
import { canScore } from "../queries.js";
import { server } from "../server.js";
import { change, settleScore, showError, showMessage, showScore, state } from "../store.js";

let toggling = Promise.resolve();        // chains wait for those before them

/** Show the score of the position, or the position again. */
export async function toggleScore() {
  const { game, at } = state;
  if (!game?.isGo) return;
  if (!canScore(state)) {
    showMessage(t("scoreAfterPasses"));
    return;
  }
  change(() => Object.assign(state, { tool: null }));
  if (at.score) {
    change(() => Object.assign(at, { score: null, isScoreHidden: true }));
    return;
  }
  try {
    const score = await server.request("score", game.requestFields(at.node));
    if (state.at === at) change(() => showScore(state, score));
  } catch (error) {
    showError(error);
  }
}

/** Switch the chain on a point between dead and alive. */
export function toggleDead(vertex) {
  const { game, at } = state;
  if (at.node.position.stones[indexOf(vertex, game.size)] === ".") {
    showMessage(t("pointIsEmpty", { vertex }));
    return;
  }
  const isScored = () => state.at === at && at.score;
  toggling = toggling.then(async () => {
    if (!isScored()) return;
    const score = await server.request("score", { ...game.requestFields(at.node), dead: at.score.dead, toggle: vertex });
    if (isScored()) change(() => {
      showScore(state, score);
      settleScore(state);
    });
  }).catch(showError);
}
