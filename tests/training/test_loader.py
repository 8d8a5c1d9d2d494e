"""The prefetching loader: batches in their order, errors where their batch was due."""
import time

import pytest

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
