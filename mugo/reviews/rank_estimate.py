"""The rank of a player from several games: how likely a network takes the moves for those of each rank.

    game_likelihoods(network, positions, colour)    log-likelihoods of a player's moves in one game, summed: (ranks,)
      | of each game
    estimate_rank(rows, moves)                      RankEstimate: posterior mean and central 90 % interval

For rank r, game g has L_g(r) = sum over the player's moves of log P(move | position, r).  The prior is flat over the
ranks that the network knows, and the posterior is in proportion to exp(sum of L_g(r) / phi).  With phi = 1 moves would
have to be independent, which they are not.  So phi is estimated from the games, such that the posterior's variance
equals that of the sandwich estimator clustered by game (Huber 1967; Pauli, Racugno and Ventura 2011, "Bayesian
composite marginal likelihoods").  With the slope s_g = dL_g / dr and the curvature I = -d²L / dr² at the posterior
mean,

    V = G / (G - 1) * sum of (s_g - mean slope per move * moves of g)²     the variance of the sum of slopes
    phi = max(1, V / I) * (t / z)²

where t and z are the 95 % quantiles of Student's distribution with G - 1 degrees of freedom and of the normal one,
because V is itself estimated from G games.  t / z is 1.3 with MIN_GAMES, and 3.8 with two.
"""
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from mugo.core.files import BadInput
from mugo.games.coords import PASS, move_index
from mugo.games.position import BasePosition
from mugo.nn.inputs import RANK_NUMBERS, People, format_rank, ranks_of
from mugo.reviews.options import MIN_GAMES

NEAR = 4                  # ranks on each side of the mean through which the parabolas go
LEVEL = 0.9               # of the interval
MOST_OF_RANGE = 0.85      # an interval of so much of the range says nothing: without any moves it is LEVEL of it
MAX_RANKS = 12            # at which games are evaluated; likelihoods between them are interpolated
BATCH = 64                # positions that the network evaluates at once
FLOOR = 1e-6              # of a probability: one move that nobody would play must not outweigh a game


@dataclass(frozen=True)
class RankEstimate:
    """A player's rank as a number (sgf.properties.rank_number: 0 is 1 kyu, 3 is 3 dan) with its interval.

    low, high: the central 90 % interval, within half a rank of the ranks that the network knows.  games, moves: how
    many of them it is estimated from.
    """
    mean: float
    low: float
    high: float
    games: int
    moves: int
    is_known: bool = True

    def __str__(self) -> str:
        if not self.is_known:
            return f"no estimate: {self.moves:,} moves in {self.games} games fit every rank that the network knows"
        return (f"{format_rank(self.mean)}, 90 % interval {format_rank(self.low)} to {format_rank(self.high)}, from "
                f"{self.moves:,} moves in {self.games} games")


def known_ranks(network) -> np.ndarray:
    """Numbers of ranks that a network knows, from the weakest to the strongest of its training games; MAX_RANKS at
    most.

    Raises BadInput for a network that takes no people.
    """
    if not network.takes_people:
        raise BadInput("an estimate of ranks needs a network that was trained with --metadata-encoder")
    ranks = ranks_of(network.metadata)
    step = -(-len(ranks) // MAX_RANKS)
    return np.append(ranks[:-1:step], ranks[-1])


def known_rank_names(network) -> list[str]:
    """The names of all ranks that a network knows, the weakest first; none for one that takes no people."""
    return [format_rank(rank) for rank in ranks_of(network.metadata)] if network.takes_people else []


def game_likelihoods(network, positions: Sequence[BasePosition], colour: int, ranks: np.ndarray
                     ) -> tuple[np.ndarray, int]:
    """(log-likelihoods of one colour's moves in a game under each rank, float64 (ranks,); the number of moves).

    positions: the start, and the position after each move.  ranks: numbers, see known_ranks.  Passes do not count.
    Raises BadInput for a board that the network does not play, and for one that takes no people.
    """
    # In a record one side may move twice, so the side to move is taken from the next move.
    asked = [(before.with_turn(colour), after.last) for before, after in zip(positions[:-1], positions[1:], strict=True)
             if after.mover == colour and after.last != PASS]
    total = np.zeros(len(ranks))
    for start in range(0, len(asked), BATCH):
        batch, points = zip(*asked[start:start + BATCH], strict=True)
        played = [move_index(point, batch[0].shape) for point in points]
        for k, rank in enumerate(ranks):
            priors = network.evaluate(list(batch), people=People(format_rank(rank))).priors
            total[k] += log_probabilities(priors, played).sum()
    return total, len(asked)


def log_probabilities(priors: np.ndarray, played: Sequence[int] | np.ndarray) -> np.ndarray:
    """float64 (n,): of the moves played, indices (n,), by priors (n, moves); one below FLOOR counts as that."""
    return np.log(np.maximum(priors[np.arange(len(priors)), played].astype(np.float64), FLOOR))


def estimate_rank(likelihoods: np.ndarray, moves: np.ndarray, ranks: np.ndarray = RANK_NUMBERS) -> RankEstimate:
    """The rank of one player.

    likelihoods: float (games, ranks), a row per game by game_likelihoods.  moves: int (games,).  ranks: numbers, in
    order.
    Raises BadInput for fewer than MIN_GAMES games with moves.
    """
    likelihoods, moves = likelihoods[moves > 0], moves[moves > 0]
    check_games(len(moves))
    every = np.arange(ranks[0], ranks[-1] + 1)
    likelihoods, ranks = np.array([np.interp(every, ranks, row) for row in likelihoods]), every
    total = likelihoods.sum(0)
    phi = _dispersion(likelihoods, moves, ranks, float(_posterior(total) @ ranks))
    posterior = _posterior(total / phi)
    ends = np.concatenate([[0], np.cumsum(posterior)])           # a rank is uniform half a rank to both sides
    edges = np.append(ranks - 0.5, ranks[-1] + 0.5)
    low, high = np.interp([(1 - LEVEL) / 2, (1 + LEVEL) / 2], ends, edges)
    return RankEstimate(float(posterior @ ranks), float(low), float(high), len(moves), int(moves.sum()),
                        bool(high - low <= MOST_OF_RANGE * len(ranks)))


def check_games(count: int) -> None:
    """Raise BadInput for fewer than MIN_GAMES games of a player."""
    if count < MIN_GAMES:
        raise BadInput(f"an estimate of a rank needs at least {MIN_GAMES} games of the player, not {count}: it has to "
                       "see how much games differ")


def _posterior(log_likelihood: np.ndarray) -> np.ndarray:
    weights = np.exp(log_likelihood - log_likelihood.max())
    return weights / weights.sum()


def _dispersion(likelihoods: np.ndarray, moves: np.ndarray, ranks: np.ndarray, mean: float) -> float:
    """phi, see above."""
    first = int(np.clip(np.searchsorted(ranks, mean - NEAR), 0, max(len(ranks) - 2 * NEAR - 1, 0)))
    near = slice(first, first + 2 * NEAR + 1)
    second, slope, _ = np.polyfit(ranks[near] - mean, likelihoods[:, near].T, 2)
    games, information = len(moves), max(-2 * float(second.sum()), 1e-9)
    residuals = slope - slope.sum() / moves.sum() * moves
    variance = games / (games - 1) * float((residuals ** 2).sum())
    return max(1.0, variance / information) * (_t_quantile(0.5 + LEVEL / 2, games - 1) / NormalDist().inv_cdf(
        0.5 + LEVEL / 2)) ** 2


def _t_quantile(probability: float, freedom: int) -> float:
    """A quantile of Student's t distribution (Abramowitz and Stegun, 26.7.5); within 1 % from 4 degrees of freedom."""
    z = NormalDist().inv_cdf(probability)
    terms = (z, (z ** 3 + z) / 4, (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
             (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384)
    return sum(term / freedom ** power for power, term in enumerate(terms))
