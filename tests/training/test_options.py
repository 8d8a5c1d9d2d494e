"""The options of a training run and what follows from them."""
import math
import random
from dataclasses import replace

import pytest

from mugo.files import BadInput

options = pytest.importorskip("mugo.training.options")


def test_steps_and_checkpoints_of_a_run():
    run = options.TrainingOptions(positions=1000 * 16, batch_size=16, checkpoint_every=3000)
    assert (run.steps_per_checkpoint, run.steps) == (187, 1000)
    assert list(run.intervals(0)) == [(0, 187, 5), (935, 65, 1)]
    assert list(run.intervals(200)) == [(200, 174, 1), (374, 187, 3), (935, 65, 1)]
    short = options.TrainingOptions(positions=100, batch_size=16)
    assert (short.steps_per_checkpoint, short.steps, list(short.intervals(0))) == (6, 6, [(0, 6, 1)])
    assert list(short.intervals(6)) == []


def random_options(rng: random.Random) -> options.TrainingOptions:
    return options.TrainingOptions(
        positions=rng.randint(1, 20_000), batch_size=rng.choice([1, 3, 16, 128]), warmup_steps=rng.choice([0, 5, 200]),
        decay_start=rng.choice([0, 0.29, 0.57, 0.7, 1]), checkpoint_every=rng.randint(1, 6_000),
        final_lr_fraction=rng.choice([0, 0.01, 1]), learning_rate=0.5)


def test_whatever_the_options_a_run_has_the_positions_asked_for_and_checkpoints_at_the_same_steps():
    rng = random.Random(0)
    for _ in range(300):
        run = random_options(rng)
        more = run.steps * run.batch_size - run.positions
        assert abs(more) <= run.batch_size / 2 or run.steps == 1 and run.positions < run.batch_size
        for first in (0, rng.randint(0, run.steps), run.steps):
            step, ends = first, []
            for start, length, count in run.intervals(first):
                assert start == step and length > 0 and count > 0
                ends += [start + length * (i + 1) for i in range(count)]
                step = ends[-1]
            assert step == run.steps
            every = run.steps_per_checkpoint
            assert ends == [end for end in range(every, run.steps, every) if end > first] + [run.steps] * (
                first < run.steps)


def test_whatever_the_options_the_learning_rate_warms_up_stays_and_decays_within_the_run():
    rng = random.Random(1)
    for _ in range(60):
        run = random_options(rng)
        warmup = min(run.warmup_steps, run.steps // 10)
        assert abs(run.decay_start_step - run.decay_start * run.steps) <= 0.5
        rate = run.schedule()
        for step in {0, run.steps, *(rng.randint(0, run.steps) for _ in range(5)), run.decay_start_step}:
            decayed = max(0, step - run.decay_start_step) / max(1, run.steps - run.decay_start_step)
            expected = 0.5 * min(1, (step + 1) / max(1, warmup), 1 - (1 - run.final_lr_fraction) * decayed)
            assert float(rate(step)) == pytest.approx(expected, abs=1e-5)
        if run.decay_start == 1:
            assert float(rate(run.steps)) == pytest.approx(0.5)


def test_the_warm_up_of_a_run_made_longer_is_that_of_the_shorter_run():
    run = options.TrainingOptions(positions=100 * 128)
    longer = replace(run, positions=10_000 * 128, warmup_limit=run.warmup)
    assert (run.warmup, longer.warmup, replace(longer, warmup_limit=None).warmup) == (10, 10, 200)
    assert longer.schedule().warmup_steps == 10


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
