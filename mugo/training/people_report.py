"""What it is worth to a network to know who plays:  mugo evaluate NETWORK DATASET --people compare

    KNOWLEDGE          what the network is told: all, all but the ranks, nothing, wrong ranks.  evaluate compares its
                       predictions of the same positions, so differences are paired, and clustered by game
    rank_table         the ranks that it estimates of players from their games (reviews.rank_estimate), and their own

A network gains by knowing the rank where the cross-entropy of "source and year" minus that of "true" is above 0, and
loses by a wrong one.  Where it does not, its ranks mean nothing, and neither do its estimates.
"""
import numpy as np
import pandas as pd

from mugo.core.intervals import wilson_interval
from mugo.core.progress import progress_bar
from mugo.data.dataset import DataSet
from mugo.data.positions import Positions
from mugo.data.summary import rank_groups
from mugo.nn.inference import Network
from mugo.nn.inputs import PROFESSIONAL, encode_people
from mugo.reviews.rank_estimate import MIN_GAMES, estimate_rank, known_ranks, log_probabilities
from mugo.plots.text_table import format_table
from mugo.training.predictions import RANKS

KNOWLEDGE = "true", "source and year", "unknown", "wrong rank"           # of predictions.with_people
GAMES = 10                # of each player, at most
POSITIONS_PER_PLAYER = 500               # of --sample
CHUNK = 256               # positions


def rank_table(network: Network, data: DataSet, positions: Positions, players: int, seed: int) -> pd.DataFrame:
    """One row for each player of these positions with at least MIN_GAMES games: so many, drawn by seed; 0: all.

    Columns: player, rank (the median of the games, a professional being PROFESSIONAL), games, moves, mean, low, high
    (as in RankEstimate), is_unseen: the player has no game in the training split of the data set.
    """
    table = positions.games.table(["black", "white", "black_rank", "white_rank"])
    sides = pd.concat([pd.DataFrame({"player": table[name], "rank": table[f"{name}_rank"].clip(upper=PROFESSIONAL),
                                     "game": np.arange(len(table)), "colour": colour})
                       for name, colour in (("black", 1), ("white", -1))])
    sides = sides[(sides["player"] != "") & sides["rank"].notna()]
    rng, rows, ranks = np.random.default_rng(seed), [], known_ranks(network)
    groups = [(name, group) for name, group in sides.groupby("player") if len(group) >= MIN_GAMES]
    chosen = [groups[i] for i in sorted(rng.permutation(len(groups))[:players or None])]
    training = data.selection("train", positions.size).table(["black", "white"])
    seen = set(training["black"]) | set(training["white"])
    with progress_bar("players", len(chosen)) as bar:
        for name, group in chosen:
            group = group.iloc[np.sort(rng.permutation(len(group))[:GAMES])]
            found = [_game_likelihoods(network, positions, game, colour, ranks)
                     for game, colour in zip(group["game"], group["colour"], strict=True)]
            bar.update()
            moves = np.array([count for _, count in found])
            if (moves > 0).sum() < MIN_GAMES:
                continue
            estimate = estimate_rank(np.array([row for row, _ in found]), moves, ranks)
            rows.append({"player": name, "rank": float(group["rank"].median()), "games": estimate.games,
                         "moves": estimate.moves, "mean": estimate.mean, "low": estimate.low, "high": estimate.high,
                         "is_unseen": name not in seen})
    return pd.DataFrame(rows)


def _game_likelihoods(network: Network, positions: Positions, game: int, colour: int, ranks: np.ndarray
                      ) -> tuple[np.ndarray, int]:
    """As rank_estimate.game_likelihoods, of a game of a data set; passes are left out."""
    numbers = np.arange(positions.first_index[game], positions.first_index[game + 1])
    total, count = np.zeros(len(ranks)), 0
    for start in range(0, len(numbers), CHUNK):
        batch = positions.batch(numbers[start:start + CHUNK])
        own = (batch.colours == colour) & (batch.targets < positions.size ** 2)
        features, packed = np.nan_to_num(batch.global_features())[own], batch.packed[own]
        count += int(own.sum())
        for k, rank in enumerate(ranks if own.any() else ()):
            people = encode_people(np.tile([rank, np.nan, np.nan, np.nan], (len(packed), 1)))
            priors = network.evaluate_packed(packed, features, people).priors
            total[k] += log_probabilities(priors, batch.targets[own]).sum()
    return total, count


def rank_report(table: pd.DataFrame) -> str:
    """The table as text: by group of true ranks, and of unseen players, the mean error, its size, and the coverage of
    the intervals with its own 95 % interval."""
    if not len(table):
        return f"no player has {MIN_GAMES} games with a rank here: the estimates of ranks cannot be measured"
    cells = [["players", "number", "mean error", "mean |error|", "coverage of 90 % intervals", "width"]]
    groups = [("all", table), ("unseen in training", table[table["is_unseen"]])]
    groups += [(str(name), group) for name, group in table.groupby(rank_groups(table["rank"], RANKS), observed=True)]
    for name, group in groups:
        if not len(group):
            cells.append([name, "0", "", "", "", ""])
            continue
        errors = group["mean"] - group["rank"]
        covered = int(((group["low"] <= group["rank"]) & (group["rank"] <= group["high"])).sum())
        share = wilson_interval(covered, len(group))
        cells.append([name, str(len(group)), f"{errors.mean():+.1f}", f"{errors.abs().mean():.1f}",
                      f"{100 * share.value:.0f} % ({100 * share.low:.0f} to {100 * share.high:.0f})",
                      f"{(group['high'] - group['low']).mean():.1f}"])
    return "\n".join(["ranks estimated from games, in ranks", "", *format_table(cells)])
