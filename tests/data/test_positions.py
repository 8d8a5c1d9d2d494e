"""Batches of positions against replaying the games one move at a time."""
import numpy as np
import pytest
from random_records import dataset_of, finished_record, random_record

from mugo.data import dataset, game_hash
from mugo.games.coords import symmetries
from mugo.games.game import encode
from mugo.sgf.record_positions import position_of


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
    for ours, theirs in zip(some.batch(numbers, numbers % 8), every.batch(wanted, numbers % 8), strict=True):
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
        for ours, theirs in zip(some.batch(numbers, numbers % 8), every.batch(wanted, numbers % 8), strict=True):
            assert np.array_equal(ours, theirs, equal_nan=ours.dtype == np.float32)
        assert some.fingerprint != every.fingerprint
    assert len(every.endgame(1)) == scored.sum() and len(every.endgame(10**6)) == lengths[scored].sum()


def test_the_endgame_of_a_range_of_moves_is_what_is_of_both(tmp_path):
    data = dataset_of(tmp_path, [finished_record(0), finished_record(1)])
    every = data.positions()
    rows, plies = every.locate(np.arange(len(every)))
    lengths = np.diff(every.first_index)
    first, last = int(lengths.min()) - 20, int(lengths.min()) - 5
    some = data.positions(moves=(first, last)).endgame(12)
    wanted = (plies >= np.maximum(lengths[rows] - 12, first - 1)) & (plies < last)
    assert [column.tolist() for column in some.locate(np.arange(len(some)))] == [rows[wanted].tolist(),
                                                                                 plies[wanted].tolist()]
    assert 7 <= len(some) < 24 and not len(data.positions(moves=(1, 20)).endgame(12))
