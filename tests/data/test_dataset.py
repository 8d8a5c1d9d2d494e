"""Loading a data set, and selecting its games."""
import numpy as np
import pytest

from mugo.data import dataset
from mugo.files import BadInput


def test_every_game_is_in_exactly_one_split(data):
    parts = [set(data.positions(split).games["game_hash"]) for split in dataset.SPLITS]
    assert sum(map(len, parts)) == len(set.union(*parts)) == len(data.used_games) == 12


def test_where_selects_games_and_an_empty_selection_is_an_error(data):
    assert set(data.positions(None, where="black_rank >= 5").games["black_rank"]) == {5, 6, 7, 8, 9}
    with pytest.raises(BadInput, match="no train games on 9x9 where black_rank > 99"):
        data.positions("train", where="black_rank > 99")
    with pytest.raises(BadInput, match="no train games on 13x13"):
        data.positions("train", size=13)


def test_a_range_of_moves_that_no_game_has_is_an_error(data):
    with pytest.raises(BadInput, match="no train game on 9x9 has 51 moves"):
        data.positions("train", moves=(51, 60))


def test_a_damaged_file_is_an_error(data, tmp_path):
    for name in ("meta.json", "games.parquet", "moves.npy", "setup.npy"):
        (tmp_path / name).write_bytes((data.folder / name).read_bytes())
    (tmp_path / "moves.npy").write_bytes(b"nonsense")
    with pytest.raises(BadInput, match="cannot be read as a data set"):
        dataset.load_dataset(tmp_path)


@pytest.mark.parametrize("where", ["num_moves", "num_moves - 1", "num_moves.min() * 0", "True", "num_moves = 3",
                                   "nonsense > 3"])
def test_a_query_that_is_not_a_condition_is_an_error(data, where):
    with pytest.raises(BadInput, match="--where"):
        data.positions("train", where=where)


def test_files_that_do_not_belong_together_are_an_error(data, tmp_path):
    for name in dataset.FILES:
        (tmp_path / name).write_bytes((data.folder / name).read_bytes())
    np.save(tmp_path / "moves.npy", data.moves[:-1])
    with pytest.raises(BadInput, match=r"is damaged: moves.npy is shorter than games.parquet requires"):
        dataset.load_dataset(tmp_path)
    for name, content in ("moves.npy", b""), ("meta.json", b"[]"), ("meta.json", b'{"format": 7}'):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BadInput, match="cannot be read as a data set|is a data set of format"):
            dataset.load_dataset(tmp_path)


def test_a_data_set_of_format_1_is_an_error_that_says_what_to_do(data, tmp_path):
    (tmp_path / "meta.json").write_text('{"format": 1, "options": {}}')
    with pytest.raises(BadInput, match="data set of format 1; this version reads format 2: delete it and run `mugo "
                                       "preprocess GAMES -o .*` again"):
        dataset.load_dataset(tmp_path)
