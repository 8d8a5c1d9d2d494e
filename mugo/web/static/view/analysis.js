// The panel of the analysis: its buttons, the values of the position, and the table of moves.

import { valuesOf } from "../core/analysis.js";
import { formatCount, formatLead, formatPoints, percent } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import { currentValues, hasNetwork, isAnalysisHidden, isGameOver, searchPlayer, thinkingNode } from "../queries.js";

const TABLE_ROWS = 6;                    // moves in the table of a search

export function renderAnalysis(state) {
  const { game: { node }, analyzing, lineAnalysis } = state;
  const isRunning = analyzing || state.at.isHintWanted;
  byId("analyze").setAttribute("aria-pressed", String(isRunning));
  byId("analyze").textContent = isRunning ? "Stop" : "Analyse";
  byId("analyze").disabled = isGameOver(node) && !analyzing;
  byId("hint").disabled = isGameOver(node);
  byId("search-player").value = searchPlayer(state);
  byId("search-player").querySelector("[value=mcts]").disabled = !hasNetwork(state);
  byId("analyze-game").setAttribute("aria-pressed", String(Boolean(lineAnalysis)));
  byId("analyze-game").disabled = Boolean(thinkingNode(state));
  byId("analyze-game").textContent = lineAnalysis ? `Stop (${lineAnalysis.done} of ${lineAnalysis.nodes.length})` : "Analyse all moves";
  byId("search-summary").textContent = isAnalysisHidden(state) ? "" : summary(state);
  renderMoves(state);
}

function summary(state) {
  const { job, game: { node } } = state;
  const values = currentValues(state);
  const waiting = job?.isWaiting && job.node === node ? " · waiting for other searches" : "";
  if (!values || thinkingNode(state) === node) return waiting.slice(3);
  const visits = values.visits ? ` · ${values.visits.toLocaleString("en")} visits` : "";
  return `${valuesOf(node) ? "" : "At a glance: "}Black wins ${percent(values.win_rate, 1)} %${formatLead(values.lead)}${visits}${waiting}`;
}

function renderMoves(state) {
  const { analysis, position } = state.game.node;
  const isHidden = !analysis?.moves.length || !position || thinkingNode(state) === state.game.node || isAnalysisHidden(state);
  byId("moves").hidden = isHidden;
  if (isHidden) return;
  const hasLeads = analysis.moves.some(({ lead }) => lead != null);
  byId("lead-column").hidden = !hasLeads;
  const rows = analysis.moves.slice(0, TABLE_ROWS).map((info) => {
    const row = document.createElement("tr");
    row.tabIndex = 0;
    row.dataset.move = info.move;
    row.setAttribute("aria-label", `Play ${info.move}`);
    const winRate = position.to_play === "B" ? info.win_rate : 1 - info.win_rate;
    const lead = hasLeads ? [formatPoints(info.lead, position.to_play)] : [];
    const prior = info.prior == null ? "" : percent(info.prior, 1);          // it is not stored
    for (const text of [info.move, percent(winRate, 1), ...lead, formatCount(info.visits), prior, info.pv.slice(1).join(" ")]) {
      row.insertCell().textContent = text;
    }
    return row;
  });
  updateChildren(byId("moves").tBodies[0], rows);
}

/** The move of the row under the mouse or with the focus; null if there is none.  Another one may be in its place now. */
export const pointedMove = () => byId("moves").tBodies[0].querySelector("tr:hover, tr:focus-visible")?.dataset.move ?? null;
