"""Ownership of a finished board, dead stones and seki."""
from pathlib import Path

import numpy as np
import oracles
import pytest
from drawing import DEAD_STONES, SETTLED, assert_same_points, draw

from mugo.games import scoring
from mugo.games.area import area_ownership, area_score
from mugo.games.board import BLACK, POINTS, WHITE, clear, new_boards
from mugo.games.coords import PASS, board_points
from mugo.games.go import GoPosition
from mugo.games.rules import NAMED_RULES
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
