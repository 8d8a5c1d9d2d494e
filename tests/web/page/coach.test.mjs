// What the coach says of a move: each sentence where its fact is on the board, and none where it is not.
import assert from "node:assert/strict";
import test from "node:test";

import { chanceText, dangerText } from "../../../mugo/web/static/core/coach.js";
import { criticalMoves } from "../../../mugo/web/static/core/exercises.js";
import { LEVELS } from "../../../mugo/web/static/core/losses.js";
import { setLanguage } from "../../../mugo/web/static/core/texts.js";
import { goGame, moves } from "./games.mjs";

setLanguage("en");
LEVELS.lead = [0.5, 1.5, 3, 6, 12];
const SIZE = { rows: 5, cols: 5 };
const NAMES = ["ladder capture"];

/** The answer to "planes" with one plane, which is set on these points of the 5x5 board, 0 at the top left. */
const planesOn = (...points) => ({ packed: btoa(String.fromCharCode(...Array.from({ length: 25 }, (_, i) => Number(points.includes(i))))) });

/** A node with a move on a board, rows from the top, and the next move of the game. */
function nodeOn(board, move, { reply, planes, planesBefore, better } = {}) {
  const analysis = better && { moves: [{ move: better }] };
  const parent = { position: { stones: board.replace(/\s/g, "") }, planes: planesBefore, analysis, children: [] };
  return { parent, move, planes, selected: 0, children: reply ? [{ move: reply, children: [] }] : [] };
}
const danger = (board, move, more) => dangerText(nodeOn(board, move, more), NAMES, SIZE);
const chance = (board, move, better, more) => chanceText(nodeOn(board, move, more), better, NAMES, SIZE);

// Black's two stones at C4 and C3 have one liberty, C2.
const ATARI = `
  . . O . .
  . O X O .
  . O X O .
  . . . . .
  . . . . .`;

test("stones that the other side can capture, and has captured", () => {
  const better = "C2";
  assert.equal(danger(ATARI, "B A1", { better }), "White can capture 2 stones at C2.");
  assert.equal(danger(ATARI, "B A1", { better, reply: "W C2" }), "White captured 2 stones at C2.");
  assert.equal(danger(ATARI, "B A1", { better, reply: "W E1" }), "White can capture 2 stones at C2.");
  assert.equal(danger(ATARI, "B C2", { better }), "");               // three liberties
  assert.equal(danger(ATARI.replace("O X O", ". X O"), "B A1", { better }), "");
  assert.equal(danger(ATARI, "B pass", { better }), "");
});

test("stones that could be captured before, and after a better move elsewhere too, are no reason", () => {
  assert.equal(danger(ATARI, "B A1", { better: "E5" }), "");
  assert.equal(danger(ATARI, "B A1", { better: "E5", reply: "W C2" }), "");
  assert.equal(danger(ATARI, "B A1"), "");
  assert.equal(danger(ATARI.replace("O X O .\n  .", "O X O .\n  O").replace(". . . . .", ". O . O ."), "B C2", { better: "E5" }),
    "White can capture 3 stones at C1.");                            // it adds a stone to them
});

test("a stone that has just taken a ko cannot be captured", () => {
  const ko = `
    . X O . .
    X O . O .
    . X O . .
    . . . . .
    . . . . .`;
  assert.equal(danger(ko, "B C4"), "");
  assert.equal(danger(ko.replace("X O . O .", "X . X O ."), "B E1", { better: "B4" }), "White can capture 1 stone at B4.");
});

test("stones in a ladder, by the server's plane, if one chain has that liberty", () => {
  const ladder = `
    . . . . .
    . . O . .
    . O X . .
    . . . . .
    . . . . .`;
  const [c2, d3] = [17, 13];
  const better = "C2";
  assert.equal(danger(ladder, "B A1", { better, planes: planesOn(c2) }), "White can capture 1 stone in a ladder that begins at C2.");
  assert.equal(danger(ladder, "B A1", { better: "E5", planes: planesOn(c2) }), "");
  assert.equal(danger(ladder, "B A1", { better, planes: planesOn() }), "");
  assert.equal(danger(ladder, "B A1", { better }), "");
  assert.equal(danger(ladder, "B D3", { planes: planesOn(d3) }), "");
  assert.equal(chance(ladder.replace("X", "o").replaceAll("O", "X").replace("o", "O"), "B A1", "C2", { planesBefore: planesOn(c2) }), "C2 captures 1 stone in a ladder.");
});

test("stones without room to run are in no ladder: they cannot escape", () => {
  const corner = `
    . . . . .
    . . . . .
    . . . . .
    . O . . .
    X . . . .`;
  const [a2, b1] = [15, 21];
  assert.equal(danger(corner, "B E5", { better: "B1", planes: planesOn(b1) }), "After White B1 1 stone cannot escape.");
  assert.equal(danger(corner, "B E5", { better: "B1", planes: planesOn(a2) }), "After White A2 1 stone cannot escape.");
  const side = corner.replace("X . . . .", "X . . O .").replace(". O . . .", "X O . . .");
  assert.equal(danger(side, "B E5", { better: "A3", planes: planesOn(10) }), "After White A3 2 stones cannot escape.");
  const swapped = corner.replace("X", "o").replaceAll("O", "X").replace("o", "O");
  assert.equal(chance(swapped, "B E5", "B1", { planesBefore: planesOn(b1) }), "After Black B1 1 stone cannot escape.");
});

test("what the better move captures, or takes out of atari", () => {
  assert.equal(chance(ATARI, "B A1", "C2"), "C2 gives 2 stones in atari 3 liberties.");
  assert.equal(chance(ATARI, "B A1", "E1"), "");
  assert.equal(chance(ATARI, "W A1", "C2"), "C2 captures 2 stones.");
  assert.equal(chance(ATARI, "W A1", "E1"), "");
  assert.equal(chance(ATARI, "W A1", "pass"), "");
  const short = ATARI.replace(". . . . .", ". O . O .");               // C2 leaves one liberty, C1
  assert.equal(chance(short, "B A1", "C2"), "");
});

test("the moves that decided a game, kept or taken back, at most one of a position", () => {
  const game = goGame(moves("B E5", "W C3", "B D4", "W G7"));
  const line = game.line();
  const analysis = (lead, best) => ({ lead, win_rate: 0.5, visits: 100, moves: [{ move: best, lead, win_rate: 0.5, visits: 90, pv: [best] }] });
  [0, -5, -5, -9, -9].forEach((lead, i) => { line[i].analysis = analysis(lead, "A1"); });
  assert.deepEqual(criticalMoves(line, "B").map(({ node, lost }) => [node.move, lost]), [["B E5", 5], ["B D4", 4]]);
  assert.deepEqual(criticalMoves(line, "W"), []);
  game.goTo(line[2]);
  const takenBack = game.add("B F4");
  takenBack.analysis = analysis(-25, "A1");
  assert.deepEqual(criticalMoves(line, "B").map(({ vertex }) => vertex), ["E5", "F4"]);
  assert.deepEqual(criticalMoves(line, "B", 1).map(({ vertex }) => vertex), ["F4"]);
  line[2].analysis.moves[0].move = "F4";                             // it was the search's own choice
  assert.deepEqual(criticalMoves(line, "B").map(({ vertex }) => vertex), ["E5", "D4"]);
});
