// Drawing the page as it is now.  Nothing here asks the server, and what happens on a click, main.js says.

import { Board, place } from "./board.js";
import { Graph } from "./graph.js";
import { overlay } from "./layer.js";
import * as overlays from "./overlays.js";
import { analyst, by, hasNetwork, NAMES, state } from "./page.js";
import { countText, positionText } from "./words.js";

const ROWS = 6;                          // moves in the table

export const board = new Board(by("board"));
export const graph = new Graph(by("graph"));

export function render() {
  const { game } = state;
  if (!game) return;
  const { node } = game;
  if (board.size !== game.size || board.game !== game) {
    board.begin(game.size);
    board.game = game;
    by("comment").blur();
  }
  const drawn = overlay();
  if (node.view) {
    const { count } = state;
    board.show(node.view, count ? { dead: count.dead, ...overlays.area(count, game.size, node.view.stones) } : drawn);
  }
  renderPlayers();
  renderSteps();
  renderStatus();
  renderAnalysis();
  renderGhosts();
  graph.show(game.line(), game.number());
  by("hint").disabled = isEnded(node);
  by("analyse").disabled = isEnded(node) && !state.analysing;
  const result = game.info.result && `result ${game.info.result}`;
  by("facts").textContent = [game.info.event, game.info.place, game.info.date, game.info.rules, result].filter(Boolean).join(" · ");
  if (document.activeElement !== by("comment")) {     // who is writing goes on about the same move
    by("comment").value = node.comment ?? "";
    board.noted = node;
  }
  const isPlaying = state.human && state.human !== "both" && !game.info.result;
  by("resign").disabled = !isPlaying;
  by("undo").disabled = !node.parent;
  by("score").setAttribute("aria-pressed", String(Boolean(state.count)));
}

/** Whether there is no move any more, which nobody can say of Go. */
export const isEnded = (node) => Boolean(node.view?.result);

let isRefreshing = false;

/** Render soon, once for all that happens until then. */
export function refresh() {
  if (isRefreshing) return;
  isRefreshing = true;
  requestAnimationFrame(() => {
    isRefreshing = false;
    render();
  });
}

/** Show a note in the status line, until something else happens. */
export function say(text, bad = false) {
  state.note = { text, bad };
  if (state.game) render();
  else Object.assign(by("status"), { textContent: text, className: bad ? "bad" : "" });
}

function renderPlayers() {
  const { game, thinking } = state;
  const { view } = game.node;
  for (const [colour, name] of [["B", "black"], ["W", "white"]]) {
    const side = by(`side-${name[0]}`);
    const rank = game.info[`${name}_rank`];
    const who = (game.info[name] || NAMES[colour]) + (rank ? ` ${rank}` : "");
    side.querySelector(".who").textContent = who;
    side.querySelector(".who").title = `${NAMES[colour]}: ${who}`;
    side.querySelector(".busy").hidden = !(thinking === game.node && view?.to_play === colour);
    const taken = view?.captures?.[colour] ?? 0;
    side.querySelector(".taken").textContent = game.isGo
      ? `${taken} captured${colour === "W" ? `, komi ${game.start.komi}` : ""}` : `wins with ${game.row}`;
    side.classList.toggle("turn", view?.to_play === colour && !view.over);
  }
}

function renderSteps() {
  const { game } = state;
  const line = game.line();
  const number = game.number();
  Object.assign(by("slider"), { max: line.length - 1, value: number });
  by("slider").setAttribute("aria-valuetext", `move ${number} of ${line.length - 1}`);
  by("number").textContent = `${number} / ${line.length - 1}`;
  for (const button of document.querySelectorAll("[data-step]")) {
    button.disabled = ["first", "back"].includes(button.dataset.step) ? number === 0 : number === line.length - 1;
  }
  const children = game.node.children;
  const branches = by("branches");
  branches.hidden = children.length < 2;
  branches.replaceChildren(...(children.length < 2 ? [] : children.map((child, i) => {
    const button = document.createElement("button");
    button.textContent = `${i ? "" : "Game: "}${child.move.slice(2)}`;
    button.setAttribute("aria-pressed", String(i === game.node.chosen));
    return button;
  })));
}

function renderStatus() {
  const { game, note, count } = state;
  const { view } = game.node;
  const status = by("status");
  status.classList.toggle("bad", Boolean(note?.bad));
  status.textContent = note?.text ?? (count ? countText(count) : positionText());
  by("board").setAttribute("aria-roledescription", `${game.isGo ? "Go" : "Gomoku"} board`);
  const last = game.node.move ? `, last move ${game.node.move}` : "";
  by("board").setAttribute("aria-label", `${game.size} by ${game.size} board, move ${game.number()}${last}` +
    `${view ? `, ${NAMES[view.to_play]} to play` : ""}. Arrow keys move the cursor, Enter plays.`);
}

function renderAnalysis() {
  const { game, analysing, thinking, sweep } = state;
  const { thought, view } = game.node;
  by("analyse").setAttribute("aria-pressed", String(analysing));
  by("analyse").textContent = analysing ? "Stop" : "Analyse";
  by("by").value = analyst();
  by("by").querySelector("[value=mcts]").disabled = !hasNetwork();
  by("sweep").setAttribute("aria-pressed", String(Boolean(sweep)));
  by("sweep").disabled = Boolean(thinking);
  by("sweep").textContent = sweep ? `Stop (${sweep.done} of ${sweep.of})` : "Analyse all moves";
  const isHidden = !thought || !view || thinking === game.node;
  by("moves").hidden = isHidden;
  const rate = game.node.black ?? game.node.value;
  by("figures").textContent = thought && !isHidden
    ? `Black wins ${(100 * thought.black).toFixed(1)} % · ${thought.visits.toLocaleString("en")} visits` +
      (state.waiting ? " · waiting for a turn" : "")
    : rate == null ? "" : `Black wins ${(100 * rate).toFixed(1)} %`;
  if (isHidden) return;
  const rows = thought.moves.slice(0, ROWS).map((move) => {
    const row = document.createElement("tr");
    row.tabIndex = 0;
    row.dataset.move = move.move;
    row.setAttribute("aria-label", `Play ${move.move}`);
    const wins = view.to_play === "B" ? move.black : 1 - move.black;
    for (const text of [move.move, `${(100 * wins).toFixed(1)}`, overlays.short(move.visits),
      `${(100 * move.prior).toFixed(1)}`, move.line.slice(1).join(" ")]) {
      row.insertCell().textContent = text;
    }
    return row;
  });
  const body = by("moves").tBodies[0];
  const focused = [...body.rows].indexOf(document.activeElement);
  body.replaceChildren(...rows);
  if (focused >= 0) rows[Math.min(focused, rows.length - 1)]?.focus();
}

/** The stone that a click would play, or what the search expects after it. */
export function renderGhosts() {
  const { game, hover, count } = state;
  const { view, thought } = game.node;
  const isBlack = view?.to_play === "B";
  const move = hover && thought?.moves.find((each) => each.move === hover);
  if (!hover || !view || count) board.showGhosts([], isBlack, false);
  else if (move && (state.overlay === "search" || state.analysing)) board.showGhosts(move.line, isBlack, true);
  else {
    const at = place(hover, game.size);
    const isFree = at && view.stones[at.row * game.size + at.col] === "." && !view.illegal[hover];
    board.showGhosts(isFree && state.thinking !== game.node ? [hover] : [], isBlack, false);
  }
}
