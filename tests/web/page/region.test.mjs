// The region of a local search, and the points that the next move may have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { searchWholeBoard, choosePoint, toggleChoosing, toggleRegion } from "../../../mugo/web/static/actions/local.js";
import { rectangle, regionText, searchFields, togglePick, zoneOf } from "../../../mugo/web/static/core/region.js";
import { listedSearch, shownSearch } from "../../../mugo/web/static/queries.js";
import { replaceGame, state } from "../../../mugo/web/static/store.js";
import { ANALYSIS, goGame, moves } from "./games.mjs";

const SIZE = { rows: 9, cols: 9 };

function page() {
  const game = goGame(moves("B E5", "W C3"));
  for (const node of game.line()) node.position = { to_play: game.toPlay(node), stones: ".".repeat(81), illegal: {}, is_over: false };
  replaceGame(game, {});
  game.opponents = [];
  Object.assign(state, { analyzing: true, job: null, server: { isConnected: true, planes: {} } });
  return game;
}

test("a region has the same points from any two opposite corners, on any board", () => {
  for (const size of [SIZE, { rows: 5, cols: 13 }]) {
    const region = rectangle("B2", "D4", size);
    for (const [a, b] of [["D4", "B2"], ["B4", "D2"], ["D2", "B4"]]) assert.deepEqual(rectangle(a, b, size), region);
    assert.equal(regionText(region, size), "B4–D2");
    const { region: points } = searchFields(region, new Map(), size);
    assert.deepEqual(points, ["B4", "C4", "D4", "B3", "C3", "D3", "B2", "C2", "D2"]);
  }
  assert.equal(regionText(rectangle("A1", "A1", SIZE), SIZE), "A1");
});

test("a point is forbidden, then the only one, then neither; that holds for the next move", () => {
  const forbidden = togglePick(new Map(), "C3");
  const only = togglePick(forbidden, "C3");
  assert.deepEqual(searchFields(null, forbidden, SIZE), { avoid: ["C3"], depth: 1 });
  assert.deepEqual(searchFields(null, togglePick(only, "D4"), SIZE), { allow: ["C3"], avoid: ["D4"], depth: 1 });
  assert.equal(togglePick(only, "C3").size, 0);
  assert.deepEqual(searchFields(null, new Map(), SIZE), {});
});

test("the zone of a problem is that of the frame", () => {           // as in tests/games/test_tsumego.py
  const at = (...points) => [...Array(81).keys()].map((i) => (points.includes(i) ? "X" : ".")).join("");
  assert.deepEqual(zoneOf(at(40), SIZE), { top: 2, left: 2, bottom: 6, right: 6 });
  assert.deepEqual(zoneOf(at(30), SIZE), { top: 0, left: 0, bottom: 5, right: 5 });
  assert.equal(zoneOf(at(), SIZE), null);
});

test("a region stays from move to move until another game comes; picked points are of one position", () => {
  const game = page();
  toggleRegion();
  choosePoint("A1", "C3");
  toggleChoosing("points");
  choosePoint("B2");
  assert.deepEqual([...state.at.picks], [["B2", "forbidden"]]);
  game.goTo(game.next());
  assert.equal(state.at.picks.size, 0);
  assert.equal(state.at.choosing, null);
  assert.ok(state.region);
  page();
  assert.equal(state.region, null);
});

test("a search of a region is not the analysis of the position", () => {
  const game = page();
  game.node.analysis = ANALYSIS;
  assert.equal(shownSearch(state), ANALYSIS);
  toggleRegion();
  choosePoint("A1", "C3");
  assert.equal(shownSearch(state), null);                  // nothing of it is known
  state.at.localSearch = { visits: 5, moves: [] };
  assert.equal(listedSearch(state), state.at.localSearch);
  assert.equal(game.node.analysis, ANALYSIS);
  searchWholeBoard();
  assert.equal(shownSearch(state), ANALYSIS);
  assert.equal(state.at.localSearch, null);
});
