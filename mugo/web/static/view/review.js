// The graph, the list of mistakes and the statistics, drawn again when the line, its values or its unit have changed.

import { valuesOf } from "../core/analysis.js";
import { LISTED_LEVEL, formatLoss, formatLossWithUnit, levelNames, lossSentence, mistakes } from "../core/losses.js";
import { PHASES, phaseEnds, statistics } from "../core/review.js";
import { colourName, formatLead, joined, language, percent, t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import {
  isAnalysisHidden, lineLosses, mistakeOnBoard, nextMistake, personsColour, reviewedColour,
} from "../queries.js";
import { Graph } from "./graph.js";
import { renderStatistics } from "./statistics.js";

const MISTAKES = 12;                     // in the list

export const graph = new Graph(byId("graph"));
let drawn = {};

export function renderReview(state) {
  const { game, settings, at } = state;
  const now = { game, revision: game.revision, line: game.line(), unit: settings.graphUnit,
    isHidden: isAnalysisHidden(state), colour: reviewedColour(state), own: personsColour(state), language };
  if (Object.keys(now).some((name) => now[name] !== drawn[name])) {
    renderLine(state, now);
    drawn = now;
  }
  graph.showCurrent(game.index());
  const shown = at.mistake?.index ?? game.index();
  for (const row of byId("mistake-list").tBodies[0].rows) {
    row.setAttribute("aria-current", String(Number(row.dataset.index) === shown));
  }
  renderMistakeBar(state);
}

function renderLine(state, { line, isHidden, colour, own }) {
  const { game, settings } = state;
  byId("hidden-analysis").hidden = !isHidden;
  byId("win-rates").hidden = isHidden;
  const hasLeads = line.some((node) => (valuesOf(node)?.lead ?? node.value_lead) != null);
  byId("graph-unit").disabled = !hasLeads;
  byId("graph-unit").value = hasLeads ? settings.graphUnit : "win_rate";
  const lost = lineLosses(state);
  renderGraph(game, line, lost);
  const found = mistakes(lost.moves, colour);
  const listed = found.slice(0, MISTAKES);
  byId("mistakes").hidden = isHidden || !lost.moves.length;
  byId("statistics").hidden = isHidden || !lost.moves.length;
  renderStatistics(statistics(lost, game.size), lost.unit, game.isGo);
  byId("mistake-list").hidden = !listed.length;
  byId("no-mistakes").hidden = Boolean(listed.length);
  byId("mistake-count").textContent = found.length > MISTAKES
    ? t("largestOf", { shown: MISTAKES, count: found.length }) : "";
  byId("whose").options[1].disabled = !own;
  byId("whose").options[1].textContent = own ? t("whoseMineColour", { colour: colourName(own) }) : t("whoseMine");
  byId("mistake-unit").textContent = t(lost.unit === "lead" ? "pointsLost" : "percentLost");
  updateChildren(byId("mistake-list").tBodies[0], listed.map((each) => mistakeRow(game, each)));
}

function mistakeRow(game, mistake) {
  const { node, index, colour, vertex, lost, unit, level, better } = mistake;
  const row = document.createElement("tr");
  row.tabIndex = 0;
  row.dataset.index = index;
  row.setAttribute("aria-label", lossSentence(mistake, game.printedNumber(node)));
  row.setAttribute("aria-current", "false");
  const text = better === vertex ? t("theSame") : better ?? "";    // the search preferred this move, too
  for (const cell of [game.printedNumber(node), `${colour === "B" ? "●" : "○"} ${vertex}`, formatLoss(lost, unit), text]) {
    row.insertCell().textContent = cell;
  }
  row.cells[2].className = `loss-text level-${level}`;
  row.cells[2].title = levelNames()[level];
  return row;
}

function renderGraph(game, line, lost) {
  const ofNode = new Map(lost.moves.map((each) => [each.index, each]));
  const marks = lost.moves.filter(({ level }) => level >= LISTED_LEVEL);
  const ends = game.isGo ? [...phaseEnds(game.size), Infinity] : [];
  graph.show(line, byId("graph-unit").value, { marks, phases: ends.map((end, i) => ({ name: t(PHASES[i]), end })),
    describe: (index) => describe(game, line[index], ofNode.get(index)) });
}

/** '47 Black D4 · B+3.2 · lost 5.3 points'. */
function describe(game, node, loss) {
  if (!node) return "";
  const values = valuesOf(node) ?? (node.value == null ? null : { win_rate: node.value, lead: node.value_lead });
  const [colour, vertex] = node.move?.split(" ") ?? [];
  const move = colour ? `${game.printedNumber(node)} ${colourName(colour)} ${vertex}` : t("atTheStart");
  const value = !values ? "" : formatLead(values.lead) || t("blackPercent", { rate: percent(values.win_rate) });
  return joined(move, value, loss && loss.lost > 0 && t("lostInGraph", { loss: formatLossWithUnit(loss.lost, loss.unit) }));
}

/** The buttons that step from mistake to mistake, and switch the line on the board. */
function renderMistakeBar(state) {
  const shown = mistakeOnBoard(state);
  byId("mistake-line").hidden = !shown;
  byId("mistake-text").textContent = shown ? lossSentence(shown, state.game.printedNumber(shown.node)) : "";
  byId("show-better-line").disabled = !shown?.better || shown.better === shown.vertex;
  const line = byId("show-better-line").disabled ? "played" : state.at.mistakeLine;
  byId("show-better-line").setAttribute("aria-pressed", String(line === "better"));
  byId("show-played-line").setAttribute("aria-pressed", String(line === "played"));
  byId("previous-mistake").disabled = !nextMistake(state, -1);
  byId("next-mistake").disabled = !nextMistake(state, 1);
}
