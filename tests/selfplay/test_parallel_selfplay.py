"""Parallel self-play: the search of `mcts`, Dirichlet noise, temperature, legal games."""
from dataclasses import replace

import numpy as np
import pytest

from mugo.games import go, gomoku
from mugo.games.coords import point_at, point_of_index, symmetries
from mugo.games.rules import NAMED_RULES
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.mcts.records import NULL_NODE
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.selfplay import parallel
from mugo.selfplay.options import SelfPlayOptions
from mugo.selfplay.parallel import ParallelSelfPlay


class HashNetwork(NetworkProtocol):
    """Priors and values that are functions of the position, so irregular that no two moves are equally good."""
    has_value = True
    has_ownership = False
    name = "hash"

    def __init__(self):
        self.positions_evaluated = 0

    def evaluate_packed(self, packed, features=None):
        n, points = len(packed), packed.shape[1]
        self.positions_evaluated += n
        weights = np.sqrt(np.arange(2, points + 3))
        counts = (packed.astype(np.float64).sum(2) * weights[:-1]).sum(1)
        values = np.sin(counts).astype(np.float32) / 2
        priors = 1.5 + np.sin(np.outer(1 + counts, weights))
        return NetworkOutput((priors / priors.sum(1, keepdims=True)).astype(np.float32), values)


def play_games(selfplay: ParallelSelfPlay, n: int) -> list:
    games = []
    selfplay.play(games.append, lambda: len(games) >= n)
    return games


DETERMINISTIC = SelfPlayOptions(simulations=60, dirichlet_weight=0, temperature_moves=0)


@pytest.mark.parametrize("start", [gomoku.GomokuPosition(4, 3), gomoku.GomokuPosition(6, 4), go.GoPosition(4, 0.5),
                                   go.GoPosition(2, 0.5)], ids=["4x4x3", "6x6x4", "go 4x4", "go 2x2"])
def test_games_are_legal_and_have_their_outcome(start):
    games = play_games(ParallelSelfPlay(start, HashNetwork(), SelfPlayOptions(simulations=24, temperature_moves=4),
                                        games=5, seed=1), 12)
    assert len({game.moves.tobytes() for game in games}) > 6
    for game in games:
        position = start
        for move, visits in zip(game.moves.tolist(), game.visits, strict=True):
            legal = set(position.sensible_points().tolist())
            visited = {point_of_index(int(i), start.size) for i in np.flatnonzero(visits)}
            assert visited - {0} <= legal and visits[move] > 0
            position = position.play(point_of_index(move, start.size))
        assert position.is_over or position.plies == 3 * start.size ** 2
        assert game.outcome == np.sign(position.score())


def test_a_game_is_searched_as_by_a_search_of_its_own():
    """Without noise, temperature and random symmetries, every move is that of Search, with the same visits."""
    start = gomoku.GomokuPosition(5, 4)
    network = HashNetwork()
    selfplay = ParallelSelfPlay(start, network, replace(DETERMINISTIC, max_moves=4), games=3, seed=2)
    selfplay._symmetries = np.repeat(selfplay._symmetries[:1], 8, 0)             # identity
    game = play_games(selfplay, 1)[0]
    search = Search(Settings(rollout="none", c=DETERMINISTIC.c, batch=1, seed=3, early_stop=False), network)
    position = start
    for move, visits in zip(game.moves.tolist(), game.visits, strict=True):
        result = search.search(position, simulations=60)
        found = {info.point: info.visits for info in result.moves if info.visits}
        assert sum(found.values()) == int(visits.sum())
        assert found == {point_of_index(int(i), start.size): int(visits[i]) for i in np.flatnonzero(visits)}
        position = position.play(point_of_index(move, start.size))


@pytest.mark.parametrize("komi, wins", [(3.5, True), (-3.5, False)])
def test_the_search_counts_with_komi(komi, wins):
    """After Black's pass White's pass ends the game, on an empty board."""
    selfplay = ParallelSelfPlay(go.GoPosition(3, komi).play(0), HashNetwork(), DETERMINISTIC, games=2, seed=1)
    game = play_games(selfplay, 1)[0]
    assert (np.flatnonzero(game.visits[0]).tolist() == [9]) == wins
    assert game.outcome == -1 or not wins


class TurnedNetwork(HashNetwork):
    """HashNetwork for planes that are all in one symmetry: what it says of them is turned back, and then turned."""

    def __init__(self, symmetry):
        super().__init__()
        self.symmetry = symmetry

    def evaluate_packed(self, packed, features=None):
        output = super().evaluate_packed(np.ascontiguousarray(packed[:, self.symmetry[:-1]]))
        turned = np.empty_like(output.priors)
        turned[:, self.symmetry] = output.priors
        return output._replace(priors=turned)


def test_priors_are_turned_back_from_the_symmetry_of_the_planes():
    def first_moves(k):
        start = gomoku.GomokuPosition(5, 4)
        symmetry = symmetries(5)[k]
        selfplay = ParallelSelfPlay(start, TurnedNetwork(symmetry), replace(DETERMINISTIC, max_moves=4), games=2,
                                    seed=2)
        selfplay._symmetries = np.repeat(symmetry[None], 8, 0)
        game = play_games(selfplay, 1)[0]
        return game.moves.tolist(), game.visits.tolist()

    assert all(first_moves(k) == first_moves(0) for k in range(1, 8))


def test_every_leaf_is_evaluated_with_the_komi_of_its_side_to_move():
    class KnowsKomi(HashNetwork):
        def evaluate_packed(self, packed, features=None):
            black_to_play = packed[:, 0, 0] & 1 == 1                 # Black has a stone in every corner
            assert np.array_equal(features[:, 0], np.where(black_to_play, -8.5, 8.5))
            self.sides = self.sides | set(black_to_play.tolist())
            return super().evaluate_packed(packed)

        sides = frozenset()

    start = go.GoPosition(5, 7.5).with_stones(black=[point_at(row, col, 5) for row in (0, 4) for col in (0, 4)])
    start.handicap = 1
    start = start.with_rules(NAMED_RULES["chinese"])
    network = KnowsKomi()
    play_games(ParallelSelfPlay(start, network, replace(DETERMINISTIC, simulations=8, max_moves=4), games=2, seed=1), 2)
    assert network.sides == {True, False}


def root_priors(**options) -> np.ndarray:
    """The priors of the first position in a game, after two simulations."""
    selfplay = ParallelSelfPlay(gomoku.GomokuPosition(5, 4), HashNetwork(), replace(DETERMINISTIC, **options), games=1,
                                seed=1)
    selfplay._symmetries = np.repeat(selfplay._symmetries[:1], 8, 0)
    selfplay._simulate()
    selfplay._simulate()
    edges = selfplay._root_edges(0)
    return edges["prior"][np.argsort(edges["move"])].astype(float)


def test_noise_at_the_root_is_a_mixture_with_a_dirichlet_distribution():
    noise = {alpha: (root_priors(dirichlet_weight=0.25, dirichlet_alpha=alpha) - 0.75 * root_priors()) / 0.25
             for alpha in (0.03, 1000)}
    for sample in noise.values():
        assert sample.sum() == pytest.approx(1, abs=1e-5) and sample.min() > -1e-6
    assert noise[0.03].max() > 0.3 and np.abs(noise[1000] - 1 / 25).max() < 0.01


def test_exactly_the_first_moves_are_sampled():
    options = SelfPlayOptions(simulations=40, dirichlet_weight=0, temperature_moves=3)
    games = play_games(ParallelSelfPlay(gomoku.GomokuPosition(5, 4), HashNetwork(), options, games=8, seed=7), 16)
    is_most_visited = np.array([game.visits[range(5), game.moves[:5]] == game.visits[:5].max(1) for game in games])
    assert not is_most_visited[:, :3].all(0).any() and is_most_visited[:, 3:].all()


def test_every_move_has_its_simulations_and_the_tree_is_reused():
    selfplay = ParallelSelfPlay(gomoku.GomokuPosition(6, 4), HashNetwork(), DETERMINISTIC, games=2, seed=4)
    game = play_games(selfplay, 1)[0]
    sums = game.visits.sum(1)
    assert sums[0] == 59                                         # the first simulation expands the root
    assert (sums[1:5] >= 60).all() and (sums[1:5] > 60).any()    # later some of the moves tried are proven losses
    assert (game.visits[np.arange(len(game.moves)), game.moves] == game.visits.max(1)).all()


@pytest.mark.parametrize("kept_nodes", [0, 1, parallel.KEPT_NODES])
def test_every_simulation_has_a_node_however_much_of_the_tree_is_kept(monkeypatch, kept_nodes):
    """A network that is sure of its moves: nearly the whole tree is below the move that is played."""
    class SureNetwork(HashNetwork):
        def evaluate_packed(self, packed, features=None):
            output = super().evaluate_packed(packed)
            priors = output.priors ** 20
            return output._replace(priors=priors / priors.sum(1, keepdims=True), values=output.values / 10)

    monkeypatch.setattr(parallel, "KEPT_NODES", kept_nodes)
    selfplay = ParallelSelfPlay(gomoku.GomokuPosition(8), SureNetwork(), replace(DETERMINISTIC, max_moves=12), games=2,
                                seed=1)
    kept, play_move = [], selfplay._play_move

    def watched(g):
        edges = selfplay._edges[g, :selfplay._trees[g]["n_edges"]]
        assert not ((edges["visits"] > 0) & (edges["node"] == NULL_NODE)).any()
        game = play_move(g)
        kept.append(int(selfplay._trees[g]["n_nodes"]) - 2)
        return game

    selfplay._play_move = watched
    play_games(selfplay, 2)
    assert max(kept) <= 60 * kept_nodes and (max(kept) > 60) == (kept_nodes > 2)


@pytest.mark.parametrize("simulations", [2, 8, 60])
def test_the_target_of_a_proven_win_is_that_move_and_of_a_threat_the_block(simulations):
    options = SelfPlayOptions(simulations=simulations)   # with noise, and moves sampled by visits
    start = gomoku.GomokuPosition(8).with_stones(*([point_of_index(i, 8) for i in row] for row in ((9, 10, 11, 12),
                                                                                             (24, 25, 26, 27))))
    for to_play, wins in (1, {8, 13}), (-1, {28}):
        selfplay = ParallelSelfPlay(start.with_turn(to_play), HashNetwork(), options, games=4, seed=1)
        for game in play_games(selfplay, 4):
            assert set(np.flatnonzero(game.visits[0]).tolist()) <= wins and len(game.moves) == 1
            assert game.visits[0].sum() > 0
    threat = gomoku.GomokuPosition(8).with_stones([point_of_index(i, 8) for i in (9, 10, 11)],
                                            [point_of_index(i, 8) for i in (24, 25, 26, 27)])
    for game in play_games(ParallelSelfPlay(threat, HashNetwork(), options, games=4, seed=1), 4):
        assert np.flatnonzero(game.visits[0]).tolist() == [28]


def test_games_without_noise_temperature_and_symmetries_are_equal():
    """The seed changes nothing then, until two moves have equal visits and one is chosen at random.  Each of noise,
    temperature and symmetries alone makes games differ."""
    def first_moves(seed, symmetric=False, **options):
        selfplay = ParallelSelfPlay(gomoku.GomokuPosition(5, 4), HashNetwork(),
                                    replace(DETERMINISTIC, max_moves=8, **options), games=2, seed=seed)
        if not symmetric:
            selfplay._symmetries = np.repeat(selfplay._symmetries[:1], 8, 0)     # identity
        game = play_games(selfplay, 1)[0]
        ties = (game.visits == game.visits.max(1, keepdims=True)).sum(1) > 1
        moves = int(ties.argmax()) if ties.any() else len(ties)
        return game.moves[:moves].tobytes() + game.visits[:moves + 1].tobytes()

    assert len({first_moves(seed) for seed in range(3)}) == 1
    for random in {"dirichlet_weight": 0.25}, {"temperature_moves": 3}, {"symmetric": True}:
        assert len({first_moves(seed, **random) for seed in range(3)}) == 3
        assert first_moves(1, **random) == first_moves(1, **random)


def test_games_do_not_depend_on_the_number_of_threads():
    options = SelfPlayOptions(simulations=24, temperature_moves=4, max_moves=8)

    def games(threads):
        selfplay = ParallelSelfPlay(gomoku.GomokuPosition(5, 4), HashNetwork(), options, games=5, seed=3,
                                    threads=threads)
        return [(game.moves.tobytes(), game.visits.tobytes()) for game in play_games(selfplay, 8)]

    assert games(1) == games(2) == games(8)


def test_a_game_of_max_moves_is_scored_as_it_stands():
    games = play_games(ParallelSelfPlay(go.GoPosition(3, 0.5), HashNetwork(),
                                        SelfPlayOptions(simulations=8, max_moves=5), games=4, seed=9), 12)
    unfinished = [game for game in games if len(game.moves) == 5 and game.moves[-2:].tolist() != [9, 9]]
    assert max(len(game.moves) for game in games) == 5 and unfinished
    assert {game.outcome for game in games} <= {-1, 1}
