// Which search the server should run, in which state of the page: desired(state) is a pure function.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hint, toggleAnalysis } from "../../../mugo/web/static/actions/analysis.js";
import { exerciseHint, showSolution } from "../../../mugo/web/static/actions/exercises.js";
import { stepMistake } from "../../../mugo/web/static/actions/review.js";
import { makeExercise } from "../../../mugo/web/static/core/exercises.js";
import { newNode } from "../../../mugo/web/static/core/game.js";
import { LEVELS } from "../../../mugo/web/static/core/losses.js";
import { advanceLine, desired, runJobs } from "../../../mugo/web/static/effects/jobs.js";
import { moveError, offer, runningColour } from "../../../mugo/web/static/queries.js";
import { resetAt, state } from "../../../mugo/web/static/store.js";
import { server } from "../../../mugo/web/static/server.js";
import { goGame, moves } from "./games.mjs";

LEVELS.lead = [0.5, 1.5, 3, 6, 12];
const position = (toPlay) => ({ to_play: toPlay, stones: ".".repeat(81), illegal: {}, is_over: false });

/** A page with a game in which the person is Black, at the last of these moves. */
function page(played, fields = {}, settings = {}) {
  const game = goGame(moves(...played));
  game.opponents = [];
  for (const node of game.line()) node.position = position(game.toPlay(node));
  game.goTo(game.line().at(-1));
  Object.assign(state, { game, human: "B", opponent: "policy", analyzing: false, lineAnalysis: null, segments: [], tool: null,
    job: null, server: { isConnected: true, planes: {} } }, fields);
  Object.assign(state.settings, { teaching: false, teachingLevel: 3, searchPlayer: "mcts" }, settings);
  resetAt();
  return game;
}

/** 'genmove B E5': the kind of the desired job and the last move of its node. */
function job() {
  const found = desired(state);
  return found && `${found.kind} ${found.node.move ?? "start"}`;
}

test("MuGo moves when it is its turn, in a game that goes on", () => {
  page(["B E5"]);
  assert.equal(job(), "genmove B E5");
  for (const fields of [{ human: "both" }, { human: null }, { human: "W" }, { tool: "TR" }, { server: { isConnected: false } }]) {
    page(["B E5"], fields);
    assert.equal(job(), null, JSON.stringify(fields));
  }
  page(["B E5"]).setResult("B+R", state.game.node);
  assert.equal(job(), null);
});

test("a page in the background computes nothing, unless a clock runs", () => {
  const game = page(["B E5"], { server: { isConnected: true, isPaused: true } });
  assert.equal(job(), null);
  game.clock = {};
  assert.equal(job(), "genmove B E5");
});

test("MuGo's search goes on while the person looks elsewhere, until it is cancelled or the game is over", () => {
  const game = page(["B E5"], { analyzing: true });
  state.job = desired(state);
  game.goTo(game.root);
  assert.equal(desired(state), state.job);
  state.job.isCancelled = true;
  assert.equal(job(), "analyze start");
});

test("a search that has failed is not tried again before the position changes", () => {
  const game = page(["B E5"]);
  state.at.failed.add("genmove");
  assert.equal(job(), null);
  game.goTo(game.root);
  assert.equal(job(), null);
  game.goTo(game.root.children[0]);
  assert.equal(job(), "genmove B E5");
});

test("a setup after a move is no reply: MuGo moves", () => {
  const game = page(["B E5"]);
  game.node.children.push({ parent: game.node, children: [], selected: 0, stones: ".".repeat(81), first: "B" });
  assert.equal(job(), "genmove B E5");
});

test("MuGo's stones are not the person's, where its reply is known", () => {
  const game = page(["B E5", "W C3"]);
  game.goTo(game.line()[1]);
  assert.match(moveError(state, "G7"), /^MuGo plays White\./);
  game.setResult("B+R", game.line()[2]);
  assert.equal(moveError(state, "G7"), null);              // a variation of a game that is over
});

test("a game that has ended with two passes goes on after an undo alone", () => {
  const game = page(["B pass", "W pass"], { human: "both" });
  game.node.position.is_over = true;
  assert.equal(moveError(state, "G7"), null);
  game.setResult("W+7.5", game.node);
  assert.match(moveError(state, "G7"), /^The game is over\./);
  state.human = null;                                      // viewed: the move is a variation
  assert.equal(moveError(state, "G7"), null);
});

test("the analysis waits for MuGo and comes back after a hint", () => {
  page(["B E5", "W C3"], { analyzing: true });
  assert.equal(job(), "analyze W C3");
  state.at.isHintWanted = true;
  assert.equal(job(), "hint W C3");
  state.at.isHintWanted = false;
  assert.equal(job(), "analyze W C3");
});

test("the button of the analysis stops a hint", () => {
  page(["B E5", "W C3"]);
  hint();
  assert.equal(job(), "hint W C3");
  toggleAnalysis();
  assert.equal(job(), null);
  assert.equal(state.at.message, null);
  toggleAnalysis();
  assert.equal(job(), "analyze W C3");
});

test("a check searches before and after the move; then MuGo moves, or the move is offered back and the analysis goes on", () => {
  const game = page(["B E5"], { analyzing: true }, { teaching: true });
  assert.equal(job(), "check start");
  const evaluation = (lead, best) => ({ player: "mcts", lead, visits: 300, moves: [{ move: best, visits: 200, prior: 0.4, pv: [best] }] });
  game.root.evaluation = evaluation(0, "D4");
  assert.equal(job(), "check B E5");
  assert.match(moveError(state, "G7"), /^Your move is being checked/);
  game.node.evaluation = evaluation(-2, "C3");
  assert.equal(job(), "genmove B E5");
  game.node.evaluation = evaluation(-4, "C3");
  assert.equal(offer(state).text, "E5 lost about 4 points. Take it back?");
  assert.equal(job(), "analyze B E5");
  game.node.isAccepted = true;
  assert.equal(job(), "genmove B E5");
});

test("a loss that does not hold is not offered back: of the search's own choice, or with searches of other depths", () => {
  const game = page(["B E5"], {}, { teaching: true });
  const evaluation = (lead, visits, moves) => ({ player: "mcts", lead, visits,
    moves: moves.map(([move, prior]) => ({ move, prior, visits, pv: [move] })) });
  const isOffered = (before, visits = 300) => {
    game.root.evaluation = evaluation(0, 300, before);
    game.node.evaluation = evaluation(-14, visits, [["C3", 0.5]]);
    return Boolean(offer(state));
  };
  assert.ok(isOffered([["D4", 0.4], ["E5", 0.3]]));
  assert.ok(!isOffered([["E5", 0.4], ["D4", 0.3]]));
  assert.ok(!isOffered([["D4", 0.3], ["E5", 0.4]]));
  assert.ok(!isOffered([["D4", 0.4]], 700));
});

test("without an evaluation the game goes on, and the thinking time is used for one", () => {
  const game = page(["B E5"], {}, { teaching: true });
  game.root.evaluation = { player: "mcts", isMissing: true };
  assert.equal(job(), "genmove B E5");
  page(["B E5", "W C3"], {}, { teaching: true });
  assert.equal(job(), "check W C3");
});

test("MuGo's clock runs while it searches, and stands while it waits for others", () => {
  const game = page(["B E5"]);
  game.clock = { node: game.node, isPaused: false };
  assert.equal(runningColour(state), null);
  state.job = desired(state);
  assert.equal(runningColour(state), "W");
  state.job.isWaiting = true;
  assert.equal(runningColour(state), null);
  state.job = { ...desired({ ...state, job: null, at: state.at }), isWaiting: false };
  assert.equal(runningColour(state), "W");                 // the next job has not waited
});

test("a line is analysed before what the person looks at", () => {
  const game = page(["B E5", "W C3"], { human: null, analyzing: true });
  state.lineAnalysis = { game, nodes: game.line(), line: game.line(), depth: "normal", done: 1 };
  state.segments = game.segments();
  assert.equal(job(), "values W C3");
  state.segments = [];
  assert.equal(job(), "line B E5");
});

const analysis = (lead, visits) => ({ lead, win_rate: 0.5, visits,
  moves: [{ move: "D4", lead, win_rate: 0.5, visits, pv: ["D4"] }] });

test("a line is analysed once more around its mistakes, deeper", () => {
  const game = page(["B E5", "W C3", "B G7"], { human: null, analyzing: true });
  const line = game.line();
  [0, -0.2, -0.2, -5].forEach((lead, i) => { line[i].analysis = analysis(lead, 40); });
  state.lineAnalysis = { game, nodes: line, line, depth: "quick", isDeeper: false, done: 0 };
  advanceLine();
  assert.deepEqual(state.lineAnalysis.nodes, [line[2], line[3]]);
  assert.equal(job(), "line W C3");
  line[2].analysis = analysis(-0.1, 160);
  advanceLine();
  assert.equal(job(), "line B G7");
  line[3].analysis = analysis(-5.2, 160);
  advanceLine();
  assert.equal(state.lineAnalysis, null);
});

test("no key shows a mistake while the analysis is hidden", () => {
  const game = page(["B E5", "W C3"]);
  [0, -5, -5].forEach((lead, i) => { game.line()[i].analysis = analysis(lead, 100); });
  for (const [hidesAnalysis, shown] of [[true, null], [false, game.line()[1]]]) {
    state.settings.hidesAnalysis = hidesAnalysis;
    stepMistake(-1);
    assert.equal(state.at.mistake, shown);
  }
});

test("an exercise is searched before the answer, and after one that needs it; MuGo's move waits", () => {
  const game = page(["B E5", "W C3"], { human: "both" });
  const [root, e5] = game.line();
  game.goTo(root);
  state.exercise = makeExercise("guess", game, [e5]);
  assert.equal(job(), "prepare start");
  root.analysis = analysis(0, 200);
  assert.equal(job(), null);
  state.exercise.tried = newNode(root, { move: "B G7" });
  assert.equal(job(), "try B G7");
  state.exercise.tried = newNode(root, { move: "B D4" });
  assert.equal(job(), null);
  state.exercise = null;
});

test("what belongs to a position is gone in another one", () => {
  const game = page(["B E5", "W C3"]);
  Object.assign(state.at, { lineStart: "E5", touched: "E5", score: {}, overlay: "search", message: { text: "" } });
  game.goTo(game.root);
  const { at } = state;
  assert.deepEqual([at.lineStart, at.touched, at.score, at.overlay, at.message], Array(5).fill(null));
});

/** Run the desired job with these messages of the server, the last of which is its answer. */
async function runWith(...messages) {
  const stopped = [];
  server.request = async (command, fields, onProgress) => {
    if (!onProgress) return stopped.push(command);
    for (const message of messages.slice(0, -1)) {
      onProgress(message);
      runJobs();
    }
    return messages.at(-1);
  };
  runJobs();
  await new Promise((resolve) => { setTimeout(resolve); });
  return stopped;
}

test("an answer is judged by its whole search, and the first one counts", async () => {
  const game = page(["B E5", "W C3"], { human: null });
  const search = (lead, visits) => ({ win_rate: 0.5, lead, visits, moves: [{ move: "D4", win_rate: 0.5, lead, visits, pv: ["D4"] }] });
  game.root.analysis = search(3, 200);
  game.goTo(game.root);
  state.exercise = makeExercise("puzzles", game, [game.line()[1]]);
  state.exercise.tried = newNode(game.root, { move: "B A1" });
  assert.deepEqual(await runWith({ search: search(3, 40) }, { search: search(-2, 200), done: true }), []);
  assert.deepEqual([state.exercise.results[0]?.lost, state.exercise.results[0]?.isRight], [5, false]);
  state.exercise = null;
});

test("the win rate of a hint is Black's, as all are", async () => {
  page(["B E5"], { human: "W" });
  hint();
  const moves = [{ move: "D4", win_rate: 0.56, lead: 1, visits: 10, pv: ["D4"] }];
  await runWith({ search: { win_rate: 0.56, lead: 1, visits: 10, moves }, done: true });
  assert.equal(state.at.message.text, "MuGo would play D4. Hint again says why.");
});

test("what was said of an answer goes when the solution or a hint is shown", () => {
  const game = page(["B E5"], { human: null });
  for (const show of [showSolution, exerciseHint]) {
    state.exercise = makeExercise("puzzles", game, [game.line()[1]]);
    state.at.message = { text: "Q10 is occupied.", isError: true };
    show();
    assert.equal(state.at.message, null);
  }
  state.exercise = null;
});
