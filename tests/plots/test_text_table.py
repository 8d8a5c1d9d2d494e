"""Text tables, compared line by line."""
from mugo.plots.text_table import display_width, format_table, side_by_side, truncate


def test_the_first_column_is_aligned_left_and_the_others_right():
    assert format_table([["komi", "games"], ["6.5", "10"], ["0.5", "1,234"]]) == [
        "komi  games",
        "6.5      10",
        "0.5   1,234",
    ]


def test_a_chinese_character_takes_two_columns():
    assert format_table([["古力", "1"], ["Go", "12"], ["이세돌", "3"]]) == [
        "古力     1",
        "Go      12",
        "이세돌   3",
    ]


def test_a_combining_accent_takes_no_column():
    assert display_width("e\u0301") == 1


def test_blocks_stand_side_by_side_and_an_empty_one_has_no_width():
    assert side_by_side([["ab", "c"], [], ["x", "y", "z"]]) == ["ab        x", "c         y", "          z"]


def test_text_is_truncated_to_a_number_of_columns_without_control_characters():
    assert truncate("古力古力", 8) == "古力古力"
    assert truncate("古力古力", 7) == "古力古…"
    assert truncate("tab\there", 20) == "tab?here"
