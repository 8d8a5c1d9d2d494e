// What the page is about: the game, what is switched on beside it, and the line to the server.  Every module shares it.

import { Link } from "./link.js";

export const by = (id) => document.getElementById(id);
export const NAMES = { B: "Black", W: "White" };
export const link = new Link();          // main.js opens it

export const state = {
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
  waiting: false,                        // whether a search waits for its turn
  note: null,                            // { text, bad } until something else happens
  planes: {},                            // game -> the names of the planes that a network sees
};

/** Whether a network plays the game shown. */
export const hasNetwork = () => !state.game.offers?.without_network;

/** What analyses: "mcts" or "uct". */
export const analyst = () => (hasNetwork() ? state.by : "uct");

/** Keep everything for a reload of this tab. */
export function keep() {
  const { game, human, level, overlay: shown, plane } = state;
  if (!game) return;
  try {
    sessionStorage.setItem("mugo", JSON.stringify({ game: game.plain(), human, level, overlay: shown, plane, by: state.by }));
  } catch {
    // a full or forbidden storage: then a reload begins anew
  }
}
