// What an overlay draws on the board, and what the legend says of it.  Each gets what the server said of a position.

import { draw, place } from "./board.js";

const percent = (share) => `${Math.round(100 * share)}`;

function disc({ row, col }, r, name, opacity = 1) {
  return draw("circle", { cx: col, cy: row, r, class: name, opacity });
}

function label({ row, col }, text, name = "", dy = 0) {
  return draw("text", { x: col, y: row + dy, class: name }, text);
}

function* cells(size) {
  for (let i = 0; i < size * size; i++) yield [i, { row: Math.floor(i / size), col: i % size }];
}

/** The network's prior of every point, from 1 % on with figures. */
export function policy({ priors }, size) {
  const over = [];
  for (const [i, at] of cells(size)) {
    const prior = priors[i];
    if (prior < 0.002) continue;
    over.push(disc(at, 0.46, "heat", 0.12 + 0.83 * Math.sqrt(prior)));
    if (prior >= 0.01) over.push(label(at, percent(prior), prior > 0.12 ? "bright" : "dark"));
  }
  return { over };
}

/** The moves searched: win rate of the side to move above, visits below; the most visited in another colour. */
export function search({ moves }, size, toPlay) {
  const over = [];
  const most = moves[0]?.visits ?? 1;
  for (const [rank, move] of moves.entries()) {
    const at = place(move.move, size);
    const share = move.visits / most;
    if (!at || (rank >= 8 && share < 0.05)) continue;
    const isTold = share >= 0.02 || rank < 3;
    over.push(disc(at, isTold ? 0.47 : 0.16, rank ? "candidate" : "candidate best", 0.55 + 0.4 * share));
    if (isTold) {
      over.push(label(at, percent(toPlay === "B" ? move.black : 1 - move.black), "rate", -0.13));
      over.push(label(at, short(move.visits), "visits", 0.22));
    }
  }
  return { over };
}

/** 1234 -> '1.2k'. */
export function short(count) {
  if (count < 1000) return String(count);
  if (count < 1e6) return `${(count / 1e3).toFixed(count < 1e4 ? 1 : 0)}k`;
  return `${(count / 1e6).toFixed(1)}m`;
}

/** Who owns each point, where its stone does not say so: squares the larger the surer. */
export function owners({ owners: shares }, size, stones) {
  const over = [];
  for (const [i, { row, col }] of cells(size)) {
    const side = 0.5 * Math.sqrt(Math.abs(shares[i]) / 100);
    if (side < 0.09 || stones[i] === (shares[i] > 0 ? "X" : "O")) continue;
    over.push(draw("rect", { x: col - side / 2, y: row - side / 2, width: side, height: side, rx: 0.04,
      class: shares[i] > 0 ? "owned black" : "owned white" }));
  }
  return { over };
}

/** The areas of a counted board, where no living stone says so. */
export function area({ area: of }, size, stones) {
  const over = [];
  for (const [i, { row, col }] of cells(size)) {
    if (of[i] === "." || stones[i] === (of[i] === "B" ? "X" : "O")) continue;
    over.push(draw("rect", { x: col - 0.15, y: row - 0.15, width: 0.3, height: 0.3, rx: 0.04,
      class: of[i] === "B" ? "owned black" : "owned white" }));
  }
  return { over };
}

/** Whether a plane holds on each point; packed: what the server answers to "planes". */
export function plane(packed, number, size) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const holds = [];
  const each = bytes.length / (size * size);
  for (let i = number >> 3; i < bytes.length; i += each) holds.push(Boolean(bytes[i] >> (number & 7) & 1));
  return holds;
}

export function onePlane({ packed }, size, number) {
  const holds = plane(packed, number, size);
  const over = [];
  for (const [i, { row, col }] of cells(size)) {
    if (holds[i]) over.push(draw("rect", { x: col - 0.34, y: row - 0.34, width: 0.68, height: 0.68, rx: 0.1, class: "plane" }));
  }
  return { over, count: over.length };
}

/** Moves that capture in a ladder, as triangles, and that escape one, as diamonds. */
export function ladders({ packed }, size, names) {
  const captures = plane(packed, names.indexOf("ladder capture"), size);
  const escapes = plane(packed, names.indexOf("ladder escape"), size);
  const over = [];
  for (const [i, { row, col }] of cells(size)) {
    if (captures[i]) {
      over.push(draw("path", { d: `M${col} ${row - 0.38}l.36 .62h-.72z`, class: "ladder capture" }));
    }
    if (escapes[i]) {
      over.push(draw("path", { d: `M${col} ${row - 0.4}l.4 .4l-.4 .4l-.4 -.4z`, class: "ladder escape" }));
    }
  }
  return { over, captures: captures.filter(Boolean).length, escapes: escapes.filter(Boolean).length };
}
