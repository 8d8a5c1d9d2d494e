// The board, the graph and the lists: what a click, a tap or a key does there.

import { useTool } from "../actions/edit.js";
import { choosePoint, press } from "../actions/local.js";
import { goTo, step } from "../actions/navigate.js";
import { play } from "../actions/play.js";
import { toggleDead } from "../actions/score.js";
import { byId, onChoice } from "../dom.js";
import { moveError, overlayName, screen, shownSearch, touchedVertex } from "../queries.js";
import { change, state } from "../store.js";
import { nodeOf } from "../view/moves.js";
import { board } from "../view/position.js";
import { graph } from "../view/review.js";

function setHover(vertex) { if (!state.isStart) change(({ at }) => { at.hover = vertex; }); }

/** A click, a tap or Enter on a point.  pressed: where the mouse went down. */
function select(vertex, isTouch, pressed) {
  const { game, at } = state;
  if (!game || state.isStart) return;
  if (at.choosing) {
    choosePoint(vertex, pressed);
    return;
  }
  if (state.tool !== null) {
    useTool(vertex, pressed);
    return;
  }
  if (at.score) {
    toggleDead(vertex);
    return;
  }
  const hasVariation = overlayName(state) === "search" && shownSearch(state)?.moves.some(({ move }) => move === vertex);
  const isShownFirst = isTouch && (hasVariation || board.isDense()) && touchedVertex(state) !== vertex;
  if (!isShownFirst || !at.node.position || moveError(state, vertex)) {
    change(() => { at.touched = null; });
    play(vertex, Boolean(board.cursor));
    return;
  }
  // the stone, or the principal variation; a second tap plays
  change(() => Object.assign(at, { touched: vertex, hover: vertex, message: null }));
}

board.onSelect = select;
board.onPress = press;
board.onHover = setHover;

graph.onSelect = (index) => {
  const node = state.game?.line()[index];
  if (node && node !== state.game.node) goTo(node);
};
onChoice(byId("move-list"), nodeOf, goTo);

const moves = byId("moves").tBodies[0];
const moveOf = (element) => element.closest("tr")?.dataset.move ?? null;
onChoice(moves, moveOf, (move) => play(move));
moves.onkeydown = ({ key, target }) => key === "Enter" && play(moveOf(target));
for (const name of ["mouseover", "focusin"]) moves.addEventListener(name, ({ target }) => setHover(moveOf(target)));
for (const name of ["mouseleave", "focusout"]) moves.addEventListener(name, () => setHover(null));

let wheel = 0;                           // pixels turned since the last step
byId("board-frame").addEventListener("wheel", (event) => {
  if (event.ctrlKey || !state.game || screen(state) !== "game") return;
  event.preventDefault();
  wheel += event.deltaY;
  if (Math.abs(wheel) < 40) return;
  step(wheel > 0 ? "next" : "previous");
  wheel = 0;
}, { passive: false });
