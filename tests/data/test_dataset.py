"""Positions from a data set: a true permutation, the right planes, the right answers."""
import numpy as np
import pytest
from random_records import random_record, write_games

from mugo.data import dataset, preprocess, shuffle
from mugo.files import BadInput
from mugo.games import planes
from mugo.games.coords import symmetries
from mugo.games.go import position_of


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_games(folder / "sgf", range(12), plies=50)
    return preprocess.preprocess([str(folder / "sgf")], folder / "set", workers=1, validation=0.2, test=0.2)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000, 4097])
def test_an_epoch_is_a_permutation_of_all_positions(n):
    for epoch in range(3):
        numbers, turns = shuffle.shuffled_positions(epoch * n, n, n, 5)
        assert sorted(numbers) == list(range(n))
        assert set(turns) <= set(range(8))


def test_epochs_and_seeds_differ_and_any_piece_of_the_stream_can_be_had_alone():
    whole, turns = shuffle.shuffled_positions(0, 3000, 1000, 1)
    assert whole[:1000].tolist() != whole[1000:2000].tolist()
    assert whole[:1000].tolist() != shuffle.shuffled_positions(0, 1000, 1000, 2)[0].tolist()
    piece, turned = shuffle.shuffled_positions(1234, 500, 1000, 1)
    assert piece.tolist() == whole[1234:1734].tolist()
    assert turned.tolist() == turns[1234:1734].tolist()


def test_shuffling_and_turning_are_even():
    n = 20_000
    numbers, turns = shuffle.shuffled_positions(0, n, n, 3)
    assert abs(np.corrcoef(np.arange(n), numbers)[0, 1]) < 0.03
    assert np.abs(np.bincount(turns, minlength=8) - n / 8).max() < 6 * np.sqrt(n / 8)


def test_a_batch_holds_planes_answers_and_outcomes_of_its_positions(data):
    positions = data.positions(None)
    numbers, turns = shuffle.shuffled_positions(0, 80, len(positions), 9)
    batch = positions.batch(numbers, turns)
    rows, plies = positions.locate(numbers)
    for i in range(len(numbers)):
        record = random_record(int(positions.games["date"].iloc[rows[i]][:4]) - 2000, plies=50)
        position = position_of(record, int(plies[i]))
        assert np.array_equal(batch.packed[i], planes.encode([position], turns[i])[0])
        assert batch.targets[i] == symmetries(9)[turns[i]][record.moves[plies[i]] & 511]
        assert batch.outcomes[i] == record.winner * position.to_play


def test_splits_share_no_game_and_leave_none_out(data):
    parts = [set(data.positions(split).games["game_hash"]) for split in dataset.SPLITS]
    assert sum(map(len, parts)) == len(set.union(*parts)) == len(data.used_games) == 12


def test_where_picks_games_and_says_when_none_are_left(data):
    assert set(data.positions(None, where="black_rank >= 5").games["black_rank"]) == {5, 6, 7, 8, 9}
    with pytest.raises(BadInput, match="no train games on 9x9 where black_rank > 99"):
        data.positions("train", where="black_rank > 99")
    with pytest.raises(BadInput, match="no train games on 13x13"):
        data.positions("train", size=13)


@pytest.mark.parametrize("first, last", [(1, 7), (21, 30), (50, 99), (8, dataset.ALL_MOVES[1]), dataset.ALL_MOVES])
def test_positions_of_some_moves_are_those_among_all(data, first, last):
    every, some = data.positions("train"), data.positions("train", moves=(first, last))
    rows, plies = every.locate(np.arange(len(every)))
    wanted = np.flatnonzero((first <= plies + 1) & (plies + 1 <= last))
    numbers = np.arange(len(some))
    for ours, theirs in zip(some.locate(numbers), (rows[wanted], plies[wanted]), strict=True):
        assert ours.tolist() == theirs.tolist()
    for ours, theirs in zip(some.batch(numbers, numbers % 8), every.batch(wanted, numbers % 8), strict=True):
        assert np.array_equal(ours, theirs)


def test_moves_that_no_game_has_are_an_error(data):
    with pytest.raises(BadInput, match="no train game on 9x9 has 51 moves"):
        data.positions("train", moves=(51, 60))


def test_a_damaged_data_set_is_said_in_one_line(data, tmp_path):
    for name in ("meta.json", "games.parquet", "moves.npy", "setup.npy"):
        (tmp_path / name).write_bytes((data.folder / name).read_bytes())
    (tmp_path / "moves.npy").write_bytes(b"nonsense")
    with pytest.raises(BadInput, match="cannot be read as a data set"):
        dataset.load_dataset(tmp_path)


@pytest.mark.parametrize("where", ["num_moves", "num_moves - 1", "num_moves.min() * 0", "True", "num_moves = 3",
                                   "nonsense > 3"])
def test_what_is_no_condition_picks_no_games(data, where):
    with pytest.raises(BadInput, match="--where"):
        data.positions("train", where=where)


def test_files_that_do_not_belong_together_are_no_data_set(data, tmp_path):
    for name in dataset.FILES:
        (tmp_path / name).write_bytes((data.folder / name).read_bytes())
    np.save(tmp_path / "moves.npy", data.moves[:-1])
    with pytest.raises(BadInput, match=r"is damaged: moves.npy is shorter than games.parquet requires"):
        dataset.load_dataset(tmp_path)
    for name, content in ("moves.npy", b""), ("meta.json", b"[]"), ("meta.json", b'{"format": 7}'):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadInput, match="cannot be read as a data set|is a data set of format"):
            dataset.load_dataset(tmp_path)
