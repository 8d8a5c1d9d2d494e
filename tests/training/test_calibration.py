"""Calibration of rows whose outcomes are known."""
import numpy as np
import pandas as pd
import pytest

from mugo.training import calibration


def rows_of(predicted, observed, games=None, phase="moves 1-30", head="value"):
    predicted_column, observed_column = calibration.HEADS[head]
    n = len(predicted)
    return pd.DataFrame({"game": np.arange(n) if games is None else games,
                         "phase": pd.Categorical(np.broadcast_to(phase, n)),
                         predicted_column: np.asarray(predicted, float), observed_column: np.asarray(observed, float)})


def part(table, **of):
    for column, value in ({"head": "value", "phase": "all"} | of).items():
        table = table[table[column] == value]
    return table.set_index("bin")


def test_every_position_is_in_the_bin_of_its_predicted_probability():
    bins = part(calibration.calibrate(rows_of([0.0, 0.05, 0.1, 0.55, 0.999, 1.0], [0, 1, 0, 1, 1, 0])))
    assert bins["positions"].to_dict() == {"all": 6, "0-10 %": 2, "10-20 %": 1, "50-60 %": 1, "90-100 %": 2}
    assert bins.loc["0-10 %", ["predicted", "observed"]].tolist() == pytest.approx([0.025, 0.5])
    assert bins.loc["90-100 %", ["predicted", "observed"]].tolist() == pytest.approx([0.9995, 0.5])


def test_the_expected_calibration_error_is_the_mean_distance_over_positions():
    bins = part(calibration.calibrate(rows_of([0.25] * 30 + [0.75] * 10, [0] * 15 + [1] * 15 + [1] * 10)))
    assert bins["ece"].to_dict() == pytest.approx({"all": (30 * 0.25 + 10 * 0.25) / 40, "20-30 %": 0.25,
                                                     "70-80 %": 0.25})


def test_games_without_a_winner_are_left_out():
    bins = part(calibration.calibrate(rows_of([0.5, 0.5, 0.5], [1, 0, np.nan])))
    assert bins.loc["all", ["positions", "observed"]].tolist() == [2, 0.5]
    assert not len(calibration.calibrate(rows_of([0.5], [np.nan])))


def test_phases_are_beside_all_positions():
    rows = pd.concat([rows_of([0.9] * 4, [1, 1, 1, 0], phase="moves 1-30"),
                      rows_of([0.2] * 2, [1, 0], phase="moves 31-60")], ignore_index=True)
    rows["phase"] = rows["phase"].astype("category")
    table = calibration.calibrate(rows)
    assert part(table, phase="moves 1-30").loc["all", "observed"] == 0.75
    assert part(table, phase="moves 31-60").loc["all", "observed"] == 0.5
    assert part(table).loc["all", "positions"] == 6


def test_the_policy_is_calibrated_by_its_first_move_with_and_without_tta():
    rows = rows_of([0.35] * 10, [1] * 4 + [0] * 6, head="policy").assign(
        top1_probability_tta=0.45, top1_tta=[1.0] * 5 + [0.0] * 5)
    table = calibration.calibrate(rows)
    assert set(table["head"]) == {"policy"}
    alone, with_tta = (part(table, head="policy", tta=tta) for tta in (False, True))
    assert alone.loc["30-40 %", ["predicted", "observed"]].tolist() == pytest.approx([0.35, 0.4])
    assert with_tta.loc["40-50 %", ["predicted", "observed"]].tolist() == pytest.approx([0.45, 0.5])


def test_the_null_ece_is_the_mean_ece_of_a_perfectly_calibrated_network():
    """In 200 samples of 1,000 positions, alike within games of five."""
    rng = np.random.default_rng(4)
    errors, expected = [], []
    for _ in range(200):
        predicted = np.repeat(rng.random(200), 5)
        true = predicted > np.repeat(rng.random(200), 5)
        whole = part(calibration.calibrate(rows_of(predicted, true, np.repeat(np.arange(200), 5)))).loc["all"]
        errors.append(whole["ece"])
        expected.append(whole["null_ece"])
    assert np.mean(errors) == pytest.approx(np.mean(expected), rel=0.05)


def test_an_overconfident_network_has_a_large_ece():
    rng = np.random.default_rng(5)
    probability = rng.random(20_000)
    predicted = np.where(probability > 0.5, 1 - (1 - probability) / 2, probability / 2)
    bins = part(calibration.calibrate(rows_of(predicted, probability > rng.random(20_000))))
    assert bins.loc["90-100 %", "observed"] < 0.93 < bins.loc["90-100 %", "predicted"]
    assert bins.loc["all", "ece"] > 5 * bins.loc["all", "null_ece"]


def test_the_report_has_a_line_for_each_bin_and_phase():
    lines = calibration.report(calibration.calibrate(rows_of([0.25] * 30 + [0.75] * 10, [0, 1] * 20))).splitlines()
    assert lines[1].split() == ["20-30", "%", "30", "25.0", "50.0", "9.3", "25.0", "7.4"]
    assert lines[3].split()[:2] == ["all", "40"]
    assert lines[5].split()[:3] == ["moves", "1-30", "40"]


def test_the_picture_is_drawn_with_and_without_a_value_head(tmp_path):
    pytest.importorskip("matplotlib")
    policy = rows_of([0.35] * 40 + [0.9] * 40, [0, 1] * 40, head="policy")
    both = policy.assign(win_probability=0.5, won=1.0)
    for name, rows in (("policy", policy), ("both", both)):
        calibration.plot(calibration.calibrate(rows), tmp_path / f"{name}.png", name)
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
