// The local search: the region and the picked points on the board, and its buttons.

import { parseVertex } from "../core/coordinates.js";
import { picked, rectangle, regionText } from "../core/region.js";
import { colourName, t } from "../core/texts.js";
import { byId } from "../dom.js";
import { canFrame, isRestricted } from "../queries.js";
import { draw } from "./board.js";

/** The region that is searched, or that would be chosen now; null: the whole board. */
function shownRegion({ region, game: { size }, at: { choosing, corner, pressed, hover } }) {
  if (choosing !== "region") return region;
  const first = corner ?? pressed;
  return first ? rectangle(first, hover ?? first, size) : null;
}

/** What of the board is not searched is dimmed; forbidden points have a cross, and the only ones a ring. */
export function localElements(state) {
  const { game: { size }, at, exercise } = state;
  if (exercise) return [];
  const elements = [];
  const region = shownRegion(state);
  if (region) {
    const [x, y] = [region.left - 0.5, region.top - 0.5];
    const [width, height] = [region.right - region.left + 1, region.bottom - region.top + 1];
    const inside = `M${x} ${y}h${width}v${height}h${-width}z`;
    elements.push(draw("path", { d: `M-3 -3H${size.cols + 3}V${size.rows + 3}H-3z${inside}`, class: "outside", "fill-rule": "evenodd" }),
      draw("path", { d: inside, class: "edge" }));
  }
  for (const [vertex, kind] of at.picks) {
    const { row, col } = parseVertex(vertex, size);
    elements.push(draw("circle", { cx: col, cy: row, r: 0.4, class: `pick ${kind}` }));
    const cross = `M${col - 0.22} ${row - 0.22}l.44 .44m0 -.44l-.44 .44`;
    if (kind === "forbidden") elements.push(draw("path", { d: cross, class: `pick ${kind}` }));
  }
  return elements;
}

/** What is searched, as a sentence; '' for the whole board. */
export function localText({ region, game: { size }, at: { picks } }) {
  const [only, forbidden] = ["only", "forbidden"].map((kind) => picked(picks, kind).join(", "));
  return [region && t("searchedRegion", { region: regionText(region, size) }), only && t("nextMoveOnly", { moves: only }),
    forbidden && t("nextMoveNot", { moves: forbidden })].filter(Boolean).join(" ");
}

export function renderLocal(state) {
  const { at, game: { node } } = state;
  const { choosing } = at;
  byId("choose-region").setAttribute("aria-pressed", String(choosing === "region"));
  byId("choose-region").textContent = t(choosing === "region" ? "cancel" : "region");
  byId("choose-points").setAttribute("aria-pressed", String(choosing === "points"));
  byId("choose-points").textContent = t(choosing === "points" ? "done" : "forbidMoves");
  byId("frame").disabled = !canFrame(state);
  const other = node.attacker === "B" ? "W" : "B";
  byId("frame").textContent = node.attacker ? t("sideAttacks", { colour: colourName(other) }) : t("tsumegoFrame");
  byId("search-whole").hidden = !isRestricted(state);
  const text = localText(state);
  byId("local-note").hidden = !text;
  if (byId("local-note").textContent !== text) byId("local-note").textContent = text;
}
