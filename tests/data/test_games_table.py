"""Queries of --where: the answers of pandas.DataFrame.query."""
import numpy as np
import pandas as pd
import pytest

from mugo.cli import main as cli
from mugo.core.config import check_typed
from mugo.data.games_table import COLUMNS, matching_rows, names_in
from mugo.core.files import BadInput

GAMES = pd.DataFrame({
    "source": ["KGS-2019.tar.gz", "tygem.zip", "KGS-2020.tar.gz", "", "fox (9p)"],
    "file": ["a/1.sgf", "b/22.sgf", "a/3.sgf", "", "日本.sgf"],
    "size": np.array([19, 19, 9, 13, 19], np.int16),
    "handicap": np.array([0, 2, 0, 9, 0], np.int16),
    "winner": np.array([1, -1, 0, 1, -1], np.int8),
    "game_hash": np.array([0, 1, 2**64 - 1, 2**63, 7], np.uint64),
    "komi": np.array([6.5, 0.5, np.nan, -100, 7.5], np.float32),
    "black_rank": np.array([9, 5, np.nan, 3, 18], np.float32),
    "white_rank": np.array([8, 7, 1, np.nan, 18], np.float32),
    "date": ["2019-03-01", "2020", "", "1999-12-31", "2019-11-30"]})

@pytest.mark.parametrize("query, rows", [
    ("handicap == 0 and black_rank >= 6 and white_rank >= 6", [0, 4]), ("source.str.contains('KGS')", [0, 2]),
    ("size not in (9, 13)", [0, 1, 4]), ("abs(black_rank - white_rank) <= 2 and komi.notna()", [0, 1, 4]),
    ("komi != 6.5", [1, 2, 3, 4]), ("file == '日本.sgf'", [4]), ("game_hash > 2 ** 63", [2])])
def test_a_query_selects_games(query, rows):
    assert np.flatnonzero(matching_rows(GAMES, query)).tolist() == rows


def test_the_empty_query_selects_every_game():
    assert matching_rows(GAMES, "").tolist() == [True] * 5


@pytest.mark.parametrize(("query", "complaint"), [
    ("size", "its value must be true or false"),
    ("True", "its value must be true or false"),
    ("rank > 3", "name 'rank' is not defined"),
    ("size ==", "invalid syntax"),
    ("@x > 1", "local variable 'x' is not defined"),
    ("source > 9", "--where"),
    ("source.str.contains('(')", "--where"),
])
def test_a_text_that_is_no_query_is_rejected_in_one_line(query, complaint):
    with pytest.raises(BadInput) as error:
        matching_rows(GAMES, query)
    assert complaint in str(error.value) and "\n" not in str(error.value)


def test_the_columns_of_a_query():
    assert names_in("date.between('2010', '2015') and komi.between(0, 7.5) or sizes", COLUMNS) == ["komi", "date"]


def test_a_query_in_a_file_has_to_be_typed_again(tmp_path, capsys):
    with pytest.raises(BadInput, match="if you trust it, give it: --where size==9"):
        check_typed(tmp_path, {"where": "size==9", "sample_weight": ""}, {"positions": 9})
    check_typed(tmp_path, {"where": "size==9"}, {"where": "size==9"})
    (tmp_path / "options.toml").write_text('where = "komi > 0"')
    command = ["show", str(tmp_path), "--config", str(tmp_path / "options.toml")]
    assert cli.main(command) == 2
    assert capsys.readouterr().err.endswith('not taken from a file; if you trust it, give it: --where "komi > 0"\n')
    assert cli.main([*command, "--where", "komi > 0"]) == 2
    assert "is not a data set" in capsys.readouterr().err
