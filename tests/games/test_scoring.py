"""Ownership of a finished board, dead stones and seki."""
from pathlib import Path

import numpy as np
import pytest
from drawing import SETTLED, assert_same_points, draw

from mugo.games import scoring
from mugo.games.coords import PASS, board_points
from mugo.games.go import WHITE, position_of
from mugo.sgf.parser import read_records
from mugo.sgf.sources import find_sources, read_files


def test_the_ownership_of_a_settled_board():
    position, _ = draw(SETTLED)
    owner = scoring.ownership(position)
    assert owner.shape == (7, 7) and owner.dtype == np.float32
    assert (owner[:, :4] > 0.9).all() and (owner[:, 4:] < -0.9).all()
    assert (scoring.ownership(position) == owner).all()
    assert (scoring.ownership(position.with_turn(WHITE)) == owner).all()


def test_a_stone_in_the_opponents_territory_is_dead():
    position, at = draw("""
        . X . X O . O
        X X X X O O O
        . Oa X X O O .
        . . X X O Xb O
        X X X X O . O
        X . X X O O O
        X X X X O . O
    """)
    counted = scoring.without_dead(position.play(PASS).play(PASS))
    dead = [point for point in board_points(7)[(position.stones != counted.stones).ravel()]]
    assert_same_points(position, dead, [at["a"], at["b"]], "dead")
    assert counted.score() == 28 - 21
    assert len(scoring.chains(position)) == 4
    assert len(scoring.chains(counted)) == 2


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
def test_other_positions_are_no_seki(picture):
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


def test_every_chain_has_one_status():
    position, at = draw("""
        . X . X O . O
        X X X X O O O
        . Oa X X O O .
        . . X X O Xb O
        X X X X O . O
        X . X X O O O
        X X X X O . O
    """)
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
