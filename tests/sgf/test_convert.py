"""Records become positions and positions become records, in Go and in Gomoku."""

import numpy as np
import pytest
from sgf_games import encoded, read

from mugo.core.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import interpret_sgf, point_at
from mugo.games.position import IllegalMove
from mugo.sgf.convert import format_record, load_game, load_position, record_from_position
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import position_of

GO = Record((9, 9), np.array(encoded("Bcc Bgg", 9), np.int16), np.array(encoded("Wee Bef W--", 9), np.int16),
            first_player=WHITE, komi=0.5, handicap=2)
GOMOKU = Record((9, 9), np.array([], np.int16), np.array(encoded("Bee Wff Bed", 9), np.int16), k=5, exactly=True)


@pytest.mark.parametrize("record", [GO, GOMOKU], ids=["go", "gomoku"])
def test_a_replayed_record_gives_the_same_record_again(record):
    again = record_from_position(position_of(record))
    for field in Record.__slots__:
        assert np.array_equal(getattr(again, field), getattr(record, field)), field


@pytest.mark.parametrize("record", [GO, GOMOKU], ids=["go", "gomoku"])
def test_a_record_is_replayed_up_to_a_number_of_moves(record):
    for num_moves in range(len(record.moves) + 1):
        position = position_of(record, num_moves)
        assert len(position.moves) == num_moves
        if num_moves < len(record.moves):
            assert position.to_play == (WHITE if record.moves[num_moves] >= 512 else BLACK)


@pytest.mark.parametrize("k", [0, 5])
def test_before_the_first_move_the_record_says_who_plays(k):
    for player in (BLACK, WHITE):
        record = Record((9, 9), np.array([], np.int16), np.array([], np.int16), first_player=player, k=k)
        assert position_of(record).to_play == player
        assert next(read_records(format_record(record).encode(), gomoku=True)).first_player == player


def test_an_illegal_move_is_named_with_its_number():
    for k in (0, 5):
        record = Record((9, 9), np.array([], np.int16), np.array(encoded("Bee Wff Bee", 9), np.int16), k=k)
        with pytest.raises(IllegalMove, match="move 3: .*E5"):
            position_of(record)


@pytest.mark.parametrize("sgf, game, error", [
    ("(;SZ[9];B[ee])", "gomoku", "is a game of Go, not of Gomoku"), ("(;SZ[9];B[ee];W[ee])", None, "move 2"),
    ("nothing", None, "no game found"),
])
def test_errors_of_load_position_name_the_file(tmp_path, sgf, game, error):
    (tmp_path / "a.sgf").write_text(sgf)
    with pytest.raises(BadInput, match=f"a.sgf.*{error}"):
        load_position(tmp_path / "a.sgf", game=game)


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(BadInput, match="is not a file"):
        load_position(tmp_path)


def test_a_file_larger_than_any_game_is_not_read(tmp_path):
    with open(tmp_path / "large.sgf", "wb") as file:
        file.truncate(128 << 20)
    with pytest.raises(BadInput, match="large.sgf: 134,217,728 bytes of SGF; the limit is 33,554,432"):
        load_position(tmp_path / "large.sgf")


def names_of(notices):
    return [line.partition(".sgf")[2] for line in notices]


LATER = "(;SZ[5]C[root];B[cc];W[bb];AE[cc]AB[aa:ba][ea];W[dd](;B[ee]C[end])(;B[ab]))"


@pytest.mark.parametrize("moves, board, to_play, start", [
    (1, ". . . . .|. . . . .|. . X . .|. . . . .|. . . . .", -1, 0),
    (2, "X X . . X|. O . . .|. . . . .|. . . . .|. . . . .", -1, 3),       # before move 3: the stones are set up
    (None, "X X . . X|. O . . .|. . . . .|. . . O .|. . . . X", -1, 3),
])
def test_setup_stones_in_the_middle_of_the_main_line_change_the_board(tmp_path, moves, board, to_play, start):
    (tmp_path / "a.sgf").write_text(LATER)
    loaded = load_game(tmp_path / "a.sgf", moves)
    letters = {1: "X", -1: "O", 0: "."}
    assert "|".join(" ".join(letters[stone] for stone in row) for row in loaded.position.stones.tolist()) == board
    assert (loaded.position.to_play, loaded.start) == (to_play, start)
    assert load_position(tmp_path / "a.sgf", moves).stones.tolist() == loaded.position.stones.tolist()


def test_superko_starts_anew_at_setup_stones(tmp_path):
    (tmp_path / "a.sgf").write_text("(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];AB[ee];PL[W])")
    position = load_position(tmp_path / "a.sgf")
    assert position.plies == 0 and position.why_illegal(interpret_sgf("bb", 5)) is None
    (tmp_path / "b.sgf").write_text("(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb])")
    assert load_position(tmp_path / "b.sgf").why_illegal(interpret_sgf("bb", 5)) == "retakes the ko"


@pytest.mark.parametrize("sgf, error", [
    ("(;SZ[5];B[cc];AB[aa];W[aa])", "move 2: White A5 is occupied"),
    ("(;SZ[5];B[ba];AB[ab]AW[aa])", "the setup after move 1: a black stone cannot be placed on A4"),
])
def test_a_game_with_later_setup_that_leads_to_no_position_is_refused_in_a_line(tmp_path, sgf, error):
    (tmp_path / "a.sgf").write_text(sgf)
    with pytest.raises(BadInput, match=f"a.sgf: {error}"):
        load_game(tmp_path / "a.sgf")


@pytest.mark.parametrize("sgf, notices", [
    ("(;SZ[5];B[cc])(;SZ[5];B[aa])", [" has several games; this is the first"]),
    ("(;SZ[5];B[cc])(;SZ[99])", []), ("(;SZ[5];B[cc])", []),
    ("(;SZ[5];B[cc](;W[aa])(;W B))", [": only the main line could be read, without variations"]),
])
def test_what_is_not_used_of_a_file_is_said_in_a_line(tmp_path, sgf, notices, capsys):
    (tmp_path / "a.sgf").write_text(sgf)
    found = []
    assert load_game(tmp_path / "a.sgf", notice=found.append).position.moves[0][1] == interpret_sgf("cc", 5)
    assert names_of(found) == notices
    load_position(tmp_path / "a.sgf")
    output = capsys.readouterr()
    assert names_of(output.err.splitlines()) == notices and not output.out


def test_a_move_after_the_last_one_is_said_to_be_missing(tmp_path):
    (tmp_path / "a.sgf").write_text("(;SZ[5];B[cc];W[bb])")
    for number, notices in (2, []), (3, [" has no move 3; this is the position after move 2, the last one"]):
        found = []
        assert len(load_game(tmp_path / "a.sgf", number, notice=found.append).position.moves) == 2
        assert names_of(found) == notices


BRANCHED = "(;SZ[5]GN[x]RE[B+3];B[cc]LB[cc:1];C[no move];W[bb](;B[dd];W[ee])(;B[ad]TR[ad]))"


@pytest.mark.parametrize("num_moves, moves, result, saved", [
    (None, "", "", BRANCHED),
    (None, "Baa", "B+R", BRANCHED.replace("W[ee])", "W[ee];B[aa])").replace("B+3", "B+R")),
    (2, "Bdd Wee", "", BRANCHED), (2, "Bad", "", BRANCHED),                  # both are in the file
    (2, "Bad Waa", "", BRANCHED.replace("TR[ad]", "TR[ad];W[aa]")),
    (2, "Bea W--", "W+R", BRANCHED.replace("TR[ad])", "TR[ad])(;B[ea];W[]C[Result: W+R])")),
    (0, "Bee", "", "(;SZ[5]GN[x]RE[B+3](;B[cc]LB" + BRANCHED.partition("LB")[2][:-1] + ")(;B[ee]))"),
    (2, "", "B+R", BRANCHED.replace("W[bb]", "W[bb]C[Result: B+R]")),
])
def test_moves_are_added_to_the_file_they_continue(tmp_path, num_moves, moves, result, saved):
    (tmp_path / "a.sgf").write_text(BRANCHED)
    loaded = load_game(tmp_path / "a.sgf", num_moves)
    position = loaded.position.play_moves(np.array(encoded(moves, 5), np.int16))
    for _ in range(2):                                   # the loaded nodes stay as they are
        text = loaded.with_lines([(position.moves, result)])
        assert text.replace("CA[UTF-8]", "").replace("\n", "") == saved
    assert "CA[UTF-8]" in text


@pytest.mark.parametrize("sgf, moves, saved", [
    ("(;SZ[5]B[cc]C[root];W[dd])", "Bcc Waa", "(;SZ[5]B[cc]C[root]CA[UTF-8](;W[dd])(;W[aa]))"),
    ("(;SZ[5]B[cc]C[root];W[dd])", "Baa", "(;SZ[5]C[root]CA[UTF-8](;B[cc];W[dd])(;B[aa]))"),
    ("(;SZ[5];AB[ee]W[cc];B[dd])", "Waa Bbb", "(;SZ[5]CA[UTF-8];AB[ee](;W[cc];B[dd])(;W[aa];B[bb]))"),
])
def test_another_move_in_the_place_of_one_that_stands_with_setup_stones(tmp_path, sgf, moves, saved):
    (tmp_path / "a.sgf").write_text(sgf)
    loaded = load_game(tmp_path / "a.sgf")
    start = next(loaded.position.positions())
    played = start.play_moves(np.array(encoded(moves, 5), np.int16))
    assert loaded.with_lines([(played.moves, "")]).replace("\n", "") == saved


def test_moves_before_the_place_that_was_loaded_can_be_undone(tmp_path):
    (tmp_path / "a.sgf").write_text(LATER)
    loaded = load_game(tmp_path / "a.sgf")
    other = loaded.position.undo().undo().play(interpret_sgf("ed", 5), -1)
    assert ";AE[cc]AB[aa:ba][ea](;W[dd](" in loaded.with_lines([(other.moves, "")])
    assert loaded.with_lines([(other.moves, "")]).replace("\n", "").endswith("(;W[ed]))")


def loaded_game(tmp_path, text, num_moves=None):
    path = tmp_path / "loaded.sgf"
    path.write_text(text)
    return load_game(path, num_moves, notice=lambda line: None)


def test_a_move_with_setup_stones_in_its_node_is_another_move(tmp_path):
    loaded = loaded_game(tmp_path, "(;SZ[9];B[aa];AB[cc]W[bb];B[dd])", 1)
    moves = [(BLACK, point_at(0, 0, 9)), (WHITE, point_at(1, 1, 9)), (BLACK, point_at(2, 2, 9))]
    text = loaded.with_lines([(moves, "")])
    assert "(;AB[cc]W[bb];B[dd])(;W[bb];B[cc])" in text.replace("\n", "")


@pytest.mark.parametrize("sgf", ["(;SZ[5];B[aa]AE[aa];AB[bb])", "(;SZ[5];B[bb];AE[aa]B[aa];W[cc])"])
def test_a_move_with_setup_that_changes_nothing_is_the_same_move(tmp_path, sgf):
    loaded = loaded_game(tmp_path, sgf)
    assert loaded.with_lines([(loaded.position.moves, "")]).replace("CA[UTF-8]", "").replace("\n", "") == sgf


def test_a_result_at_the_root_is_kept(tmp_path):
    loaded = loaded_game(tmp_path, "(;SZ[9]C[a comment];B[aa];W[bb])", 0)
    text = loaded.with_lines([([], "B+R")])
    assert "a comment" in text and "Result: B+R" in text and "CA[UTF-8]" in text
    assert "RE[W+R]" in loaded_game(tmp_path, "(;SZ[9])").with_lines([([], "W+R")])


# ---- a record that is written and read again is the same record

@pytest.mark.parametrize("record", [
    Record((19, 19), np.array([], np.int16), np.array([], np.int16)),
    Record((9, 9), np.array(encoded("Bac Wee Bag", 9), np.int16), np.array(encoded("Waa B-- Wbb", 9), np.int16),
           first_player=-1, komi=0.5, handicap=2, result="W+T", black=r"古力 [x] \ :", white="]", black_rank="P9段",
           white_rank="3k", date="2016-03", event="a: b", place="Köln", rules="Japanese"),
    Record((2, 2), np.array([], np.int16), np.array(encoded("Bab", 2), np.int16), komi=-7.0, result="0"),
    Record((13, 13), np.array([0], np.int16), np.array([], np.int16), first_player=1, handicap=3),
    Record((9, 9), np.array([], np.int16), np.array(encoded("Bac Wee Bag", 9), np.int16), opening_moves=2),
])
def test_a_record_written_is_the_record_read(record):
    again = read(format_record(record))
    for field in Record.__slots__:
        assert np.array_equal(getattr(again, field), getattr(record, field)), field


def test_comments_are_written_with_their_moves():
    sgf = format_record(read("(;SZ[9];B[cc];W[dd])"), {0: "root", 2: r"[a] \ (;"})
    assert "C[root]" in sgf and "AP[MuGo:" in sgf
    assert sgf.index("W[dd]") > sgf.index("B[cc]")
    assert read(sgf).moves.tolist() == encoded("Bcc Wdd", 9)
    assert r"C[[a\] \\ (;]" in sgf


def test_an_opening_is_named_before_the_comment_of_the_root():
    record = read("(;SZ[9]C[startTurnIdx=1,initTurnNum=1,gameHash=AB];B[cc];W[dd])")
    assert record.opening_moves == 1
    assert "C[startTurnIdx=1\nroot]" in format_record(record, {0: "root"})


@pytest.mark.parametrize(("komi", "text"), [(6.5, "6.5"), (0.0, "0"), (-7.0, "-7"), (123456.5, "123456.5"),
                                            (-1e6, "-1000000")])
def test_komi_is_written_without_an_exponent(komi, text):
    none = np.array([], np.int16)
    assert f"KM[{text}]" in format_record(Record((5, 5), none, none, komi=komi))
