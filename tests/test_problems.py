"""The problems of benchmarks/problems.txt: legal positions, answers on the board."""
import importlib
import sys
from collections import Counter
from pathlib import Path


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


def test_answers():
    problem = problems.Problem("", "", 9, 1, 7.5, {}, ((2, 2),), ())
    assert problem.is_right((2, 2)) and not problem.is_right((2, 3)) and not problem.is_right(None)
    problem = problems.Problem("", "", 9, 1, 7.5, {}, (), ((2, 2),))
    assert not problem.is_right((2, 2)) and problem.is_right((2, 3)) and not problem.is_right(None)
