"""Data sets that are damaged, or that somebody made up: one line that names the file, and compiled code sees no number
that is out of range."""
import io
import json
import os
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from damaged_data import SHARD, copy_of, index_of, rewrite, sign
from random_records import random_record, write_games

from mugo.cli import main as cli
from mugo.data import dataset, games_table, meta, new_games, parts, shards, table_file
from mugo.data.game_index import INDEX
from mugo.data.shards import REJECTED
from mugo.core.files import BadInput
from mugo.games.coords import WHITE_BIT


@pytest.fixture
def folder(data, tmp_path):
    """A copy of the data set that may be changed."""
    return copy_of(data.folder, tmp_path / "set")


def error_of(folder) -> str:
    """The line with which the data set is refused, at the latest when all of it is read."""
    with pytest.raises(BadInput) as caught:
        dataset.load_dataset(folder).verify()
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
        assert str(folder / name) in error_of(folder), f"bit {bit}"


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_cut_off_or_empty_is_noticed(folder, name):
    whole = (folder / name).read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        (folder / name).write_bytes(whole[:length])
        assert str(folder / name) in error_of(folder)
    (folder / name).unlink()
    assert f"{name} is missing" in error_of(folder) or "No such file" in error_of(folder)


@pytest.mark.parametrize("name, where", [("moves", 128 + 100), ("ownership", 128 + 4), ("setup", 128)])
def test_a_game_that_is_damaged_is_noticed_when_it_is_used(folder, name, where):
    """Without all files being read when the data set is opened."""
    index = index_of(folder)
    index["ownership_start"][3], index["setup_start"][3:], index["num_setup"][3] = 0, 1, 1
    index["setup_start"][3] = 0
    rewrite(folder, index=index, ownership=np.zeros(11, np.int16), setup=np.array([80 | WHITE_BIT], np.int16))
    path = folder / SHARD / f"{name}.npy"
    content = bytearray(path.read_bytes())
    content[where] ^= 1
    path.write_bytes(content)
    data, game = dataset.load_dataset(folder), 1 if name == "moves" else 3
    positions = data.positions(None)
    positions.batch(np.arange(50 * game - 50, 50 * game))
    with pytest.raises(BadInput) as caught:
        positions.batch(np.array([50 * game + 49]))
    assert str(caught.value) == (f"{folder}/{SHARD} is damaged: of the game in row {game} of games.parquet, its moves, "
                                 "setup or ownership are not those that were written; make the data set again")
    if name == "ownership":
        with pytest.raises(BadInput, match="is damaged"):
            str(data.fingerprint)


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


# ---- made up: the checksums are right

def test_what_is_signed_anew_is_still_a_data_set(data, folder):
    arrays = data.selection().arrays()
    rewrite(folder, data.games, moves=arrays.moves, setup=arrays.setup)
    again = dataset.load_dataset(folder)
    again.verify()
    assert again.games.equals(data.games) and again.games.dtypes.equals(data.games.dtypes)
    assert again.selection().arrays().moves.tolist() == arrays.moves.tolist()


@pytest.mark.parametrize("field, value, line", [
    ("size", 25, "record 3: the board size is not from 2 to 19"), ("size", 0, "board size"), ("size", -9, "board size"),
    ("size", 5, "row 3 of games.parquet, a move is not on the board"),
    ("winner", 2, "record 3: the winner is not 1, -1 or 0"), ("winner", -128, "winner"),
    ("white_points", np.inf, "record 3: White's points are not from -722 to 722"),
    ("white_points", -800, "White's points"),
    ("black_rank", 19, "record 3: a rank is not from -39 to 18"), ("white_rank", -np.inf, "a rank is not from"),
    ("num_moves", -1, "record 3: the number of moves is not from 0 to 4,095"), ("num_moves", 4096, "number of moves"),
    ("num_moves", 51, "record 4: its moves are not in moves.npy behind the last game's"),
    ("move_start", -1000000, "record 3: its moves are not in moves.npy"),
    ("move_start", 2**31 - 1, "its moves are not in"), ("move_start", 0, "its moves are not in"),
    ("setup_start", 1, "record 3: its setup is not in setup.npy behind the last game's"),
    ("setup_start", -1, "its setup is not in setup.npy"), ("setup_start", -2**31, "setup"),
    ("num_setup", 1, "record 3: its setup is not in setup.npy"), ("num_setup", 82, "the number of setup stones"),
    ("num_setup", -1, "the number of setup stones"), ("num_setup", 2**31 - 1, "the number of setup stones"),
    ("ownership_start", -2, "record 3: its ownership is not in ownership.npy"),
    ("ownership_start", 0, "record 3: its ownership is not in ownership.npy behind the last game's"),
    ("ownership_start", 2**31 - 1, "its ownership is not in ownership.npy"),
    ("split", 3, "record 3: the split is none of train, validation, test"), ("split", -1, "split"),
    ("row", 2, "record 3: its row is not in games.parquet"), ("row", 12, "record 3: its row"),
    ("row", -1, "record 3: its row")])
def test_numbers_out_of_range_are_refused(folder, field, value, line):
    index = index_of(folder)
    index[field][3] = value
    rewrite(folder, index=index)
    assert line in error_of(folder)


@pytest.mark.parametrize("move", [82, 83, 511, 82 | WHITE_BIT, 1024, 32767, -1, -32768])
def test_moves_and_stones_off_the_board_are_refused(data, folder, move):
    moves = data.selection().arrays().moves
    good = moves.copy()
    moves[321] = move
    rewrite(folder, moves=moves)
    assert error_of(folder) == (f"{folder}/{SHARD} is damaged: of the game in row 6 of games.parquet, a move is not on "
                                "the board; make the data set again")
    index = index_of(folder)
    index["setup_start"][5:], index["num_setup"][5] = 3, 2
    index["setup_start"][5] = 1
    rewrite(folder, index=index, moves=good, setup=np.array([9, 9, move], np.int16))
    assert "row 5 of games.parquet, a setup stone is not on the board" in error_of(folder)
    rewrite(folder, setup=np.array([9, 9, 81], np.int16))
    assert "a setup stone is not on the board" in error_of(folder)               # a pass
    rewrite(folder, setup=np.array([9, 80 | WHITE_BIT, 80], np.int16))
    dataset.load_dataset(folder).verify()


@pytest.mark.parametrize("word, is_good", [(0b10_01_00_10_01_00_01_10, True), (0b11, False), (-1, False),
                                           (0b11 << 12, False)])
def test_owners_of_no_colour_are_refused(folder, word, is_good):
    ownership = np.zeros(22, np.int16)
    index = index_of(folder)
    index["ownership_start"] = np.where(np.arange(12) == 5, 11, -1)
    ownership[15] = np.uint16(word & 0xffff).view(np.int16)
    rewrite(folder, index=index, ownership=ownership)
    if is_good:
        assert dataset.load_dataset(folder).positions(None).batch(np.arange(260, 270)).ownership.any()
    else:
        assert "row 5 of games.parquet, an owner is neither Black, White nor nobody" in error_of(folder)
    ownership[15], ownership[21] = 0, 4                         # 9x9 has one point in its last word
    rewrite(folder, ownership=ownership)
    assert "an owner is neither" in error_of(folder)


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
    index = index_of(folder)[:1]
    index["size"], index["num_moves"], index["num_setup"] = 2, 4000, 0
    for moves in (np.arange(4000) % 4, np.tile([0, 513, 2, 515], 1000), np.full(4000, 4), np.tile([4, 0], 2000)):
        rewrite(folder, index=index, moves=moves.astype(np.int16))
        sign(folder, counts={"found": 12, "used": 1, "positions": 4000})
        positions = dataset.load_dataset(folder).positions(None)
        if moves[0] == 4 == moves[1]:
            positions.batch(np.array([3999]))            # only passes
        else:
            with pytest.raises(BadInput, match="illegal move"):
                positions.batch(np.array([3999]))


# ---- NumPy files

def npy(array: np.ndarray, version=None) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version)
    return out.getvalue()


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("ran",)


@pytest.mark.parametrize("content", [
    npy(np.array([Bomb()], object)), pickle.dumps(Bomb()), npy(np.zeros(600, np.int32)), npy(np.zeros(600, ">i2")),
    npy(np.zeros((20, 30), np.int16)), npy(np.asfortranarray(np.zeros((20, 30), np.int16))), npy(np.array(3, np.int16)),
    npy(np.zeros(600, np.int16), (2, 0)), npy(np.zeros(600, np.float16)), npy(np.zeros(300, np.int16)),
    b"\x93NUMPY\x02\x00" + (1 << 30).to_bytes(4, "little") + b" " * 2000,
    b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<i2', 'fortran_order': False, 'shape': (10**9,), }".ljust(117) + b"\n",
    b"PK\x03\x04" + bytes(2000)], ids=lambda content: str(content[:40]))
def test_other_numpy_files_are_refused_before_they_are_parsed(folder, tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    (folder / SHARD / "moves.npy").write_bytes(content)
    assert f"{folder}/{SHARD}/moves.npy is damaged: expected a NumPy file of 1,328 bytes" in error_of(folder)
    sign(folder)
    line = error_of(folder)
    assert f"{folder}/{SHARD}/moves.npy is damaged: expected a NumPy file of" in line or "are not in moves.npy" in line
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("items", [0, 1, 12345, 10**12])
def test_the_header_is_numpys(items):
    for dtype, length in ((np.dtype("<i2"), 128), (INDEX, 512)):
        content = shards.header(items, dtype)
        assert len(content) == length
        found = io.BytesIO(content)
        assert np.lib.format.read_magic(found) == (1, 0)
        assert np.lib.format.read_array_header_1_0(found) == ((items,), False, dtype)


@pytest.mark.parametrize("name", FILES)
def test_pipes_devices_and_folders_are_refused_and_links_are_followed(folder, tmp_path, name):
    path = folder / name
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    dataset.load_dataset(folder)
    for make in (lambda: os.mkfifo(path), lambda: path.symlink_to("/dev/zero"), path.mkdir):
        path.unlink()
        make()
        assert f"{path} is not a regular file" in error_of(folder)
        if path.is_dir():
            path.rmdir()
    path.symlink_to(path)
    assert "Too many levels of symbolic links" in error_of(folder)


# ---- games.parquet

def parquet(table: pa.Table, **options) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def arrow(games: pd.DataFrame, **columns: pa.Array) -> pa.Table:
    table = pa.Table.from_pandas(games, preserve_index=False)
    for name, column in columns.items():
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def test_a_table_with_other_columns_is_refused(data, folder):
    games = data.games
    for table, line in (
            (arrow(games.drop(columns="size")), "has the columns .*'reject_details', 'num_moves', .*, expected file_k"),
            (arrow(games[games.columns[::-1]]), "has the columns .'split', 'owner"),
            (arrow(games, size=pa.array([9] * 12, pa.int64())), "column size is int64, expected int16"),
            (arrow(games, winner=pa.array([0.5] * 12)), "column winner is double, expected int8"),
            (arrow(games, split=pa.array([[1]] * 12)), "column split is list<.*, expected string"),
            (arrow(games, file=pa.array([b"\xff"] * 12)), "column file is binary, expected string"),
            (arrow(games, size=pa.array([9] * 11 + [None], pa.int16())), "column size has no value in 1 rows"),
            (arrow(games, source=pa.array([None] * 12, pa.string())), "column source has no value in 12 rows")):
        rewrite(folder, parquet(table))
        with pytest.raises(BadInput, match=line):
            dataset.load_dataset(folder).table()
    no_text = pa.array([b"\xff\xfe"] * 12).view(pa.string())
    rewrite(folder, parquet(arrow(games, event=no_text)))
    with pytest.raises(BadInput, match="games.parquet cannot be read: .*UTF-?8"):
        dataset.load_dataset(folder).table()
    for content in (b"", b"PAR1", b"PAR1" * 99, b"nonsense" * 99):
        rewrite(folder, content)
        assert f"{folder}/{SHARD}/games.parquet cannot be read" in error_of(folder)


def test_a_small_table_that_would_take_much_memory_is_refused_before_it_does(data, folder, monkeypatch):
    """With a limit of 10 MB instead of 256; each of these would take more."""
    monkeypatch.setattr(table_file, "FREE_BYTES", 10 << 20)
    n, long = 1000, "x" * 100_000
    many = pa.Table.from_pandas(pd.concat([data.games.iloc[:1]] * n), preserve_index=False)

    def with_event(column: pa.Array) -> pa.Table:
        return many.set_column(many.column_names.index("event"), "event", column)

    repeated = pa.DictionaryArray.from_arrays(np.zeros(n, np.int32), [long])
    lengths, short = np.arange(n), [str(i) for i in range(n)]
    tables = {
        "a text repeated in a dictionary": parquet(with_event(repeated), store_schema=False, compression="none"),
        "text that compresses well": parquet(with_event(pa.array([f"{i}{long[:20_000]}" for i in lengths])),
                                             compression="zstd", use_dictionary=False),
        "rows that are all the same": parquet(many.take(pa.array(np.zeros(100_000, np.int64))), compression="zstd"),
        "prefixes": parquet(with_event(pa.array(short)), use_dictionary=False,
                            column_encoding={"event": "DELTA_BYTE_ARRAY"})}
    schema = pa.schema                                                    # no table of games comes that far
    monkeypatch.setattr(pa, "schema", lambda fields: schema(fields) if len(fields) == len(REJECTED) else pytest.fail())
    for name, content in tables.items():
        assert len(content) < 200_000
        rewrite(folder, content)
        line = "a page has encoding 7, expected one of" if name == "prefixes" else "GB of memory, expected at most"
        assert line in error_of(folder), name


def test_a_table_that_breaks_inside_is_refused_in_a_line(data, folder):
    """Its checksum is right; whatever pyarrow makes of it."""
    whole = (folder / SHARD / "games.parquet").read_bytes()
    rng = np.random.default_rng(5)
    for _ in range(100):
        content = bytearray(whole)
        for at in rng.integers(0, len(whole), 3):
            content[at] = rng.integers(256)
        rewrite(folder, bytes(content))
        try:
            dataset.load_dataset(folder).positions(None, where="black_rank > 0").batch(np.arange(20))
        except BadInput as error:
            assert "\n" not in str(error)


# ---- meta.json

@pytest.mark.parametrize("change, line", [
    ({"options": {}}, "meta.json: options has no 'where'"), ({"sources": [3]}, r"sources\[0\] is 3"),
    ({"counts": {"found": 12, "used": 12, "positions": 7}}, "counts is .*, but its shards have"),
    ({"counts": {"found": -1, "used": 12, "positions": 7}}, "counts.found is -1"), ({"extra": 1}, "a field 'extra'"),
    ({"counts": {}}, "set is not a data set: shard-000000 is missing"),
    ({"format": 2}, "is a data set of format 2; this version reads format 7: delete it and run"),
    ({"format": True}, "format True")])
def test_fields_of_meta_json_are_checked(folder, change, line):
    sign(folder, **change)
    with pytest.raises(BadInput, match=line):
        dataset.load_dataset(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"null", b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe",
                                     b"1" * 5000, b'{"format": 7}', b'{"format": 7, "checksum": 7}', b" " * (65 << 20)])
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
    parts.write_part(tmp_path / "set", table)
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


@pytest.mark.parametrize("change, line", [
    ({"size": 25}, "board size"), ({"num_moves": 61}, "num_moves is not the number of moves"),
    ({"moves": np.full(60, 99, np.int16).tobytes()}, "a move is not on the board"),
    ({"setup": np.full(60, 99, np.int16).tobytes()}, "a setup stone is not on the board"),
    ({"ownership": np.full(11, 3, np.int16).tobytes()}, "an owner is neither Black, White nor nobody"),
    ({"komi": np.float32(800)}, "White's points"),
    ({"ownership": np.zeros(10, np.int16).tobytes()}, "its ownership is not in ownership.npy behind the last game's"),
    ({"winner": 9}, "winner")])
def test_a_part_that_somebody_made_up_is_refused(part, tmp_path, change, line):
    table = parts.read_part(part).assign(**{name: [value] * 3 for name, value in change.items()})
    part.unlink()
    parts.write_part(tmp_path / "set", table.astype({"size": np.int16, "num_moves": np.int32, "winner": np.int8}))
    path, = parts.part_paths(tmp_path / "set")
    with pytest.raises(BadInput, match=line):
        new_games.check_part(path, parts.read_part(path))


def test_parts_are_numbered_after_the_last_one(part, tmp_path):
    table = parts.read_part(part)
    parts.write_part(tmp_path / "set", table)
    part.unlink()
    parts.write_part(tmp_path / "set", table)
    assert [path.name[:11] for path in parts.part_paths(tmp_path / "set")] == ["part-000001", "part-000002"]
