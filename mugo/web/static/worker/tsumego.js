// A frame around a life-and-death problem: mugo/games/tsumego.py, whose docstring has the picture.

import { BLACK, EMPTY, WHITE } from "./coords.js";

/** The position with a frame around its stones; itself where it has none, or no room for a wall. */
export function withTsumegoFrame(position, attacker) {
  const [rows, cols] = position.shape;
  const { stones } = position;
  const { MARGIN, SNAP, WIN_BY } = position.engine.facts.constants.tsumego;
  const every = [...stones.keys()];
  const zone = stones.some(Boolean) ? zoneOf(position) : every.map(() => true);
  const wall = near(zone, position.shape).map((is, i) => is && !zone[i]);
  if (!attacker || !wall.some(Boolean)) return position;
  const rest = every.map((i) => !zone[i] && !wall[i]);
  const komi = attacker === BLACK ? position.areaKomi : -position.areaKomi;
  const half = roundHalfEven((position.area - komi - WIN_BY) / 2);
  const defended = partOfDefender(Math.min(Math.max(half, 0), count(rest)));
  const framed = stones.slice();
  for (const [part, colour] of [[defended, -attacker], [every.map((i) => !defended[i] && !zone[i]), attacker]]) {
    for (const piece of pieces(part)) {
      const eyes = eyesOf(piece);
      if (piece.some((is, i) => is && wall[i]) || count(eyes) >= 2)
        piece.forEach((is, i) => { if (is && !eyes[i]) framed[i] = colour; });
    }
  }
  return position.withBoard(framed, position.toPlay);

  function partOfDefender(points) {
    const room = new Map();                              // lines between an edge and the zone -> the order of the points
    const line = (axis, sign) => (i) => sign * (axis === 0 ? Math.floor(i / cols) : i % cols);
    for (const axis of [0, 1]) {
      const at = every.filter((i) => zone[i]).map(line(axis, 1));
      room.set(Math.min(...at), line(axis, 1));
      room.set(position.shape[axis] - 1 - Math.max(...at), line(axis, -1));
    }
    const lines = room.get(Math.max(...room.keys()));
    const order = every.slice().sort((a, b) => rest[b] - rest[a] || lines(a) - lines(b) || a - b).slice(0, points);
    const part = every.map(() => false);
    for (const i of order) part[i] = true;
    for (const piece of pieces(part)) if (count(eyesOf(piece)) < 2) piece.forEach((is, i) => { if (is) part[i] = false; });
    for (const piece of pieces(every.map((i) => !part[i] && !zone[i]))) {
      if (!piece.some((is, i) => is && !rest[i]) && count(eyesOf(piece)) < 2) piece.forEach((is, i) => { if (is) part[i] = true; });
    }
    return part;
  }

  /** The pieces of some points that are connected along the lines. */
  function pieces(points) {
    const left = points.slice(), found = [];
    for (const start of every) {
      if (!left[start]) continue;
      const piece = every.map(() => false), open = [start];
      left[start] = false;
      while (open.length) {
        const i = open.pop();
        piece[i] = true;
        const next = [i - cols, i + cols, ...(i % cols ? [i - 1] : []), ...(i % cols < cols - 1 ? [i + 1] : [])];
        for (const each of next) if (left[each]) { left[each] = false; open.push(each); }
      }
      found.push(piece);
    }
    return found;
  }

  /** The points of a part that are left empty, so that its stones are one chain with eyes. */
  function eyesOf(part) {
    const outside = near(part.map((is) => !is), position.shape);
    const ways = [[0, 0], [0, 1], [1, 0], [1, 1]].map(([row, col]) =>
      every.map((i) => !outside[i] && Math.floor(i / cols) % 2 === row && (i % cols) % 2 === col));
    return ways.reduce((best, way) => (count(way) > count(best) ? way : best));
  }

  function zoneOf() {
    const span = (values, length) => {
      const [first, last] = [Math.min(...values) - MARGIN, Math.max(...values) + MARGIN];
      return [first < SNAP ? 0 : first, last > length - 1 - SNAP ? length : last + 1];
    };
    const at = every.filter((i) => stones[i]);
    const [top, bottom] = span(at.map((i) => Math.floor(i / cols)), rows), [left, right] = span(at.map((i) => i % cols), cols);
    return every.map((i) => { const row = Math.floor(i / cols),
      col = i % cols; return row >= top && row < bottom && col >= left && col < right; });
  }
}

/** The colour that most of the outermost stones have; null without stones. */
export function attackerOf(position) {
  const [rows, cols] = position.shape;
  const { stones } = position;
  if (!stones.some(Boolean)) return null;
  const { MARGIN, SNAP } = position.engine.facts.constants.tsumego;
  let seen = 0;
  const board = Array.from({ length: rows }, (_, r) => Array.from(stones.subarray(r * cols, (r + 1) * cols)));
  const columns = Array.from({ length: cols }, (_, c) => board.map((row) => row[c]));
  // The lines across an axis: the zone's ends on it say from which sides they are seen.
  for (const [lines, along] of [[columns, board], [board, columns]]) {
    const at = along.flatMap((line, i) => (line.some(Boolean) ? [i] : []));
    const first = Math.min(...at) - MARGIN, last = Math.max(...at) + MARGIN;
    const [isInsideBefore, isInsideAfter] = [first >= SNAP && first > 0, !(last > along.length - 1 - SNAP)];
    for (const line of lines) {
      const on = line.filter((stone) => stone !== EMPTY);
      if (on.length) seen += on[0] * isInsideBefore + on.at(-1) * isInsideAfter;
    }
  }
  return (seen || stones.reduce((a, b) => a + b, 0)) > 0 ? BLACK : WHITE;
}

const count = (flags) => flags.reduce((n, is) => n + (is ? 1 : 0), 0);
const roundHalfEven = (x) => { const r = Math.round(x); return Math.abs(x % 1) === 0.5 && r % 2 ? r - 1 : r; };

/** The points next to some points, diagonals included, and themselves. */
function near(points, [rows, cols]) {
  return points.map((_, i) => {
    const row = Math.floor(i / cols), col = i % cols;
    for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, rows - 1); r += 1) {
      for (let c = Math.max(col - 1, 0); c <= Math.min(col + 1, cols - 1); c += 1) if (points[r * cols + c]) return true;
    }
    return false;
  });
}
