"""Speed of preprocessing games, and of making training batches from a data set.

    python benchmarks/dataset.py [GAMES ...]           (default: the sample games in data/)

Prints games/s and positions/s of `preprocess` with one process per core, bytes per position, and positions/s
of shuffled training batches (packed planes, random symmetries) from one thread and from one thread per core: the most
of three times, and in a second of processor time of all threads, which other work of the machine does not change.
"""
import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mugo.data import preprocess
from mugo.core.files import BadInput
from mugo.core.machine import available_cores

BATCH, BATCHES = 128, 100


def main(games: list[str]) -> None:
    cores = available_cores()
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        data = preprocess.preprocess(games, Path(folder) / "set", validation=0.1, test=0.1)
        seconds = time.perf_counter() - start
        positions = data.positions("train")
        print(f"{len(data.games) / seconds:12,.0f}  games/s preprocessed, {cores} processes, {seconds:.1f} s in total")
        print(f"{data.meta['counts']['positions'] / seconds:12,.0f}  positions/s preprocessed")
        print(f"{data.bytes / data.meta['counts']['positions']:12.2f}  bytes per position on disk")

        def make(step: int) -> None:
            positions.shuffled_batch(step, BATCH, 0)

        make(0)
        for threads in sorted({1, cores}):
            best = of_processor = 0.0
            for _ in range(3):
                start, processor = time.perf_counter(), time.process_time()
                with ThreadPoolExecutor(threads) as pool:
                    list(pool.map(make, range(BATCHES)))
                best = max(best, BATCH * BATCHES / (time.perf_counter() - start))
                of_processor = max(of_processor, BATCH * BATCHES / (time.process_time() - processor))
            print(f"{best:12,.0f}  positions/s in shuffled batches of {BATCH}, {threads} thread{'s' * (threads > 1)}; "
                  f"{of_processor:,.0f} in a second of processor time")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=[str(Path(__file__).parents[1] / "data")], metavar="GAMES",
                        help="archives, folders or SGF files (default: the sample games)")
    try:
        main(parser.parse_args().games)
    except BadInput as error:
        sys.exit(f"{Path(__file__).name}: {error}")
