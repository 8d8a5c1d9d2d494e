"""Ownership of a finished board, dead stones, seki; territory against the count of a person and that by area."""
from pathlib import Path

import numpy as np
import oracles
import pytest
from drawing import DEAD_STONES, SETTLED, assert_same_points, draw

from mugo.games import game, scoring
from mugo.games.area import area_komi, area_ownership, area_score, stones_played
from mugo.games.board import BLACK, EMPTY, POINTS, WHITE, clear, new_boards
from mugo.games.coords import PASS, board_points, point_at, row_col
from mugo.games.go import GoPosition
from mugo.games.rules import NAMED_RULES, Rules
from mugo.games.scoring import ScoringSession
from mugo.sgf.parser import read_records
from mugo.sgf.record_positions import position_of
from mugo.sgf.sources import find_sources, read_files


def test_the_ownership_of_a_settled_board():
    position, _ = draw(SETTLED)
    owner = scoring.ownership(position)
    assert owner.shape == (7, 7) and owner.dtype == np.float32
    assert (owner[:, :4] > 0.9).all() and (owner[:, 4:] < -0.9).all()
    assert (scoring.ownership(position) == owner).all()
    assert (scoring.ownership(position.with_turn(WHITE)) == owner).all()


def test_the_unsettled_points_of_a_game_that_is_nearly_over():
    position, at = draw("""
        a  b  c  Od X  .  X
        Oe Of Og Oh X  X  X
        X  X  X  X  X  X  .
        X  .  X  X  X  X  X
        X  X  X  .  X  .  X
        X  X  X  X  X  X  X
        X  X  X  X  X  X  .
    """)
    assert_same_points(position, scoring.unsettled_points(position), at.values(), "unsettled")
    assert not len(scoring.unsettled_points(draw(SETTLED)[0]))
    assert scoring.unsettled_points(GoPosition(7)) is None
    half_open = draw(SETTLED.replace("O", "."))[0]       # with enough stones, and 21 points for White to invade
    assert 3 * np.count_nonzero(half_open.stones) > half_open.area and scoring.unsettled_points(half_open) is None


def test_a_stone_in_the_opponents_territory_is_dead():
    position, at = draw(DEAD_STONES)
    cleared = scoring.without_dead(position.play(PASS).play(PASS))
    dead = [point for point in board_points(7)[(position.stones != cleared.stones).ravel()]]
    assert_same_points(position, dead, [at["a"], at["b"]], "dead")
    assert cleared.score() == 28 - 21
    assert len(scoring.chains(position)) == 4
    assert len(scoring.chains(cleared)) == 2


# The chains of the stones named x and o are in seki, and no others.
SEKI = {
    "two liberties shared and no eye": """
        O O Xx . Oo X X
        . O X X O X .
        O O X X O X X
        . O X X O X .
        O O X O O X X
        . O X O O X .
        O O X . O X X
    """,
    "three liberties shared": """
        O O Xx . Oo X X
        . O X X O X .
        O O X X O X X
        . O X . O X .
        O O X O O X X
        . O X O O X .
        O O X . O X X
    """,
    "one liberty shared and an eye each": """
        O O Xx X . Oo X X
        . O X X O O X .
        O O X X O O X X
        . O X X O O X .
        O O X X O O X X
        O O X X O O X X
        O X X X O O O X
        O X . X O . O X
    """,
}
NOT_SEKI = {
    "an eye against none": """
        O O X X . O X X
        . O X X O O X .
        O O X X O O X X
        . O X X O O X .
        O O X X O O X X
        O O X X O O X X
        O X X X O O X X
        O X . X O O X .
    """,
    "the captured points make only one eye": """
        . O . X O . O
        X O X X O O O
        X X X O O . O
        O O O O O O O
        O . O . O . O
        O O O O O O O
        . O . O . O .
    """,
    "a white stone between them is connected to the outside": """
        O O O . O X X
        . O X X O X .
        O O X X O X X
        . O X X O X .
        O O X O O X X
        . O X O O X .
        O O X . O X X
    """,
    "territories and neutral points": """
        . X . X . O . O O
        X X X X . O O . O
        . X . X . O . O O
        X X X X O O O O .
        X . X X . O O O O
        X X X X . O . O .
        . X . X . O O O O
        X X X X . O . O .
        . X . X . O O O O
    """,
}


@pytest.mark.parametrize("picture", SEKI.values(), ids=SEKI)
@pytest.mark.parametrize("swapped", [False, True])
def test_a_seki_of_two_chains_is_found(picture, swapped):
    if swapped:                                   # colours swapped
        picture = picture.translate(str.maketrans("XOxo", "OXox"))
    position, at = draw(picture)
    found = scoring.final_statuses(position)
    chains = {frozenset(chain) for chain in scoring.chains(position) if {at["x"], at["o"]} & set(chain)}
    assert {frozenset(chain) for chain in found["seki"]} == chains and len(chains) == 2
    assert not found["dead"]
    assert scoring.without_dead(position).score() == position.score()


@pytest.mark.parametrize("picture", NOT_SEKI.values(), ids=NOT_SEKI)
@pytest.mark.parametrize("swapped", [False, True])
def test_other_positions_are_no_seki(picture, swapped):
    if swapped:                                   # colours swapped
        picture = picture.translate(str.maketrans("XO", "OX"))
    position, _ = draw(picture)
    assert scoring.final_statuses(position)["seki"] == []


def test_a_chain_that_lives_by_an_answer_is_alive():
    # White's four stones in the corner are cut off, unless White answers at a, b or c.
    position, _ = draw("""
        . . O X X . . . .
        O . . O X X . . .
        O O . O O X . . .
        . . O . O X . X .
        . . . . O X . . X
        . . . O X . X X O
        . . . O X X X O O
        . . . . O O X O a
        . . . . . b O c .
    """, komi=7.5)
    assert scoring.final_statuses(position)["dead"] == []
    assert scoring.without_dead(position).result() == "W+26.5"


def test_a_position_without_dead_stones_keeps_its_side_to_move_its_komi_and_the_points_for_handicap_stones():
    for to_play in (BLACK, WHITE):
        position, _ = draw("""
            . X . X O . O
            X X X X O O O
            . O X X O O .
            . . X X O X O
            X X X X O . O
            X . X X O O O
            X X X X O . O
        """, to_play, komi=3.5)
        position.handicap = 4
        position = position.with_rules(NAMED_RULES["chinese"])
        cleared = scoring.without_dead(position)
        assert (cleared.to_play, cleared.komi) == (to_play, 3.5)
        assert (cleared.handicap, cleared.handicap_bonus) == (4, 4)
        assert cleared.score() == area_score(cleared.board[0]) - 7.5


def test_every_chain_has_one_status():
    position, at = draw(DEAD_STONES)
    found = scoring.final_statuses(position)
    assert sorted(chain for status in scoring.STATUSES for chain in found[status]) == sorted(scoring.chains(position))
    assert sorted(found["dead"]) == sorted([[at["a"]], [at["b"]]])


@pytest.mark.parametrize("archive, games, same", [
    ("gnugo-9x9.zip", 40, 40), pytest.param("gnugo-19x19.tar.gz", 133, 119, marks=pytest.mark.slow)])
def test_the_sample_games_are_scored_as_gnu_go_scored_them(archive, games, same):
    """games: in the archive.  same: those whose score is GNU Go's; the winner is in all of them."""
    results = [(scoring.without_dead(position_of(record)).result(), record.result)
               for source in find_sources([Path(__file__).parents[2] / "data" / archive])
               for text in read_files(source) for record in read_records(text.data)]
    assert len(results) == games
    assert all(ours[0] == theirs[0] for ours, theirs in results)
    assert sum(ours == theirs for ours, theirs in results) >= same


def test_the_owners_by_area_are_those_of_a_flood_fill():
    rng = np.random.default_rng(5)
    for size in (2, 5, 9, 19):
        for density in (0, 0.1, 0.3, 0.6):
            stones = rng.choice(np.array([-1, 0, 1], np.int8), (size, size), p=[density / 2, 1 - density, density / 2])
            board, owners = new_boards(1), np.empty(POINTS, np.int8)
            clear(board[0], size, size)
            board[0]["colour"][board_points(size)] = stones.ravel()
            area_ownership(board[0], owners)
            expected = oracles.owners(size, {at: int(colour) for at, colour in np.ndenumerate(stones) if colour})
            assert dict(np.ndenumerate(owners[board_points(size)].reshape(size, size))) == expected


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
