// The properties of an SGF node: text <-> Map.  Values keep their escapes.
//
//   "B[pd]LB[pd:A]TR[aa:cc]"   <->   Map { B => ["pd"], LB => ["pd:A"], TR => ["aa:cc"] }
//
// Specification: SGF FF[4], red-bean.com/sgf/sgf4.html

import { formatPoint, pointsOf } from "./coordinates.js";

const LIKE_A_ROOT = /\((?=[\t-\r ]{0,9};[\t-\r ]{0,9}[A-Z]{2}[\t-\r ]{0,9}\[[^\\\]]{0,40}$)/;
const TOKEN = /([A-Za-z]+)|\[((?:[^\\\]]|\\[^])*)\]/g;

export function parseProperties(text = "") {
  const properties = new Map();
  let values = [];
  for (const [, ident, value] of text.matchAll(TOKEN)) {
    if (ident) {
      if (!properties.has(ident)) properties.set(ident, []);
      values = properties.get(ident);
    } else {
      values.push(value);
    }
  }
  return properties;
}

export function formatProperties(properties) {
  return [...properties].map(([ident, values]) => ident + values.map((value) => `[${value}]`).join("")).join("");
}

/** The properties of a node with these values of one property; without the property for []. */
export function withValues(text, ident, values) {
  const properties = parseProperties(text);
  if (values.length) properties.set(ident, values);
  else properties.delete(ident);
  return formatProperties(properties);
}

/** The number that a node gives to its move (MN); null if it gives none. */
export function givenNumber({ properties }) {
  if (!properties?.includes("MN[")) return null;
  const number = Number.parseInt(parseProperties(properties).get("MN")?.[0], 10);
  return Number.isFinite(number) ? number : null;
}

/** The raw value of a text.  A bracket is escaped that the value's end would make the beginning of another game, as in
    mugo/sgf/nodes.py. */
export const escaped = (text) => withoutRoot(text.replace(/[\\\]]/g, "\\$&"));

/** A raw value whose end does not look like a root: `(;SZ[`. */
export const withoutRoot = (value) => value.replace(LIKE_A_ROOT, "\\(");

/** The text of a raw value: without escapes and soft line breaks; white space is a space, line breaks stay. */
export function unescaped(value) {
  return value.replace(/\n\r|\r\n|\r/g, "\n").replace(/[\t\f\v]/g, " ").replace(/\\([^])/g, (_, next) => (next === "\n" ? "" : next));
}

/** Values of points without one of them: a rectangle that has it becomes up to four around it. */
export function withoutPoint(values, { row, col }, size) {
  return values.flatMap((value) => {
    const points = pointsOf(value, size);
    if (!points.some((point) => point.row === row && point.col === col)) return [value];
    const [first, last] = [points[0], points.at(-1)];
    return [
      [first, { row: row - 1, col: last.col }],
      [{ row, col: first.col }, { row, col: col - 1 }],
      [{ row, col: col + 1 }, { row, col: last.col }],
      [{ row: row + 1, col: first.col }, last],
    ].filter(([from, to]) => from.row <= to.row && from.col <= to.col).map(([from, to]) =>
      (from.row === to.row && from.col === to.col ? formatPoint(from) : `${formatPoint(from)}:${formatPoint(to)}`));
  });
}

/** The values of DD that hold in a node. */
export const dimmed = (node) => inherited(node, "DD");

/** The values of DD or VW that hold in a node: those of the last node up to it that has the property. */
export function inherited(node, ident) {
  for (let each = node; each; each = each.parent) {
    if (each.properties?.includes(`${ident}[`)) {
      const values = parseProperties(each.properties).get(ident);
      if (values) return values;
    }
  }
  return [];
}
