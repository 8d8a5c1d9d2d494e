"""Games with variations and comments, from SGF and back."""
import pytest

from mugo.files import BadInput
from mugo.sgf import tree
from mugo.sgf.tree import format_game, read_game

BRANCHED = b"(;SZ[9]PB[A]C[root];B[ee]C[Black wins 52.0 % (800 visits)\nnote](;W[cc];B[dd])(;W[gg](;B[gg])(;B[hh])))"


def test_variations_comments_and_win_rates_are_read():
    game = read_game(BRANCHED)
    assert game["info"] == {"black": "A"}
    assert game["nodes"] == [
        {"parent": -1, "comment": "root"},
        {"parent": 0, "move": "B E5", "win_rate": 0.52, "visits": 800, "comment": "note"},
        {"parent": 1, "move": "W C7"}, {"parent": 2, "move": "B D6"}, {"parent": 1, "move": "W G3"},
        {"parent": 4, "move": "B H2"}], "the variation with an illegal move is left out"


def test_a_game_that_is_written_is_read_again():
    game = read_game(BRANCHED)
    assert read_game(format_game(game).encode()) == game


@pytest.mark.parametrize("node, error", [
    ({"parent": 1, "move": "W A1"}, "the parent of node 1"), ({"parent": 0}, "'move' is missing"),
    ({"parent": 0, "move": "C3"}, "is not a move"), (7, "node 1 of the game is not an object"),
])
def test_a_malformed_node_is_an_error(node, error):
    game = read_game(b"(;SZ[9])")
    with pytest.raises(BadInput, match=error):
        format_game(game | {"nodes": [{"parent": -1}, node]})


@pytest.mark.parametrize("first, most, has_variations", [
    (b"(;SZ[9];B[ee](;W[cc])(;W[gg]))", 4, True),
    (b"(;SZ[9];B[ee](;W[cc])(;W[gg]))", 3, False),
    (b"(;SZ[9]C[;;;(((\\];;;];B[ee](;W[cc])(;W[gg]))", 4, True),             # no nodes: a comment
    (b"(;SZ[9];B[ee](;W[cc])(;W[gg]))" + 9 * b"(;SZ[9];B[aa])", 4, True),     # other games
])
def test_of_a_tree_with_too_many_nodes_only_the_main_line_is_read(first, most, has_variations, monkeypatch):
    """sgfmill takes 28 seconds for a million of them."""
    monkeypatch.setattr(tree, "MAX_NODES_PARSED", most)
    moves = [node.get("move") for node in read_game(first)["nodes"]]
    assert moves == [None, "B E5", "W C7"] + ["W G3"] * has_variations
