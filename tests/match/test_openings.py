"""Openings: random moves, moves of the policy, recorded games."""
from collections import Counter

import pytest
from fakes import LevelNetwork, vertices

from mugo.core.files import BadInput
from mugo.games.board import WHITE
from mugo.games.go import GoPosition
from mugo.games.rules import NAMED_RULES
from mugo.match.openings import Pairing, load_openings, make_pairings, policy_opening
from mugo.sgf.convert import format_record, record_from_position

def test_the_same_seed_gives_the_same_openings():
    first, again, other = (load_openings("6", GoPosition(9), seed=seed) for seed in (1, 1, 2))
    lines = [tuple(vertices(first(number))) for number in range(20)]
    assert lines == [tuple(vertices(again(number))) for number in range(20)]
    assert set(lines).isdisjoint(tuple(vertices(other(number))) for number in range(20))
    assert len(set(lines)) == 20 and {len(line) for line in lines} == {6}


def test_openings_start_after_the_handicap_stones():
    start = GoPosition(9, 0.5).with_handicap([33, 77])
    opening = load_openings("3", start)(0)
    assert opening.handicap == 2 and opening.plies == 3 and opening.moves[0][0] == WHITE
    assert load_openings(None, start)(7) is start


def test_openings_of_the_policy_are_sampled_from_its_priors():
    opening = load_openings("policy", GoPosition(19), max_moves=4, seed=3)
    assert vertices(opening(1)) == vertices(load_openings("policy", GoPosition(19), max_moves=4, seed=3)(1))
    assert len(set().union(*(vertices(opening(number)) for number in range(5)))) > 5
    assert load_openings("policy", GoPosition(9), max_moves=4)(0).plies == 4


def test_openings_of_the_policy_end_before_a_pass():
    found = [policy_opening(LevelNetwork(), GoPosition(5, 0.5), 4095, 1, number) for number in range(10)]
    assert not any(position.is_over or "pass" in vertices(position) for position in found)
    assert all(position.plies > 3 for position in found)


def test_each_recorded_opening_is_used_before_one_is_repeated(tmp_path):
    for number, moves in enumerate(([11, 22, 33], [11, 22, 44], [55, 66, 77], [55, 0, 0])):
        position = GoPosition(9, 3.5)
        for point in moves:
            position = position.play(point)
        (tmp_path / f"{number}.sgf").write_text(format_record(record_from_position(position)))
    (tmp_path / "other.sgf").write_text(format_record(record_from_position(GoPosition(5).play(8))))
    full, two = (load_openings(str(tmp_path), GoPosition(9, 6.5), max_moves=moves) for moves in (None, 2))
    assert len({tuple(vertices(full(number))) for number in range(3)}) == 3
    assert vertices(full(0)) == vertices(full(3))
    assert sorted(vertices(two(number)) for number in range(3)) == [["A9", "B8"], ["E5", "F4"], ["E5", "pass"]]
    assert full(0).komi == 6.5 and full(0).to_play == WHITE
    orders = {tuple(vertices(load_openings(str(tmp_path), GoPosition(9), seed=seed)(i))[2] for i in range(3))
              for seed in range(12)}
    assert len(orders) > 2                               # a random order for each seed
    with pytest.raises(BadInput, match="no game on 13x13 that can be continued"):
        load_openings(str(tmp_path), GoPosition(13))


def test_recorded_openings_are_scored_by_the_rules_of_the_match(tmp_path):
    (tmp_path / "1.sgf").write_text("(;GM[1]SZ[9]KM[6.5]RU[Japanese]HA[2]AB[cc][gg];W[ee];B[ec])")
    by_area, by_territory, chinese = (load_openings(str(tmp_path), GoPosition(9, 7.5), rules=rules)(0) for rules in (
        None, NAMED_RULES["korean"], NAMED_RULES["chinese"]))
    assert (by_area.counts_territory, by_area.white_points) == (False, 9.5)
    assert (by_territory.counts_territory, by_territory.white_points) == (True, 7.5)
    assert (chinese.counts_territory, chinese.white_points) == (False, 9.5)
    assert by_area.undo().counts_territory is False and by_territory.undo().counts_territory is True
    (tmp_path / "1.sgf").write_text("(;GM[1]SZ[9]KM[6.5]RU[Chinese];B[ee];W[ec])")
    assert load_openings(str(tmp_path), GoPosition(9, 7.5), rules=NAMED_RULES["japanese"])(0).counts_territory


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
