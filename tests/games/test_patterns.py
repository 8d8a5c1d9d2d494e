"""MoGo's patterns: as drawn, in all symmetries, for both colours; the table against an oracle."""
import functools
import random

import numpy as np
import pytest
from drawing import assert_same_points, draw
from sample_positions import random_game, stones_of, transformed

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import board_points, point_of_index, row_col, symmetries
from mugo.games.patterns import CODES, FOR_BOTH, FOR_X, MATCHES, code_around, matches_pattern, patterns

NEIGHBOURS = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1)]
# For each of the eight symmetries, the index from which each of the nine letters comes.
SYMMETRIES = [[NEIGHBOURS.index(symmetry(row, col)) for row, col in NEIGHBOURS] for symmetry in (
    lambda r, c: (r, c), lambda r, c: (-r, c), lambda r, c: (r, -c), lambda r, c: (-r, -c),
    lambda r, c: (c, r), lambda r, c: (-c, r), lambda r, c: (c, -r), lambda r, c: (-c, -r))]


def cell_matches(letter, cell):
    """cell: X mine, O theirs, # off the board, . empty."""
    return letter in (cell, "?") or letter == "x" and cell != "X" or letter == "o" and cell != "O"


def swapped(cells):
    return cells.translate(str.maketrans("XO", "OX"))


@functools.cache
def oracle_matches(cells):
    """Whether a move of X in the middle of these nine cells matches a pattern."""
    views = [[cells[k] for k in symmetry] for symmetry in SYMMETRIES]
    others = [[swapped(cells)[k] for k in symmetry] for symmetry in SYMMETRIES]
    return any(all(map(cell_matches, picture, view))
               for picture in patterns(FOR_BOTH) for view in views + others) or any(
           all(map(cell_matches, picture, view)) for picture in patterns(FOR_X) for view in views)


def cells_around(size, stones, point, colour):
    row, col = row_col(point, size)
    cells = ""
    for dr, dc in NEIGHBOURS:
        at = row + dr, col + dc
        on = all(0 <= k < size for k in at)
        cells += {colour: "X", -colour: "O", None: "."}[stones.get(at)] if on else "#"
    return cells


def pattern_points(position, colour):
    return [p for p in board_points(position.size).tolist()
            if position.board["colour"][0][p] == 0 and matches_pattern(position.board[0], p, colour)]


def test_the_pictures_are_read_as_drawn():
    assert list(patterns(FOR_X)) == ["XOO...?.?", "?XO?.?###", "?OX?.o###", "?OXX.O###"]
    assert len(list(patterns(FOR_BOTH))) == 8
    assert {picture[4] for picture in (*patterns(FOR_BOTH), *patterns(FOR_X))} == {"."}


@pytest.mark.parametrize("picture", [*patterns(FOR_BOTH), *patterns(FOR_X)])
def test_each_pattern_matches_in_all_symmetries(picture):
    """On a board that is empty where the pattern is open; at the lower edge if the pattern has one."""
    middle = 6 if picture.endswith("###") else 3
    rows = [["."] * 7 for _ in range(7)]
    for (dr, dc), letter in zip(NEIGHBOURS, picture, strict=True):
        if letter in "XO":
            rows[middle + dr][3 + dc] = letter
    position, _ = draw("\n".join(map(" ".join, rows)))
    for symmetry in range(8):
        point = point_of_index(int(symmetries(7)[symmetry][middle * 7 + 3]), 7)
        for colour in (BLACK, WHITE):
            board = transformed(position, symmetry, swapped=colour == WHITE)
            movers = (BLACK, WHITE) if picture in patterns(FOR_BOTH) else (colour,)
            for mover in movers:
                assert_same_points(board, {point} & set(pattern_points(board, mover)), {point}, "patterns")


def test_the_table_agrees_with_the_oracle():
    rng = random.Random(3)
    letter = {code: letter for letter in ".X#O" for code in CODES[letter]}
    for code in [rng.randrange(4 ** 8) for _ in range(400)] + np.flatnonzero(MATCHES)[::50].tolist():
        around = "".join(letter[code >> shift & 3] for shift in range(14, -1, -2))
        assert MATCHES[code] == oracle_matches(around[:4] + "." + around[4:]), around


def test_codes_are_read_from_the_board_for_the_side_to_move():
    rng = random.Random(5)
    for size in (2, 5, 7):
        for position in list(random_game(rng, size))[::12]:
            stones = stones_of(position)
            for colour in (BLACK, WHITE):
                expected = []
                for p in board_points(size).tolist():
                    cells = cells_around(size, stones, p, colour)
                    code = 0
                    for cell in cells[:4] + cells[5:]:
                        code = 4 * code + CODES[cell][0]
                    assert code_around(position.board[0], p, colour) == code
                    if cells[4] == "." and oracle_matches(cells):
                        expected.append(p)
                assert_same_points(position, pattern_points(position, colour), expected, "patterns")
