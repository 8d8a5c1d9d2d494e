// Chains of stones, their liberties, and what a move captures, for what the page says of a position: what is legal says
// the server.

import { formatVertex, indexOf } from "./coordinates.js";

/** The chains of a board, { colour: "B" or "W", points, liberties } each, in vertices.  stones: row by row, 'X', 'O', '.'. */
export function chainsOf(stones, size) {
  const vertex = (i) => formatVertex(Math.floor(i / size.cols), i % size.cols, size);
  const neighbours = (i) => [i % size.cols ? i - 1 : -1, (i + 1) % size.cols ? i + 1 : -1, i - size.cols, i + size.cols]
    .filter((each) => each >= 0 && each < stones.length);
  const seen = new Set();
  const chains = [];
  for (let i = 0; i < stones.length; i++) {
    if (stones[i] === "." || seen.has(i)) continue;
    const [points, liberties] = [new Set([i]), new Set()];
    for (const each of points) {         // those that are added are visited too
      for (const next of neighbours(each)) {
        if (stones[next] === ".") liberties.add(next);
        else if (stones[next] === stones[i]) points.add(next);
      }
    }
    for (const each of points) seen.add(each);
    chains.push({ colour: stones[i] === "X" ? "B" : "W", points: [...points].map(vertex), liberties: [...liberties].map(vertex) });
  }
  return chains;
}

/** The chains that a next move of the other side captures. */
export const inAtari = (stones, size) => chainsOf(stones, size).filter(({ liberties }) => liberties.length === 1);

/** The stones after a legal move, "B E5", and without the chains that it captures. */
export function placed(stones, move, size) {
  const points = [...stones];
  const at = indexOf(move.slice(2), size);
  if (at >= 0) points[at] = move[0] === "B" ? "X" : "O";
  for (const { colour, liberties, points: taken } of chainsOf(points.join(""), size)) {
    if (colour === move[0] || liberties.length) continue;
    for (const vertex of taken) points[indexOf(vertex, size)] = ".";
  }
  return points.join("");
}
