"""The problems of benchmarks/problems.txt: legal positions, answers on the board, none twice; the solver."""
import importlib
import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from mugo.games.coords import point_at

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(BENCHMARKS))         # which is no package
load = importlib.import_module

problems = load("problems")
ALL = problems.read_problems()


def test_there_are_300_problems_of_every_kind_and_size():
    assert len(ALL) >= 300
    assert {problem.size for problem in ALL} >= {9, 13, 19}
    assert min(Counter(problem.category for problem in ALL).values()) >= 8
    assert len({problem.name for problem in ALL}) == len(ALL)


def test_every_answer_is_a_legal_move_and_some_legal_move_is_wrong():
    for problem in ALL:
        position = problem.position()
        legal = set(position.legal_points().tolist())
        assert bool(problem.right) != bool(problem.avoid), problem.name
        answers = {point_at(*cell, problem.size) for cell in (*problem.right, *problem.avoid)}
        assert answers <= legal, problem.name
        assert len(answers) <= 3, problem.name
        assert len(legal) - len(answers) >= 3, problem.name


def test_no_problem_is_another_one_turned_mirrored_or_with_colours_swapped():
    forms = Counter(map(problems.canonical, ALL))
    assert max(forms.values()) == 1


def test_the_canonical_form_is_that_of_all_symmetries_and_colours():
    problem = ALL[0]
    n = problem.size
    turned = {(col, n - 1 - row): -colour for (row, col), colour in problem.stones.items()}
    copy = problems.Problem("", "", n, -problem.to_play, 0, turned, (), ())
    assert problems.canonical(copy) == problems.canonical(problem)
    copy.stones.popitem()
    assert problems.canonical(copy) != problems.canonical(problem)


def test_a_problem_is_read_as_it_was_written():
    assert list(problems.parse_problems("\n".join(map(problems.format_problem, ALL)))) == ALL
    assert (BENCHMARKS / "problems.txt").read_text() == "\n".join(map(problems.format_problem, ALL))


@pytest.mark.parametrize("text, message", [
    ("a-1 | ko | 3x3 | X | komi 0.5 | right A1\n...\n...", "a-1: expected 3 rows of 3 of . X O"),
    ("a-1 | ko | 3x3 | X | komi 0.5 | right A1\n...\n.x.\n...", "a-1: expected 3 rows of 3 of . X O"),
])
def test_a_board_that_is_none_is_named(text, message):
    with pytest.raises(ValueError, match=message):
        list(problems.parse_problems(text))


def test_answers():
    problem = problems.Problem("", "", 9, 1, 7.5, {}, ((2, 2),), ())
    assert problem.is_right((2, 2)) and not problem.is_right((2, 3)) and not problem.is_right(None)
    problem = problems.Problem("", "", 9, 1, 7.5, {}, (), ((2, 2),))
    assert not problem.is_right((2, 2)) and problem.is_right((2, 3)) and not problem.is_right(None)


# -- the solver, on positions whose answers are known

SIGNS = {"X": 1, "O": -1, "x": 1, "o": -1, "b": 1, "w": -1, ".": 0}


def values(drawing, to_play, has_target=True, ko_master=0):
    """{(row, col) or None: value} of all moves: X and O are safe stones, x and o targets, b and w loose ones."""
    solver = load("problem_solver")
    rows = [line.split() for line in drawing.strip().splitlines()]
    width = len(rows) + 1
    colour = np.full((width + 1) * width + 1, 2, np.int8)
    fixed = np.zeros(len(colour), np.int8)
    region = []
    for row, line in enumerate(rows):
        for col, letter in enumerate(line):
            p = (row + 1) * width + col + 1
            colour[p] = SIGNS[letter]
            if letter in "XO":
                fixed[p] = solver.SAFE
            elif letter in "xo":
                fixed[p] = solver.TARGET
            else:
                region.append(p)
    before = colour.copy()
    n, low, high = solver.solve(colour, fixed, np.array(region), width, to_play, has_target, ko_master, 200_000)
    assert n > 0
    assert (colour == before).all()
    assert (low == high).all(), "cycles do not matter"
    cells = [(p // width - 1, p % width - 1) for p in region]
    return {cell: int(value) for cell, value in zip([*cells, None], low, strict=True) if value < 100}


@pytest.mark.slow
def test_three_points_in_a_row_live_and_die_in_the_middle():
    drawing = """
        . . . o X X
        o o o o X X
        X X X X X X
        X X X X X X
        X X X X X X
        X X X X X X
    """
    assert values(drawing, 1) == {(0, 0): 0, (0, 1): 1, (0, 2): 0, None: 0}
    assert values(drawing, -1) == {(0, 0): 1, (0, 1): 0, (0, 2): 1, None: 1}


def test_four_points_in_a_square_are_dead_whoever_plays_and_four_in_a_row_alive():
    square = """
        . . o X X
        . . o X X
        o o o X X
        X X X X X
        X X X X X
    """
    assert set(values(square, -1).values()) == {1}
    row = """
        . . . . o X
        o o o o o X
        X X X X X X
        X X X X X X
        X X X X X X
        X X X X X X
    """
    assert set(values(row, 1).values()) == {0}


def test_a_race_is_won_by_who_moves_where_both_have_two_liberties():
    drawing = """
        . x o . X
        . x o . X
        O x o X X
        O x o X X
        O O X X X
    """
    assert max(values(drawing, 1).values()) == 1
    assert min(values(drawing, -1).values()) == -1


def test_a_ko_is_his_who_takes_it_unless_it_may_be_retaken_at_once():
    drawing = """
        O . w X
        O O X X
        O O X X
        O O X X
    """
    assert values(drawing, 1, has_target=False) == {(0, 1): 2, None: -2}
    assert values(drawing, 1, has_target=False, ko_master=-1) == {(0, 1): -2, None: -2}


def test_points_of_the_endgame_are_counted():
    """Black closes the corridor at its mouth for one point more; White pushes in for one less."""
    drawing = """
        X X X X X
        X . . . O
        X X X X O
        X X X X O
        X X X X O
    """
    found = values(drawing, 1, has_target=False)
    assert found[(1, 3)] == 3 and found[None] == 0, "after two passes an open corridor is nobody's"
    found = values(drawing, -1, has_target=False)
    assert found[(1, 3)] == 1 and found[None] == 3


# -- how problems are made

def drafts(family, count, size=9):
    rng = random.Random(20160920)
    families = load("problem_families")
    found = []
    while len(found) < count:
        draft = families.FAMILIES[family](rng, size)
        if draft:
            found.append(draft)
    return found


@pytest.mark.parametrize("family", ["life and death", "capturing race", "tactics", "endgame"])
def test_settled_chains_have_two_small_eyes_of_their_own(family):
    for draft in drafts(family, 5):
        settled = {cell for cell in draft.stones if cell not in draft.local}
        empty = {cell for cell in draft.cells() if cell not in draft.stones and cell not in draft.local}
        eyes = draft.components(empty)
        for colour in (1, -1):
            for chain in draft.components({cell for cell in settled if draft.stones[cell] == colour}):
                own = [eye for eye in eyes if {near for cell in eye for near in draft.near(cell)} - eye <= chain]
                assert len(own) >= 2
                assert all(len(eye) <= 4 for eye in own)
        assert all(len({draft.stones[near] for cell in eye for near in draft.near(cell) if near not in eye}) == 1
                   for eye in eyes), "no eye is beside an open point or both colours"


def test_komi_makes_the_game_won_after_the_best_endgame_move_and_lost_after_the_next():
    """Black's corridor: closing it makes 3 points, anything else at most 1.  Black has 14 settled points more."""
    make, families = load("make_problems"), load("problem_families")
    rows = ["XXXXX", "X...O", "XXXXO", "XXXXO", "XXXXO"]
    draft = families.Draft(5, {(row, col): SIGNS[letter] for row, line in enumerate(rows)
                               for col, letter in enumerate(line) if letter != "."}, {(1, 1), (1, 2), (1, 3)})
    region = sorted(draft.local)
    settled = make.settled_score(draft, region, {})
    assert settled == 18 - 4
    assert make.komi_of(draft, region, {}, 1, 3) == settled + 2.5
    assert make.komi_of(draft, region, {}, -1, -1) == settled + 1.5


def test_problems_that_differ_by_place_symmetry_and_colours_have_the_same_local_form():
    make, families = load("make_problems"), load("problem_families")
    draft = drafts("life and death", 1)[0]
    region = set(draft.local)
    form = make.local_form(draft, region, 1)
    for seed in range(8):
        other = make.transformed(random.Random(seed), draft)
        swapped = 1 if len(set(other.stones.values())) and _colour_sum(other) == _colour_sum(draft) else -1
        assert make.local_form(other, other.local, swapped) == form
    bigger = families.Draft(13, {(row + 4, col + 3): c for (row, col), c in draft.stones.items()},
                            {(row + 4, col + 3) for row, col in draft.local})
    inside = all(0 < row < 8 and 0 < col < 8 for row, col in region)
    assert (make.local_form(bigger, bigger.local, 1) == form) == inside


def _colour_sum(draft):
    return sum(draft.stones.values())
