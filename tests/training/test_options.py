"""The options of a training run and what follows from them."""
import math

import pytest

from mugo.files import BadInput

options = pytest.importorskip("mugo.training.options")


def test_steps_are_a_whole_number_of_checkpoints():
    run = options.TrainingOptions(positions=1000 * 16, batch_size=16, checkpoint_every=3000)
    assert (run.steps_per_checkpoint, run.checkpoints, run.steps) == (187, 5, 935)
    short = options.TrainingOptions(positions=100, batch_size=16)
    assert (short.steps_per_checkpoint, short.checkpoints, short.steps) == (6, 1, 6)


def test_the_schedule_has_the_options_of_the_run():
    run = options.TrainingOptions(positions=1000 * 16, batch_size=16, learning_rate=1.0, warmup_steps=10,
                                  decay_start=0.5, final_lr_fraction=0.1)
    rate = [float(run.schedule()(step)) for step in range(run.steps + 1)]
    assert rate[0] == pytest.approx(0.1)
    assert rate[9:run.decay_start_step + 1] == pytest.approx([1.0] * (run.decay_start_step - 8))
    assert rate[(run.decay_start_step + run.steps) // 2] == pytest.approx(0.55, abs=0.01)
    assert rate[-1] == pytest.approx(0.1)


def test_the_warm_up_takes_a_tenth_of_a_short_run_at_the_most():
    assert options.TrainingOptions(positions=100 * 128).schedule().warmup_steps == 10


def test_ranges_of_moves():
    assert options.move_range("21-60") == (21, 60)
    assert options.move_range("21-") == (21, math.inf)
    assert options.move_range("") == (1, math.inf)
    for text in ("30", "0-9", "9-8", "1-2-3"):
        with pytest.raises(BadInput, match="the first and last move are needed"):
            options.move_range(text)
