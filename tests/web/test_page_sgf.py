"""The SGF writer of the page, which saves when the server is gone, against the server's."""
import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("starlette")
from web_fakes import go_game, gomoku_game
from web_page import sgf_properties

from mugo.sgf.collection import split_games
from mugo.sgf.nodes import format_nodes, format_properties, parse_game
from mugo.sgf.tree import format_game, read_game
from mugo.web import app as web_app

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
TEXTS = ("a", "[B] \\ ]", "two\nlines: \\]", "Müller 囲碁", "]];(B[aa])", " ", "x:y")


@pytest.fixture(scope="module")
def format_by_page(tmp_path_factory):
    """Games -> SGF texts, by the page's module in node."""
    folder = tmp_path_factory.mktemp("page")
    for name in "sgf.js", "coordinates.js", "properties.js":
        shutil.copy(Path(web_app.__file__).parent / "static" / name, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text('import { readFileSync } from "node:fs"; import { formatGame } from "./sgf.js";\n'
                                   'const games = JSON.parse(readFileSync(0, "utf8"));\n'
                                   'const written = games.map((game) => formatGame(game, game.written_info));\n'
                                   'console.log(JSON.stringify(written));')

    def run(games: list[dict]) -> list[str]:
        done = subprocess.run([NODE, folder / "run.js"], input=json.dumps(games).encode(), capture_output=True,
                              timeout=60)
        assert not done.returncode, done.stderr.decode()
        return json.loads(done.stdout)
    return run


def random_game(seed: int) -> dict:
    """A game of Go or Gomoku with random variations, comments and win rates."""
    rng = random.Random(seed)
    vertices = [f"{letter}{row}" for letter in "ABCDEFGHJ"[:5 + seed % 5] for row in range(1, 6 + seed % 5)]
    size = 5 + seed % 5
    setup = {"black": vertices[:seed % 3], "white": vertices[3:3 + seed % 2], "first": rng.choice("BW")}
    game = gomoku_game(size, 5, bool(seed & 4), **setup) if seed % 4 == 3 else \
        go_game(size, rng.choice([0, 0.5, 6.5, -7, 7.5]), handicap=rng.choice([0, 2]), **setup)
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


def test_the_page_writes_what_the_server_writes(format_by_page):
    games = [random_game(seed) for seed in range(60)]
    for game, written in zip(games, format_by_page(games), strict=True):
        assert sgf_properties(written) == sgf_properties(format_game(game))


LOADED = r"""(;FF[4]SZ[9]XX[\]][a]C[Black wins 52.3 % (7 visits)
text]AB[aa];B[ee]LB[cc:A]C[before Black wins 5 % (1 visits) after \
soft];W[cc]C[	tab];B[ee]BM[1](;AE[ee]AW[dd])(;C[];W[]))"""


def test_the_page_writes_what_was_in_a_file(format_by_page):
    text = LOADED.replace("text]", "text\r\nline]").replace("BM[1]", f"BM[1]C[{'x' * 30_000}]")
    game = read_game(text.encode())
    expected = parse_game(text.encode())
    expected[0] = expected[0].with_values(CA=b"UTF-8")
    unchanged, changed = format_by_page([game, game | {"nodes": [
        *game["nodes"][:2], game["nodes"][2] | {"comment": "new ]"}, *game["nodes"][3:]]}])
    assert parse_game(unchanged.encode()) == expected
    expected[2] = expected[2].with_values(C=rb"new \]")
    assert parse_game(changed.encode()) == expected


def test_the_page_breaks_lines_where_the_server_does(format_by_page):
    """`(;CA[` at the beginning of a line would begin a new game (collection.py)."""
    long = ";".join(f"{'BW'[i % 2]}[aa]N[日本 {i}]" for i in range(60))
    variations = [f"(;{ident}[x]B[ee];W[cc](;{ident}[x]B[aa])(;{ident}[x]B[bb]))"
                  for ident in ("CA", "AP", "SZ", "FF", "GM")]
    for order in variations, variations[::-1]:
        nodes = parse_game(f"(;FF[4]CA[UTF-8]SZ[9];{long}{''.join(order)})".encode())
        written, = format_by_page([read_game(b"(;SZ[9])") | {"nodes": [
            {"parent": node.parent, "properties": format_properties(node.properties).decode()} for node in nodes]}])
        assert written == format_nodes(nodes).decode() and "\n(" not in written and written.count("\n") > 10
        assert len([*split_games(written.encode())]) == 1 and parse_game(written.encode()) == nodes


def test_the_page_keeps_the_end_of_a_long_comment_whose_beginning_is_edited(format_by_page):
    comment = "x" * 19_990 + "TAIL " * 3999 + "TAIL"
    game = read_game(f"(;SZ[9]CA[UTF-8]C[{comment}])".encode())
    game["nodes"][0]["comment"] = "Y" + game["nodes"][0]["comment"][1:]
    assert format_by_page([game]) == [f"(;SZ[9]CA[UTF-8]C[Y{comment[1:]}])\n"]


FILES = (
    "(;GM[1]FF[4]CA[ISO-8859-1]SZ[9]GN[x]AB[aa][bb:cc]LB[dd:A\\]][ee:\\\\]XX[1][2]C[a \\] \\\\ b\\\nc];B[ee]BL[30]"
    "(;AW[aa]AE[bb]PL[B]C[Black wins 51.5 % (80 visits)\nwell];W[])(;MN[3]))",
    "(;GM[1]SZ[9]C[];B[aa]C[ x ];W[aa]TR[aa]C[illegal])",
    "(;GM[4]FF[4]SZ[9]RU[5 in a row];B[ee]N[n]C[Black wins 50.0 % (1 visits)])",
)


@pytest.mark.parametrize("text", FILES)
@pytest.mark.parametrize("change", [{}, {"comment": "new ] \\"}, {"comment": ""}, {"win_rate": 0.25, "visits": 7}])
def test_the_page_keeps_a_file_as_the_server_does(format_by_page, text, change):
    game = read_game(text.encode())
    game["nodes"] = [node | change for node in game["nodes"]]
    written, = format_by_page([game])
    assert sgf_properties(written) == sgf_properties(format_game(game))


def test_the_page_writes_a_result_that_a_file_gets(format_by_page):
    game = read_game(b"(;GM[1]CA[UTF-8]SZ[9]RE[W+Resign]PB[Aoi];B[ee])")
    game |= {"written_info": game["info"], "info": {"black": "Aoi", "white": "Ema ]", "result": "B+R"}}
    written, = format_by_page([game])
    assert sgf_properties(written) == sgf_properties(format_game(game))
    assert "RE[B+R]" in written and "PW[Ema \\]]" in written and "PB[Aoi]" in written
    added, = format_by_page([game | {"written_info": game["info"] | {"place": "Edo"},       # not in the properties yet
                                     "info": game["info"] | {"place": "Edo"}}])
    assert "PC[Edo]" in added
    unchanged, = format_by_page([game | {"info": game["written_info"]}])
    assert "RE[W+Resign]" in unchanged


def test_a_long_game_is_written_and_read(format_by_page):
    moves = [f"{'BW'[i % 2]} {'ABCDEFGHJ'[i % 9]}{1 + i // 9 % 9}" for i in range(80)]
    nodes = [{"parent": -1}] + [{"parent": i, "move": move} for i, move in enumerate(moves)]
    game = go_game(9, 7.5, info={}, nodes=nodes)
    written, = format_by_page([game])
    assert [node.get("move") for node in read_game(written.encode())["nodes"][1:]] == moves
