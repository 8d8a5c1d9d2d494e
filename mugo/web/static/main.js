// What happens when something is pressed, pointed at or dropped; the other modules are what it brings about.
//
//   page      the state that all share, and the line to the server (link)
//   render    draws it: board, graph, overlays (chosen in layer) and words
//   analysis  what network and search say     play  moves, steps, the count     games, dialog  begun, opened, saved

import { analyse, hint, setOverlay, switchAnalysis, switchSweep } from "./analysis.js";
import { place } from "./board.js";
import { fillChoices, fillLevels } from "./dialog.js";
import { open, restore, save } from "./games.js";
import { by, keep, link, state } from "./page.js";
import { go, openCount, otherBranch, play, resign, show, step, toggleDead, undo } from "./play.js";
import { board, graph, render, renderGhosts, say } from "./render.js";

// ---- the server

link.hello = ({ planes, game }) => {
  state.planes = planes;
  fillChoices();
  fillLevels();
  if (state.game) show();
  else restore(game).catch((error) => say(error.message, true));
};
link.changed = (isThere) => {
  if (!isThere) {
    Object.assign(state, { thinking: null, analysing: false, sweep: null });
    say("The server does not answer. The game is kept here.", true);
  } else {
    state.note = null;
    render();
  }
};

// ---- the board, the moves beside it and the graph

function hovered(vertex) {
  state.hover = vertex;
  if (!state.game) return;
  renderGhosts();
  const { view } = state.game.node;
  if (vertex && view && board.cursor) {
    const at = place(vertex, state.game.size);
    const what = { X: "black", O: "white", ".": view.illegal[vertex] ?? "empty" };
    by("spoken").textContent = `${vertex} ${what[view.stones[at.row * state.game.size + at.col]]}`;
  }
}

/** A point was clicked, tapped or entered. */
function chosen(vertex, isTouch) {
  const { game } = state;
  if (!game) return;
  if (state.count) {
    toggleDead(vertex);
    return;
  }
  const isShown = state.overlay === "search" && game.node.thought?.moves.some((move) => move.move === vertex);
  if (isTouch && isShown && state.hover !== vertex) {
    hovered(vertex);                     // the first tap shows what follows, the second plays
    return;
  }
  play(vertex);
}

board.chosen = chosen;
board.hovered = hovered;
graph.chosen = (number) => {
  const node = state.game?.line()[number];
  if (node && node !== state.game.node) go(node);
};
by("branches").onclick = ({ target }) => {
  const i = [...by("branches").children].indexOf(target);
  if (i >= 0) go(state.game.node.children[i]);
};
const moves = by("moves").tBodies[0];
const moveOf = ({ target }) => target.closest("tr")?.dataset.move ?? null;
moves.onclick = (event) => play(moveOf(event));
moves.onkeydown = (event) => event.key === "Enter" && play(moveOf(event));
for (const name of ["mouseover", "focusin"]) moves.addEventListener(name, (event) => hovered(moveOf(event)));
for (const name of ["mouseleave", "focusout"]) moves.addEventListener(name, () => hovered(null));

// ---- buttons and fields

by("new").onclick = () => by("begin").showModal();
by("open").onclick = () => by("file").click();
by("save").onclick = save;
by("about").onclick = () => by("help").showModal();
by("file").onchange = ({ target }) => {
  if (target.files[0]) open(target.files[0]);
  target.value = "";
};
by("pass").onclick = () => play("pass");
by("undo").onclick = undo;
by("hint").onclick = hint;
by("resign").onclick = resign;
by("score").onclick = async () => {
  if (state.count) {
    state.count = null;
    render();
  } else {
    await openCount().catch((error) => say(error.message, true));
  }
};
by("analyse").onclick = () => switchAnalysis();
by("sweep").onclick = () => switchSweep().then(show);
by("by").onchange = ({ target }) => {
  state.by = target.value;
  keep();
  analyse();
};
by("plane").onchange = ({ target }) => {
  state.plane = Number(target.value);
  keep();
  render();
};
by("slider").oninput = ({ target }) => go(state.game.line()[target.value]);
by("comment").oninput = ({ target }) => {
  board.noted.comment = target.value || undefined;
  keep();
};
by("comment").onblur = render;
for (const button of document.querySelectorAll("[data-step]")) button.onclick = () => step(button.dataset.step);
for (const radio of document.querySelectorAll("[name=overlay]")) radio.onchange = () => setOverlay(radio.value);

// ---- the wheel, keys, and files that are dropped

let wheel = 0;
by("wood").addEventListener("wheel", (event) => {
  if (event.ctrlKey) return;
  event.preventDefault();
  wheel += event.deltaY;
  if (Math.abs(wheel) < 40) return;
  step(wheel > 0 ? "on" : "back");
  wheel = 0;
}, { passive: false });

const KEYS = {
  ArrowLeft: () => step("back"), ArrowRight: () => step("on"), Home: () => step("first"), End: () => step("last"),
  ArrowUp: () => otherBranch(-1), ArrowDown: () => otherBranch(1),
  p: () => play("pass"), u: undo, h: hint, s: () => by("score").click(), a: () => switchAnalysis(),
  "?": () => by("help").showModal(),
  ...Object.fromEntries(["none", "policy", "search", "owners", "ladders", "plane"].map((name, i) => [i, () => setOverlay(name)])),
};
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !state.game) return;
  if (document.querySelector("dialog[open]") || event.target.closest("textarea, select, input")) return;
  const what = KEYS[event.key];
  if (!what) return;
  event.preventDefault();
  what();
});

for (const name of ["dragenter", "dragover"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    by("drop").hidden = !event.dataTransfer.types.includes("Files");
  });
}
addEventListener("dragleave", (event) => { if (!event.relatedTarget) by("drop").hidden = true; });
addEventListener("drop", (event) => {
  event.preventDefault();
  by("drop").hidden = true;
  const file = event.dataTransfer.files[0];
  if (file) open(file);
});

link.open();
