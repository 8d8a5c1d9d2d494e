"""The page's edits of SGF properties, in node: what is not edited stays; point lists are split."""
import pytest

pytest.importorskip("starlette")
from page_modules import call as edit
from page_modules import needs_node

from mugo.sgf.collection import split_games
from mugo.sgf.nodes import escaped, parse_game

pytestmark = needs_node
D4, D16, A19, B18, C17 = ({"row": row, "col": col} for row, col in [(15, 3), (3, 3), (0, 0), (1, 1), (2, 2)])


def properties_of(text):
    node, = parse_game(f"(;{text})".encode())
    return node.properties


def test_a_mark_is_set_and_removed_and_all_else_stays():
    text = r"B[pd]XX[a\]][\\]C[ two" + "\nlines ]".replace("]", r"\]") + "]BL[30]"
    marked = edit("toggleMark", text, "TR", D4, 19)
    assert marked == text + "TR[dp]"
    assert edit("toggleMark", marked, "TR", D4, 19) == text


def test_marks_of_one_group_exclude_each_other():
    text = "LB[dp:A]TR[dp][dd]TB[dp]"
    assert edit("toggleMark", text, "SQ", D4, 19) == "LB[dp:A]TR[dd]TB[dp]SQ[dp]"
    assert edit("toggleMark", text, "TW", D4, 19) == "LB[dp:A]TR[dp][dd]TW[dp]"
    for ident in "TR", "SQ", "CR", "MA", "SL":
        after = properties_of(edit("toggleMark", "TR[aa]SQ[bb]CR[cc]MA[aa:cc]", ident, A19, 19))
        marks = [each for each in ("TR", "SQ", "CR", "MA", "SL") if each in after and any(
            {"row": 0, "col": 0} in edit("pointsOf", value.decode(), 19) for value in after[each])]
        assert marks == ([] if ident in ("TR", "MA") else [ident])          # a click on a mark of its own removes it


def test_a_compressed_list_survives_and_is_split():
    assert edit("toggleMark", "TR[aa:cc][dd]", "TR", D4, 19) == "TR[aa:cc][dd][dp]"
    assert edit("toggleMark", "TR[aa:cc][dd]", "SQ", D16, 19) == "TR[aa:cc]SQ[dd]"
    assert edit("toggleMark", "TR[aa:cc][dd]", "TR", B18, 19) == "TR[aa:ca][ab][cb][ac:cc][dd]"
    assert edit("toggleMark", "TR[aa:cc]", "TR", A19, 19) == "TR[ba:ca][ab:cc]"
    assert edit("toggleMark", "TR[cc:aa]", "TR", C17, 19) == "TR[aa:cb][ac:bc]"           # corners in another order
    for point in ({"row": row, "col": col} for row in range(4) for col in range(5)):
        values = edit("withoutPoint", ["aa:ed"], point, 9)
        points = [(at["row"], at["col"]) for value in values for at in edit("pointsOf", value, 9)]
        assert sorted([*points, (point["row"], point["col"])]) == [(row, col) for row in range(4) for col in range(5)]


def test_labels_take_the_next_free_letter_and_number():
    text = "LB[aa:A][bb:C][cc:1][dd:x\\:y]"
    assert edit("nextLabel", text, False) == "B" and edit("nextLabel", text, True) == "2"
    assert edit("setLabel", text, D4, "B") == text + "[dp:B]"
    assert edit("setLabel", text, B18, "]:\\ a\nb") == "LB[aa:A][bb:\\]\\:\\\\ a b][cc:1][dd:x\\:y]"
    assert edit("setLabel", text, B18, "") == "LB[aa:A][cc:1][dd:x\\:y]"
    assert edit("labelAt", text, D16) == "x:y" and edit("labelAt", text, D4) == ""
    letters = "".join(f"[{chr(97 + i % 19)}{chr(97 + i // 19)}:{chr(65 + i if i < 26 else 71 + i)}]" for i in range(52))
    assert edit("nextLabel", "LB" + letters, False) == "A1"


@pytest.mark.parametrize("text", ["x)(;FF[4", "( ;\tGM\n[", "\\(;CA[UTF-8", "(;SZ[9]", "(;AP[x:y", "(;;FF[4",
                                  "日本(;FF[4"])
def test_a_text_that_ends_like_the_beginning_of_a_game_is_escaped(text):
    value = edit("escaped", text)
    assert value.encode() == escaped(text) and edit("unescaped", value) == text.replace("\t", " ")
    label, = properties_of(edit("setLabel", "", D4, text))["LB"]
    games = [*split_games(b"(;SZ[9]N[" + value.encode() + b"];B[aa]LB[" + label + b"])")]
    assert len(games) == 1 and parse_game(games[0].whole)[0].text("N") == text.replace("\t", " ")


def test_lines_and_arrows():
    assert edit("toggleLine", "B[aa]", "AR", D4, D16) == "B[aa]AR[dp:dd]"
    assert edit("toggleLine", "AR[dp:dd][aa:bb]", "AR", D4, D16) == "AR[aa:bb]"
    assert edit("toggleLine", "AR[dp:dd]", "AR", D16, D4) == "AR[dd:dp]"                  # turned round
    assert edit("toggleLine", "LN[dp:dd]", "LN", D16, D4) == ""
    assert edit("toggleLine", "LN[dp:dd]", "AR", D4, D16) == "AR[dp:dd]"


def test_dimmed_points_are_inherited_until_they_are_changed():
    assert edit("toggleDimmed", "B[aa]", D4, 19, ["dd"]) == "B[aa]DD[dd][dp]"
    assert edit("toggleDimmed", "B[aa]", D16, 19, ["dd"]) == "B[aa]DD[]"
    assert edit("toggleDimmed", "B[aa]DD[]", D16, 19, ["dd"]) == "B[aa]"
    assert edit("toggleDimmed", "DD[aa:bb]", A19, 19, []) == "DD[ba][ab:bb]"


def test_setup_stones_replace_each_other():
    assert edit("setStone", "C[x]", D4, "X", ".", 19) == "C[x]AB[dp]"
    assert edit("setStone", "AB[dp][aa:cc]", D4, "O", ".", 19) == "AB[aa:cc]AW[dp]"
    assert edit("setStone", "AB[aa:cc]", B18, ".", ".", 19) == "AB[aa:ca][ab][cb][ac:cc]"
    assert edit("setStone", "", D4, ".", "O", 19) == "AE[dp]"
    assert edit("setStone", "AE[dp]", D4, "O", "O", 19) == ""


def test_annotations():
    found = [edit("annotation", text, kind)
             for text, kind in [("GB[2]", 0), ("DO[]", 1), ("BM[1]", 1), ("DM[]", 0), ("", 0)]]
    assert found == ["GB2", "DO", "BM1", "DM1", ""]
    assert edit("setAnnotation", "B[aa]BM[2]", 1, "IT") == "B[aa]IT[]"
    assert edit("setAnnotation", "GW[1]B[aa]", 0, "") == "B[aa]"
