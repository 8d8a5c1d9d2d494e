"""Why the value is wrong at the end of a game: winners by the margin of the final score.

    python benchmarks/value_at_the_end.py DATASET NETWORK ... [--split validation test] [--precision float32]

The positions before the last move of all games whose count, dead stones taken off, is their result (evaluate's "last
move").  For each network and each range of margins: how many winners its value names.  Over all games: how many its
owners would name, added up with komi (`owners`); the points that somebody owns and it gives to another, the median and
the mean; the mean distance of its owners from 0, neither, on the points that stay neutral; and the error of the score.

`recorded` are the recorded results, which by territory rules differ from those by area now and then: how many winners a
perfect prediction of the recorded ones would name.
"""
import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data.dataset import DataSet, load_dataset
from mugo.data.game_index import SPLITS
from mugo.nn.bundled import find_network
from mugo.nn.inference import Network
from mugo.plots.text_table import format_table
from mugo.training.evaluate import sample_positions

BATCH = 256
MARGINS = 0, 1, 2, 4, 7, 12, 30, np.inf


def last_positions(network: Network, data: DataSet, split: str) -> pd.DataFrame:
    """One row for each scored game of a split.

    margin: of the final score.  right, owners_right, recorded_right: whether value, owners and the recorded result name
    the winner by area.  wrong_points, neutral, score_error: see the module.
    """
    sample, rows = sample_positions(data, network.size, split, "", 0, 0), []
    for start in range(0, len(sample.last), BATCH):
        batch = sample.positions.batch(sample.last[start:start + BATCH])
        output = network.evaluate_packed(batch.packed, np.nan_to_num(batch.global_features()))
        assert output.values is not None and output.ownership is not None and output.score_mean is not None
        winner, score, _ = batch.results()
        is_neutral = batch.ownership == 0
        rows.append(pd.DataFrame({
            "margin": np.abs(score),
            "right": np.sign(output.values) == winner,
            "owners_right": np.sign(output.ownership.sum(1) + batch.komi) == winner,
            "recorded_right": batch.outcomes == winner,
            "wrong_points": (~is_neutral & (np.sign(output.ownership) != batch.ownership)).sum(1),
            "neutral": np.abs(output.ownership * is_neutral).sum(1) / np.maximum(is_neutral.sum(1), 1),
            "score_error": np.abs(output.score_mean - score)})[winner != 0])
    return pd.concat(rows, ignore_index=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("networks", nargs="+", metavar="NETWORK")
    parser.add_argument("--split", choices=SPLITS, nargs="+", default=["validation", "test"])
    parser.add_argument("--precision", default="float32")
    args = parser.parse_args()
    data = load_dataset(args.dataset)
    names = [f"{low:g}-{high:g}" for low, high in zip(MARGINS, MARGINS[1:], strict=False)]
    table = [["network", "margin", "games", "winners"]]
    overall = [["network", "winners", "owners", "recorded", "wrong points", "neutral points", "score error"]]
    for name in args.networks:
        network = Network(find_network(name), precision=args.precision)
        rows = pd.concat([last_positions(network, data, split) for split in args.split], ignore_index=True)
        for margin, part in rows.groupby(pd.cut(rows["margin"], MARGINS, right=False, labels=names), observed=True):
            table.append([network.path.stem, str(margin), str(len(part)), f"{part['right'].mean():.1%}"])
        overall.append([network.path.stem, *(f"{rows[column].mean():.1%}" for column in ("right", "owners_right",
                                                                                        "recorded_right")),
                        f"{rows['wrong_points'].median():g}, {rows['wrong_points'].mean():.1f}",
                        f"{rows['neutral'].mean():.2f}", f"{rows['score_error'].mean():.1f}"])
    print("\n".join([*format_table(table, left=2), "", *format_table(overall, left=1)]))


if __name__ == "__main__":
    main()
