// The selected overlay of the current position, and its legend.

import { LEVELS, formatLoss, lostByMoves } from "../core/losses.js";
import { rankName, sentence, t } from "../core/texts.js";
import { changesOf } from "../core/why.js";
import { byId } from "../dom.js";
import { explainedMistake, hasNetwork, overlayName, peopleRank, shownSearch, whyOf } from "../queries.js";
import * as overlays from "./overlays.js";

/** The SVG elements of the selected overlay; also updates the legend. */
export function currentOverlay(state) {
  const [elements, legend] = OVERLAYS[overlayName(state)](state.game.node, state.game, state);
  byId("legend").textContent = legend;
  return elements;
}

function candidatesText({ moves }) {
  const hasValues = moves.every((move) => move.win_rate != null);
  if (!hasValues) return t("legendVisits");
  const unit = moves.every((move) => move.lead != null) ? "lead" : "win_rate";
  const [blue, green, yellow, orange] = LEVELS[unit].map((least) => formatLoss(least, unit));
  return `${t(unit === "lead" ? "legendPointsLost" : "legendPercentLost")} ${t("legendColours", { blue, green, yellow, orange })}`;
}

// name -> function of a node, its game and the state -> [SVG elements, legend]
const OVERLAYS = {
  none: () => [[], ""],

  policy({ policy }, game, state) {
    if (!hasNetwork(state)) return [policy ? overlays.policy(policy, game.size) : [], sentence(game.networkError)];
    let legend = t("legendPolicy");
    if (!policy) return [[], legend];
    const pass = policy.priors.at(-1);
    if (game.isGo && pass >= 0.01) legend += ` ${t("legendPass", { percent: Math.round(100 * pass) })}`;
    return [overlays.policy(policy, game.size), legend];
  },

  people({ people }, game, state) {
    const rank = peopleRank(state);
    if (!rank) return [[], ""];
    return [people?.[rank] ? overlays.policy(people[rank], game.size) : [], t("legendPeople", { rank: rankName(rank) })];
  },

  why(node, game, state) {
    const mistake = explainedMistake(state);
    const why = whyOf(mistake);
    return [why ? overlays.changes(changesOf(why, mistake.colour), game.size) : [], t("legendWhy")];
  },

  search(node, game, state) {
    const search = shownSearch(state);
    const legend = search
      ? [search === node.thinking ? t("legendConsidered") : "", candidatesText(search), t("legendPoint")].join(" ").trim()
      : t(node.position?.result ? "gameIsOver" : state.region ? "pressSearchHere" : "pressAnalyse");
    return [search && node.position ? overlays.search(search, game.size, node.position.to_play) : [], legend];
  },

  ownership({ analysis, ownership, position }, game) {
    const answer = analysis?.ownership ? analysis : ownership;
    return [answer && position ? overlays.estimate(answer, game.size, position.stones) : [],
      t("legendOwnership")];
  },

  losses({ position }, game) {
    const lost = lostByMoves(game.line().slice(0, game.index() + 1));
    const ofUnit = lost.unit === "lead" ? "legendLossesPoints" : "legendLossesPercent";
    const legend = t(lostByMoves(game.line()).moves.length ? ofUnit : "legendNoLosses");
    return [position ? overlays.losses(lost, game.size, position.stones) : [], legend];
  },

  ladders({ planes }, game, { server }) {
    const legend = t("legendLadders");
    if (!planes) return [[], legend];
    const elements = overlays.ladders(planes, game.size, server.planes.go);
    return [elements, elements.length ? legend : `${legend} ${t("noLadders")}`];
  },

  plane({ planes }, game, { server, settings }) {
    if (!planes) return [[], t("legendPlanes", { count: server.planes[game.isGo ? "go" : "gomoku"].length })];
    const elements = overlays.plane(planes, game.size, settings.plane);
    return [elements, t("setOnPoints", { count: elements.length })];
  },
};
