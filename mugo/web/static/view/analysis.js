// The panel of the analysis: its buttons, the values of the position, and the table of moves.

import { valuesOf } from "../core/analysis.js";
import { LISTED_LEVEL, candidateLosses, formatShortLoss, levelNames } from "../core/losses.js";
import { distinctMoves } from "../core/lz.js";
import { secondsLeft, timeText } from "../core/review.js";
import { formatCount, formatLead, joined, percent, t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import {
  currentValues, isAnalysisHidden, isGameOver, isHalfAnalysed, isRestricted, listedSearch, thinkingNode,
} from "../queries.js";

const TABLE_ROWS = 6;                    // moves in the table of a search

export function renderAnalysis(state) {
  const { game: { node }, analyzing, lineAnalysis } = state;
  const isRunning = analyzing || state.at.isHintWanted;
  byId("analyze").setAttribute("aria-pressed", String(isRunning));
  byId("analyze").textContent = t(isRunning ? "stop" : state.region ? "searchOnlyHere" : "analyse");
  byId("analyze").disabled = isGameOver(node) && !analyzing;
  byId("hint").disabled = isGameOver(node);
  byId("analyze-game").setAttribute("aria-pressed", String(Boolean(lineAnalysis)));
  byId("analyze-game").disabled = Boolean(thinkingNode(state));
  byId("analyze-game").textContent = t(lineAnalysis ? "stop" : isHalfAnalysed(state) ? "goOnAnalysing" : "analyseAll");
  byId("depth").disabled = Boolean(lineAnalysis);
  byId("line-progress").hidden = byId("stop-review").hidden = !lineAnalysis;
  byId("line-progress").textContent = lineAnalysis ? progressText(lineAnalysis) : "";
  if (isRunning) byId("analysis").open = true;
  byId("search-summary").textContent = isAnalysisHidden(state) ? "" : summary(state);
  renderMoves(state);
}

/** '45 of 284, about 2 min left.' */
function progressText(lineAnalysis) {
  const { done, nodes, isDeeper } = lineAnalysis;
  const what = t(isDeeper ? "aroundMistakes" : "doneOf", { done, count: nodes.length });
  return `${[what, timeText(secondsLeft(lineAnalysis))].filter(Boolean).join(", ")}.`;
}

function summary(state) {
  const { job, game: { node } } = state;
  const isLocal = isRestricted(state);
  const values = isLocal ? state.at.localSearch : currentValues(state);
  const waiting = job?.isWaiting && job.node === node ? t("waitingForOthers") : "";
  if (!values || thinkingNode(state) === node) return waiting;
  const value = t("blackWins", { rate: percent(values.win_rate, 1) });
  const marked = isLocal ? t("hereValue", { value }) : valuesOf(node) ? value : t("atAGlanceValue", { value });
  return joined(marked, formatLead(values.lead), values.visits ? t("visitsCount", { count: values.visits }) : "",
    node.analysis?.is_full ? t("treeIsFull") : "", waiting);
}

function renderMoves(state) {
  const { position } = state.game.node;
  const analysis = listedSearch(state);
  const isHidden = !analysis?.moves.length || !position || thinkingNode(state) === state.game.node || isAnalysisHidden(state);
  byId("moves").hidden = isHidden;
  if (isHidden) return;
  const moves = distinctMoves(analysis, TABLE_ROWS);
  const losses = candidateLosses(moves, position.to_play);
  const hasLeads = moves.some(({ lead }) => lead != null);
  byId("lead-column").hidden = !hasLeads;
  byId("loss-column").textContent = losses?.[0].unit === "win_rate" ? "−%" : t("columnLoss");
  const rows = moves.map((info, rank) => {
    const row = document.createElement("tr");
    row.tabIndex = 0;
    row.dataset.move = info.move;
    row.setAttribute("aria-label", t("playVertex", { vertex: info.move }));
    const loss = losses?.[rank];
    const lead = hasLeads ? [formatLead(info.lead)] : [];
    const prior = info.prior == null ? "" : percent(info.prior, 1);          // it is not stored
    const lost = loss ? (rank ? formatShortLoss(loss.lost, loss.unit, info.visits) : t("best")) : "";
    const [winRate, line] = [percent(info.win_rate, 1), info.pv.slice(1).join(" ")];
    for (const text of [info.move, lost, ...lead, winRate, formatCount(info.visits), prior, line]) {
      row.insertCell().textContent = text;
    }
    row.cells[1].title = levelNames()[loss?.level - LISTED_LEVEL] ?? "";
    row.cells[0].className = loss ? `loss-text level-${loss.level}` : "";
    row.lastChild.title = info.pv.join(" ");
    return row;
  });
  updateChildren(byId("moves").tBodies[0], rows);
}

/** The move of the row under the mouse or with the focus; null if there is none.  Another one may be in its place now. */
export const pointedMove = () => byId("moves").tBodies[0].querySelector("tr:hover, tr:focus-visible")?.dataset.move ?? null;
