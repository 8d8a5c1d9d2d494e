// Puzzles from mistakes, guesses of moves, and progress.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asked, dayText, exerciseText, guessesOf, isDue, isOver, makeExercise, nextBox, noteAnswer, puzzlesOf, scoreOf, settle, verdict,
} from "../../../mugo/web/static/core/exercises.js";
import { Game, newNode } from "../../../mugo/web/static/core/game.js";
import { LEVELS, lostByMoves } from "../../../mugo/web/static/core/losses.js";
import { dateOf, ownStatistics, summaryOf } from "../../../mugo/web/static/core/review.js";
import { goGame, moves } from "./games.mjs";

Object.assign(LEVELS, { lead: [0.5, 1.5, 3, 6, 12], win_rate: [0.025, 0.05, 0.1, 0.2, 0.4] });

const move = (vertex, lead, visits) => ({ move: vertex, lead, win_rate: 0.5 + lead / 100, visits, pv: [vertex] });
const analysis = (lead, ...found) => ({ lead, win_rate: 0.5 + lead / 100, visits: 200, moves: found });

/** Black 3 at G3 lost 5 points; G7 was the best move, C7 loses 1 and A1 has hardly been searched.  Black 1 lost 4. */
function game() {
  const found = goGame(moves("B E5", "W C3", "B G3", "W C7"));
  const [root, e5, c3, g3, c7] = found.line();
  Object.assign(root, { analysis: analysis(5, move("D4", 5, 100), move("E5", 4.8, 60)) });
  Object.assign(e5, { analysis: analysis(1, move("C3", 1, 100)) });
  Object.assign(c3, { analysis: analysis(1, move("G7", 1, 100), move("C7", 0, 50), move("H8", -3, 40), move("A1", -9, 2)) });
  Object.assign(g3, { analysis: analysis(-4, move("C7", -4, 100)) });
  Object.assign(c7, { analysis: analysis(-4, move("E1", -4, 100)) });
  return found;
}

function answer(exercise, vertex) {
  exercise.tried = newNode(asked(exercise).parent, { move: `B ${vertex}` });
  return settle(exercise);
}

test("puzzles are the mistakes of a side, in the order of the game", () => {
  const found = game();
  assert.deepEqual(puzzlesOf(lostByMoves(found.line()), "B").map((node) => node.move), ["B E5", "B G3"]);
  assert.deepEqual(puzzlesOf(lostByMoves(found.line()), "W"), []);
  found.line()[2].analysis.moves = [];           // no better move is known
  assert.deepEqual(puzzlesOf(lostByMoves(found.line()), "B").map((node) => node.move), ["B E5"]);
});

test("an answer is right if it is the best move or no inaccuracy", () => {
  const found = game();
  const exercise = makeExercise("puzzles", found, puzzlesOf(lostByMoves(found.line()), "B"));
  exercise.index = 1;
  assert.equal(verdict(exercise), null);
  assert.match(exerciseText(exercise, 3), /^Puzzle 2 of 2: find a better move for Black/);
  const { isRight, isBest, lost } = answer(exercise, "C7");
  assert.deepEqual([isRight, isBest, lost], [true, false, 1]);
  assert.equal(exerciseText(exercise, 3), "Right. C7 loses about 1 point. The best move is G7.");
  assert.equal(answer(exercise, "G7").isBest, true);
  assert.equal(exerciseText(exercise, 3), "Right: G7 is the best move.");
  assert.equal(answer(exercise, "H8").isRight, false);
  assert.equal(exerciseText(exercise, 3), "H8 loses about 4 points. Try again, or see the solution.");
});

test("the mistake itself is wrong, though the search before it liked it", () => {
  const found = game();
  const exercise = makeExercise("puzzles", found, puzzlesOf(lostByMoves(found.line()), "B"));
  assert.equal(answer(exercise, "E5").isRight, false);
  assert.equal(exerciseText(exercise, 1), "E5 was played. E5 loses about 4 points. Try again, or see the solution.");
});

test("a move that has hardly been searched needs a search of its own", () => {
  const found = game();
  const exercise = makeExercise("puzzles", found, puzzlesOf(lostByMoves(found.line()), "B"));
  exercise.index = 1;
  assert.equal(answer(exercise, "A1"), null);
  assert.equal(exerciseText(exercise, 3), "MuGo looks at A1…");
  exercise.tried.analysis = analysis(0.8);
  assert.equal(settle(exercise).isRight, true);
});

test("the first answer to a puzzle counts", () => {
  const found = game();
  const exercise = makeExercise("puzzles", found, puzzlesOf(lostByMoves(found.line()), "B"));
  answer(exercise, "E5");
  answer(exercise, "D4");
  exercise.index = 1;
  exercise.tried = null;
  answer(exercise, "G7");
  exercise.index = 2;
  assert.ok(isOver(exercise));
  assert.equal(exerciseText(exercise), "You solved 1 of 2 at the first try.");
});

test("guesses: two points for the played move or a good one, one for a bad one that loses no more than the played one", () => {
  const found = game();
  const nodes = guessesOf(found.line(), "B", found.root);
  assert.deepEqual(nodes.map((node) => node.move), ["B E5", "B G3"]);
  const exercise = makeExercise("guess", found, nodes);
  assert.equal(exerciseText(exercise, 1), "Move 1: where did Black play?");
  assert.equal(answer(exercise, "D4").points, 2);
  assert.equal(exerciseText(exercise, 1), "Black played E5. D4 is MuGo’s choice. 2 of 2 points.");
  exercise.index = 1;
  assert.equal(answer(exercise, "H8").points, 1);          // it loses 4 points, the played move 5
  assert.equal(exerciseText(exercise, 3), "Black played G3. H8 loses about 4 points. 1 of 2 points.");
  assert.deepEqual(scoreOf(exercise), { points: 3, most: 4, count: 2, played: 0 });
  nodes[1].analysis = analysis(0.9);                       // now G3 lost nothing
  exercise.results = [];
  assert.equal(answer(exercise, "H8").points, 0);
  exercise.results = [];
  assert.equal(answer(exercise, "C7").points, 1);
});

test("the played move is right before any search, without a network too", () => {
  const found = goGame(moves("B E5", "W C3"));
  const exercise = makeExercise("guess", found, guessesOf(found.line(), "B", found.root));
  assert.equal(answer(exercise, "E5").points, 2);
  exercise.results = [];
  assert.equal(answer(exercise, "D4"), null);
});

test("progress: the person's games that are analysed", () => {
  const played = Array.from({ length: 24 }, (_, i) => `${"BW"[i % 2]} ${"ABCDEFGHJ"[i % 9]}${1 + Math.floor(i / 9)}`);
  const stored = goGame(moves(...played), { black: "You", white: "MuGo mcts-50" });
  stored.line().forEach((node, i) => { node.analysis = analysis(-Math.ceil(i / 2)); });      // Black loses a point a move
  const body = { human: "B", game: JSON.parse(JSON.stringify(stored.toJSON())) };
  const own = ownStatistics(body, "");
  assert.deepEqual([own.colour, own.moves, own.meanLoss, own.opponent, own.unit], ["B", 12, 1, "MuGo mcts-50", "lead"]);
  assert.equal(ownStatistics({ human: null, game: goGame(moves("B E5")).toJSON() }, ""), null);
  assert.equal(ownStatistics({ human: "B", game: goGame(moves("B E5")).toJSON() }, ""), null);
  assert.equal(dateOf({ summary: { date: "2016-03-09,10" }, saved: 0 }), "2016-03-09");
  assert.equal(dateOf({ summary: {}, saved: 0 }), "1970-01-01");
});

test("a puzzle comes again after 2, 4, 8 and 16 days, and the next day after a wrong answer", () => {
  const days = (box) => Math.round((Date.parse(box[1]) - Date.parse(dayText())) / 864e5);
  let box;
  const waits = [1, 2, 3, 4, 5].map(() => {
    box = nextBox(box && [box[0], dayText()], true);                 // on the day on which it is due
    return days(box);
  });
  assert.deepEqual(waits, [2, 4, 8, 16, 16]);
  assert.deepEqual(nextBox(box, true), box);                         // before that day
  assert.equal(days(nextBox(box, false)), 1);
  assert.deepEqual([undefined, dayText(-3), dayText(), dayText(1)].map((day) => isDue(day)), [true, true, true, false]);
});

test("the answer to a puzzle is kept with its game, and the list of games knows when it is due", () => {
  const found = game();
  found.info.black = "You";
  const due = () => summaryOf(Game.fromJSON(JSON.parse(JSON.stringify(found))), null, "").due;
  assert.deepEqual(due(), ["", ""]);
  const exercise = makeExercise("puzzles", found, found.line().filter(({ index }) => [1, 3].includes(index)));
  assert.equal(noteAnswer(exercise), false);                         // there is none yet
  exercise.results = [{ points: 1 }];
  assert.equal(noteAnswer(exercise), true);
  assert.deepEqual(due(), [dayText(2), ""]);
  Object.assign(exercise, { index: 1, results: [null, { points: 1 }], hints: 1 });
  noteAnswer(exercise);
  assert.deepEqual(due(), [dayText(2), dayText(1)]);                 // with a hint it is not solved
  assert.deepEqual(summaryOf(found, "B", "").due, []);               // the game goes on
});
