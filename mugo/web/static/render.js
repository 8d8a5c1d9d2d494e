// Draws the page from the state.  Sends no requests; events are handled in main.js.

import { renderAutoplay } from "./autoplay.js";
import { Board } from "./view/board.js";
import { describeSettings } from "./core/clock.js";
import { renderClocks } from "./clock_view.js";
import { parseVertex } from "./core/coordinates.js";
import { currentOverlay } from "./current_overlay.js";
import { renderEditing, toolPreview, TOOLS } from "./edit_view.js";
import { updateChildren } from "./dom.js";
import { Graph } from "./view/graph.js";
import { formatLoss, lostByMoves, meanLosses, mistakes } from "./core/losses.js";
import { markup } from "./view/markup.js";
import { moveNumbers } from "./core/move_numbers.js";
import { area, formatCount } from "./view/overlays.js";
import { renderPlaying, shownName } from "./play_from.js";
import { byId, COLOUR_NAMES, hasNetwork, isAnalysisHidden, searchPlayer, state, touchedVertex } from "./state.js";
import { positionText, scoreText } from "./status.js";
import { renderTeaching } from "./teaching.js";
import { TreeView } from "./view/tree.js";

const TABLE_ROWS = 6;                    // moves in the table of a search
const MISTAKES = 12;                     // in the list

export const board = new Board(byId("board"));
export const graph = new Graph(byId("graph"));
export const treeView = new TreeView(byId("tree"));

export function render() {
  const { game } = state;
  if (!game) return;
  const { node } = game;
  if (board.size !== game.size || board.game !== game) {
    board.drawEmpty(game.size);
    board.game = game;
    byId("comment").blur();
  }
  const overlay = currentOverlay();
  if (node.position) {
    const { score } = state;
    const shown = score ? { dead: score.dead, overlay: area(score, game.size, node.position.stones) } : { overlay };
    board.marks = markup(node, game.size, node.position.stones);
    const next = state.human || score ? [] : node.children.filter(({ move }) => move).map(({ move }) => move.slice(2));
    const numbered = byId("move-numbers").value;
    const numbers = numbered === "0" || score || state.overlay === "losses" ? new Map() : moveNumbers(game, numbered);
    board.show(node.position, { ...shown, markup: board.marks, next, numbers });
    byId("markup-description").textContent = board.marks.text;
  }
  renderPlayers();
  renderNavigation();
  renderStatus();
  renderAnalysis();
  renderGhosts();
  renderReview();
  treeView.show(game);
  renderGameInfo();
  renderActions();
  renderEditing();
  renderPlaying();
  renderTeaching();
  renderAutoplay();
  renderClocks();
}

/** The players, date and result of a file, and the comment.  A comment being edited stays with its node. */
function renderGameInfo() {
  const { game } = state;
  const result = game.info.result && `result ${game.info.result}`;
  const { event, place, date, rules } = game.info;
  byId("game-info").textContent = [event, place, date, rules, describeSettings(game.info), result].filter(Boolean).join(" · ");
  if (document.activeElement !== byId("comment")) {
    byId("comment").value = game.node.comment ?? "";
    board.commentNode = game.node;
  }
}

/** The graph, and the list of mistakes. */
function renderReview() {
  const { game } = state;
  const line = game.line();
  const isHidden = isAnalysisHidden();
  byId("hide-analysis").checked = state.hidesAnalysis;
  byId("hidden-analysis").hidden = !isHidden;
  byId("win-rates").hidden = isHidden;
  const hasLeads = line.some(({ lead, value_lead: ofNetwork }) => (lead ?? ofNetwork) != null);
  byId("graph-unit").disabled = !hasLeads;
  byId("graph-unit").value = hasLeads ? state.graphUnit : "win_rate";
  graph.show(line, game.index(), byId("graph-unit").value);
  const lost = lostByMoves(line);
  const listed = mistakes(lost.moves).slice(0, MISTAKES);
  byId("mistakes").hidden = isHidden || !lost.moves.length;
  byId("mean-losses").textContent = meanLosses(lost);
  byId("mistake-list").hidden = !listed.length;
  byId("mistake-unit").textContent = lost.unit === "lead" ? "Points lost" : "% lost";
  const body = byId("mistake-list").tBodies[0];
  updateChildren(body, listed.map(({ node, index, colour, vertex, lost: loss, level, better }) => {
    const row = document.createElement("tr");
    row.tabIndex = 0;
    row.dataset.index = index;
    row.setAttribute("aria-label", `Go to move ${game.printedNumber(node)}`);
    row.setAttribute("aria-current", String(node === game.node));
    for (const text of [game.printedNumber(node), `${COLOUR_NAMES[colour]} ${vertex}`, formatLoss(loss, lost.unit), better ?? ""]) {
      row.insertCell().textContent = text;
    }
    row.cells[2].className = `loss-text level-${level}`;
    return row;
  }));
}

function renderActions() {
  const { game } = state;
  const { node } = game;
  byId("play-touched").hidden = !touchedVertex();
  byId("play-touched").textContent = `Play ${touchedVertex()}`;
  byId("hint").disabled = isGameOver(node);
  byId("analyze").disabled = isGameOver(node) && !state.analyzing;
  byId("resign").disabled = !canResign();
  byId("delete").disabled = !node.parent;
  byId("branch").hidden = !game.branching();
  byId("undo").disabled = !game.undoTarget(state.human);
  byId("redo").disabled = !game.redoTarget(state.human);
  byId("score").setAttribute("aria-pressed", String(Boolean(state.score)));
}

export const canResign = () => state.human && state.human !== "both" && !state.game.result && state.game.isInPlay();

/** Whether a game of Gomoku is over; in Go a pass is always possible. */
export const isGameOver = (node) => Boolean(node.position?.result);

let isScheduled = false;

/** Render with the next frame of the screen. */
export function renderSoon() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    render();
  });
}

/** Show a message in the status line until the next action. */
export function showMessage(text, isError = false) {
  state.message = { text, isError };
  if (state.game) render();
  else Object.assign(byId("status"), { textContent: text, className: isError ? "error" : "" });
}

function renderPlayers() {
  const { game, genmoveNode } = state;
  const { position } = game.node;
  for (const [colour, name] of [["B", "black"], ["W", "white"]]) {
    const side = byId(`player-${name}`);
    const player = shownName(colour);
    side.querySelector(".name").textContent = player;
    side.querySelector(".name").title = `${COLOUR_NAMES[colour]}: ${player}`;
    side.querySelector(".spinner").hidden = !(genmoveNode === game.node && position?.to_play === colour);
    const captures = position?.captures?.[colour] ?? 0;
    side.querySelector(".captures").textContent = game.isGo ? `${captures} captured` : `wins with ${game.row}`;
    if (game.isGo && colour === "W") {
      const komi = document.createElement("span");         // left out where a clock needs the place
      komi.className = "komi";
      komi.textContent = `, komi ${game.start.komi}`;
      side.querySelector(".captures").append(komi);
    }
    side.classList.toggle("to-play", position?.to_play === colour && !position.is_over);
  }
}

function renderNavigation() {
  const { game } = state;
  const line = game.line();
  const index = game.index();
  const [moveNumber, moves] = [game.moveNumber(), game.moveNumber(line.at(-1))];
  Object.assign(byId("slider"), { max: line.length - 1, value: index });
  byId("slider").setAttribute("aria-valuetext", `move ${moveNumber} of ${moves}`);
  byId("move-number").textContent = `${moveNumber} / ${moves}`;
  for (const button of document.querySelectorAll("[data-step]")) {
    button.disabled = ["first", "previous"].includes(button.dataset.step) ? index === 0 : index === line.length - 1;
  }
  const children = game.node.children;
  const variations = byId("variations");
  variations.hidden = children.length < 2;
  updateChildren(variations, children.length < 2 ? [] : children.map((child, i) => {
    const button = document.createElement("button");
    button.textContent = `${i ? "" : "Main: "}${child.move?.slice(2) ?? (child.stones ? "setup" : "comment")}`;
    button.setAttribute("aria-pressed", String(i === game.node.selected));
    return button;
  }));
}

function renderStatus() {
  const { game, message, score } = state;
  const { position } = game.node;
  const status = byId("status");
  status.classList.toggle("error", Boolean(message?.isError));
  const text = message?.text ?? (score ? scoreText(score) : positionText());
  if (status.textContent !== text) status.textContent = text;      // else a screen reader may read it again
  byId("board").setAttribute("aria-roledescription", `${game.isGo ? "Go" : "Gomoku"} board`);
  const last = game.node.move ? `, last move ${game.node.move}` : "";
  byId("board").setAttribute("aria-label", `${game.size.cols} by ${game.size.rows} board, move ${game.moveNumber()}${last}` +
    `${position ? `, ${COLOUR_NAMES[position.to_play]} to play` : ""}. Arrow keys move the cursor, Enter ${state.tool === null ? "plays" : `edits: ${TOOLS[state.tool].title}`}.`);
}

/** Who leads, as ' · W+3.5'; '' where the lead is not known. */
function formatLead(lead) {
  return lead == null ? "" : ` · ${lead < 0 ? "W" : "B"}+${Math.abs(lead).toFixed(1)}`;
}

/** Black's lead as that of a colour: '+3.5', '−0.4'. */
function formatPoints(lead, colour) {
  if (lead == null) return "";
  const points = colour === "B" ? lead : -lead;
  return `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)}`;
}

function renderAnalysis() {
  const { game, analyzing, genmoveNode, gameAnalysis } = state;
  const { search, position } = game.node;
  byId("analyze").setAttribute("aria-pressed", String(analyzing));
  byId("analyze").textContent = analyzing ? "Stop" : "Analyse";
  byId("search-player").value = searchPlayer();
  byId("search-player").querySelector("[value=mcts]").disabled = !hasNetwork();
  byId("analyze-game").setAttribute("aria-pressed", String(Boolean(gameAnalysis)));
  byId("analyze-game").disabled = Boolean(genmoveNode);
  byId("analyze-game").textContent = gameAnalysis ? `Stop (${gameAnalysis.done} of ${gameAnalysis.total})` : "Analyse all moves";
  const isHidden = !search || !position || genmoveNode === game.node || isAnalysisHidden();
  byId("moves").hidden = isHidden;
  const winRate = game.node.win_rate ?? game.node.value;
  byId("search-summary").textContent = search && !isHidden
    ? `Black wins ${(100 * search.win_rate).toFixed(1)} %${formatLead(search.lead)} · ` +
      `${search.visits.toLocaleString("en")} visits` +
      (state.waiting ? " · waiting for other searches" : "")
    : winRate == null || isAnalysisHidden() ? "" : `Black wins ${(100 * winRate).toFixed(1)} %${formatLead(game.node.lead ?? game.node.value_lead)}`;
  if (isHidden) return;
  const hasLeads = search.moves.some(({ lead }) => lead != null);
  byId("lead-column").hidden = !hasLeads;
  const rows = search.moves.slice(0, TABLE_ROWS).map((info) => {
    const row = document.createElement("tr");
    row.tabIndex = 0;
    row.dataset.move = info.move;
    row.setAttribute("aria-label", `Play ${info.move}`);
    const moveWinRate = position.to_play === "B" ? info.win_rate : 1 - info.win_rate;
    const lead = hasLeads ? [formatPoints(info.lead, position.to_play)] : [];
    for (const text of [info.move, `${(100 * moveWinRate).toFixed(1)}`, ...lead, formatCount(info.visits),
      `${(100 * info.prior).toFixed(1)}`, info.pv.slice(1).join(" ")]) {
      row.insertCell().textContent = text;
    }
    return row;
  });
  const body = byId("moves").tBodies[0];
  updateChildren(body, rows);
  const pointed = body.querySelector("tr:hover, tr:focus-visible");      // another move may be in its place now
  if (pointed && state.hover) state.hover = pointed.dataset.move;
}

/** Draw the stone that a click would play, or the principal variation that starts with it. */
export function renderGhosts() {
  const { game, hover, score } = state;
  const { position, search } = game.node;
  const isBlack = position?.to_play === "B";
  const info = hover && search?.moves.find(({ move }) => move === hover);
  if (state.tool !== null) {
    const { elements, stone } = toolPreview();
    board.showGhosts(stone ? [hover] : [], stone === "X", false);
    board.showPreview(elements);
  } else if (!hover || !position || score) board.showGhosts([], isBlack, false);
  else if (info && (state.overlay === "search" || state.analyzing)) board.showGhosts(info.pv, isBlack, true);
  else {
    const at = parseVertex(hover, game.size);
    const isFree = at && position.stones[at.row * game.size.cols + at.col] === "." && !position.illegal[hover];
    board.showGhosts(isFree && state.genmoveNode !== game.node ? [hover] : [], isBlack, false);
    if (isFree && touchedVertex() === hover) board.showCrosshair(at);
  }
}
