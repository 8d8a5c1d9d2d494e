"""The problems of benchmarks/problems.txt: legal positions, answers on the board."""
import importlib
import sys
from collections import Counter
from pathlib import Path

import pytest

from mugo.games.board import BLACK
from mugo.games.coords import point_at
from mugo.games.go import GoPosition
from mugo.players.registry import make_player
from mugo.mcts.result import MoveInfo, SearchResult

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


@pytest.mark.parametrize("given, right, played, cause", [
    (None, (50, 0.6), (50, 0.4), "pass"),
    ((2, 3), (1, 0.9), (99, 0.4), "prior"),
    ((2, 3), (2, 0.3), (98, 0.4), "value"),
    ((2, 3), (40, 0.5), (60, 0.4), "choice")])
def test_why_an_answer_is_wrong(given, right, played, cause):
    """right, played: (visits, win rate) of the moves C3 and D3."""
    problem = problems.Problem("", "", 5, BLACK, 7.5, {}, ((2, 2),), ())
    infos = tuple(MoveInfo(point_at(2, col, 5), 0.25, visits, win_rate, ())
                  for col, (visits, win_rate) in ((2, right), (3, played)))
    player = make_player("uct")
    player.search_result = SearchResult(GoPosition(5), infos, 0.5, 100, 100, 1.0, 1.0, 9, 0, None)
    assert problems.why_wrong(player, problem, given)[0] == cause


def test_without_a_search_only_a_pass_has_a_cause():
    problem = problems.Problem("", "", 5, BLACK, 7.5, {}, ((2, 2),), ())
    assert [problems.why_wrong(make_player("random"), problem, given) for given in (None, (2, 3))] == [
        ("pass", ""), ("", "")]
