"""The games of a match: colours, openings, pairs."""
from collections import Counter

from mugo.match.pairings import Pairing, make_pairings


def test_colours_alternate_and_every_opening_is_played_twice():
    pairings = make_pairings(2, 5)
    assert pairings == [Pairing(0, 0, 1, 0), Pairing(1, 1, 0, 0), Pairing(2, 0, 1, 1), Pairing(3, 1, 0, 1),
                     Pairing(4, 0, 1, 2)]
    assert make_pairings(2, 9)[:5] == pairings
    assert {pairing.black for pairing in make_pairings(2, 5, alternate=False)} == {0}


def test_a_round_robin_and_a_gauntlet():
    pairs = Counter(frozenset((pairing.black, pairing.white)) for pairing in make_pairings(4, 6))
    assert len(pairs) == 6 and set(pairs.values()) == {6}
    assert all(0 in (pairing.black, pairing.white) for pairing in make_pairings(4, 6, gauntlet=True))
    assert len(make_pairings(4, 6, gauntlet=True)) == 18
