"""How fast a network trains, and what the input pipeline costs.

    python benchmarks/training.py [DATASET] [--filters 32 64 128] [--seconds 20]

For each network: positions/s of `fit` on batches from the data set, made while it trains, against the
same on one constant batch; in turns, three times, so that noise of the machine meets both.  The
pipeline is good where the ratio is at least 0.95.  Without DATASET, the sample games are used.
"""
import argparse
import itertools
import os
import tempfile
import time
from pathlib import Path

from mugo import dataset, layers, preprocess, train


def positions_per_second(model, batches, batch_size: int, seconds: float) -> float:
    """Positions/s of model.fit over an endless iterator, some warm-up left out."""
    model.fit(batches, steps_per_epoch=5, epochs=1, verbose=0, shuffle=False)
    start = time.perf_counter()
    model.fit(batches, steps_per_epoch=10, epochs=1, verbose=0, shuffle=False)
    steps = max(10, int(seconds * 10 / (time.perf_counter() - start)))
    start = time.perf_counter()
    model.fit(batches, steps_per_epoch=steps, epochs=1, verbose=0, shuffle=False)
    return steps * batch_size / (time.perf_counter() - start)


def measure(data: dataset.DataSet, filters: int, batch_size: int, seconds: float, precision: str) -> None:
    positions = data.positions("train")
    shape = layers.Architecture(positions.size, filters, value=True)
    model = layers.build(shape, precision)
    layers.compile_for_training(model, 1e-3, 0.25, has_value=True)

    def make(step: int) -> tuple:
        batch = positions.shuffled_batch(step, batch_size, 0)
        return batch.packed, train.targets_of(batch, has_value=True)

    constant, fed = [], []
    for _ in range(3):
        constant.append(positions_per_second(model, itertools.repeat(make(0)), batch_size, seconds))
        feeder = train.Feeder(make, 0, threads=min(8, os.cpu_count() or 1))
        fed.append(positions_per_second(model, (batch for batch in feeder), batch_size, seconds))
        feeder.close()
    ratios = sorted(a / b for a, b in zip(fed, constant, strict=True))
    print(f"{filters:8}  {precision:14}  {max(fed):14,.0f}  {max(constant):14,.0f}  {ratios[1]:12.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset", nargs="?", type=Path)
    parser.add_argument("--filters", type=int, nargs="+", default=[32, 64, 128])
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--seconds", type=float, default=10, help="for each of the six measurements of a network")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = dataset.open_dataset(args.dataset) if args.dataset else preprocess.preprocess(
            [str(Path(__file__).parents[1] / "data")], Path(folder) / "set", validation=0.1, test=0.1)
        precision = "mixed_bfloat16" if layers.pays_bfloat16() else "float32"
        print(f"positions/s, batches of {args.batch_size}, {layers.keras.backend.backend()}\n"
              " filters  precision          data set   constant batch  median ratio")
        for filters in args.filters:
            measure(data, filters, args.batch_size, args.seconds, precision)


if __name__ == "__main__":
    main()
