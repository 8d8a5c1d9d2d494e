"""Dataset: what preprocess makes of archives, as a table of games and as batches for training with any library."""
import itertools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mugo.api.position import check_number, python_errors
from mugo.core.files import MugoError
from mugo.core.limits import SEED
from mugo.games.planes import unpack

if TYPE_CHECKING:                        # pandas takes a second
    import pandas as pd

    from mugo.data.dataset import DataSet
    from mugo.data.positions import Batch

SPLITS = "train", "validation", "test"
TARGETS: "dict[str, Callable[[Batch, int], np.ndarray]]" = {
    "moves": lambda batch, size: batch.targets.astype(np.int64),
    "outcomes": lambda batch, size: batch.outcomes.astype(np.float32),
    "ownership": lambda batch, size: batch.ownership.reshape(-1, size, size),
}


class Dataset:
    """A data set, opened by load_dataset.  Games are read when they are needed.  folder: that it is in."""

    def __init__(self, opened: "DataSet"):
        self._opened, self.folder = opened, opened.folder

    @property
    def games(self) -> "pd.DataFrame":
        """A row for every game that was found: players, ranks, result, date, num_moves, split, ...; 2 kB per game.  One
        that is not used has no split, and a reject_reason."""
        return self._opened.games

    @python_errors()
    def batches(self, batch_size: int = 128, *, split: str | None = "train", targets: Sequence[str] = ("moves",),
                size: int | None = None, where: str = "", augment: bool = False, epochs: int | None = 1, seed: int = 0
                ) -> Iterator[tuple[np.ndarray, ...]]:
        """Positions in random order, (planes, moves) or (planes, *targets), at most batch_size in a batch.

        planes: uint8 (n, size, size, 48), for the side to move, as mugo.planes has them.
        targets: 'moves', int64 (n,): what was played, by move index (see move_name); 'outcomes', float32 (n,): 1 the
        side to move won, -1 it lost, 0 unknown; 'ownership', int8 (n, size, size): 1 its point at the end, -1 the
        opponent's, 0 nobody's, or not known.
        split: 'train', 'validation', 'test', None for all.  size: the board's; None: the most frequent.  where: a
        query on the columns of `games`, as "komi > 6".  augment: random symmetries of the board.  epochs: how often
        each position comes; None: without end.  Raises MugoError if there are no such positions.
        """
        n = check_number("batch_size", batch_size, 1)
        epochs_or_endless = math.inf if epochs is None else check_number("epochs", epochs, 0)
        if not set(targets) <= TARGETS.keys():
            raise MugoError(f"targets are of {', '.join(TARGETS)}, not {', '.join(targets):.60}")
        if split not in (None, *SPLITS):
            raise MugoError(f"split is one of {', '.join(SPLITS)}, or None for all, not {split!r:.40}")
        if check_number("seed", seed, SEED[0]) > SEED[1]:
            raise MugoError(f"seed is at most {SEED[1]}, not {seed}")
        positions = self._opened.positions(split, None if size is None else check_number("size", size, 1), where)

        def read() -> Iterator[tuple[np.ndarray, ...]]:
            end = epochs_or_endless * len(positions)
            for start in itertools.takewhile(lambda start: start < end, itertools.count(0, n)):
                batch = positions.shuffled(start, int(min(n, end - start)), seed, augment)
                yield unpack(batch.packed), *(TARGETS[name](batch, positions.size) for name in targets)

        return read()

    def __repr__(self) -> str:
        counts, sizes = self._opened.meta["counts"], self._opened.board_sizes()
        return (f"<Dataset {self.folder}: {counts['used']:,} games, {counts['positions']:,} positions, "
                f"{', '.join(f'{size}x{size}' for size in sizes)}>")


def load_dataset(folder: str | os.PathLike[str]) -> Dataset:
    """Open the data set in a folder, which preprocess made.  Raises MugoError, which names the file that is missing or
    damaged."""
    from mugo.data import dataset

    return Dataset(dataset.load_dataset(Path(folder)))
