// Points as text.  (row, col) is (0, 0) at the upper left: on 19x19 the vertex 'A19' of GTP and 'aa' in SGF.
// A size is { rows, cols }; the server's is 9 for a square board, and '13x9', columns x rows, for a rectangle.

export const COLUMNS = "ABCDEFGHJKLMNOPQRST";

/** 'Q16' -> { row, col }; null for a pass. */
export function parseVertex(vertex, size) {
  const col = COLUMNS.indexOf(vertex[0]);
  const row = size.rows - Number(vertex.slice(1));
  return vertex === "pass" || vertex === "resign" ? null : { row, col };
}

/** The place of a vertex in the rows of a board, one after the other; -1 for a pass. */
export function indexOf(vertex, size) {
  const at = parseVertex(vertex, size);
  return at ? at.row * size.cols + at.col : -1;
}

export function formatVertex(row, col, size) { return `${COLUMNS[col]}${size.rows - row}`; }

/** 9 or '13x9' -> { rows, cols }. */
export function parseSize(value) {
  const [cols, rows = cols] = String(value).split("x").map(Number);
  return { rows, cols };
}

/** '9x9', '13x9': columns x rows. */
export function formatSize({ rows, cols }) { return `${cols}x${rows}`; }

/** { row, col } -> 'pd'. */
export const formatPoint = ({ row, col }) => String.fromCharCode(97 + col, 97 + row);

/** The points of 'pd', or of a rectangle 'aa:cc' (red-bean.com/sgf/go.html); none if they are not on the board. */
export function pointsOf(value, size) {
  const corners = value.split(":").map((corner) => corner.trim()).map(([col, row, ...rest]) =>
    (/^[a-z]$/.test(col) && /^[a-z]$/.test(row) && !rest.length ? { row: row.charCodeAt() - 97, col: col.charCodeAt() - 97 } : null));
  const [first, last] = [corners[0], corners.at(-1)];
  if (corners.some((corner) => !corner || corner.row >= size.rows || corner.col >= size.cols)) return [];
  const points = [];
  for (let row = Math.min(first.row, last.row); row <= Math.max(first.row, last.row); row++) {
    for (let col = Math.min(first.col, last.col); col <= Math.max(first.col, last.col); col++) points.push({ row, col });
  }
  return points;
}

/** The vertices on which an input plane of a network is set.  packed: from the answer to "planes", base64 of the
    bytes of each point; plane k is bit k % 8 of byte k // 8. */
export function planePoints({ packed }, plane, size) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const area = size.rows * size.cols;
  return Array.from({ length: area }, (_, i) => i).filter((i) => bytes[i * bytes.length / area + (plane >> 3)] >> (plane & 7) & 1)
    .map((i) => formatVertex(Math.floor(i / size.cols), i % size.cols, size));
}
