"""The games of a match: colours, openings, pairs."""
from collections import Counter

from mugo.match.openings import Pairing, make_pairings


def test_colours_alternate_and_every_opening_is_played_twice():
    pairings = make_pairings(2, 5)
    assert pairings == [Pairing(0, 0, 1, 0), Pairing(1, 1, 0, 0), Pairing(2, 0, 1, 1), Pairing(3, 1, 0, 1),
                     Pairing(4, 0, 1, 2)]
    assert make_pairings(2, 9)[:5] == pairings
    fixed = make_pairings(2, 5, alternate=False)
    assert {pairing.black for pairing in fixed} == {0} and [pairing.opening for pairing in fixed] == [0, 1, 2, 3, 4]


def test_rounds_are_played_one_after_the_other():
    """A match that was stopped is balanced, and a longer one keeps the numbers of its games."""
    pairings = make_pairings(3, 4)
    assert [pairing.number for pairing in pairings] == list(range(12)) and make_pairings(3, 2) == pairings[:6]
    assert [(pairing.black, pairing.white) for pairing in pairings[:6]] == [(0, 1), (0, 2), (1, 2),
                                                                           (1, 0), (2, 0), (2, 1)]
    assert [pairing.opening for pairing in pairings] == [0] * 6 + [1] * 6


def test_a_round_robin_and_a_gauntlet():
    pairs = Counter(frozenset((pairing.black, pairing.white)) for pairing in make_pairings(4, 6))
    assert len(pairs) == 6 and set(pairs.values()) == {6}
    assert all(0 in (pairing.black, pairing.white) for pairing in make_pairings(4, 6, gauntlet=True))
    assert len(make_pairings(4, 6, gauntlet=True)) == 18
