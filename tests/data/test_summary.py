"""What `mugo show` prints."""
import hashlib
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from small_games import games, small_data

from mugo.cli import main as cli
from mugo.data import summary
from mugo.sgf.properties import rank_number


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return small_data(tmp_path_factory)


def test_the_last_row_of_a_long_table_counts_the_others():
    table = pd.DataFrame({"games": range(1, 31), "black_won": 0.5}, index=[f"{k}" for k in range(30)])
    shown = summary._largest(table, "komi")
    assert list(shown.index) == ["22", "23", "24", "25", "26", "27", "28", "29", "22 others"]
    assert shown["games"].sum() == sum(range(1, 31))


def test_show_prints_tables_and_does_not_change_the_data_set(data, capsys):
    files = [path for path in data.folder.rglob("*") if path.is_file()]
    before = [hashlib.sha256(path.read_bytes()).digest() for path in files]
    assert cli.main(["show", str(data.folder)]) == 0
    printed = capsys.readouterr().out
    for text in ("games found +47", "games used +44", "final ownership +0", "kgs-2003", "resignation", "古力", "5-1k"):
        assert re.search(text, printed)
    assert max(map(len, printed.splitlines())) <= 110 + len(str(data.folder))
    assert [hashlib.sha256(path.read_bytes()).digest() for path in files] == before


def test_show_takes_a_query(data, capsys):
    assert cli.main(["show", str(data.folder), "--where", "handicap == 0 and size == 9"]) == 0
    assert re.search(r"games used +20\b", capsys.readouterr().out)


@pytest.mark.parametrize(("options", "complaint"), [
    (["--where", "height > 3"], "name 'height' is not defined"),
    (["--where", "size == 13"], "no games where size == 13"),
])
def test_errors_of_show_are_one_line(data, options, complaint, capsys):
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


@pytest.fixture(scope="module")
def tables(data):
    return summary.summary_tables(data.games)


def as_dict(table, column="games"):
    return {name: int(n) for name, n in table[column].items()}


def test_games_are_counted_by_source_reason_and_size(data, tables):
    assert len(data.games) == 47
    assert tables["sources"]["found"].to_dict() == {"kgs-2003": 30, "fox": 13, "small": 4}
    assert tables["sources"]["used"].to_dict() == {"kgs-2003": 30, "fox": 10, "small": 4}
    assert as_dict(tables["reasons"]) == {"duplicate": 1, "too few moves": 1, "not SGF": 1}
    assert as_dict(tables["sizes"]) == {9: 40, 5: 4}


def test_positions_and_splits_add_up(tables):
    moves = sum(len(game.moves) for game in games())
    for name in ("splits", "sources", "sizes"):
        assert tables[name]["positions"].sum() == moves
    assert list(tables["splits"].index) == ["train", "validation", "test"]
    assert tables["splits"]["games"].sum() == 44


def test_lengths_are_quantiles_of_the_numbers_of_moves(tables):
    lengths = sorted(len(game.moves) for game in games())
    moves = tables["lengths"]["moves"]
    assert (moves["shortest"], moves["longest"]) == (lengths[0], lengths[-1])
    assert moves["median"] == round((lengths[21] + lengths[22]) / 2)
    assert moves["mean"] == round(sum(lengths) / 44)


def test_the_ranks_of_both_players_are_counted(tables):
    expected = Counter()
    for game in games():
        for rank in game.ranks:
            number = rank_number(rank)
            names = [name for name, low, high in summary.RANK_GROUPS if low <= number <= high]
            expected[names[0] if names else "unknown"] += 1
    assert as_dict(tables["ranks"], "players") == dict(expected)
    assert list(tables["ranks"].index)[-1] == "unknown"


def test_handicap_and_komi_have_black_s_win_rate(tables):
    for name, of_game in (("handicaps", lambda game: game.handicap),
                          ("komi", lambda game: float(game.komi) if game.komi else np.inf)):
        for value, row in tables[name].iterrows():
            of_value = [game for game in games() if of_game(game) == value]
            black = sum(game.result.startswith("B+") for game in of_value)
            white = sum(game.result.startswith("W+") for game in of_value)
            assert row["games"] == len(of_value)
            assert row["black_won"] == pytest.approx(black / (black + white))


def test_win_rates_of_more_than_127_games():
    """The column winner is int8, which overflows above 127."""
    games = pd.DataFrame({"reject_reason": "", "winner": np.array([1] * 300 + [-1] * 100, np.int8), "handicap": 0})
    assert summary._games_and_wins(games, games["handicap"])["black_won"].tolist() == [0.75]


def test_years_are_counted(tables):
    assert as_dict(tables["years"]) == {str(year): n for year, n in Counter(g.year for g in games()).items()}


def test_many_years_are_counted_in_spans():
    dates = [f"{year}-01-01" for year in range(1670, 2017)] + ["", "long ago"]
    table = summary.year_table(pd.DataFrame({"date": dates}))
    assert len(table) <= summary.MAX_YEAR_ROWS + 1
    assert table.loc["1700-49", "games"] == 50
    assert table.loc["unknown", "games"] == 2
    assert table["games"].sum() == len(dates)


@pytest.mark.parametrize(("result", "how"), [
    ("B+R", "resignation"), ("W+T", "time"), ("B+F", "forfeit"), ("W+0.5", "points"), ("B+", "unknown margin"),
    ("0", "draw"), ("", "unknown")])
def test_result_kinds(result, how):
    assert summary.result_kind(result) == how


def test_results_are_counted_by_kind_and_winner(tables):
    sides = {"B": "Black", "W": "White"}
    expected = Counter((summary.result_kind(game.result), sides.get(game.result[:1], "neither"))
                       for game in games())
    found = {(how, side): n for how, row in tables["results"].iterrows() for side, n in row.items() if n}
    assert found == dict(expected)


def test_players_have_their_games_and_win_rate(tables):
    for name, row in tables["players"].iterrows():
        sides = [(game, side) for game in games() for side in (0, 1) if game.names[side] == name]
        won = sum(game.result[:2] == ("B+", "W+")[side] for game, side in sides)
        assert row["games"] == len(sides)
        assert row["won"] == pytest.approx(won / sum(game.result[:2] in ("B+", "W+") for game, _ in sides))
    assert "" not in tables["players"].index


@pytest.mark.parametrize(("label", "kind"), [
    ("KGS-2003-19.tar.gz", "kgs"), ("kgs_2015", "kgs"), ("tygem-9d.tar.xz", "tygem"),
    ("2003.zip", "2003.zip"), ("7\x1b[31m\r\n" + "9" * 100_000, "7?[31m??" + "9" * 15 + "…"),
    ("x" * 100_000, "x" * 23 + "…")])
def test_the_family_of_a_source_is_the_prefix_of_its_name(label, kind):
    assert summary.source_family(label) == kind
