"""The page writes SGF: what a file has stays in it, and what is read is what was written."""
import random

import pytest

pytest.importorskip("starlette")
from page_modules import format_game, needs_node
from web_fakes import go_game, gomoku_game

from mugo.sgf.collection import split_games
from mugo.sgf.nodes import Node, escaped, format_nodes, format_properties, parse_game
from mugo.sgf.record import INFO
from mugo.sgf.tree import read_game

pytestmark = needs_node
TEXTS = ("a", "[B] \\ ]", "two\nlines: \\]", "Müller 囲碁", "]];(B[aa])", " ", "x:y")


def random_game(seed: int) -> dict:
    """A game of Go or Gomoku with random variations, comments and win rates."""
    rng = random.Random(seed)
    vertices = [f"{letter}{row}" for letter in "ABCDEFGHJ"[:5 + seed % 5] for row in range(1, 6 + seed % 5)]
    size = 5 + seed % 5
    setup = {"black": vertices[:seed % 3], "white": vertices[3:3 + seed % 2], "first": rng.choice("BW")}
    game = gomoku_game(size, 5, bool(seed & 4), **setup) if seed % 4 == 3 else \
        go_game(size, rng.choice([0, 0.5, 6.5, -7, 7.5]), handicap=2 * (seed % 6 == 2), **setup)
    names = ("black", "white", "black_rank", "white_rank", "result", "date", "event", "place", "rules")
    game["info"] = {name: rng.choice(TEXTS) for name in names if rng.random() < 0.5}
    nodes = [{"parent": -1}]
    stack = [0]                            # a tree in the order of a file
    while stack and len(nodes) < 30:
        parent = stack.pop() if rng.random() < 0.4 else stack[-1]
        nodes.append({"parent": parent, "move": f"{rng.choice('BW')} {rng.choice([*vertices, 'pass'])}"}) \
            if game.get("name") != "gomoku" else \
            nodes.append({"parent": parent, "move": f"{rng.choice('BW')} {rng.choice(vertices)}"})
        stack.append(len(nodes) - 1)
    for node in nodes:
        if rng.random() < 0.4:
            node["comment"] = rng.choice(TEXTS)
        if rng.random() < 0.4:
            node |= {"win_rate": rng.randrange(1001) / 1000, "visits": rng.randrange(10**6)}
    return game | {"nodes": nodes}


def comment_of(fields: dict) -> str:
    """The text of a comment, with the win rate in front of it."""
    text = fields.get("comment", "")
    line = f"Black wins {100 * fields['win_rate']:.1f} % ({fields['visits']} visits)\n" if "win_rate" in fields else ""
    return f"{line}{text}".strip()


@pytest.mark.parametrize("seed", range(60))
def test_a_game_that_is_saved_is_read_again(seed):
    game = random_game(seed)
    written = format_game(game)
    again, nodes = read_game(written.encode()), parse_game(written.encode())
    assert all(again[name] == game[name] for name in ("size", "komi", "handicap", "k", "exactly") if name in game)
    for name in "black", "white":
        assert sorted(again[name]) == sorted(game[name])
    for ident, name in INFO.items():
        if name in game["info"] and (ident != "RU" or game.get("name") != "gomoku"):
            assert nodes[0].properties[ident] == [escaped(game["info"][name])]
    for node, read, fields in zip(nodes, again["nodes"], game["nodes"], strict=True):
        assert (read["parent"], read.get("move")) == (fields["parent"], fields.get("move"))
        assert node.properties.get("C", [b""]) == [escaped(comment_of(fields))]
        assert (read.get("win_rate"), read.get("visits")) == (fields.get("win_rate"), fields.get("visits"))


@pytest.mark.parametrize("game, properties", [
    (go_game(9, 6.5, handicap=2, black=["G7", "C3"], first="W"),
     "GM[1]CA[UTF-8]AP[MuGo:web]SZ[9]KM[6.5]HA[2]AB[gc][cg]PL[W]"),
    (go_game("13x9", 1e-7), "GM[1]CA[UTF-8]AP[MuGo:web]SZ[13:9]KM[0]"),
    (go_game(5, -100.0, info={"black": "A]", "event": "x" * 300}),
     f"GM[1]CA[UTF-8]AP[MuGo:web]SZ[5]KM[-100]PB[A\\]]EV[{'x' * 300}]"),
    (gomoku_game(15, 5, True, first="W"), "GM[4]CA[UTF-8]AP[MuGo:web]SZ[15]RU[exactly 5 in a row]PL[W]")])
def test_the_root_of_a_new_game_has_the_game(game, properties):
    nodes = [{"parent": -1}, {"parent": 0, "move": "B pass", "time_left": 28.5, "overtime_left": 3},
             {"parent": 1, "move": "W A1", "time_left": 7.04, "win_rate": 0.5, "visits": 9, "lead": -1.25}]
    last = {5: "ae", 9: "ai", "13x9": "ai", 15: "ao"}[game["size"]]
    written = format_game({"info": {}} | game | {"nodes": nodes}).replace("\n;", ";")
    assert written == f"(;FF[4]{properties};B[]BL[28.5]OB[3];W[{last}]WL[7]C[Black wins 50.0 % (9 visits, W+1.3)])\n"


def test_lines_break_where_format_nodes_breaks_them():
    """`(;CA[` at the beginning of a line would begin a new game (collection.py)."""
    long = ";".join(f"{'BW'[i % 2]}[aa]N[日本 {i}]" for i in range(60))
    variations = [f"(;{ident}[x]B[ee];W[cc](;{ident}[x]B[aa])(;{ident}[x]B[bb]))"
                  for ident in ("CA", "AP", "SZ", "FF", "GM")]
    for order in variations, variations[::-1]:
        nodes = parse_game(f"(;FF[4]CA[UTF-8]SZ[9];{long}{''.join(order)})".encode())
        written = format_game(read_game(b"(;SZ[9])") | {"nodes": [
            {"parent": node.parent, "properties": format_properties(node.properties).decode()} for node in nodes]})
        assert written == format_nodes(nodes).decode() and "\n(" not in written and written.count("\n") > 10
        assert len([*split_games(written.encode())]) == 1 and parse_game(written.encode()) == nodes


FILES = (
    "(;GM[1]FF[4]CA[ISO-8859-1]SZ[9]GN[x]AB[aa][bb:cc]LB[dd:A\\]][ee:\\\\]XX[1][2]C[a \\] \\\\ b\\\nc];B[ee]BL[30]"
    "(;AW[aa]AE[bb]PL[B]C[Black wins 51.5 % (80 visits)\nwell];W[])(;MN[3]))",
    "(;GM[1]SZ[9]C[];B[aa]C[ x ];W[aa]TR[aa]C[illegal])",
    "(;GM[4]FF[4]SZ[9]RU[5 in a row];B[ee]N[n]C[Black wins 50.0 % (1 visits)])",
)


@pytest.mark.parametrize("text", FILES)
@pytest.mark.parametrize("change", [{}, {"comment": "new ] \\"}, {"comment": ""}, {"win_rate": 0.25, "visits": 7}])
def test_of_a_file_only_the_comments_that_changed_differ(text, change):
    game = read_game(text.encode())
    nodes = parse_game(text.encode())
    expected: list[Node] = [nodes[0].with_values(CA=b"UTF-8"), *nodes[1:]]
    for i, fields in enumerate(game["nodes"]):
        if (new := comment_of(fields | change)) != comment_of(fields):
            expected[i] = expected[i].with_values(C=escaped(new) if new else None)
    game["nodes"] = [node | change for node in game["nodes"]]
    assert parse_game(format_game(game).encode()) == expected


def test_a_result_that_a_file_gets_is_written():
    game = read_game(b"(;GM[1]CA[UTF-8]SZ[9]RE[W+Resign]PB[Aoi];B[ee])")
    before = game["info"]
    written = format_game(game | {"info": {"black": "Aoi", "white": "Ema ]", "result": "B+R"}}, before)
    assert written == "(;GM[1]CA[UTF-8]SZ[9]RE[B+R]PB[Aoi]PW[Ema \\]];B[ee])\n"
    added = format_game(game | {"info": before | {"place": "Edo"}}, before | {"place": "Edo"})
    assert "PC[Edo]" in added                            # it was not in the properties yet
    assert "RE[W+Resign]" in format_game(game, before)
