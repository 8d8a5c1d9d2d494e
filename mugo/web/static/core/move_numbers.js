// The move numbers of the stones of a position, and of the moves that are shared as an animation.

import { formatVertex, indexOf, pointsOf } from "./coordinates.js";
import { givenNumber, parseProperties } from "./properties.js";

/** Vertex -> number of the move that placed the stone there, or the one that the file gives it (MN).  shown: "all", "branch"
    from the first move of the variation that the node is in, or how many of the last moves.  node: a node of the current line. */
export function moveNumbers(game, shown, node = game.node) {
  const branching = game.branching(node);
  const nodes = game.line().slice(0, game.index(node) + 1);
  const first = shown !== "branch" ? 0 : branching ? nodes.indexOf(branching) + 1 : nodes.length;
  const placed = new Map();              // vertex -> { number, count, colour }
  let [number, count] = [0, 0];
  nodes.forEach((each, i) => {
    for (const vertex of setUpVertices(each, game.size)) placed.delete(vertex);
    if (i < first) return;
    number = givenNumber(each) ?? number + (each.move ? 1 : 0);
    if (!each.move) return;
    count += 1;
    const [colour, vertex] = each.move.split(" ");
    if (!each.illegal || each.stones) placed.set(vertex, { number, count, colour });
  });
  const least = Number(shown) ? count - Number(shown) : 0;
  const { stones } = node.position;
  return new Map([...placed].filter(([vertex, { count: each, colour }]) =>
    each > least && stones[indexOf(vertex, game.size)] === (colour === "B" ? "X" : "O")).map(([vertex, { number: each }]) => [vertex, each]));
}

function setUpVertices({ properties, stones }, size) {
  if (!stones || !properties) return [];
  const parsed = parseProperties(properties);
  return ["AB", "AW", "AE"].flatMap((ident) => parsed.get(ident) ?? []).flatMap((value) => pointsOf(value, size))
    .map(({ row, col }) => formatVertex(row, col, size));
}

/** The numbers of the moves of the line on the board: { from, to, last }, from and to as they are proposed: the variation on
    the board, else the rest of the game, else all of it. */
export function proposedMoves(game) {
  const last = game.moveNumber(game.line().at(-1));
  const now = game.moveNumber();
  const branching = game.branching();
  if (branching) return { from: game.moveNumber(branching), to: last, last };
  return { from: now < last ? now : 0, to: last, last };
}

/** The nodes of the line from the position after one move to that after another. */
export function nodesBetween(game, from, to) {
  const line = game.line();
  const first = line.findIndex((node) => game.moveNumber(node) >= from);
  return line.filter((node, i) => i >= first && game.moveNumber(node) <= to);
}
