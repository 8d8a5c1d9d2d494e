// The board as SVG.  One unit is the distance between two lines; (0, 0) is the upper left point.

import { COLUMNS, formatVertex, parseVertex } from "../core/coordinates.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const SMALLEST_TARGET = 30;              // CSS pixels between points; WCAG 2.2 wants 24 for any target

/** An SVG element. */
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export class Board {
  onSelect(vertex, isTouch, pressed) {}  // at a click, a tap or Enter; pressed: where the mouse went down; controls/board.js replaces it
  onPress(vertex) {}                     // when the mouse goes down on a point; likewise
  onHover(vertex) {}                     // called with the point under the mouse or the cursor, or null; likewise

  constructor(svg) {
    this.svg = svg;
    this.cursor = null;                  // the keyboard's cursor, { row, col }
    this.hover = null;                   // the last vertex passed to onHover
    this.isDragged = false;              // whether the mouse is dragged over it: points outside are then those of the edge
    svg.addEventListener("pointerdown", (event) => {
      this.isTouch = event.pointerType !== "mouse";
      this.pressed = this.vertexOf(event);
      if (this.isTouch || !this.pressed) return;
      if (this.isDragged) svg.setPointerCapture(event.pointerId);
      this.onPress(this.pressed);
    });
    svg.addEventListener("mousedown", (event) => event.preventDefault());      // keep the focus off the board
    svg.addEventListener("click", (event) => {
      const vertex = this.vertexOf(event);
      if (vertex) this.onSelect(vertex, this.isTouch, this.pressed ?? vertex);
    });
    svg.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.setHover(this.vertexOf(event)));
    svg.addEventListener("pointerleave", () => this.setHover(null));
    svg.addEventListener("keydown", (event) => this.handleKey(event));
    svg.addEventListener("focus", () => svg.matches(":focus-visible") && this.moveCursor(0, 0));
    svg.addEventListener("blur", () => {
      this.cursor = null;
      this.layers?.cursor.replaceChildren();
      this.setHover(null);
    });
  }

  vertexOf(event) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix || !this.size) return null;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const clamp = (value, count) => (this.isDragged ? Math.max(0, Math.min(count - 1, value)) : value);
    const [row, col] = [clamp(Math.round(y), this.size.rows), clamp(Math.round(x), this.size.cols)];
    return row >= 0 && col >= 0 && row < this.size.rows && col < this.size.cols ? formatVertex(row, col, this.size) : null;
  }

  setHover(vertex) {
    if (vertex === this.hover) return;
    this.hover = vertex;
    this.onHover(vertex);
  }

  handleKey(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in steps) this.moveCursor(...steps[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      this.onSelect(formatVertex(this.cursor.row, this.cursor.col, this.size), false);
    } else if (event.key === "Escape") this.svg.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  moveCursor(down, right) {
    const { rows, cols } = this.size;
    const { row, col } = this.cursor ?? { row: rows >> 1, col: cols >> 1 };
    const clamp = (value, count) => Math.max(0, Math.min(count - 1, value));
    this.cursor = { row: clamp(row + down, rows), col: clamp(col + right, cols) };
    this.drawCursor();
    this.setHover(formatVertex(this.cursor.row, this.cursor.col, this.size));
  }

  drawCursor() {
    this.layers.cursor.replaceChildren();
    if (!this.cursor) return;
    const { row, col } = this.cursor;
    this.layers.cursor.append(draw("rect", { x: col - 0.5, y: row - 0.5, width: 1, height: 1, rx: 0.12 }));
  }

  /** Draw the lines, star points and, if wanted, coordinates of an empty board. */
  drawEmpty(size, hasCoordinates = true) {
    this.size = size;
    this.cursor = null;
    this.stones = [];                    // of each point { kind, elements }
    const [bottom, right] = [size.rows - 1, size.cols - 1];
    const longest = Math.max(size.rows, size.cols);
    const letter = 0.07 + 0.0155 * longest;                        // nearly the same size on the screen for every board
    const width = letter * (size.rows > 9 ? 1.25 : 1);             // of a row's number
    const gap = 0.06 + 0.004 * longest;                            // to the stones, and to the edge
    const margin = hasCoordinates ? 0.5 + gap + width + gap : 0.62;
    const outside = 0.5 + gap + width / 2;
    this.svg.setAttribute("viewBox", `${-margin} ${-margin} ${right + 2 * margin} ${bottom + 2 * margin}`);
    this.svg.style.aspectRatio = Math.max(1, (right + 2 * margin) / (bottom + 2 * margin));    // a tall board is as high as a square
    this.layers = {};
    for (const name of ["lines", "shadows", "stones", "marks", "next", "markup", "region", "overlay", "ghosts", "cursor"]) {
      this.layers[name] = draw("g", { class: name });
    }
    const paths = [];
    for (let row = 0; row <= bottom; row++) paths.push(`M0 ${row}H${right}`);
    for (let col = 0; col <= right; col++) paths.push(`M${col} 0V${bottom}`);
    const { lines } = this.layers;
    const thin = Math.min(1, longest / 9);                         // on the screen no thicker than on 9x9
    lines.append(draw("path", { d: paths.join(""), class: "grid", "stroke-width": 0.03 * thin }));
    lines.append(draw("rect", { x: 0, y: 0, width: right, height: bottom, class: "border", "stroke-width": 0.055 * thin }));
    for (const { row, col } of starPoints(size)) {
      lines.append(draw("circle", { cx: col, cy: row, r: longest < 9 ? 0.09 : 0.11 }));
    }
    const write = (x, y, text) => lines.append(draw("text", { x, y, "font-size": letter }, text));
    for (let col = 0; col <= right && hasCoordinates; col++) for (const y of [-outside, bottom + outside]) write(col, y, COLUMNS[col]);
    for (let row = 0; row <= bottom && hasCoordinates; row++) {
      for (const x of [-outside, right + outside]) write(x, row, String(size.rows - row));
    }
    this.svg.replaceChildren(GRADIENTS.cloneNode(true), ...Object.values(this.layers));
  }

  /** Draw the stones, their numbers, the mark of the last move, the winning row and the overlay.

      position: the server's answer; dead: vertices of dead stones; overlay: elements above the stones;
      markup: the markup of the node, as markup.js has it; next: vertices of the next moves, the main line's first;
      numbers: vertex -> move number; atari: vertices of stones that can be captured. */
  show(position, { dead = [], overlay = [], markup = null, next = [], numbers = new Map(), atari = [] } = {}) {
    this.showStones(position.stones, new Set(dead));
    const marks = [];
    const last = position.last_move && parseVertex(position.last_move, this.size);
    const covered = new Set(overlay.map((element) => element.dataset.point));
    for (const [vertex, number] of numbers) {
      const { row, col } = parseVertex(vertex, this.size);
      if (markup?.names.has(vertex) || covered.has(`${row} ${col}`)) continue;
      const under = position.stones[row * this.size.cols + col] === "X" ? "on-black" : "on-white";
      const size = [0.64, 0.58, 0.47][String(number).length - 1] ?? 0.36;
      marks.push(draw("text", { x: col, y: row, "font-size": size,
        class: `${under}${vertex === position.last_move ? " last" : ""}` }, String(number)));
    }
    if (last && !markup?.names.has(position.last_move) && !numbers.has(position.last_move)) {
      const isBlack = position.stones[last.row * this.size.cols + last.col] === "X";
      marks.push(draw("circle", { cx: last.col, cy: last.row, r: 0.22, class: isBlack ? "on-black" : "on-white" }));
    }
    for (const { row, col } of atari.map((vertex) => parseVertex(vertex, this.size))) {
      marks.push(draw("circle", { cx: col, cy: row, r: 0.46, class: "atari" }));
    }
    if (position.row?.length) {
      const [from, to] = [position.row[0], position.row.at(-1)].map((vertex) => parseVertex(vertex, this.size));
      marks.push(draw("path", { d: `M${from.col} ${from.row}L${to.col} ${to.row}`, class: "winning-row" }));
    }
    this.layers.marks.replaceChildren(...marks);
    this.layers.next.replaceChildren(...next.flatMap((vertex, i) => {
      const at = parseVertex(vertex, this.size);
      return at ? [draw("circle", { cx: at.col, cy: at.row, r: 0.3, class: i ? "variation" : "" })] : [];
    }));
    this.hideLabelledStars(overlay);
    this.layers.markup.replaceChildren(...(markup?.elements ?? []));
    this.layers.overlay.replaceChildren(...overlay);
    this.svg.classList.toggle("white-to-play", position.to_play === "W");
  }

  /** Hide the star points that would shine through the texts of an overlay. */
  hideLabelledStars(overlay) {
    const place = (element, x, y) => `${element.getAttribute(x)} ${element.getAttribute(y)}`;
    const labelled = new Set(overlay.filter(({ tagName }) => tagName === "text").map((text) => place(text, "x", "y")));
    for (const star of this.layers.lines.querySelectorAll("circle")) {
      star.classList.toggle("labelled", labelled.has(place(star, "cx", "cy")));
    }
  }

  /** Draw the stones; those that are there stay.  dead: vertices. */
  showStones(stones, dead) {
    for (let i = 0; i < stones.length; i++) {
      const [row, col] = [Math.floor(i / this.size.cols), i % this.size.cols];
      const isDead = dead.size > 0 && dead.has(formatVertex(row, col, this.size));
      const kind = `${stones[i]}${isDead ? " dead" : ""}`;
      if (this.stones[i]?.kind === kind) continue;
      for (const element of this.stones[i]?.elements ?? []) fade(element);
      const elements = [];
      if (stones[i] !== ".") {
        elements.push(stone(row, col, stones[i] === "X", isDead ? "dead" : ""));
        this.layers.stones.append(elements[0]);
        if (!isDead) {
          elements.push(draw("circle", { cx: col + 0.06, cy: row + 0.09, r: 0.5 }));
          this.layers.shadows.append(elements[1]);
        }
      }
      this.stones[i] = { kind, elements };
    }
  }

  /** Draw moves as ghost stones in alternating colours.  isBlack: whether the first one is black.  What is below them is faint, unless they are
      the line of a mistake (isAnnotated), which an overlay explains. */
  showGhosts(vertices, isBlack, isNumbered, isAnnotated = false) {
    const ghosts = [];
    vertices.forEach((vertex, i) => {
      const at = parseVertex(vertex, this.size);
      if (!at) return;
      const isBlackMove = isBlack === (i % 2 === 0);
      ghosts.push(stone(at.row, at.col, isBlackMove, "ghost"));
      if (isNumbered) {
        ghosts.push(draw("text", { x: at.col, y: at.row, class: isBlackMove ? "on-black" : "on-white" }, String(i + 1)));
      }
    });
    this.layers.ghosts.replaceChildren(...ghosts);
    for (const name of ["overlay", "markup"]) this.layers[name].classList.toggle("faint", isNumbered && ghosts.length > 0 && !isAnnotated);
  }

  /** Draw what of the board is searched: elements between the stones and the overlay. */
  showRegion(elements) { this.layers.region.replaceChildren(...elements); }

  /** Draw elements above the ghost stones. */
  showPreview(elements) { this.layers.ghosts.append(...elements); }

  /** Draw the two lines through a point, which show where it is next to a finger. */
  showCrosshair({ row, col }) {
    this.layers.ghosts.prepend(draw("path", { d: `M0 ${row}H${this.size.cols - 1}M${col} 0V${this.size.rows - 1}`, class: "crosshair" }));
  }

  /** Whether a finger cannot choose a point: they are closer than SMALLEST_TARGET on the screen. */
  isDense() {
    return this.svg.getScreenCTM().a * (visualViewport?.scale ?? 1) < SMALLEST_TARGET;
  }
}

/** The star points: the middle one, from 9x9 on those near the corners, and on 19x19 those of the sides. */
function starPoints({ rows, cols }) {
  const [ofRows, ofCols] = [starLines(rows), starLines(cols)];
  if (!ofRows.length || !ofCols.length) return [];
  return ofRows.flatMap((row) => ofCols.map((col) => ({ row, col })))
    .filter(({ row, col }) => {
      const [isMiddleRow, isMiddleCol] = [2 * row === rows - 1, 2 * col === cols - 1];
      return isMiddleRow === isMiddleCol || (isMiddleRow ? cols : rows) >= 19;
    });
}

/** The lines that star points are on, of this many. */
function starLines(count) {
  const middle = count % 2 ? [count >> 1] : [];
  if (count < 9) return count > 4 ? middle : [];
  const edge = count < 13 ? 2 : 3;
  return [edge, ...middle, count - 1 - edge];
}

/** Remove an element when the motion of its class has ended: at once where there is none. */
function fade(element) {
  element.classList.add("captured");
  const motions = element.getAnimations?.() ?? [];
  Promise.allSettled(motions.map(({ finished }) => finished)).then(() => element.remove());
  if (!motions.length) element.remove();
}

function stone(row, col, isBlack, className) {
  return draw("circle", { cx: col, cy: row, r: 0.48, class: `${isBlack ? "black" : "white"} ${className}`,
    fill: `url(#${isBlack ? "black" : "white"}-stone)` });
}

const GRADIENTS = draw("defs", {},
  gradient("black-stone", [["0%", "#6f7378"], ["35%", "#34363a"], ["100%", "#0b0c0e"]]),
  gradient("white-stone", [["0%", "#ffffff"], ["55%", "#f4f2ec"], ["100%", "#c4c0b6"]]),
  gradient("shadow", [["0%", "#000", 0.55], ["80%", "#000", 0.4], ["100%", "#000", 0]], "50%", "50%", "50%"));

function gradient(id, stops, cx = "36%", cy = "32%", r = "72%") {
  return draw("radialGradient", { id, cx, cy, r }, ...stops.map(([offset, colour, opacity = 1]) =>
    draw("stop", { offset, "stop-color": colour, "stop-opacity": opacity })));
}
