"""SGF as people have it: every quirk in a game of its own, small enough to read."""
import csv
import math
import pickle
import time
from pathlib import Path

import numpy as np
import pytest

from mugo.games.coords import interpret_sgf, move_index
from mugo.sgf.parser import (
    MAX_BYTES,
    WHITE_BIT,
    BadRecord,
    Record,
    format_record,
    rank_number,
    read_records,
    read_trees,
)

TORTURE = Path(__file__).parents[3] / "shared" / "sgf_torture"


def read(sgf: str | bytes) -> Record:
    """The only game of a text."""
    record, = read_records(sgf.encode() if isinstance(sgf, str) else sgf)
    if isinstance(record, BadRecord):
        raise record
    return record


def coded(moves: str, size: int = 19) -> list[int]:
    """'Bpd Wdp W--' as coded moves; -- is a pass."""
    return [move_index(interpret_sgf(move[1:].replace("--", ""), size), size) + WHITE_BIT * (move[0] == "W")
            for move in moves.split()]


@pytest.mark.parametrize("sgf, setup, moves", [
    ("(;SZ[9];B[cc];W[dd])", "", "Bcc Wdd"),
    ("(;SZ[9];W[cc];B[dd])", "", "Wcc Bdd"),                                    # White begins
    ("(;SZ[9];B[cc];B[dd];W[])", "", "Bcc Bdd W--"),                            # Black twice
    ("(;SZ[9];B[tt];W[])", "", "B-- W--"),                                      # both kinds of pass
    ("( ;\nSZ [9] ;\tB\n[cc] ; W[ dd ])", "", "Bcc Wdd"),                       # blanks everywhere
    ("(;SZ[9];B[cc];;C[nothing here];W[dd];)", "", "Bcc Wdd"),                  # empty nodes
    ("(;SZ[9]AB[ac][ag]AW[ee];W[cc])", "Bac Bag Wee", "Wcc"),
    ("(;SZ[9]AB[aa:bc];W[cc])", "Baa Bba Bab Bbb Bac Bbc", "Wcc"),              # a compressed rectangle
    ("(;SZ[9]HA[2];AB[ac][ag];W[cc])", "Bac Bag", "Wcc"),                       # stones after the root
    ("(;SZ[9]HA[2]AB[ac]AB[ag];W[cc])", "Bac Bag", "Wcc"),                      # the same property twice
    ("(;SZ[9]AB[ac][ag];AE[ag];AW[ac];B[cc])", "Wac", "Bcc"),                   # stones taken and replaced
    ("(;SZ[9]AB[]AW[];B[cc])", "", "Bcc"),
    ("(;SZ[9]HA[2];B[ac];B[ag];W[cc])", "", "Bac Bag Wcc"),                     # handicap stones as moves
    ("(;SZ[9](;B[aa](;W[bb])(;W[cc]))(;B[dd]))", "", "Baa Wbb"),                # the first variation
    ("(;SZ[9];B[aa](;W[bb];B[ee](;W[hh];B[ii])(;W[gg]))(;W[cc](;B[dd])))", "", "Baa Wbb Bee Whh Bii"),
    ("(;FileFormat[3]SiZe[9];Black[cc];White[dd]Comment[long names])", "", "Bcc Wdd"),
    (r"(;SZ[9]C[a \] and \\];B[cc]C[(;W[bb\])];W[dd]C[:-)])", "", "Bcc Wdd"),   # brackets inside texts
    ("(;SZ[9];B[cc]W[dd];W[ee])", "", "Bcc Wee"),                               # two moves in one node
    ("some junk (;SZ[9];B[cc]) more ( junk [", "", "Bcc"),
    ("\ufeff(;SZ[9];B[cc])", "", "Bcc"),
    (";SZ[9];B[cc] (;W[dd];B[ee]) (;W[ff]))", "", "Bcc Wdd Bee"),               # Fox: '(' forgotten
    ("(;SZ[9])", "", ""),
])
def test_setup_and_moves_of_a_game(sgf, setup, moves):
    record = read(sgf)
    assert record.size == 9
    assert record.setup.dtype == record.moves.dtype == np.int16
    assert record.setup.tolist() == sorted(coded(setup, 9), key=lambda move: move % WHITE_BIT)
    assert record.moves.tolist() == coded(moves, 9)


@pytest.mark.parametrize("sgf, reason, line", [
    ("", "not SGF", "no game begins here"),
    ("Rated game\n19\nPMABWQRRQ\n", "not SGF", "no game begins here"),
    ("()", "not SGF", "no game begins here"),
    ("(;SZ[9];B[cc]", "broken SGF", "never closed"),
    ("(;SZ[9];B[cc];W[d", "broken SGF", "never closed"),
    ("(;SZ[9];B;W[cc])", "broken SGF", "property with no values"),
    ("(;SZ[9];[cc])", "broken SGF", "unexpected value"),
    ("(;SZ[9];B[cc](;W[dd])(;W[ee]);B[ff])", "broken SGF", "nodes follow a variation"),
    ("(;GM[2];B[cc])", "not Go", "GM[2]"),
    ("(;SZ[1])", "board size", "SZ[1]; square boards of 2 to 19"),
    ("(;SZ[37])", "board size", "SZ[37]"),
    ("(;SZ[17:3])", "board size", "SZ[17:3]"),
    ("(;SZ[-9])", "board size", "SZ[-9]"),
    ("(;SZ[big])", "board size", "SZ[big]"),
    ("(;SZ[9];B[cc];W[jj])", "move off the board", "move 2: 'jj' is no point on 9x9 (aa-ii)"),
    ("(;B[Q16])", "move off the board", "move 1: 'Q16' is no point on 19x19 (aa-ss)"),
    ("(;SZ[9]AB[pd])", "setup off the board", "setup AB: 'pd' is no point on 9x9"),
    ("(;SZ[9]AB[aa:])", "setup off the board", "a pass is no point"),
    ("(;SZ[9];B[cc];AW[dd];B[ee])", "setup after the first move", "after move 1: AW"),
    ("(;HA[3];W[cc];B[dd])", "handicap stones missing", "HA[3], and White moves first"),
])
def test_what_cannot_be_used_says_why(sgf, reason, line):
    with pytest.raises(BadRecord) as bad:
        read(sgf)
    assert bad.value.reason == reason
    assert line in str(bad.value) and "\n" not in str(bad.value)


def test_a_bad_record_travels_between_processes():
    bad = pickle.loads(pickle.dumps(BadRecord("not Go", "GM[2]")))
    assert (bad.reason, str(bad)) == ("not Go", "GM[2]")


def test_one_broken_game_of_a_collection_costs_only_itself():
    games = list(read_records(b"""
        (;GM[1]SZ[9];B[aa])
        (;GM[1]SZ[99];B[bb])
        (;GM[1]SZ[9];B[cc](;W[dd];B[ee]
        (;GM[1]SZ[9];B[ff]C[no end
        (;GM[1]SZ[9];B[gg])(;GM[1]SZ[9];B[hh])
    """))
    assert [game.reason if isinstance(game, BadRecord) else game.moves.tolist() for game in games] == [
        coded("Baa", 9), "board size", "broken SGF", "broken SGF", coded("Bgg", 9), coded("Bhh", 9)]


def test_a_variation_is_not_taken_for_a_game():
    first, fragment = read_records(b"(;SZ[9];B[aa](;W[bb]));B[cc](;W[dd])(;W[ee]))")
    assert first.moves.tolist() == coded("Baa Wbb", 9)
    assert fragment.reason == "broken SGF"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "big5", "shift_jis"])
def test_names_in_any_character_set(encoding):
    name = "許功蓋"                 # in Big5 each second byte is a backslash
    if encoding == "gb18030":
        name = "古力俔乚"            # in GBK some second bytes are brackets
    charset = {"big5": "CA[Big5]", "shift_jis": "CA[Shift_JIS]"}.get(encoding, "")
    record = read(f"(;{charset}PB[{name}]PW[{name}];B[pd];W[dp])".encode(encoding, "replace"))
    assert len(record.moves) == 2
    assert record.black == record.white == name.encode(encoding, "replace").decode(encoding)


def test_a_character_beyond_the_set_that_is_named():
    record = read("(;CA[GB2312]PB[俔乚];B[pd])".encode("gbk"))      # their second bytes are both brackets
    assert record.black == "俔乚" and len(record.moves) == 1


def test_texts_cut_in_mid_character_keep_the_rest():
    record = read("(;PB[天元".encode()[:-1] + "?]WR[P6段]CA[nonsense];B[pd])".encode())
    assert record.black.startswith("天") and record.white_rank == "P6段"
    assert len(record.moves) == 1


@pytest.mark.parametrize("charset", ["", "zip", "rot13", "punycode", "idna", "utf-7", "undefined", "../..",
                                     "x" * 500])
def test_no_character_set_fails_a_game(charset):
    assert len(read(f"(;CA[{charset}]PB[".encode() + b"\xff\xfe\x80];B[pd])").moves) == 1


@pytest.mark.parametrize("properties, komi", [
    ("KM[6.5]", 6.5), ("KM[ 0.50 ]", 0.5), ("KM[-20]", -20), ("KM[0]", 0), ("KM[6,5]", 6.5), ("KM[6½]", 6.5),
    ("", None), ("KM[]", None), ("KM[nan]", None), ("KM[1e3]", 1), ("KM[auto]", None), ("KM[99999999]", None),
    ("KM[375]", 7.5), ("KM[750]", 7.5), ("KM[325]", 6.5), ("KM[650]", 6.5), ("KM[275]", 5.5),
    ("KM[550]", 5.5), ("KM[3.75]", 7.5), ("KM[450]", 4.5),
    ("KM[0]HA[0]AP[GNU Go:3.8]AP[foxwq]", None), ("KM[0]HA[0]TC[3]TT[30]", None),      # Fox: not known
    ("KM[0]HA[3]AB[dd][dp][pd]TC[3]TT[30]", 0), ("KM[0]HA[0]", 0),
])
def test_komi(properties, komi):
    assert read(f"(;{properties})").komi == komi


@pytest.mark.parametrize("text, result, winner", [
    ("B+3.5", "B+3.5", 1), ("W+0.50", "W+0.5", -1), ("B+12", "B+12", 1), ("b + 3.5 points", "B+3.5", 1),
    ("W+Resign", "W+R", -1), ("B+R", "B+R", 1), ("W+Time", "W+T", -1), ("B+T", "B+T", 1),
    ("W+Forfeit", "W+F", -1), ("B+Offline", "B+F", 1), ("B+", "B+", 1), ("W", "W+", -1),
    ("B+1/2", "B+0.5", 1), ("B+0.0", "B+", 1), ("W+0.02", "W+", -1), ("W+8194.00", "W+", -1),
    ("B+1.25", "B+2.5", 1), ("B+2 (moves beyond 200 not known)", "B+2", 1),
    ("White wins by resignation", "W+R", -1), ("0", "0", 0), ("Draw", "0", 0), ("jigo", "0", 0),
    ("和棋", "0", 0), ("?", "", 0), ("", "", 0), ("Void", "", 0), ("? (No further moves known)", "", 0),
    ("Both lost", "", 0), ("黑中盘胜", "B+R", 1), ("白胜1.25子", "W+2.5", -1), ("黑胜3又3/4子", "B+7.5", 1),
    ("白胜3/4子", "W+1.5", -1), ("白超时胜", "W+T", -1), ("黒3目半勝ち", "B+3.5", 1),
    ("白中押し勝ち", "W+R", -1), ("흑불계승", "B+R", 1), ("백 2.5집승", "W+2.5", -1),
    ("白半目勝", "W+0.5", -1), ("白超时", "", 0),
])
def test_results(text, result, winner):
    record = read(f"(;RE[{text}])")
    assert (record.result, record.winner) == (result, winner)


@pytest.mark.parametrize("text, date", [
    ("2016-03-09", "2016-03-09"), ("2003-12-31,2004-01-01", "2003-12-31"), ("2016-03-09,10", "2016-03-09"),
    ("1996-05", "1996-05"), ("1996", "1996"), ("1988/4/5", "1988-04-05"), ("1988.04.05", "1988-04-05"),
    ("2017年5月27日", "2017-05-27"), ("0800 approx.", "0800"), ("2011-13-40", "2011"),
    ("13/5/95", ""), ("", ""),
])
def test_dates(text, date):
    assert read(f"(;DT[{text}])").date == date


@pytest.mark.parametrize("text, number", [
    ("1d", 1), ("9d", 9), ("6d?", 6), ("9 dan", 9), ("9段", 9), ("初段", 1), ("九段", 9),
    ("9단", 9), ("7D*", 7), ("1k", 0), ("2k", -1), ("15级", -14), ("18 kyu", -17), ("10급", -9),
    ("1p", 10), ("9p", 18), ("P6段", 15), ("P9段", 18), ("9 dan pro", 18), ("Pro 1 dan", 10),
    ("职业九段", 18), ("", None), ("-", None), ("?", None), ("NR", None), ("12d", None), ("0d", None),
    ("d", None), ("strong", None),
])
def test_ranks_on_one_scale(text, number):
    assert math.isnan(rank_number(text)) if number is None else rank_number(text) == number


@pytest.mark.parametrize("sgf, first, handicap", [
    ("(;)", 1, 0), ("(;PL[W])", -1, 0), ("(;PL[White])", -1, 0), ("(;PL[B]HA[2]AB[dd][pp])", 1, 2),
    ("(;HA[2]AB[dd][pp])", -1, 2), ("(;AB[dd][pp];W[qd])", -1, 2), ("(;AB[dd][pp]AW[dp];W[qd])", -1, 0),
    ("(;PL[B];W[qd])", -1, 0), ("(;HA[1];B[qd])", 1, 0), ("(;HA[0];B[qd])", 1, 0), ("(;HA[];B[qd])", 1, 0),
    ("(;HA[2];B[qd];B[dd];W[pp])", 1, 2),
])
def test_who_begins_and_with_what_handicap(sgf, first, handicap):
    record = read(sgf)
    assert (record.first, record.handicap) == (first, handicap)


def test_names_are_one_printable_line():
    record = read(b"(;PB[a\nb\\]\x1b[2J]EV[]GN[The\tcup]PC[" + b"x" * 9999 + b"];PW[told later]B[dd])")
    assert (record.black, record.event, record.white) == ("a b] [2J", "The cup", "told later")
    assert len(record.place) == 200


@pytest.mark.parametrize("record", [
    Record(19, np.array([], np.int16), np.array([], np.int16)),
    Record(9, np.array(coded("Bac Wee Bag", 9), np.int16), np.array(coded("Waa B-- Wbb", 9), np.int16),
           first=-1, komi=0.5, handicap=2, result="W+T", black=r"古力 [x] \ :", white="]", black_rank="P9段",
           white_rank="3k", date="2016-03", event="a: b", place="Köln", rules="Japanese"),
    Record(2, np.array([], np.int16), np.array(coded("Bab", 2), np.int16), komi=-7.0, result="0"),
    Record(13, np.array([0], np.int16), np.array([], np.int16), first=1, handicap=3),
])
def test_a_record_written_is_the_record_read(record):
    again = read(format_record(record))
    for field in Record.__slots__:
        assert np.array_equal(getattr(again, field), getattr(record, field)), field


def test_comments_are_written_with_their_moves():
    sgf = format_record(read("(;SZ[9];B[cc];W[dd])"), {0: "root", 2: r"[a] \ (;"})
    assert "C[root]" in sgf and "AP[MuGo:" in sgf
    assert sgf.index("W[dd]") > sgf.index("B[cc]")
    assert read(sgf).moves.tolist() == coded("Bcc Wdd", 9)
    assert r"C[[a\] \\ (;]" in sgf


MANY = 1_000_000


@pytest.mark.parametrize("sgf", [
    b"(" * 10 * MANY, b"[" * 10 * MANY, b"]" * 10 * MANY, b"(;" * 5 * MANY,
    b"(;" * 5 * MANY + b")" * 5 * MANY, b"(;" + b"[" * 10 * MANY,
    b"(;C" + b"[]" * 5 * MANY + b")", b"(;C[" + b"\\]" * MANY + b"];B[dd])", b"(;C[" + b"\\" * 10 * MANY,
    b"(;B[dd]" * 100_000 + b")" * 100_000, b"(;B[dd]" * 100_000, b"(" * 100_000 + b";B[dd]" + b")" * 100_000,
    b";" * 10 * MANY, b"(" + b";" * 10 * MANY + b")", b"(;" + b"B " * 5 * MANY + b")", b"(;B[dd])" * 50_000,
    b"\n(;GM[1]" * 100_000, b"(" + b" " * 10 * MANY + b";",
    b"\n" * 10 * MANY, b"(;PB[" + b"\xe6?" * MANY + b"])",
    bytes(range(256)) * 40_000, b"(;AB" + b"[aa:ss]" * MANY + b")", b"(;KM[" + b"9" * MANY + b"])",
    b"(;RE[B+" + b"1/" * MANY + b"]BR[" + b"9" * MANY + b"])", b"(;B" + b"\n" * 5 * MANY + b"[dd])",
    b"x" * (MAX_BYTES + 1),
], ids=lambda sgf: repr(sgf[:8])[2:-1])
def test_no_text_hangs_or_crashes(sgf):
    started = time.process_time()
    kinds = {type(record) for record in read_records(sgf)}
    assert kinds and kinds <= {Record, BadRecord}
    assert time.process_time() - started < 30


def test_damaged_games_never_raise():
    sgf = bytearray("(;GM[1]CA[UTF-8]SZ[9]KM[6.5]HA[2]AB[cc][gg]PB[古力]DT[2016-03-09]RE[W+3.5]"
                    ";W[ee]C[a \\] b](;B[ef];W[])(;B[dd]))".encode())
    random = np.random.default_rng(1)
    for _ in range(3000):
        damaged = sgf.copy()
        for place in random.integers(len(sgf), size=random.integers(1, 4)):
            damaged[place] = random.choice(list(b"()[];:\\\nBWA9\xff\x00"))
        for record in read_records(bytes(damaged)):
            assert isinstance(record, (Record, BadRecord))


MANIFEST = list(csv.DictReader(open(TORTURE / "manifest.csv"))) if TORTURE.exists() else []


@pytest.mark.skipif(not MANIFEST, reason="the collection of nasty files is not here")
@pytest.mark.parametrize("row", MANIFEST, ids=lambda row: row["file"])
def test_nasty_real_files_are_read_as_their_manifest_says(row):
    first = next(read_records((TORTURE / row["file"]).read_bytes()))
    if row["expected"] == "reject":
        assert isinstance(first, BadRecord)
    elif row["expected"] == "accept" or isinstance(first, Record) and row["moves"]:
        passes = np.count_nonzero(first.moves % WHITE_BIT == first.size ** 2)
        expected = tuple(int(row[key]) for key in ("size", "moves", "passes"))
        assert (first.size, len(first.moves), passes) == expected


def test_a_game_comes_with_its_whole_tree_in_utf_8():
    text = "(;GM[1]SZ[5:5]CA[GB2312]PB[古力];B[aa]C[hello](;W[bb])(;W[cc]LB[aa:1]))(;SZ[x])".encode("gb2312")
    (record, tree), (bad, none) = read_trees(text)
    assert record.black == "古力" and record.moves.tolist() == [0, 6 + 512]
    assert tree.sequence[0] == {"GM": [b"1"], "SZ": [b"5"], "CA": [b"UTF-8"], "PB": ["古力".encode()]}
    assert [child.sequence[0]["W"] for child in tree.children] == [[b"bb"], [b"cc"]]
    assert isinstance(bad, BadRecord) and none is None


@pytest.mark.parametrize("text", [b"", b"nothing", b"(;SZ[9];B[aa](;W[bb]"])
def test_what_is_no_game_has_no_tree(text):
    assert [(isinstance(record, BadRecord), tree) for record, tree in read_trees(text)] == [(True, None)]
