"""The shuffle by opening: what the search for duplicates needs of each game, in files by the first bits of its opening
hash.

    games of all shards and parts --> bucket-00 | bucket-01 | ...       a bucket is in memory at a time

Copies of a game, and truncated ones, have its opening hash, so they are in one bucket.
"""
from collections.abc import Iterator
from pathlib import Path

import numpy as np

BUCKET_GAMES = 1 << 20                   # on average; 32 MB
MAX_BUCKETS = 256
KEY = np.dtype([("opening_hash", "<u8"), ("game_hash", "<u8"), ("label", "<i8"), ("num_moves", "<i4")])


class OpeningBuckets:
    """Keys of games, written by `add`, and read bucket by bucket."""

    def __init__(self, folder: Path, games: int):
        """folder: for the files, which is made.  games: about how many there are."""
        self.bits = min(MAX_BUCKETS - 1, games // BUCKET_GAMES).bit_length()
        folder.mkdir(parents=True, exist_ok=True)
        self._paths = [folder / f"bucket-{number:02x}" for number in range(1 << self.bits)]
        for path in self._paths:
            path.write_bytes(b"")

    def add(self, opening_hash: np.ndarray, game_hash: np.ndarray, label: np.ndarray, num_moves: np.ndarray) -> None:
        """Add the keys of games, each (n,); labels are unique numbers."""
        keys = np.empty(len(label), KEY)
        for name, column in zip(KEY.names or (), (opening_hash, game_hash, label, num_moves), strict=True):
            keys[name] = column
        bucket = (keys["opening_hash"] >> np.uint64(63 - self.bits) >> np.uint64(1)).astype(np.int64)
        order = np.argsort(bucket, kind="stable")
        ends = np.searchsorted(bucket[order], np.arange(len(self._paths) + 1))
        for path, start, end in zip(self._paths, ends[:-1], ends[1:], strict=True):
            if start < end:
                with open(path, "ab") as file:
                    file.write(keys[order[start:end]].data)

    def __iter__(self) -> Iterator[np.ndarray]:
        """The keys of each bucket, KEY (n,)."""
        for path in self._paths:
            yield np.fromfile(path, KEY)
