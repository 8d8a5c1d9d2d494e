// The marks of an SGF node: LB TR SQ CR MA SL, TB TW DD, AR LN; what VW leaves out is dimmed.
// Specification: SGF FF[4], red-bean.com/sgf/properties.html#Markup

import { formatPoint, formatVertex, pointsOf } from "./coordinates.js";
import { dimmed, inherited, parseProperties, unescaped } from "./properties.js";
import { t } from "./texts.js";

const NAMES = { TR: "triangle", SQ: "square", CR: "circle", MA: "cross", SL: "selected", TB: "blacksTerritory",
  TW: "whitesTerritory", DD: "dimmed" };
const MAX_DESCRIBED = 40;                // marks in the text for screen readers

/** { marks: [property, point] each, labels: [point, label], lines: { from, to, isArrow }, hidden: points that are out of view,
    names: Map of vertex -> what is on it, text: all of it in words }. */
export function marksOf(node, size) {
  const properties = parseProperties(node.properties);
  const valuesOf = (property) => (property === "DD" ? dimmed(node) : properties.get(property) ?? []);
  const [marks, labels, lines, texts] = [[], [], [], []];
  const names = new Map();
  const vertexOf = ({ row, col }) => formatVertex(row, col, size);
  const add = (at, name) => names.set(vertexOf(at), [names.get(vertexOf(at)), name].filter(Boolean).join(", "));
  for (const [property, name] of Object.entries(NAMES)) {
    for (const at of valuesOf(property).flatMap((value) => pointsOf(value, size))) {
      marks.push([property, at]);
      add(at, t(name));
    }
  }
  for (const value of valuesOf("LB")) {
    const [, place, text] = /^\s*(\w+)\s*:([^]*)$/.exec(value) ?? [];
    const [at] = pointsOf(place ?? "", size);
    if (!at) continue;
    const label = unescaped(text).trim().slice(0, 40);
    labels.push([at, label]);
    add(at, t("labelMark", { label }));
  }
  for (const [property, key] of [["AR", "arrowFromTo"], ["LN", "lineFromTo"]]) {
    for (const value of valuesOf(property)) {
      const [from, to] = value.split(":").map((place) => pointsOf(place, size)[0]);
      if (!from || !to || from === to) continue;
      lines.push({ from, to, isArrow: property === "AR" });
      texts.push(t(key, { from: vertexOf(from), to: vertexOf(to) }));
    }
  }
  const view = inherited(node, "VW").flatMap((value) => pointsOf(value, size));
  let hidden = [];
  if (view.length) {
    const isInView = new Set(view.map(vertexOf));
    const all = pointsOf(`aa:${formatPoint({ row: size.rows - 1, col: size.cols - 1 })}`, size);
    hidden = all.filter((at) => !isInView.has(vertexOf(at)));
    const [first, last] = [[view, Math.min], [view, Math.max]].map(([points, pick]) =>
      vertexOf({ row: pick(...points.map(({ row }) => row)), col: pick(...points.map(({ col }) => col)) }));
    texts.push(t("inView", { from: first, to: last }));
  }
  const described = [...[...names].map(([vertex, name]) => `${vertex} ${name}`), ...texts];
  const rest = described.length - MAX_DESCRIBED;
  const named = [...described.slice(0, MAX_DESCRIBED), ...(rest > 0 ? [t("more", { count: rest })] : [])].join("; ");
  const text = named && t("marks", { marks: named });
  return { marks, labels, lines, hidden, names, text };
}
