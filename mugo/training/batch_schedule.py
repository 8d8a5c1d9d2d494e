"""The sizes of a run's batches, which may double as it goes on (Smith et al. 2018, arXiv:1711.00489).

    step        0    1    2  ...        n  n+1 ...
    batch size  64   64   64 ...       128 128 ...      256 ... to the end
    position    0    64   128 ...     every            2 * every
"""
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class BatchSchedule:
    """Batches of `first` positions; of twice as many after every `every` positions, up to `last`.

    last: `first` times a power of two.  every: a multiple of `last`, so that each size begins at a multiple of itself
    in the stream of positions.
    """

    first: int
    last: int
    every: int

    def phases(self) -> Iterator[tuple[int, int, int]]:
        """(first step, first position, batch size), for each size."""
        step = position = 0
        size = self.first
        while True:
            yield step, position, size
            if size >= self.last:
                return
            step, position, size = step + self.every // size, position + self.every, 2 * size

    def size_at(self, step: int) -> int:
        """The size of batch number `step`, from 0."""
        return max(phase for phase in self.phases() if phase[0] <= step)[2]

    def positions_at(self, step: int) -> int:
        """The positions in the batches before this step."""
        first, position, size = max(phase for phase in self.phases() if phase[0] <= step)
        return position + (step - first) * size

    def step_at(self, positions: float) -> int:
        """The first step before which there are at least so many positions."""
        first, position, size = max(phase for phase in self.phases() if phase[1] <= positions)
        return first - int((position - positions) // size)

    def nearest_step(self, positions: float) -> int:
        """The step before which there are about so many positions."""
        first, position, size = max(phase for phase in self.phases() if phase[1] <= positions)
        return first + round((positions - position) / size)
