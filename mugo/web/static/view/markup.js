// The markup of an SGF node as SVG elements and as text: LB TR SQ CR MA SL, TB TW DD, AR LN; what VW leaves out is dimmed.
// Specification: SGF FF[4], red-bean.com/sgf/properties.html#Markup

import { draw } from "./board.js";
import { formatVertex } from "../core/coordinates.js";
import { formatPoint, parseProperties, pointsOf, unescaped } from "../core/properties.js";

const NAMES = { TR: "triangle", SQ: "square", CR: "circle", MA: "cross", SL: "selected", TB: "Black's territory",
  TW: "White's territory", DD: "dimmed" };
const MAX_DESCRIBED = 40;                // marks in the text for screen readers

/** The marks of a node: { elements, text, names }; names: vertex -> what is on it. */
export function markup(node, size, stones) {
  const properties = parseProperties(node.properties);
  const valuesOf = (property) => (property === "DD" ? dimmed(node) : properties.get(property) ?? []);
  const under = ({ row, col }) => ({ X: "on-black", O: "on-white" }[stones[row * size.cols + col]] ?? "on-empty");
  const elements = [];
  const names = new Map();
  const add = (at, name) => {
    const vertex = formatVertex(at.row, at.col, size);
    names.set(vertex, [names.get(vertex), name].filter(Boolean).join(", "));
  };
  for (const [property, name] of Object.entries(NAMES)) {
    for (const at of valuesOf(property).flatMap((value) => pointsOf(value, size))) {
      elements.push(MARKS[property](at, under(at)));
      add(at, name);
    }
  }
  for (const value of valuesOf("LB")) {
    const [, place, text] = /^\s*(\w+)\s*:([^]*)$/.exec(value) ?? [];
    const [at] = pointsOf(place ?? "", size);
    if (!at) continue;
    const label = unescaped(text).trim().slice(0, 40);
    elements.push(...labelled(at, label, under(at)));
    add(at, `label ${label}`);
  }
  const lines = [];
  for (const [property, name] of [["AR", "arrow"], ["LN", "line"]]) {
    for (const value of valuesOf(property)) {
      const [from, to] = value.split(":").map((place) => pointsOf(place, size)[0]);
      if (!from || !to || from === to) continue;
      elements.unshift(line(from, to, property === "AR"));          // below the others
      lines.push(`${name} from ${formatVertex(from.row, from.col, size)} to ${formatVertex(to.row, to.col, size)}`);
    }
  }
  const view = inherited(node, "VW").flatMap((value) => pointsOf(value, size));
  if (view.length) {
    const isInView = new Set(view.map(({ row, col }) => row * size.cols + col));
    const all = pointsOf(`aa:${formatPoint({ row: size.rows - 1, col: size.cols - 1 })}`, size);
    elements.push(...all.filter(({ row, col }) => !isInView.has(row * size.cols + col)).map((at) => MARKS.DD(at)));
    const [first, last] = [[view, Math.min], [view, Math.max]].map(([points, pick]) =>
      formatVertex(pick(...points.map(({ row }) => row)), pick(...points.map(({ col }) => col)), size));
    lines.push(`in view from ${first} to ${last}`);
  }
  const described = [...[...names].map(([vertex, name]) => `${vertex} ${name}`), ...lines];
  const rest = described.length - MAX_DESCRIBED;
  const text = described.length ? `Marks: ${described.slice(0, MAX_DESCRIBED).join("; ")}${rest > 0 ? `; ${rest} more` : ""}.` : "";
  return { elements, text, names };
}

/** The values of DD that hold in a node. */
export const dimmed = (node) => inherited(node, "DD");

/** The values of DD or VW that hold in a node: those of the last node up to it that has the property. */
function inherited(node, ident) {
  for (let each = node; each; each = each.parent) {
    if (each.properties?.includes(`${ident}[`)) {
      const values = parseProperties(each.properties).get(ident);
      if (values) return values;
    }
  }
  return [];
}

const shape = (d, under) => draw("path", { d, class: `mark ${under}` });
const square = ({ row, col }, side, className) =>
  draw("rect", { x: col - side / 2, y: row - side / 2, width: side, height: side, rx: 0.04, class: className });

// property -> function of a point and of what is under it -> an SVG element
export const MARKS = {
  TR: ({ row, col }, under) => shape(`M${col} ${row - 0.31}l.28 .48h-.56z`, under),
  SQ: (at, under) => square(at, 0.44, `mark ${under}`),
  CR: ({ row, col }, under) => draw("circle", { cx: col, cy: row, r: 0.25, class: `mark ${under}` }),
  MA: ({ row, col }, under) => shape(`M${col - 0.22} ${row - 0.22}l.44 .44m0 -.44l-.44 .44`, under),
  SL: (at, under) => square(at, 0.3, `mark selected ${under}`),
  TB: (at) => square(at, 0.28, "owner black"),
  TW: (at) => square(at, 0.28, "owner white"),
  DD: (at) => square(at, 1, "dimmed"),
};

/** A label of at most six letters, smaller where it is longer. */
export function labelled({ row, col }, label, under) {
  const text = label.length > 6 ? `${label.slice(0, 5)}…` : label;
  const size = Math.min(0.52, 1.5 / Math.max(1, text.length));
  const width = Math.max(0.62, 0.62 * size * text.length);
  const patch = { x: col - width / 2, y: row - 0.31, width, height: 0.62, rx: 0.28, class: "patch" };
  return [...(under === "on-empty" ? [draw("rect", patch)] : []),
    draw("text", { x: col, y: row, class: under, "font-size": size }, text)];
}

export function line(from, to, isArrow) {
  const [right, down] = [to.col - from.col, to.row - from.row];
  const length = Math.hypot(right, down);
  const [x, y] = [right / length, down / length];        // the direction
  const head = isArrow
    ? `M${to.col - 0.32 * x - 0.17 * y} ${to.row - 0.32 * y + 0.17 * x}L${to.col} ${to.row}` +
      `L${to.col - 0.32 * x + 0.17 * y} ${to.row - 0.32 * y - 0.17 * x}` : "";
  return draw("path", { d: `M${from.col} ${from.row}L${to.col} ${to.row}${head}`, class: "mark line" });
}
