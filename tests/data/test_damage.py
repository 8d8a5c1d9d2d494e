"""Data sets that are damaged: one line that names the file."""
import contextlib
import json

import numpy as np
import pandas as pd
import pytest
from damaged_data import SHARD, copy_of, index_of, rewrite
from random_records import random_record, write_games

from mugo.cli import main as cli
from mugo.data import dataset, games_table
from mugo.data import unmerged as parts
from mugo.data import shards as meta
from mugo.core.files import BadInput
from mugo.games.coords import WHITE_BIT


@pytest.fixture
def folder(data, tmp_path):
    """A copy of the data set that may be changed."""
    return copy_of(data.folder, tmp_path / "set")


def error_of(folder) -> str:
    """The line with which the data set is refused, at the latest when all of it is read."""
    with pytest.raises(BadInput) as caught:
        dataset.load_dataset(folder).table()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- damage

FILES = (meta.META, *(f"{SHARD}/{name}" for name in meta.FILES))


@pytest.mark.parametrize("name", FILES)
def test_every_damaged_bit_is_noticed(folder, name):
    rewrite(folder, setup=np.arange(20, dtype=np.int16), ownership=np.arange(20, dtype=np.int16))
    whole = (folder / name).read_bytes()
    for bit in np.random.default_rng(1).choice(8 * len(whole), 60, replace=False):
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        (folder / name).write_bytes(content)
        if name.endswith(".npy") and bit < 8 * 128:
            with contextlib.suppress(BadInput):          # the blanks in a header do not matter
                dataset.load_dataset(folder).table()
        else:
            assert str(folder / name) in error_of(folder), f"bit {bit}"


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_cut_off_or_empty_is_noticed(folder, name):
    whole = (folder / name).read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        (folder / name).write_bytes(whole[:length])
        assert str(folder / name) in error_of(folder)
    (folder / name).unlink()
    assert f"{name} is missing" in error_of(folder) or "No such file" in error_of(folder)


@pytest.mark.parametrize("command", [["show"], ["export", "-o", "out"], ["evaluate"], ["train", "-o", "out"],
                                     ["preprocess", "games"]])
def test_every_command_refuses_a_damaged_data_set_in_one_line(folder, tmp_path, capsys, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    write_games(tmp_path / "games", range(40, 43), plies=50)
    for part in ("index.npy", "games.parquet"):
        content = bytearray((folder / SHARD / part).read_bytes())
        content[600] ^= 1
        (folder / SHARD / part).write_bytes(content)
    name, *arguments = command
    arguments = ["-o", "set", "--jobs", "1", "--validation", "0.2", "--test", "0.2", *arguments] \
        if name == "preprocess" else ["policy-9", "set"] if name == "evaluate" else ["set", *arguments]
    assert cli.main([name, *arguments]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error == (f"mugo {name}: set/{SHARD}/index.npy is damaged: its checksum is not the one in meta.json; make "
                     "the data set again")
    assert not (tmp_path / "out").exists()


def test_illegal_moves_are_reported_when_their_game_is_used(data, folder):
    """On a stone, a suicide, a second stone of the setup on the first, and 4,000 moves on 2x2."""
    moves = data.selection().arrays().moves
    good = moves.copy()
    moves[20] = moves[19] ^ WHITE_BIT
    rewrite(folder, moves=moves)
    positions = dataset.load_dataset(folder).positions(None)
    assert len(positions.batch(np.arange(21)).targets) == 21                # the move is a target there, not played
    with pytest.raises(BadInput, match="a game with an illegal move or setup stone: 'game-000.sgf' of 'sgf'"):
        positions.batch(np.arange(22))
    index = index_of(folder)
    index["setup_start"], index["num_setup"] = np.where(np.arange(12) == 0, 0, 2), np.where(np.arange(12) == 0, 2, 0)
    rewrite(folder, index=index, moves=good, setup=np.array([7, 7], np.int16))
    with pytest.raises(BadInput, match="'game-000.sgf' of 'sgf'"):
        dataset.load_dataset(folder).positions(None).batch(np.array([0]))
# ---- meta.json

@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"null", b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe",
                                     b"1" * 5000, b'{"format": 7}', b'{"format": 7, "checksum": 7}'])
def test_a_meta_json_that_is_something_else_is_refused(folder, content):
    (folder / "meta.json").write_bytes(content)
    assert str(folder / "meta.json") in error_of(folder)


def test_a_data_set_of_an_earlier_format_says_what_to_do(folder):
    for number in (1, 2, 3, 4):
        (folder / "meta.json").write_text(json.dumps({"format": number, "options": {}}))
        assert error_of(folder) == (f"{folder} is a data set of format {number}; this version reads format 7: delete "
                                    f"it and run `mugo preprocess GAMES -o {folder}` again")


# ---- parts of an unfinished preprocess

@pytest.fixture
def part(data, tmp_path):
    """A part of three games in tmp_path/set."""
    table = games_table.make_table([])
    for seed in range(3):
        record = random_record(seed)
        table = pd.concat([table, games_table.make_table([{
            "file_key": seed, "size": 9, "num_moves": 60, "moves": record.moves.tobytes(), "game_hash": seed}])])
    parts.write_part(tmp_path / "set", table, 0)
    return parts.part_paths(tmp_path / "set")[0]


def test_every_damaged_bit_of_a_part_is_noticed(part):
    whole = part.read_bytes()
    assert len(parts.read_part(part)) == 3
    for bit in np.random.default_rng(1).choice(8 * len(whole), 200, replace=False):
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        part.write_bytes(content)
        with pytest.raises(BadInput, match="is damaged: its checksum is not the one in its name; delete it and run"):
            parts.read_part(part)
