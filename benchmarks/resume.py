"""Whether a training run that is killed and resumed ends as one that was not interrupted.

    python benchmarks/resume.py [DATASET] [--positions 128e3] [--kills 3] [-o resume.png]

Trains one network twice from the same seed.  The second run gets kill -9 several times, at random
moments, and --resume after each.  Draws both curves into one picture and prints the largest
difference between their logs and between their weights.  Without DATASET, the sample games are used.
"""
import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import dataset, preprocess
from mugo.nn.tensor_file import TensorFile
from mugo.plots import figures

MEASURES = {"ce": "training", "validation_ce": "validation"}


def trained(data: Path, run: Path, options: list[str], kills: int) -> int:
    """Train to the end, killing the run at random moments; returns how often that was done."""
    command = [sys.executable, "-m", "mugo", "train", str(data), "-o", str(run)]
    done = 0
    while True:
        resume = (run / "checkpoint.safetensors").exists()
        running = subprocess.Popen([*command, *(["--resume"] if resume else options)], stderr=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        before = checkpoints(run)
        while running.poll() is None and (done == kills or checkpoints(run) == before):
            time.sleep(0.05)
        if running.poll() is None:
            time.sleep(random.random() * 5)
            running.kill()
            running.wait()
            done += 1
            print(f"killed after {checkpoints(run)} checkpoints", flush=True)
        elif running.returncode:
            sys.exit(f"{' '.join(command)} ended with status {running.returncode}")
        else:
            return done


def checkpoints(run: Path) -> int:
    try:
        return len(pd.read_csv(run / "log.csv"))
    except FileNotFoundError:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset", nargs="?", type=Path)
    parser.add_argument("--positions", default="128e3")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--filters", default="16")
    parser.add_argument("-o", "--output", type=Path, default=Path("resume.png"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        data = dataset.load_dataset(args.dataset) if args.dataset else preprocess.preprocess(
            [str(Path(__file__).parents[1] / "data")], folder / "set", validation=0.1, test=0.1)
        options = ["--positions", args.positions, "--filters", args.filters, "--value-head", "--checkpoint-positions",
                   str(int(float(args.positions) / 10)), "--validation-positions", "2048"]
        trained(data.folder, folder / "uninterrupted", options, 0)
        kills = trained(data.folder, folder / "resumed", options, args.kills)
        logs = {name: pd.read_csv(folder / name / "log.csv") for name in ("uninterrupted", "resumed")}
        weights = [list(TensorFile(folder / name / "checkpoint.safetensors").read().values()) for name in logs]
    shared = [name for name in logs["resumed"] if name not in ("seconds", "positions_per_second")]
    print(f"{kills} kills, {len(logs['resumed'])} checkpoints in each log")
    difference = (logs["resumed"] - logs["uninterrupted"])[shared].abs().max().max()
    print(f"largest difference in the logs:    {difference:.2g}")
    print("largest difference of the weights: "
          f"{max(float(np.abs(a - b).max()) for a, b in zip(*weights, strict=True)):.2g}")

    def draw(axes) -> None:
        for (name, log), style in zip(logs.items(), ({"linewidth": 5, "alpha": 0.3}, {"marker": ".", "linewidth": 1}),
                                      strict=True):
            for measure, what in MEASURES.items():
                axes[0].plot(log["positions"], log[measure], label=f"{name}, {what}", **style,
                             color=figures.BLUE if measure == "ce" else figures.RED)
        axes[0].set(xlabel="positions", ylabel="cross-entropy of the next move")
        axes[0].legend(fontsize=7, frameon=False)

    figures.save_charts(args.output, 1, 1, draw)
    print(args.output)


if __name__ == "__main__":
    main()
