"""Games as the page holds them: nodes with all their properties, from SGF and back."""
import random
import time

import pytest
from page_modules import format_game, needs_node

from mugo.core.files import BadInput
from mugo.sgf import tree
from mugo.sgf.collection import split_games
from mugo.sgf.nodes import parse_game
from mugo.sgf.parser import read_records
from mugo.sgf.record import BadRecord
from mugo.sgf.tree import list_games, read_game

BRANCHED = b"(;SZ[9]PB[A]C[root];B[ee]C[Black wins 52.0 % (800 visits)\nnote](;W[cc];B[dd])(;W[gg](;B[gg])(;B[hh])))"


def without(nodes, *names):
    return [{name: value for name, value in node.items() if name not in names} for node in nodes]


def test_variations_comments_and_win_rates_are_read():
    game = read_game(BRANCHED)
    assert game["info"] == {"black": "A"} and "notice" not in game
    assert without(game["nodes"], "properties", "stones") == [
        {"parent": -1, "comment": "root"},
        {"parent": 0, "move": "B E5", "win_rate": 0.52, "visits": 800, "comment": "note"},
        {"parent": 1, "move": "W C7"}, {"parent": 2, "move": "B D6"}, {"parent": 1, "move": "W G3"},
        {"parent": 4, "move": "B G3", "first": "W", "illegal": "Black G3 is occupied"}, {"parent": 4, "move": "B H2"}]
    assert [node["properties"] for node in game["nodes"][:3]] == [
        "SZ[9]PB[A]C[root]", "B[ee]C[Black wins 52.0 % (800 visits)\nnote]", "W[cc]"]


@needs_node
@pytest.mark.parametrize("text, written", [
    ("(;GM[1]CA[utf-8]SZ[9]XX[ 1 ][\\]]C[ a\r\nb\\\n c];B[ee]TR[aa:cc][dd]MN[3];W[cc])\n", None),
    ("(;GM[1]CA[UTF-8]SZ[9];B[ee](;W[cc];B[];)(;W[tt]N[x]))\n", None),
    ("head (;\n GM[1] CA[UTF-8]\nSZ[9] ;B [ee]\n(;W[cc]) ) (;GM[1])", "(;GM[1]CA[UTF-8]SZ[9];B[ee];W[cc])\n"),
    ("(;GaMe[1]SZ[9];B[ee]TR[aa]N[x]TR[bb])", "(;GM[1]SZ[9]CA[UTF-8];B[ee]TR[aa][bb]N[x])\n"),
    (f"(;CA[UTF-8]SZ[9]C[{'x' * 70}];B[ee])", f"(;CA[UTF-8]SZ[9]C[{'x' * 70}]\n;B[ee])\n")])
def test_what_of_an_unchanged_file_differs(text, written):
    """written: None: nothing.  docs/reference/records.md lists what differs: all of it stands between values."""
    again = format_game(read_game(text.encode()))
    assert again == (written or text)
    assert format_game(read_game(again.encode())) == again


def drawn(game, index):
    """The board of a node with "stones", as text."""
    size = game["size"]
    stones = game["nodes"][index]["stones"]
    return "\n".join(" ".join(stones[row * size:][:size]) for row in range(size))


def test_setup_stones_of_any_node_change_the_board():
    game = read_game(b"(;SZ[5]AB[aa];W[bb](;AE[aa:ba]AB[cc]AW[bb];B[cd])(;W[cc];AB[bb][ab:bc]PL[B])(;AB[aa]))")
    assert game["black"] == ["A5"] and game["first"] == "W"
    setup, variation, same = game["nodes"][2], game["nodes"][5], game["nodes"][6]
    assert drawn(game, 2) == """
. . . . .
. O . . .
. . X . .
. . . . .
. . . . .""".strip()
    assert setup["first"] == "B", "the next move is Black's"
    assert drawn(game, 5) == """
X . . . .
X X . . .
X X O . .
. . . . .
. . . . .""".strip()
    assert variation["first"] == "B"
    assert "stones" not in same, "nothing changes, so the game goes on with its history"


@pytest.mark.parametrize("moves, illegal, board", [
    # retakes the ko at once: carried out
    ("AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[bb]", "White B4 retakes the ko", """
. X O . .
X O . O .
. X O . .
. . . . .
. . . . ."""),
    # suicide, which some rules allow: the stones are taken off
    ("AB[ba][bb][ac]AW[aa];W[ab]", "White A4 is suicide", """
. X . . .
. X . . .
X . . . .
. . . . .
. . . . ."""),
])
def test_a_move_that_the_rules_forbid_is_carried_out_and_named(moves, illegal, board):
    game = read_game(f"(;SZ[5]{moves}C[kept])".encode())
    assert game["nodes"][-1]["illegal"] == illegal and game["nodes"][-1]["comment"] == "kept"
    assert drawn(game, -1) == board.strip()


@needs_node
@pytest.mark.parametrize("sgf, illegal", [
    ("(;SZ[5];B[aa](;B[cc])(;B[zz];W[bb]))", "'zz' is not a point on 5x5"),
    ("(;SZ[5];B[aa];W[zz];B[bb])", "'zz' is not a point on 5x5"),
    ("(;SZ[5];B[ba];AB[ab]AW[aa];B[cc])", "a black stone cannot be placed on A4"),        # A5 has no liberty
    ("(;SZ[5];B[cc](;W[aa])(;AB[zz]))", "setup AB: 'zz' is not a point on 5x5 (aa-ee)"),
    ("(;GM[4]SZ[5]RU[3 in a row];B[aa];W[ba];B[ab];W[bb];B[ac];W[bc])", "White B3 comes after the end of the game"),
])
def test_a_node_that_cannot_be_shown_leaves_the_board_and_is_kept(sgf, illegal):
    game = read_game(sgf.encode())
    bad, = (node for node in game["nodes"] if "illegal" in node)
    assert bad["illegal"] == illegal and "stones" not in bad
    assert parse_game(format_game(game).encode())[1:] == parse_game(sgf.encode())[1:]


def test_the_games_of_a_collection_are_listed_and_each_can_be_opened():
    data = b"(;SZ[9]PB[A]PW[B]RE[B+Resign]DT[2016-03-09])(;SZ[40])(;SZ[5]PB[C];B[cc])"
    assert list_games(data) == [{"black": "A", "white": "B", "result": "B+R", "date": "2016-03-09"},
                                {"error": "SZ[40]; boards of 2 to 19 columns and rows are supported"}, {"black": "C"}]
    assert [read_game(data, number)["size"] for number in (0, 2)] == [9, 5]
    for number, error in (1, "SZ.40"), (3, "the file has no game 4"):
        with pytest.raises(BadInput, match=error):
            read_game(data, number)


@needs_node
def test_what_was_changed_is_all_that_differs():
    game = read_game(b"(;FF[4]SZ[9]GN[n]RE[W+Resign]PB[A]XX[x\\]][y];B[ee]C[a  \\\nb]BM[1]"
                     b"(;W[cc]C[old])(;W[dd]LB[aa:1]))")
    game["nodes"][2]["comment"] = "new ] \\ \U0001f600"
    game["nodes"][3] |= {"win_rate": 0.25, "visits": 12}
    game["nodes"].append({"parent": 3, "move": "B pass"})
    before = game["info"]
    game["info"] = before | {"result": "B+2.5"}
    assert format_game(game, before).replace("\n;", ";") == (
        "(;FF[4]SZ[9]GN[n]RE[B+2.5]PB[A]XX[x\\]][y]CA[UTF-8];B[ee]C[a  \\\nb]BM[1](;W[cc]C[new \\] \\\\ \U0001f600])"
        "(;W[dd]LB[aa:1]C[Black wins 25.0 % (12 visits)];B[]))\n")
    del game["nodes"][2]["comment"], game["info"]["result"]
    written = format_game(game, before)
    assert "RE[" not in written and ";W[cc])" in written


def test_of_a_tree_with_too_many_nodes_the_first_are_read_and_a_notice_says_so(monkeypatch):
    monkeypatch.setattr(tree, "MAX_NODES", 3)
    for other_games in b"", 9 * b"(;SZ[9];B[aa])":
        game = read_game(b"(;SZ[9]C[;;;(((\\];;;];B[ee](;W[cc])(;W[gg]))" + other_games)
        assert [node.get("move") for node in game["nodes"]] == [None, "B E5", "W C7"]
        assert game["notice"] == "Of this game only the first 3 nodes could be read. A saved file has no more."
    assert "notice" not in read_game(b"(;SZ[9];B[ee];W[cc])")


@needs_node
def test_a_long_comment_is_kept_whole_when_only_its_win_rate_changes():
    text = "x" * 25_000
    game = read_game(f"(;SZ[9];B[aa]C[{text}])".encode())
    game["nodes"][1] |= {"win_rate": 0.5, "visits": 9}
    assert f"Black wins 50.0 % (9 visits)\n{text}]" in format_game(game)
    game["nodes"][1]["comment"] = "another"
    assert "another]" in format_game(game) and "xx" not in format_game(game)


def test_a_number_of_visits_that_no_program_writes_is_text():
    comment = f"Black wins 50 % ({'9' * 5000} visits)"
    assert read_game(f"(;SZ[9];B[aa]C[{comment}])".encode())["nodes"][1]["comment"] == comment


@needs_node
def test_leads_are_read_and_written():
    text = b"(;SZ[9]C[Black wins 40.0 % (5 visits, W+12.5)\nnote];B[aa]C[Black wins 90 % (1 visits, B+0.0)])"
    game = read_game(text)
    assert [node["lead"] for node in game["nodes"]] == [-12.5, 0.0] and game["nodes"][0]["comment"] == "note"
    assert format_game(game).encode().split(b"C[", 1)[1].startswith(b"Black wins 40.0 % (5 visits, W+12.5)\nnote]")
    for lead, shown in (3.04, ", B+3.0"), (-0.01, ", B+0.0"), (-1.0, ", W+1.0"), (None, ""):
        game["nodes"][1] |= {"win_rate": 0.8, "lead": lead}
        assert f"Black wins 80.0 % (1 visits{shown})" in format_game(game)


@pytest.mark.parametrize("text, kept", [
    ("(;SZ[9]PB[A];B[ee];W[cc]", "(;SZ[9]PB[A];B[ee];W[cc])"),              # behind a value
    ("(;SZ[9]PB[A];B[ee];W[c", "(;SZ[9]PB[A];B[ee])"),                      # in a value
    ("(;SZ[9];B[ee]C[a (b\\]", "(;SZ[9];B[ee])"),                          # in a comment, behind an escaped bracket
    ("(;SZ[9];AB[aa][bb][c", "(;SZ[9];AB[aa][bb])"),                        # in the third value of a property
    ("(;SZ[9];B[ee];W", "(;SZ[9];B[ee])"),                                  # behind a name, in a node
    ("(;SZ[9];B[ee](;W[cc];B[dd])(;W[gg](;B[gh]", "(;SZ[9];B[ee](;W[cc];B[dd])(;W[gg](;B[gh])))"),     # in a variation
    ("(;SZ[9];B[ee](;W[cc])(;", "(;SZ[9];B[ee](;W[cc]))"),                  # where a variation begins
    ("(;SZ[9]PB[A", "(;SZ[9])"),                                            # in the root
])
def test_of_a_file_that_is_cut_off_the_rest_is_read(text, kept):
    game, whole = read_game(text.encode()), read_game(kept.encode())
    assert "is cut off" in game.pop("notice") and game == whole
    with pytest.raises(BadRecord, match="truncated"):
        raise next(iter(read_records(text.encode())))                       # archives for training keep out such games


def test_a_game_that_is_cut_off_in_the_middle_of_a_collection_hides_no_other():
    data = b"(;SZ[9]PB[A];B[ee])\n(;SZ[9]PB[B];B[aa];W[b\n(;SZ[9]PB[C];B[cc])"
    assert [game["black"] for game in list_games(data)] == ["A", "B", "C"]
    assert [len(read_game(data, k)["nodes"]) for k in range(3)] == [2, 2, 2]
    assert ["notice" in read_game(data, k) for k in range(3)] == [False, True, False]


@pytest.mark.parametrize("text", ["(;", "(;SZ", "(;SZ[", "(", "(;SZ[9];B[ee]))(;B"])
def test_where_nothing_is_complete_nothing_is_read(text):
    with pytest.raises(BadInput):
        read_game(text.encode(), int(text.endswith("B")))


def random_tree(seed: int) -> bytes:
    """A game with variations, and comments with escapes and letters of several bytes, on one line."""
    rng = random.Random(seed)
    texts = ["a \\] (;b", "囲碁 ü", "x:y", "\\\\", ""]

    def nodes(depth: int) -> str:
        text = "".join(f";{rng.choice('BW')}[{rng.choice('abcde')}{rng.choice('abcde')}]"
                       + f"C[{rng.choice(texts)}]" * rng.randrange(2) + "LB[aa:1][bb:ü]" * rng.randrange(2)
                       for _ in range(rng.randint(1, 4)))
        return text + "".join(f"({nodes(depth + 1)})" for _ in range(rng.choice([0, 2]) if depth < 3 else 0))

    return f"(;GM[1]FF[4]CA[UTF-8]SZ[5]PB[Müller 囲碁]{nodes(0)})".encode()


@needs_node
@pytest.mark.parametrize("seed", range(4))
def test_a_record_that_is_cut_at_any_byte_opens_with_what_is_there(seed):
    data = random_tree(seed)
    whole = parse_game(data)
    for end in range(len(b"(;GM[1]"), len(data)):
        game = read_game(data[:end])
        assert game["notice"].startswith("The file is cut off: the main line goes up to move ")
        found = [parse_game(f"(;{node['properties']})".encode())[0].properties for node in game["nodes"]]
        assert [node["parent"] for node in game["nodes"]] == [node.parent for node in whole[:len(found)]]
        assert found[:-1] == [node.properties for node in whole[:len(found) - 1]]
        last = whole[len(found) - 1].properties
        assert all(last[name][:len(values)] == values for name, values in found[-1].items())
        missing = data[end:].count(b";")                   # nodes, and some that only seem to be, in comments
        assert len(found) >= len(whole) - missing - 1
        if end % 8 == seed:                                # a saved file is whole
            again = read_game(format_game(game).encode())
            names = "parent", "move", "comment"
            assert "notice" not in again
            assert [[each.get(name) for name in names] for each in again["nodes"]] == [
                [each.get(name) for name in names] for each in game["nodes"]]
    assert "notice" not in read_game(data)


def test_a_long_file_that_is_cut_off_is_read_in_linear_time():
    for text in b"(;B[aa]" * 100_000, b"(;SZ[9]" + b";B[" * 300_000, b"(;SZ[9]C[" + b"\\[" * 300_000:
        started = time.process_time()
        assert len(list(split_games(text, cut_off=True))) == 1
        assert time.process_time() - started < 5
