"""Labels a teacher gives to positions: DATASET/teachers/NAME.labels, a record for each position, in any order.

    header    JSON in one line, padded with spaces to HEADER_BYTES: format, board size, ownership, the teacher
    record    content_hash, moves_played (which name the position), komi, the teacher's best moves, ..., CRC-32
    record    ...

Records are only appended, so a process that is killed leaves at most one that is unfinished, which `LabelWriter` cuts
off.  A record names its game by a hash, so that labels stay valid when games are added to the data set.
"""
import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from mugo.core.files import BadInput, atomic_write, lock_file, open_regular_file
from mugo.data.positions import Positions, Taught
from mugo.games.coords import MAX_SIZE, MIN_SIZE

FORMAT = 1
HEADER_BYTES = 4096
BEST_MOVES = 16
OWNERSHIP_UNIT = 127                     # of a point that certainly is the side to move's


def label_type(size: int, ownership: bool) -> np.dtype:
    """The records of labels for boards of this size: 94 bytes, and one more for each point with ownership.

    komi: White's points by komi and for handicap stones, of which the teacher was told.
    moves: the indices of its best moves, the best first; -1 where there are fewer.  probabilities: the probabilities of
    these moves.
    win_rate: the side to move's, from 0 to 1; NaN where the teacher gave no answer.  lead: the side to move's in
    points, komi included; stdev: its standard deviation; NaN: not known.
    ownership: 127 where the side to move certainly owns the point at the end, -127 where the opponent does.
    """
    return np.dtype([
        ("content_hash", "<u8"), ("moves_played", "<u2"), ("komi", "<f4"),
        ("moves", "<i2", BEST_MOVES), ("probabilities", "<f2", BEST_MOVES),
        ("win_rate", "<f4"), ("lead", "<f4"), ("stdev", "<f4"),
        *([("ownership", "i1", size ** 2)] if ownership else []), ("crc32", "<u4")])


def has_ownership(records: np.ndarray) -> bool:
    """Whether these records hold ownership."""
    return "ownership" in (records.dtype.names or ())


def set_policy(record: np.ndarray, priors: np.ndarray) -> None:
    """Write the best moves of priors, float (moves,), to a record; those of probability 0 are none."""
    best = np.argsort(-priors, kind="stable")[:BEST_MOVES]
    best = best[priors[best] > 0]
    record["moves"], record["probabilities"] = -1, 0
    record["moves"][:len(best)], record["probabilities"][:len(best)] = best, priors[best]


@dataclass(frozen=True)
class TeacherLabels:
    """An open file of labels.  header: size, ownership, teacher.  records: label_type (n,), mapped and read-only."""

    path: Path
    header: dict[str, Any]
    records: np.ndarray

    def answered(self, positions: Positions) -> tuple[np.ndarray, np.ndarray]:
        """The indices of the positions that the teacher has answered, and the rows of its answers: int64 (n,) each.

        Raises BadInput if the labels are for another board.
        """
        if self.header["size"] != positions.size:
            size = self.header["size"]
            raise BadInput(f"{self.path} labels positions on {size}x{size}, not on {positions.size}x{positions.size}")
        indices = find_positions(self.records, positions)
        rows = np.flatnonzero((indices >= 0) & ~np.isnan(self.records["win_rate"]))
        return indices[rows], rows


def taught_positions(positions: Positions, teachers: Sequence[TeacherLabels]) -> Positions:
    """Those of these positions that each of the teachers has answered, with what they say (Batch.teachers).

    Raises BadInput if labels are for another board, or there are none of these positions.
    """
    indices, rows = teachers[0].answered(positions)
    table = rows[None]
    for teacher in teachers[1:]:
        others, rows = teacher.answered(positions)
        indices, mine, its = np.intersect1d(indices, others, return_indices=True)
        table = np.concatenate([table[:, mine], rows[None, its]])
    if not len(indices):
        paths = " and ".join(str(teacher.path) for teacher in teachers)
        raise BadInput(f"{paths}: labels of none of these positions: were they of other games?")
    return replace(positions, taught=Taught(indices, table, tuple(teachers)))


def find_positions(records: np.ndarray, positions: Positions) -> np.ndarray:
    """The index among these positions of each record's, int64 (n,); -1 where it is none of them."""
    hashes = positions.games.column("content_hash")
    order = np.argsort(hashes, kind="stable")
    place = np.searchsorted(hashes, records["content_hash"], sorter=order)
    game = order[np.minimum(place, len(order) - 1)]
    first, end = positions.first_index[game], positions.first_index[game + 1]
    index = first + records["moves_played"] - np.broadcast_to(positions.skip_moves, len(hashes))[game]
    return np.where((hashes[game] == records["content_hash"]) & (first <= index) & (index < end), index, -1)


def labels_path(folder: Path, name: str) -> Path:
    """The file of a teacher's labels in the folder of a data set.  Raises BadInput for a name with a slash."""
    if not name or Path(name).name != name:
        raise BadInput(f"{name!r} is no name of a teacher: give a word, as a file of this name is made in the folder "
                       "of the data set")
    return folder / "teachers" / f"{name}.labels"


def open_labels(path: Path) -> TeacherLabels:
    """Open a file of labels, and check every record but the last, which may be half written.  Raises BadInput."""
    labels, damaged = _open(path)
    _refuse(path, damaged)
    return labels


def _refuse(path: Path, damaged: np.ndarray) -> None:
    if len(damaged):
        raise BadInput(f"{path} is damaged: the checksum of record {damaged[0]:,} is wrong; delete it and label again")


def _open(path: Path) -> tuple[TeacherLabels, np.ndarray]:
    """(the labels, the numbers of the records whose checksum is wrong), without a last record that is half written."""
    try:
        with open_regular_file(path) as file:
            head = file.read(HEADER_BYTES)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        raise BadInput(f"there is no {path}: `mugo label` makes it") from None
    header = _parse_header(head, path)
    kind = label_type(header["size"], header["ownership"])
    count = (size - HEADER_BYTES) // kind.itemsize
    records = np.memmap(path, kind, "r", HEADER_BYTES, (count,)) if count else np.zeros(0, kind)
    return TeacherLabels(path, header, records), np.flatnonzero(_checksums(records) != records["crc32"])


def _checksums(records: np.ndarray) -> np.ndarray:
    """The CRC-32 of each record, without its field crc32: uint32 (n,)."""
    step, content = records.dtype.itemsize, np.ascontiguousarray(records).view(np.uint8).data
    return np.fromiter((zlib.crc32(content[start:start + step - 4]) for start in range(0, len(content), step)),
                       np.uint32, len(records))


def _parse_header(head: bytes, path: Path) -> dict[str, Any]:
    try:
        header = json.loads(head)
        if (header["format"] == FORMAT and type(header["ownership"]) is bool and type(header["size"]) is int
                and MIN_SIZE <= header["size"] <= MAX_SIZE and isinstance(header["teacher"], dict)):
            return header
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise BadInput(f"{path} is no file of labels of format {FORMAT}, which `mugo label` writes")


class LabelWriter:
    """Appends records to a file of labels, which it locks; a context manager.

    resume: continue a file, whose header must be this one.  Raises BadInput if there is one and resume is not given, if
    it is another teacher's, and if another process writes to it.  labels: those at the beginning.
    """

    def __init__(self, path: Path, header: dict[str, Any], resume: bool):
        header = {"format": FORMAT, **header}
        if path.exists() and not resume:
            raise BadInput(f"{path} exists: --resume continues it, or give -o another name")
        if not path.exists():
            text = json.dumps(header).encode()
            with atomic_write(path) as temporary:
                temporary.write_bytes(text.ljust(HEADER_BYTES - 1) + b"\n")
        self._file = open(path, "r+b")
        lock_file(self._file.fileno(), path)
        labels, damaged = _open(path)
        if other := next((name for name in header if labels.header.get(name) != header[name]), None):
            raise BadInput(f"{path} was made with {other} {json.dumps(labels.header.get(other))[:200]}, not "
                           f"{json.dumps(header[other])[:200]}: give -o another name")
        whole = len(labels.records)
        while len(damaged) and damaged[-1] == whole - 1:         # what a power failure left of the last seconds
            whole, damaged = whole - 1, damaged[:-1]
        self.labels = replace(labels, records=labels.records[:whole])
        _refuse(path, damaged)
        self._file.truncate(HEADER_BYTES + whole * labels.records.dtype.itemsize)
        self._file.seek(0, os.SEEK_END)

    def append(self, records: np.ndarray) -> None:
        """Append records, label_type (n,), whose checksums are set here; they outlive a kill of this process."""
        records["crc32"] = _checksums(records)
        self._file.write(records.tobytes())
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            os.fsync(self._file.fileno())


