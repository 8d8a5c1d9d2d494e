"""Boards for a terminal: compared line by line without colour; in colour they have the same width.
Tables likewise."""
import io
import re

import numpy as np
from drawing import draw

from mugo.games.coords import interpret_gtp
from mugo.games.go import GoPosition
from mugo.plots.terminal import (
    PLAIN, Screen, board_lines, display_width, format_table, heatmap_array, heatmap_lines, side_by_side, truncate)

CORNER = """
    . X O .
    X X O .
    . . . O
    . . . a
"""


def test_the_last_move_is_in_parentheses_and_labels_are_on_their_points():
    position, at = draw(CORNER)
    position = position.play(at["a"])
    assert board_lines(position, labels={interpret_gtp("A2", 4): "a"}) == [
        "   A B C D",
        " 4 . X O . 4",
        " 3 X X O . 3",
        " 2 a . . O 2",
        " 1 . . .(X)1",
        "   A B C D",
    ]


def test_ownership_marks_territory_and_dead_stones():
    position, _ = draw(CORNER)
    ownership = np.array([[1, 1, 1, 0], [1, 1, 1, 0.1], [0, 0, 0, -1], [0, 0, -0.9, -1]])
    assert board_lines(position, ownership=ownership)[1:5] == [
        " 4 + X o . 4",
        " 3 X X o . 3",
        " 2 . . . O 2",
        " 1 . . - - 1",
    ]


def test_a_heat_map_is_in_percent():
    position, at = draw(CORNER)
    heatmap = heatmap_array({at["a"]: 0.374, interpret_gtp("A2", 4): 0.004}, 4)
    assert heatmap_lines(position, heatmap)[3:5] == [" 2  .  .  .  O 2", " 1  .  .  . 37 1"]


def test_a_line_has_the_same_width_in_colour():
    position = GoPosition(9).play(interpret_gtp("E5", 9))
    plain = board_lines(position)
    for screen in Screen(True, True), Screen(True, False):
        bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in board_lines(position, screen)]
        assert [len(line) for line in bare] == [len(line) for line in plain]
    assert "(●)" in re.sub(r"\x1b\[[0-9;]*m", "", board_lines(position, Screen(True, True))[5])


def test_colour_needs_a_terminal_and_no_setting_against_it(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    assert not Screen.for_stream(terminal).colour                # a file
    terminal.isatty = lambda: True
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert Screen.for_stream(terminal) == Screen(True, True)
    assert not Screen.for_stream(terminal, colour=False).colour
    monkeypatch.setenv("TERM", "dumb")
    assert not Screen.for_stream(terminal).colour
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Screen.for_stream(terminal).colour
    assert PLAIN.style("text", 160, bold=True) == "text"


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
