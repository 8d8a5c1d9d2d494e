// Progress over the stored games: how well the person played in each of them.

import { Game, mainLine } from "./game.js";
import { lostByMoves } from "./losses.js";
import { ownColour, statistics } from "./review.js";

const MIN_MOVES = 10;                    // of the person's, between two searches

/** The person's statistics in a stored game, { colour, unit, moves, accuracy, meanLoss, opponent }; null without enough
    moves that are analysed.  body: of autosave.readEntry; name: the person's in records. */
export function ownStatistics({ game: stored, human }, name) {
  const game = Game.fromJSON(stored);
  const colour = ownColour(game.info, human, name);
  if (!colour) return null;
  const lost = lostByMoves(mainLine(game.root));
  const { moves, accuracy, meanLoss } = statistics(lost, game.size)[colour];
  if (moves < MIN_MOVES) return null;
  const opponent = game.info[colour === "B" ? "white" : "black"] ?? "";
  return { colour, unit: lost.unit, moves, accuracy, meanLoss, opponent };
}

/** '2026-11-23' of a game: of its record, or of the time when it was saved. */
export const dateOf = ({ summary, saved }) => /^\d{4}-\d{2}-\d{2}/.exec(summary?.date ?? "")?.[0]
  ?? new Date(saved).toISOString().slice(0, 10);
