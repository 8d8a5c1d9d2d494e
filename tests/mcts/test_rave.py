"""RAVE: AMAF values against a slow oracle, the schedule's known weights, what a tree keeps of them."""
import numpy as np
import pytest
from drawing import draw
from trees import Grown

from mugo.games import game, gomoku
from mugo.games.board import BLACK, POINTS, WHITE
from mugo.games.coords import PASS, board_points
from mugo.games.go import GoPosition
from mugo.games.light_board import LIGHT_BOARD
from mugo.games.rollouts import MOGO, UNIFORM
from mugo.mcts.root import AvoidedMoves, Root
from mugo.mcts import expansion, selection, tree_arrays
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

RAVE = {"rave": True, "rave_bias": 0.02, "c": 0.1}

# Captures, recaptures and kos in the last moves of a game: fewer than eight, most of them.
NEARLY_OVER = """
    . X X O .
    X . X O O
    X X X O .
    X O O . O
    . X O O O
"""

KOS = """
    . X O .
    X O . O
    . X O .
    X . . O
"""
LIGHT = np.zeros(1, LIGHT_BOARD)         # scratch of rollouts


class Amaf:
    """The AMAF values of a tree, by definition: every simulation is kept as (moves of the path, first plays, value).

    counts, sums: by (node, point): the simulations in which the side to move at the node was the first to play there,
    from the node on, and the sum of their values for it.
    """

    def __init__(self):
        self.counts, self.sums = {}, {}

    def add(self, path: list[tuple[int, int, int]], rollouts: list[tuple[dict[int, int], float]], value: float):
        """path: (node, colour, point).  rollouts: the colour that played first on each point, and Black's outcome.
        value: of the leaf, for Black."""
        for start, (node, side, _) in enumerate(path):
            of_path = {}
            for _, colour, point in reversed(path[start:]):
                of_path[point] = colour
            for point in {point for first, _ in rollouts for point in first} | set(of_path):
                if point == PASS:
                    continue
                if point in of_path:
                    seen = [(1.0, value)] if of_path[point] == side else []
                else:
                    seen = [(1 / len(rollouts), outcome) for first, outcome in rollouts if first.get(point) == side]
                for share, outcome in seen:
                    key = node, point
                    self.counts[key] = self.counts.get(key, 0) + share
                    self.sums[key] = self.sums.get(key, 0) + share * outcome * side

    def check(self, grown: Grown) -> int:
        """The edges of the tree have these values; returns the number of edges that have any."""
        compared = 0
        for v, node in enumerate(grown.used, 1):
            for edge in grown.edges_of(node):
                key = v, int(edge["move"])
                assert edge["rave_visits"] == pytest.approx(self.counts.get(key, 0), rel=1e-4), key
                if key in self.counts:
                    assert edge["rave_q"] == pytest.approx(self.sums[key] / self.counts[key], abs=2e-3), key
                    compared += 1
        return compared


def grow_by_hand(grown: Grown, simulations: int, amaf: Amaf, batch: int = 1) -> None:
    """Batches of simulations by the kernels one after the other, each of them also added to the oracle."""
    colours = [BLACK, WHITE] if grown.position.to_play == BLACK else [WHITE, BLACK]
    for _ in range(simulations // batch):
        taken: list[tuple] = []

        def note(n, taken=taken):
            for k in range(n):
                length = grown.leaves[k]["length"]
                path = [(int(v), colours[i % 2], int(grown.edges_of(grown.nodes[v])[e]["move"]))
                        for i, (v, e) in enumerate(grown.paths[k, :length].tolist())]
                rollouts = []
                board, first = grown.boards[2:4].copy(), np.zeros(POINTS, np.int8)
                random = grown.boards[1 + n + k]["random"]
                params = grown.trees[0]["params"]
                for _ in range(0 if grown.leaves[k]["known"] else int(params["rollouts"])):
                    board[0] = grown.boards[1 + k]
                    board[0]["random"] = random
                    first[:] = 0
                    outcome = game.roll_out(params["roll_out"], board[0], LIGHT, params["mercy"], params["komi"], first)
                    random = board[0]["random"]
                    rollouts.append(({p: int(first[p]) for p in np.flatnonzero(first).tolist()}, outcome))
                taken.append((path, rollouts))

        n = grown.batch(batch, after_selection=note)
        assert n == batch
        for k, (path, rollouts) in enumerate(taken):
            amaf.add(path, rollouts, float(grown.leaves[k]["value"]) * int(grown.boards[1 + k]["to_play"]))


# ---- the first plays of a rollout

def test_a_rollout_tells_who_played_first_on_each_point():
    position, _ = draw(NEARLY_OVER, to_play=WHITE)
    checked = 0
    for seed in range(1, 400):
        boards = position.board.copy()
        boards["random"] = seed * 7919
        first = np.zeros(POINTS, np.int8)
        game.roll_out(game.address("go", "roll_out", seed % 2), boards[0], LIGHT, 0, 0.5, first)
        moves = int(boards[0]["moves"])
        if moves > 8:                                    # a board keeps its last eight moves
            continue
        expected = {}
        for number in range(1, moves + 1):
            point = int(boards[0]["recent"][number % 8])
            if point != PASS:
                expected.setdefault(point, WHITE if number % 2 else BLACK)
        assert {p: int(first[p]) for p in np.flatnonzero(first).tolist()} == expected
        checked += 1
    assert checked > 100


def test_a_point_that_was_played_before_keeps_its_first_colour():
    boards, first = GoPosition(9).board.copy(), np.zeros(POINTS, np.int8)
    boards["random"] = 1
    first[board_points(9)] = WHITE
    game.roll_out(game.address("go", "roll_out"), boards[0], LIGHT, 0, 7.5, first)
    assert (first[board_points(9)] == WHITE).all()


def test_first_plays_of_gomoku_are_its_stones():
    position = gomoku.GomokuPosition(6, 4).play(board_points(6)[14])
    for kind in UNIFORM, MOGO:
        boards, first = position.board.copy(), np.zeros(POINTS, np.int8)
        boards["random"] = 5
        game.roll_out(game.address("gomoku", "roll_out", kind), boards[0], LIGHT, 0, 0.0, first)
        points = board_points(6)
        assert (first[points] == boards[0]["colour"][points] - position.board[0]["colour"][points]).all()


# ---- sums

@pytest.mark.parametrize("position, settings", [
    (GoPosition(5), {}), (GoPosition(5, to_play=WHITE), {"rollouts": 3}),
    (GoPosition(3, komi=2.5), {"expand_after": 3}),
    (draw(KOS, to_play=WHITE)[0], {}), (gomoku.GomokuPosition(4, 3), {}),
], ids=["5x5", "3 rollouts, White to play", "3x3", "kos", "gomoku"])
@pytest.mark.parametrize("batch", [1, 8])
def test_amaf_values_are_those_of_the_definition(position, settings, batch):
    grown, amaf = Grown(position, **RAVE, **settings), Amaf()
    grow_by_hand(grown, 640, amaf, batch)
    assert amaf.check(grown) > 100
    grown.check()


def test_simulations_one_by_one_and_in_batches_of_one_are_the_same():
    alone, batches = Grown(GoPosition(5), **RAVE), Grown(GoPosition(5), **RAVE)

    def same_random_numbers(_):
        batches.boards[2]["random"] = batches.boards[1]["random"]

    for seed in range(1, 501):
        alone.boards[1]["random"] = batches.boards[1]["random"] = seed * 7919
        alone.simulate(1)
        batches.batch(1, after_selection=same_random_numbers)
    n = int(alone.trees[0]["n_edges"])
    assert n > 1000 and n == batches.trees[0]["n_edges"]
    for field in "move", "visits", "q", "rave_visits", "rave_q":
        assert (alone.edges[field][:n] == batches.edges[field][:n]).all(), field


def test_without_rave_no_amaf_values_are_kept():
    grown = Grown(GoPosition(5)).simulate(300)
    assert not grown.edges["rave_visits"].any() and not grown.edges["rave_q"].any()


def test_the_moves_of_a_path_come_before_those_of_the_rollout():
    """Black a, White b, then a rollout in which White plays first on a, c and Black on b, d; Black wins."""
    position, at = draw("""
        a . b
        . . .
        c . d
    """)
    grown = Grown(position, **RAVE)
    a, b, c, d = (at[name] for name in "abcd")
    grown.simulate(1)
    root = int(grown.trees[0]["root"])
    below = int(tree_arrays.find_or_add(grown.trees[0], grown.nodes, grown.table, np.uint64(77)))
    assert expansion.expand(grown.trees[0], grown.nodes, grown.edges, root, position.board[0], 0, -1, 1)
    assert expansion.expand(grown.trees[0], grown.nodes, grown.edges, below, position.play(a).board[0], 0, -1, 1)

    def edge_of(node, point):
        return int(np.flatnonzero(grown.edges_of(grown.nodes[node])["move"] == point)[0])

    path = np.array([[root, edge_of(root, a)], [below, edge_of(below, b)]], np.int32)
    amaf = np.zeros((2, POINTS, 2), np.float32)
    first_plays = np.zeros(POINTS, np.int8)
    first_plays[[a, c]], first_plays[[b, d]] = WHITE, BLACK
    selection.record_rollout(first_plays, 1.0, 1.0, amaf)
    assert not first_plays.any()
    selection.backup_amaf(grown.nodes, grown.edges, 2, path, BLACK, 1.0, amaf)
    assert not amaf.any()
    seen = {(node, point): tuple(map(float, grown.edges_of(grown.nodes[node])[edge_of(node, point)][
                ["rave_visits", "rave_q"]].item()))
            for node, points in ((root, (a, b, c, d)), (below, (b, c, d))) for point in points}
    assert seen == {(root, a): (1, 1), (root, b): (0, 0), (root, c): (0, 0), (root, d): (1, 1),
                    (below, b): (1, -1), (below, c): (1, -1), (below, d): (0, 0)}


# ---- the schedule

@pytest.mark.parametrize("visits, rave_visits, bias, beta", [
    (0, 1, 0.1, 1.0), (0, 1000, 0.1, 1.0), (10, 10, 0.0, 0.5), (30, 10, 0.0, 0.25),
    (100, 100, 0.05, 1 / 3),                             # 100 / (100 + 100 + 4 0.0025 10,000)
    (2500, 1e12, 0.01, 0.5),                             # n = 1 / (4 b²): half, however many AMAF visits there are
    (250_000, 1e12, 0.01, 1 / 101),
])
def test_the_weight_of_rave_is_the_minimum_mse_schedule(visits, rave_visits, bias, beta):
    weight = selection.rave_weight(np.float32(visits), np.float32(rave_visits), np.float32(bias))
    assert weight == pytest.approx(beta, rel=1e-5)


# ---- searches

def rave_settings(**changes) -> Settings:
    return Settings(**{"rave": True, "heuristic_priors": True, "rollout": "mogo", "seed": 1} | changes)


def test_a_reused_tree_keeps_its_amaf_values():
    search, position = Search(rave_settings(early_stop=False)), GoPosition(5)
    result = search.search(position, simulations=3000)
    point = result.moves[0].point
    child = next(int(edge["node"]) for edge in search.tree.root_edges if edge["move"] == point)
    before = {int(e["move"]): (float(e["rave_visits"]), float(e["rave_q"])) for e in search.tree.edges_of(child)}
    search._set_root(Root(position.play(point), allowed_moves=None, may_pass=True, avoided=AvoidedMoves(), prunes=False,
                          unsettled=None))
    after = {int(e["move"]): (float(e["rave_visits"]), float(e["rave_q"])) for e in search.tree.root_edges}
    assert before == after and min(visits for visits, _ in after.values()) > 10


def test_rave_makes_the_tree_of_19x19_deep():
    """4,000 simulations: the flat bandit of UCB1 gives its best move 1 in 70 of them, RAVE 1 in 10 at least."""
    share = {}
    for rave_on in False, True:
        settings = rave_settings(rave=rave_on, heuristic_priors=rave_on, early_stop=False)
        result = Search(settings).search(GoPosition(19), simulations=4000)
        share[rave_on] = result.moves[0].visits / 4000, result.depth
    assert share[False][0] < 0.03 and share[True][0] > 0.1
    assert share[True][1] > share[False][1] + 0.5
