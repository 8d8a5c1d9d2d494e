"""Calibration of rows whose outcomes are known."""
import numpy as np
import pandas as pd
import pytest

from mugo.training.evaluate import calibration_plot, calibration_report
from mugo.training.predictions import HEADS, calibrate, measure_ownership


def rows_of(predicted, observed, games=None, phase="moves 1-30", head="value"):
    predicted_column, observed_column = HEADS[head]
    n = len(predicted)
    return pd.DataFrame({"game": np.arange(n) if games is None else games,
                         "phase": pd.Categorical(np.broadcast_to(phase, n)),
                         predicted_column: np.asarray(predicted, float), observed_column: np.asarray(observed, float)})


def part(table, **of):
    for column, value in ({"head": "value", "phase": "all"} | of).items():
        table = table[table[column] == value]
    return table.set_index("bin")


def test_every_position_is_in_the_bin_of_its_predicted_probability():
    bins = part(calibrate(rows_of([0.0, 0.05, 0.1, 0.55, 0.999, 1.0], [0, 1, 0, 1, 1, 0])))
    assert bins["count"].to_dict() == {"all": 6, "0-10 %": 2, "10-20 %": 1, "50-60 %": 1, "90-100 %": 2}
    assert bins.loc["0-10 %", ["predicted", "observed"]].tolist() == pytest.approx([0.025, 0.5])
    assert bins.loc["90-100 %", ["predicted", "observed"]].tolist() == pytest.approx([0.9995, 0.5])


def test_games_without_a_winner_are_left_out():
    bins = part(calibrate(rows_of([0.5, 0.5, 0.5], [1, 0, np.nan])))
    assert bins.loc["all", ["count", "observed"]].tolist() == [2, 0.5]
    assert not len(calibrate(rows_of([0.5], [np.nan])))


def test_phases_are_beside_all_positions():
    rows = pd.concat([rows_of([0.9] * 4, [1, 1, 1, 0], phase="moves 1-30"),
                      rows_of([0.2] * 2, [1, 0], phase="moves 31-60")], ignore_index=True)
    rows["phase"] = rows["phase"].astype("category")
    table = calibrate(rows)
    assert part(table, phase="moves 1-30").loc["all", "observed"] == 0.75
    assert part(table, phase="moves 31-60").loc["all", "observed"] == 0.5
    assert part(table).loc["all", "count"] == 6


def test_the_policy_is_calibrated_by_its_first_move_with_and_without_tta():
    rows = rows_of([0.35] * 10, [1] * 4 + [0] * 6, head="policy").assign(
        top1_probability_tta=0.45, top1_tta=[1.0] * 5 + [0.0] * 5)
    table = calibrate(rows)
    assert set(table["head"]) == {"policy"}
    alone, with_tta = (part(table, head="policy", tta=tta) for tta in (False, True))
    assert alone.loc["30-40 %", ["predicted", "observed"]].tolist() == pytest.approx([0.35, 0.4])
    assert with_tta.loc["40-50 %", ["predicted", "observed"]].tolist() == pytest.approx([0.45, 0.5])


# ---- ownership and score

def ownership_rows(probability, owners, games=None):
    """Rows of positions, from the probabilities (n, points) of points and their owners."""
    measured = measure_ownership(2 * np.asarray(probability) - 1, np.asarray(owners, np.int8))
    n = len(probability)
    return pd.DataFrame(measured | {"game": np.arange(n) if games is None else games, "phase": "moves 1-30"})


def score_rows(pit, games=None):
    return pd.DataFrame({"game": np.arange(len(pit)) if games is None else games, "phase": "moves 1-30",
                         "score_pit": np.asarray(pit, float)})


def test_ownership_is_calibrated_over_points_and_its_errors_are_clustered_by_game():
    table = calibrate(ownership_rows([[0.31, 0.35, 0.9], [0.31, 0.9, 0.9]], [[1, -1, 0], [-1, 1, 1]]))
    bins = part(table, head="ownership")
    assert bins["count"].to_dict() == {"all": 5, "30-40 %": 3, "90-100 %": 2}
    assert bins.loc["30-40 %", ["predicted", "observed", "games"]].tolist() == pytest.approx([0.97 / 3, 1 / 3, 2])
    assert bins.loc["all", "ece"] == pytest.approx(abs(0.97 - 1) / 5 + (2 - 1.8) / 5)
    # Residuals of the two games in the bin: 1 - 2/3 and -1/3.
    assert bins.loc["30-40 %", "observed_se"] == pytest.approx(np.sqrt(2 * ((1 / 3) ** 2 + (1 / 3) ** 2)) / 3)
    assert table["tta"].tolist() == [False] * len(table)


def test_a_probability_at_the_edge_of_a_bin_stays_in_it():
    """0.7 is in the bin from 70 %, but the mean of three is 0.6999999999999998."""
    measured = measure_ownership(np.full((1, 3), 2 * 0.7 - 1), np.ones((1, 3), np.int8))
    assert measured["ownership_points_7"] == 3 and measured["ownership_predicted_7"] / 3 < 0.7
    bins = part(calibrate(pd.DataFrame(measured | {"game": 0, "phase": "moves 1-30"})), head="ownership")
    assert list(bins.index) == ["all", "70-80 %"]


def test_the_quantiles_of_the_score_are_those_that_it_is_below():
    bins = part(calibrate(score_rows([0.05, 0.15, 0.15, 0.95, np.nan])), head="score")
    assert bins["observed"].to_dict() == pytest.approx(
        {"all": 1.3 / 4, "10 %": 0.25, **{f"{q} %": 0.75 for q in range(20, 100, 10)}})
    assert bins["predicted"].to_dict() == pytest.approx({"all": 0.5} | {f"{q} %": q / 100 for q in range(10, 100, 10)})
    assert bins.loc["all", "ece"] == pytest.approx(np.mean([0.15, *(abs(0.75 - q / 10) for q in range(2, 10))]))
    assert set(bins["count"]) == {4}


@pytest.mark.slow
def test_a_perfectly_calibrated_network_has_the_null_ece_and_a_timid_or_bold_one_more():
    """100 games of five positions, which end alike."""
    rng = np.random.default_rng(6)
    games = np.repeat(np.arange(100), 5)
    errors = {"ownership": [], "score": []}
    for _ in range(30):
        probability = np.repeat(rng.random((100, 20)), 5, 0)
        owners = np.where(probability > np.repeat(rng.random((100, 20)), 5, 0), 1, -1)
        pit = np.repeat(rng.random(100), 5)
        of_head = {"ownership": ownership_rows(probability, owners, games), "score": score_rows(pit, games)}
        for head, rows in of_head.items():
            whole = part(calibrate(rows), head=head).loc["all"]
            errors[head].append(whole[["ece", "null_ece"]].tolist())
    for head, pairs in errors.items():
        found, expected = np.mean(pairs, 0)
        assert found == pytest.approx(expected, rel=0.15), head
    bold = np.where(probability > 0.5, 1 - (1 - probability) / 2, probability / 2)
    whole = part(calibrate(ownership_rows(bold, owners, games)), head="ownership").loc["all"]
    assert whole["ece"] > 5 * whole["null_ece"]
    timid = 0.5 + (pit - 0.5) / 2                        # the predicted distribution is too wide
    bins = part(calibrate(score_rows(timid, games)), head="score")
    assert bins.loc["20 %", "observed"] == 0 and bins.loc["80 %", "observed"] == 1
    assert bins.loc["all", "ece"] > 2 * bins.loc["all", "null_ece"]


def test_the_report_has_points_of_ownership_and_quantiles_of_the_score():
    rows = ownership_rows([[0.31, 0.95]] * 4, [[1, 1], [-1, 1]] * 2).assign(score_pit=[0.1, 0.4, 0.6, 0.95])
    text = calibration_report(calibrate(rows))
    lines = [line.split() for line in text.splitlines()]
    assert ["ownership:", "predicted", "points", "mean"] in [line[:4] for line in lines]
    assert ["30-40", "%", "4", "31.0", "50.0"] in [line[:5] for line in lines]
    assert ["score:", "quantile", "positions", "mean"] in [line[:4] for line in lines]
    assert ["50", "%", "4", "50.0", "50.0"] in [line[:5] for line in lines]
    assert [line[:2] for line in lines].count(["moves", "1-30"]) == 2


def test_the_picture_is_drawn_for_the_heads_that_there_are(tmp_path, rendered_pictures):
    pytest.importorskip("matplotlib")
    policy = rows_of([0.35] * 40 + [0.9] * 40, [0, 1] * 40, head="policy")
    both = policy.assign(win_probability=0.5, won=1.0)
    every = both.assign(score_pit=0.5, **measure_ownership(np.full((80, 4), 0.3), np.ones((80, 4), np.int8)))
    for name, rows in (("policy", policy), ("both", both), ("every", every)):
        calibration_plot(calibrate(rows), tmp_path / f"{name}.png", name)
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
