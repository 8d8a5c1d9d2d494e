"""Open and save: every property of every node stays, in the page, the terminal and `analyze`.

Trees with any property of FF[4] and unknown ones, and real files.  What is saved is compared property by property; only
CA differs, because files are written in UTF-8.
"""
import csv
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st
from page_modules import format_game, needs_node

from mugo.core.files import BadInput
from mugo.games.go import GoPosition
from mugo.reviews.annotated_sgf import annotated_sgf
from mugo.reviews.move_review import Review
from mugo.sgf.convert import load_game
from mugo.sgf.nodes import Node, format_nodes, one_move_each, parse_game
from mugo.sgf.parser import GameTree, read_trees
from mugo.sgf.record import BadRecord
from mugo.sgf.tree import list_games, read_game

SIZE = 5
POINTS = [col + row for col in "abcde" for row in "abcde"]
# https://www.red-bean.com/sgf/proplist.html: root properties, game-info properties, and the others
INFO = "AN BR BT CP DT EV GN GC HA KM ON OT PB PC PW RE RO RU SO TM US WR WT".split()
TEXTS = "C N KO MN BM DO IT TE DM GB GW HO UC V BL OB OW WL FG PM VW ST XX MUGO LOWERCASE".split()
POINT_LISTS = "AB AW AE CR MA SL SQ TR DD TB TW".split()
COMPOSED = "LB AR LN".split()

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def raw(text: str) -> bytes:
    return text.replace("\\", "\\\\").replace("]", "\\]").encode()


values = st.one_of(texts.map(raw), st.sampled_from([b"", b"1", b"W+R", b"6.5", b"2016-03-09", b"soft \\\nline",
                                                    b"a\\:b", b"Black wins 51.0 % (7 visits)\nx", b"  white  space\t"]))
points = st.sampled_from(POINTS).map(str.encode)
point_values = st.one_of(points, st.tuples(points, points).map(b":".join))
pair_values = st.tuples(points, st.one_of(points, texts.map(raw))).map(b":".join)


def properties_of(*strategies):
    return st.lists(st.one_of(*strategies), max_size=5).map(dict)


def property_of(names, value, most=3):
    return st.tuples(st.sampled_from(names), st.lists(value, min_size=1, max_size=most))


any_node = properties_of(
    property_of(TEXTS, values), property_of(POINT_LISTS, point_values), property_of(COMPOSED, pair_values),
    property_of(["B", "W"], st.one_of(points, st.just(b"")), 1), property_of(["PL"], st.sampled_from([b"B", b"W"]), 1),
    property_of(INFO, values, 1))
roots = properties_of(property_of([*INFO, *TEXTS], values, 2), property_of(POINT_LISTS, point_values),
                      property_of(COMPOSED, pair_values), property_of(["AP", "ST"], st.just(b"other:1"), 1))


@st.composite
def trees(draw) -> list[Node]:
    """A tree in the order of a file: the parent of a node is on the path to the node before it."""
    nodes = [Node(-1, {"FF": [b"4"], "GM": [b"1"], "SZ": [str(SIZE).encode()], **draw(roots)})]
    nodes[0].properties.pop("HA", None)                  # HA[2] without stones is refused
    for properties in draw(st.lists(any_node, max_size=12)):
        path = [len(nodes) - 1]
        while path[-1] > 0:
            path.append(nodes[path[-1]].parent)
        nodes.append(Node(draw(st.sampled_from(path)), {ident: value for ident, value in properties.items()
                                                       if ident != "HA"}))
    return nodes


def in_utf_8(nodes: list[Node]) -> list[Node]:
    """The nodes as they are saved: with CA[UTF-8], or a spelling of it that they have, and a node for each move."""
    return one_move_each([nodes[0] if nodes[0].text("CA") == "utf-8" else nodes[0].with_values(CA=b"UTF-8"),
                          *nodes[1:]])


def assert_same(saved: str | bytes, nodes: list[Node]) -> None:
    """The file has these nodes, their properties and values in this order.  The page adds KM, EV and DT to the root of
    a file of Sina's kind, which has its komi in KO."""
    found = parse_game(saved.encode() if isinstance(saved, str) else saved)
    assert len(found) == len(nodes)
    for added in {"KM", "EV", "DT"} - nodes[0].properties.keys() if "KO" in nodes[0].properties else ():
        found[0].properties.pop(added, None)
    for here, there in zip(found, nodes, strict=True):
        assert here.parent == there.parent
        assert [*here.properties.items()] == [*there.properties.items()]


@needs_node
@settings(max_examples=150, deadline=None, derandomize=True)
@given(trees())
def test_the_page_keeps_every_property_of_every_node(nodes):
    assert_same(format_game(read_game(format_nodes(nodes))), in_utf_8(nodes))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(trees())
def test_the_terminal_keeps_every_property_of_every_node(tmp_path_factory, nodes):
    path = tmp_path_factory.getbasetemp() / "tree.sgf"
    path.write_bytes(format_nodes(nodes))
    try:
        loaded = load_game(path)
    except BadInput as error:
        assert ": move" in str(error) or "setup after move" in str(error) or "cannot be placed" in str(error)
        return
    assert_same(loaded.with_lines([(loaded.position.moves, "")]), in_utf_8(nodes))
    point = loaded.position.legal_points()
    after = loaded.position.play(int(point[0])) if len(point) else loaded.position
    found, expected = (Counter(repr(node.properties) for node in tree) for tree in
                       (parse_game(loaded.with_lines([(after.moves, "")]).encode()), in_utf_8(nodes)))
    assert not expected - found and sum((found - expected).values()) <= 1


@settings(max_examples=60, deadline=None, derandomize=True)
@given(trees())
def test_the_review_adds_to_the_root_and_keeps_the_rest(nodes):
    tree = next(read_trees(format_nodes(nodes)))
    if isinstance(tree, BadRecord):
        assert tree.reason in ("setup after the first move", "several moves in a node")
        return
    review = Review(tree.record, (), (GoPosition(SIZE),), "")
    saved = parse_game(annotated_sgf(review, tree.nodes, "reviewed by nobody"))
    comment = saved[0].properties["C"][0]
    before = nodes[0].properties.get("C", [b""])[0]
    assert comment.startswith(before) and b"reviewed by nobody" in comment
    expected = in_utf_8(nodes)
    annotator = {} if "AN" in nodes[0].properties else {"AN": b"MuGo"}
    assert saved[0].properties == expected[0].with_values(C=comment, **annotator).properties
    assert saved[1:] == expected[1:]


TORTURE = Path(__file__).parents[3] / "shared" / "sgf_torture"
FILES = [row["file"] for row in csv.DictReader(open(TORTURE / "manifest.csv"))] if TORTURE.exists() else []
needs_files = pytest.mark.skipif(not FILES, reason="the collection of nasty files is not here")


def whole_trees(data: bytes) -> list[GameTree | BadRecord]:
    return list(read_trees(data, gomoku=True, setup_anywhere=True, cut_off=True))


@needs_files
@needs_node
@pytest.mark.parametrize("name", FILES)
def test_a_nasty_file_is_saved_by_the_page_as_it_was(name):
    data = (TORTURE / name).read_bytes()
    for number, tree in enumerate(whole_trees(data)[:20]):
        if isinstance(tree, BadRecord):
            with pytest.raises(BadInput):
                read_game(data, number)
            continue
        game = read_game(data, number)
        assert ("notice" in game) == (not tree.is_whole or tree.is_cut_off or len(tree.nodes) > 20_000)
        assert_same(format_game(game), in_utf_8(tree.nodes[:20_000]))
    assert len(list_games(data)) == len(whole_trees(data))
