// The selected overlay of the current position, and its legend.

import { LEVELS, formatLoss, lostByMoves } from "../core/losses.js";
import { percent, sentence } from "../core/texts.js";
import { byId } from "../dom.js";
import { hasNetwork, overlayName, shownSearch } from "../queries.js";
import * as overlays from "./overlays.js";

/** The SVG elements of the selected overlay; also updates the legend. */
export function currentOverlay(state) {
  const [elements, legend] = OVERLAYS[overlayName(state)](state.game.node, state.game, state);
  byId("legend").textContent = legend;
  return elements;
}

function candidatesText({ moves }) {
  const hasValues = moves.every((move) => move.win_rate != null);
  if (!hasValues) return "The number of visits of each move.";
  const unit = moves.every((move) => move.lead != null) ? "lead" : "win_rate";
  const levels = LEVELS[unit].map((least) => formatLoss(least, unit));
  const what = unit === "lead" ? "Points" : "Percent of win rate";
  return `${what} that a move loses against the best one, which has the ring; visits below. Blue below ${levels[0]}, ` +
    `green below ${levels[1]}, yellow below ${levels[2]} (an inaccuracy), orange below ${levels[3]} (a mistake), ` +
    "then red and dark purple (blunders).";
}

// name -> function of a node, its game and the state -> [SVG elements, legend]
const OVERLAYS = {
  none: () => [[], ""],

  policy({ policy }, game, state) {
    if (!hasNetwork(state)) return [policy ? overlays.policy(policy, game.size) : [], sentence(game.networkError)];
    let legend = "At a glance, without reading: how likely a player would play each move, in percent.";
    if (!policy) return [[], legend];
    const pass = policy.priors.at(-1);
    if (game.isGo && pass >= 0.01) legend += ` Pass: ${Math.round(100 * pass)}.`;
    return [overlays.policy(policy, game.size), legend];
  },

  search(node, game, state) {
    const search = shownSearch(state);
    const legend = search
      ? `${search === node.thinking ? "What MuGo considered for its move. " : ""}${candidatesText(search)} ` +
        "Point at a move or tap it to see its variation."
      : node.position?.result ? "The game is over." : state.region ? "Press Search only here." : "Press Analyse to search this position.";
    return [search && node.position ? overlays.search(search, game.size, node.position.to_play) : [], legend];
  },

  ownership({ analysis, ownership, position }, game) {
    const answer = analysis?.ownership ? analysis : ownership;
    return [answer && position ? overlays.ownership(answer, game.size, position.stones) : [],
      "Whose each point may become. Larger squares are more certain."];
  },

  losses({ position }, game) {
    const lost = lostByMoves(game.line().slice(0, game.index() + 1));
    const legend = lost.moves.length
      ? `What each move lost, in ${lost.unit === "lead" ? "points" : "percent of win rate"}, by the searches before and after it.`
      : "Analyse all moves to see what each of them lost.";
    return [position ? overlays.losses(lost, game.size, position.stones) : [], legend];
  },

  ladders({ planes }, game, { server }) {
    const legend = "▲ a move here captures in a ladder, ◆ escapes from one.";
    if (!planes) return [[], legend];
    const elements = overlays.ladders(planes, game.size, server.planes.go);
    return [elements, elements.length ? legend : `${legend} There are none now.`];
  },

  plane({ planes }, game, { server, settings }) {
    if (!planes) return [[], `One of the ${server.planes[game.isGo ? "go" : "gomoku"].length} input planes of a network.`];
    const elements = overlays.plane(planes, game.size, settings.plane);
    return [elements, `Set on ${elements.length} ${elements.length === 1 ? "point" : "points"}.`];
  },
};
