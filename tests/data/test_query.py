"""Queries of --where: the answers of pandas.DataFrame.query, and nothing that runs code."""
import numpy as np
import pandas as pd
import pytest

from mugo.data.games_table import COLUMNS
from mugo.data.query import MAX_DEPTH, MAX_LENGTH, matching_rows, names_in
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

SAME_AS_PANDAS = [
    "handicap == 0 and black_rank >= 6 and white_rank >= 6",
    "source.str.contains('KGS')",
    "not source.str.contains('KGS')",
    "not (source.str.contains('KGS') or size == 13)",
    "size in [9, 13]",
    "size not in (9, 13)",
    "size == [9, 13]",
    "date >= '2019' and date < '2020'",
    "abs(black_rank - white_rank) <= 2",
    "komi.isna()",
    "komi.notna() and komi > 0",
    "komi != 6.5",
    "komi == -100",
    "-komi == 100",
    "handicap == 0 & size == 19",
    "(handicap == 0) & (size == 19) | ~(winner == 1)",
    "1 < size < 13",
    "winner in [-1, 1] and handicap // 2 == 1",
    "game_hash % 2 == 1",
    "(size + handicap) * 2 / 4 - 1 > 9 % 5 + 4",
    "size.isin([19]) and size.between(9, 19)",
    "file.str.match('[ab]/') and file.str.endswith('.sgf')",
    r"file.str.fullmatch('./\\d.sgf')",
    "source.str.contains('kgs', case=False)",
    "source.str.contains('(', regex=False)",
    "source.str.lower().str.startswith('kgs')",
    "source.str.upper().str.strip().str.len() == 9",
    "source == ''",
    "source == file",
    "file == '日本.sgf'",
    "game_hash > 1",
]


@pytest.mark.parametrize("query", SAME_AS_PANDAS)
def test_a_query_selects_what_pandas_selects(query):
    expected = GAMES.index.isin(GAMES.query(query, engine="python").index)
    assert 0 < expected.sum() < len(GAMES), "the example would not tell a difference"
    np.testing.assert_array_equal(matching_rows(GAMES, query), expected)


@pytest.mark.parametrize("query, expected", [
    ("date.str[:4] == '2019'", GAMES["date"].str[:4] == "2019"),
    ("date.str[-2:] == '30'", GAMES["date"].str[-2:] == "30"),
])
def test_a_query_may_slice_text(query, expected):
    """Which DataFrame.query knows only in the newest versions of pandas."""
    assert 0 < expected.sum() < len(GAMES)
    np.testing.assert_array_equal(matching_rows(GAMES, query), expected)


def test_the_empty_query_selects_every_game():
    assert matching_rows(GAMES, "").tolist() == [True] * 5


@pytest.mark.parametrize(("query", "complaint"), [
    ("@pd.io.common.os.system('touch {path}')", "invalid syntax"),
    ("__import__('os').system('touch {path}')", "not allowed"),
    ("source.__class__.__mro__", "not allowed"),
    ("source.map(print)", "map is not a method of queries"),
    ("source.str.__class__('x')", "__class__ is not a method"),
    ("source.to_csv('{path}')", "to_csv is not a method"),
    ("size.values.tofile('{path}')", "tofile is not a method|size.values"),
    ("[open('{path}', 'w') for size in size]", "not allowed"),
    ("(lambda: 1)()", "not allowed"),
    ("open('{path}', 'w') == size", "not allowed"),
    ("(size := 19) == 19", "not allowed"),
    ("f'{{size}}' == source", "not allowed"),
    ("size == 9 ** 9 ** 9", "not allowed"),
    ("'x' * 1000000000 == source", "needs numbers, not text"),
    ("size << 1000000000 == 1", "not allowed"),
    ("size", "its value must be true or false"),
    ("size - 1", "its value must be true or false"),
    ("True", "its value must be true or false"),
    ("1 < 2", "a comparison needs a column"),
    ("size = 3", "invalid syntax"),
    ("rank > 3", "'rank' is not a column (columns: source, file, size"),
    ("size > '9'", "a number cannot be compared with text"),
    ("source > 9", "text cannot be compared with a number"),
    ("size in 9", "`in` needs a column on its left and a list on its right"),
    ("size in [[9]]", "a list contains numbers and strings"),
    ("size and 'x'", "need conditions, not text"),
    ("size == 1 % 0", "modulo"),
    ("size == 36893488147419103232", "at most 63 bits"),
    ("size.str.contains('9')", "needs a column of text, not a number"),
    ("source.str.contains('(')", "Invalid regular expression"),
    (r"source.str.contains('(.)\\1')", "Invalid regular expression"),
    ("source.str.match('a)|(b')", "Invalid regular expression"),
    ("source.str.contains(9)", "pat of contains cannot be a number"),
    ("source.str.contains()", "'pat'"),
    ("source.str.contains('a', flags=1)", "flags"),
    ("source.str[::2] == 'a'", "not allowed"),
    ("source.str['a'] == 'a'", "a whole number below 2,147,483,648, not text"),
    ("source.str[9223372036854775807] == ''", "not 9223372036854775807"),
    ("source.str[:-2147483648] == ''", "not -2147483648"),
    ("source.str[source] == 'a'", "not text"),
    ("source[0] == 'a'", "not allowed"),
    (r"source == '\ud800'", "surrogate"),
    ("size == 19 and", "invalid syntax"),
    ("\0", "null bytes"),
    ("size is 19", "`is` is not allowed"),
    ("-" * 900 + "1 == size", f"more than {MAX_DEPTH} operations"),
    ("+".join(["size"] * 200) + " > 1", f"more than {MAX_DEPTH} operations"),
    ("(" * 500, "invalid syntax|nested|never closed"),
    ("x" * (MAX_LENGTH + 1), f"at most {MAX_LENGTH} characters"),
])
def test_anything_else_is_refused_in_one_line_and_runs_nothing(query, complaint, tmp_path):
    path = tmp_path / "made by a query"
    with pytest.raises(BadInput) as error:
        matching_rows(GAMES, query.replace("{path}", str(path)).replace("{{", "{").replace("}}", "}"))
    assert any(part in str(error.value) for part in complaint.split("|"))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1000
    assert not path.exists()


@pytest.mark.parametrize("query, line", [
    ("date.between(2010, 2015)", "text cannot be compared with a number"),
    ("komi.between('a', 'b')", "a number cannot be compared with text"),
    ("date.between('2010', 2015)", "text cannot be compared with a number")])
def test_values_of_another_type_are_refused_before_games_are_read(query, line):
    with pytest.raises(BadInput, match=line):
        names_in(query, COLUMNS)
    assert names_in("date.between('2010', '2015') and komi.between(0, 7.5)", COLUMNS) == {"date", "komi"}


def test_a_regular_expression_that_backtracks_takes_no_time():
    games = pd.DataFrame({"source": ["a" * 5000 + "!"] * 100})
    assert matching_rows(games, "source.str.contains('(a+)+$')").sum() == 0      # Python's re: 2**5000 steps
