// The state of the page that all modules share, and the connection to the server.

import { Connection } from "./server.js";

export const byId = (id) => document.getElementById(id);
export const COLOUR_NAMES = { B: "Black", W: "White" };
export const STORAGE_KEY = "mugo-2";                  // of this tab's state; the number is its format
export const connection = new Connection();          // main.js opens it

export const state = {
  game: null,
  human: null,                           // "B", "W" or "both": the colours of the person; null for a game from a file
  opponent: null,                        // key of the opponent
  overlay: "none",
  plane: 0,                              // number of the plane that the overlay "plane" shows
  searchPlayer: "mcts",                  // "mcts" or "uct": how positions are analysed
  graphUnit: "win_rate",                 // "win_rate" or "lead": what the graph shows, where leads are known
  hidesAnalysis: false,                  // whether the analysis is hidden while the person plays
  analyzing: false,
  genmoveNode: null,                     // the node in which MuGo is choosing a move
  gameAnalysis: null,                    // { done, total } while all moves are analysed
  score: null,                           // the server's answer to "score" while the score is shown
  hover: null,                           // the vertex under the mouse or the cursor
  touched: null,                         // { node, vertex }: the point that a first touch has shown in a node
  tool: null,                            // the selected tool (edit_view.TOOLS) while the board is edited
  lineStart: null,                       // { node, vertex }: the first point of a line or an arrow
  teaching: false,                       // whether mistakes of the person are offered back
  teachingLevel: 2,                      // the level of losses.LEVELS from which on they are
  offer: null,                           // { node, text, ... } while a move is offered back; see teaching.js
  revealed: null,                        // { node, overlay }: where better moves are shown, and the overlay before
  waiting: false,                        // whether the search waits for a slot of the server
  message: null,                         // { text, isError } in the status line until the next action
  planes: {},                            // "go", "gomoku" -> names of the input planes
};

/** The vertex that a touch has shown in the current node and another plays, or null. */
export const touchedVertex = () => (state.touched?.node === state.game.node && !state.score ? state.touched.vertex : null);

/** Whether a network plays the current game. */
export const hasNetwork = () => !state.game.networkError;

/** The player that analyses the current game: "uct" where there is no network. */
export const searchPlayer = () => (hasNetwork() ? state.searchPlayer : "uct");

/** Whether the analysis is hidden now: the person plays, and wants it so. */
export const isAnalysisHidden = () => Boolean(state.hidesAnalysis && state.human && !state.game.result);

/** What is stored of the state: all that a reload restores. */
export function storedState() {
  const { game, human, opponent, overlay, plane, searchPlayer: player, graphUnit, hidesAnalysis, teaching,
    teachingLevel } = state;
  return { game: game.toJSON(), human, opponent, overlay: state.revealed?.overlay ?? overlay, plane, searchPlayer: player,
    graphUnit, hidesAnalysis, teaching, teachingLevel };
}

const storeHandlers = [];
const replaceHandlers = [];

/** Call a function whenever the state is stored. */
export function onStore(handler) { storeHandlers.push(handler); }

/** Call a function before another game takes the place of the current one. */
export function onReplace(handler) { replaceHandlers.push(handler); }

/** Another game takes the place of the current one. */
export function replaceGame(game) {
  if (state.game) for (const handler of replaceHandlers) handler();
  state.game = game;
}

/** Store the state in this tab, so that a reload restores it.  isChanged: whether the handlers are called. */
export function storeState(isChanged = true) {
  if (!state.game) return;
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(storedState()));
  } catch {
    try {
      sessionStorage.removeItem(STORAGE_KEY);              // it is full: a reload starts a new game, not one from before
    } catch {
      // it is forbidden
    }
  }
  if (isChanged) for (const handler of storeHandlers) handler();
}
