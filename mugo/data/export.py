"""A data set's positions as plain .npy files, to train on elsewhere:  mugo export DATASET -o FOLDER

    planes.npy      uint8 (n, size, size, 48), 0 or 1; with --packed uint8 (n, size², 6), an eighth of it
    moves.npy       int32 (n,): the move index played: row * size + column from the upper left, size² a pass
    outcomes.npy    int8 (n,): 1 the side to move won, -1 it lost, 0 not known or drawn
    export.json     the planes by name, and what was exported

Row i of each is the same position, seen by its side to move.  Nothing is held in memory, so
numpy.load(..., mmap_mode="r") is how to read what is larger than that.  FOLDER appears when all is
written, and not before.  `mugo train` needs none of this: it makes planes as it goes.
"""
import argparse
import contextlib
import errno
import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from tqdm import tqdm

from mugo.data import dataset
from mugo.data.dataset import DataSet, Positions
from mugo.files import BadInput, atomic_write, fsync_folder, lock_folder
from mugo.games import planes
from mugo.limits import AT_LEAST_1, SEED, check_limits
from mugo.parallel import ordered_map

CHUNK = 512                              # rows made at a time: 9 MB of planes on 19x19
SYMMETRIES = {
    "none": "as it was played",
    "random": "in one of the eight symmetries of the board, drawn at random",
    "all": "eight times, one row after the other, in all symmetries of the board",
}

# What export.json says of the arrays.
PLAIN_PLANES = "0 or 1 at (row, column, plane), for the side to move"
PACKED_PLANES = ("plane k is bit k % 8 of byte k // 8 at (row * size + column): numpy.unpackbits(x, axis=-1, "
                 f"bitorder='little').reshape(-1, size, size, {planes.DEPTH})")
MOVES = "move index played: row * size + column from the upper left, size * size is a pass"
OUTCOMES = "1: the side to move won, -1: it lost, 0: not known, or drawn"


def export(data: DataSet, folder: Path, *, split: str | None = "train", size: int | None = None,
           where: str = "", count: int | None = None, packed: bool = False, symmetries: str = "none",
           shuffle: bool = False, seed: int = 0) -> int:
    """Write positions of a data set to a new folder; returns how many rows each array has.

    split: one of dataset.SPLITS, or None for all.  size: None is the most frequent board size.
    count: so many positions, drawn at random by seed (None: all).  shuffle: rows in random order, by
    seed; otherwise as the games stand in the data set, move by move.  symmetries: see SYMMETRIES.
    Raises BadInput if folder is there already, the disk is too small, or there are no such positions.
    """
    if os.path.lexists(folder):
        raise BadInput(f"{folder} is there already: remove it, or give -o another name")
    positions = data.positions(split, size, where)
    n = min(len(positions), count or len(positions))
    turned = 8 if symmetries == "all" else 1
    rows = n * turned
    arrays = {
        "planes.npy": (np.uint8, (rows, positions.size ** 2, planes.PACKED) if packed
                       else (rows, positions.size, positions.size, planes.DEPTH)),
        "moves.npy": (np.int32, (rows,)),
        "outcomes.npy": (np.int8, (rows,)),
    }
    needed = sum(np.dtype(dtype).itemsize * int(np.prod(shape)) for dtype, shape in arrays.values())
    advice = "try --positions N" if packed else "--packed takes an eighth, or try --positions N"
    check_space(folder, needed, advice)
    meanings = dict(zip(arrays, (PACKED_PLANES if packed else PLAIN_PLANES, MOVES, OUTCOMES), strict=True))
    about = {
        "format": 1, "size": positions.size, "rows": rows, "positions": n,
        "split": split or "all", "where": where, "symmetries": f"each position {SYMMETRIES[symmetries]}",
        "order": "shuffled" if shuffle else "of the games and their moves", "seed": seed,
        "data_set": {"name": data.folder.resolve().name, "fingerprint": data.fingerprint,
                     "sources": [source["label"] for source in data.meta["sources"]]},
        "arrays": {name: {"dtype": np.dtype(dtype).name, "shape": shape, "meaning": meanings[name]}
                   for name, (dtype, shape) in arrays.items()},
        "planes": plane_rows(),
    }

    def make(chunk: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, ...]:
        batch = positions.batch(*chunk)
        return batch.packed if packed else planes.unpack(batch.packed), batch.targets, batch.outcomes

    unfinished = folder.with_name(f".{folder.name}.unfinished")
    written = 0
    with lock_folder(unfinished):
        try:
            threads = os.cpu_count() or 1
            for stale in unfinished.iterdir():           # of a run that was killed
                stale.unlink()
            with contextlib.ExitStack() as stack:
                files = [stack.enter_context(_new_array(unfinished / name, *arrays[name])) for name in arrays]
                executor = stack.enter_context(ThreadPoolExecutor(threads))
                bar = stack.enter_context(tqdm(total=rows, unit=" positions", unit_scale=True))
                chunks = choose(positions, n, symmetries, shuffle, seed)
                for made in ordered_map(executor, make, chunks, max_in_flight=2 * threads):
                    for file, array in zip(files, made, strict=True):
                        file.write(np.ascontiguousarray(array).data)
                    written += len(made[0])
                    bar.update(len(made[0]))
                for file in files:
                    file.flush()
                    os.fsync(file.fileno())
            with atomic_write(unfinished / "export.json") as path:
                path.write_text(json.dumps(about, indent=1))
            unfinished.rename(folder)
            fsync_folder(folder.resolve().parent)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise BadInput(f"{folder}: the disk is full after {written:,} of {rows:,} positions; nothing was kept"
                           ) from None
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return rows


def choose(positions: Positions, n: int, symmetries: str, shuffle: bool, seed: int
           ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Chunks of (int64 position numbers, int64 symmetries), as `export` says; n is how many positions."""
    step = CHUNK // 8 if symmetries == "all" else CHUNK
    drawn = None                         # of a part in the order of the games, the numbers: 8 bytes each
    if n < len(positions) and not shuffle:
        drawn = np.sort(dataset.shuffled(0, n, len(positions), seed)[0])
    for start in range(0, n, step):
        count = min(step, n - start)
        numbers, turns = dataset.shuffled(start, count, len(positions), seed)
        if not shuffle:
            numbers = np.arange(start, start + count) if drawn is None else drawn[start:start + count]
        if symmetries == "all":
            numbers, turns = np.repeat(numbers, 8), np.tile(np.arange(8), count)
        elif symmetries == "none":
            turns = np.zeros(count, np.int64)
        yield numbers, turns


def plane_rows() -> list[dict]:
    """The table of planes, each with the place of its first."""
    first = 0
    rows = []
    for plane in planes.PLANES:
        rows.append({"name": plane.name, "first": first, "depth": plane.depth, "meaning": plane.meaning})
        first += plane.depth
    return rows


def check_space(folder: Path, needed: int, advice: str) -> None:
    """Raise BadInput if so many bytes do not fit on the disk where folder will be."""
    there = next(parent for parent in folder.absolute().parents if parent.exists())
    free = shutil.disk_usage(there).free
    if needed > free:
        raise BadInput(f"{folder}: this takes {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free "
                       f"there; {advice}")


def _new_array(path: Path, dtype, shape: tuple[int, ...]):
    """A file that begins as a .npy file of this array does; its rows are to be written to it.

    Not a memory map: a full disk would end the program there, here it raises OSError.
    """
    file = open(path, "wb")
    np.lib.format.write_array_header_1_0(
        file, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape})
    return file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="a folder made by preprocess")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER", help="a new folder")
    parser.add_argument("--split", choices=(*dataset.SPLITS, "all"), default="train",
                        help="the games of one split (default %(default)s)")
    parser.add_argument("--size", type=int, metavar="N",
                        help="board size (default: the data set's most frequent)")
    parser.add_argument("--where", default="", metavar="QUERY", help="of these games only: a pandas query")
    parser.add_argument("--positions", type=float, metavar="N",
                        help="so many, drawn at random (default: all)")
    parser.add_argument("--packed", action="store_true", help="leave the planes packed, eight to a byte")
    parser.add_argument("--symmetries", choices=tuple(SYMMETRIES), default="none",
                        help="each position as it was played (none), turned at random, or all eight times")
    parser.add_argument("--shuffle", action="store_true",
                        help="rows in random order (default: game after game, move by move)")
    parser.add_argument("--seed", type=int, default=0,
                        help="of everything drawn at random (default %(default)s)")


def command(args: argparse.Namespace) -> int:
    check_limits(args, {"positions": AT_LEAST_1, "seed": SEED})
    data = dataset.open_dataset(args.dataset)
    rows = export(data, args.output, split=None if args.split == "all" else args.split, size=args.size,
                  where=args.where, count=int(args.positions) if args.positions else None, packed=args.packed,
                  symmetries=args.symmetries, shuffle=args.shuffle, seed=args.seed)
    size = sum(path.stat().st_size for path in args.output.iterdir())
    print(f"{args.output}: {rows:,} positions, {size / 1e9:,.2f} GB")
    return 0
