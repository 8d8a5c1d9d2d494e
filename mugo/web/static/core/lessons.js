// The game behind the start, and the boards to learn on.  A lesson is a row: another one is added here and in the texts.
//
//   board    its rows from the top: X black, O white; Black is to play
//   title, text, wrong, done    keys of texts: the name, the question, and the replies to a wrong and to the right answer
//   lines    the moves that solve it, Black's and White's answers in turn
//   more     instead of lines: the colour whose area, by the server's count, is to be clicked
//
// What a move does is the server's answer: the page knows no rules.

import { Game } from "./game.js";
import { formatVertex } from "./coordinates.js";

export const LESSONS = [
  { title: "lessonCapture", text: "lessonCaptureText", wrong: "lessonCaptureWrong", done: "lessonCaptureDone", lines: ["D3"], board: `
    . . . . .
    . . X . .
    . X O . .
    . . X . .
    . . . . .` },
  { title: "lessonLiberties", text: "lessonLibertiesText", wrong: "lessonLibertiesWrong", done: "lessonLibertiesDone", lines: ["D3"],
    board: `
    . . . . .
    . . O . .
    . O X . .
    . . O . .
    . . . . .` },
  { title: "lessonLadder", text: "lessonLadderText", wrong: "lessonLadderWrong", done: "lessonLadderDone",
    lines: ["D2 E3 F3 E2 F2 E1 D1", "D2 E3 F3 E2 E1 F2 G2"], board: `
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . X X . .
    . . X O . . .
    . . . . . . .
    . . . . . X .` },
  { title: "lessonEyes", text: "lessonEyesText", wrong: "lessonEyesWrong", done: "lessonEyesDone", lines: ["D1"], board: `
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . O O O O O .
    O X X X X X O
    O X . . . X O` },
  { title: "lessonCounting", text: "lessonCountingText", wrong: "lessonCountingWrong", done: "lessonCountingDone", more: "B", board: `
    . . . X O . .
    . . X X O . .
    . . X O O . .
    . X X O . . .
    . . X X O . .
    . . . X O O .
    . . . X O . .` },
];

/** The game of a lesson, without komi. */
export function lessonGame({ board }) {
  const rows = board.trim().split("\n").map((row) => row.trim().split(" "));
  const size = { rows: rows.length, cols: rows[0].length };
  const vertices = (mark) => rows.flatMap((row, i) => row.flatMap((each, j) => (each === mark ? [formatVertex(i, j, size)] : [])));
  return new Game({ name: "go", size: rows.length, komi: 0, handicap: 0, black: vertices("X"), white: vertices("O"), first: "B",
    nodes: [{ parent: -1 }] });
}

/** The lines of a lesson that begin with these moves. */
export const linesAfter = ({ lines = [] }, moves) => lines.map((line) => line.split(" "))
  .filter((line) => moves.every((move, i) => move === line[i]));

// Played by MuGo against itself.
const DEMO = "F2 E5 C3 C5 F7 D7 G5 E3 E2 G4 F5 F4 H4 H3 H5 G2 D3 B4 B3 E8 F8 F9 G9 E9 G8 E4 A3 B1 D1 F1 B2 G1 C1 E6 E7 D8 B5 B6 A5 C4 A4 A6 E1 F6 G6 H7 G7 H8 J8 J7 H9 J4 J6 J9 C6 C7 J8 J3 H6 D4 F3 G3 J5 pass pass";

/** The game behind the start, without its moves' positions. */
export function demoGame() {
  const moves = DEMO.split(" ").map((vertex, i) => ({ parent: i, move: `${"BW"[i % 2]} ${vertex}` }));
  return new Game({ name: "go", size: 9, komi: 7.5, handicap: 0, black: [], white: [], first: "B", nodes: [{ parent: -1 }, ...moves] });
}
