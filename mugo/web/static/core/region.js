// What of the board a local search searches: a rectangle for all moves, and single points for the next move.
//
//   region   { top, left, bottom, right }, rows and columns; null: the whole board
//   picks    Map of vertex -> "forbidden" or "only"

import { formatVertex, parseVertex } from "./coordinates.js";

const MARGIN = 2;                        // points around the stones of a problem, as in mugo/games/tsumego.py
const SNAP = 2;                          // a problem so near to an edge, in points, is at the edge
const NEXT_PICK = { forbidden: "only", only: null };       // of another click on the point

/** The rectangle between two opposite corners. */
export function rectangle(first, last, size) {
  const [a, b] = [first, last].map((vertex) => parseVertex(vertex, size));
  return { top: Math.min(a.row, b.row), left: Math.min(a.col, b.col), bottom: Math.max(a.row, b.row), right: Math.max(a.col, b.col) };
}

/** 'C7–E3': the upper left point and the lower right one. */
export function regionText({ top, left, bottom, right }, size) {
  const [first, last] = [formatVertex(top, left, size), formatVertex(bottom, right, size)];
  return first === last ? first : `${first}–${last}`;
}

/** The picks after another click on a point: forbidden, then the only one, then neither. */
export function togglePick(picks, vertex) {
  const next = picks.has(vertex) ? NEXT_PICK[picks.get(vertex)] : "forbidden";
  const after = new Map(picks);
  after.delete(vertex);
  if (next) after.set(vertex, next);
  return after;
}

/** The points of one kind. */
export const picked = (picks, kind) => [...picks].filter(([, value]) => value === kind).map(([vertex]) => vertex);

/** The fields of the request "analyze". */
export function searchFields(region, picks, size) {
  const fields = {};
  if (region) {
    fields.region = [];
    for (let row = region.top; row <= region.bottom; row++) {
      for (let col = region.left; col <= region.right; col++) fields.region.push(formatVertex(row, col, size));
    }
  }
  const [only, forbidden] = ["only", "forbidden"].map((kind) => picked(picks, kind));
  if (only.length) fields.allow = only;
  if (forbidden.length) fields.avoid = forbidden;
  if (picks.size) fields.depth = 1;
  return fields;
}

/** The part of the board that a problem takes: its stones and the points around them; null without stones.
    stones: 'X', 'O' and '.', row by row. */
export function zoneOf(stones, { rows, cols }) {
  const at = [...stones].flatMap((stone, i) => (stone === "." ? [] : [{ row: Math.floor(i / cols), col: i % cols }]));
  if (!at.length) return null;
  const span = (values, count) => {
    const [first, last] = [Math.min(...values) - MARGIN, Math.max(...values) + MARGIN];
    return [first < SNAP ? 0 : first, last > count - 1 - SNAP ? count - 1 : last];
  };
  const [top, bottom] = span(at.map(({ row }) => row), rows);
  const [left, right] = span(at.map(({ col }) => col), cols);
  return { top, left, bottom, right };
}
