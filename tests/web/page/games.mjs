// Games for the tests.
import { Game } from "../../../mugo/web/static/core/game.js";

export const ANALYSIS = { win_rate: 0.534, lead: 1.2, visits: 70,
  moves: [{ move: "D4", win_rate: 0.534, lead: 1.2, visits: 40, pv: ["D4", "C3"] }] };

/** Nodes of moves one after the other, from the root on. */
export const moves = (...played) => [{ parent: -1 }, ...played.map((move, i) => ({ parent: i, move }))];

export const goGame = (nodes, info = {}) =>
  new Game({ name: "go", size: 9, komi: 7.5, handicap: 0, black: [], white: [], first: "B", info, nodes });

/** A game of a file with one move. */
export const fileGame = (properties, root = "GM[1]CA[UTF-8]SZ[9]", fields = {}) =>
  goGame([{ parent: -1, properties: root }, { parent: 0, move: "B E5", properties, ...fields }]);
