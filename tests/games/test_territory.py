"""Territory scoring: against the count that a person makes, and against the count by area."""

import numpy as np
import oracles
from drawing import DEAD_STONES, draw

from mugo.games import game, scoring
from mugo.games.area import area_score
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import PASS, point_at, row_col
from mugo.games.go import GoPosition
from mugo.games.rules import NAMED_RULES, Rules
from mugo.games.scoring import ScoringSession
from mugo.games.area import area_komi, stones_played

JAPANESE = NAMED_RULES["japanese"]


def japanese(position):
    return position.with_rules(JAPANESE)


def surrounded(stones: np.ndarray, colour: int) -> int:
    """Empty points that reach only stones of this colour."""
    on_board = {at: int(each) for at, each in np.ndenumerate(stones) if each}
    return sum(owner == colour and at not in on_board for at, owner in oracles.owners(len(stones), on_board).items())


def random_game(rng, size, moves, passes=0.1):
    """A position, and the stones that each colour has lost by captures in it, counted move by move."""
    position, lost = japanese(GoPosition(size, 0.5)), {BLACK: 0, WHITE: 0}
    for _ in range(moves):
        points = position.legal_points()
        point = int(rng.choice(points)) if len(points) and rng.random() > passes else PASS
        before, colour = position, position.to_play
        position = position.play(point)
        lost[-colour] += int((before.stones == -colour).sum() - (position.stones == -colour).sum())
    return position, lost


def test_the_score_is_surrounded_points_and_prisoners():
    rng = np.random.default_rng(1)
    for _ in range(60):
        position, lost = random_game(rng, int(rng.integers(2, 8)), int(rng.integers(0, 120)))
        expected = (surrounded(position.stones, BLACK) + lost[WHITE]
                    - surrounded(position.stones, WHITE) - lost[BLACK] - 0.5)
        assert position.score() == expected
        for dead in (set(), set(scoring.chains(position)[0]) if (position.stones != 0).any() else set()):
            cleared = position.without_stones(dead)
            of_dead = sum(int(position.stones[row_col(point, position.size)]) for point in dead)
            prisoners = lost[WHITE] - lost[BLACK] - of_dead
            assert cleared.score() == (surrounded(cleared.stones, BLACK) - surrounded(cleared.stones, WHITE)
                                       + prisoners - 0.5)


def test_the_score_differs_from_the_area_by_the_stones_played():
    rng = np.random.default_rng(2)
    for _ in range(60):
        position, _ = random_game(rng, 5, int(rng.integers(0, 90)))
        played = sum(colour for colour, point in position.moves if point != PASS)
        assert stones_played(position.board[0]) == played
        assert position.score() == area_score(position.board[0]) - played - 0.5


def test_handicap_stones_are_stones_played():
    position = japanese(GoPosition(9, 0.5).with_handicap([point_at(2, 2, 9), point_at(6, 6, 9)]))
    assert (position.handicap_bonus, stones_played(position.board[0])) == (0, 2)
    assert position.area_komi == 0.5 + 2 - 0.5                       # White may also make the last move
    assert position.with_rules(NAMED_RULES["chinese"]).white_points == 2.5


def test_a_pass_gains_a_point_against_a_move_in_own_territory():
    position, at = draw("""
        . a X O .
        . . X O .
        X X X O .
        . . X O .
        . . X O .
    """)
    position = japanese(position)
    before = position.area_komi
    assert position.play(PASS).area_komi == position.play(PASS).play(PASS).area_komi == before - 0.5
    assert position.play(at["a"]).area_komi == before                # one stone more, and White to move
    assert position.play(at["a"]).play(PASS).area_komi == before + 0.5
    assert position.play(at["a"]).score() == position.score() - 1
    for end in position.play(PASS).play(PASS), position.play(at["a"]).play(PASS).play(PASS):
        assert area_score(end.board[0]) - end.area_komi == end.score()


def test_rules_stay_with_a_position():
    position = japanese(GoPosition(5, 6.5))
    later = position.play(point_at(2, 2, 5)).play(point_at(2, 3, 5)).play(PASS)
    for each in (later, later.undo(), later.undo().undo().undo(), position.with_stones([point_at(0, 0, 5)]),
                 later.with_board(later.stones, WHITE), later.with_turn(BLACK), later.without_stones([]),
                 *later.positions(), GoPosition(5).with_rules(JAPANESE).with_handicap([point_at(0, 0, 5)])):
        assert each.counts_territory
        assert each.rules.tax == "SEKI"
    chinese = later.with_rules(NAMED_RULES["chinese"])
    assert not chinese.counts_territory
    assert not chinese.undo().counts_territory
    assert later.counts_territory and later.undo().counts_territory            # with_rules changed nothing
    assert np.array_equal(chinese.history, later.history)
    assert not chinese.has_same_rules(later)


def test_captures_are_points_after_undo_and_replay():
    position, at = draw("""
        . O . . .
        a X O . .
        . O . . .
        . . . . .
        . . . . .
    """)
    position = japanese(position).play(at["a"], WHITE)
    assert position.captures == {BLACK: 0, WHITE: 1}
    assert position.play(PASS).play(PASS).undo().undo().score() == position.score()
    assert position.score() == -(25 - 4) - 1 - position.komi         # White surrounds all but her own four stones


def test_dead_stones_count_twice_by_territory():
    position, at = draw(DEAD_STONES)
    cleared = scoring.without_dead(japanese(position))
    assert cleared.captures == {BLACK: 1, WHITE: 1}                  # the stones a and b
    session = ScoringSession(japanese(position))
    assert session.prisoners() == {BLACK: 1, WHITE: 1}
    assert session.points() == {colour: surrounded(cleared.stones, colour) + 1 for colour in (BLACK, WHITE)}
    assert session.score() == cleared.score() == scoring.final_score(japanese(position))
    before = session.score()
    session.toggle(at["a"])                                          # alive: it is in the middle of Black's area
    assert session.prisoners() == {BLACK: 0, WHITE: 1}
    assert session.score() < before - 2


# The stones x and o are in seki, each chain with an eye: a is Black's, b White's.
SEKI_WITH_EYES = """
    O O Xx X . Oo X X
    . O X X O O X .
    O O X X O O X X
    . O X X O O X .
    O O X X O O X X
    O O X X O O X X
    O X X X O O O X
    O X a X O b O X
"""


def test_eyes_of_a_seki_are_no_points():
    position, at = draw(SEKI_WITH_EYES)
    taxed = japanese(position)
    untaxed = position.with_rules(Rules(scoring="TERRITORY"))
    assert scoring.eyes_in_seki(taxed, taxed) == {at["a"], at["b"]}
    assert scoring.final_score(taxed) == scoring.final_score(untaxed)            # an eye each
    assert [scoring.owner_of_points(taxed)[at[name]] for name in "ab"] == [BLACK, WHITE]
    points, area = ScoringSession(taxed).points(), ScoringSession(untaxed).points()
    assert {colour: area[colour] - points[colour] for colour in points} == {BLACK: 1, WHITE: 1}
    ownership = ScoringSession(taxed).ownership()
    assert [int(ownership[row_col(at[name], 8)]) for name in "ab"] == [EMPTY, EMPTY]


def test_the_tax_takes_the_points_of_one_colour(monkeypatch):
    position, at = draw("""
        a X O . .
        X X O . .
        O O O . .
        . . . . .
        . . . . .
    """)
    monkeypatch.setattr(scoring, "stones_in_seki", lambda _: [at["a"] + 1])
    monkeypatch.setattr(scoring, "without_dead", lambda each: each)              # everybody lives
    taxed, untaxed = japanese(position), position.with_rules(Rules(scoring="TERRITORY"))
    assert scoring.final_score(untaxed) - scoring.final_score(taxed) == 1


def test_two_passes_are_not_exact_by_territory():
    position = japanese(GoPosition(5)).play(PASS).play(PASS)
    assert game.is_over(position.board[0]) and not game.is_decided(position.board[0])
    by_area = GoPosition(5).play(PASS).play(PASS)
    assert game.is_decided(by_area.board[0])


def test_area_komi_is_komi_by_area():
    position = GoPosition(5, 6.5).play(point_at(0, 0, 5))
    assert position.area_komi == area_komi(position.board[0], 6.5) == 6.5
