"""How far the values of moves in the tree are from the mean values of the nodes that they lead to (UCT2).

    python benchmarks/transpositions.py

A move's value is refreshed when a simulation passes through it.  For searches from the empty board, the share of moves
that have another value than their node has now, and the share of nodes, weighted by visits, at which UCB1 would select
another move if all values were refreshed.
"""
from dataclasses import replace

import numpy as np

from mugo.games.game import new_game
from mugo.players.searcher import UCT
from mugo.search.records import NULL_NODE
from mugo.search.search import Search
from mugo.search.settings import UCB_C
from mugo.search.solver import LOSS

SEARCHES = (("go", 19, 20_000), ("go", 9, 50_000), ("go", 5, 50_000), ("gomoku", 15, 50_000), ("gomoku", 8, 50_000))
LINE = "{:14} {:>11} {:>10} {:>10}"


def fresh_values(nodes: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """float64 (n,): the values of edges by the nodes that they lead to, now."""
    below = nodes[edges["node"]]
    means = -below["total"] / np.maximum(below["visits"], 1)
    values = np.where(below["lower"] == below["upper"], -below["lower"].astype(float), means)
    return np.where((edges["node"] == NULL_NODE) | (edges["visits"] == 0), edges["q"], values)


def changed_selections(nodes: np.ndarray, edges: np.ndarray) -> float:
    """The share of nodes, weighted by visits, at which UCB1 selects another edge with fresh values."""
    changed = total = 0
    for node in nodes[(nodes["count"] > 1) & (nodes["visits"] > nodes["count"]) & (nodes["lower"] < nodes["upper"])]:
        block = edges[node["first"]:node["first"] + node["count"]]
        block = block[(block["upper"] > LOSS) & (block["visits"] > 0)]
        if len(block):
            exploration = UCB_C * np.sqrt(np.log(node["visits"]) / block["visits"])
            now, fresh = (np.argmax(q / 2 + exploration) for q in (block["q"], fresh_values(nodes, block)))
            changed += int(node["visits"]) * bool(now != fresh)
            total += int(node["visits"])
    return changed / max(total, 1)


def main() -> None:
    print(LINE.format("", "simulations", "stale", "changed"))
    for game, size, simulations in SEARCHES:
        search = Search(replace(UCT, seed=1, early_stop=False))
        search.search(new_game(game, size), simulations=simulations)
        nodes, edges = search.tree.nodes, search.tree.edges[:search.tree.record["n_edges"]]
        visited = edges[(edges["visits"] > 0) & (edges["node"] != NULL_NODE)]
        stale = np.abs(fresh_values(nodes, visited) - visited["q"]) > 1e-5
        print(LINE.format(f"{game} {size}x{size}", f"{simulations:,}", f"{stale.mean():.1%}",
                          f"{changed_selections(nodes, edges):.1%}"), flush=True)


if __name__ == "__main__":
    main()
