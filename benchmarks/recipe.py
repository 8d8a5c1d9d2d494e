"""What gets the most out of a network: short training runs that differ in one thing.

    python benchmarks/recipe.py DATASET -o FOLDER [NAME ...] [--seeds 0] [--positions 64e3]

Each run is `mugo train DATASET` with the options of RECIPES on the same number of positions, in the same
order, and is tried on the same validation positions of each kind of source.  A run that is done is not
done again, so the table grows over several nights; it is printed from FOLDER/recipes.csv, with what top-1 and
cross-entropy gain on the first recipe of the same seed, and the paired standard errors of that, by game.  Of
several seeds the means are printed last, with a standard error of two parts (`gain_over_seeds`): that of the seeds
among each other, and that of the validation positions, which all seeds share.
"""
import argparse
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import dataset, game_hash
from mugo.core.intervals import mean_and_standard_error
from mugo.nn.inference import Network
from mugo.training.predictions import predict_positions

COUNTED = """--where "source.str.contains('KGS') or ownership_start >= 0" """     # KGS, and games with known owners
COMMON = """--checkpoint-positions 64000 --warmup-steps 100 --where "source.str.contains('KGS')" """
RECIPES = {
    "default": "",
    "adam": "--optimizer adam --learning-rate 2e-3",
    "adam-4e-3": "--optimizer adam --learning-rate 4e-3",
    "muon-2e-3": "--learning-rate 2e-3",
    "muon-2e-2": "--learning-rate 2e-2",
    "decay-start-0": "--decay-start 0",
    "decay-start-35": "--decay-start 0.35",
    "not-equivariant": "--no-equivariant",
    "no-symmetry": "--no-equivariant --no-augment",
    "residual": "--residual",
    "no-global-pooling": "--no-global-pooling",
    "no-point-bias": "--no-point-bias",
    "policy-filters-0": "--policy-filters 0",
    "policy-filters-512": "--policy-filters 512",
    "residual-no-global-pooling": "--residual --no-global-pooling",
    "no-batch-norm": "--no-batch-norm --learning-rate 5e-4",
    "batch-64": "--batch-size 64 --learning-rate 4e-3",
    "batch-256": "--batch-size 256",
    "value-head": "--value-head",
    "value-weight-1": "--value-head --value-weight 1",
    "policy-only": COUNTED,
    "all-heads": f"--value-head {COUNTED}",
    "no-ownership": f"--value-head --ownership-weight 0 {COUNTED}",
    "no-score": f"--value-head --score-weight 0 {COUNTED}",
    "value-alone": f"--value-head --ownership-weight 0 --score-weight 0 {COUNTED}",
    "no-value": f"--value-head --value-weight 0 {COUNTED}",
    "auxiliary-heads": f"--value-head --auxiliary-heads {COUNTED}",
    "auxiliary-heads-alone": f"--auxiliary-heads {COUNTED}",
    "policy-context": f"--value-head --policy-context {COUNTED}",
    "larger-context": f"--value-head --policy-context --context-filters 64 --context-layers 6 {COUNTED}",
    "filters-32": "--filters 32",
    "filters-96": "--filters 96",
    "filters-128": "--filters 128",
    "all-sources": '--where ""',
    "even-games": """--where "source.str.contains('KGS') and handicap == 0" """,
    "7d-and-up": """--where "source.str.contains('KGS') and black_rank >= 7 and white_rank >= 7" """,
    "from-move-21": "--moves 21-",
    "to-move-200": "--moves 1-200",
    "mugo-2016": "--filters 32 --policy-filters 0 --no-batch-norm --no-global-pooling --no-equivariant "
                 "--optimizer adam --learning-rate 1e-4 --final-lr-fraction 1",
}
SOURCES = ("KGS", "tygem", "fox")
HEAD_FIGURES = (("winner", "value_accuracy", 100), ("value error", "value_mse", 1),
                ("owners", "ownership_accuracy", 100), ("score error", "score_error", 1))
COUNT = 8_192                            # validation positions of each kind of source


def run(data: dataset.DataSet, folder: Path, name: str, seed: int, positions: int) -> pd.DataFrame:
    """Train one recipe, and one row for each position it is tried on."""
    run_folder = folder / f"{name}-{seed}-{positions}"
    kept = run_folder / "tried.parquet"
    if kept.exists():
        return pd.read_parquet(kept)
    begun = (run_folder / "checkpoint.safetensors").exists()
    start = time.perf_counter()
    trained = subprocess.run([sys.executable, "-m", "mugo", "train", str(data.folder), "-o", str(run_folder),
                              *shlex.split(COMMON), "--positions", str(positions), "--seed", str(seed),
                              *shlex.split(RECIPES[name]), *(["--resume"] if begun else [])])
    if trained.returncode:                               # the command has said why
        sys.exit(trained.returncode)
    seconds = time.perf_counter() - start
    network = Network(run_folder)
    tried = []
    for source in SOURCES:
        tested = data.positions("validation", network.size, f"source.str.contains('{source}', case=False)")
        numbers, _ = game_hash.shuffled_positions(0, min(COUNT, len(tested)), len(tested), 0)
        predicted = predict_positions(network, tested, numbers, symmetries=False)
        tried.append(predicted.assign(source=source, seconds=seconds))
    rows = pd.concat(tried, ignore_index=True)
    rows["game"] = rows["source"] + rows["game"].astype(str)
    rows.drop(columns="rank").astype({"phase": str}).to_parquet(kept)
    return pd.read_parquet(kept)


def gain_over_seeds(gains: np.ndarray, games: np.ndarray) -> tuple[float, float]:
    """The mean gain of several seeds on the same positions, and its standard error.

    gains: (seeds, positions), paired differences.  games: (positions,), the game of each.
    The seeds vary: the standard error of their means.  The positions are a sample too, and more seeds do not make it
    larger: the standard error, clustered by game, of the gain averaged over seeds.  The sum of both variances counts
    what is particular to a seed at a position twice, so the error is rather too large than too small.
    """
    of_seeds = gains.mean(1)
    mean, of_positions = mean_and_standard_error(gains.mean(0), games)
    return mean, float(np.hypot(of_seeds.std(ddof=1) / len(of_seeds) ** 0.5, of_positions))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--positions", type=float, default=64e3)
    args = parser.parse_intermixed_args()
    if unknown := set(args.names) - set(RECIPES):
        parser.error(f"no such recipe: {', '.join(sorted(unknown))}; there are {', '.join(RECIPES)}")
    data = dataset.load_dataset(args.dataset)
    table = []
    gains: dict[str, list[pd.DataFrame]] = {}            # of each recipe for each seed, by position
    for seed in args.seeds:
        first = None
        for name in args.names or RECIPES:
            rows = run(data, args.output, name, seed, int(args.positions))
            first = rows if first is None else first
            games = np.unique(rows["game"], return_inverse=True)[1]
            gain = pd.DataFrame({"gain": 100 * (rows["top1"] - first["top1"]), "ce gain": first["ce"] - rows["ce"]})
            gains.setdefault(name, []).append(gain)
            table.append(table_row(name, seed, rows, gain, games))
            pd.DataFrame(table).to_csv(args.output / "recipes.csv", index=False)
            print(pd.DataFrame(table).round(3).to_string(index=False), flush=True)
    if len(args.seeds) > 1:
        columns = ["KGS top-1", "fox top-1", "tygem top-1", "KGS top-5", "KGS ce"]
        means = pd.DataFrame(table).groupby("recipe", sort=False)[columns].mean()
        for column, error in ("gain", "±"), ("ce gain", "ce ±"):
            means[[column, error]] = [gain_over_seeds(np.stack([gain[column] for gain in of_recipe]), games)
                                      for of_recipe in gains.values()]
        print(means.round(3).to_string(), flush=True)


def table_row(name: str, seed: int, rows: pd.DataFrame, gain: pd.DataFrame, games: np.ndarray) -> dict:
    """A row of the table: the figures of a run, and its gain with the paired standard error, clustered by game."""
    row = {"recipe": name, "seed": seed, "options": RECIPES[name]}
    for source, part in rows.groupby("source"):
        row[f"{source} top-1"] = 100 * part["top1"].mean()
    kgs = rows[rows["source"] == "KGS"]
    row |= {"KGS top-5": 100 * kgs["top5"].mean(), "KGS ce": kgs["ce"].mean(), "minutes": rows["seconds"][0] / 60}
    row |= {name: scale * rows[column].mean() for name, column, scale in HEAD_FIGURES if column in rows}
    if "value_mse" in rows:
        row |= {f"value error, {phase}": part.mean() for phase, part in rows.groupby("phase", sort=False)["value_mse"]}
    for column, error in ("gain", "±"), ("ce gain", "ce ±"):
        row[column], row[error] = mean_and_standard_error(gain[column].to_numpy(), games)
    return row


if __name__ == "__main__":
    main()
