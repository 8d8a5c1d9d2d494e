"""SGF as real archives have it: each irregularity in a game of its own, small enough to read."""
import contextlib
import csv
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
from damage import damaged
from other_records import GIB, NGF, REVIEW, UGF
from sgf_games import encoded, read

from mugo.games.coords import WHITE_BIT
from mugo.sgf.convert import format_record
from mugo.sgf.nodes import format_nodes, parse_game
from mugo.sgf.record_positions import position_of
from mugo.sgf.parser import MAX_BYTES, SUFFIXES, GameTree, read_records, read_trees
from mugo.sgf.record import BadRecord, Record

TORTURE = Path(__file__).parents[3] / "shared" / "sgf_torture"


@pytest.mark.parametrize("sgf, setup, moves", [
    ("(;SZ[9];B[cc];W[dd])", "", "Bcc Wdd"),
    ("(;SZ[9];W[cc];B[dd])", "", "Wcc Bdd"),                                    # White plays first
    ("(;SZ[9];B[cc];B[dd];W[])", "", "Bcc Bdd W--"),                            # Black twice
    ("(;SZ[9];B[tt];W[])", "", "B-- W--"),                                      # both kinds of pass
    ("(;SZ[9];B[jj];W[jj])", "", "B-- W--"),                                    # Lizzie's
    ("( ;\nSZ [9] ;\tB\n[cc] ; W[ dd ])", "", "Bcc Wdd"),                       # white space everywhere
    ("(;SZ[9];B[cc];;C[nothing here];W[dd];)", "", "Bcc Wdd"),                  # empty nodes
    ("(;SZ[9]AB[ac][ag]AW[ee];W[cc])", "Bac Bag Wee", "Wcc"),
    ("(;SZ[9]AB[aa:bc];W[cc])", "Baa Bba Bab Bbb Bac Bbc", "Wcc"),              # a compressed rectangle
    ("(;SZ[9]AB[bc:aa];W[cc])", "Baa Bba Bab Bbb Bac Bbc", "Wcc"),              # from its lower right corner
    ("(;SZ[9]HA[2];AB[ac][ag];W[cc])", "Bac Bag", "Wcc"),                       # stones after the root
    ("(;SZ[9]HA[2]AB[ac]AB[ag];W[cc])", "Bac Bag", "Wcc"),                      # the same property twice
    ("(;SZ[9]AB[ac][ag];AE[ag];AW[ac];B[cc])", "Wac", "Bcc"),                   # stones removed and replaced
    ("(;SZ[9]AB[]AW[];B[cc])", "", "Bcc"),
    ("(;SZ[9]HA[2];B[ac];B[ag];W[cc])", "", "Bac Bag Wcc"),                     # handicap stones as moves
    ("(;SZ[9](;B[aa](;W[bb])(;W[cc]))(;B[dd]))", "", "Baa Wbb"),                # the first variation
    ("(;SZ[9];B[aa](;W[bb];B[ee](;W[hh];B[ii])(;W[gg]))(;W[cc](;B[dd])))", "", "Baa Wbb Bee Whh Bii"),
    ("(;FileFormat[3]SiZe[9];Black[cc];White[dd]Comment[long names])", "", "Bcc Wdd"),
    (r"(;SZ[9]C[a \] and \\];B[cc]C[(;W[bb\])];W[dd]C[:-)])", "", "Bcc Wdd"),   # brackets in comments
    ("(;SZ[9]US[Me[3d]];B[cc];W[dd]C[a\\\\]\n])", "", "Bcc Wdd"),                 # brackets that close nothing
    ("\n(\nSZ[9]KO[7.5];B[cc];W[dd])", "", "Bcc Wdd"),                          # Sina: no ';' before the root
    ("some junk (;SZ[9];B[cc]) more ( junk [", "", "Bcc"),
    ("\ufeff(;SZ[9];B[cc])", "", "Bcc"),
    (";SZ[9];B[cc] (;W[dd];B[ee]) (;W[ff]))", "", "Bcc Wdd Bee"),               # Fox server: no '('
    ("(;SZ[9])", "", ""),
])
def test_setup_and_moves_of_a_game(sgf, setup, moves):
    record = read(sgf)
    assert record.size == 9
    assert record.setup.dtype == record.moves.dtype == np.int16
    assert record.setup.tolist() == sorted(encoded(setup, 9), key=lambda move: move % WHITE_BIT)
    assert record.moves.tolist() == encoded(moves, 9)


def test_an_empty_game_or_size_is_sgfs_default():
    assert read("(;GM[]SZ[];B[pd])").shape == (19, 19)


@pytest.mark.parametrize("size, last", [("18", "ss"), ("13:9", "nj"), ("9:13", "jn")])
def test_the_point_beyond_the_last_one_is_a_pass(size, last):
    record = read(f"(;SZ[{size}];B[aa];W[{last}])")
    assert record.moves.tolist() == [0, record.shape[0] * record.shape[1] + WHITE_BIT]


def test_of_a_property_that_is_given_twice_the_first_that_says_something_counts():
    record = read("(;SZ[9]PB[first]KM[6.5];C[x]PB[second]KM[0.5];B[cc])")
    assert (record.black, record.komi) == ("first", 6.5)
    record = read("(;SZ[9]RE[?]RE[]KM[]PB[-];C[x]KM[0.5]PB[second];B[cc];W[dd]RE[B+R]RE[W+R])")
    assert (record.black, record.komi, record.result) == ("second", 0.5, "B+R")


def test_several_moves_in_a_node_are_no_game_to_learn_from_and_a_node_each_for_a_reader():
    text = b"(;SZ[9];B[aa]W[bb]C[both](;B[cc][dd])(;W[ee]))"
    bad, = read_records(text)
    assert (bad.reason, str(bad)) == ("several moves in a node", "after move 0: a node with 2 moves")
    tree, = read_trees(text, setup_anywhere=True)
    assert tree.record.moves.tolist() == encoded("Baa Wbb Bcc Bdd", 9)
    assert tree.nodes == [(-1, {"SZ": [b"9"]}), (0, {"B": [b"aa"], "C": [b"both"]}), (1, {"W": [b"bb"]}),
                          (2, {"B": [b"cc"]}), (3, {"B": [b"dd"]}), (2, {"W": [b"ee"]})]


def test_the_root_of_a_chinese_site_has_komi_event_and_date_of_its_own():
    record = read("(\nTE[2018杯]RD[2018-04-24]KO[7.5]RE[黑胜2又3/4子]PB[甲]BR[九段];B[pd];W[dp])")
    assert (record.komi, record.event, record.date, record.result, record.black) == (
        7.5, "2018杯", "2018-04-24", "B+5.5", "甲")
    assert read("(;KM[6.5]KO[]TE[1];B[pd])").event == ""                        # SGF's own


@pytest.mark.parametrize("sgf, reason, line", [
    ("", "not SGF", "no game found"),
    ("Rated game\n19\nPMABWQRRQ\n", "malformed NGF", "no move after a header of 12 lines"),
    ("()", "not SGF", "no game found"),
    ("(;SZ[9];B[cc]", "malformed SGF", "never closed"),
    ("(;SZ[9];B[cc];W[d", "malformed SGF", "never closed"),
    ("(;SZ[9];B;W[cc])", "malformed SGF", "property with no values"),
    ("(;SZ[9];[cc])", "malformed SGF", "unexpected value"),
    ("(;SZ[9];B[cc](;W[dd])(;W[ee]);B[ff])", "malformed SGF", "nodes follow a variation"),
    ("(;GM[2];B[cc])", "not Go", "GM[2]"),
    ("(;SZ[1])", "unsupported board size", "SZ[1]; boards of 2 to 19 columns and rows"),
    ("(;SZ[37])", "unsupported board size", "SZ[37]"),
    ("(;SZ[17:1])", "unsupported board size", "SZ[17:1]"),
    ("(;SZ[-9])", "unsupported board size", "SZ[-9]"),
    ("(;SZ[big])", "unsupported board size", "SZ[big]"),
    ("(;SZ[9];B[cc];W[ji])", "move outside the board", "move 2: 'ji' is not a point on 9x9 (aa-ii)"),
    ("(;SZ[9];B[cc]!)", "malformed SGF", "unexpected '!'"),
    ("(;B[Q16])", "move outside the board", "move 1: 'Q16' is not a point on 19x19 (aa-ss)"),
    ("(;SZ[9]AB[pd])", "setup outside the board", "setup AB: 'pd' is not a point on 9x9"),
    ("(;SZ[9]AB[aa:])", "setup outside the board", "a pass is not a point"),
    ("(;SZ[9];B[cc];AW[dd];B[ee])", "setup after the first move", "after move 1: AW"),
    ("(;HA[3];W[cc];B[dd])", "handicap stones missing", "HA[3], but Black has no stones when White"),
    ("(;HA[2];B[cc];B[tt];W[dd])", "handicap stones missing", "HA[2], but Black has 1 stone when White"),
    ("(;HA[2];B[cc];W[dd])", "handicap stones missing", "HA[2], but Black has 1 stone when White"),
])
def test_an_unusable_game_has_a_reason_and_details(sgf, reason, line):
    with pytest.raises(BadRecord) as bad:
        read(sgf)
    assert bad.value.reason == reason
    assert line in str(bad.value) and "\n" not in str(bad.value)


@pytest.mark.parametrize("line", [
    ";B[pd];W[dd];B[];W[tt]", ";B[pd]BL[59.1]OB[3]\n;W[dd]C[a ;B[aa\\] b]WL[1]OW[2] ;B[qq]",       # many at once
    ";B[pd]LB[dd:A];W[dd]", ";B[pd](;W[dd])(;W[ee])", ";C[no move];B[pd]", ";B[ pd ];W[d\nd]", ";B[pd]W[dd]",
    ";B[pd][dd]", ";B[pd]XC[x];W[dd]", ";Black[pd]White[dd]", ";B[pd];W[zz]", ";B[pd];W[pdd]", ";B[pd];AW[dd]KM[6.5]",
    ";B[pd];W[]]", "", ";"])
def test_moves_that_are_read_many_at_once_are_the_same(line, monkeypatch):
    data = f"(;SZ[19]KM[5.5]AB[dp][pp]C[a;b]{line})".encode()
    at_once = [_shown(record) for record in read_records(data)]
    monkeypatch.setattr("mugo.sgf.parser._plain_moves", lambda text: None)
    assert at_once == [_shown(record) for record in read_records(data)]


def _shown(record):
    """What compares equal for equal records."""
    return (record.reason, str(record)) if isinstance(record, BadRecord) else repr(record)


def test_a_bad_record_can_be_pickled():
    bad = pickle.loads(pickle.dumps(BadRecord("not Go", "GM[2]")))
    assert (bad.reason, str(bad)) == ("not Go", "GM[2]")


def test_a_malformed_game_does_not_affect_the_others_of_its_collection():
    games = list(read_records(b"""
        (;GM[1]SZ[9];B[aa])
        (;GM[1]SZ[99];B[bb])
        (;GM[1]SZ[9];B[cc](;W[dd];B[ee]
        (;GM[1]SZ[9];B[ff]C[no end
        (;GM[1]SZ[9];B[gg])(;GM[1]SZ[9];B[hh])
    """))
    assert [game.reason if isinstance(game, BadRecord) else game.moves.tolist() for game in games] == [
        encoded("Baa", 9), "unsupported board size", "malformed SGF", "malformed SGF",
        encoded("Bgg", 9), encoded("Bhh", 9)]


def test_a_variation_outside_a_game_is_not_a_game():
    first, fragment = read_records(b"(;SZ[9];B[aa](;W[bb]));B[cc](;W[dd])(;W[ee]))")
    assert first.moves.tolist() == encoded("Baa Wbb", 9)
    assert fragment.reason == "malformed SGF"


@pytest.mark.parametrize("sgf, first_player, handicap", [
    ("(;)", 1, 0), ("(;PL[W])", -1, 0), ("(;PL[White])", -1, 0), ("(;PL[B]HA[2]AB[dd][pp])", 1, 2),
    ("(;HA[2]AB[dd][pp])", -1, 2), ("(;AB[dd][pp];W[qd])", -1, 2), ("(;AB[dd][pp]AW[dp];W[qd])", -1, 0),
    ("(;PL[B];W[qd])", -1, 0), ("(;HA[1];B[qd])", 1, 0), ("(;HA[0];B[qd])", 1, 0), ("(;HA[];B[qd])", 1, 0),
    ("(;HA[2];B[qd];B[dd];W[pp])", 1, 2),
])
def test_first_player_and_handicap(sgf, first_player, handicap):
    record = read(sgf)
    assert (record.first_player, record.handicap) == (first_player, handicap)


def test_names_become_one_printable_line():
    record = read(b"(;PB[a\nb\\]\x1b[2J]EV[]GN[The\tcup]PC[" + b"x" * 9999 + b"];PW[second node]B[dd])")
    assert (record.black, record.event, record.white) == ("a b] [2J", "The cup", "second node")
    assert len(record.place) == 200


MANY = 25_000


@pytest.mark.parametrize("sgf", [
    b"(" * 10 * MANY, b"[" * 10 * MANY, b"]" * 10 * MANY, b"(;" * 5 * MANY,
    b"(;" * 5 * MANY + b")" * 5 * MANY, b"(;" + b"[" * 10 * MANY,
    b"(;C" + b"[]" * 5 * MANY + b")", b"(;C[" + b"\\]" * MANY + b"];B[dd])", b"(;C[" + b"\\" * 10 * MANY,
    b"(;B[dd]" * 25_000 + b")" * 25_000, b"(;B[dd]" * 25_000, b"(" * 25_000 + b";B[dd]" + b")" * 25_000,
    b";" * 10 * MANY, b"(" + b";" * 10 * MANY + b")", b"(;" + b"B " * 5 * MANY + b")", b"(;B[dd])" * 12_500,
    b"\n(;GM[1]" * 25_000, b"(" + b" " * 10 * MANY + b";",
    b"\n" * 10 * MANY, b"(;PB[" + b"\xe6?" * MANY + b"])",
    bytes(range(256)) * 10_000, b"(;AB" + b"[aa:ss]" * MANY + b")", b"(;KM[" + b"9" * MANY + b"])",
    b"(;RE[B+" + b"1/" * MANY + b"]BR[" + b"9" * MANY + b"])", b"(;B" + b"\n" * 5 * MANY + b"[dd])",
    b"x" * (MAX_BYTES + 1),
], ids=lambda sgf: repr(sgf[:8])[2:-1])
def test_huge_texts_are_read_in_linear_time(sgf):
    started = time.process_time()
    kinds = {type(record) for record in read_records(sgf)}
    assert kinds and kinds <= {Record, BadRecord}
    assert time.process_time() - started < 4


def test_a_file_that_is_too_large_is_not_parsed(monkeypatch):
    text = b"(;SZ[9];B[cc])"
    monkeypatch.setattr("mugo.sgf.parser.MAX_BYTES", len(text))
    assert isinstance(next(read_records(text)), Record)
    bad, = read_records(text + b" ")
    assert isinstance(bad, BadRecord) and (bad.reason, str(bad)) == ("too large", "15 bytes of SGF; the limit is 14")


SGF = ("(;GM[1]CA[UTF-8]SZ[9]KM[6.5]HA[2]AB[cc][gg]PB[古力]DT[2016-03-09]RE[W+3.5];W[ee]C[a \\] b](;B[ef];W[])"
       "(;B[dd]))").encode()


@pytest.mark.parametrize("whole, count", [(SGF, 3000), (b"(;FF[1]AddBlack[aa]);", 100), *(
    (text.encode(), 400) for text in (GIB, NGF, UGF, UGF + REVIEW))])
def test_what_is_read_of_a_damaged_file_is_written_and_read_again_as_the_same(whole, count):
    found_by_fuzzing = b")", b");GM[\xff(;B[t\xff", b"(;GM[1]PB[a)\0(;SZ[];B[aa])"
    for data in (whole, *found_by_fuzzing, *(data for _, data in damaged(whole, count))):
        for record in read_records(data):
            if not isinstance(record, BadRecord):
                again, = read_records(format_record(record).encode())
                assert isinstance(again, Record) and (again.size, again.komi) == (record.size, record.komi)
                assert again.moves.tolist() == record.moves.tolist()
        assert all(isinstance(tree, GameTree | BadRecord) for tree in read_trees(data))
        with contextlib.suppress(ValueError):
            nodes = parse_game(data, 1000)
            assert parse_game(format_nodes(nodes)) == nodes


MANIFEST = list(csv.DictReader(open(TORTURE / "manifest.csv"))) if TORTURE.exists() else []


@pytest.mark.skipif(not MANIFEST, reason="the collection of nasty files is not here")
@pytest.mark.parametrize("row", MANIFEST, ids=lambda row: row["file"])
def test_nasty_real_files_match_their_manifest(row):
    first = next(read_records((TORTURE / row["file"]).read_bytes()))
    # Other formats and rectangles were refused when the manifest was written.
    if row["file"].endswith(SUFFIXES):
        assert position_of(first).plies == len(first.moves) > 100
    elif isinstance(first, Record) and first.shape[0] != first.shape[1]:
        assert position_of(first).plies == len(first.moves) > 0
    elif row["expected"] == "reject":
        assert isinstance(first, BadRecord)
    elif row["file"] == "tfgo_ladder_capture.sgf":   # of three moves in its node one was counted
        assert isinstance(first, BadRecord) and first.reason == "several moves in a node"
    elif row["expected"] == "accept" or isinstance(first, Record) and row["moves"]:
        passes = np.count_nonzero(first.moves % WHITE_BIT == first.size ** 2)
        expected = tuple(int(row[key]) for key in ("size", "moves", "passes"))
        assert (first.size, len(first.moves), passes) == expected


def test_read_trees_gives_the_whole_tree_in_utf_8():
    text = "(;GM[1]SZ[5:5]CA[GB2312]PB[古力];B[aa]C[hello](;W[bb])(;W[cc]LB[aa:1]))(;SZ[x])".encode("gb2312")
    tree, bad = read_trees(text)
    assert tree.record.black == "古力" and tree.record.moves.tolist() == [0, 6 + 512] and tree.is_whole
    assert tree.nodes == [
        (-1, {"GM": [b"1"], "SZ": [b"5:5"], "CA": [b"GB2312"], "PB": ["古力".encode()]}),
        (0, {"B": [b"aa"], "C": [b"hello"]}), (1, {"W": [b"bb"]}), (1, {"W": [b"cc"], "LB": [b"aa:1"]})]
    assert isinstance(bad, BadRecord)


def test_of_a_game_with_a_malformed_variation_the_main_line_is_read_and_of_the_others_all():
    damaged, whole = read_trees(b"(;SZ[9];B[aa](;W[bb];B[cc])(;W B[dd]))(;SZ[9];B[aa](;W[bb])(;W[cc]))")
    assert not damaged.is_whole and [node.parent for node in damaged.nodes] == [-1, 0, 1, 2]
    assert whole.is_whole and [node.parent for node in whole.nodes] == [-1, 0, 1, 1]


def test_setup_stones_after_the_first_move_are_read_where_that_is_asked_for():
    text = b"(;SZ[9]AB[aa];AE[aa]AB[bb];W[cc];AW[dd];B[ee])"
    assert [record.reason for record in read_records(text)] == ["setup after the first move"]
    record, = read_records(text, setup_anywhere=True)
    assert record.has_later_setup
    assert record.setup.tolist() == encoded("Bbb", 9) and record.moves.tolist() == encoded("Wcc Bee", 9)
    assert not read(b"(;SZ[9]AB[aa];W[cc])").has_later_setup
