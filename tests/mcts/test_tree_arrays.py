"""The arrays of a search tree: the table grows with the nodes, and a search does not depend on its size."""
import numpy as np
import pytest

from mugo.games import gomoku
from mugo.games.go import GoPosition
from mugo.mcts import records, tree_arrays
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.mcts.tree_arrays import TreeArrays


def grow(arrays: TreeArrays, keys: np.ndarray) -> list[int]:
    """Add nodes with these keys, with room made for one simulation before each; returns their numbers."""
    numbers = []
    for key in keys:
        arrays.make_room(1)
        numbers.append(tree_arrays.find_or_add(arrays.trees[0], arrays.nodes, arrays.table, key))
    return numbers


def reset(arrays: TreeArrays, key: np.uint64) -> None:
    tree_arrays.reset(arrays.trees[0], arrays.nodes, arrays.table, key)


def test_the_table_grows_and_finds_every_node(monkeypatch):
    monkeypatch.setattr(tree_arrays, "SMALLEST_TABLE", 16)
    arrays = TreeArrays(100_000)
    keys = np.random.default_rng(0).integers(1, 2**63, 2000).astype(np.uint64)
    reset(arrays, keys[0])
    sizes = {len(arrays.table)}
    for start in range(1, 2000, 100):
        numbers = grow(arrays, keys[start:start + 100])
        assert records.NULL_NODE not in numbers
        sizes.add(len(arrays.table))
        assert (arrays.table != records.NULL_NODE).sum() == arrays.trees[0]["n_nodes"] - 1
    assert [tree_arrays.find(arrays.nodes, arrays.table, key) for key in keys] == list(range(1, 2001))
    assert sizes >= {1024, 2048, 4096}
    assert tree_arrays.find(arrays.nodes, arrays.table, np.uint64(2**63)) == records.NULL_NODE


def test_no_node_is_added_where_room_was_not_made(monkeypatch):
    monkeypatch.setattr(tree_arrays, "SMALLEST_TABLE", 16)
    arrays = TreeArrays(100_000)
    keys = np.arange(1, 12, dtype=np.uint64)
    reset(arrays, keys[0])
    numbers = [tree_arrays.find_or_add(arrays.trees[0], arrays.nodes, arrays.table, key) for key in keys]
    assert numbers == [1, 2, 3, 4, 5, 6, 7, records.NULL_NODE, records.NULL_NODE, records.NULL_NODE, records.NULL_NODE]
    arrays.make_room(1)
    assert tree_arrays.find_or_add(arrays.trees[0], arrays.nodes, arrays.table, keys[-1]) == 8


def test_room_is_made_for_no_more_nodes_than_there_may_be():
    arrays = TreeArrays(1000)
    reset(arrays, np.uint64(1))
    arrays.make_room(10**9)
    assert len(arrays.table) == tree_arrays.SMALLEST_TABLE


@pytest.mark.parametrize("position", [GoPosition(5), gomoku.GomokuPosition(6, 4)], ids=["go", "gomoku"])
def test_a_search_does_not_depend_on_the_size_of_the_table(position, monkeypatch):
    def searched():
        search = Search(Settings(seed=1, rollout="uniform", expand_after=1, early_stop=False))
        first = search.search(position, simulations=3000)
        second = search.search(position.play(first.best().point), simulations=3000)
        return [[(info.point, info.visits, info.win_rate) for info in result.moves] for result in (first, second)], \
            len(search.tree.table)

    usual, size = searched()
    monkeypatch.setattr(tree_arrays, "SMALLEST_TABLE", 16)
    small, grown = searched()
    assert small == usual and 16 < grown <= size
