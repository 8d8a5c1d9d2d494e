// The person's rank, estimated from the games that the browser keeps.

import { Game, mainLine } from "../core/game.js";
import { rankName, t } from "../core/texts.js";
import { server } from "../server.js";
import { state } from "../store.js";

const MIN_GAMES = 5, MAX_GAMES = 20;

/** Estimate the person's rank, and show it, or that there are too few games.  Throws the server's error.
    games: { stored, colour } of each, the newest first; show: called with texts. */
export async function estimateRank(games, show) {
  const { size } = state.game;
  const own = games.map(({ stored, colour }) => ({ game: Game.fromJSON(stored), colour }))
    .filter(({ game }) => game.isGo && game.size.rows === size.rows && game.size.cols === size.cols).slice(0, MAX_GAMES);
  if (own.length < MIN_GAMES) return show(t("rankNeedsGames", { count: MIN_GAMES, found: own.length }));
  const likelihoods = [], counts = [];
  for (const [i, { game, colour }] of own.entries()) {
    show(t("rankOfGame", { number: i + 1, count: own.length }));
    const fields = game.requestFields(mainLine(game.root).at(-1));
    const answer = await server.request("rank_likelihoods", { ...fields, colour });
    likelihoods.push(answer.likelihoods);
    counts.push(answer.moves);
  }
  const { rank, low, high, games: used, moves } =
    await server.request("rank_estimate", { ...state.game.requestFields(), likelihoods, counts });
  show(t("rankEstimate", { rank: rankName(rank), low: rankName(low), high: rankName(high), games: used, moves }));
}
