// The status line: whose turn it is, a result, a score, or a message; and the board's label for screen readers.

import { asked, exerciseText } from "../core/exercises.js";
import { lossSentence } from "../core/losses.js";
import { COLOUR_NAMES, moveText, resultText, scoreText } from "../core/texts.js";
import { TOOLS } from "../core/tools.js";
import { byId } from "../dom.js";
import { mistakeOnBoard, offer, thinkingNode, touchedVertex } from "../queries.js";

export function renderStatus(state) {
  const { game, tool, at: { message, score } } = state;
  const { position, move } = game.node;
  const status = byId("status");
  status.classList.toggle("error", Boolean(message?.isError));
  const text = message?.text ?? (score ? scoreText(score) : positionText(state));
  if (status.textContent !== text) status.textContent = text;      // else a screen reader may read it again
  byId("board").setAttribute("aria-roledescription", `${game.isGo ? "Go" : "Gomoku"} board`);
  byId("board").setAttribute("aria-label", `${game.size.cols} by ${game.size.rows} board, move ${game.moveNumber()}` +
    `${move ? `, last move ${move}` : ""}${position ? `, ${COLOUR_NAMES[position.to_play]} to play` : ""}. ` +
    `Arrow keys move the cursor, Enter ${state.at.choosing ? "chooses" : tool === null ? "plays" : `edits: ${TOOLS[tool].title}`}.`);
  byId("offer").hidden = !offer(state);
  byId("play-touched").hidden = !touchedVertex(state);
  byId("play-touched").textContent = `Play ${touchedVertex(state)}`;
}

function positionText(state) {
  const { game, human, exercise } = state;
  const { position, move, illegal, stones } = game.node;
  if (!position) return "";
  if (exercise) return exerciseText(exercise, game.printedNumber(asked(exercise) ?? game.node));
  const mistake = mistakeOnBoard(state);
  if (mistake) return lossSentence(mistake, game.printedNumber(mistake.node));
  if (touchedVertex(state)) return `Tap ${touchedVertex(state)} again to play it.`;
  if (thinkingNode(state) === game.node) return "MuGo is thinking…";
  const offered = offer(state);
  if (offered) return offered.text;
  const result = position.result ?? game.resultAt(game.node);
  const rest = result ? resultText(result) : `${COLOUR_NAMES[position.to_play]} to play`;
  if (illegal) return `${illegal}. ${stones ? "Shown as recorded" : "Left out on the board"}. ${rest}.`;
  if (move) return `${moveText(move)} ${rest}.`;
  return human && !result ? `${rest}. Click a point to play.` : `${rest}.`;
}
