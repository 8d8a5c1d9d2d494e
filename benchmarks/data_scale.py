"""A data set of many games: time and memory to make it, to add to it, to open it, and its positions per second.

    python benchmarks/data_scale.py --games 1000000                    (from the sample games in data/)
    python benchmarks/data_scale.py --games 10000000 --from DATASET -o FOLDER

The games are real ones, transformed: one of the 8 symmetries, the colours exchanged or not, two moves in the first 40
exchanged so that openings differ, and for one in twenty the end or nothing changed, which makes duplicates.  They are
written as the parts that `preprocess` has after reading; reading itself takes the same memory for any number of games
(benchmarks/dataset.py has its speed).  Each stage is a process of its own:

    generate    the parts
    merge       duplicates, splits, shards
    add         8,192 games to the data set; how many bytes of its files changed
    open        load_dataset, positions("train"), one with --where; positions/s in shuffled batches, and those of a data
                set of 4,096 games beside, in turns

Memory is the peak of what a process has of its own (RssAnon), and with the pages of mapped files (VmHWM).
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numba import njit

from mugo.data import preprocess
from mugo.data.dataset import DataSet, load_dataset
from mugo.data.game_hash import game_hashes
from mugo.data.game_index import GameArrays, ranges
from mugo.data.games_table import COLUMNS
from mugo.data.merge import merge_parts, write_meta
from mugo.data.meta import FORMAT, read_meta
from mugo.data.parts import write_part
from mugo.core.files import BadInput
from mugo.games.board import clear, new_boards
from mugo.games.coords import WHITE_BIT, symmetries
from mugo.games.planes import MAX_PLIES
from mugo.games.replay import replay, set_up
from mugo.plots.text_table import format_table

PART, SMALL, BATCH, ROUNDS = 8192, 4096, 128, 40
SOURCE_GAMES = 20_000                    # real games that are transformed, at most
OPTIONS = {"where": "", "min_moves": 20, "seed": 0, "validation": 0.02, "test": 0.02}
STAGES = ("generate", "merge", "add", "open")


# ---- games

@njit(cache=True)
def transform(size, setup, moves, symmetry, flip, swaps, keep, board, history, out_setup, out_moves):
    """Write a transformed copy of a game; returns its moves.

    swaps: int64 (n, 2), moves to exchange; they stay as they are where that is illegal.  keep: moves to keep, 0: all.
    """
    for source, out in ((setup, out_setup), (moves, out_moves)):
        for i in range(len(source)):
            out[i] = symmetry[source[i] & (WHITE_BIT - 1)] | (np.int64(source[i]) & WHITE_BIT ^ flip)
    n = min(keep, len(moves)) if keep else len(moves)
    for k in range(len(swaps)):
        i, j = swaps[k]
        if j < n:
            out_moves[i], out_moves[j] = out_moves[j], out_moves[i]
    clear(board[0], size, size)
    set_up(board[0], out_setup)
    if replay(board[0], history, out_moves, 0, n) < n:
        for k in range(len(swaps) - 1, -1, -1):
            i, j = swaps[k]
            if j < n:
                out_moves[i], out_moves[j] = out_moves[j], out_moves[i]
    return n


class Transformer:
    """Transformed copies of real games, as rows of a part."""

    def __init__(self, data: DataSet, seed: int):
        games = data.selection(size=data.board_sizes()[0])
        self._games = games.take(np.arange(0, len(games), -(-len(games) // SOURCE_GAMES)))
        self._arrays: GameArrays = self._games.arrays()
        self._ranges = ranges(self._arrays.games)
        self._table = self._games.table()[list(COLUMNS)]
        self._rng = np.random.default_rng(seed)
        self._board, self._history = new_boards(1), np.zeros(MAX_PLIES, np.uint64)

    def part(self, first: int, count: int) -> pd.DataFrame:
        """Games number first to first + count - 1."""
        chosen = self._rng.integers(len(self._games), size=count)
        setups, moves, hashes = [], [], np.empty((count, 2), np.uint64)
        for k, game in enumerate(chosen):
            setup, played = self._copy(game)
            setups.append(setup.tobytes())
            moves.append(played.tobytes())
            size = int(self._arrays.games["size"][game])
            hashes[k] = game_hashes(size, setup, played, symmetries(size))
        table = self._table.iloc[chosen].reset_index(drop=True)
        numbers = np.arange(first, first + count)
        return table.assign(
            setup=setups, moves=moves, ownership=b"", num_moves=[len(played) // 2 for played in moves],
            game_hash=hashes[:, 0], opening_hash=hashes[:, 1], file_key=numbers.astype(np.uint64),
            file=[f"{name}-{number}" for name, number in zip(table["file"], numbers, strict=True)]).astype(COLUMNS)

    def _copy(self, game: int) -> tuple[np.ndarray, np.ndarray]:
        setup_start, setup_end, start, count = (int(each[game]) for each in self._ranges)
        size, rng = int(self._arrays.games["size"][game]), self._rng
        setup = np.empty(setup_end - setup_start, np.int16)
        moves = np.empty(count, np.int16)
        kind = rng.random()
        first = rng.integers(0, 36, 3 if kind < 0.95 else 0)
        swaps = np.stack([first, first + 2 * rng.integers(1, 3, len(first))], 1)
        keep = max(30, count - int(rng.integers(1, 40))) if kind > 0.975 else 0
        n = transform(size, self._arrays.setup[setup_start:setup_end], self._arrays.moves[start:start + count],
                      symmetries(size)[rng.integers(8)], WHITE_BIT * int(rng.integers(2)), swaps, keep, self._board,
                      self._history, setup, moves)
        return setup, moves[:n]


# ---- stages, each in a process of its own

def generate(folder: Path, source: Path, games: int) -> dict[str, float]:
    transformer = Transformer(load_dataset(source), 0)
    target = folder / "set"
    target.mkdir()
    write_meta(target, {"format": FORMAT, "options": OPTIONS, "sources": [], "counts": {}, "shards": []})
    for first in range(0, games, PART):
        write_part(target, transformer.part(first, min(PART, games - first)))
    return {"bytes": float(sum(path.stat().st_size for path in (target / "unfinished").iterdir()))}


def merge(folder: Path, source: Path, games: int) -> dict[str, float]:
    data = merge_parts(folder / "set", read_meta(folder / "set"), [])
    return {"bytes": float(data.bytes), "used": data.meta["counts"]["used"], "shards": len(data.shards),
            "positions": data.meta["counts"]["positions"]}


def add(folder: Path, source: Path, games: int) -> dict[str, float]:
    before = {path: path.stat().st_mtime_ns for path in (folder / "set").glob("shard-*/*")}
    write_part(folder / "set", Transformer(load_dataset(source), 1).part(games, PART))
    start = time.perf_counter()
    data = merge_parts(folder / "set", read_meta(folder / "set"), [])
    changed = [path for path in before if path.stat().st_mtime_ns != before[path]]
    new = [path for path in (folder / "set").glob("shard-*/*") if path not in before]
    return {"merge": time.perf_counter() - start, "old files changed": len(changed), "new shards": len(new) // 6,
            "bytes": float(sum(path.stat().st_size for path in new)), "replaced": sum(map(len, data.rejected.values()))}


def open_and_use(folder: Path, source: Path, games: int) -> dict[str, float]:
    def seconds(function) -> tuple[float, Any]:
        start = time.perf_counter()
        result = function()
        return time.perf_counter() - start, result

    figures: dict[str, float] = {}
    figures["open"], data = seconds(lambda: load_dataset(folder / "set"))
    figures["positions"], positions = seconds(lambda: data.positions("train"))
    figures["where"], _ = seconds(lambda: data.positions("train", where="black_rank >= 9 and date >= '2010'"))
    figures["fingerprint"], _ = seconds(lambda: data.fingerprint)
    small = load_dataset(folder / "small").positions("train")
    rates: dict[str, list[float]] = {"small": [], "large": []}
    for k in range(ROUNDS + 2):
        for name, each in (("small", small), ("large", positions)):
            start = time.process_time()
            for step in range(4):
                each.shuffled_batch(4 * k + step, BATCH, 0)
            if k > 1:                    # compiled, and its first pages read
                rates[name].append(4 * BATCH / (time.process_time() - start))
    for name, found in rates.items():
        figures[f"positions/s, {name}"] = float(np.median(found))
    figures["ratio"] = float(np.median(np.array(rates["large"]) / np.array(rates["small"])))
    return figures


def memory_of(process: int) -> tuple[int, ...]:
    """(RssAnon, VmHWM) of a process in bytes; zeros where the system does not say, or it has ended."""
    try:
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        return tuple(1024 * int(fields[name].split()[0]) for name in ("RssAnon", "VmHWM"))
    except (OSError, KeyError):
        return 0, 0


def run_stage(stage: str, arguments: list[str]) -> dict[str, float]:
    """Run a stage; its figures, with seconds and peak memory."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, __file__, "--stage", stage, *arguments], stdout=subprocess.PIPE,
                               text=True)
    peaks, done = [0, 0], threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            peaks[:] = map(max, peaks, memory_of(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    printed, _ = process.communicate()
    done.set()
    watcher.join()
    if process.returncode:
        raise BadInput(f"the stage {stage} failed")
    return {"seconds": time.perf_counter() - start, "own": peaks[0], "mapped": peaks[1], **json.loads(printed)}


def report(games: int, found: dict[str, dict[str, float]]) -> str:
    rows = [["stage", "seconds", "games/s", "own memory, MB", "with mapped files, MB"]]
    for stage, figures in found.items():
        rows.append([stage, f"{figures['seconds']:,.1f}",
                     f"{games / figures['seconds']:,.0f}" if stage in ("generate", "merge") else "",
                     f"{figures['own'] / 1e6:,.0f}", f"{figures['mapped'] / 1e6:,.0f}"])
    merged, added, used = found["merge"], found["add"], found["open"]
    lines = [*format_table(rows), "", f"{games:,} games, {merged['used']:,.0f} used, {merged['positions']:,.0f} "
             f"positions, {merged['shards']:.0f} shards, {merged['bytes'] / games:,.0f} bytes per game",
             f"8,192 more games: {added['merge']:.1f} s, {added['bytes'] / 1e6:.1f} MB in new shards "
             f"({added['new shards']:.0f}), {added['old files changed']:.0f} old files changed, "
             f"{added['replaced']:.0f} older games replaced",
             f"opened in {used['open']:.2f} s, positions selected in {used['positions']:.2f} s, by a query in "
             f"{used['where']:.2f} s, fingerprint in {used['fingerprint']:.2f} s",
             f"shuffled positions/s of processor time: {used['positions/s, large']:,.0f}, of 4,096 games "
             f"{used['positions/s, small']:,.0f}: ratio {used['ratio']:.3f}"]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000, metavar="N", help="how many games (default: %(default)s)")
    parser.add_argument("--from", dest="source", metavar="DATASET",
                        help="data set of the games to transform (default: made of the sample games)")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER",
                        help="a new folder, which is kept (default: a temporary one)")
    parser.add_argument("--stage", choices=STAGES, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.stage:
        stages = dict(zip(STAGES, (generate, merge, add, open_and_use), strict=True))
        print(json.dumps(stages[args.stage](args.output, Path(args.source), args.games)))
        return
    folder = args.output or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    try:
        source = Path(args.source or folder / "source")
        if not args.source:
            preprocess.preprocess([str(Path(__file__).parents[1] / "data" / "gnugo-19x19.tar.gz")], source)
        make_small(load_dataset(source), folder)
        arguments = ["--games", str(args.games), "--from", str(source), "-o", str(folder)]
        print(report(args.games, {stage: run_stage(stage, arguments) for stage in STAGES}))
    finally:
        if not args.output:
            shutil.rmtree(folder)


def make_small(data: DataSet, folder: Path) -> None:
    """The data set of SMALL games to compare with."""
    target = folder / "small"
    target.mkdir()
    write_meta(target, {"format": FORMAT, "options": OPTIONS, "sources": [], "counts": {}, "shards": []})
    write_part(target, Transformer(data, 2).part(0, SMALL))
    merge_parts(target, read_meta(target), [])


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        sys.exit(f"{Path(__file__).name}: {error}")
