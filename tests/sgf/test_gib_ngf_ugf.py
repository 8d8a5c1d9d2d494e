"""Records in GIB, NGF and UGF: the games in them, by hand; and that damaged ones are refused."""
import time

import pytest
from other_records import GIB, NGF, REVIEW, UGF

from mugo.core.files import BadInput
from mugo.games.coords import point_of_index
from mugo.sgf.convert import load_position
from mugo.sgf.nodes import main_line
from mugo.sgf.parser import read_records, read_trees
from mugo.sgf.record import BadRecord
from mugo.sgf.sources import find_sources, read_files


def only_tree(data):
    (tree,) = read_trees(data if isinstance(data, bytes) else data.encode())
    assert not isinstance(tree, BadRecord), (tree.reason, str(tree))
    return tree


def moves_of(record):
    """[('B', column, row), ...] from the upper left, from 0; ('B',) for a pass."""
    found = []
    for encoded in record.moves.tolist():
        index = encoded & 511
        colour = "W" if encoded & 512 else "B"
        found.append((colour,) if index == record.size ** 2 else (colour, index % record.size, index // record.size))
    return found


# ---- GIB

def test_gib():
    for data in GIB.encode(), GIB.encode("cp949"), b"\xef\xbb\xbf" + GIB.replace("\n", "\r\n").encode():
        tree = only_tree(data)
        record = tree.record
        assert moves_of(record) == [("B", 16, 2), ("W", 3, 15), ("B",), ("W", 0, 18)]
        assert (record.black, record.black_rank, record.white, record.white_rank) == ("흑", "7d", "white name", "1k")
        assert (record.komi, record.result, record.date, record.event) == (6.5, "W+3.5", "2015-08-29", "ranking game")
        assert record.place == "Tygem Baduk"
        assert tree.nodes[0].text("TM") == "1200" and tree.nodes[0].text("OT") == "3x30 byo-yomi"


def test_a_chinese_gib():
    text = GIB.replace("Korea", "China").replace("흑", "石下之臣").replace(" (", "(").replace("7D", "2段")
    record = only_tree(text.encode("gb18030")).record
    assert (record.black, record.black_rank) == ("石下之臣", "2段")


@pytest.mark.parametrize("code, margin, result", [
    ("0", "75", "B+7.5"), ("1", "5", "W+0.5"), ("1", "0", "W+"), ("3", "0", "B+R"), ("4", "0", "W+R"),
    ("7", "0", "B+T"), ("8", "0", "W+T"), ("255", "0", "")])
def test_results_of_gib(code, margin, result):
    text = GIB.replace("GRLT:1,ZIPSU:35", f"GRLT:{code},ZIPSU:{margin}")
    assert only_tree(text).record.result == result


def test_handicap_stones_of_gib_stand_on_the_fixed_points():
    text = GIB.replace("INI 0 1 0", "INI 0 1 3").replace("STO 0 2 1 16 2\n", "")
    record = only_tree(text).record
    assert record.handicap == 3
    assert [(stone % 19, stone // 19) for stone in record.setup.tolist()] == [(3, 3), (15, 3), (3, 15)]


# ---- NGF

def test_ngf():
    record = only_tree(NGF).record
    assert moves_of(record) == [("B", 16, 3), ("W", 3, 3), ("B", 18, 18)]
    assert (record.white, record.white_rank, record.black, record.black_rank) == ("white one", "7d*", "CYY", "9p")
    assert (record.komi, record.result, record.date, record.event) == (6.5, "B+0.5", "2017-03-16", "Rated game")
    assert record.place == "www.cyberoro.com"


@pytest.mark.parametrize("text, result", [
    ("White wins by  resign!", "W+R"), ("White loses on time", "B+T"),
    ("Black wins by 16.5 points! >> White(66):Black(89)", "B+16.5"), ("Progressing!", ""), ("", "")])
def test_results_of_ngf(text, result):
    assert only_tree(NGF.replace("Black wins by 0.5!", text)).record.result == result


def test_handicap_games_of_ngf():
    text = NGF.replace("com\n0\n0\n6", "com\n2\n0\n0").replace("PMABBREER\n", "")
    record = only_tree(text).record
    assert record.handicap == 2 and record.komi == 0 and len(record.setup) == 2
    assert moves_of(record)[0] == ("W", 3, 3)


def test_the_other_order_of_ngf():
    text = "\n".join(["GI韩国十段战", "GI朴 初段", "GI李 五段", "GI", "GI", "GI2006-9-5", "GI19", "GI0", "GI0", "GI6",
                      "GI2", "PMABBREER", "PMACWEEEE", "GI1", "IDB[2] 黑中盘胜[EndTxt]", ""])
    for encoding in "utf-8", "gb18030":
        tree = only_tree(text.encode(encoding))
        assert tree.record.event == "韩国十段战: 朴 初段 - 李 五段" and tree.record.date == "2006-09-05"
        assert tree.nodes[2].text("C") == "黑中盘胜"


def test_korean_text_of_ngf():
    assert only_tree(NGF.replace("CYY", "이세돌").encode("cp949")).record.black == "이세돌"


# ---- UGF

def test_ugf():
    for data in UGF.encode("cp932"), UGF.encode():
        tree = only_tree(data)
        record = tree.record
        assert moves_of(record) == [("B", 16, 3), ("W", 3, 3), ("B",)]
        assert (record.black, record.black_rank, record.white, record.white_rank) == ("本因坊", "7d", "yin", "8d")
        assert (record.komi, record.result, record.date, record.rules) == (6.5, "W+R", "2019-03-08", "Japanese")
        assert tree.nodes[2].text("C") == "A good move.\n(really]"
        assert tree.nodes[0].text("TM") == "14400" and b"example.com" not in b"".join(
            value for values in tree.nodes[0].properties.values() for value in values)


def test_rows_of_ugf_from_above():
    assert moves_of(only_tree(UGF.replace("CoordinateType=IGS\n", "")).record)[0] == ("B", 16, 15)


def test_handicap_stones_of_ugf():
    text = UGF.replace("Hdcp=0,6.50", "Hdcp=2,0.50").replace("QP,B1,1,0", "DD,B0,0,0\nPP,B0,0,0")
    record = only_tree(text).record
    assert record.handicap == 2 and record.komi == 0.5 and len(record.setup) == 2
    assert moves_of(record)[0] == ("W", 3, 3)


def test_a_review_of_ugf_keeps_its_variations_and_comments():
    tree = only_tree(UGF.split("[Figure]")[0] + REVIEW)
    assert moves_of(tree.record) == [("B", 16, 3), ("W", 3, 3), ("B",)]          # the game, not its variations
    lines = [main_line(tree.nodes)]
    assert [sorted(tree.nodes[index].properties) for index in lines[0][1:]] == [["B"], ["W"], ["B", "C"], []]
    by_value = {node.properties[colour][0]: (index, node.parent) for index, node in enumerate(tree.nodes)
                for colour in "BW" if colour in node.properties}
    first = by_value[b"qd"][0]
    assert by_value[b"cq"][1] == by_value[b"gm"][1] == by_value[b"dd"][1] == first
    assert by_value[b"fn"][1] == by_value[b"eo"][1] == by_value[b"dp"][0]
    assert tree.nodes[0].text("C") == "hello\n there" and tree.nodes[by_value[b"fn"][0]].text("C") == "a slack move"
    assert tree.nodes[lines[0][3]].text("C") == "the end"
    assert by_value[b"hl"][1] == lines[0][3]


# ---- in folders, as positions; damaged

def test_folders_and_loading(tmp_path):
    for name, text in ("a.gib", GIB), ("b.NGF", NGF), ("c.ugi", UGF), ("d.ugf", UGF):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (source,) = find_sources([tmp_path])
    assert [file.name for file in read_files(source)] == ["a.gib", "b.NGF", "c.ugi", "d.ugf"]
    position = load_position(tmp_path / "b.NGF")
    assert position.plies == 3 and position.last == point_of_index(360, 19)


@pytest.mark.parametrize("text, reason, details", [
    (GIB.replace("STO 0 2 1 16 2", "STO 0 2 1 19 2"), "move outside the board", "column 20, row 3"),
    (GIB.replace("STO 0 2 1 16 2", "STO 0 2 3 16 2"), "malformed GIB", "colour 1 or 2"),
    (GIB.replace("STO 0 2 1 16 2", "STO 0 2"), "malformed GIB", "expected flag, number, colour"),
    (GIB.replace("INI 0 1 0", "INI 0 1 10"), "malformed GIB", "0 to 9"),
    (NGF.replace("\n19\n", "\n99\n"), "malformed NGF", "expected the board size, at most 19"),
    (NGF.replace("PMABBREER", "PMABBZZZZ"), "move outside the board", "column 25"),
    (NGF.replace("PMACWEEEE", "PMAC?EEEE"), "malformed NGF", "B or W"),
    (NGF.replace("com\n0\n", "com\n12\n"), "malformed NGF", "expected the handicap, at most 9"),
    (UGF.replace("Size=19", "Size=99"), "unsupported board size", "99"),
    (UGF.replace("Size=19", ""), "malformed UGF", "expected the board size"),
    (UGF.replace("DP,W1", "DP,X1"), "malformed UGF", "move 2"),
    (UGF.replace("Hdcp=0", "Hdcp=x"), "malformed UGF", "Hdcp=x"),
    (UGF + "[ReviewNode]\nNODE,x\n", "malformed UGF", "NODE,x"),
])
def test_damaged_records_are_refused(text, reason, details):
    (bad,) = read_records(text.encode())
    assert isinstance(bad, BadRecord) and bad.reason == reason and details in str(bad)


def test_an_empty_file_is_none_of_them(tmp_path):
    (tmp_path / "a.gib").write_bytes(b"")
    with pytest.raises(BadInput, match="no game found"):
        load_position(tmp_path / "a.gib")


# ---- what a review of these readers found

def test_passes_and_comments_of_ngf():
    text = NGF.replace("PMADBTTTT", "PMADBAAAA\nPMAEWAAAA") + \
        "IDB[2]PMZZBCC is no move[EndTxt]\nIDB[2]again[EndTxt]\nIDB[99]PM me\nlater[EndTxt]\n"
    tree = only_tree(text)
    assert moves_of(tree.record) == [("B", 16, 3), ("W", 3, 3), ("B",), ("W",)]
    assert tree.nodes[2].text("C") == "PMZZBCC is no move\nagain" and tree.nodes[4].text("C") == "PM me\nlater"


def test_a_name_may_look_like_the_beginning_of_a_move():
    assert only_tree(NGF.replace("CYY         9DP", "PMABBQRRQ   5D")).record.black == "PMABBQRRQ"


def test_a_review_without_moves_and_comments_with_dots_and_brackets():
    text = UGF.replace("A good move.", "...a good move\n[Ok]\n.Fig") + "[ReviewNode]\n[ReviewComment]\n"
    tree = only_tree(text)
    assert len(tree.record.moves) == 3 and tree.nodes[2].text("C") == "...a good move\n[Ok]\n.Fig\n(really]"
    tree = only_tree(UGF + REVIEW)
    assert tree.nodes[main_line(tree.nodes)[2]].text("C") == "A good move.\n(really]"


@pytest.mark.parametrize("text", [
    UGF.replace("Winner=W,C", "Winner=B,\x1f7.50"), UGF.replace("Winner=W,C", "Winner=B,٧.5"),
    UGF + "[ReviewNode]\nNODE,1,0,0,0\nNODE,2,1,17,16\nVARIATIONEND\nNODE,3,2,4,4\n"])
def test_odd_files_raise_nothing(text):
    (game,) = read_records(text.encode())
    assert isinstance(game, BadRecord) or game.result in ("", "B+", "B+7.5")


@pytest.mark.parametrize("text", [
    NGF + "IDB[1]x\n" * 30_000, UGF.split("[Figure]")[0] + "[Figure]\n" + ".Text,1\na\n.EndText\n" * 15_000,
    NGF.replace("CYY ", "CYY" + " " * 3_000), GIB.replace("흑 (", "x" + " ( " * 100_000),
    NGF + "PMABBREER\n" * 90_000,
    UGF + "[ReviewNode]\n" + "".join(f"NODE,{n},{1 + n % 2},3,3\nVARIATION,\n" for n in range(1, 30_000))])
def test_long_files_take_linear_time(text):
    started = time.process_time()
    list(read_trees(text.encode()))
    assert time.process_time() - started < 10
