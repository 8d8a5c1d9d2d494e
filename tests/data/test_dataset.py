"""Loading a data set, and selecting its games."""
import hashlib
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from damaged_data import copy_of, index_of, rewrite
from random_records import dataset_of, finished_record, random_record, transformed

from mugo.core.files import BadInput
from mugo.data import dataset, game_hash, selection
from mugo.data.preprocess import preprocess
from mugo.data.shards import INDEX, SPLITS
from mugo.games.coords import WHITE_BIT
from mugo.sgf.record_positions import position_of
from mugo.sgf.convert import format_record


def test_every_game_is_in_exactly_one_split(data):
    parts = [set(data.positions(split).games.column("game_hash")) for split in SPLITS]
    assert sum(map(len, parts)) == len(set.union(*parts)) == len(data.used_games) == 12


def test_a_game_has_its_split_by_its_first_moves_whatever_the_other_games(tmp_path):
    """A rotated, recoloured and truncated copy in a data set of other games is in the split of the game."""
    games = [random_record(seed, size=13, plies=60) for seed in range(24)]
    copies = [transformed(replace(game, moves=game.moves[:40 + i % 9]), i % 8, i % 2 == 0)
              for i, game in enumerate(games)]
    others = [random_record(seed, size=13, plies=60) for seed in range(24, 40)]
    splits = []
    for name, records in (("a", games), ("b", [*others, *copies[::-1]])):
        (tmp_path / name).mkdir()
        splits.append(dataset_of(tmp_path / name, records, validation=0.3, test=0.3).games["split"].tolist())
    assert splits[0] == splits[1][:15:-1]
    assert min(splits[0].count(split) for split in SPLITS) > 2


def test_the_fingerprint_covers_the_games_their_order_split_and_winner(data, tmp_path):
    games = [random_record(seed, plies=50) for seed in range(12)]
    options = {"validation": 0.2, "test": 0.2}
    variants = {
        "same": (games, options),
        "another seed": (games, options | {"seed": 1}),
        "another order": (games[::-1], options),
        "a game less": (games[:-1], options),
        "a rotated game": ([transformed(games[0], 3), *games[1:]], options),
        "another winner": ([replace(games[0], result="0"), *games[1:]], options),
        "a pass more": ([replace(games[0], moves=np.append(games[0].moves, np.int16(81))), *games[1:]], options)}
    fingerprints = {}
    for name, (records, arguments) in variants.items():
        (tmp_path / name).mkdir()
        fingerprints[name] = dataset_of(tmp_path / name, records, **arguments).fingerprint
    assert fingerprints.pop("same") == data.fingerprint
    assert len({data.fingerprint, *fingerprints.values()}) == 7


def test_the_fingerprint_is_that_of_format_4():
    """Networks record it: of one game of 9x9 by hand, as earlier versions computed it."""
    record = random_record(3)
    splitmix = game_hash.splitmix64
    h = splitmix(np.uint64(0))
    for move in record.moves:
        h = splitmix(h ^ np.uint64(move))
    expected = hashlib.blake2b(digest_size=16)
    for array in (np.array([h], np.uint64), np.array([9], np.int16), np.array([0], np.int8), np.array([1], np.int8),
                  np.array([6.5], np.float32), np.array([0]), np.zeros(0, np.int16)):
        expected.update(f"{array.dtype} {len(array)}:".encode() + array.tobytes())
    with tempfile.TemporaryDirectory() as folder:
        data = dataset_of(Path(folder), [record], validation=0, test=0)
        assert data.fingerprint == expected.hexdigest()


def test_positions_have_a_fingerprint_of_their_own(data, tmp_path):
    every = data.positions(None)
    assert every.fingerprint == data.positions(None, moves=(1, 50)).fingerprint
    selections = [every, data.positions("train"), data.positions(None, where="black_rank > 3"),
                  data.positions(None, moves=(2, 50)), data.positions(None, moves=(1, 49)),
                  replace(every, games=every.games.take(slice(None, None, -1)))]
    folder = copy_of(data.folder, tmp_path / "set")
    index = index_of(folder)
    index["winner"] = 0
    rewrite(folder, index=index)
    selections.append(dataset.load_dataset(folder).positions(None))
    assert len({positions.fingerprint for positions in selections}) == len(selections)


def test_games_are_selected_in_any_order(data, monkeypatch):
    games = data.selection()
    rows = np.array([5, 0, 5, 11])
    assert games.take(rows).table(["file", "num_moves"]).equals(
        data.games.iloc[rows][["file", "num_moves"]].reset_index(drop=True))
    assert games.take(rows).column("game_hash").tolist() == data.games["game_hash"].iloc[rows].tolist()
    assert games.take(games.column("split") == 1).table()["split"].tolist() == ["validation"] * (
        data.games["split"] == "validation").sum()
    monkeypatch.setattr(selection, "CHUNK", 5)
    assert [len(chunk.games) for chunk in games.chunks()] == [5, 5, 2]
    assert not len(games.take([]).table()) and list(games.take([]).table()) == list(data.games)


def test_positions_are_of_the_most_frequent_board_size_by_default(tmp_path):
    sizes = {1: 13, 2: 9, 3: 9, 4: 9, 5: 5}
    data = dataset_of(tmp_path, [random_record(seed, size, plies=20 if size == 5 else 60, result="B+R")
                                 for seed, size in sizes.items()])
    assert data.board_sizes()[0] == 9
    assert data.positions(None).size == 9 and len(data.positions(None)) == 3 * 60
    assert data.positions(None, size=13).size == 13 and len(data.positions(None, size=13)) == 60


def test_where_selects_games_and_an_empty_selection_is_an_error(data):
    chosen = data.positions(None, where="black_rank >= 5").games
    assert set(chosen.table(["black_rank"])["black_rank"]) == {5, 6, 7, 8, 9}
    with pytest.raises(BadInput, match="no training games on 9x9 where black_rank > 99"):
        data.positions("train", where="black_rank > 99")
    with pytest.raises(BadInput, match="no training games on 13x13"):
        data.positions("train", size=13)


def test_a_range_of_moves_that_no_game_has_is_an_error(data):
    with pytest.raises(BadInput, match="no training game on 9x9 has 51 moves"):
        data.positions("train", moves=(51, 60))


PAGE = (Path(__file__).parents[2] / "docs/reference/data-format.md").read_text(encoding="utf-8")


def test_a_game_is_read_as_the_page_says(tmp_path):
    record = finished_record(1, handicap=(20, 60))
    (tmp_path / "a.sgf").write_text(format_record(record), encoding="utf-8")
    preprocess([str(tmp_path / "a.sgf")], tmp_path / "games", jobs=1)
    program, = (block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "np.load" in block)
    found: dict = {}
    exec(program.replace("games/shard", f"{tmp_path.as_posix()}/games/shard"), found)
    assert found["stones"].tolist() == [20, 60]
    assert (found["points"] + WHITE_BIT * found["white"]).tolist() == record.moves.tolist()
    stones, owner = position_of(record).stones, np.array([0, 1, -1])[found["owner"]]
    assert (owner[stones != 0] == stones[stones != 0]).all()
    assert owner.sum() == record.score + record.komi


def test_every_field_of_the_index_is_described():
    table = PAGE[PAGE.index("| field of `index.npy`"):PAGE.index("The columns of `games.parquet`")]
    assert set(re.findall(r"`(\w+)`", table)) >= set(INDEX.names)
