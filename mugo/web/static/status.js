// The texts of the status line: whose turn it is, a result, a score.

import { COLOUR_NAMES, state } from "./state.js";

export function positionText() {
  const { game, genmoveNode } = state;
  const { position, children } = game.node;
  if (!position) return "";
  if (position.result) return resultText(position.result);
  if (game.info.result && !children.length) return resultText(game.info.result);
  const turn = `${COLOUR_NAMES[position.to_play]} to play`;
  if (genmoveNode === game.node) return "MuGo is thinking…";
  if (position.last_move === "pass") return `${COLOUR_NAMES[game.node.move[0]]} passed. ${turn}.`;
  return game.node.move ? turn : `${turn}. ${state.human ? "Click a point to play." : ""}`;
}

/** 'B+3.5' -> 'Black wins by 3.5'. */
function resultText(result) {
  if (result === "0") return "A draw";
  const how = { R: "by resignation", T: "on time", F: "by forfeit", "": "" }[result.slice(2)] ?? `by ${result.slice(2)}`;
  return `${COLOUR_NAMES[result[0]]} wins ${how}`.trim();
}

export function scoreText({ result, points, komi }) {
  return `${resultText(result)}: Black ${points.B}, White ${points.W} + ${komi}. Click a chain to mark it dead or alive.`;
}
