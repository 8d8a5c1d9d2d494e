"""What `mugo show` prints and draws."""
import hashlib
import re

import pandas as pd
import pytest
from damaged_data import SHARD, copy_of
from small_games import small_data

from mugo.cli import main as cli
from mugo.data import summary


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return small_data(tmp_path_factory)


def test_the_last_row_of_a_long_table_counts_the_others():
    table = pd.DataFrame({"games": range(1, 31), "black_won": 0.5}, index=[f"{k}" for k in range(30)])
    shown = summary._largest(table, "komi")
    assert list(shown.index) == ["22", "23", "24", "25", "26", "27", "28", "29", "22 others"]
    assert shown["games"].sum() == sum(range(1, 31))


def test_show_prints_tables_draws_charts_and_does_not_change_the_data_set(data, capsys, rendered_pictures):
    pytest.importorskip("matplotlib")
    files = [path for path in data.folder.rglob("*") if path.is_file() and path.suffix != ".png"]
    before = [hashlib.sha256(path.read_bytes()).digest() for path in files]
    assert cli.main(["show", str(data.folder)]) == 0
    printed = capsys.readouterr().out
    for text in ("games found +47", "games used +44", "final ownership +0", "kgs-2003", "resignation", "古力", "5-1k"):
        assert re.search(text, printed)
    assert max(map(len, printed.splitlines())) <= 110 + len(str(data.folder))
    assert (data.folder / "statistics.png").read_bytes().startswith(b"\x89PNG")
    assert [hashlib.sha256(path.read_bytes()).digest() for path in files] == before


def test_show_verifies_every_file(data, tmp_path, capsys):
    folder = copy_of(data.folder, tmp_path / "set")
    path = folder / SHARD / "moves.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    picture = ["-o", str(tmp_path / "a.png")]
    assert cli.main(["show", str(data.folder), "--verify", *picture]) == 0
    assert cli.main(["show", str(folder), "--verify"]) == 2
    shown = capsys.readouterr()
    assert shown.out.count("every file has the checksum of meta.json") == 1
    assert shown.err == (f"mugo show: {path} is damaged: its checksum is not the one in meta.json; make the data set "
                         "again\n")


def test_show_takes_a_query(data, tmp_path, capsys, rendered_pictures):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "even.svg"
    where = "handicap == 0 and size == 9"
    assert cli.main(["show", str(data.folder), "--where", where, "-o", str(picture)]) == 0
    assert re.search(r"games used +20\b", capsys.readouterr().out)
    assert picture.read_text().startswith("<?xml")


@pytest.mark.parametrize(("options", "complaint"), [
    (["--where", "height > 3"], "name 'height' is not defined"),
    (["--where", "size == 13"], "no games where size == 13"),
    (["-o", "picture.doc"], "the name of a picture ends in one of"),
])
def test_errors_of_show_are_one_line(data, options, complaint, capsys):
    pytest.importorskip("matplotlib")
    assert cli.main(["show", str(data.folder), *options]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert len(error.splitlines()) == 1


def test_without_used_games_the_reasons_are_shown(data, capsys):
    assert cli.main(["show", str(data.folder), "--where", "reject_reason == 'duplicate'"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"games used +0\b", printed)
    assert "duplicate" in printed


def test_control_characters_in_names_are_not_printed(data):
    rows = data.used_games.copy()
    rows["black"] = "\x1b[31mred\x07"
    report = summary.report(data, rows, summary.summary_tables(rows))
    assert "?[31mred?" in report
    assert "\x1b" not in report
