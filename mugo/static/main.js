// The page: what is shown, what happens when something is pressed, and what is asked of the server.

import { Board, place } from "./board.js";
import { Game } from "./game.js";
import { Graph } from "./graph.js";
import { Link } from "./link.js";
import * as overlays from "./overlays.js";

const by = (id) => document.getElementById(id);
const NAMES = { B: "Black", W: "White" };
const SWEEP = 100;                       // simulations for each move, where all moves are analysed
const ROWS = 6;                          // moves in the table

const state = {
  game: null,
  human: null,                           // "B", "W" or "both" in a game that is being played; null where one is looked at
  level: null,
  overlay: "none",
  plane: 0,
  by: "mcts",
  analysing: false,
  thinking: null,                        // the node that MuGo is choosing a move for
  sweep: null,                           // { done, of } while all moves are analysed
  count: null,                           // what the server says of the score, while that is shown
  hover: null,                           // the vertex pointed at
  note: null,                            // { text, bad } until something else happens
};
let levels = [];
let planes = [];

const link = new Link({
  hello(answer) {
    [levels, planes] = [answer.levels, answer.planes];
    fillChoices();
    if (state.game) show();
    else restore().catch((error) => say(error.message, true));
  },
  changed(isThere) {
    if (!isThere) {
      Object.assign(state, { thinking: null, analysing: false, sweep: null });
      say("The server does not answer. The game is kept here.", true);
    } else {
      state.note = null;
      render();
    }
  },
});
const board = new Board(by("board"), { chosen, hovered });
const graph = new Graph(by("graph"), (number) => {
  const node = state.game?.line()[number];
  if (node && node !== state.game.node) go(node);
});

// ---- showing a position

/** Show a node of the game: ask what is not known of it yet, and go on with whatever is switched on. */
async function show() {
  const { game } = state;
  const { node } = game;
  keep();
  render();
  try {
    if (!node.view) node.view = await link.ask("look", game.at(node));
    if (game !== state.game || node !== game.node) return;
    render();
    if (node.view.over && !node.children.length && !state.count && !game.info.result) await openCount();
    if (isMugosTurn()) await letMugoPlay();
    else analyse();
    await fetchOverlay();
  } catch (error) {
    say(error.message, true);
  }
}

function go(node) {
  state.game.show(node);
  Object.assign(state, { count: null, hover: null, note: null });
  show();
}

/** Ask for what the chosen overlay shows, if that is not known yet. */
async function fetchOverlay() {
  const { game, overlay } = state;
  const { node } = game;
  const what = { policy: "policy", ladders: "planes", plane: "planes", owners: "owners" }[overlay];
  if (!what || node[what] || (what === "owners" && node.thought?.owners)) return;
  try {
    node[what] = await link.ask(what, game.at(node));
  } catch (error) {
    say(error.message, true);
  }
  if (game === state.game && node === game.node) render();
}

function render() {
  const { game } = state;
  if (!game) return;
  const { node } = game;
  if (board.size !== game.size || board.game !== game) {
    board.begin(game.size);
    board.game = game;
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
  const result = game.info.result && `result ${game.info.result}`;
  by("facts").textContent = [game.info.event, game.info.place, game.info.date, game.info.rules, result].filter(Boolean).join(" · ");
  if (document.activeElement !== by("comment")) by("comment").value = node.comment ?? "";
  const isPlaying = state.human && state.human !== "both" && !game.info.result;
  by("resign").disabled = !isPlaying;
  by("undo").disabled = !node.parent;
  by("score").setAttribute("aria-pressed", String(Boolean(state.count)));
}

/** What the chosen overlay draws; it also writes the legend. */
function overlay() {
  const { game, overlay: name } = state;
  const { node } = game;
  const { size } = game;
  let drawn = {};
  let legend = "What the network or the search makes of the position.";
  if (name === "policy") {
    legend = "Where the network expects the next move, in percent.";
    if (node.policy) {
      drawn = overlays.policy(node.policy, size);
      const pass = node.policy.priors.at(-1);
      if (pass >= 0.01) legend += ` A pass: ${Math.round(100 * pass)}.`;
      if (node.policy.black !== null) legend += ` At a glance it gives Black ${(100 * node.policy.black).toFixed(0)} %.`;
    }
  } else if (name === "search") {
    legend = node.thought ? "Win rate of the side to move in percent, visits below. Point at a move, or tap it, to see what follows."
      : "Analyse, and the moves that the search considers appear here.";
    if (node.thought && node.view) drawn = overlays.search(node.thought, size, node.view.to_play);
  } else if (name === "owners") {
    legend = "Who will own what, by rollouts: the larger, the surer.";
    const known = node.thought?.owners ? node.thought : node.owners;
    if (known && node.view) drawn = overlays.owners(known, size, node.view.stones);
  } else if (name === "ladders") {
    legend = "▲ a move here captures in a ladder, ◆ escapes from one.";
    if (node.planes) {
      drawn = overlays.ladders(node.planes, size, planes);
      if (!drawn.captures && !drawn.escapes) legend += " There is none now.";
    }
  } else if (name === "plane") {
    legend = "One of the 48 planes that the network sees.";
    if (node.planes) {
      drawn = overlays.onePlane(node.planes, size, state.plane);
      legend = `It holds on ${drawn.count} ${drawn.count === 1 ? "point" : "points"}.`;
    }
  }
  by("legend").textContent = legend;
  by("plane").hidden = name !== "plane";
  return { over: drawn.over };
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
    const taken = view?.captures[colour] ?? 0;
    side.querySelector(".taken").textContent = `${taken} captured${colour === "W" ? `, komi ${game.start.komi}` : ""}`;
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
    button.onclick = () => go(child);
    return button;
  })));
}

function renderStatus() {
  const { game, note, count } = state;
  const { view } = game.node;
  const status = by("status");
  status.classList.toggle("bad", Boolean(note?.bad));
  status.textContent = note?.text ?? (count ? countText(count) : positionText());
  const last = game.node.move ? `, last move ${game.node.move}` : "";
  by("board").setAttribute("aria-label", `${game.size} by ${game.size} board, move ${game.number()}${last}` +
    `${view ? `, ${NAMES[view.to_play]} to play` : ""}. Arrow keys move the cursor, Enter plays.`);
}

function positionText() {
  const { game, thinking } = state;
  const { view, children } = game.node;
  if (!view) return "";
  if (game.info.result && !children.length) return resultText(game.info.result);
  const turn = `${NAMES[view.to_play]} to play`;
  if (thinking === game.node) return "MuGo is thinking…";
  if (view.last === "pass") return `${NAMES[game.node.move[0]]} passed. ${turn}.`;
  return game.node.move ? turn : `${turn}. ${state.human ? "Click a point to play." : ""}`;
}

function resultText(result) {
  if (result === "0") return "A draw";
  const how = { R: "by resignation", T: "on time", F: "by forfeit", "": "" }[result.slice(2)] ?? `by ${result.slice(2)}`;
  return `${NAMES[result[0]]} wins ${how}`.trim();
}

function countText({ result, points, komi }) {
  return `${resultText(result)}: Black ${points.B}, White ${points.W} + ${komi}. Click stones that are dead, or alive.`;
}

function renderAnalysis() {
  const { game, analysing, thinking, sweep } = state;
  const { thought, view } = game.node;
  by("analyse").setAttribute("aria-pressed", String(analysing));
  by("analyse").textContent = analysing ? "Stop" : "Analyse";
  by("sweep").setAttribute("aria-pressed", String(Boolean(sweep)));
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
    row.setAttribute("aria-label", `Play ${move.move}`);
    const wins = view.to_play === "B" ? move.black : 1 - move.black;
    for (const text of [move.move, `${(100 * wins).toFixed(1)}`, overlays.short(move.visits),
      `${(100 * move.prior).toFixed(1)}`, move.line.slice(1).join(" ")]) {
      row.insertCell().textContent = text;
    }
    row.onclick = () => play(move.move);
    row.onkeydown = (event) => event.key === "Enter" && play(move.move);
    row.onmouseenter = row.onfocus = () => hovered(move.move);
    row.onmouseleave = row.onblur = () => hovered(null);
    return row;
  });
  const body = by("moves").tBodies[0];
  const focused = [...body.rows].indexOf(document.activeElement);
  body.replaceChildren(...rows);
  if (focused >= 0) rows[Math.min(focused, rows.length - 1)]?.focus();
}

/** The stone that a click would play, or what the search expects after it. */
function renderGhosts() {
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

function say(text, bad = false) {
  state.note = { text, bad };
  if (state.game) render();
  else Object.assign(by("status"), { textContent: text, className: bad ? "bad" : "" });
}

// ---- playing

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

async function play(vertex) {
  const { game } = state;
  const { node } = game;
  if (!node.view) return;
  if (state.thinking === node) {
    say(`MuGo is thinking: it plays ${NAMES[node.view.to_play]}.`);
    return;
  }
  const at = place(vertex, game.size);
  if (at && node.view.stones[at.row * game.size + at.col] !== ".") {
    say(`${vertex} is occupied.`, true);
    return;
  }
  if (node.view.illegal[vertex]) {
    say(`${vertex} ${node.view.illegal[vertex]}.`, true);
    return;
  }
  try {
    const { move, ...view } = await link.ask("play", { ...game.at(node), move: vertex });
    if (game !== state.game || node !== game.node) return;
    const child = game.add(move);
    child.view = view;
    state.hover = board.cursor ? vertex : null;
    Object.assign(state, { count: null, note: null });
    await show();
  } catch (error) {
    say(error.message, true);
  }
}

function isMugosTurn() {
  const { game, human, thinking } = state;
  const { view, children } = game.node;
  return human && human !== "both" && !game.info.result && !thinking && view && !view.over && !children.length
    && view.to_play !== human;
}

async function letMugoPlay() {
  const { game, level } = state;
  const { node } = game;
  state.thinking = node;
  render();
  let answer;
  try {
    answer = await link.ask("choose", { ...game.at(node), level }, ({ thought, waiting }) => {
      state.waiting = waiting;
      if (thought) heard(game, node, thought);
    });
  } finally {
    if (state.thinking === node) state.thinking = null;
  }
  if (game !== state.game || answer.stopped) return;
  if (answer.thought) heard(game, node, answer.thought);
  if (answer.move === "resign") {
    finish(`${node.view.to_play === "B" ? "W" : "B"}+R`);
    return;
  }
  const isShown = game.node === node;
  const before = game.node;
  game.show(node);
  game.add(`${node.view.to_play} ${answer.move}`);
  if (!isShown) game.show(before);
  state.note = null;
  await show();
}

/** The game is over. */
function finish(result) {
  state.game.info.result = result;
  state.note = null;
  state.thinking = null;
  keep();
  render();
  analyse();
}

async function undo() {
  const { game } = state;
  if (!game.node.parent) return;
  if (state.thinking) {
    state.thinking = null;
    await link.ask("stop");
  }
  Object.assign(state, { count: null, note: null });
  if (!state.human && game.node.children.length) {
    game.show(game.node.parent);         // a game that is looked at keeps its moves
  } else {
    if (game.info.result && state.human) delete game.info.result;
    game.remove();
    const turn = (node) => (node.move ? (node.move[0] === "B" ? "W" : "B") : game.start.first);
    if (state.human && state.human !== "both" && turn(game.node) !== state.human && game.node.parent) game.remove();
  }
  await show();
}

async function resign() {
  if (state.thinking) {
    state.thinking = null;
    await link.ask("stop");
  }
  finish(`${state.human === "B" ? "W" : "B"}+R`);
}

// ---- counting

async function openCount() {
  const { game } = state;
  const { node } = game;
  const count = await link.ask("score", game.at(node));
  if (node === game.node) setCount(count);
}

async function toggleDead(vertex) {
  const { game, count } = state;
  const at = place(vertex, game.size);
  if (game.node.view.stones[at.row * game.size + at.col] === ".") return;
  try {
    setCount(await link.ask("score", { ...game.at(), dead: count.dead, toggle: vertex }));
  } catch (error) {
    say(error.message, true);
  }
}

function setCount(count) {
  const { game } = state;
  state.count = count;
  state.note = null;
  if (game.node.view.over && state.human) game.info.result = count.result;
  keep();
  render();
}

// ---- thinking

/** A search has found something about a node. */
function heard(game, node, thought) {
  node.thought = thought;
  Object.assign(node, { black: thought.black, visits: thought.visits });
  if (game === state.game) refresh();
}

let isRefreshing = false;

/** Render soon, once for all that happens until then. */
function refresh() {
  if (isRefreshing) return;
  isRefreshing = true;
  requestAnimationFrame(() => {
    isRefreshing = false;
    render();
  });
}

/** Analyse the position shown, if that is switched on and nothing else searches. */
async function analyse(limits = {}) {
  const { game } = state;
  if (!state.analysing || state.thinking || state.sweep || !game.node.view) return;
  const { node } = game;
  try {
    const answer = await link.ask("analyse", { ...game.at(node), by: state.by, ...limits }, ({ thought, waiting }) => {
      state.waiting = waiting;
      if (thought) heard(game, node, thought);
    });
    if (answer.stopped) return;
    heard(game, node, answer.thought);
    state.analysing = false;
    keep();
  } catch (error) {
    state.analysing = false;
    say(error.message, true);
  }
}

async function switchAnalysis(isOn = !state.analysing, limits = {}) {
  state.note = null;
  if (state.sweep) await switchSweep();
  state.analysing = isOn;
  if (isOn && ["none", "policy"].includes(state.overlay)) setOverlay("search");
  render();
  if (isOn) await analyse(limits);
  else await link.ask("stop");
}

async function hint() {
  const { node } = state.game;
  if (state.thinking || !node.view) return;
  setOverlay("search");
  say("Looking for a good move…");
  await switchAnalysis(true, { seconds: 2 });
  const best = node.thought?.moves[0];
  if (!best || node !== state.game.node) return;
  const wins = node.view.to_play === "B" ? best.black : 1 - best.black;
  say(`${best.move === "pass" ? "A pass" : best.move} looks best: it wins ${(100 * wins).toFixed(0)} %.`);
}

/** Analyse every move of the line shown, one after the other. */
async function switchSweep() {
  if (state.sweep) {
    state.sweep = null;
    await link.ask("stop");
    render();
    return;
  }
  const { game } = state;
  const line = game.line();
  const sweep = { done: 0, of: line.length };
  Object.assign(state, { sweep, analysing: false });
  render();
  try {
    await judge();
    for (const node of line) {
      if (state.sweep !== sweep || state.game !== game) break;
      if (!(node.visits >= SWEEP)) {
        const answer = await link.ask("analyse", { ...game.at(node), by: state.by, simulations: SWEEP },
          ({ thought }) => thought && heard(game, node, thought));
        if (answer.thought) heard(game, node, answer.thought);
      }
      sweep.done += 1;
      refresh();
    }
  } catch (error) {
    say(error.message, true);
  }
  if (state.sweep === sweep) state.sweep = null;
  keep();
  render();
}

/** What the network says at a glance of every position of the line. */
async function judge() {
  const { game } = state;
  const line = game.line();
  const { rates } = await link.ask("judge", game.at(line.at(-1)), () => {});
  rates?.forEach((rate, i) => { line[i].value = rate; });
  if (game === state.game) render();
}

// ---- games

async function begin({ size, komi, handicap, human, level }) {
  await link.ask("stop");
  const { game } = await link.ask("new", { size, komi, handicap });
  const colour = human === "any" ? "BW"[Math.floor(2 * Math.random())] : human;
  Object.assign(state, { game: new Game(game), human: colour, level, thinking: null, sweep: null, count: null, note: null, hover: null });
  if (colour !== "both") {
    const { info } = state.game;
    info[colour === "B" ? "white" : "black"] = `MuGo ${level}`;
    info[colour === "B" ? "black" : "white"] = "You";
  }
  state.game.info.date = new Date().toISOString().slice(0, 10);
  await show();
}

async function open(file) {
  try {
    if (file.size > 3e6) throw new Error(`${file.name} is larger than 3 MB`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
    const { game } = await link.ask("load", { data: btoa(text) });
    Object.assign(state, { game: new Game(game), human: null, thinking: null, analysing: false, sweep: null, count: null, note: null, hover: null });
    await show();
    await judge();
  } catch (error) {
    say(`${file.name}: ${error.message}`, true);
  }
}

async function save() {
  const { game } = state;
  try {
    const { sgf } = await link.ask("save", { game: game.plain() });
    const address = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
    const name = `mugo-${game.size}x${game.size}-${new Date().toISOString().slice(0, 16).replace(/[T:]/g, "-")}.sgf`;
    Object.assign(document.createElement("a"), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    say(`Saved as ${name}`);
  } catch (error) {
    say(error.message, true);
  }
}

/** Keep everything for a reload of this tab. */
function keep() {
  const { game, human, level, overlay: shown, plane } = state;
  if (!game) return;
  try {
    sessionStorage.setItem("mugo", JSON.stringify({ game: game.plain(), human, level, overlay: shown, plane, by: state.by }));
  } catch {
    // a full or forbidden storage: then a reload begins anew
  }
}

async function restore() {
  try {
    const { game, ...rest } = JSON.parse(sessionStorage.getItem("mugo"));
    Object.assign(state, rest, { game: Game.from(game) });
  } catch {
    await begin({ size: 9, komi: 7.5, handicap: 0, human: "B", level: "mcts-200" });
    return;
  }
  by("by").value = state.by;
  by("plane").value = state.plane;
  document.querySelector(`[name=overlay][value=${state.overlay}]`).checked = true;
  await show();
}

// ---- what is pressed

function fillChoices() {
  const select = document.querySelector("[name=level]");
  const groups = new Map();
  for (const { key, group, name } of levels) {
    if (!groups.has(group)) groups.set(group, Object.assign(document.createElement("optgroup"), { label: group }));
    groups.get(group).append(new Option(name, key, false, key === "mcts-200"));
  }
  select.replaceChildren(...groups.values());
  by("plane").replaceChildren(...planes.map((name, i) => new Option(name, i)));
  fillHandicaps();
}

function fillHandicaps() {
  const size = Number(new FormData(document.querySelector("#begin form")).get("size"));
  const most = size < 7 ? 0 : size < 9 ? 4 : 9;
  const select = document.querySelector("[name=handicap]");
  const before = Number(select.value);
  select.replaceChildren(new Option("none", 0));
  for (let stones = 2; stones <= most; stones++) select.append(new Option(`${stones} stones`, stones));
  select.value = before <= most ? before : 0;
}

function setOverlay(name) {
  state.overlay = name;
  document.querySelector(`[name=overlay][value=${name}]`).checked = true;
  keep();
  render();
  fetchOverlay();
}

function step(where) {
  const { game } = state;
  const line = game.line();
  const node = { first: game.root, back: game.node.parent, on: game.next(), last: line.at(-1) }[where];
  if (node && node !== game.node) go(node);
}

/** The next variation beside the node shown, or after it. */
function otherBranch(offset) {
  const { game } = state;
  let { node } = game;
  if (node.children.length < 2) node = node.parent;
  while (node && node.children.length < 2) node = node.parent;
  if (!node) return;
  const next = (node.chosen + offset + node.children.length) % node.children.length;
  go(node.children[next]);
}

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
by("sweep").onclick = switchSweep;
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
  state.game.node.comment = target.value || undefined;
  keep();
};
for (const button of document.querySelectorAll("[data-step]")) button.onclick = () => step(button.dataset.step);
for (const radio of document.querySelectorAll("[name=overlay]")) radio.onchange = () => setOverlay(radio.value);

const form = document.querySelector("#begin form");
form.addEventListener("change", ({ target }) => {
  if (target.name === "size") fillHandicaps();
  if (target.name === "size" || target.name === "handicap") form.komi.value = Number(form.handicap.value) ? 0.5 : 7.5;
  form.level.disabled = form.colour.value === "both";
});
by("begin").addEventListener("close", () => {
  if (by("begin").returnValue !== "begin") return;
  begin({ size: Number(form.size.value), komi: Number(form.komi.value), handicap: Number(form.handicap.value),
    human: form.colour.value, level: form.level.value }).catch((error) => say(error.message, true));
});

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
