// Moves that are symmetric to one that was searched: not written, and not in a list of a few moves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compact } from "../../../mugo/web/static/core/analysis.js";
import { bestMove } from "../../../mugo/web/static/core/losses.js";
import { distinctMoves, formatLz } from "../../../mugo/web/static/core/lz.js";

const searched = (move, of) => ({ move, win_rate: 0.5, lead: 1, visits: 9, pv: [move], symmetry_of: of });
const analysis = { win_rate: 0.5, lead: 1, visits: 20, moves: [
  searched("Q16", null), searched("D4", "Q16"), searched("D16", "Q16"), searched("Q4", "Q16"), searched("R16", null)] };

test("a list of a few moves has different ones", () => {
  assert.deepEqual(distinctMoves(analysis, 3).map(({ move }) => move), ["Q16", "R16"]);
  assert.deepEqual(distinctMoves(analysis, 1).map(({ move }) => move), ["Q16"]);
  assert.deepEqual(distinctMoves({ moves: [{ move: "C3" }] }, 3), [{ move: "C3" }]);            // read from a file
});

test("what is written has different moves", () => {
  assert.deepEqual(compact(analysis).moves.map(({ move }) => move), ["Q16", "R16"]);
  assert.equal(formatLz(analysis, "B").match(/move \w+/g).join(), "move Q16,move R16");
});

test("the best move is best in each symmetry", () => {
  assert.equal(bestMove(analysis, "D4").move, "D4");
  assert.equal(bestMove(analysis, "R16").move, "Q16");
  assert.equal(bestMove(analysis, "K10").move, "Q16");
  assert.equal(bestMove(null, "D4"), undefined);
});
