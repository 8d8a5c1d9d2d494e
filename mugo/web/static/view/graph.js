// Black's win rate, or lead in points, along the current line: a thin curve for the network's values, a thick one for
// searches, with the phases of the game and marks of the mistakes.

import { valuesOf } from "../core/analysis.js";
import { scale } from "../core/review.js";
import { t } from "../core/texts.js";
import { draw } from "./board.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [52, 10, 18, 20];
const MOST_APART = 2;                    // moves between values that a curve joins: MuGo has thought about each second one

export class Graph {
  onSelect(moveNumber) {}                // called when a move is clicked or dragged to; controls/ replaces it

  constructor(svg) {
    this.svg = svg;
    this.line = [];
    this.current = 0;                    // the index of the current node
    this.unit = "win_rate";
    this.extras = { marks: [], phases: [], describe: () => "" };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      svg.setPointerCapture(event.pointerId);
      this.onSelect(this.indexAt(event));
    });
    svg.addEventListener("pointermove", (event) => {
      this.showTip(this.indexAt(event));
      if (svg.hasPointerCapture(event.pointerId)) this.onSelect(this.indexAt(event));
    });
    svg.addEventListener("pointerleave", () => this.showTip(null));
    new ResizeObserver(() => this.show(this.line, this.unit, this.extras)).observe(svg);
  }

  indexAt(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
    return Math.round(Math.max(0, Math.min(1, share)) * this.lastMove());
  }

  lastMove() { return Math.max(1, this.line.length - 1); }

  /** Draw the curves.  line: nodes with an analysis, and with `value` and `value_lead` of the network.  unit: "win_rate" or
      "lead".  marks: { index, level } of mistakes; phases: { name, end }: the last move of each; describe: an index -> text. */
  show(line, unit, extras) {
    Object.assign(this, { line, unit, extras });
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width) return;
    const { least, middle, most } = scale(line, unit);
    const [right, bottom] = [width - RIGHT, height - BOTTOM];
    const x = (i) => LEFT + (right - LEFT) * i / this.lastMove();
    const y = (value) => TOP + (bottom - TOP) * (most - Math.max(least, Math.min(most, value))) / (most - least);
    this.layout = { x, y, right, bottom };
    const ofSearch = (node) => valuesOf(node)?.[unit];
    const alone = (node) => node?.[unit === "lead" ? "value_lead" : "value"];
    // A network sees the side that moves ahead: the mean of two positions.
    const ofNetwork = (node) => (alone(node) == null ? null : (alone(node) + (alone(node.parent) ?? alone(node))) / 2);
    this.valueAt = (index) => ofSearch(line[index] ?? {}) ?? ofNetwork(line[index] ?? {});
    this.marker = draw("g");
    this.tip = draw("g", { class: "tip" });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren(
      draw("rect", { x: LEFT, y: TOP, width: right - LEFT, height: bottom - TOP, class: "background" }),
      ...this.phases(), ...this.axes(least, middle, most),
      ...this.curve((node) => (ofSearch(node) == null ? ofNetwork(node) : null), "values"), ...this.areas(middle),
      ...this.curve(ofSearch, "win-rates", middle), ...this.marks(),
      this.marker, this.tip);
    this.showCurrent(this.current);
  }

  axes(least, middle, most) {
    const { x, y, right, bottom } = this.layout;
    const parts = [];
    for (const value of new Set([least, middle, most])) {
      parts.push(draw("path", { d: `M${LEFT} ${y(value)}H${right}`, class: value === middle ? "half" : "grid-line" }));
      const lead = value ? `${t(value < 0 ? "whiteLetter" : "blackLetter")}+${Math.abs(value)}` : "0";
      const label = this.unit === "lead" ? lead : `${100 * value}`;
      parts.push(draw("text", { x: LEFT - 5, y: y(value), class: "y-label" }, label));
    }
    const tickStep = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((step) => this.lastMove() / step <= 8) ?? 1000;
    for (let i = 0; i <= this.lastMove(); i += tickStep) {
      parts.push(draw("text", { x: x(i), y: bottom + 15, class: "x-label" }, String(i)));
    }
    return parts;
  }

  /** The names of the phases above the graph, and lines between them. */
  phases() {
    const { x, right, bottom } = this.layout;
    let start = 0;
    return this.extras.phases.flatMap(({ name, end }) => {
      if (start >= this.lastMove()) return [];
      const [from, to] = [x(start), Math.min(right, x(Math.min(end, this.lastMove())))];
      start = end;
      const hasRoom = to - from > 6.5 * name.length;
      const text = hasRoom ? [draw("text", { x: (from + to) / 2, y: 10, class: "phase" }, name)] : [];
      return to < right ? [...text, draw("path", { d: `M${to} ${TOP - 6}V${bottom}`, class: "phase-line" })] : text;
    });
  }

  /** What is above and below a value, in which the area is Black's and White's. */
  areas(middle) {
    const { y, right, bottom } = this.layout;
    return [["black-area", TOP, y(middle)], ["white-area", y(middle), bottom]].map(([id, top, end]) => draw("clipPath", { id },
      draw("rect", { x: LEFT, y: top, width: right - LEFT, height: Math.max(0, end - top) })));
  }

  /** A curve, which is broken where values are missing; with an area between it and a value `from`. */
  curve(value, className, from = null) {
    const { x, y } = this.layout;
    const runs = [];
    this.line.forEach((node, i) => {
      const found = value(node);
      if (found == null) return;
      if (i - (runs.at(-1)?.at(-1)[0] ?? -Infinity) > MOST_APART) runs.push([]);
      runs.at(-1).push([i, found]);
    });
    const pathOf = (run) => `M${run.map(([i, found]) => `${x(i).toFixed(1)} ${y(found).toFixed(1)}`).join("L")}${run.length === 1 ? "h0" : ""}`;
    const areas = from === null ? [] : runs.filter((run) => run.length > 1).flatMap((run) => ["black", "white"].map((colour) => draw("path",
      { d: `${pathOf(run)}L${x(run.at(-1)[0])} ${y(from)}L${x(run[0][0])} ${y(from)}Z`, class: `area ${colour}`, "clip-path": `url(#${colour}-area)` })));
    return runs.length ? [...areas, draw("path", { d: runs.map(pathOf).join(""), class: className })] : [];
  }

  marks() {
    const { x, y } = this.layout;
    return this.extras.marks.flatMap(({ index, level }) => {
      const value = this.valueAt(index);
      if (value == null) return [];
      return [draw("circle", { cx: x(index), cy: y(value), r: 4, class: `mistake level-${level}` })];
    });
  }

  /** Mark the current node, by its index in the line. */
  showCurrent(index) {
    this.current = index;
    if (!this.layout) return;
    const { x, y, bottom } = this.layout;
    const value = this.valueAt(index);
    this.marker.replaceChildren(draw("path", { d: `M${x(index)} ${TOP}V${bottom}`, class: "current" }),
      ...(value == null ? [] : [draw("circle", { cx: x(index), cy: y(value), r: 4, class: "current" })]));
  }

  /** Say what is known of a node under the pointer; null: of none. */
  showTip(index) {
    if (!this.layout) return;
    const text = index === null ? "" : this.extras.describe(index);
    this.tip.replaceChildren();
    if (!text) return;
    const { x, bottom, right } = this.layout;
    const label = draw("text", { y: bottom - 9 }, text);
    const box = draw("rect", { y: bottom - 19, height: 18, rx: 4 });
    this.tip.append(draw("path", { d: `M${x(index)} ${TOP}V${bottom}` }), box, label);
    const width = label.getComputedTextLength() + 10;
    const left = Math.max(LEFT, Math.min(right - width, x(index) - width / 2));
    box.setAttribute("x", left);
    box.setAttribute("width", width);
    label.setAttribute("x", left + 5);
  }
}
