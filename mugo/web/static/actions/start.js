// The start, with a game that plays itself, and the boards to learn on.

import { indexOf } from "../core/coordinates.js";
import { LESSONS, demoGame, lessonGame, linesAfter } from "../core/lessons.js";
import { moveError } from "../queries.js";
import { fetchPosition } from "../requests.js";
import { server } from "../server.js";
import { change, replaceGame, showError, showMessage, showScore, state } from "../store.js";
import { countDue } from "./exercises.js";

const STEP = 1200;                       // milliseconds between two moves of the demo
const END = 6000;                        // for which it shows its result
const ANSWER = 500;                      // until White answers in a lesson
const STILL = 40;                        // the move that it shows where motion is not wanted

/** Show the start.  The game on the board is kept. */
export function openStart() {
  const game = demoGame();
  change(() => replaceGame(game, { isStart: true }));
  countDue();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) change(() => game.goTo(game.line()[STILL]));
  else stepDemo(game);
}

function stepDemo(game) {
  setTimeout(() => {
    if (state.game !== game) return;
    change(() => game.goTo(game.next() ?? game.root));
    stepDemo(game);
  }, game.next() ? STEP : END);
}

// ---- lessons: state.lesson is { index, isSolved, isWrong }

/** Show a lesson, by its number. */
export function openLesson(index) {
  change(() => replaceGame(lessonGame(LESSONS[index]), { lesson: { index, isSolved: false, isWrong: false } }));
}

export function nextLesson() { openLesson(state.lesson.index + 1); }

/** A point is clicked. */
export async function answerLesson(vertex) {
  const { game, lesson } = state;
  const row = LESSONS[lesson.index];
  const moves = movesOf(game);
  if (lesson.isSolved || moves.length % 2) return;
  await fetchPosition(game, game.node);
  const error = row.more ? null : moveError(state, vertex);
  if (error) {
    showMessage(error, true);
    return;
  }
  if (row.more) await answerCount(row, vertex);
  else if (linesAfter(row, [...moves, vertex]).length) await playLine(row, vertex);
  else change(() => { lesson.isWrong = true; });
}

const movesOf = (game) => game.line().slice(1, game.node.index + 1).map(({ move }) => move.split(" ")[1]);

/** Play a move of the solution, and White's answer. */
async function playLine(row, vertex) {
  const { game, lesson } = state;
  const { move, ...position } = await server.request("play", { ...game.requestFields(), move: vertex });
  if (state.game !== game) return;
  const line = linesAfter(row, [...movesOf(game), vertex])[0];
  change(() => {
    game.add(move).position = position;
    Object.assign(lesson, { isWrong: false, isSolved: game.node.index === line.length });
  });
  if (!lesson.isSolved && move[0] === "B") {
    setTimeout(() => state.game === game && playLine(row, line[game.node.index]).catch(showError), ANSWER);
  }
}

async function answerCount({ more }, vertex) {
  const { game, lesson } = state;
  const score = await server.request("score", { ...game.requestFields(), dead: [] });
  if (state.game !== game) return;
  const isRight = score.area[indexOf(vertex, game.size)] === more;
  change(() => {
    Object.assign(lesson, { isWrong: !isRight, isSolved: isRight });
    if (isRight) showScore(state, score);
  });
}

/** Play what the lesson asks for. */
export function showLessonMove() {
  const { lesson, game } = state;
  const row = LESSONS[lesson.index];
  const vertex = row.more ? game.start[row.more === "B" ? "black" : "white"][0] : linesAfter(row, movesOf(game))[0][game.node.index];
  answerLesson(vertex).catch(showError);
}
