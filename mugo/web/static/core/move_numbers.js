// The move numbers of the stones of the current position.

import { formatVertex, parseVertex } from "./coordinates.js";
import { givenNumber, parseProperties, pointsOf } from "./properties.js";

/** Vertex -> number of the move that placed the stone there, or the one that the file gives it (MN).  shown: "all", "branch"
    from the first move of the variation that the current node is in, or how many of the last moves. */
export function moveNumbers(game, shown) {
  const branching = game.branching();
  const nodes = game.line().slice(0, game.index() + 1);
  const first = shown !== "branch" ? 0 : branching ? nodes.indexOf(branching) + 1 : nodes.length;
  const placed = new Map();              // vertex -> { number, count, colour }
  let [number, count] = [0, 0];
  nodes.forEach((node, i) => {
    for (const vertex of setUpVertices(node, game.size)) placed.delete(vertex);
    if (i < first) return;
    number = givenNumber(node) ?? number + (node.move ? 1 : 0);
    if (!node.move) return;
    count += 1;
    const [colour, vertex] = node.move.split(" ");
    if (!node.illegal || node.stones) placed.set(vertex, { number, count, colour });
  });
  const least = Number(shown) ? count - Number(shown) : 0;
  const { stones } = game.node.position;
  return new Map([...placed].filter(([vertex, { count: each, colour }]) => {
    const at = parseVertex(vertex, game.size);
    return at && each > least && stones[at.row * game.size.cols + at.col] === (colour === "B" ? "X" : "O");
  }).map(([vertex, { number: each }]) => [vertex, each]));
}

function setUpVertices({ properties, stones }, size) {
  if (!stones || !properties) return [];
  const parsed = parseProperties(properties);
  return ["AB", "AW", "AE"].flatMap((ident) => parsed.get(ident) ?? []).flatMap((value) => pointsOf(value, size))
    .map(({ row, col }) => formatVertex(row, col, size));
}
