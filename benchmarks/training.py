"""How fast a network trains, and what the input pipeline costs.

    python benchmarks/training.py [DATASET] [--filters 32 64 128] [--seconds 3]
    python benchmarks/training.py [DATASET] --input 1 2 4 --batch-size 1024
    python benchmarks/training.py [DATASET] --model five-64 b10c128 --batch-size 16

For each network: positions/s of `fit` on batches from the data set, made while it trains, against the
same on one constant batch; alternately, so that noise of the machine affects both.  The pipeline is good
where the median ratio is at least 0.95.  The last column is the ratio of the processor time of all threads,
which is far less noisy: the ratio would be about that on an idle machine.

--input measures the input pipeline alone, with so many threads: positions/s, positions in a second of processor time of
all threads, and how many threads computed at once.  A GPU needs as many positions/s as it trains on.

--model measures steps of presets, or of networks, on one constant batch: positions in a second of processor time, which
does not depend on other work of the machine, as the time of a step does.

Without DATASET, the sample games are used.
"""
import argparse
import contextlib
import itertools
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from mugo.core.machine import available_cores
from mugo.data import dataset, preprocess
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.keras.backend import keras, resolve_precision
from mugo.nn.keras.losses import compile_for_training
from mugo.nn.keras.model import build
from mugo.nn.network_file import architecture
from mugo.training.loader import PrefetchLoader, examples

TURNS = 8


def seconds_of(model, batches, steps: int) -> tuple[float, float]:
    """Seconds, and seconds of processor time, of so many steps."""
    start = time.perf_counter(), time.process_time()
    model.fit(batches, steps_per_epoch=steps, epochs=1, verbose=0, shuffle=False)
    return time.perf_counter() - start[0], time.process_time() - start[1]


def measure(data: dataset.DataSet, filters: int, batch_size: int, seconds: float, precision: str) -> None:
    positions = data.positions("train")
    config = PolicyNetConfig(positions.size, filters, value_head=True, equivariant=True)
    model = build(config.spec(), precision)
    compile_for_training(model, config, 1e-3)

    def make(step: int) -> tuple:
        batch = positions.shuffled_batch(step, batch_size, 0)
        return examples(batch, config)

    def constant():
        return (batch for batch in itertools.repeat(make(0)))

    seconds_of(model, constant(), 10)                                    # compiles
    steps = max(10, int(seconds * 10 / seconds_of(model, constant(), 10)[0]))
    times = []
    for _ in range(TURNS):
        loader = PrefetchLoader(make, 0, threads=available_cores())
        time.sleep(0.2)
        times.append((*seconds_of(model, (batch for batch in loader), steps), *seconds_of(model, constant(), steps)))
        loader.close()
        time.sleep(0.6)                                                  # until its threads have ended
    fed, _, constant_rate, _ = (batch_size * steps / statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(row[2] / row[0] for row in times)
    of_processor = statistics.median(row[3] / row[1] for row in times)
    print(f"{filters:8}  {precision:14}  {fed:14,.0f}  {constant_rate:14,.0f}  {ratio:12.3f}  {of_processor:9.3f}",
          flush=True)


def measure_input(data: dataset.DataSet, threads: int, batch_size: int, seconds: float) -> None:
    positions = data.positions("train")
    config = PolicyNetConfig(positions.size, 256, value_head=True, komi_input=True, auxiliary_heads=True)

    def make(step: int) -> tuple:
        return examples(positions.shuffled_batch(step, batch_size, 0), config, np.random.default_rng(step))

    with contextlib.closing(PrefetchLoader(make, 0, threads)) as loader:
        for _ in range(32):              # what was made while nothing was taken
            next(loader)
        start, processor, batches = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - start < seconds:
            next(loader)
            batches += 1
        elapsed, processor = time.perf_counter() - start, time.process_time() - processor
    print(f"{threads:8}  {batches * batch_size / elapsed:14,.0f}  {batches * batch_size / processor:18,.0f}  "
          f"{processor / elapsed:8.2f}", flush=True)
    time.sleep(0.6)                      # until its threads have ended


def measure_model(data: dataset.DataSet, name: str, batch_size: int, seconds: float) -> None:
    positions, precision = data.positions("train"), resolve_precision("auto")
    config = replace(architecture(name), size=positions.size)
    model = build(config.spec(), precision)
    compile_for_training(model, config, 1e-3)
    example = examples(positions.shuffled_batch(0, batch_size, 0), config)

    def train(steps: int) -> tuple[float, float]:
        return seconds_of(model, (batch for batch in itertools.repeat(example)), steps)

    train(1)                             # compiles
    once = train(1)
    steps = max(4, int(seconds / once[1]))
    wall, processor = (more - one for more, one in zip(train(1 + steps), once, strict=True))    # without fit's own
    print(f"{name:10}  {precision:14}  {batch_size * steps / processor:18,.1f}  {batch_size * steps / wall:11,.1f}",
          flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dataset", nargs="?", type=Path)
    parser.add_argument("--filters", type=int, nargs="+", default=[32, 64, 128])
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--seconds", type=float, default=3, help="for each of the measurements of a network")
    parser.add_argument("--input", type=int, nargs="+", metavar="THREADS", help="measure the input pipeline alone")
    parser.add_argument("--model", nargs="+", metavar="NAME", help="measure these networks on a constant batch")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = dataset.load_dataset(args.dataset) if args.dataset else preprocess.preprocess(
            [str(Path(__file__).parents[1] / "data")], Path(folder) / "set", validation=0.1, test=0.1)
        if args.input:
            print(f"input pipeline, batches of {args.batch_size}\n"
                  " threads     positions/s  of processor time  at once")
            for threads in args.input:
                measure_input(data, threads, args.batch_size, args.seconds)
            return
        if args.model:
            print(f"positions in batches of {args.batch_size}, {keras.backend.backend()}\n"
                  "network     precision       per processor s      per second")
            for name in args.model:
                measure_model(data, name, args.batch_size, args.seconds)
            return
        precision = resolve_precision("auto")
        print(f"positions/s, batches of {args.batch_size}, {keras.backend.backend()}\n"
              " filters  precision          data set   constant batch  median ratio  processor")
        for filters in args.filters:
            measure(data, filters, args.batch_size, args.seconds, precision)


if __name__ == "__main__":
    main()
