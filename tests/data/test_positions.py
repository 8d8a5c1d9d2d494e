"""Batches of positions against replaying the games one move at a time."""
from dataclasses import replace

import numpy as np
import pytest
from random_records import dataset_of, finished_record, random_record

from mugo.core.files import BadInput
from mugo.data import dataset, game_hash
from mugo.data.preprocess import preprocess
from mugo.games.coords import symmetries
from mugo.games.game import encode
from mugo.sgf.record_positions import position_of
from mugo.sgf.convert import format_record


def test_a_batch_has_the_planes_moves_and_outcomes_of_its_positions(data):
    positions = data.positions(None)
    numbers, turns = game_hash.shuffled_positions(0, 80, len(positions), 9)
    batch = positions.batch(numbers, turns)
    rows, plies = positions.locate(numbers)
    dates = positions.games.table(["date"])["date"]
    for i in range(len(numbers)):
        record = random_record(int(dates[rows[i]][:4]) - 2000, plies=50)
        position = position_of(record, int(plies[i]))
        assert np.array_equal(batch.packed[i], encode([position], turns[i])[0])
        assert batch.targets[i] == symmetries(9)[turns[i]][record.moves[plies[i]] & 511]
        assert batch.outcomes[i] == record.winner * position.to_play


@pytest.mark.parametrize("first, last", [(1, 7), (21, 30), (50, 99), (8, dataset.ALL_MOVES[1]), dataset.ALL_MOVES])
def test_a_range_of_moves_selects_the_positions_before_them(data, first, last):
    every, some = data.positions("train"), data.positions("train", moves=(first, last))
    rows, plies = every.locate(np.arange(len(every)))
    wanted = np.flatnonzero((first <= plies + 1) & (plies + 1 <= last))
    numbers = np.arange(len(some))
    for ours, theirs in zip(some.locate(numbers), (rows[wanted], plies[wanted]), strict=True):
        assert ours.tolist() == theirs.tolist()
    for ours, theirs in zip(some.batch(numbers, numbers % 8)[:-1], every.batch(wanted, numbers % 8)[:-1],
                            strict=True):
        assert np.array_equal(ours, theirs, equal_nan=ours.dtype == np.float32)


def test_the_endgame_is_the_last_moves_of_the_games_whose_owners_are_known(tmp_path):
    records = [*map(finished_record, range(3)), *(random_record(seed, plies=50) for seed in range(3, 6))]
    every = dataset_of(tmp_path, records).positions()
    scored = every.games.column("ownership_start") >= 0
    rows, plies = every.locate(np.arange(len(every)))
    lengths = np.diff(every.first_index)
    assert 0 < scored.sum() < len(scored) and lengths[scored].min() > 7
    for moves in 1, 7, int(lengths[scored].max()) + 1:
        wanted = np.flatnonzero(scored[rows] & (plies >= lengths[rows] - moves))
        some = every.endgame(moves)
        numbers = np.arange(len(some))
        for ours, theirs in zip(some.batch(numbers, numbers % 8)[:-1], every.batch(wanted, numbers % 8)[:-1],
                                strict=True):
            assert np.array_equal(ours, theirs, equal_nan=ours.dtype == np.float32)
        assert some.fingerprint != every.fingerprint
    assert len(every.endgame(1)) == scored.sum() and len(every.endgame(10**6)) == lengths[scored].sum()


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """30 games from two servers of ranks 9k to 9d and unknown ones, of different lengths."""
    folder = tmp_path_factory.mktemp("weights")
    for seed in range(30):
        path = folder / ("kgs", "fox")[seed % 2] / f"{seed}.sgf"
        path.parent.mkdir(exist_ok=True)
        rank = ["", "9k", "1k", "3d", "9d"][seed % 5]
        path.write_text(format_record(random_record(seed, black_rank=rank, white_rank=rank, date=f"{2000 + seed}")))
    return preprocess([str(folder / name) for name in ("kgs", "fox")], folder / "set", jobs=1)


def drawn(positions, start, count, seed=7):
    """The indices of the elements of the stream, by what `batch` is asked for."""
    asked = []

    class Recorded(type(positions)):
        def batch(self, indices, symmetry=0):
            asked.append(indices)

    Recorded(positions.size, positions.games, positions.first_index, positions.skip_moves,
             weights=positions.weights).shuffled(start, count, seed)
    return asked[0]


@pytest.mark.parametrize("expression, weight", [
    ("1 + 3 * (black_rank < 0)", lambda game: 4 if game["black_rank"] < 0 else 1),
    ("source.str.contains('fox')", lambda game: float("fox" in game["source"])),
    ("0.1 + 0.01 * (black_rank + 20) * black_rank.notna()", None),
    ("(date >= '2015') * 2.5 + 0.3", lambda game: 2.5 * (game["date"] >= "2015") + 0.3)])
def test_each_epoch_draws_each_position_in_proportion_to_its_weight(ranked, expression, weight):
    """Against the slow way; every count is the exact expectation, rounded up or down."""
    if weight is None:
        with pytest.raises(BadInput, match="a weight must be 0, or from 1e-09 to 1e\\+09, and that of 6 of 30 games"):
            ranked.positions().weighted(expression)
        return
    positions = ranked.positions().weighted(expression)
    table = positions.games.table(["black_rank", "source", "date"])
    expected = np.repeat([weight(game) for _, game in table.iterrows()], np.diff(positions.first_index))
    expected = expected * (len(positions) / expected.sum())
    mean = np.zeros(len(positions))
    for epoch in range(6):
        counts = np.bincount(drawn(positions, epoch * len(positions), len(positions)), minlength=len(positions))
        assert (counts >= np.floor(expected - 1e-9)).all() and (counts <= np.ceil(expected + 1e-9)).all()
        assert counts.sum() == len(positions) and not counts[expected == 0].any()
        mean += counts / 6
    assert 0 < np.abs(mean - expected).max() < 1 and np.corrcoef(mean, expected)[0, 1] > 0.8


def test_equal_weights_draw_each_position_once_an_epoch(ranked):
    positions = ranked.positions().weighted("2.5")
    assert sorted(drawn(positions, 0, len(positions))) == list(range(len(positions)))
    assert np.array_equal(positions.weights, np.full(30, 2.5)) and ranked.positions().weighted("").weights is None


def test_any_part_of_the_stream_can_be_computed_alone(ranked):
    positions = ranked.positions().weighted("1 + (black_rank > 0)")
    n = len(positions)
    whole = drawn(positions, 0, 3 * n)
    parts = [drawn(positions, start, 100) for start in range(0, 3 * n, 100)]
    assert np.array_equal(np.concatenate(parts)[:3 * n], whole)
    assert not np.array_equal(whole[:n], whole[n:2 * n]) and not np.array_equal(whole, drawn(positions, 0, 3 * n, 8))


def test_endgames_keep_the_weights_of_their_games(ranked):
    positions = replace(ranked.positions(), weights=np.arange(30.0))
    is_scored = positions.games.column("ownership_start") >= 0
    assert np.array_equal(positions.endgame(20).weights, np.arange(30.0)[is_scored])


def test_weights_are_part_of_the_fingerprint(ranked):
    plain = ranked.positions()
    prints = [each.fingerprint for each in (plain, plain.weighted("1 + (black_rank > 0)"), plain.weighted("2"))]
    assert len(set(prints)) == 3 and plain.weighted("2").fingerprint == prints[2]


@pytest.mark.parametrize("expression, error", [
    ("black_rank", "a weight must be 0, or from"),
    ("1e308", "a weight must be 0, or from"), ("1e-320 * size", "a weight must be 0, or from"),
    ("0 * size", "every position has weight 0"), ("source", "must be a number"), ("[1, 2]", "must be a number"),
    ("1 / (size - 9)", "a weight must be 0, or from"), ("0 - 1 + 0 * size", "a weight must be"),
    ("rank", "name 'rank' is not defined"), ("1 +", "an example of a query")])
def test_an_expression_that_is_no_weight_is_rejected(ranked, expression, error):
    with pytest.raises(BadInput, match="--sample-weight") as raised:
        ranked.positions().weighted(expression)
    assert error in str(raised.value)
