"""A record that is written and read again is the same record."""
import numpy as np
import pytest
from sgf_games import encoded, read

from mugo.sgf.record import Record
from mugo.sgf.writer import format_record


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
