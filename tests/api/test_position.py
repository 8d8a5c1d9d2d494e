"""Positions of the library: moves by name, values, drawings, SVG."""
import pickle
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import mugo

OPENING = "Q16", "D4", "C16", "R4"


def test_moves_are_played_by_name_and_in_turn():
    position = mugo.Position(19).play("q16", "d4", "pass")
    assert position.moves == [("B", "Q16"), ("W", "D4"), ("B", "pass")]
    assert position.to_move == "W"
    assert position.stones[3, 15] == 1 and position.stones[15, 3] == -1 and np.abs(position.stones).sum() == 2


def test_a_colour_can_move_twice():
    position = mugo.Position(9).play("E5", "E6", colour="white")
    assert position.moves == [("W", "E5"), ("W", "E6")] and position.to_move == "B"


def test_a_position_is_a_value():
    one, two = mugo.Position(19).play(*OPENING), mugo.Position(19).play(*OPENING[:2]).play(*OPENING[2:])
    assert one == two and hash(one) == hash(two) and {one: 1}[two] == 1
    before = str(one)
    one.play("Q4")
    assert str(one) == before and one == two


@pytest.mark.parametrize("other", [
    mugo.Position(19).play(*OPENING[:3]), mugo.Position(19, komi=6.5).play(*OPENING),
    mugo.Position(19, rules="japanese", komi=7.5).play(*OPENING), mugo.Position("19x18").play(*OPENING),
    mugo.Position(19).play("C16", "R4", "Q16", "D4"), mugo.Position(19, game="gomoku").play(*OPENING),
    mugo.Position.from_text(str(mugo.Position(19).play(*OPENING))), "Q16"], ids=repr)
def test_another_game_rule_or_history_is_another_value(other):
    assert mugo.Position(19).play(*OPENING) != other


def test_a_position_does_not_change():
    position = mugo.Position(9)
    with pytest.raises(AttributeError):
        position.komi = 0.5
    position.stones[0, 0] = 1
    assert not position.stones.any()


def test_a_drawing_is_what_print_shows():
    position = mugo.Position(19).play("O17", "Q3", "J9")
    drawn = mugo.Position.from_text(str(position), to_move="W")
    assert (drawn.stones == position.stones).all() and drawn.to_move == "W" and drawn.moves == []
    assert str(mugo.Position.from_text(str(drawn))) == str(drawn)
    wide = mugo.Position("4x2").play("D2")
    assert mugo.Position.from_text(str(wide)).size == "4x2"


def test_legal_moves_are_those_that_are_not_illegal():
    ko = mugo.Position.from_text("""
        . X O .
        X O . O
        . X O .
        . . . .
    """).play("C3")
    names = [f"{column}{row}" for row in (4, 3, 2, 1) for column in "ABCD"]
    assert ko.legal_moves() == [name for name in names if ko.why_illegal(name) is None] + ["pass"]
    assert ko.why_illegal("B3") == "retakes the ko" and "B3" not in ko.legal_moves()
    assert "pass" not in mugo.Position(3, game="gomoku").legal_moves()


@pytest.mark.parametrize(("options", "komi", "rules", "handicap"), [
    ({}, 7.5, "Chinese", 0), ({"rules": "japanese"}, 6.5, "Japanese", 0), ({"handicap": 3}, 0.5, "New Zealand", 3),
    ({"komi": 5, "rules": "aga"}, 5, "AGA", 0), ({"handicap": 2, "rules": "aga"}, 0.5, "AGA", 2),
    ({"rules": "korean"}, 6.5, "Korean", 0), ({"rules": "new-zealand"}, 7.5, "New Zealand", 0),
    ({"rules": "nz"}, 7.5, "NZ", 0), ({"handicap": 2, "rules": "tromp-taylor"}, 0.5, "Tromp-Taylor", 2),
    ({"rules": "chinese-kgs"}, 7.5, "Chinese-KGS", 0)])
def test_rules_have_their_komi(options, komi, rules, handicap):
    position = mugo.Position(19, **options)
    assert (position.komi, position.rules, position.handicap) == (komi, rules, handicap)
    assert position.to_move == ("W" if handicap else "B")


def test_a_finished_game_is_scored_without_dead_stones():
    board = mugo.Position.from_text("""
        . X . O .
        X X . O .
        . X . O .
        . X . O O
        O X . O .
    """, komi=0.5).play("pass", "pass")
    assert board.is_over
    assert board.score() == -0.5 and board.result() == "W+0.5"       # A1 is dead: ten points each


def test_gomoku_ends_with_a_row():
    won = mugo.Position(5, game="gomoku").play(*"A1 A2 B1 B2 C1 C2 D1".split())
    assert won.is_over and won.result() == "B+" and won.score() == 1 and won.legal_moves() == []
    assert mugo.Position(5, game="gomoku").rules == "4 in a row"


@pytest.mark.parametrize(("moves", "fills"), [
    ([], []), (["pass"], []), (["E5"], ["black", "none"]), (["E5", "C3"], ["white", "black", "none"]),
    (["E5", "pass"], ["black"])])
def test_a_notebook_draws_stones_and_a_ring_on_the_last_move(moves, fills):
    position = mugo.Position("9x7").play(*moves)
    elements = list(ElementTree.fromstring(position._repr_svg_()))
    circles = [each.get("fill") for each in elements if each.tag.endswith("circle") and each.get("stroke")]
    assert sorted(circles) == sorted(fills)
    assert elements[-1].text == repr(position)[1:-1]
    letters = [each.text for each in elements if each.tag.endswith("text")]
    assert [letters.count(letter) for letter in "AJ17"] == [2, 2, 2, 2] and "K" not in letters


def test_a_notebook_rings_the_winning_row():
    won = mugo.Position(5, game="gomoku").play(*"A1 A2 B1 B2 C1 C2 D1".split())
    assert won._repr_svg_().count('fill="none" stroke="#4a7d3a"') == 4


def test_a_problem_gets_a_frame_of_the_side_outside():
    text = "\n".join([". O X . . . . . .", "O O X . . . . . .", "X X X . . . . . .", *6 * [". . . . . . . . ."]])
    problem = mugo.Position.from_text(text, to_move="W")
    framed = problem.with_tsumego_frame()
    assert framed == problem.with_tsumego_frame("B") != problem.with_tsumego_frame("W")
    assert framed.to_move == "W" and framed.komi == problem.komi and framed.stones[5, 0] == 1
    assert mugo.Position(9).with_tsumego_frame() == mugo.Position(9)
    gomoku = mugo.Position(15, game="gomoku")
    for position, attacker, message in (problem, "R", "a colour is"), (gomoku, None, "is of Go"):
        with pytest.raises(mugo.MugoError, match=message):
            position.with_tsumego_frame(attacker)


def test_a_pickled_position_is_small_and_the_same():
    position = mugo.Position(rules="japanese")
    for number in range(200):
        moves = position.legal_moves()[:-1]
        position = position.play(moves[number * 7919 % len(moves)])
    pickled = pickle.dumps(position)
    again = pickle.loads(pickled)
    assert len(pickled) < 2000 and again == position
    assert str(again) == str(position) and again.score() == position.score() and again.legal_moves() == \
        position.legal_moves()


def test_a_pickled_position_keeps_its_ko_and_its_turn():
    ko = mugo.Position.from_text("""
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
    """).play("C4")
    assert pickle.loads(pickle.dumps(ko)).why_illegal("B4") == "retakes the ko"
    twice = mugo.Position(9).play("E5", colour="W").play("C3", colour="W")
    assert pickle.loads(pickle.dumps(twice)).to_move == twice.to_move == "B"
    setup = mugo.Position.from_text("X . \n . O", to_move="W")
    assert pickle.loads(pickle.dumps(setup)) == setup
