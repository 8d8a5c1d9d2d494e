// Whose turn it is and who leads: the status line, with a result, a score or a message; the board's label for screen readers;
// and the bar next to the board, black as far as Black leads.

import { TOOLS } from "../core/edit_properties.js";
import { asked, exerciseText } from "../core/exercises.js";
import { lossSentence } from "../core/losses.js";
import { barShare } from "../core/review.js";
import {
  colourName, formatLead, formatNumber, joined, moveText, percent, resultText, scoreText, sentence, t,
} from "../core/texts.js";
import { byId } from "../dom.js";
import {
  currentValues, isAnalysisHidden, isClosed, mistakeOnBoard, offer, screen, thinkingNode, touchedVertex, warning,
} from "../queries.js";

export function renderStatus(state) {
  const { game, at: { message, score } } = state;
  const status = byId("status");
  status.classList.toggle("error", Boolean(message?.isError));
  const text = message?.text ?? (score && screen(state) === "game" ? countText(state) : positionText(state));
  if (status.textContent !== text) status.textContent = text;      // else a screen reader may read it again
  byId("board").setAttribute("aria-roledescription", t(game.isGo ? "goBoard" : "gomokuBoard"));
  byId("board").setAttribute("aria-label", boardText(state));
  byId("offer").hidden = !offer(state);
  byId("open-replaced").hidden = !state.replaced;
  byId("play-touched").hidden = !touchedVertex(state);
  byId("play-touched").textContent = t("playVertex", { vertex: touchedVertex(state) });
}

/** The count, which the panel of a game that has ended shows too, and what can be done with it. */
const countText = ({ at: { score }, human, game }) =>
  `${human && game.result ? sentence(resultText(score.result)) : scoreText(score)} ${t("clickAChain")}`;

/** The board for screen readers: its size, the last move, whose turn it is, and what keys do. */
function boardText({ game, tool, at: { choosing } }) {
  const { position, move } = game.node;
  const [colour, vertex] = move?.split(" ") ?? [];
  const parts = [t("boardLabel", { cols: game.size.cols, rows: game.size.rows, number: game.moveNumber() }),
    colour && t("lastMove", { colour: colourName(colour), vertex }), position && t("toPlay", { colour: colourName(position.to_play) })];
  const keys = choosing ? t("arrowKeysChoose") : tool === null ? t("arrowKeysPlay") : t("arrowKeysEdit", { tool: t(TOOLS[tool].title) });
  return `${parts.filter(Boolean).join(", ")}. ${keys}`;
}

/** What the server is still waiting for: functions that its first start compiles, a network that is loaded; "" for nothing. */
export function waitingText({ server: { compiled, loading } }) {
  const megabytes = (bytes) => formatNumber(bytes / 1e6, 1);
  if (loading) return t("loadingNetwork", { loaded: megabytes(loading.loaded), total: megabytes(loading.total) });
  return compiled ? t("compiling", { count: compiled }) : "";
}

function positionText(state) {
  const { game, human, exercise } = state;
  const { position, move, illegal, stones } = game.node;
  if (!position || state.server.loading || screen(state) !== "game") return waitingText(state);
  if (exercise) return exerciseText(exercise, game.printedNumber(asked(exercise) ?? game.node), state.server.planes.go);
  const mistake = mistakeOnBoard(state);
  if (mistake) return lossSentence(mistake, game.printedNumber(mistake.node));
  if (touchedVertex(state)) return [warning(state), t("tapAgain", { vertex: touchedVertex(state) })].filter(Boolean).join(" ");
  if (thinkingNode(state) === game.node) return waitingText(state) || t("muGoIsThinking");
  const offered = offer(state);
  if (offered) return offered.text;
  const result = position.result ?? game.resultAt(game.node);
  const rest = result ? resultText(result)
    : position.is_over ? t("gameIsOver") : t("toPlay", { colour: colourName(position.to_play) });
  if (illegal) return [illegal, t(stones ? "shownAsRecorded" : "leftOut"), rest].map(sentence).join(" ");
  if (isClosed(state)) return [move && moveText(move), t("bordersClosed")].filter(Boolean).join(" ");
  const what = warning(state) || sentence(rest);
  return [move && moveText(move), what, !move && human && !result && t("clickToPlay")].filter(Boolean).join(" ");
}

export function renderLeadBar(state) {
  const values = isAnalysisHidden(state) || screen(state) !== "game" ? null : currentValues(state);
  const bar = byId("lead-bar");
  bar.classList.toggle("unknown", !values);
  if (!values) return;
  const rate = percent(values.win_rate);
  const lead = formatLead(values.lead);
  bar.style.setProperty("--black", `${(100 * barShare(values)).toFixed(1)}%`);
  bar.title = joined(lead || t("blackPercent", { rate }), t("blackWins", { rate }));
  bar.setAttribute("aria-label", joined(t("blackWins", { rate }), lead));
  bar.firstElementChild.textContent = lead || `${rate}%`;
  bar.dataset.leader = (values.lead ?? values.win_rate - 0.5) < 0 ? "white" : "black";
}
