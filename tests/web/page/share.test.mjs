// Which positions of a game are shared as an animation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodesBetween, proposedMoves } from "../../../mugo/web/static/core/move_numbers.js";
import { goGame, moves } from "./games.mjs";

const game = () => goGame([...moves("B E5", "W C3", "B D4", "W F6"), { parent: 2, move: "B G7" }, { parent: 5, stones: ".".repeat(81), first: "W" },
  { parent: 6, move: "W A1" }]);

test("the variation on the board is proposed, else the rest of the game, else all of it", () => {
  const found = game();
  assert.deepEqual(proposedMoves(found), { from: 0, to: 4, last: 4 });
  found.goTo(found.root.children[0]);
  assert.deepEqual(proposedMoves(found), { from: 1, to: 4, last: 4 });
  found.goTo(found.line().at(-1));
  assert.deepEqual(proposedMoves(found), { from: 0, to: 4, last: 4 });
  found.goTo(found.root.children[0].children[0].children[1]);
  assert.deepEqual(proposedMoves(found), { from: 2, to: 4, last: 4 });
  assert.deepEqual(proposedMoves(goGame([{ parent: -1 }])), { from: 0, to: 0, last: 0 });
});

test("the positions from one move to another are those of the line, with what is set up between", () => {
  const found = game();
  const shown = (from, to) => nodesBetween(found, from, to).map(({ move, stones }) => move ?? (stones ? "setup" : "start")).join(", ");
  assert.equal(shown(0, 2), "start, B E5, W C3");
  assert.equal(shown(2, 2), "W C3");
  assert.equal(shown(0, 9), "start, B E5, W C3, B D4, W F6");
  found.goTo(found.root.children[0].children[0].children[1]);
  assert.equal(shown(2, 4), "W C3, B G7, setup, W A1");
  assert.equal(shown(3, 3), "B G7, setup");
});
