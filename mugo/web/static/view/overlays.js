// The SVG elements of each overlay, from an answer of the server.

import { parseVertex, planePoints } from "../core/coordinates.js";
import { candidateLosses, formatShortLoss } from "../core/losses.js";
import { formatCount, percent, t } from "../core/texts.js";
import { draw } from "./board.js";

function circle({ row, col }, r, className, opacity = 1) {
  return draw("circle", { cx: col, cy: row, r, class: className, opacity });
}

function label({ row, col }, text, className = "", dy = 0, attributes = {}) {
  return draw("text", { x: col, y: row + dy, class: className, ...attributes }, text);
}

function square({ row, col }, side, className, rx = 0.04) {
  return draw("rect", { x: col - side / 2, y: row - side / 2, width: side, height: side, rx, class: className,
    "data-point": `${row} ${col}` });
}

function* points(size) {
  for (let i = 0; i < size.rows * size.cols; i++) yield [i, { row: Math.floor(i / size.cols), col: i % size.cols }];
}

/** The prior of every point; from 1 % on with its percentage. */
export function policy({ priors }, size) {
  const elements = [];
  for (const [i, at] of points(size)) {
    const prior = priors[i];
    if (prior < 0.002) continue;
    elements.push(circle(at, 0.46, "heat", 0.12 + 0.83 * Math.sqrt(prior)));
    if (prior >= 0.01) elements.push(label(at, percent(prior), prior > 0.4 ? "bright" : "dark"));
  }
  return elements;
}

/** The moves of a search, coloured by what they lose against the best one: the loss above, if it is known, visits below.
    The best one, which has the most visits, has a ring.  A move has the rank of the one that it is symmetric to. */
export function search({ moves }, size, toPlay) {
  const elements = [];
  const maxVisits = moves[0]?.visits ?? 1;
  const losses = candidateLosses(moves, toPlay);
  let rank = -1;
  for (const [i, { move, visits, symmetry_of: isCopy }] of moves.entries()) {
    if (!isCopy) rank += 1;
    const at = parseVertex(move, size);
    const share = visits / maxVisits;
    if (!at || (rank >= 8 && share < 0.05)) continue;
    const loss = losses?.[i];
    const isLabelled = losses ? Boolean(loss) : share >= 0.02 || rank < 3;
    const level = loss ? `level-${loss.level}` : "unknown";
    elements.push(circle(at, isLabelled ? 0.47 : 0.16, `candidate ${level}${i ? "" : " best"}`, isLabelled ? 1 : 0.75));
    if (isLabelled) {
      const ink = loss?.level >= 4 ? "bright" : "dark";
      if (loss) elements.push(label(at, rank ? formatShortLoss(loss.lost, loss.unit, visits) : t("best"), `loss-label ${ink}`, -0.13));
      elements.push(label(at, formatCount(visits), `visits ${ink}`, loss ? 0.24 : 0));
    }
  }
  return elements;
}

/** What the mistakes of a line lost, on their stones, and a dot on those of other moves; moves: of losses.lostByMoves. */
export function losses({ unit, moves }, size, stones) {
  const last = new Map(moves.map((each) => [each.vertex, each]));
  return [...last.values()].flatMap(({ vertex, colour, lost, level, visits, isListed }) => {
    const at = parseVertex(vertex, size);
    if (!at || stones[at.row * size.cols + at.col] !== (colour === "B" ? "X" : "O")) return [];
    if (!isListed) return [circle(at, 0.12, "loss")];
    return [circle(at, 0.34, `loss level-${level}`), label(at, formatShortLoss(lost, unit, visits), level < 4 ? "dark" : "bright")];
  });
}

/** Whose each point may become, as a shade: darker and lighter the surer it is; of a stone that may die, on the stone. */
export function estimate({ ownership: values }, size, stones) {
  const elements = [];
  for (const [i, at] of points(size)) {
    const share = Math.abs(values[i]) / 100;
    if (share < 0.15 || stones[i] === (values[i] > 0 ? "X" : "O")) continue;
    elements.push(draw("rect", { x: at.col - 0.5, y: at.row - 0.5, width: 1, height: 1, opacity: (0.62 * share).toFixed(2),
      class: `shade ${values[i] > 0 ? "black" : "white"}` }));
  }
  return elements;
}

/** The points that a mistake loses and gains: a shade, darker the more.  changes: of why.changesOf. */
export function changes(lost, size) {
  return [...points(size)].filter(([i]) => Math.abs(lost[i]) >= 0.2).map(([i, at]) => draw("rect", { x: at.col - 0.5, y: at.row - 0.5,
    width: 1, height: 1, opacity: Math.min(0.62, 0.4 * Math.abs(lost[i])).toFixed(2), class: `change ${lost[i] > 0 ? "lost" : "gained"}` }));
}

/** The area of a scored board, as a tint, except under a living stone. */
export function area({ area: owners }, size, stones) {
  const elements = [];
  for (const [i, at] of points(size)) {
    if (owners[i] === "." || stones[i] === (owners[i] === "B" ? "X" : "O")) continue;
    elements.push(draw("rect", { x: at.col - 0.5, y: at.row - 0.5, width: 1, height: 1, class: `area shade ${owners[i] === "B" ? "black" : "white"}` }));
  }
  return elements;
}

/** The points on which a plane is set. */
export const plane = (planes, size, number) => planePoints(planes, number, size).map((vertex) => square(parseVertex(vertex, size), 0.68, "plane", 0.1));

/** Moves that capture in a ladder, as triangles, and that escape from one, as diamonds. names: the names of all planes. */
export function ladders(planes, size, names) {
  const paths = (name, path) => planePoints(planes, names.indexOf(`ladder ${name}`), size).map((vertex) => {
    const { row, col } = parseVertex(vertex, size);
    return draw("path", { d: path(row, col), class: `ladder ${name}` });
  });
  return [...paths("capture", (row, col) => `M${col} ${row - 0.38}l.36 .62h-.72z`),
    ...paths("escape", (row, col) => `M${col} ${row - 0.4}l.4 .4l-.4 .4l-.4 -.4z`)];
}
