// Why a move was a mistake: whose points change hands, where, and by how much.
import assert from "node:assert/strict";
import test from "node:test";

import { setLanguage } from "../../../mugo/web/static/core/texts.js";
import { changesOf, lineEnds, partsOf, whyText } from "../../../mugo/web/static/core/why.js";
import { goGame, moves } from "./games.mjs";

const SIZE = { rows: 9, cols: 9 };
/** The ownership of a board, rows of X (Black's), O (White's) and points. */
const owned = (...rows) => ({ ownership: [...rows.join("").padEnd(81, ".")].map((each) => ({ X: 100, O: -100, ".": 0 })[each]) });

test("both lines end after as many moves, so that the same side is to move", () => {
  const game = goGame(moves());
  const node = game.add("B E5");
  const ends = lineEnds({ node, colour: "B", betterLine: ["D4", "F6", "G7"], playedLine: ["E5", "C3"] });
  assert.deepEqual(ends.map((end) => game.requestFields(end).moves), [["B D4", "W F6"], ["B E5", "W C3"]]);
  assert.equal(game.root.children.length, 1);                        // they are in no tree
});

test("points that change hands are summed where they are, for the side that moved", () => {
  setLanguage("en");
  const better = owned("......XXX", "......XXX", ".........", ".........", ".........", ".........", ".........", "OO.......");
  const played = owned("......OOO", "......XXX", ".........", ".........", ".........", ".........", ".........", ".........");
  const parts = partsOf(changesOf({ better, played }, "B"), SIZE);
  assert.deepEqual(parts, [{ points: 6, place: "atTopRight" }, { points: -2, place: "atBottomLeft" }]);
  assert.equal(whyText(parts, "B"), "Black loses about 6 points at the top right and gains about 2 points at the bottom left.");
  assert.deepEqual(partsOf(changesOf({ better, played }, "B"), SIZE, 8.5).at(-1), { points: 4.5, place: "elsewhere" });
  assert.equal(whyText(partsOf(changesOf({ better, played }, "B"), SIZE, 5.9), "B"),
    "Black loses about 6 points at the top right, gains about 2 points at the bottom left, and loses about 2 points elsewhere.");
  assert.equal(whyText(partsOf(changesOf({ better, played }, "B"), SIZE, 8.5), "B"), "The lines differ mainly at the top right.");
  assert.equal(whyText(partsOf(changesOf({ better: played, played: better }, "W"), SIZE), "W"),
    "White loses about 6 points at the top right and gains about 2 points at the bottom left.");
  assert.equal(whyText(partsOf(changesOf({ better, played: better }, "B"), SIZE), "B"), "No area changes hands in these lines.");
});
