// Event handlers of the page: the server's messages, the board, buttons, keys and dropped files.
//
//   losses      what moves lost             tree_view   the tree of variations
//   state       the state that all modules share, and the connection to the server
//   render      draws the state: board, graph, overlays (overlays, current_overlay) and status line (status)
//   analysis    requests about a position       play     moves, navigation, scoring
//   games       new games and SGF files         new_game_dialog, confirm        markup      marks of SGF nodes
//   move_numbers, move_number_field    numbers on the stones
//   edit        edits of nodes, with edit_properties and properties; edit_view and edit_panel show and select the tools
//   play_from   playing on from a position      opponents   lists of opponents
//   clock       times, as arithmetic            clock_view  shows the clocks and lets them run
//   elements    keyed updates of lists: elements that stay the same are kept
//   autosave    games in the browser's storage  saved_games their list
//   teaching    offers mistakes back            sound, autoplay

import { analyze, hint, setOverlay, toggleAnalysis, toggleGameAnalysis } from "./analysis.js";
import { toggleAutoplay } from "./autoplay.js";
import { togglePause } from "./clock_view.js";
import { parseVertex } from "./core/coordinates.js";
import { useTool } from "./edit.js";
import { editAction } from "./edit_panel.js";
import { onChoice } from "./dom.js";
import { openAnotherFile, openFiles, openTransferred, restoreGame, saveFile } from "./games.js";
import { LEVELS } from "./core/losses.js";
import { toggleMoveNumbers } from "./move_number_field.js";
import { updateFields, updateOpponents } from "./new_game_dialog.js";
import { backToMainLine, deleteMove, goTo, moveError, play, promote, redo, resign, showNode, startScoring, step, switchVariation,
  toggleDead, undo } from "./play.js";
import { askPlayFrom, stopPlaying } from "./play_from.js";
import { board, graph, render, renderGhosts, showMessage, treeView } from "./render.js";
import { openSavedGames } from "./saved_games.js";
import { byId, connection, state, storeState, touchedVertex } from "./state.js";
import { updateLevels } from "./teaching.js";

// ---- the server

connection.onHello = ({ planes, levels, game }) => {
  state.planes = planes;
  Object.assign(LEVELS, levels);
  updateLevels();
  updateFields();
  updateOpponents();
  if (state.game) showNode();
  else restoreGame(game).catch((error) => showMessage(error.message, true));
};
connection.onChange = (isConnected) => {
  if (!isConnected) {
    Object.assign(state, { genmoveNode: null, analyzing: false, gameAnalysis: null });
    showMessage("The server does not answer. The game is kept in this tab; Save works.", true);
  } else {
    state.message = null;
    render();
  }
};

// ---- the board, the table of moves and the graph

function handleHover(vertex) {
  state.hover = vertex;
  if (!state.game) return;
  renderGhosts();
  const { position } = state.game.node;
  if (vertex && position && board.cursor) {
    const at = parseVertex(vertex, state.game.size);
    const descriptions = { X: "black", O: "white", ".": position.illegal[vertex] ?? "empty" };
    const mark = board.marks?.names.get(vertex);
    byId("cursor-description").textContent =
      `${vertex} ${descriptions[position.stones[at.row * state.game.size.cols + at.col]]}${mark ? `, ${mark}` : ""}`;
  }
}

/** Handle a click, a tap or Enter on a point. */
function handleSelect(vertex, isTouch, pressed) {
  const { game } = state;
  if (!game) return;
  if (state.tool !== null) {
    useTool(vertex, pressed);
    return;
  }
  if (state.score) {
    toggleDead(vertex);
    return;
  }
  const hasVariation = state.overlay === "search" && game.node.search?.moves.some(({ move }) => move === vertex);
  const isShownFirst = isTouch && (hasVariation || board.isDense()) && touchedVertex() !== vertex;
  state.touched = isShownFirst && game.node.position && !moveError(vertex) ? { node: game.node, vertex } : null;
  if (!state.touched) {
    play(vertex);
    return;
  }
  handleHover(vertex);                   // the stone, or the principal variation; a second tap plays
  state.message = null;
  render();
}

board.onSelect = handleSelect;
board.onHover = handleHover;
graph.onSelect = (moveNumber) => {
  const node = state.game?.line()[moveNumber];
  if (node && node !== state.game.node) goTo(node);
};
treeView.onSelect = (node) => goTo(node);
const mistakeOf = (element) => state.game.line()[element.closest("tr[data-index]")?.dataset.index] ?? null;
onChoice(byId("mistake-list"), mistakeOf, goTo);
byId("mistake-list").onkeydown = ({ key, target }) => key === "Enter" && mistakeOf(target) && goTo(mistakeOf(target));
onChoice(byId("variations"), (element) => state.game.node.children[[...byId("variations").children].indexOf(element)] ?? null, goTo);
const moves = byId("moves").tBodies[0];
const moveOf = (element) => element.closest("tr")?.dataset.move ?? null;
onChoice(moves, moveOf, play);
moves.onkeydown = ({ key, target }) => key === "Enter" && play(moveOf(target));
for (const name of ["mouseover", "focusin"]) moves.addEventListener(name, ({ target }) => handleHover(moveOf(target)));
for (const name of ["mouseleave", "focusout"]) moves.addEventListener(name, () => handleHover(null));

// ---- buttons and fields

byId("new").onclick = () => byId("new-game-dialog").showModal();
byId("open").onclick = () => byId("file").click();
byId("files").onclick = openAnotherFile;
byId("save").onclick = saveFile;
byId("saved").onclick = openSavedGames;
byId("play-from").onclick = askPlayFrom;
byId("stop-playing").onclick = stopPlaying;
byId("pause").onclick = togglePause;
byId("help").onclick = () => byId("help-dialog").showModal();
byId("file").onchange = ({ target }) => {
  openFiles([...target.files].map((file) => [file.name, file]));
  target.value = "";
};
byId("play-touched").onclick = () => play(touchedVertex());
byId("pass").onclick = () => play("pass");
byId("undo").onclick = undo;
byId("redo").onclick = redo;
byId("hint").onclick = hint;
byId("delete").onclick = deleteMove;
byId("promote").onclick = promote;
byId("back").onclick = backToMainLine;
byId("resign").onclick = resign;
byId("score").onclick = async () => {
  if (state.score) {
    state.score = null;
    render();
  } else {
    state.tool = null;
    await startScoring().catch((error) => showMessage(error.message, true));
  }
};
byId("analyze").onclick = () => toggleAnalysis();
byId("analyze-game").onclick = () => toggleGameAnalysis().then(showNode);
byId("search-player").onchange = ({ target }) => {
  state.searchPlayer = target.value;
  storeState();
  analyze();
};
byId("graph-unit").onchange = ({ target }) => {
  state.graphUnit = target.value;
  storeState();
  render();
};
byId("hide-analysis").onchange = ({ target }) => {
  state.hidesAnalysis = target.checked;
  storeState();
  render();
};
byId("plane").onchange = ({ target }) => {
  state.plane = Number(target.value);
  storeState();
  render();
};
byId("slider").oninput = ({ target }) => goTo(state.game.line()[target.value]);
byId("comment").oninput = ({ target }) => {
  board.commentNode.comment = target.value || undefined;
  state.game.isUnsaved = true;
  storeState();
};
byId("comment").onblur = render;
for (const button of document.querySelectorAll("[data-step]")) button.onclick = () => step(button.dataset.step);
for (const radio of document.querySelectorAll("[name=overlay]")) radio.onchange = () => setOverlay(radio.value);

// ---- the wheel, keys, dropped and pasted files

let wheel = 0;                           // pixels turned since the last step
byId("board-frame").addEventListener("wheel", (event) => {
  if (event.ctrlKey) return;
  event.preventDefault();
  wheel += event.deltaY;
  if (Math.abs(wheel) < 40) return;
  step(wheel > 0 ? "next" : "previous");
  wheel = 0;
}, { passive: false });

/** Whether a field uses a key itself: a text or a list every key, the overlays and the slider those that move them. */
function usesKey(field, key) {
  return field.closest("textarea, select, input[type=text]") || (key === " " && field.closest("button, input"))
    || (field.closest("input") && /^(Arrow|Home|End|Page)/.test(key));
}

// After a mouse or a finger has used an overlay, the slider or a list, the keys are those of the page again.
let isPointer = false;
addEventListener("pointerdown", () => { isPointer = true; }, true);
addEventListener("keydown", () => { isPointer = false; }, true);
for (const [type, fields] of [["click", "input"], ["change", "input, select"]]) {
  document.querySelector("main").addEventListener(type, ({ target }) => isPointer && target.matches(fields) && target.blur());
}

const KEYS = {
  ArrowLeft: () => step("previous"), ArrowRight: () => step("next"), Home: () => step("first"), End: () => step("last"),
  ArrowUp: () => switchVariation(-1), ArrowDown: () => switchVariation(1),
  Delete: deleteMove, p: () => play("pass"), u: undo, r: redo, h: hint, s: () => byId("score").click(), a: () => toggleAnalysis(),
  "?": () => byId("help-dialog").showModal(),
  n: toggleMoveNumbers, f: askPlayFrom, " ": toggleAutoplay, b: backToMainLine,
  m: () => state.game.branching() && promote(),
  ...Object.fromEntries(["none", "policy", "search", "ownership", "ladders", "plane", "losses"]
    .map((name, i) => [i, () => setOverlay(name)])),
};
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !state.game) return;
  if (document.querySelector("dialog[open]") || usesKey(event.target, event.key)) return;
  const action = editAction(event.key) ?? KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// A dialog that is cancelled chooses nothing, also where it was confirmed before.
for (const button of document.querySelectorAll("dialog button[type=button][value=cancel]")) {
  button.onclick = () => button.closest("dialog").close("");
}
addEventListener("cancel", ({ target }) => { if (target.matches("dialog")) target.returnValue = ""; }, true);

addEventListener("beforeunload", (event) => {
  if (!state.game?.isUnsaved) return;
  event.preventDefault();
  event.returnValue = true;              // for browsers in which preventDefault does not ask
});

for (const name of ["dragenter", "dragover"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    byId("drop").hidden = !event.dataTransfer.types.includes("Files");
  });
}
addEventListener("dragleave", (event) => { if (!event.relatedTarget) byId("drop").hidden = true; });
addEventListener("drop", (event) => {
  event.preventDefault();
  byId("drop").hidden = true;
  openTransferred(event.dataTransfer);
});
addEventListener("paste", (event) => {
  if (event.target.closest?.("input, textarea, select, dialog")) return;
  event.preventDefault();
  openTransferred(event.clipboardData);
});

connection.open();
