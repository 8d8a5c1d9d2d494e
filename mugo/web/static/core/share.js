// What of a game is shared as an animation.

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
