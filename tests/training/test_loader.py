"""The prefetching loader: batches in their order, errors where their batch was due; targets; validation positions."""
import time
from dataclasses import replace

import numpy as np
import pytest
from random_records import batch_of
from small_runs import OPTIONS

loader = pytest.importorskip("mugo.training.loader")


def test_batches_come_in_their_order_however_long_each_takes():
    batches = loader.PrefetchLoader(lambda step: (step, time.sleep(0.003 * (step % 3))), 5, threads=4, prefetch=8)
    assert [next(batches)[0] for _ in range(40)] == list(range(5, 45))
    batches.close()
    assert len(list(batches)) <= 8 + 4                    # what was prefetched; then it ends


def test_an_error_in_making_a_batch_is_raised_where_the_batch_was_due():
    batches = loader.PrefetchLoader(lambda step: 1 // (3 - step), 1, threads=2)
    assert next(batches) == 0
    assert next(batches) == 1
    with pytest.raises(ZeroDivisionError):
        next(batches)
    batches.close()


def test_targets_are_the_moves_and_the_outcomes_for_the_side_to_move():
    batch = batch_of([4, 80, 81], [1, -1, 0])
    targets = loader.training_targets(batch, True)
    assert targets["policy"].tolist() == [4, 80, 81] and targets["value"].tolist() == [[1.0], [-1.0], [0.0]]
    assert list(loader.training_targets(batch, False)) == ["policy"]


def test_validation_positions_are_the_same_for_every_run(data):
    """Whatever its seed and symmetries; of fewer positions than are asked for, all, each once and as it was played."""
    validation = data.positions("validation")
    packed, targets = loader.validation_batch(validation, OPTIONS, True)
    again, _ = loader.validation_batch(validation, replace(OPTIONS, seed=7, symmetry=False, batch_size=3), True)
    assert len(packed) == OPTIONS.validation_positions == len(targets["value"]) and np.array_equal(packed, again)
    whole, _ = loader.validation_batch(validation, replace(OPTIONS, validation_positions=10**6), False)
    assert np.array_equal(whole, validation.batch(np.arange(len(validation))).packed)
