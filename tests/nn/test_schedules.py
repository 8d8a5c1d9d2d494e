"""Learning-rate schedules."""
import pytest

schedules = pytest.importorskip("mugo.nn.schedules")


def test_the_learning_rate_warms_up_stays_and_decays():
    schedule = schedules.WarmupStableDecay(1.0, warmup_steps=10, decay_start=500, total_steps=1000, final_fraction=0.1)
    rate = [float(schedule(step)) for step in range(1001)]
    assert rate[0] == pytest.approx(0.1)
    assert rate[9:501] == pytest.approx([1.0] * 492)
    assert rate[750] == pytest.approx(0.55, abs=0.01)
    assert rate[-1] == pytest.approx(0.1)


def test_schedules_are_saved_with_all_their_numbers():
    schedule = schedules.WarmupStableDecay(0.3, warmup_steps=4, decay_start=8, total_steps=20, final_fraction=0.5)
    loaded = schedules.WarmupStableDecay.from_config(schedule.get_config())
    assert [float(loaded(step)) for step in range(21)] == [float(schedule(step)) for step in range(21)]
