"""The options of a training run and what follows from them."""
import math
import random
from dataclasses import replace

import pytest

from mugo.core.files import BadInput

options = pytest.importorskip("mugo.training.options")


def checkpoints(run: options.TrainingOptions, first: int) -> list[int]:
    """The steps of all checkpoints after this one, if none comes earlier because of the time."""
    steps = [run.checkpoint_step(first)] if first < run.steps else []
    while steps and steps[-1] < run.steps:
        steps.append(run.checkpoint_step(steps[-1]))
    return steps


def test_checkpoints_by_time_are_more_frequent_at_first_and_one_is_where_the_learning_rate_begins_to_decay():
    run = options.TrainingOptions(positions=1000 * 16, batch_size=16, checkpoint_every=8)
    seconds = [0.0]
    while len(seconds) < 8:
        seconds.append(seconds[-1] + run.checkpoint_seconds(seconds[-1]))
    assert [second / 60 for second in seconds] == [0, 1, 2, 4, 8, 16, 24, 32]
    assert checkpoints(run, 0) == [700, 1000] and checkpoints(run, 700) == [1000]
    for minutes in (0, -1, math.nan, math.inf, 64_000):
        with pytest.raises(BadInput, match="--checkpoint-every"):
            replace(run, checkpoint_every=minutes)


def test_an_interval_is_as_long_as_its_time_or_ends_where_a_checkpoint_must_be():
    run = options.TrainingOptions(positions=10**6 * 16, batch_size=16, checkpoint_every=8)
    assert run.interval_steps(0, 0, 0) == 64             # the speed is not known yet
    assert run.interval_steps(64, 10, 20) == 60 * 20     # an eighth of that time
    assert run.interval_steps(64, 10, 0.1) == 64
    assert run.interval_steps(6400, 1000, 1.3) == 624    # 8 minutes, in whole executions of 16 steps
    assert run.interval_steps(699_990, 1000, 100) == 10  # to the decay
    assert run.interval_steps(999_999, 1000, 100) == 1
    by_positions = replace(run, checkpoint_positions=3000)
    assert [by_positions.interval_steps(step, 0, 50) for step in (0, 187, 200, 999_900)] == [187, 187, 174, 100]


def random_options(rng: random.Random) -> options.TrainingOptions:
    return options.TrainingOptions(
        positions=rng.randint(1, 20_000), batch_size=rng.choice([1, 3, 16, 128]), warmup_steps=rng.choice([0, 5, 200]),
        decay_start=rng.choice([0, 0.29, 0.57, 0.7, 1]), checkpoint_positions=rng.randint(1, 6_000),
        final_lr_fraction=rng.choice([0, 0.01, 1]), learning_rate=0.5)


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


def test_ranges_of_moves():
    assert options.move_range("21-60") == (21, 60)
    assert options.move_range("21-") == (21, math.inf)
    assert options.move_range("") == (1, math.inf)
    for text in ("30", "0-9", "9-8", "1-2-3"):
        with pytest.raises(BadInput, match="give the first move and one not before it"):
            options.move_range(text)
