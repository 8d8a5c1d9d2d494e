// Black's win rate along the current line: a thin curve for the network's values, a thick one for searches.

import { draw } from "./board.js";

export class Graph {
  onSelect(moveNumber) {}                // called when a move is clicked or dragged to; main.js replaces it

  constructor(svg) {
    this.svg = svg;
    this.line = [];
    this.current = 0;
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
    new ResizeObserver(() => this.show(this.line, this.current)).observe(svg);
  }

  lastMove() { return Math.max(1, this.line.length - 1); }

  /** line: nodes with `win_rate` of a search and `value` of the network.  current: index of the current node. */
  show(line, current) {
    this.line = line;
    this.current = current;
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width) return;
    const x = (i) => LEFT + (width - LEFT - RIGHT) * i / this.lastMove();
    const y = (rate) => TOP + (height - TOP - BOTTOM) * (1 - rate);
    const parts = [draw("rect", { x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM,
      class: "background" })];
    for (const rate of [0, 0.5, 1]) {
      parts.push(draw("path", { d: `M${LEFT} ${y(rate)}H${width - RIGHT}`, class: rate === 0.5 ? "half" : "grid-line" }));
      parts.push(draw("text", { x: LEFT - 5, y: y(rate), class: "y-label" }, `${100 * rate}`));
    }
    const tickStep = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((step) => this.lastMove() / step <= 8) ?? 1000;
    for (let i = 0; i <= this.lastMove(); i += tickStep) {
      parts.push(draw("text", { x: x(i), y: height - 5, class: "x-label" }, String(i)));
    }
    const points = (name) => line.map((node, i) => [i, node[name]]).filter(([, rate]) => rate != null);
    const path = (pairs) => pairs.map(([i, rate], k) => `${k ? "L" : "M"}${x(i).toFixed(1)} ${y(rate).toFixed(1)}`).join("");
    const [values, winRates] = [points("value"), points("win_rate")];
    if (values.length > 1) parts.push(draw("path", { d: path(values), class: "values" }));
    if (winRates.length > 1) {
      const [first, end] = [winRates[0][0], winRates.at(-1)[0]];
      parts.push(draw("path", { d: `${path(winRates)}L${x(end)} ${y(0.5)}L${x(first)} ${y(0.5)}Z`, class: "area" }));
      parts.push(draw("path", { d: path(winRates), class: "win-rates" }));
    }
    parts.push(draw("path", { d: `M${x(current)} ${TOP}V${height - BOTTOM}`, class: "current" }));
    const winRate = line[current]?.win_rate ?? line[current]?.value;
    if (winRate != null) parts.push(draw("circle", { cx: x(current), cy: y(winRate), r: 4, class: "current" }));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren(...parts);
  }
}

const [LEFT, RIGHT, TOP, BOTTOM] = [30, 10, 8, 20];
