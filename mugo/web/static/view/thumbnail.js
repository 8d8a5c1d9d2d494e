// A small board.

import { draw } from "./board.js";

/** An SVG of a position.  stones: row by row, 'X', 'O', '.'. */
export function thumbnail(stones, { rows, cols }) {
  const lines = [...Array(rows).keys()].map((row) => `M0 ${row}h${cols - 1}`).concat([...Array(cols).keys()].map((col) => `M${col} 0v${rows - 1}`));
  const circles = [...stones].flatMap((stone, i) => (stone === "." ? []
    : [draw("circle", { cx: i % cols, cy: Math.floor(i / cols), r: 0.48, class: stone === "X" ? "black" : "white" })]));
  return draw("svg", { viewBox: `-0.7 -0.7 ${cols + 0.4} ${rows + 0.4}`, class: "thumbnail", "aria-hidden": "true" },
    draw("path", { d: lines.join("") }), ...circles);
}
