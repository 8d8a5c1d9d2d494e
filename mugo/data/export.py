"""A data set's positions as .npy files, for training elsewhere:  mugo export DATASET -o FOLDER

    planes.npy, moves.npy, outcomes.npy, ...      the fields of positions.Batch; see arrays_of
    export.json                                   what they mean, the planes by name, and what was exported

Row i of each array is the same position, seen by its side to move.  FOLDER appears only when everything is written.
"""
import argparse
import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mugo.data.dataset import DataSet, load_dataset
from mugo.data.options import ExportOptions
from mugo.data.positions import Positions
from mugo.data.game_hash import shuffled_positions
from mugo.core.files import BadInput, atomic_write, fsync_folder, lock_folder
from mugo.games import planes
from mugo.core.machine import available_cores
from mugo.core.options import given
from mugo.core.parallel import ordered_map
from mugo.core.progress import ProgressBar, progress_bar

CHUNK = 512                              # rows made at a time: 9 MB of planes on 19x19
Arrays = dict[str, tuple[type, tuple[int, ...], str]]    # name of a file: (dtype, shape, meaning)


def arrays_of(rows: int, size: int, packed: bool) -> Arrays:
    """The files of an export, in the order of positions.Batch, with their meaning for export.json."""
    points = size ** 2
    plain = (np.uint8, (rows, size, size, planes.DEPTH), "0 or 1 at (row, column, plane), for the side to move")
    return {
        "planes.npy": plain if not packed else (
            np.uint8, (rows, points, planes.PACKED),
            "plane k is bit k % 8 of byte k // 8 at (row * size + column): numpy.unpackbits(x, axis=-1, "
            f"bitorder='little').reshape(-1, size, size, {planes.DEPTH})"),
        "moves.npy": (np.int32, (rows,),
                      "move index played: row * size + column from the upper left, size * size is a pass"),
        "outcomes.npy": (np.int8, (rows,), "1: the side to move won, -1: it lost, 0: unknown or a draw"),
        "colours.npy": (np.int8, (rows,), "the side to move, 1: Black, -1: White"),
        "komi.npy": (np.float32, (rows,), "points that the side to move gets by komi and for handicap stones, negative "
                     "for Black; NaN: unknown"),
        "next_moves.npy": (np.int32, (rows, 2),
                           "move indices of the opponent's reply and of the own move after it; -1: none"),
        "ownership.npy": (np.int8, (rows, points), "at row * size + column, 1: the side to move owns the point at the "
                          "end of the game, -1: the opponent, 0: neutral or unknown"),
        "scores.npy": (np.float32, (rows,), "own area minus the opponent's at the end of the game, without komi; NaN: "
                       "unknown"),
        "handicap_gains.npy": (np.float32, (rows,), "points that the side to move is expected to gain as the stronger "
                               "player of a handicap game from here on, negative for the weaker one"),
    }


def export(data: DataSet, folder: Path, options: ExportOptions) -> int:
    """Write positions of a data set to a new folder; returns the number of rows of each array.  Raises BadInput if the
    folder exists, the disk is too small, or no position is selected."""
    if os.path.lexists(folder):
        raise BadInput(f"{folder} exists: delete it, or choose another name with -o")
    positions = data.positions(None if options.split == "all" else options.split, options.size, options.where)
    n = min(len(positions), options.sample or len(positions))
    arrays = arrays_of(n, positions.size, options.packed)
    needed = sum(np.dtype(dtype).itemsize * int(np.prod(shape)) for dtype, shape, _ in arrays.values())
    free = shutil.disk_usage(next(parent for parent in folder.absolute().parents if parent.exists())).free
    if needed > free:
        advice = "try --sample N" if options.packed else "--packed takes an eighth of it, or try --sample N"
        raise BadInput(f"{folder}: this takes {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free; {advice}")
    description = {
        "format": 1, "size": positions.size, "rows": n, "split": options.split, "where": options.where,
        "order": "shuffled" if options.shuffle else "of the games and their moves", "seed": options.seed,
        "data_set": {"name": data.folder.resolve().name, "fingerprint": data.fingerprint,
                     "sources": [source["label"] for source in data.meta["sources"]]},
        "arrays": {name: {"dtype": np.dtype(dtype).name, "shape": shape, "meaning": meaning}
                   for name, (dtype, shape, meaning) in arrays.items()},
        "planes": describe_planes(),
    }
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    with (lock_folder(unfinished), progress_bar("positions", n, scale=True) as bar):
        try:
            for stale in unfinished.iterdir():           # of an export that was killed
                stale.unlink()
            _write_arrays(unfinished, arrays, positions, n, options, bar)
            with atomic_write(unfinished / "export.json") as path:
                path.write_text(json.dumps(description, indent=1))
            unfinished.rename(folder)
            fsync_folder(folder.resolve().parent)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return n


def _write_arrays(folder: Path, arrays: Arrays, positions: Positions, n: int, options: ExportOptions, bar: ProgressBar
                  ) -> None:
    """Encode chunks in threads and append their rows to the .npy files."""
    def encode(indices: np.ndarray) -> tuple[Any, ...]:
        batch = positions.batch(indices)
        return batch.packed if options.packed else planes.unpack(batch.packed), *batch[1:len(arrays)]

    threads = available_cores()
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(_new_array(folder / name, dtype, shape))
                 for name, (dtype, shape, _) in arrays.items()]
        executor = stack.enter_context(ThreadPoolExecutor(threads))
        for encoded in ordered_map(executor, encode, chunks_of(positions, n, options), max_in_flight=2 * threads):
            for file, array in zip(files, encoded, strict=True):
                file.write(np.ascontiguousarray(array).data)
            bar.update(len(encoded[0]))
        for file in files:
            file.flush()
            os.fsync(file.fileno())


def chunks_of(positions: Positions, n: int, options: ExportOptions) -> Iterator[np.ndarray]:
    """The indices of n positions in the order of the rows, int64, at most CHUNK at a time."""
    sample = None                        # sorted indices of a random part: 8 bytes each
    if n < len(positions) and not options.shuffle:
        sample = np.sort(shuffled_positions(0, n, len(positions), options.seed)[0])
    for start in range(0, n, CHUNK):
        end = min(start + CHUNK, n)
        if options.shuffle:
            yield shuffled_positions(start, end - start, len(positions), options.seed)[0]
        else:
            yield np.arange(start, end) if sample is None else sample[start:end]


def describe_planes() -> list[dict]:
    """The table of planes as export.json has it; "first": the index of a group's first plane."""
    ends = np.cumsum([plane.depth for plane in planes.PLANES]).tolist()
    return [{"name": plane.name, "first": end - plane.depth, "depth": plane.depth, "meaning": plane.meaning}
            for plane, end in zip(planes.PLANES, ends, strict=True)]


def _new_array(path: Path, dtype: type, shape: tuple[int, ...]) -> BinaryIO:
    """A file with the header of a .npy file; its rows are to be appended.

    Not a memory map: on a full disk that kills the process, while writing raises OSError.
    """
    file = open(path, "wb")
    np.lib.format.write_array_header_1_0(
        file, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape})
    return file


def command(args: argparse.Namespace) -> int:
    rows = export(load_dataset(args.dataset), args.output, ExportOptions(**given(ExportOptions, args)))
    size = sum(path.stat().st_size for path in args.output.iterdir())
    print(f"{args.output}: {rows:,} positions, {size / 1e9:,.2f} GB")
    return 0
