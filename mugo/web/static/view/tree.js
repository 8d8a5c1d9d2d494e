// The tree of a game's variations around the current node: moves to the right, variations below their main line.
//
// It is an ARIA tree whose current node has the focus: the page's arrow keys move both.

import { language, t } from "../core/texts.js";
import { byId, onChoice, updateChildren } from "../dom.js";
import { draw } from "./board.js";

const [STEP, RADIUS, MARGIN] = [20, 7, 12];        // CSS pixels: between nodes, of a node, around the tree
const MAX_LANES = 6;                               // shown at once

export class TreeView {
  onSelect(node) {}                                // called when a node is clicked; controls/ replaces it

  constructor(svg) {
    this.svg = svg;
    onChoice(svg, (element) => this.shown?.[element.closest("[data-node]")?.dataset.node] ?? null, (node) => this.onSelect(node));
    this.width = 0;                                // to ask for it in each step would lay the page out
    new ResizeObserver(() => {
      this.width = svg.clientWidth;
      if (this.game) this.show(this.game);
    }).observe(svg.parentElement);
  }

  /** Show a game; hidden while it has no variation.  The part around the current node is drawn, twice as wide and high as the
      window, which moves over it: so a step draws nothing, whatever the size of the tree. */
  show(game) {
    const section = this.svg.parentElement;
    if (this.game !== game || this.changes !== game.changes) {
      Object.assign(this, { game, changes: game.changes, places: layOut(game.root) });
    }
    section.hidden = this.places.lanes < 2;
    const { width } = this;
    if (section.hidden || !width) return;
    const { column, lane } = this.places.of.get(game.node);
    const columns = Math.floor((width - 2 * MARGIN) / STEP) + 1;
    const lanes = Math.min(this.places.lanes, MAX_LANES);
    const left = Math.max(0, Math.min(column - Math.floor(columns / 2), this.places.columns - columns));
    const top = Math.max(0, Math.min(lane - Math.floor(lanes / 2), this.places.lanes - lanes));
    const [firstColumn, firstLane] = [left - left % columns, top - top % lanes];
    const part = [game.changes, game.revision, game.lines, firstColumn, firstLane, columns, lanes, language].join();
    const hasFocus = this.svg.contains(document.activeElement);
    if (part !== this.part) this.drawPart(firstColumn, firstColumn + 2 * columns, firstLane, firstLane + 2 * lanes);
    this.part = part;
    const height = 2 * MARGIN + STEP * (lanes - 1);
    this.svg.setAttribute("viewBox", `${STEP * left} ${STEP * top} ${width} ${height}`);
    this.svg.style.height = `${height}px`;
    this.svg.setAttribute("aria-label", t("gameTreeLines", { count: this.places.chains }));
    this.markCurrent(hasFocus);
  }

  drawPart(...range) {
    const { game } = this;
    const x = ({ column }) => MARGIN + STEP * column;
    const y = ({ lane }) => MARGIN + STEP * lane;
    const [edges, nodes] = [[], []];
    const line = game.line();
    this.shown = [];
    for (const node of this.places.near(...range)) {
      const place = this.places.of.get(node);
      const before = node.parent && this.places.of.get(node.parent);
      const isOnLine = line[node.index] === node;
      if (before) edges.push(draw("path", { d: edge(x(before), y(before), x(place), y(place)), class: isOnLine ? "line" : "" }));
      if (place.lane > range[3]) continue;
      const kind = { B: "black", W: "white" }[node.move?.[0]] ?? "setup";
      const siblings = node.parent?.children ?? [node];
      const circle = draw("circle", { cx: x(place), cy: y(place), r: RADIUS, "data-node": this.shown.length,
        class: `${kind}${node.comment ? " has-comment" : ""}`, role: "treeitem", tabindex: -1, "aria-selected": false,
        "aria-level": place.column + 1, "aria-posinset": siblings.indexOf(node) + 1, "aria-setsize": siblings.length,
        "aria-label": describe(game, node) },
      draw("title", {}, node.move ? `${game.printedNumber(node)}: ${node.move}` : t("startOrSetup")));
      this.shown.push(node);
      nodes.push(circle);
    }
    updateChildren(this.svg, [edges, nodes].map((elements) => draw("g", { role: "none" }, ...elements)));
    this.current = null;
  }

  /** Mark the current node; it has the focus if the tree has it.  What is marked stays, else its node would be said again. */
  markCurrent(hasFocus) {
    const { node } = this.game;
    if (this.current === node) return;
    const mark = (each, isCurrent) => {
      const circle = this.svg.lastChild.childNodes[this.shown.indexOf(each)];
      circle?.classList.toggle("current", isCurrent);
      circle?.setAttribute("tabindex", isCurrent ? 0 : -1);
      circle?.setAttribute("aria-selected", isCurrent);
      return circle;
    };
    if (this.current) mark(this.current, false);
    const circle = mark(node, true);
    this.current = node;
    if (hasFocus && document.activeElement !== circle) circle.focus({ preventScroll: true });
  }
}

/** A node for screen readers: 'move 12, W D4, variation 2 of 3, with a comment'. */
function describe(game, node) {
  const { children } = node.parent ?? { children: [node] };
  const [number, count] = [children.indexOf(node), children.length - 1];
  return [node.move ? t("nodeMove", { number: game.printedNumber(node), move: node.move }) : t(node.parent ? "setup" : "nodeStart"),
    count > 0 && (number ? t("variationOf", { number, count }) : t("nodeMainLine")),
    node.comment && t("withComment")].filter(Boolean).join(", ");
}

function edge(x1, y1, x2, y2) {
  return y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}V${y2 - STEP / 2}L${Math.min(x1 + STEP / 2, x2)} ${y2}H${x2}`;
}

/** { of: node -> { column, lane }, lanes, columns, chains, near }; near: the nodes of some columns and lanes, and those that an
    edge of these columns leads to from above, however large the tree is.

    A chain, a node and its first children to the end, is in one lane: the first one below that of the node it leaves
    that is free over its length.  Chains that leave later are placed first, so edges do not cross. */
function layOut(root) {
  const of = new Map();
  const occupied = [];                             // of each lane, the [first, last] columns of its chains
  const chains = [{ start: root, column: 0, above: -1 }];
  const below = new Map();                         // node -> the lane of its variation that was placed last
  let [columns, count] = [0, 0];
  while (chains.length) {
    const { start, column, above } = chains.pop();
    const chain = [];
    for (let node = start; node; node = node.children[0]) chain.push(node);
    const last = column + chain.length - 1;
    let lane = Math.max(above, below.get(start.parent) ?? above) + 1;
    while ((occupied[lane] ??= []).some(([from, to]) => from <= last && to >= column - 1)) lane += 1;
    occupied[lane].push([column - 1, last]);
    if (column) below.set(start.parent, lane);
    columns = Math.max(columns, last + 1);
    count += 1;
    chain.forEach((node, i) => {
      of.set(node, { column: column + i, lane });
      // the last of these on the stack, which is placed first, leaves last; of one node the first variation
      for (const child of node.children.slice(1).reverse()) chains.push({ start: child, column: column + i + 1, above: lane });
    });
  }
  const inColumns = Array.from({ length: columns }, () => []);     // nodes by lane; a column has one in a lane
  const leaving = Array.from({ length: columns }, () => []);       // the last children in a column that are in other lanes
  for (const [node, { column, lane }] of of) {
    inColumns[column][lane] = node;
    const lowest = node.children.length > 1 ? node.children.at(-1) : null;
    if (lowest) leaving[column + 1].push([lane, of.get(lowest).lane, lowest]);
  }
  function* near(firstColumn, lastColumn, firstLane, lastLane) {
    for (let column = firstColumn; column <= Math.min(lastColumn, columns - 1); column++) {
      for (let lane = firstLane; lane <= lastLane; lane++) if (inColumns[column][lane]) yield inColumns[column][lane];
      for (const [above, below, node] of leaving[column]) if (above <= lastLane && below > lastLane) yield node;
    }
  }
  return { of, lanes: occupied.length, columns, chains: count, near };
}

export const treeView = new TreeView(byId("tree"));

export function renderTree({ game }) { treeView.show(game); }
