"""Elo gained by doubling the simulations: a round robin of players that differ in nothing else.

    python benchmarks/doubling.py -o FOLDER                         # 250 to 8,000 simulations, uct on 9x9
    python benchmarks/doubling.py -o FOLDER --rollout mogo --from 125 --doublings 4 --games 40

The games are those of a `mugo match` in FOLDER; the same command continues it.  The chart is FOLDER/doubling.png.
"""
import argparse
import csv
from pathlib import Path

import numpy as np

from mugo.cli import main as cli
from mugo.match.summary import summarize
from mugo.plots import figures


def elo_above_first(summary, names):
    """Elo above the first participant, and half the width of its 95 % interval; NaN where one is not finite.

    summary: of match.summary, where the Elo of two participants is relative to each other.
    """
    elo_of = {participant["name"]: participant["elo"] for participant in summary["participants"]}
    rows = np.array([[elo_of[name][key] for key in ("value", "low", "high")] for name in names], float)
    if len(names) == 2:
        rows[0] = 0
    return rows[:, 0], (rows[:, 2] - rows[:, 1]) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--from", dest="first", type=int, default=250, metavar="N", help="simulations of the weakest")
    parser.add_argument("--doublings", type=int, default=5)
    parser.add_argument("--games", type=int, default=20, help="of each pair")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--jobs", type=int, default=1)
    args, options = parser.parse_known_args()
    simulations = [args.first << i for i in range(args.doublings + 1)]
    names = [" ".join(["uct", "--simulations", str(n), "--no-early-stop", *options]) for n in simulations]
    status = cli.main(["match", *names, "--games", str(args.games), "--size", str(args.size), "--openings", "2",
                       "--jobs", str(args.jobs), "-o", str(args.output)])
    if status:
        raise SystemExit(status)
    with open(args.output / "games.csv", encoding="utf-8", newline="") as file:
        summary = summarize(list(csv.DictReader(file)), names)
    elo, error = elo_above_first(summary, names)

    def draw(axes):
        axes[0].errorbar(simulations, elo, np.nan_to_num(error), marker="o", capsize=3)
        axes[0].set_xscale("log", base=2)
        axes[0].set_xticks(simulations, [f"{n:,}" for n in simulations])
        axes[0].set_xlabel("simulations per move")
        axes[0].set_ylabel("Elo above the first, 95 %")
        axes[0].grid(alpha=0.3)

    figures.save_charts(args.output / "doubling.png", 1, 1, draw,
                        f"{' '.join(['uct', *options])} on {args.size}x{args.size}, {args.games} games of each pair")
    gained = ["unknown, it won or lost all games" if np.isnan(gain) else f"{gain:+.0f}" for gain in np.diff(elo)]
    print(f"Elo of each doubling: {', '.join(gained)}\n{args.output / 'doubling.png'}")


if __name__ == "__main__":
    main()
