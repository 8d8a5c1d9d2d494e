// Black's win rate over the game: a thin line for what the network says at a glance, a strong one for searches.

import { draw } from "./board.js";

export class Graph {
  chosen(number) {}                      // hears which move of the line is clicked or dragged to

  constructor(svg) {
    this.svg = svg;
    this.line = [];
    this.shown = 0;
    const pick = (event) => {
      const box = svg.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
      this.chosen(Math.round(Math.max(0, Math.min(1, share)) * this.last()));
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      svg.setPointerCapture(event.pointerId);
      pick(event);
    });
    svg.addEventListener("pointermove", (event) => svg.hasPointerCapture(event.pointerId) && pick(event));
    new ResizeObserver(() => this.show(this.line, this.shown)).observe(svg);
  }

  last() { return Math.max(1, this.line.length - 1); }

  /** line: the game's nodes, with `black` from searches and `value` from the network; shown: the number of one. */
  show(line, shown) {
    this.line = line;
    this.shown = shown;
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width) return;
    const x = (i) => LEFT + (width - LEFT - RIGHT) * i / this.last();
    const y = (rate) => TOP + (height - TOP - BOTTOM) * (1 - rate);
    const parts = [draw("rect", { x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM, class: "ground" })];
    for (const rate of [0, 0.5, 1]) {
      parts.push(draw("path", { d: `M${LEFT} ${y(rate)}H${width - RIGHT}`, class: rate === 0.5 ? "half" : "rule" }));
      parts.push(draw("text", { x: LEFT - 5, y: y(rate), class: "left" }, `${100 * rate}`));
    }
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((step) => this.last() / step <= 8) ?? 1000;
    for (let i = 0; i <= this.last(); i += every) {
      parts.push(draw("text", { x: x(i), y: height - 5, class: "below" }, String(i)));
    }
    const points = (name) => line.map((node, i) => [i, node[name]]).filter(([, rate]) => rate != null);
    const path = (found) => found.map(([i, rate], k) => `${k ? "L" : "M"}${x(i).toFixed(1)} ${y(rate).toFixed(1)}`).join("");
    const [values, rates] = [points("value"), points("black")];
    if (values.length > 1) parts.push(draw("path", { d: path(values), class: "values" }));
    if (rates.length > 1) {
      const [first, end] = [rates[0][0], rates.at(-1)[0]];
      parts.push(draw("path", { d: `${path(rates)}L${x(end)} ${y(0.5)}L${x(first)} ${y(0.5)}Z`, class: "area" }));
      parts.push(draw("path", { d: path(rates), class: "rates" }));
    }
    parts.push(draw("path", { d: `M${x(shown)} ${TOP}V${height - BOTTOM}`, class: "now" }));
    const now = line[shown]?.black ?? line[shown]?.value;
    if (now != null) parts.push(draw("circle", { cx: x(shown), cy: y(now), r: 4, class: "now" }));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren(...parts);
  }
}

const [LEFT, RIGHT, TOP, BOTTOM] = [30, 10, 8, 20];
