// The game that is played: which buttons can be pressed now, who plays, who is ahead, and its end.

import { colourName, resultText, sentence, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { canPlayFrom, canResign, canScore, currentValues, isEstimateShown, isGameScored, opponentName } from "../queries.js";

export function renderPlaying(state) {
  renderActions(state);
  renderPlayFrom(state);
  renderEnd(state);
  byId("estimate").setAttribute("aria-pressed", String(state.settings.estimates));
  const text = isEstimateShown(state) ? estimateText(state) : "";
  if (byId("estimate-text").textContent !== text) byId("estimate-text").textContent = text;
}

function renderActions(state) {
  const { game, human, at, files, autoplay, exercise } = state;
  byId("files").hidden = !files.length;
  byId("resign").disabled = !canResign(state);
  byId("delete").disabled = !game.node.parent;
  byId("undo").disabled = !game.undoTarget(human);
  byId("redo").disabled = !game.redoTarget(human);
  byId("score").hidden = !canScore(state);
  byId("score").setAttribute("aria-pressed", String(Boolean(at.score)));
  byId("autoplay").setAttribute("aria-pressed", String(Boolean(autoplay)));
  byId("autoplay").textContent = t(autoplay ? "stop" : "autoplay");
  byId("autoplay").disabled = Boolean(exercise) || (!autoplay && !game.next());
}

/** Who plays from a position of a game. */
function renderPlayFrom(state) {
  const { game, human, opponent } = state;
  const { played } = game;
  byId("play-from").disabled = byId("play-from-review").disabled = !canPlayFrom(state);
  byId("stop-playing").hidden = !human || !(played || game.root.properties !== undefined);
  byId("playing").hidden = !played;
  if (!played) return;
  const number = game.moveNumber(played.from);
  const who = human === "both" ? t(number ? "fromMoveBoth" : "fromStartBoth", { number })
    : t(number ? "fromMoveAgainst" : "fromStartAgainst",
      { number, colour: colourName(human), opponent: opponentName(state, opponent) });
  byId("playing").textContent = game.isInPlay() ? who : `${who} ${t("notInThatGame")}`;
}

/** The result of a game that was played, and what can follow. */
function renderEnd(state) {
  const { game: { result, opponents }, human, opponent, at: { score } } = state;
  const isOver = Boolean(human && result && !score);
  byId("game-over").hidden = !isOver;
  byId("score-done").hidden = !isGameScored(state);
  if (!isOver) return;
  const winner = ["B", "W"].includes(result[0]) ? result[0] : null;
  byId("game-over-title").textContent = sentence(resultText(result));
  byId("game-over-text").textContent = human === "both" || !winner ? ""
    : t(winner === human ? "youHaveWon" : "hasWon", { opponent: opponentName(state, opponent) });
  const keys = (opponents ?? []).map(({ key }) => key);
  const level = human === "both" ? -1 : keys.indexOf(opponent);
  byId("over-weaker").disabled = level < 1;
  byId("over-stronger").disabled = level < 0 || level === keys.length - 1;
  byId("over-again").disabled = !keys.length;
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
