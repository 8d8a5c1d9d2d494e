// The marks of a node as SVG elements.

import { marksOf } from "../core/marks.js";
import { draw } from "./board.js";

/** { elements, text, names }; text and names: of marksOf. */
export function markup(node, size, stones) {
  const { marks, labels, lines, hidden, text, names } = marksOf(node, size);
  const under = ({ row, col }) => ({ X: "on-black", O: "on-white" }[stones[row * size.cols + col]] ?? "on-empty");
  const elements = [
    ...lines.toReversed().map(({ from, to, isArrow }) => line(from, to, isArrow)),           // below the others
    ...marks.map(([property, at]) => MARKS[property](at, under(at))),
    ...labels.flatMap(([at, label]) => labelled(at, label, under(at))),
    ...hidden.map((at) => MARKS.DD(at)),
  ];
  return { elements, text, names };
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
