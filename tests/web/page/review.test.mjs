// Losses, statistics, the scale of the graph, the time left.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LEVELS, candidateLosses, formatShortLoss, lossSentence, lostByMoves, mistakes,
} from "../../../mugo/web/static/core/losses.js";
import {
  accuracyOf, aroundMistakes, barShare, ownColour, phaseEnds, phaseOf, scale, secondsLeft, statistics, timeText,
} from "../../../mugo/web/static/core/review.js";
import { goGame, moves } from "./games.mjs";

Object.assign(LEVELS, { lead: [0.5, 1.5, 3, 6, 12], win_rate: [0.025, 0.05, 0.1, 0.2, 0.4] });

const analysis = (lead, winRate, best) => ({ lead, win_rate: winRate, visits: 100,
  moves: best ? [{ move: best, lead, win_rate: winRate, visits: 60, pv: [best, "A1"] }] : [] });

/** Black leads by 1, 1, -3.2, -2.2, -14.2 points. */
function game(withLeads = true) {
  const found = goGame(moves("B E5", "W C3", "B G3", "W C7", "B pass"));
  const values = [[1, 0.55, "D4"], [1, 0.55, "C3"], [1.1, 0.55, "G7"], [-3.1, 0.3, "G3"], [-2.1, 0.38], [-14.1, 0.02, "E1"]];
  found.line().forEach((node, i) => {
    const [lead, ...others] = values[i];
    node.analysis = analysis(withLeads ? lead : null, ...others);
  });
  return found;
}

test("what each move lost, the better move and the two lines", () => {
  const { unit, moves: lost } = lostByMoves(game().line());
  assert.equal(unit, "lead");
  assert.deepEqual(lost.map((each) => each.lost.toFixed(1)), ["0.0", "0.0", "4.2", "1.0", "12.0"]);
  assert.deepEqual(lost.map(({ level }) => level), [0, 0, 3, 1, 5]);
  assert.deepEqual(lost.map(({ better }) => better), ["D4", "C3", "G7", "G3", null]);
  assert.deepEqual(lost[2].betterLine, ["G7", "A1"]);
  assert.deepEqual(lost[2].playedLine, ["G3", "G3", "A1"]);
  assert.deepEqual(mistakes(lost).map(({ index }) => index), [5, 3]);
  assert.deepEqual(mistakes(lost, "W"), []);
});

test("the move that the search would have played is no mistake, whatever the search after it says", () => {
  const found = game();
  const [, , , , node] = found.line();
  node.analysis = analysis(-2.1, 0.38, "pass");
  const { moves: lost } = lostByMoves(found.line());
  assert.deepEqual([lost[4].better, lost[4].lost, lost[4].winRateLost, lost[4].level], ["pass", 0, 0, 0]);
  assert.deepEqual(mistakes(lost).map(({ index }) => index), [3]);
});

test("a mistake is listed only if the positions before and after it were searched about as much", () => {
  const found = game();
  found.line()[3].analysis.visits = 400;
  assert.deepEqual(mistakes(lostByMoves(found.line()).moves).map(({ index }) => index), [5]);
  found.line()[2].analysis.visits = 390;
  const [, mistake] = mistakes(lostByMoves(found.line()).moves);
  assert.deepEqual([mistake.index, mistake.visits, mistake.isListed], [3, 390, true]);
  found.line()[2].analysis.visits = 400;
  assert.equal(lossSentence(lostByMoves(found.line()).moves[2], 3), "Black 3 lost 4.2 points: G7 was better than G3.");
});

test("a move that the policy likes better than the best one is not listed", () => {
  const found = game();
  const [, , { analysis: before }] = found.line();
  const listed = (priors) => {
    before.moves = ["G7", "G3"].map((move, i) => ({ ...before.moves[0], move, prior: priors[i] }));
    return mistakes(lostByMoves(found.line()).moves).map(({ index }) => index);
  };
  assert.deepEqual([listed([0.3, 0.2]), listed([0.2, 0.3])], [[5, 3], [5]]);
});

test("one sentence for a mistake", () => {
  const [, , mistake, , pass] = lostByMoves(game().line()).moves;
  assert.equal(lossSentence(mistake, 3), "Black 3 lost about 4 points: G7 was better than G3.");
  assert.equal(lossSentence(pass, 5), "Black 5, pass, lost about 12 points.");
  const [, , rate] = lostByMoves(game(false).line()).moves;
  assert.equal(lossSentence(rate, 3), "Black 3 lost 25 % of win rate: G7 was better than G3.");
});

test("statistics of both sides", () => {
  const { B, W } = statistics(lostByMoves(game().line()), { rows: 9, cols: 9 });
  assert.deepEqual([B.moves, W.moves], [3, 2]);
  assert.equal(B.meanLoss.toFixed(2), "5.40");
  assert.equal(W.meanLoss.toFixed(2), "0.50");
  assert.deepEqual([B.agreement, W.agreement], [0, 0.5]);
  assert.deepEqual(B.levels, [1, 0, 1]);                             // mistakes, blunders, large ones
  const uneven = game();
  uneven.line()[3].analysis.visits = 400;                            // so that one is not listed
  assert.deepEqual(statistics(lostByMoves(uneven.line()), { rows: 9, cols: 9 }).B.levels, [0, 0, 1]);
  assert.deepEqual(B.phases.map(({ moves: count }) => count), [3, 0, 0]);
  assert.equal(B.phases[1].accuracy, null);
  assert.equal(B.accuracy.toFixed(6), (100 * 0.75 ** 5.4).toFixed(6));
  const rates = statistics(lostByMoves(game(false).line()), { rows: 9, cols: 9 });
  assert.equal(rates.B.accuracy.toFixed(6), ((100 + accuracyOf(0.25) + accuracyOf(0.36)) / 3).toFixed(6));
});

test("accuracy as lichess has it, from 0 to 100", () => {
  assert.equal(accuracyOf(0), 100);
  assert.equal(accuracyOf(-0.1), 100);
  assert.equal(accuracyOf(0.1).toFixed(2), "63.58");       // 103.1668 exp(-0.4354) - 3.1669
  assert.equal(accuracyOf(0.3).toFixed(2), "24.78");
  assert.equal(accuracyOf(1), 0);
});

test("phases end after 51 and 144 moves on 19x19", () => {
  const size = { rows: 19, cols: 19 };
  assert.deepEqual(phaseEnds(size), [51, 144]);
  assert.deepEqual([1, 51, 52, 144, 145].map((number) => phaseOf(number, size)), [0, 0, 1, 1, 2]);
});

test("what candidates lose is the side to move's; the best one loses nothing", () => {
  const found = [{ lead: -2, win_rate: 0.4 }, { lead: -1.5, win_rate: 0.43 }, { lead: 2, win_rate: 0.52 }];
  assert.deepEqual(candidateLosses(found, "W").map(({ lost, level }) => [lost, level]), [[0, 0], [0.5, 1], [4, 3]]);
  assert.deepEqual(candidateLosses(found, "B").map((each) => each?.lost ?? null), [0, null, null]);      // better than the best
  const withVisits = (counts) => candidateLosses(counts.map((count, i) => ({ ...found[i], visits: count })), "W").map((each) => each?.lost ?? null);
  assert.deepEqual(withVisits([200, 10, 9]), [0, 0.5, null]);
  assert.deepEqual(withVisits([23, 10, 7]), [0, 0.5, null]);         // few visits say nothing, whichever the share
  assert.deepEqual(withVisits([400, 20, 19]), [0, 0.5, null]);
  assert.deepEqual(withVisits([6, 3, 2]), [0, null, null]);
  const rates = candidateLosses(found.map((move) => ({ ...move, lead: null })), "W");
  assert.deepEqual(rates.map(({ unit, level }) => [unit, level]), [["win_rate", 0], ["win_rate", 1], ["win_rate", 3]]);
  assert.equal(candidateLosses([{ win_rate: null, lead: null }], "B"), null);
  assert.deepEqual([0, 0.04, 0.5, 12.4].map((lost) => formatShortLoss(lost, "lead")), ["0", "0", "0.5", "12"]);
  assert.deepEqual([0.2, 3.4, 12.4].map((lost) => formatShortLoss(lost, "lead", 399)), ["0", "3", "12"]);
});

test("the graph is as high as the leads of the searches, in round numbers", () => {
  assert.deepEqual(scale(game().line(), "lead"), { least: -15, middle: 0, most: 5 });
  assert.deepEqual(scale(game().line(), "win_rate"), { least: 0, middle: 0.5, most: 1 });
  assert.deepEqual(scale([], "lead"), { least: -6, middle: 0, most: 6 });
  assert.deepEqual(scale([{ value_lead: 31 }, { value_lead: -3 }], "lead"), { least: -10, middle: 0, most: 40 });
});

test("the bar is half black where both sides are equal", () => {
  assert.equal(barShare({ win_rate: 0.9, lead: 0 }), 0.5);
  assert.equal(barShare({ win_rate: 0.9, lead: -10 }), 0.25);
  assert.equal(barShare({ win_rate: 0.9, lead: null }), 0.9);
});

test("the time left of an analysis", () => {
  const [none, line] = [[], game().line()];
  assert.equal(secondsLeft({ nodes: Array(100), line: none, done: 40 }), null);
  assert.equal(secondsLeft({ nodes: Array(100), line: none, done: 40, searched: 20, spent: 40_000 }), 120);
  assert.equal(aroundMistakes(line).length, 4);                      // four times as deep, and as many in the rest
  assert.equal(secondsLeft({ nodes: Array(100), line, done: 40, searched: 20, spent: 40_000 }), 2 * (60 + 4 * 10));
  assert.equal(secondsLeft({ nodes: Array(100), line, done: 40, isDeeper: true, searched: 20, spent: 40_000 }), 120);
  assert.deepEqual([null, 0.2, 59, 120].map(timeText), ["", "about 1 s left", "about 59 s left", "about 2 min left"]);
});

test("the person's colour", () => {
  assert.equal(ownColour({ black: "You" }, "W", ""), "W");
  assert.equal(ownColour({ black: "You", white: "MuGo" }, null, ""), "B");
  assert.equal(ownColour({ black: "Aoi", white: "beni " }, null, "Beni"), "W");
  assert.equal(ownColour({ black: "Aoi", white: "Aoi" }, null, "Aoi"), null);
  assert.equal(ownColour({}, "both", ""), null);
});
