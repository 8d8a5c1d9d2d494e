// Edits of a node's properties: their text before -> their text after.  What an edit does not name stays as it is.
//
// A point is { row, col }.  Marks of one group exclude each other on a point: SGF FF[4] forbids two of TR SQ CR MA SL
// there, and a point has one owner and one stone.
//
// And the tools for them: name -> { title, key, hint }; title and hint are keys of texts.  Those of marks have the name of their
// property, those of stones their mark.

import { formatPoint, pointsOf } from "./coordinates.js";
import { formatProperties, parseProperties, unescaped, withoutPoint, withoutRoot } from "./properties.js";

export const TOOLS = {
  TR: { title: "triangle", key: "t", hint: "hintPoint" },
  SQ: { title: "square", key: "q", hint: "hintPoint" },
  CR: { title: "circle", key: "c", hint: "hintPoint" },
  MA: { title: "cross", key: "x", hint: "hintPoint" },
  SL: { title: "selected", key: "f", hint: "hintPoint" },
  letter: { title: "letter", key: "l", hint: "hintLetter" },
  number: { title: "number", key: "n", hint: "hintNumber" },
  text: { title: "textLabel", key: "g", hint: "hintText" },
  LN: { title: "line", key: "i", hint: "hintLine" },
  AR: { title: "arrow", key: "w", hint: "hintLine" },
  TB: { title: "blacksTerritory", key: "y", hint: "hintPoint" },
  TW: { title: "whitesTerritory", key: "z", hint: "hintPoint" },
  DD: { title: "dimmed", key: "d", hint: "hintDimmed" },
  X: { title: "blackStone", key: "1", hint: "hintStone" },
  O: { title: "whiteStone", key: "2", hint: "hintStone" },
  ".": { title: "removeStones", key: "3", hint: "hintRemove" },
};

const GROUPS = [["TR", "SQ", "CR", "MA", "SL"], ["TB", "TW"], ["AB", "AW", "AE"]];
const ANNOTATIONS = [["GB", "GW", "DM", "UC"], ["TE", "BM", "DO", "IT"]];          // of a position, of a move

const hasPoint = (values = [], { row, col }, size) =>
  values.some((value) => pointsOf(value, size).some((point) => point.row === row && point.col === col));

/** Set the values of a property in place; without values it is removed. */
function setValues(properties, ident, values) {
  if (values.length) properties.set(ident, values);
  else properties.delete(ident);
}

function removePoint(properties, ident, point, size) {
  if (properties.has(ident)) setValues(properties, ident, withoutPoint(properties.get(ident), point, size));
}

function addPoint(properties, ident, point) {
  properties.set(ident, [...properties.get(ident) ?? [], formatPoint(point)]);
}

/** Set a mark on a point, in the place of those that exclude it; remove it if it is there. */
export function toggleMark(text, ident, point, size) {
  const properties = parseProperties(text);
  const isSet = hasPoint(properties.get(ident), point, size);
  for (const each of GROUPS.find((group) => group.includes(ident)) ?? [ident]) removePoint(properties, each, point, size);
  if (!isSet) addPoint(properties, ident, point);
  return formatProperties(properties);
}

/** Dim a point, or undim it.  inherited: the values of DD of the nodes before, which hold until another DD; DD[] undims all. */
export function toggleDimmed(text, point, size, inherited) {
  const properties = parseProperties(text);
  const values = (properties.get("DD") ?? inherited).filter((value) => value.trim());
  const after = hasPoint(values, point, size) ? withoutPoint(values, point, size) : [...values, formatPoint(point)];
  if (after.join() === inherited.join()) properties.delete("DD");
  else properties.set("DD", after.length ? after : [""]);
  return formatProperties(properties);
}

const placeOf = (value) => /^\s*([a-z]{2})\s*:/.exec(value)?.[1];
const labelOf = (value) => unescaped(value.replace(/^[^:]*:/, "")).trim();

/** The label on a point, '' if it has none. */
export function labelAt(text, point) {
  const value = (parseProperties(text).get("LB") ?? []).find((each) => placeOf(each) === formatPoint(point));
  return value === undefined ? "" : labelOf(value);
}

/** Set the label of a point; '' removes it. */
export function setLabel(text, point, label) {
  const properties = parseProperties(text);
  const place = formatPoint(point);
  const written = withoutRoot(label.replace(/\s+/g, " ").trim().replace(/[\\\]:]/g, "\\$&"));
  const before = properties.get("LB") ?? [];
  const isThere = before.some((value) => placeOf(value) === place);
  const kept = before.flatMap((value) => (placeOf(value) !== place ? [value] : written ? [`${place}:${written}`] : []));
  setValues(properties, "LB", isThere || !written ? kept : [...kept, `${place}:${written}`]);
  return formatProperties(properties);
}

/** The next free label of a node: 'A' to 'Z', 'a' to 'z', 'A1'...; or 1, 2, 3... */
export function nextLabel(text, isNumber) {
  const used = new Set((parseProperties(text).get("LB") ?? []).map(labelOf));
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (let i = 0; ; i++) {
    const label = isNumber ? String(i + 1) : letters[i % letters.length] + (i < letters.length ? "" : Math.floor(i / letters.length));
    if (!used.has(label)) return label;
  }
}

/** Draw a line (LN) or an arrow (AR) between two points, in the place of one that is there; remove it if it is the same. */
export function toggleLine(text, ident, from, to) {
  const properties = parseProperties(text);
  const ends = (value) => value.split(":").map((place) => place.trim());
  const places = [formatPoint(from), formatPoint(to)];
  const isSame = (value) => ends(value).join() === places.join();
  const isBetween = (value) => isSame(value) || ends(value).toReversed().join() === places.join();
  const isThere = (properties.get(ident) ?? []).some(ident === "AR" ? isSame : isBetween);
  for (const each of ["LN", "AR"]) {
    if (properties.has(each)) setValues(properties, each, properties.get(each).filter((value) => !isBetween(value)));
  }
  if (!isThere) properties.set(ident, [...properties.get(ident) ?? [], places.join(":")]);
  return formatProperties(properties);
}

/** Set up a stone, "X" or "O", or empty a point, ".".  before: what is on the point before the node. */
export function setStone(text, point, stone, before, size) {
  const properties = parseProperties(text);
  for (const ident of GROUPS[2]) removePoint(properties, ident, point, size);
  if (stone !== before) addPoint(properties, { X: "AB", O: "AW", ".": "AE" }[stone], point);
  return formatProperties(properties);
}

/** The annotation of a position (kind 0) or a move (kind 1): 'GB1', 'BM2', 'DO'; '' if there is none. */
export function annotation(text, kind) {
  const properties = parseProperties(text);
  const ident = ANNOTATIONS[kind].find((each) => properties.has(each));
  return ident ? ident + (["DO", "IT"].includes(ident) ? "" : properties.get(ident)[0].trim() === "2" ? 2 : 1) : "";
}

/** Set the annotation of a position (kind 0) or a move (kind 1); '' removes it. */
export function setAnnotation(text, kind, value) {
  const properties = parseProperties(text);
  for (const ident of ANNOTATIONS[kind]) properties.delete(ident);
  if (value) properties.set(value.slice(0, 2), [value.slice(2)]);
  return formatProperties(properties);
}
