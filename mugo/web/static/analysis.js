// Requests about a position: the board, overlays, searches and evaluations.  Each answer is stored in its node.

import { isAvailable } from "./current_overlay.js";
import { isGameOver, render, renderSoon, showMessage } from "./render.js";
import { connection, hasNetwork, searchPlayer, state, storeState } from "./state.js";

const GAME_ANALYSIS_SIMULATIONS = 100;   // for each move, when all moves are analysed

/** Select an overlay, if the current game has it. */
export function setOverlay(name) {
  if (!isAvailable(name)) return;
  state.overlay = name;
  document.querySelector(`[name=overlay][value=${name}]`).checked = true;
  storeState();
  render();
  fetchOverlay();
}

/** Request what the selected overlay needs, unless the node has it. */
export async function fetchOverlay() {
  const { game, overlay } = state;
  const { node } = game;
  const command = { policy: "policy", ladders: "planes", plane: "planes", ownership: "ownership" }[overlay];
  if (!command || node[command] || (command === "policy" && !hasNetwork())
    || (command === "ownership" && node.search?.ownership)) return;
  try {
    node[command] = await connection.request(command, game.requestFields(node));
  } catch (error) {
    showMessage(error.message, true);
  }
  if (game === state.game && node === game.node) render();
}

/** Request the position of a node, unless it is there.  The win rate of a finished game of Gomoku is its result. */
export async function fetchPosition(game, node) {
  node.position ??= await connection.request("position", game.requestFields(node));
  if (isGameOver(node)) node.win_rate = { "B+": 1, "W+": 0 }[node.position.result] ?? 0.5;
}

// ---- searches

/** Store a search result in its node. */
export function storeSearch(game, node, search) {
  node.search = search;
  Object.assign(node, { win_rate: search.win_rate, lead: search.lead, visits: search.visits });
  if (game === state.game) renderSoon();
}

/** Analyse the current position, if the analysis is on and no other search runs. */
export async function analyze(limits = {}) {
  const { game } = state;
  if (!state.analyzing || state.genmoveNode || state.gameAnalysis || !game.node.position || isGameOver(game.node)) return;
  const { node } = game;
  try {
    const fields = { ...game.requestFields(node), player: searchPlayer(), ...limits };
    const answer = await connection.request("analyze", fields, ({ search, waiting }) => {
      state.waiting = waiting;
      if (search) storeSearch(game, node, search);
    });
    if (answer.stopped) return;
    storeSearch(game, node, answer.search);
    state.analyzing = false;
    storeState();
  } catch (error) {
    state.analyzing = false;
    showMessage(error.message, true);
  }
}

export async function toggleAnalysis(isOn = !state.analyzing, limits = {}) {
  state.message = null;
  if (state.gameAnalysis) await toggleGameAnalysis();
  state.analyzing = isOn;
  if (isOn && ["none", "policy"].includes(state.overlay)) setOverlay("search");
  render();
  if (isOn) await analyze(limits);
  else if (!state.genmoveNode) await connection.request("stop");
}

export async function hint() {
  const { game } = state;
  const { node } = game;
  try {
    await fetchPosition(game, node);
  } catch (error) {
    showMessage(error.message, true);
    return;
  }
  if (node !== state.game.node || state.genmoveNode || isGameOver(node)) return;
  setOverlay("search");
  showMessage("Searching for the best move…");
  await toggleAnalysis(true, { seconds: 2 });
  const best = node.search?.moves[0];
  if (!best || node !== state.game.node) return;
  const winRate = node.position.to_play === "B" ? best.win_rate : 1 - best.win_rate;
  showMessage(`Best move: ${best.move}, win rate ${(100 * winRate).toFixed(0)} %.`);
}

/** Start or stop the analysis of every move of the current line. */
export async function toggleGameAnalysis() {
  if (state.gameAnalysis) {
    state.gameAnalysis = null;
    await connection.request("stop");
    render();
    return;
  }
  const { game } = state;
  const line = game.line();
  const gameAnalysis = { done: 0, total: line.length };
  Object.assign(state, { gameAnalysis, analyzing: false });
  render();
  try {
    await evaluateLine();
    for (const node of line) {
      if (state.gameAnalysis !== gameAnalysis || state.game !== game) break;
      await fetchPosition(game, node);
      const { visits } = node;
      if (!(visits >= GAME_ANALYSIS_SIMULATIONS) && !isGameOver(node)) await analyzeNode(game, node);
      if (node.visits !== visits) game.isUnsaved = true;
      gameAnalysis.done += 1;
      renderSoon();
    }
  } catch (error) {
    showMessage(error.message, true);
  }
  if (state.gameAnalysis === gameAnalysis) state.gameAnalysis = null;
  storeState();
  render();
}

async function analyzeNode(game, node) {
  if (game.isGo && node.position.is_over) {              // a search would count dead stones as alive
    const isCounted = node === game.end && /^[BW]\+\d/.test(game.info.result ?? "");
    const { result } = isCounted ? game.info : await connection.request("score", game.requestFields(node));
    node.win_rate = { B: 1, W: 0 }[result[0]] ?? 0.5;
    node.lead = result === "0" ? 0 : Number(result.slice(2)) * (result[0] === "B" ? 1 : -1);
    return;
  }
  const fields = { ...game.requestFields(node), player: searchPlayer(), simulations: GAME_ANALYSIS_SIMULATIONS };
  const answer = await connection.request("analyze", fields, ({ search }) => search && storeSearch(game, node, search));
  if (answer.search) storeSearch(game, node, answer.search);
}

/** Request the network's value and score of every position of the current line. */
export async function evaluateLine() {
  const { game } = state;
  if (!hasNetwork()) return;
  for (const segment of game.segments()) {
    const { win_rates, leads } = await connection.request("evaluate", game.requestFields(segment.at(-1)), () => {});
    if (!win_rates) break;
    const start = game.requestFields(segment[0]).moves.length;
    for (const node of segment) {
      const i = game.requestFields(node).moves.length - start;
      Object.assign(node, { value: win_rates[i], value_lead: leads?.[i] ?? null });
    }
  }
  if (game === state.game) render();
}
