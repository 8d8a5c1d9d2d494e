// Points as text.  (row, col) is (0, 0) at the upper left: on 19x19 the vertex 'A19' of GTP and 'aa' in SGF.
// A size is { rows, cols }; the server's is 9 for a square board, and '13x9', columns x rows, for a rectangle.

export const COLUMNS = "ABCDEFGHJKLMNOPQRST";

/** 'Q16' -> { row, col }; null for a pass. */
export function parseVertex(vertex, size) {
  const col = COLUMNS.indexOf(vertex[0]);
  const row = size.rows - Number(vertex.slice(1));
  return vertex === "pass" || vertex === "resign" ? null : { row, col };
}

export function formatVertex(row, col, size) { return `${COLUMNS[col]}${size.rows - row}`; }

/** 9 or '13x9' -> { rows, cols }. */
export function parseSize(value) {
  const [cols, rows = cols] = String(value).split("x").map(Number);
  return { rows, cols };
}

/** '9x9', '13x9': columns x rows. */
export function formatSize({ rows, cols }) { return `${cols}x${rows}`; }
