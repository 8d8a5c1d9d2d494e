// The selected overlay of the current position, and its legend.

import { lostByMoves } from "./core/losses.js";
import * as overlays from "./view/overlays.js";
import { byId, hasNetwork, isAnalysisHidden, state } from "./state.js";

const GO_ONLY = ["ownership", "ladders"];

/** Whether the current game has an overlay. */
export const isAvailable = (name) => name in OVERLAYS && (state.game.isGo || !GO_ONLY.includes(name));

/** The SVG elements of the selected overlay; also updates the legend. */
export function currentOverlay() {
  const name = isAnalysisHidden() && state.revealed?.node !== state.game.node ? "none" : state.overlay;
  const [elements, legend] = OVERLAYS[name](state.game.node, state.game);
  byId("legend").textContent = legend;
  byId("plane").hidden = name !== "plane";
  return elements;
}

// name -> function of a node and its game -> [SVG elements, legend]
const OVERLAYS = {
  none: () => [[], "The output of the network or the search for this position."],

  policy({ policy }, game) {
    if (!hasNetwork()) return [policy ? overlays.policy(policy, game.size) : [], sentence(game.networkError)];
    let legend = "The network's prior of each move, in percent.";
    if (!policy) return [[], legend];
    const pass = policy.priors.at(-1);
    if (game.isGo && pass >= 0.01) legend += ` Pass: ${Math.round(100 * pass)}.`;
    if (policy.win_rate !== null) legend += ` Its value for Black: ${(100 * policy.win_rate).toFixed(0)} %.`;
    if (policy.lead !== null) legend += ` Its score for Black: ${policy.lead > 0 ? "+" : ""}${policy.lead.toFixed(1)}.`;
    return [overlays.policy(policy, game.size), legend];
  },

  search({ search, position }, game) {
    const legend = search
      ? "Win rate of the side to move in percent, visits below. Point at a move or tap it to see its variation."
      : position?.result ? "The game is over." : "Press Analyse to search this position.";
    return [search && position ? overlays.search(search, game.size, position.to_play) : [], legend];
  },

  ownership({ search, ownership, position }, game) {
    const answer = search?.ownership ? search : ownership;
    return [answer && position ? overlays.ownership(answer, game.size, position.stones) : [],
      "The expected owner of each point. Larger squares are more certain."];
  },

  losses({ position }, game) {
    const lost = lostByMoves(game.line().slice(0, game.index() + 1));
    const legend = lost.moves.length
      ? `What each move lost, in ${lost.unit === "lead" ? "points" : "percent of win rate"}, by the searches before and after it.`
      : "Analyse all moves to see what each of them lost.";
    return [position ? overlays.losses(lost, game.size, position.stones) : [], legend];
  },

  ladders({ planes }, game) {
    const legend = "▲ a move here captures in a ladder, ◆ escapes from one.";
    if (!planes) return [[], legend];
    const elements = overlays.ladders(planes, game.size, state.planes.go);
    return [elements, elements.length ? legend : `${legend} There are none now.`];
  },

  plane({ planes }, game) {
    if (!planes) return [[], `One of the ${state.planes[game.isGo ? "go" : "gomoku"].length} input planes of a network.`];
    const elements = overlays.plane(planes, game.size, state.plane);
    return [elements, `Set on ${elements.length} ${elements.length === 1 ? "point" : "points"}.`];
  },
};

/** An error of the server as a sentence. */
export const sentence = (error) => `${error[0].toUpperCase()}${error.slice(1)}.`;
