// What the status line says of a position, a result and a count.

import { NAMES, state } from "./page.js";

export function positionText() {
  const { game, thinking } = state;
  const { view, children } = game.node;
  if (!view) return "";
  if (view.result) return resultText(view.result);
  if (game.info.result && !children.length) return resultText(game.info.result);
  const turn = `${NAMES[view.to_play]} to play`;
  if (thinking === game.node) return "MuGo is thinking…";
  if (view.last === "pass") return `${NAMES[game.node.move[0]]} passed. ${turn}.`;
  return game.node.move ? turn : `${turn}. ${state.human ? "Click a point to play." : ""}`;
}

/** 'B+3.5' -> 'Black wins by 3.5'. */
function resultText(result) {
  if (result === "0") return "A draw";
  const how = { R: "by resignation", T: "on time", F: "by forfeit", "": "" }[result.slice(2)] ?? `by ${result.slice(2)}`;
  return `${NAMES[result[0]]} wins ${how}`.trim();
}

export function countText({ result, points, komi }) {
  return `${resultText(result)}: Black ${points.B}, White ${points.W} + ${komi}. Click stones that are dead, or alive.`;
}
