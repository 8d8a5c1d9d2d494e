// Points as text.  (row, col) is (0, 0) at the upper left: on 19x19 the vertex 'A19' of GTP and 'aa' in SGF.

export const COLUMNS = "ABCDEFGHJKLMNOPQRST";

/** 'Q16' -> { row, col }; null for a pass. */
export function parseVertex(vertex, size) {
  const col = COLUMNS.indexOf(vertex[0]);
  const row = size - Number(vertex.slice(1));
  return vertex === "pass" || vertex === "resign" ? null : { row, col };
}

export function formatVertex(row, col, size) { return `${COLUMNS[col]}${size - row}`; }
