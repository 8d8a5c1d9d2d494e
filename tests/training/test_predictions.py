"""Measures of ownership, score and value where it is known how games ended, against counting point by point."""
import numpy as np
import pytest
from random_records import dataset_of, finished_record, random_record

from mugo.data.positions import Batch
from mugo.nn.heads import STDEV_OF_SCALE
from mugo.nn.output import NetworkOutput
from mugo.training import evaluate, predictions

SIZE, POINTS = 9, 81


def batch_of_ends(owners, komi, scores) -> Batch:
    """A batch of empty planes with these owners (n, 81), komi and scores."""
    n = len(owners)
    return Batch(np.zeros((n, POINTS, 6), np.uint8), np.zeros(n, np.int32), np.ones(n, np.int8),
                 np.ones(n, np.int8), np.asarray(komi, np.float32), np.full((n, 2), -1, np.int32),
                 np.asarray(owners, np.int8), np.asarray(scores, np.float32), np.zeros(n, np.float32),
                 np.full((n, 4), np.nan, np.float32))


def output_of(ownership, mean, stdev) -> NetworkOutput:
    n = len(ownership)
    return NetworkOutput(np.full((n, POINTS + 1), 1 / (POINTS + 1), np.float32), np.zeros(n, np.float32),
                         np.asarray(ownership, np.float32), np.asarray(mean, np.float32), np.asarray(stdev, np.float32))


def test_ownership_is_measured_point_by_point():
    rng = np.random.default_rng(3)
    owners = rng.integers(-1, 2, (5, POINTS))
    owners[3] = 0                                        # nobody is known to own a point
    ownership = rng.uniform(-1, 1, (5, POINTS)).astype(np.float32)
    ownership[0, :4] = -1, 1, 0.2, 0
    measured = predictions.measure_ownership(ownership, owners.astype(np.int8))
    for i in range(5):
        right, bins = [], {b: [] for b in range(10)}
        for said, owner in zip(ownership[i].tolist(), owners[i], strict=True):
            if owner:
                right.append(said * owner > 0)
                bins[min(9, int(10 * (1 + said) / 2))].append(((1 + said) / 2, owner == 1))
        assert measured["ownership_accuracy"][i] == pytest.approx(np.mean(right) if right else np.nan, nan_ok=True)
        for b, points in bins.items():
            assert measured[f"ownership_points_{b}"][i] == len(points)
            assert measured[f"ownership_predicted_{b}"][i] == pytest.approx(sum(p for p, _ in points))
            assert measured[f"ownership_observed_{b}"][i] == sum(own for _, own in points)


def test_the_score_is_compared_with_the_area_and_komi_of_the_side_to_move():
    """The quantiles of a logistic distribution: 1/2 at its mean, 3/4 at its mean + ln 3 scales."""
    scale = 4 / STDEV_OF_SCALE
    batch = batch_of_ends(np.zeros((4, POINTS)), [6.5, -6.5, 0.5, np.nan], [10, 10, np.nan, 10])
    measured = predictions.measure(output_of(np.zeros((4, POINTS)), [16.5, 3.5 - scale * np.log(3), 0, 0], [4] * 4),
                                   batch)
    assert measured["score_error"] == pytest.approx([0, scale * np.log(3), np.nan, np.nan], nan_ok=True)
    assert measured["score_pit"] == pytest.approx([0.5, 0.75, np.nan, np.nan], nan_ok=True)
    draws = np.random.default_rng(0).logistic(0, scale, 100_000)
    assert np.std(draws) == pytest.approx(4, rel=0.02)   # the scale that a standard deviation of 4 stands for


def test_how_a_handicap_game_ends_does_not_say_who_is_ahead_before():
    """Where a side is expected to gain more than three points by strength, value, ownership and score are not known."""
    batch = batch_of_ends(np.ones((3, POINTS)), [6.5] * 3, [10] * 3)._replace(
        handicap_gains=np.array([-3, 3.5, -77], np.float32))
    measured = predictions.measure(output_of(np.ones((3, POINTS)), [20] * 3, [4] * 3), batch)
    for name in "value_accuracy", "value_mse", "ownership_accuracy", "score_error", "score_pit":
        assert np.isnan(measured[name]).tolist() == [False, True, True], name
    assert measured["top1"] == pytest.approx([1 / (POINTS + 1)] * 3)    # all moves have the same probability


def test_a_network_without_ownership_has_no_such_measures():
    batch = batch_of_ends(np.ones((1, POINTS)), [0], [81])
    assert not [name for name in predictions.measure(output_of([[0] * POINTS], [0], [1])._replace(
        ownership=None, score_mean=None, score_stdev=None), batch) if name.startswith(("ownership", "score"))]


def test_the_winner_is_the_one_by_area_where_the_score_is_known():
    """Recorded is the side to move, which in the second game lost by area, and in the third drew."""
    batch = batch_of_ends(np.zeros((5, POINTS)), [6.5, -6.5, -6, 0.5, np.nan], [10, 6, 6, np.nan, np.nan])
    np.testing.assert_array_equal(predictions.known_outcomes(batch), [1, -1, np.nan, 1, np.nan])
    measured = predictions.measure(output_of(np.zeros((5, POINTS)), [0] * 5, [1] * 5)._replace(values=np.full(5, 0.5)),
                                   batch)
    np.testing.assert_array_equal(measured["value_accuracy"], [1, 0, np.nan, 1, np.nan])
    np.testing.assert_array_equal(measured["value_mse"], [0.25, 2.25, np.nan, 0.25, np.nan])


# ---- whole games

@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Six games that ended by a count, and two by resignation."""
    records = [finished_record(seed) for seed in range(6)]
    return dataset_of(tmp_path_factory.mktemp("counted"),
                      records + [random_record(seed, plies=40, result="B+R") for seed in (7, 9)], min_moves=1)


class Oracle:
    """A network that knows how games ended, in every symmetry; right: 1, or -1 for the opposite.

    Positions that several games or symmetries share, as at the beginning, it does not know.
    """

    size, metadata, equivariant, takes_people, name, precision = SIZE, {}, False, False, "oracle", "float32"

    def __init__(self, data, right: int):
        self.right, self.known, self.seen = right, {}, []
        positions = data.positions(None, SIZE)
        for symmetry in range(8):
            batch = positions.batch(np.arange(len(positions)), symmetry)
            for i, packed in enumerate(batch.packed):
                end = None if packed.tobytes() in self.known else (batch.ownership[i], batch.scores[i])
                self.known[packed.tobytes()] = end

    def evaluate_packed(self, packed, features=None, people=None):
        ends = [self.known[row.tobytes()] or (np.zeros(POINTS), 0) for row in packed]
        self.seen += [row.tobytes() for row in packed]
        score = self.right * (np.nan_to_num([score for _, score in ends]) + features[:, 0])
        return output_of(self.right * np.array([owners for owners, _ in ends]), score, [1] * len(ends))._replace(
            values=np.sign(score).astype(np.float32))


@pytest.mark.parametrize("right", [1, -1])
def test_a_network_that_knows_how_games_end_is_right_everywhere_and_its_opposite_nowhere(data, right):
    table = evaluate.evaluate(Oracle(data, right), data, split=None, count=0).set_index("subset")
    for subset in ("moves 31-60", "last move before scoring"):
        for tta in ("", "_tta"):
            assert table.loc[subset, f"ownership_accuracy{tta}"] == (right == 1)
    last = table.loc["last move before scoring"]
    assert last["value_accuracy"] == last["value_accuracy_tta"] == (right == 1)
    scores = [abs(float(game.result[2:])) for game in data.games.itertuples() if game.ownership_start >= 0]
    assert len(scores) >= 5
    assert last["score_error"] == last["score_error_tta"] == pytest.approx(0 if right == 1 else 2 * np.mean(scores))


def test_the_last_positions_are_those_before_the_last_move_of_scored_games(data):
    network = Oracle(data, 1)
    sample = evaluate.sample_positions(data, SIZE, None, "", 0, 0)
    rows = evaluate.predict_sample(network, sample, symmetries=False)
    scored = {game: row.num_moves for game, row in enumerate(sample.positions.games.table().itertuples())
               if row.ownership_start >= 0}
    assert 5 <= len(scored) < len(sample.positions.games)
    last = rows[rows["last_move"]]
    assert sorted(last["game"]) == list(scored)
    found, moves_played = sample.positions.locate(sample.last)
    assert [scored[game] - 1 for game in found] == moves_played.tolist()
    assert network.seen[-len(last):] == [row.tobytes() for row in sample.positions.batch(sample.last).packed]
    assert rows["last_move"].sum() == len(rows) - len(sample.numbers)
    table = evaluate.summary_table(rows).set_index("by")
    assert table.loc["all", "positions"] == len(sample.numbers) == table.loc["phase", "positions"].sum()
    assert len(evaluate.sample_positions(data, SIZE, None, "", 3, 0).last) == 3


def test_the_score_of_a_game_that_was_not_counted_is_left_out(data):
    table = evaluate.evaluate(Oracle(data, 1), data, split=None, count=0, where="result == 'B+R'", symmetries=False)
    assert set(table["by"]) == {"all", "phase", "rank", "source"}
    assert table[["ownership_accuracy", "score_error"]].isna().all(axis=None)
    assert table["value_accuracy"].notna().all()
