"""What `show` counts, against counting it again one game at a time."""
import hashlib
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from small_games import games, small_data

from mugo import cli
from mugo.data import summary, summary_tables
from mugo.sgf.properties import rank_number


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return small_data(tmp_path_factory)


@pytest.fixture(scope="module")
def counted(data):
    return summary_tables.summary_tables(data.games)


def as_dict(table, column="games"):
    return {name: int(n) for name, n in table[column].items()}


def test_what_was_put_in_is_found(data, counted):
    assert len(data.games) == 47
    assert counted["sources"]["found"].to_dict() == {"kgs-2003": 30, "fox": 13, "small": 4}
    assert counted["sources"]["used"].to_dict() == {"kgs-2003": 30, "fox": 10, "small": 4}
    assert as_dict(counted["reasons"]) == {"duplicate": 1, "too few moves": 1, "not SGF": 1}
    assert as_dict(counted["sizes"]) == {9: 40, 5: 4}


def test_positions_and_splits_add_up(counted):
    moves = sum(len(game.moves) for game in games())
    for name in ("splits", "sources", "sizes"):
        assert counted[name]["positions"].sum() == moves
    assert list(counted["splits"].index) == ["train", "validation", "test"]
    assert counted["splits"]["games"].sum() == 44


def test_lengths_are_those_of_the_games(counted):
    lengths = sorted(len(game.moves) for game in games())
    moves = counted["lengths"]["moves"]
    assert (moves["shortest"], moves["longest"]) == (lengths[0], lengths[-1])
    assert moves["median"] == round((lengths[21] + lengths[22]) / 2)
    assert moves["mean"] == round(sum(lengths) / 44)


def test_both_players_ranks_are_counted(counted):
    expected = Counter()
    for game in games():
        for rank in game.ranks:
            number = rank_number(rank)
            names = [name for name, low, high in summary_tables.RANK_GROUPS if low <= number <= high]
            expected[names[0] if names else "unknown"] += 1
    assert as_dict(counted["ranks"], "players") == dict(expected)
    assert list(counted["ranks"].index)[-1] == "unknown"


@pytest.mark.parametrize(("rank", "name"), [
    ("30k", "30-26k"), ("26k", "30-26k"), ("25k", "25-21k"), ("5k", "5-1k"), ("1k", "5-1k"), ("1d", "1d"),
    ("9d", "9d"), ("1p", "1-3p"), ("6p", "4-6p"), ("8p", "7-8p"), ("9p", "9p"), ("?", "unknown")])
def test_a_rank_has_one_name(rank, name):
    assert list(summary_tables.rank_groups(pd.Series([rank_number(rank)]), summary_tables.RANK_GROUPS)) == [name]


def test_handicap_and_komi_come_with_how_often_black_won(counted):
    for name, of_game in (("handicaps", lambda game: game.handicap),
                          ("komi", lambda game: float(game.komi) if game.komi else np.inf)):
        for value, row in counted[name].iterrows():
            of_value = [game for game in games() if of_game(game) == value]
            black = sum(game.result.startswith("B+") for game in of_value)
            white = sum(game.result.startswith("W+") for game in of_value)
            assert row["games"] == len(of_value)
            assert row["black_won"] == pytest.approx(black / (black + white))


def test_years_are_counted(counted):
    assert as_dict(counted["years"]) == {str(year): n for year, n in Counter(g.year for g in games()).items()}


def test_many_years_are_counted_in_spans():
    dates = [f"{year}-01-01" for year in range(1670, 2017)] + ["", "long ago"]
    table = summary_tables.year_table(pd.DataFrame({"date": dates}))
    assert len(table) <= summary_tables.MAX_YEAR_ROWS + 1
    assert table.loc["1700-49", "games"] == 50
    assert table.loc["unknown", "games"] == 2
    assert table["games"].sum() == len(dates)


@pytest.mark.parametrize(("result", "how"), [
    ("B+R", "resignation"), ("W+T", "time"), ("B+F", "forfeit"), ("W+0.5", "points"), ("B+", "unknown margin"),
    ("0", "draw"), ("", "unknown")])
def test_a_result_says_how_a_game_ended(result, how):
    assert summary_tables.result_kind(result) == how


def test_results_are_counted_by_who_won(counted):
    sides = {"B": "Black", "W": "White"}
    expected = Counter((summary_tables.result_kind(game.result), sides.get(game.result[:1], "neither"))
                       for game in games())
    found = {(how, side): n for how, row in counted["results"].iterrows() for side, n in row.items() if n}
    assert found == dict(expected)


def test_players_are_counted_with_their_wins(counted):
    for name, row in counted["players"].iterrows():
        sides = [(game, side) for game in games() for side in (0, 1) if game.names[side] == name]
        won = sum(game.result[:2] == ("B+", "W+")[side] for game, side in sides)
        assert row["games"] == len(sides)
        assert row["won"] == pytest.approx(won / sum(game.result[:2] in ("B+", "W+") for game, _ in sides))
    assert "" not in counted["players"].index


@pytest.mark.parametrize(("label", "kind"), [
    ("KGS-2003-19.tar.gz", "kgs"), ("kgs_2015", "kgs"), ("tygem-9d.tar.xz", "tygem"),
    ("2003.zip", "2003.zip")])
def test_archives_belong_to_a_family_by_their_name(label, kind):
    assert summary_tables.source_family(label) == kind


def test_a_long_table_ends_with_the_others():
    table = pd.DataFrame({"games": range(1, 31), "black_won": 0.5}, index=[f"{k}" for k in range(30)])
    shown = summary._largest(table, "komi")
    assert list(shown.index) == ["22", "23", "24", "25", "26", "27", "28", "29", "22 others"]
    assert shown["games"].sum() == sum(range(1, 31))


def test_show_prints_the_tables_and_leaves_the_data_as_it_was(data, capsys):
    pytest.importorskip("matplotlib")
    files = [path for path in data.folder.iterdir() if path.suffix != ".png"]
    before = [hashlib.sha256(path.read_bytes()).digest() for path in files]
    assert cli.main(["show", str(data.folder)]) == 0
    printed = capsys.readouterr().out
    for text in ("games found     47", "games used      44", "kgs-2003", "resignation", "古力", "5-1k"):
        assert text in printed
    assert max(map(len, printed.splitlines())) <= 110 + len(str(data.folder))
    assert (data.folder / "statistics.png").read_bytes().startswith(b"\x89PNG")
    assert [hashlib.sha256(path.read_bytes()).digest() for path in files] == before


def test_show_takes_a_query(data, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "even.svg"
    where = "handicap == 0 and size == 9"
    assert cli.main(["show", str(data.folder), "--where", where, "-o", str(picture)]) == 0
    assert re.search(r"games used +20\b", capsys.readouterr().out)
    assert picture.read_text().startswith("<?xml")


@pytest.mark.parametrize(("options", "complaint"), [
    (["--where", "height > 3"], "UndefinedVariableError"),
    (["--where", "size == 13"], "no games where size == 13"),
    (["-o", "picture.doc"], "a picture's name ends in one of"),
])
def test_show_refuses_in_one_line(data, options, complaint, capsys):
    pytest.importorskip("matplotlib")
    assert cli.main(["show", str(data.folder), *options]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert len(error.splitlines()) == 1


def test_where_no_game_is_used_the_reasons_are_shown(data, capsys):
    assert cli.main(["show", str(data.folder), "--where", "reject_reason == 'duplicate'"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"games used +0\b", printed)
    assert "duplicate" in printed


def test_names_from_records_cannot_write_on_the_terminal(data):
    rows = data.used_games.copy()
    rows["black"] = "\x1b[31mred\x07"
    report = summary.report(data, rows, summary_tables.summary_tables(rows))
    assert "?[31mred?" in report
    assert "\x1b" not in report
