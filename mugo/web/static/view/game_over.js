// The end of a game that was played: the result, and what can follow.  And the estimate of who is ahead, before that.

import { colourName, resultText, sentence, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { currentValues, isEstimateShown, isGameScored, opponentName } from "../queries.js";

export function renderGameOver(state) {
  const { game, human, opponent, at } = state;
  const isOver = Boolean(human && game.result && !at.score);
  byId("game-over").hidden = !isOver;
  byId("score-done").hidden = !isGameScored(state);
  if (isOver) {
    const { result } = game;
    const winner = ["B", "W"].includes(result[0]) ? result[0] : null;
    byId("game-over-title").textContent = sentence(resultText(result));
    byId("game-over-text").textContent = human === "both" || !winner ? ""
      : t(winner === human ? "youHaveWon" : "hasWon", { opponent: opponentName(state, opponent) });
    const keys = (game.opponents ?? []).map(({ key }) => key);
    const at = human === "both" ? -1 : keys.indexOf(opponent);
    byId("over-weaker").disabled = at < 1;
    byId("over-stronger").disabled = at < 0 || at === keys.length - 1;
    byId("over-again").disabled = !keys.length;
  }
  byId("estimate").setAttribute("aria-pressed", String(state.settings.estimates));
  const text = isEstimateShown(state) ? estimateText(state) : "";
  if (byId("estimate-text").textContent !== text) byId("estimate-text").textContent = text;
}

/** 'Black is ahead by about 5 points.'  By the lead that is next to the board, if it is known. */
function estimateText(state) {
  const { ownership } = state.game.node;
  if (!ownership) return t("counting");
  const lead = currentValues(state)?.lead ?? ownership.lead;
  const points = Math.round(Math.abs(lead));
  if (!points) return t("aboutEven");
  return t("isAhead", { colour: colourName(lead > 0 ? "B" : "W"), count: points });
}
