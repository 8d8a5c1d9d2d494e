// The clocks of a game: periods that start again and are lost, time that grows, and how seconds are shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GameClock, formatSeconds } from "../../../mugo/web/static/core/clock.js";

let now = 1e9;
const wait = (seconds) => { now += 1000 * seconds; };
const make = (main, period, periods, increment) => new GameClock({ main, period, periods, increment }, {}, () => now);

test("byo-yomi periods start again and are lost", () => {
  const clock = make(60, 30, 3, 0);
  const shown = [50, 15, 29, 31, 10].map((seconds) => {
    clock.run("B");
    wait(seconds);
    clock.press("B", {});
    const { main, periods, left } = clock.sides.B;
    return [main, periods, left];
  });
  assert.deepEqual(shown, [[10, 3, null], [0, 3, 25], [0, 3, 1], [0, 2, 29], [0, 2, 20]]);
  clock.run("B");
  wait(59.9);
  assert.deepEqual([clock.secondsToEnd("B").toFixed(1), clock.side("B", "B").isOut], ["0.1", false]);
  wait(0.2);
  assert.equal(clock.side("B", "B").isOut, true);
});

test("Fischer time grows and absolute time ends", () => {
  const clock = make(10, 0, 0, 5);
  clock.run("W");
  wait(4);
  clock.press("W", {});
  assert.equal(clock.sides.W.main, 11);
  clock.run("W");
  wait(11);
  assert.deepEqual([clock.side("W", "W").isOut, clock.sides.B.main, make(0, 0, 0, 7).sides.B.main], [true, 10, 7]);
});

test("times are formatted", () => {
  assert.deepEqual([0, 0.04, 9.96, 10, 59.2, 600, 3661].map(formatSeconds),
    ["0.0", "0.1", "10.0", "0:10", "1:00", "10:00", "1:01:01"]);
});
