// The card of the review: a line for each side, the graph, and the way from mistake to mistake.  The sides, the graph and
// the statistics are drawn again when the line or its values have changed.

import { valuesOf } from "../core/analysis.js";
import { indexOf } from "../core/coordinates.js";
import { LISTED_LEVEL, formatLossWithUnit, levelNames } from "../core/losses.js";
import { PHASES, phaseEnds, statistics } from "../core/review.js";
import { colourName, formatLead, formatNumber, joined, language, percent, rankName, t } from "../core/texts.js";
import { chanceText } from "../core/coach.js";
import { changesOf, partsOf, whyText } from "../core/why.js";
import { byId, updateChildren } from "../dom.js";
import {
  danger, explainedMistake, isAnalysisHidden, lineLosses, mistakeNodes, mistakeOnBoard, mistakesRank, overlayName, reviewedColour,
  whyOf,
} from "../queries.js";
import { Graph } from "./graph.js";
import { renderStatistics } from "./statistics.js";

export const graph = new Graph(byId("graph"));
let drawn = {};

export function renderReview(state) {
  const { game } = state;
  const now = { game, revision: game.revision, line: game.line(), isHidden: isAnalysisHidden(state), language };
  if (Object.keys(now).some((name) => now[name] !== drawn[name])) {
    renderLine(state, now);
    drawn = now;
  }
  graph.showCurrent(game.index());
  for (const side of byId("sides").children) side.setAttribute("aria-pressed", String(side.dataset.value === reviewedColour(state)));
  renderMistake(state);
}

function renderLine(state, { line, isHidden }) {
  const { game } = state;
  byId("hidden-analysis").hidden = !isHidden;
  byId("review-card").hidden = isHidden;
  const lost = lineLosses(state);
  const found = statistics(lost, game.size);
  renderGraph(game, line, lost);
  renderSides(found);
  renderStatistics(found, lost.unit, game.isGo);
  byId("open-statistics").disabled = isHidden || !lost.moves.length;
}

/** '● 87 %  2 mistakes, 1 blunder': the levels as dots with numbers. */
function renderSides(found) {
  const names = levelNames();
  for (const side of byId("sides").children) {
    const { value: colour } = side.dataset;
    const { accuracy, levels } = found[colour];
    const counts = names.map((name, i) => [name, LISTED_LEVEL + i, levels[i]]).filter(([, , count]) => count);
    const text = accuracy === null ? "" : t("accuracyOf", { percent: formatNumber(accuracy, 0) });
    side.querySelector(".accuracy").textContent = text;
    updateChildren(side.querySelector(".levels"), counts.map(([name, level, count]) =>
      Object.assign(document.createElement("span"), { className: `loss-text level-${level}`, title: name, textContent: count })));
    side.ariaLabel = [colourName(colour), text, ...counts.map(([name, , count]) => `${count} × ${name}`)].filter(Boolean).join(", ");
  }
}

function renderGraph(game, line, lost) {
  const ofNode = new Map(lost.moves.map((each) => [each.index, each]));
  const marks = lost.moves.filter(({ isListed }) => isListed);
  const ends = game.isGo ? [...phaseEnds(game.size), Infinity] : [];
  const hasLeads = line.some((node) => (valuesOf(node)?.lead ?? node.value_lead) != null);
  graph.show(line, hasLeads ? "lead" : "win_rate", { marks, phases: ends.map((end, i) => ({ name: t(PHASES[i]), end })),
    describe: (index) => describe(game, line[index], ofNode.get(index)) });
}

/** '47 Black D4 · B+3.2 · lost 5.3 points'. */
function describe(game, node, loss) {
  if (!node) return "";
  const values = valuesOf(node) ?? (node.value == null ? null : { win_rate: node.value, lead: node.value_lead });
  const [colour, vertex] = node.move?.split(" ") ?? [];
  const move = colour ? `${game.printedNumber(node)} ${colourName(colour)} ${vertex}` : t("atTheStart");
  const value = !values ? "" : formatLead(values.lead) || t("blackPercent", { rate: percent(values.win_rate) });
  return joined(move, value, loss && loss.lost > 0 && t("lostInGraph", { loss: formatLossWithUnit(loss.lost, loss.unit, loss.visits) }));
}

/** The button that goes from mistake to mistake, and those of the line on the board. */
function renderMistake(state) {
  const shown = mistakeOnBoard(state);
  const nodes = mistakeNodes(state);
  const count = nodes.length;
  const isNew = !state.lineAnalysis && !lineLosses(state).moves.length;
  byId("begin-review").hidden = !isNew;
  byId("next-mistake").hidden = isNew;
  byId("next-mistake").disabled = byId("next-mistake-below").disabled = !count;
  byId("mistake-count").textContent = state.lineAnalysis ? ""
    : shown ? t("doneOf", { done: nodes.indexOf(shown.node) + 1, count }) : count ? t("mistakesCount", { count })
      : lineLosses(state).moves.length ? t("noMistakes") : "";
  byId("mistake-line").hidden = !shown;
  const hasBetter = Boolean(shown?.better) && shown.better !== shown.vertex;
  byId("show-better-line").disabled = !hasBetter;
  byId("show-better-line").textContent = t("betterMove", { vertex: shown?.better ?? "" });
  byId("show-played-line").textContent = t("playedVertex", { vertex: shown?.vertex ?? "" });
  const line = hasBetter ? state.at.mistakeLine : "played";
  byId("show-better-line").setAttribute("aria-pressed", String(line === "better"));
  byId("show-played-line").setAttribute("aria-pressed", String(line === "played"));
  const why = explanation(state);
  if (byId("why").textContent !== why) byId("why").textContent = why;
}

/** 'White can capture 4 stones at D4.  C3 captures 2 stones.  Black loses about 9 points at the top right.  Red points are ...  Of players of 3 dan 12 % play C3 here, 31 % D4.' */
function explanation(state) {
  const mistake = explainedMistake(state);
  if (!mistake) return "";
  const { size, node: { people } } = state.game;
  const { colour, vertex, better, lost, unit } = mistake;
  const why = whyOf(mistake);
  const parts = why && partsOf(changesOf(why, colour), size, unit === "lead" ? lost : null);
  const rank = mistakesRank(state);
  const priors = people?.[rank]?.priors;
  const share = (move) => {
    const prior = priors.at(indexOf(move, size));
    return prior < 0.005 ? `< ${percent(0.01)}` : percent(prior);
  };
  return [danger(state, mistake.node), chanceText(mistake.node, better, state.server.planes.go, size), why ? whyText(parts, colour) : t("counting"),
    parts?.length && overlayName(state) === "why" && t("legendWhy"),
    priors && t("peoplePlay", { rank: rankName(rank), vertex, share: share(vertex), better, betterShare: share(better) })].filter(Boolean).join(" ");
}
