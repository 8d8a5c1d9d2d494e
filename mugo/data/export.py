"""A data set's positions as .npy files, for training elsewhere:  mugo export DATASET -o FOLDER

    planes.npy          uint8 (n, size, size, 48), 0 or 1; with --packed uint8 (n, size², 6), an eighth of the size
    moves.npy           int32 (n,): the move index played: row * size + column from the upper left, size² a pass
    outcomes.npy        int8 (n,): 1 the side to move won, -1 it lost, 0 unknown or a draw
    colours.npy         int8 (n,): the side to move, 1 Black, -1 White
    komi.npy            float32 (n,): points that the side to move gets, negative for Black; NaN: unknown
    next_moves.npy      int32 (n, 2): the opponent's reply and the own move after it; -1: none
    ownership.npy       int8 (n, size²): final ownership: 1 the side to move, -1 the opponent, 0 neutral or unknown
    scores.npy          float32 (n,): own area at the end minus the opponent's, without komi; NaN: unknown
    handicap_gains.npy  float32 (n,): points that the side to move is expected to gain as the stronger player of a
                        handicap game from here on, negative for the weaker one (games/handicap.py)
    export.json         the planes by name, and what was exported

Row i of each array is the same position, seen by its side to move.  The arrays are written in chunks, so they may be
larger than the memory; read them with numpy.load(..., mmap_mode="r").  FOLDER appears only when everything is
written.  `mugo train` does not need this: it encodes planes during training.
"""
import argparse
import contextlib
import errno
import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from mugo.data.dataset import DataSet, load_dataset
from mugo.data.game_index import SPLITS
from mugo.data.meta import DATASET_HELP, WHERE_HELP
from mugo.data.positions import Positions
from mugo.data.shuffle import shuffled_positions
from mugo.core.files import BadInput, atomic_write, fsync_folder, lock_folder
from mugo.games import planes
from mugo.core.limits import SEED
from mugo.core.options import add_options, check, given, option
from mugo.core.parallel import ordered_map
from mugo.core.progress import ProgressBar, progress_bar
from mugo.games.coords import MAX_SIZE, MIN_SIZE

CHUNK = 512                              # rows made at a time: 9 MB of planes on 19x19
SYMMETRIES = {
    "none": "as it was played",
    "random": "under one of the eight symmetries of the board, drawn at random",
    "all": "eight times, in consecutive rows, under all symmetries of the board",
}
Layout = dict[str, tuple[type, tuple[int, ...]]]         # name of an array: (dtype, shape)

# The arrays in the words of export.json; in the order of positions.Batch.
PLAIN_PLANES = "0 or 1 at (row, column, plane), for the side to move"
PACKED_PLANES = ("plane k is bit k % 8 of byte k // 8 at (row * size + column): numpy.unpackbits(x, axis=-1, "
                 f"bitorder='little').reshape(-1, size, size, {planes.DEPTH})")
MOVES = "move index played: row * size + column from the upper left, size * size is a pass"
OUTCOMES = "1: the side to move won, -1: it lost, 0: unknown or a draw"
COLOURS = "the side to move, 1: Black, -1: White"
KOMI = "points that the side to move gets by komi and for handicap stones, negative for Black; NaN: unknown"
NEXT_MOVES = "move indices of the opponent's reply and of the own move after it; -1: none"
OWNERSHIP = ("at row * size + column, 1: the side to move owns the point at the end of the game, -1: the opponent, "
          "0: neutral or unknown")
SCORES = "own area minus the opponent's at the end of the game, without komi; NaN: unknown"
GAINS = ("points that the side to move is expected to gain as the stronger player of a handicap game from here on, "
         "negative for the weaker one")


@dataclass(frozen=True)
class ExportOptions:
    """The options of `mugo export`.  Raises BadInput for values out of their limits."""
    split: str = option("train", "positions of this split", choices=(*SPLITS, "all"), common=True)
    where: str = option("", WHERE_HELP, shown_default="all", metavar="QUERY", common=True)
    size: int | None = option(None, "board size", least=MIN_SIZE, most=MAX_SIZE, common=True,
                              shown_default="the data set's most frequent")
    sample: int = option(0, "number of positions, drawn at random; 0: all", least=0, common=True)
    symmetries: str = option("none", "each position as played (none), under a random symmetry, or under all eight",
                             choices=SYMMETRIES, common=True)
    packed: bool = option(False, "leave the planes packed, eight per byte", common=True)
    shuffle: bool = option(False, "rows in random order instead of that of the games and their moves", common=True)
    seed: int = option(0, "random seed", least=SEED[0], most=SEED[1], common=True)

    def __post_init__(self):
        check(self)


def export(data: DataSet, folder: Path, *, split: str | None = "train", size: int | None = None,
           where: str = "", count: int = 0, packed: bool = False, symmetries: str = "none",
           shuffle: bool = False, seed: int = 0) -> int:
    """Write positions of a data set to a new folder; returns the number of rows of each array.

    split: one of game_index.SPLITS, or None for all.  size: board size; None for the most frequent.
    count: number of positions, drawn at random by seed; 0 for all.  packed: leave planes packed.
    symmetries: a key of SYMMETRIES.  shuffle: rows in random order, by seed; otherwise in the order of the games
    and their moves.  Raises BadInput if the folder exists, the disk is too small, or no position is selected.
    """
    if os.path.lexists(folder):
        raise BadInput(f"{folder} exists: delete it, or choose another name with -o")
    positions = data.positions(split, size, where)
    n = min(len(positions), count or len(positions))
    rows = n * (8 if symmetries == "all" else 1)
    layout: Layout = {
        "planes.npy": (np.uint8, (rows, positions.size ** 2, planes.PACKED) if packed
                       else (rows, positions.size, positions.size, planes.DEPTH)),
        "moves.npy": (np.int32, (rows,)),
        "outcomes.npy": (np.int8, (rows,)),
        "colours.npy": (np.int8, (rows,)),
        "komi.npy": (np.float32, (rows,)),
        "next_moves.npy": (np.int32, (rows, 2)),
        "ownership.npy": (np.int8, (rows, positions.size ** 2)),
        "scores.npy": (np.float32, (rows,)),
        "handicap_gains.npy": (np.float32, (rows,)),
    }
    needed = sum(np.dtype(dtype).itemsize * int(np.prod(shape)) for dtype, shape in layout.values())
    advice = "try --sample N" if packed else "--packed takes an eighth of it, or try --sample N"
    check_space(folder, needed, advice)
    description = {
        "format": 1, "size": positions.size, "rows": rows, "positions": n,
        "split": split or "all", "where": where, "symmetries": f"each position {SYMMETRIES[symmetries]}",
        "order": "shuffled" if shuffle else "of the games and their moves", "seed": seed,
        "data_set": {"name": data.folder.resolve().name, "fingerprint": data.fingerprint,
                     "sources": [source["label"] for source in data.meta["sources"]]},
        "arrays": describe_arrays(layout, packed), "planes": describe_planes(),
    }
    chunks = chunks_of(positions, n, symmetries, shuffle, seed)
    _write_folder(folder, layout, description, positions, chunks, packed)
    return rows


def _write_folder(folder: Path, layout: Layout, description: dict, positions: Positions,
                  chunks: Iterator[tuple[np.ndarray, np.ndarray]], packed: bool) -> None:
    """Write arrays and export.json to a hidden folder and rename it.  Raises BadInput if the disk is full."""
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    rows = description["rows"]
    with (lock_folder(unfinished), progress_bar("positions", rows, scale=True) as bar):
        try:
            for stale in unfinished.iterdir():           # of an export that was killed
                stale.unlink()
            _write_arrays(unfinished, layout, positions, chunks, packed, bar)
            with atomic_write(unfinished / "export.json") as path:
                path.write_text(json.dumps(description, indent=1))
            unfinished.rename(folder)
            fsync_folder(folder.resolve().parent)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise BadInput(f"{folder}: the disk is full after {bar.n:,} of {rows:,} positions; nothing was kept"
                           ) from None
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _write_arrays(folder: Path, layout: Layout, positions: Positions,
                  chunks: Iterator[tuple[np.ndarray, np.ndarray]], packed: bool, bar: ProgressBar) -> None:
    """Encode chunks in threads and append their rows to the .npy files."""
    def encode(chunk: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, ...]:
        batch = positions.batch(*chunk)
        return batch.packed if packed else planes.unpack(batch.packed), *batch[1:]

    threads = os.cpu_count() or 1
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(_new_array(folder / name, *layout[name])) for name in layout]
        executor = stack.enter_context(ThreadPoolExecutor(threads))
        for arrays in ordered_map(executor, encode, chunks, max_in_flight=2 * threads):
            for file, array in zip(files, arrays, strict=True):
                file.write(np.ascontiguousarray(array).data)
            bar.update(len(arrays[0]))
        for file in files:
            file.flush()
            os.fsync(file.fileno())


def chunks_of(positions: Positions, n: int, symmetries: str, shuffle: bool, seed: int
              ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Chunks of at most CHUNK (position indices, symmetries), both int64, in the order of the rows of `export`.

    n: how many positions; the other parameters are those of `export`.
    """
    step = CHUNK // 8 if symmetries == "all" else CHUNK
    sample = None                        # sorted indices of a random part: 8 bytes each
    if n < len(positions) and not shuffle:
        sample = np.sort(shuffled_positions(0, n, len(positions), seed)[0])
    for start in range(0, n, step):
        count = min(step, n - start)
        indices, symmetry = shuffled_positions(start, count, len(positions), seed)
        if not shuffle:
            indices = np.arange(start, start + count) if sample is None else sample[start:start + count]
        if symmetries == "all":
            indices, symmetry = np.repeat(indices, 8), np.tile(np.arange(8), count)
        elif symmetries == "none":
            symmetry = np.zeros(count, np.int64)
        yield indices, symmetry


def describe_arrays(layout: Layout, packed: bool) -> dict[str, dict]:
    """The arrays as export.json has them."""
    meanings = (PACKED_PLANES if packed else PLAIN_PLANES, MOVES, OUTCOMES, COLOURS, KOMI, NEXT_MOVES, OWNERSHIP,
                SCORES, GAINS)
    return {name: {"dtype": np.dtype(dtype).name, "shape": shape, "meaning": meaning}
            for (name, (dtype, shape)), meaning in zip(layout.items(), meanings, strict=True)}


def describe_planes() -> list[dict]:
    """The table of planes as export.json has it; "first": the index of a group's first plane."""
    first = 0
    rows = []
    for plane in planes.PLANES:
        rows.append({"name": plane.name, "first": first, "depth": plane.depth, "meaning": plane.meaning})
        first += plane.depth
    return rows


def check_space(folder: Path, needed: int, advice: str) -> None:
    """Raise BadInput, with advice, if the disk of `folder` has less than `needed` bytes free."""
    existing = next(parent for parent in folder.absolute().parents if parent.exists())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise BadInput(f"{folder}: this takes {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free; {advice}")


def _new_array(path: Path, dtype: type, shape: tuple[int, ...]) -> BinaryIO:
    """A file with the header of a .npy file; its rows are to be appended.

    Not a memory map: on a full disk that kills the process, while writing raises OSError.
    """
    file = open(path, "wb")
    np.lib.format.write_array_header_1_0(
        file, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape})
    return file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER", help="a new folder")
    add_options(parser, ExportOptions)


def command(args: argparse.Namespace) -> int:
    options = ExportOptions(**given(ExportOptions, args))
    rows = export(load_dataset(args.dataset), args.output, split=None if options.split == "all" else options.split,
                  size=options.size, where=options.where, count=options.sample, packed=options.packed,
                  symmetries=options.symmetries, shuffle=options.shuffle, seed=options.seed)
    size = sum(path.stat().st_size for path in args.output.iterdir())
    print(f"{args.output}: {rows:,} positions, {size / 1e9:,.2f} GB")
    return 0
