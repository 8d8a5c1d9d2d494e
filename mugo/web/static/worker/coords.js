// Coordinates of a move in all notations: mugo/games/coords.py, whose docstring is the table.

import { BadInput, quoted } from "./errors.js";

export const PASS = 0, WHITE_BIT = 512, COLUMNS = "ABCDEFGHJKLMNOPQRST", SGF_LETTERS = "abcdefghijklmnopqrs";
export const BLACK = 1, WHITE = -1, EMPTY = 0;
export const LETTERS = { [BLACK]: "B", [WHITE]: "W" };
export const NAMES = { [BLACK]: "Black", [WHITE]: "White" };
export const colourOf = (text) => ({ b: BLACK, black: BLACK, w: WHITE, white: WHITE })[String(text).toLowerCase()];

/** [rows, columns] of a size as people write it: '9', or '13x9', columns x rows. */
export function interpretSize(text) {
  const match = /^(\d{1,3})(?:[xX](\d{1,3}))?$/.exec(text);
  if (!match) throw new BadInput(`${quoted(text.slice(0, 20))} is not a board size, such as 9, or 13x9 for 13 columns and 9 rows`);
  return [Number(match[2] ?? match[1]), Number(match[1])];
}

export const formatSize = ([rows, cols]) => `${cols}x${rows}`;
export const sizeValue = ([rows, cols]) => (rows === cols ? rows : formatSize([rows, cols]));
export const areaOf = ([rows, cols]) => rows * cols;
export const pointAt = (row, col, [, cols]) => (row + 1) * (cols + 1) + col + 1;
export const isOnBoard = (point, [rows, cols]) => cols < point && point < (cols + 1) * (rows + 1) && point % (cols + 1) !== 0;
export const moveIndex = (point, [rows, cols]) =>
  (point === PASS ? rows * cols : (Math.floor(point / (cols + 1)) - 1) * cols + (point % (cols + 1)) - 1);
export const pointOfIndex = (index, [rows, cols]) =>
  (index === rows * cols ? PASS : (Math.floor(index / cols) + 1) * (cols + 1) + (index % cols) + 1);

/** The points of all move indices but the pass. */
export const boardPoints = remembered((shape) => Array.from({ length: areaOf(shape) }, (_, i) => pointOfIndex(i, shape)));

/** The symmetries, arrays of points + 1: each maps a move index to its index in that symmetry. */
export const symmetries = remembered(([rows, cols]) => {
  const n = rows * cols;
  const turn = (board) => board[0].map((_, c) => board.map((row) => row[c])).reverse();          // a quarter, as numpy's rot90
  const transpose = (board) => board[0].map((_, c) => board.map((row) => row[c]));
  const upside = (board) => [...board].reverse();
  const mirrored = (board) => board.map((row) => [...row].reverse());
  const board = Array.from({ length: rows }, (_, r) => Array.from({ length: cols }, (_, c) => r * cols + c));
  const quarters = (of) => [of, turn(of), turn(turn(of)), turn(turn(turn(of)))];
  const all = rows === cols ? [...quarters(board), ...quarters(transpose(board))]
    : [board, mirrored(upside(board)), mirrored(board), upside(board)];
  return all.map((of) => {
    const table = new Array(n + 1).fill(n);
    of.flat().forEach((index, i) => { table[index] = i; });
    return table;
  });
});

function remembered(make) {
  const known = new Map();
  return (shape) => {
    const key = shape.join();
    if (!known.has(key)) known.set(key, make(shape));
    return known.get(key);
  };
}

/** The point of a GTP vertex, in either case. */
export function interpretGtp(text, shape) {
  if (text.toLowerCase() === "pass") return PASS;
  const [rows, cols] = shape;
  const match = /^([A-Za-z])(\d{1,2})$/.exec(text);
  if (match) {
    const [col, row] = [COLUMNS.indexOf(match[1].toUpperCase()), rows - Number(match[2])];
    if (col >= 0 && col < cols && row >= 0 && row < rows) return pointAt(row, col, shape);
  }
  const letters = `A-${COLUMNS[cols - 1]}${cols > 8 ? " without I" : ""}`;
  throw new BadInput(`${quoted(text)} is not a vertex on ${formatSize(shape)} (${letters}, 1-${rows})`);
}

export function formatGtp(point, shape) {
  if (point === PASS) return "pass";
  const [rows, cols] = shape;
  const index = moveIndex(point, shape);
  return `${COLUMNS[index % cols]}${rows - Math.floor(index / cols)}`;
}

export const nameOf = (point, shape) => (point === PASS || isOnBoard(point, shape) ? formatGtp(point, shape) : String(point));
export const formatMove = (colour, point, shape) => `${LETTERS[colour]} ${formatGtp(point, shape)}`;

// ---- SGF

export const sgfPasses = ([rows, cols]) => ["", "tt", String.fromCharCode(97 + cols) + String.fromCharCode(97 + rows)];
export const lastSgfPoint = ([rows, cols]) => SGF_LETTERS[cols - 1] + SGF_LETTERS[rows - 1];

/** The point of an SGF move value, or undefined. */
export function pointOfSgf(text, shape) {
  if (sgfPasses(shape).includes(text)) return PASS;
  const [col, row] = [SGF_LETTERS.indexOf(text[0]), SGF_LETTERS.indexOf(text[1])];
  return text.length === 2 && col >= 0 && col < shape[1] && row >= 0 && row < shape[0] ? pointAt(row, col, shape) : undefined;
}

export function formatSgf(point, shape) {
  if (point === PASS) return "";
  const index = moveIndex(point, shape);
  return SGF_LETTERS[index % shape[1]] + SGF_LETTERS[Math.floor(index / shape[1])];
}

// ---- handicap

/** The points of 2 to 9 fixed handicap stones (GTP 2, section 4.1.1): mugo/games/go.py. */
export function fixedHandicap(shape, stones) {
  const [rows, cols] = shape;
  const most = rows % 2 && cols % 2 && Math.min(rows, cols) >= 9 ? 9 : 4;
  if (Math.min(rows, cols) < 7 || !(stones >= 2 && stones <= most)) {
    throw new BadInput(`no fixed handicap of ${stones} stones on ${formatSize(shape)}`
      + (Math.min(rows, cols) >= 7 ? ` (2 to ${most})` : " (7x7 or larger)"));
  }
  const lines = (n) => { const edge = n < 13 ? 2 : 3; return [edge, n >> 1, n - 1 - edge]; };
  const [high, middle, low] = lines(rows), [left, centre, right] = lines(cols);
  const corners = [[low, left], [high, right], [high, left], [low, right]];
  const sides = [[middle, left], [middle, right], [low, centre], [high, centre]];
  const places = stones <= 4 ? corners.slice(0, stones)
    : [...corners, ...sides.slice(0, ((stones - 4) >> 1) * 2), ...(stones % 2 ? [[middle, centre]] : [])];
  return places.map(([row, col]) => pointAt(row, col, shape));
}
