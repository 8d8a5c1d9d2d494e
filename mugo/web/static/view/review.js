// The graph, and the list of mistakes.  They are drawn again when the line, its values or its unit have changed.

import { valuesOf } from "../core/analysis.js";
import { formatLoss, lostByMoves, meanLosses, mistakes } from "../core/losses.js";
import { COLOUR_NAMES } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import { isAnalysisHidden } from "../queries.js";
import { Graph } from "./graph.js";

const MISTAKES = 12;                     // in the list

export const graph = new Graph(byId("graph"));
let drawn = {};

export function renderReview(state) {
  const { game, settings } = state;
  const now = { game, revision: game.revision, line: game.line(), unit: settings.graphUnit, isHidden: isAnalysisHidden(state) };
  if (Object.keys(now).some((name) => now[name] !== drawn[name])) {
    renderLine(state, now);
    drawn = now;
  }
  graph.showCurrent(game.index());
  for (const row of byId("mistake-list").tBodies[0].rows) {
    row.setAttribute("aria-current", String(Number(row.dataset.index) === game.index()));
  }
}

function renderLine({ game, settings }, { line, isHidden }) {
  byId("hidden-analysis").hidden = !isHidden;
  byId("win-rates").hidden = isHidden;
  const hasLeads = line.some((node) => (valuesOf(node)?.lead ?? node.value_lead) != null);
  byId("graph-unit").disabled = !hasLeads;
  byId("graph-unit").value = hasLeads ? settings.graphUnit : "win_rate";
  graph.show(line, byId("graph-unit").value);
  const lost = lostByMoves(line);
  const listed = mistakes(lost.moves).slice(0, MISTAKES);
  byId("mistakes").hidden = isHidden || !lost.moves.length;
  byId("mean-losses").textContent = meanLosses(lost);
  byId("mistake-list").hidden = !listed.length;
  byId("mistake-unit").textContent = lost.unit === "lead" ? "Points lost" : "% lost";
  updateChildren(byId("mistake-list").tBodies[0], listed.map(({ node, index, colour, vertex, lost: loss, level, better }) => {
    const row = document.createElement("tr");
    row.tabIndex = 0;
    row.dataset.index = index;
    row.setAttribute("aria-label", `Go to move ${game.printedNumber(node)}`);
    row.setAttribute("aria-current", "false");
    const text = better === vertex ? "the same" : better ?? "";    // the search preferred this move, too
    for (const cell of [game.printedNumber(node), `${COLOUR_NAMES[colour]} ${vertex}`, formatLoss(loss, lost.unit), text]) {
      row.insertCell().textContent = cell;
    }
    row.cells[2].className = `loss-text level-${level}`;
    return row;
  }));
}
