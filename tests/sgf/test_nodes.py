"""The nodes of a tree: nothing of a file is lost."""
import re
import time

import numpy as np
import pytest
from sgfmill import sgf_grammar

from mugo.sgf.collection import split_games
from mugo.sgf.nodes import Node, children_of, format_nodes, format_properties, main_line, parse_game

TREE = b"(;SZ[9]C[a](;B[aa];W[ba])(;B[bb];W[cc](;B[])(;B[dd])))"


def test_the_nodes_of_a_tree_and_its_main_line():
    nodes = parse_game(TREE)
    assert nodes[0] == (-1, {"SZ": [b"9"], "C": [b"a"]})
    assert [node.parent for node in nodes] == [-1, 0, 1, 0, 3, 4, 4]
    assert main_line(nodes) == [0, 1, 2] and children_of(nodes)[4] == [5, 6]
    assert format_nodes(nodes) == TREE + b"\n"


@pytest.mark.parametrize("text, properties", [
    (rb"ZZ[1][][\]\\]B[aa] C [x:y" + b"\n\xff]", {"ZZ": [b"1", b"", rb"\]\\"], "B": [b"aa"], "C": [b"x:y\n\xff"]}),
    (b"C[b]A[1]C[c]", {"C": [b"b", b"c"], "A": [b"1"]}),                     # in the order of the file
    (b"AddBlack[aa]SiZe[9]lower[x]", {"AB": [b"aa"], "SZ": [b"9"], "lower": [b"x"]}),
    (b"", {}),
])
def test_properties_keep_order_and_raw_values(text, properties):
    assert [*parse_game(b"(;" + text + b")")[0].properties.items()] == [*properties.items()]
    assert parse_game(b"(;" + format_properties(properties) + b")")[0].properties == properties


@pytest.mark.parametrize("text, error", [
    (b"", "unexpected end"), (b"(;", "unexpected end"), (b"(;C[x)", "unexpected end"), (b"(;C)", "no values"),
    (b"(;C;)", "no values"), (b"(;B[aa]B;W[bb])", "no values"), (b"(;[x])", "unexpected value"),
    (b"(C[x])", "outside a node"), (b";C[x]", "unexpected node"),
    (b"(;(;B[aa]);W[bb])", "unexpected node"), (b"((;B[aa]))", "empty sequence"), (b"(;B[aa]())", "empty sequence"),
    (b"(;B[aa](;W[bb])C[x])", "outside a node"), (b"(;B[aa] ! )", "unexpected '!'"),
])
def test_malformed_text_is_an_error(text, error):
    with pytest.raises(ValueError, match=error):
        parse_game(text)


STRAY_BRACKET = re.compile(rb"(\[[^\\\]]*(?:\\.[^\\\]]*)*\])|\]", re.DOTALL)


def test_a_main_line_is_read_as_sgfmill_reads_it_even_if_it_is_damaged():
    rng = np.random.default_rng(1)
    whole, refused = b"(;GM[1]SZ[9]AB[aa][bb:cc]C[a\\]b]" + b";B[dd] ;W[ee]\n;B[]C[x]MN[3]" * 5 + b")", 0
    for _ in range(2000):
        text = bytearray(whole)
        for place in rng.integers(6, len(whole), 2):
            text[place:place + int(rng.integers(4))] = rng.choice([b"", b"[", b"]", b";", b"B", b"[aa]", b" ", b"\\"])
        try:
            expected = sgf_grammar.parse_sgf_game(bytes(text)).sequence
        except ValueError:
            expected, refused = None, refused + 1
        try:
            nodes = [node.properties for node in parse_game(bytes(text))]
        except ValueError:
            nodes = None
        if expected is None and nodes is not None:
            assert nodes == [node.properties for node in parse_game(STRAY_BRACKET.sub(rb"\1", bytes(text)))], text
        elif expected is None or not any("" in node for node in expected):       # a name in lower case, which is kept
            assert nodes == expected, text
    assert 200 < refused < 1800


def test_no_more_nodes_are_read_than_asked_for():
    assert parse_game(TREE, 4) == parse_game(TREE)[:4]
    assert parse_game(b"(;B[aa]" + b";W[bb]" * 10 + b"(((", 3) == [Node(-1, {"B": [b"aa"]}), *(
        Node(i, {"W": [b"bb"]}) for i in range(2))], "what follows is not looked at"


def test_a_long_file_has_lines_and_a_bracket_never_begins_one():
    """`(;SZ[9]` at the beginning of a line would begin a new game (collection.py)."""
    nodes = parse_game(b"(;SZ[9]" + b"(;C[variation];B[aa]C[a long comment];W[bb]C[another long comment])" * 100 + b")")
    text = format_nodes(nodes)
    assert text.count(b"\n") > 50 and b"\n(" not in text
    assert parse_game(text) == nodes


@pytest.mark.parametrize("ident", ["FF", "GM", "CA", "AP", "SZ"])
def test_a_variation_that_begins_like_a_game_is_read_as_a_variation(ident):
    root, moves = Node(-1, {"SZ": [b"9"]}), [Node(0, {ident: [b"4"], "B": [b"aa"]}), Node(0, {"B": [b"bb"]})]
    for variations in moves, moves[::-1], moves[:1] * 3:
        nodes = [root, *variations]
        game, = split_games(format_nodes(nodes))
        assert parse_game(game.whole) == nodes


def test_deep_and_wide_trees_take_linear_time():
    started = time.process_time()
    for text in (b"(;B[aa]" * 20_000 + b")" * 20_000, b"(;" + b"(;B[aa])" * 20_000 + b")",
                 b"(" + b";" * 50_000 + b")"):
        nodes = parse_game(text)
        assert parse_game(format_nodes(nodes)) == nodes
    assert time.process_time() - started < 5


def test_a_text_and_a_changed_value_of_a_node():
    node = Node(3, {"C": [b"a \\] b\\\nc\r\nd", b"second"], "B": [b"aa"]})
    assert (node.text("C"), node.text("N")) == ("a ] bc\nd", None)
    assert node.with_values(C=b"new", N=b"n", B=None) == (3, {"C": [b"new"], "N": [b"n"]})
    assert node.properties["C"][1] == b"second"
