// The overlay that is chosen: what it draws, and what the legend says of it.

import * as overlays from "./overlays.js";
import { by, hasNetwork, state } from "./page.js";

const OF_GO = ["owners", "ladders"];

/** Whether there is such an overlay in the game shown. */
export const fits = (name) => state.game.isGo || !OF_GO.includes(name);

/** What the chosen overlay draws; it also writes the legend. */
export function overlay() {
  const { game, overlay: name } = state;
  const { node } = game;
  const { size } = game;
  let drawn = {};
  let legend = "What the network or the search makes of the position.";
  if (name === "policy") {
    legend = hasNetwork() ? "Where the network expects the next move, in percent." : capital(game.offers.without_network);
    if (node.policy) {
      drawn = overlays.policy(node.policy, size);
      const pass = node.policy.priors.at(-1);
      if (game.isGo && pass >= 0.01) legend += ` A pass: ${Math.round(100 * pass)}.`;
      if (node.policy.black !== null) legend += ` At a glance it gives Black ${(100 * node.policy.black).toFixed(0)} %.`;
    }
  } else if (name === "search") {
    legend = node.thought ? "Win rate of the side to move in percent, visits below. Point at a move, or tap it, to see what follows."
      : node.view?.result ? "The game is over." : "Analyse, and the moves that the search considers appear here.";
    if (node.thought && node.view) drawn = overlays.search(node.thought, size, node.view.to_play);
  } else if (name === "owners") {
    legend = "Who will own what, by rollouts: the larger, the surer.";
    const known = node.thought?.owners ? node.thought : node.owners;
    if (known && node.view) drawn = overlays.owners(known, size, node.view.stones);
  } else if (name === "ladders") {
    legend = "▲ a move here captures in a ladder, ◆ escapes from one.";
    if (node.planes) {
      drawn = overlays.ladders(node.planes, size, state.planes.go);
      if (!drawn.captures && !drawn.escapes) legend += " There is none now.";
    }
  } else if (name === "plane") {
    legend = `One of the ${state.planes[game.isGo ? "go" : "gomoku"].length} planes that a network sees.`;
    if (node.planes) {
      drawn = overlays.onePlane(node.planes, size, state.plane);
      legend = `It holds on ${drawn.count} ${drawn.count === 1 ? "point" : "points"}.`;
    }
  }
  by("legend").textContent = legend;
  by("plane").hidden = name !== "plane";
  return { over: drawn.over };
}

/** A line of the server's as a sentence. */
export const capital = (line) => `${line[0].toUpperCase()}${line.slice(1)}.`;
