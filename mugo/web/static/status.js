// The texts of the status line: whose turn it is, a result, a score.

import { COLOUR_NAMES, state, touchedVertex } from "./state.js";

export function positionText() {
  const { game, genmoveNode } = state;
  const { position, move, illegal, stones } = game.node;
  if (!position) return "";
  if (touchedVertex()) return `Tap ${touchedVertex()} again to play it.`;
  if (genmoveNode === game.node) return "MuGo is thinking…";
  if (state.offer?.node === game.node) return state.offer.text;
  const result = position.result ?? game.resultAt(game.node);
  const rest = result ? resultText(result) : `${COLOUR_NAMES[position.to_play]} to play`;
  if (illegal) return `${illegal}. ${stones ? "Shown as recorded" : "Left out on the board"}. ${rest}.`;
  if (move) return `${moveText(move)} ${rest}.`;
  return state.human && !result ? `${rest}. Click a point to play.` : `${rest}.`;
}

/** 'B Q16' -> 'Black played Q16.' */
function moveText(move) {
  const [colour, vertex] = move.split(" ");
  return `${COLOUR_NAMES[colour]} ${vertex === "pass" ? "passed" : `played ${vertex}`}.`;
}

/** 'B+3.5' -> 'Black wins by 3.5'. */
function resultText(result) {
  if (result === "0") return "A draw";
  const how = { R: "by resignation", T: "on time", F: "by forfeit", "": "" }[result.slice(2)] ?? `by ${result.slice(2)}`;
  return `${COLOUR_NAMES[result[0]]} wins ${how}`.trim();
}

export function scoreText({ result, points, prisoners, komi, handicap_bonus: bonus }) {
  const handicap = bonus ? ` + ${bonus} for handicap stones` : "";
  const counted = (colour) => points[colour] + (prisoners ? ` (${points[colour] - prisoners[colour]} territory, ` +
    `${prisoners[colour]} prisoner${prisoners[colour] === 1 ? "" : "s"})` : "");
  return `${resultText(result)}: Black ${counted("B")}, White ${counted("W")} + ${komi}${handicap}. Click a chain to mark it dead or alive.`;
}
