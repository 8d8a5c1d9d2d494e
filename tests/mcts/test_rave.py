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
from mugo.mcts import selection
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


def test_without_rave_no_amaf_values_are_kept():
    grown = Grown(GoPosition(5)).simulate(300)
    assert not grown.edges["rave_visits"].any() and not grown.edges["rave_q"].any()


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


def test_rave_makes_the_tree_of_19x19_deep():
    """4,000 simulations: the flat bandit of UCB1 gives its best move 1 in 70 of them, RAVE 1 in 10 at least."""
    share = {}
    for rave_on in False, True:
        settings = rave_settings(rave=rave_on, heuristic_priors=rave_on, early_stop=False)
        result = Search(settings).search(GoPosition(19), simulations=4000)
        share[rave_on] = result.moves[0].visits / 4000, result.depth
    assert share[False][0] < 0.03 and share[True][0] > 0.1
    assert share[True][1] > share[False][1] + 0.5
