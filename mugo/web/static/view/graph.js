// Black's win rate, or lead in points, along the current line: a thin curve for the network's values, a thick one for
// searches.

import { valuesOf } from "../core/analysis.js";
import { draw } from "./board.js";

export class Graph {
  onSelect(moveNumber) {}                // called when a move is clicked or dragged to; controls/ replaces it

  constructor(svg) {
    this.svg = svg;
    this.line = [];
    this.current = 0;                    // the index of the current node
    this.unit = "win_rate";
    const select = (event) => {
      const box = svg.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
      this.onSelect(Math.round(Math.max(0, Math.min(1, share)) * this.lastMove()));
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      svg.setPointerCapture(event.pointerId);
      select(event);
    });
    svg.addEventListener("pointermove", (event) => svg.hasPointerCapture(event.pointerId) && select(event));
    new ResizeObserver(() => this.show(this.line, this.unit)).observe(svg);
  }

  lastMove() { return Math.max(1, this.line.length - 1); }

  /** Draw the curves.  line: nodes with an analysis, and with `value` and `value_lead` of the network.  unit: "win_rate" or
      "lead". */
  show(line, unit) {
    Object.assign(this, { line, unit });
    const ofSearch = (node) => valuesOf(node)?.[unit];
    const ofNetwork = (node) => node[unit === "lead" ? "value_lead" : "value"];
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width) return;
    const x = (i) => LEFT + (width - LEFT - RIGHT) * i / this.lastMove();
    const most = unit === "lead" ? leadLimit(line) : 1;
    const least = unit === "lead" ? -most : 0;
    const y = (value) => TOP + (height - TOP - BOTTOM) * (most - Math.max(least, Math.min(most, value))) / (most - least);
    const middle = (most + least) / 2;
    const parts = [draw("rect", { x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM,
      class: "background" })];
    for (const value of [least, middle, most]) {
      parts.push(draw("path", { d: `M${LEFT} ${y(value)}H${width - RIGHT}`, class: value === middle ? "half" : "grid-line" }));
      const label = unit === "lead" ? `${value > 0 ? "+" : ""}${value}`.replace("-", "−") : `${100 * value}`;
      parts.push(draw("text", { x: LEFT - 5, y: y(value), class: "y-label" }, label));
    }
    const tickStep = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((step) => this.lastMove() / step <= 8) ?? 1000;
    for (let i = 0; i <= this.lastMove(); i += tickStep) {
      parts.push(draw("text", { x: x(i), y: height - 5, class: "x-label" }, String(i)));
    }
    const points = (value) => line.map((node, i) => [i, value(node)]).filter(([, rate]) => rate != null);
    const path = (pairs) => pairs.map(([i, rate], k) => `${k ? "L" : "M"}${x(i).toFixed(1)} ${y(rate).toFixed(1)}`).join("");
    const [values, winRates] = [points(ofNetwork), points(ofSearch)];
    if (values.length > 1) parts.push(draw("path", { d: path(values), class: "values" }));
    if (winRates.length > 1) {
      const [first, end] = [winRates[0][0], winRates.at(-1)[0]];
      parts.push(draw("path", { d: `${path(winRates)}L${x(end)} ${y(middle)}L${x(first)} ${y(middle)}Z`, class: "area" }));
      parts.push(draw("path", { d: path(winRates), class: "win-rates" }));
    }
    this.marker = draw("g");
    this.markCurrent = (index) => {
      const winRate = ofSearch(line[index] ?? {}) ?? ofNetwork(line[index] ?? {});
      this.marker.replaceChildren(draw("path", { d: `M${x(index)} ${TOP}V${height - BOTTOM}`, class: "current" }),
        ...(winRate == null ? [] : [draw("circle", { cx: x(index), cy: y(winRate), r: 4, class: "current" })]));
    };
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren(...parts, this.marker);
    this.showCurrent(this.current);
  }

  /** Mark the current node, by its index in the line. */
  showCurrent(index) {
    this.current = index;
    this.markCurrent?.(index);
  }
}

const [LEFT, RIGHT, TOP, BOTTOM] = [30, 10, 8, 20];

/** The largest lead that is shown, in points: of those of the line, at least 10, rounded up. */
function leadLimit(line) {
  const leads = line.flatMap((node) => [valuesOf(node)?.lead, node.value_lead]).filter((lead) => lead != null).map(Math.abs);
  return Math.min(100, Math.max(10, 10 * Math.ceil(Math.max(0, ...leads) / 10)));
}
