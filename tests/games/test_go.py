"""Positions of Go: values, history, superko, handicap, scores, records."""

import numpy as np
import pytest
from drawing import after, assert_same_points, assert_same_stones, draw, named

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, WHITE_BIT, format_gtp, interpret_gtp, move_index
from mugo.games.go import IllegalMove, GoPosition, fixed_handicap, format_score
from mugo.games.gomoku import GomokuPosition
from mugo.games.history import replay
from mugo.games.rules import NAMED_RULES
from mugo.games.scoring import final_result, final_score
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import position_of, positions_of

# -- positions are values

def test_a_board_shows_its_coordinates_and_its_last_move():
    position = GoPosition(9)
    for vertex in ("C3", "J9", "pass", "A1"):
        position = position.play(interpret_gtp(vertex, 9))
    assert str(position).splitlines() == [
        "   A B C D E F G H J",
        " 9 . . . . . . . . O 9",
        " 8 . . . . . . . . . 8",
        " 7 . . . . . . . . . 7",
        " 6 . . . . . . . . . 6",
        " 5 . . . . . . . . . 5",
        " 4 . . . . . . . . . 4",
        " 3 . . X . . . . . . 3",
        " 2 . . . . . . . . . 2",
        " 1(O). . . . . . . . 1",
        "   A B C D E F G H J",
    ]
    assert str(GoPosition(10)).splitlines()[1:3] == ["10 . . . . . . . . . . 10", " 9 . . . . . . . . . . 9"]


def test_illegal_moves_are_named_with_their_rule():
    position, at = draw("""
        . X O a
        X Ob c O
        d X O .
        O O . .
    """)
    with pytest.raises(IllegalMove, match="^illegal move: B3 is occupied$"):
        position.play(at["b"])
    with pytest.raises(IllegalMove, match="^illegal move: D4 is suicide$"):
        position.play(at["a"])
    with pytest.raises(IllegalMove, match="^illegal move: B3 retakes the ko$"):
        after(position, at, "c b")
    with pytest.raises(IllegalMove, match=r"^illegal move: B3 repeats a position \(superko\)$"):
        after(position, at, "c pass pass b")


def test_two_passes_end_the_game_and_a_move_between_them_does_not():
    position, at = draw("""
        . .
        . a
    """)
    assert not after(position, at, "pass").is_over
    assert not after(position, at, "pass a pass").is_over
    assert after(position, at, "a pass pass").is_over
    assert after(position, at, "a pass").last == PASS


def test_with_turn_changes_no_stone_and_no_move():
    position, at = draw("""
        . X O .
        X Ob a O
        . X O .
        . . . .
    """)
    taken = after(position, at, "a")
    given = taken.with_turn(BLACK)
    assert given.to_play == BLACK and taken.to_play == WHITE
    assert given.moves == taken.moves == ((BLACK, at["a"]),)
    assert given.with_turn(BLACK) is given
    assert given.why_illegal(at["b"]) is None, "a ko does not bind Black"
    assert given.with_turn(WHITE).why_illegal(at["b"]) == "repeats a position (superko)"
    assert given.play(at["b"]).moves == ((BLACK, at["a"]), (BLACK, at["b"]))


# -- superko

SEND_TWO = """
    a Xb c X .
    O O X . .
    . . . . .
    . . . . .
    . . . . .
"""


def test_sending_two_returning_one_repeats_a_position():
    position, at = draw(SEND_TWO)
    returned = after(position, at, "a c")
    assert returned.captures[WHITE] == 2
    assert returned.why_illegal(at["b"]) == "repeats a position (superko)"
    assert at["b"] not in returned.legal_points()
    assert returned.with_turn(WHITE).why_illegal(at["b"]) is None, "a white stone there is a new position"
    for ko, reason in ("POSITIONAL", "repeats a position (superko)"), ("SITUATIONAL", None), ("SIMPLE", None):
        assert returned.why_illegal(at["b"], ko=ko) == reason, ko          # White is to move now, and was not then


TRIPLE_KO = """
    . X O . . . . . .
    X Oa b O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X c Xd O . . . . .
    . X O . . . . . .
    . X O . . . . . .
    X Oe f O . . . . .
    . X O . . . . . .
"""


def test_a_triple_ko_repeats_no_position():
    position, at = draw(TRIPLE_KO)
    before_repetition = after(position, at, "b c f a d")
    assert before_repetition.captures == {BLACK: 3, WHITE: 2}
    assert before_repetition.why_illegal(at["e"]) == "repeats a position (superko)"
    assert before_repetition.why_illegal(at["e"], ko="SITUATIONAL") == "repeats a position (superko)"
    assert before_repetition.why_illegal(at["e"], ko="SIMPLE") is None
    elsewhere = before_repetition.play(interpret_gtp("J1", 9)).play(interpret_gtp("J9", 9))
    assert elsewhere.why_illegal(at["e"]) is None


@pytest.mark.parametrize("rules, reason", [
    ("japanese", None), ("korean", None), ("chinese", None), ("chinese-kgs", "repeats a position (superko)"),
    ("aga", "repeats a position (superko)"), ("tromp-taylor", "repeats a position (superko)")])
def test_the_rules_of_a_position_decide_which_repetitions_are_legal(rules, reason):
    start, at = draw(TRIPLE_KO)
    before_repetition = after(start.with_rules(NAMED_RULES[rules]), at, "b c f a d")
    assert before_repetition.why_illegal(at["e"]) == reason
    assert (at["e"] in before_repetition.legal_points()) == (reason is None)
    if reason is None:
        repeated = before_repetition.play(at["e"])
        assert_same_stones(repeated.stones, start.stones)
        assert repeated.why_illegal(at["a"]) == "is occupied" and not repeated.is_over
    else:
        with pytest.raises(IllegalMove, match=r"^illegal move: B2 repeats a position \(superko\)$"):
            before_repetition.play(at["e"])


def test_a_board_that_was_there_with_the_other_side_to_move_is_a_new_situation():
    start, at = draw(SEND_TWO)
    for rules, is_legal in ("tromp-taylor", False), ("aga", True), ("japanese", True):
        returned = after(start.with_rules(NAMED_RULES[rules]), at, "a c")
        assert (at["b"] in returned.legal_points()) == is_legal, rules
        assert (returned.why_illegal(at["b"]) is None) == is_legal, rules


def test_by_simple_ko_a_position_for_the_third_time_is_no_result():
    start, at = draw(TRIPLE_KO)
    start = start.with_rules(NAMED_RULES["japanese"])
    twice = after(start, at, "b c f a d e")
    almost = after(twice, at, "b c f a d")
    assert not twice.is_over and not almost.is_over and twice.result() != "Void"
    third = almost.play(at["e"])
    assert third.is_over and third.is_no_result and (third.score(), third.result()) == (0, "Void")
    assert final_score(third) == 0 and final_result(third) == "Void"
    assert not third.undo().is_over
    assert not third.play(interpret_gtp("J1", 9)).is_over, "another position"
    assert not third.with_rules(NAMED_RULES["chinese-kgs"]).is_over, "superko has no such end"
    assert third.with_rules(NAMED_RULES["chinese"]).is_over


def test_a_cycle_with_passes_is_no_reason_for_no_result():
    start, at = draw(TRIPLE_KO)
    start = start.with_rules(NAMED_RULES["japanese"])
    cycle = "b c f a d e"
    assert not after(start, at, f"{cycle} pass pass {cycle}").is_no_result
    assert after(start, at, f"{cycle} pass pass {cycle} {cycle}").is_no_result


def test_a_situation_of_the_past_has_the_side_that_was_to_move_then():
    position, at = draw("""
        . X O .
        X Ob a O
        . X O .
        . . . .
    """)
    for turn, reason in (BLACK, "repeats a position (superko)"), (WHITE, None):
        taken = position.with_turn(turn).play(at["a"], BLACK)
        again = after(taken, at, "pass pass")
        assert again.why_illegal(at["b"], ko="SITUATIONAL") == reason
        assert again.why_illegal(at["b"]) == "repeats a position (superko)"
        assert taken.why_illegal(at["b"], ko="SIMPLE") == "retakes the ko"


# -- setting up

def test_stones_are_set_up_without_history():
    position, at = draw("""
        . a .
        . . .
        . . b
    """, to_play=WHITE)
    position = after(position, at, "a b")
    added = position.with_stones(white=[interpret_gtp("A1", 3)])
    expected, _ = draw("""
        . O .
        . . .
        O . X
    """)
    assert_same_stones(added.stones, expected.stones)
    assert (added.plies, added.moves, added.to_play) == (0, (), WHITE)
    assert position.with_stones(to_play=BLACK).to_play == BLACK


@pytest.mark.parametrize("black, white, complaint", [
    (["A1", "A1"], [], "a black stone cannot be placed on A1"),
    (["A1"], ["A1"], "a white stone cannot be placed on A1"),
    (["A2", "B1"], ["A1"], "a white stone cannot be placed on A1"),
    (["A1"], ["A2", "B1"], "a white stone cannot be placed on B1"),
])
def test_impossible_setup_stones_are_named(black, white, complaint):
    with pytest.raises(IllegalMove, match=f"^{complaint}$"):
        GoPosition(5).with_stones([interpret_gtp(v, 5) for v in black], [interpret_gtp(v, 5) for v in white])


def test_handicap_stones_give_white_the_first_move():
    position = GoPosition(19, komi=0.5).with_handicap(fixed_handicap(19, 4))
    assert (position.handicap, position.to_play, position.komi, position.plies) == (4, WHITE, 0.5, 0)
    assert (position.stones == BLACK).sum() == 4


# GTP 2, section 4.1.1.
@pytest.mark.parametrize("size, stones, vertices", [
    (19, 2, "D4 Q16"),
    (19, 3, "D4 Q16 D16"),
    (19, 4, "D4 Q16 D16 Q4"),
    (19, 5, "D4 Q16 D16 Q4 K10"),
    (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
    (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
    (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
    (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
    (7, 4, "C3 E5 C5 E3"),
    (8, 4, "C3 F6 C6 F3"),
    (9, 9, "C3 G7 C7 G3 C5 G5 E3 E7 E5"),
    (11, 5, "C3 J9 C9 J3 F6"),
    (12, 4, "C3 K10 C10 K3"),
    (13, 9, "D4 K10 D10 K4 D7 K7 G4 G10 G7"),
    (18, 4, "D4 P15 D15 P4"),
])
def test_fixed_handicap_points_are_those_of_gtp(size, stones, vertices):
    assert [format_gtp(point, size) for point in fixed_handicap(size, stones)] == vertices.split()


@pytest.mark.parametrize("size, most", [
    (2, 0), (6, 0), (7, 4), (8, 4), (9, 9), (10, 4), (13, 9), (18, 4), (19, 9),
])
def test_fixed_handicap_depends_on_the_board_size(size, most):
    for stones in range(-1, 12):
        if 2 <= stones <= most:
            assert len(set(fixed_handicap(size, stones))) == stones
        else:
            with pytest.raises(ValueError, match=f"^no fixed handicap of {stones} stones on {size}x{size} "):
                fixed_handicap(size, stones)


# -- legal points, scores

def test_sensible_points_exclude_own_true_eyes():
    position, at = draw("""
        a X b
        X X O
        c O .
    """)
    assert_same_points(position, position.legal_points(), named(at, "a b c"), "legal")
    assert_same_points(position, position.sensible_points(), named(at, "b c"), "sensible")


@pytest.mark.parametrize("komi, score, result", [
    (0, 1, "B+1"), (0.5, 0.5, "B+0.5"), (1, 0, "0"), (7.5, -6.5, "W+6.5"), (-2.5, 3.5, "B+3.5"),
])
def test_komi_decides_close_games(komi, score, result):
    position, _ = draw("""
        . X .
        X X O
        . O .
    """, komi=komi)
    assert position.score() == score
    assert position.result() == result


def test_scores_are_written_as_sgf_does():
    assert [format_score(s) for s in (361, -353.5, 0.0, -0.25)] == ["B+361", "W+353.5", "0", "W+0.25"]
    assert [format_score(s) for s in (-1e6, 999_639.5, -1e-5, 1e-300, 8 - 7.9)] == [
        "W+1000000", "B+999639.5", "W+0.00001", "B+0.000001", "B+0.1"]


# -- records

def record(size=9, setup=(), moves=(), first_player=BLACK, komi=None, handicap=0, rules=""):
    return Record(shape=(size, size), setup=np.array(setup, np.int16), moves=np.array(moves, np.int16),
                  first_player=first_player, komi=komi, handicap=handicap, rules=rules)


def test_a_record_is_played_to_any_of_its_moves():
    moves = [40 + WHITE_BIT, 81, 41 + WHITE_BIT, 42]
    game = record(setup=[0, 80], moves=moves, first_player=WHITE, komi=0.5, handicap=2)
    position = position_of(game)
    assert (position.plies, position.komi, position.handicap, position.to_play) == (4, 0.5, 2, WHITE)
    assert [format_gtp(p, 9) for _, p in position.moves] == ["E5", "pass", "F5", "G5"]
    start = position_of(game, 0)
    assert (start.plies, start.to_play, int(start.stones.sum())) == (0, WHITE, 2)
    assert [position_of(game, n).to_play for n in range(5)] == [WHITE, BLACK, WHITE, BLACK, WHITE]


def test_the_position_of_a_record_has_the_colour_of_its_next_move_to_play():
    game = record(moves=[0, 1, 2 + WHITE_BIT, 3 + WHITE_BIT])
    assert [position_of(game, n).to_play for n in range(5)] == [BLACK, BLACK, WHITE, WHITE, BLACK]
    assert [c for c, _ in position_of(game, 1).moves] == [BLACK], "the colour to play is that of the next move"
    assert [c for c, _ in position_of(game).moves] == [BLACK, BLACK, WHITE, WHITE]
    assert position_of(record(first_player=WHITE)).to_play == WHITE
    assert position_of(record(), komi=3.5).komi == 3.5


def test_a_record_may_repeat_a_position_but_not_retake_a_ko():
    position, _ = draw("""
        . X . X .
        O O X . .
        . . . . .
        . . . . .
        . . . . .
    """)
    setup = [1, 3, 7, 5 + WHITE_BIT, 6 + WHITE_BIT]
    game = record(size=5, setup=setup, moves=[0, 2 + WHITE_BIT, 1])
    assert_same_stones(position_of(game).stones, position.stones)
    ko = record(size=5, setup=[1, 5, 11, 2 + WHITE_BIT, 6 + WHITE_BIT, 8 + WHITE_BIT, 12 + WHITE_BIT],
                moves=[7, 6 + WHITE_BIT])
    with pytest.raises(IllegalMove, match="^move 2: White B4 retakes the ko$"):
        position_of(ko)


def test_positions_of_a_record_end_at_an_illegal_move():
    game, = read_records(b"(;GM[1]SZ[5]KM[3.5];B[cc];W[cb];B[cc];W[aa])")
    followed = positions_of(game)
    assert [str(next(followed)) for _ in range(3)] == [str(position_of(game, plies)) for plies in range(3)]
    with pytest.raises(IllegalMove, match="move 3: Black C3 is occupied"):
        next(followed)


def test_moves_played_at_once_give_the_same_position_as_one_by_one():
    rng = np.random.default_rng(1)
    for size in (2, 5, 9):
        position, encoded = GoPosition(size, 3.5, to_play=WHITE), []
        for _ in range(60):
            colour = int(rng.choice([BLACK, WHITE]))
            legal = [*position.with_turn(colour).legal_points().tolist(), PASS]
            point = int(rng.choice(legal))
            encoded.append(move_index(point, size) + (WHITE_BIT if colour == WHITE else 0))
            position = position.play(point, colour)
        moves = np.array(encoded, np.int16)
        for first in (0, 1, 30):
            at_once = GoPosition(size, 3.5, to_play=WHITE).play_moves(moves[:first]).play_moves(moves[first:])
            for plies, (one, other) in enumerate(zip(position.positions(), at_once.positions(), strict=True)):
                assert (str(one), one.to_play, one.last, one.mover, one.moves, one.captures) == (
                    str(other), other.to_play, other.last, other.mover, other.moves, other.captures), (size, plies)
                assert (one.history == other.history).all() and one.board.tobytes() == other.board.tobytes()


def test_moves_played_at_once_do_not_change_the_position_that_they_start_from():
    start = GoPosition(5).play(7).play(8)
    other = start.play(9)
    first, second = start.play_moves(np.array([3, 4 + WHITE_BIT], np.int16)), start.play_moves(np.array([6], np.int16))
    assert [p.plies for p in (start, other, first, second)] == [2, 3, 4, 3]
    assert start.play_moves(np.array([], np.int16)) is start
    assert other.moves[-1] == (BLACK, 9) and first.moves[:2] == start.moves == second.moves[:2]
    assert first.play(PASS).moves[-1] == (BLACK, PASS)
    assert [format_gtp(p, 5) for _, p in second.moves[2:]] == ["B4"]
    with pytest.raises(IllegalMove, match="^move 4: White B5 is occupied$"):
        start.play_moves(np.array([2, 1 + WHITE_BIT], np.int16))
    with pytest.raises(IllegalMove, match="at most 4095 moves"):
        start.play_moves(np.full(4094, 25, np.int16))


@pytest.mark.parametrize("index", [82, 371, 372, 511])
def test_an_encoded_move_off_the_board_is_refused_before_it_is_played(index):
    with pytest.raises(IllegalMove, match="^move 2: White 424 is not a point of the 9x9 board$"):
        GoPosition(9).play_moves(np.array([40, index + WHITE_BIT], np.int16))
    board, history = GoPosition(9).board.copy(), np.zeros(8, np.uint64)
    assert replay(board[0], history, np.array([40, index + WHITE_BIT, 41], np.int16), 0, 3) == 1
    assert board[0]["moves"] == 1


@pytest.mark.parametrize("start", [GoPosition(9), GomokuPosition(9)])
@pytest.mark.parametrize("point", [-1, 10, 20, 101, 424, 500, 500_000_000])
def test_a_number_that_is_no_point_of_the_board_is_no_move_and_no_place_for_a_stone(start, point):
    assert start.why_illegal(point) == "is not a point of the 9x9 board"
    with pytest.raises(IllegalMove, match=f"^illegal move: {point} is not a point of the 9x9 board$"):
        start.play(point)
    with pytest.raises(IllegalMove, match=f"^a black stone cannot be placed on {point}$"):
        start.with_stones(black=[11, point])
    with pytest.raises(IllegalMove, match=f"^a white stone cannot be placed on {point}$"):
        start.with_stones(white=[point])


@pytest.mark.parametrize("rules, handicap, bonus", [
    ("Chinese", 6, 6), ("chinese", 2, 2), ("AGA", 6, 5), ("NZ", 6, 0), ("Chinese (Ing)", 3, 3),
    ("", 6, 0), ("whatever", 6, 0), ("Chinese", 0, 0), ("AGA", 0, 0), ('{"scoring": "x"}', 6, 0)])
def test_white_gets_points_for_the_handicap_stones_of_a_record_by_its_rules(rules, handicap, bonus):
    stones = [0, 8, 72, 80, 4, 76][:handicap]
    game = record(setup=stones, moves=[40 + WHITE_BIT], first_player=WHITE, komi=0.5, handicap=handicap, rules=rules)
    for position in (position_of(game), *positions_of(game), position_of(game).undo(), position_of(game).play(PASS)):
        assert (position.handicap_bonus, position.white_points) == (bonus, bonus + 0.5)
    position = position_of(game)
    assert position.score() == handicap - 1 - 0.5 - bonus if handicap else position.score() == -81.5
    assert position.komi == 0.5 and not position.has_same_rules(position_of(record(komi=bonus + 1)))


def test_whites_points_for_handicap_stones_do_not_depend_on_whether_rules_or_stones_come_first():
    chinese, stones = NAMED_RULES["chinese"], fixed_handicap(9, 4)
    for position in (GoPosition(9, 0.5).with_rules(chinese).with_handicap(stones),
                     GoPosition(9, 0.5).with_handicap(stones).with_rules(chinese)):
        for each in position, position.play(55), position.play(55).undo(), position.with_komi(0.5):
            assert (each.handicap, each.handicap_bonus, each.white_points) == (4, 4, 4.5)


def test_a_handicap_does_not_outlast_its_stones():
    position = GoPosition(9, 0.5).with_rules(NAMED_RULES["chinese"]).with_handicap(fixed_handicap(9, 4))
    stones = position.stones
    assert position.with_board(stones, BLACK).handicap == position.with_stones(white=[55]).handicap == 4
    assert position.with_board(stones * 0, BLACK).white_points == 0.5
    stones[tuple(np.argwhere(stones == BLACK)[0])] = WHITE
    assert (position.with_board(stones, BLACK).handicap, position.with_board(stones, BLACK).white_points) == (3, 3.5)
    assert position.without_stones(fixed_handicap(9, 4)).white_points == 4.5       # dead stones were a handicap


@pytest.mark.parametrize("komi", [1e300, -1e9, float("nan"), float("inf")])
def test_a_komi_beyond_all_games_is_refused(komi):
    with pytest.raises(ValueError, match="komi is a number from -1,000,000 to 1,000,000, not"):
        GoPosition(9, komi)
    assert GoPosition(9, -1_000_000).komi == -1_000_000
