"""A teacher whose policy is the mean of two:    python models/runs/mean_labels.py DATASET FIRST SECOND MEAN

What the first says of win rates, leads and owners is kept.  All are names as `mugo label -o` and `mugo train --teacher`
take them.
"""
import sys
from pathlib import Path

import numpy as np

from mugo.data.teacher_labels import LabelWriter, labels_path, open_labels, set_policy


def policy_of(record: np.ndarray, moves: int) -> np.ndarray:
    """float (moves,): the probabilities of a record's best moves, which sum to 1."""
    policy = np.zeros(moves)
    is_move = record["moves"] >= 0
    policy[record["moves"][is_move]] = record["probabilities"][is_move]
    return policy / policy.sum()


def main() -> None:
    folder, first, second, name = sys.argv[1:]
    one, other = (open_labels(labels_path(Path(folder), each)) for each in (first, second))
    others = {(record["content_hash"], record["moves_played"]): record for record in other.records}
    moves = one.header["size"] ** 2 + 1
    found = []
    for record in np.array(one.records):
        if (twin := others.get((record["content_hash"], record["moves_played"]))) is not None:
            set_policy(record, (policy_of(record, moves) + policy_of(twin, moves)) / 2)
            found.append(record)
    header = {"size": one.header["size"], "ownership": one.header["ownership"], "teacher": one.header["teacher"]}
    with LabelWriter(labels_path(Path(folder), name), header, resume=False) as writer:
        writer.append(np.array(found, one.records.dtype))
    print(f"{len(found):,} positions")


if __name__ == "__main__":
    main()
