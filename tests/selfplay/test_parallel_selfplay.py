"""Self-play many games at once: the same search as `mcts`, noise, drawn moves, and games that are really played."""
import numpy as np
import pytest

from mugo.files import BadInput
from mugo.games import go, gomoku
from mugo.games.coords import point_of_index
from mugo.search.search import Search
from mugo.search.settings import Settings
from mugo.selfplay.parallel import Manner, Simul


class Hashing:
    """Priors and values that depend on the position alone, so irregular that no two moves are equally good."""
    has_value = True
    name = "hashing"

    def __init__(self):
        self.positions_evaluated = 0

    def evaluate_packed(self, packed):
        n, points = len(packed), packed.shape[1]
        self.positions_evaluated += n
        weights = np.sqrt(np.arange(2, points + 3))
        counts = (packed.astype(np.float64).sum(2) * weights[:-1]).sum(1)
        values = np.sin(counts).astype(np.float32) / 2
        priors = 1.5 + np.sin(np.outer(1 + counts, weights))
        return (priors / priors.sum(1, keepdims=True)).astype(np.float32), values


def games_of(simul: Simul, n: int) -> list:
    games = []
    simul.play(games.append, lambda: len(games) >= n)
    return games


QUIET = Manner(simulations=60, noise=0, drawn=0)


@pytest.mark.parametrize("start", [gomoku.Position(4, 3), gomoku.Position(6, 4), go.Position(4, 0.5)],
                         ids=["4x4x3", "6x6x4", "go 4x4"])
def test_games_keep_the_rules_and_end_as_they_say(start):
    games = games_of(Simul(start, Hashing(), Manner(simulations=24, drawn=4), games=5, seed=1), 12)
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


def test_a_game_is_searched_as_mcts_searches_it_alone():
    """Without noise, draws and turned planes every move is the one that Search finds, with its visits."""
    start = gomoku.Position(5, 4)
    network = Hashing()
    simul = Simul(start, network, QUIET, games=3, seed=2)
    simul._turns = np.repeat(simul._turns[:1], 8, 0)             # nothing is turned
    game = games_of(simul, 1)[0]
    alone = Search(Settings(rollout="none", c=QUIET.c, batch=1, seed=3, early_stop=False), network)
    position = start
    for move, visits in zip(game.moves[:4].tolist(), game.visits, strict=False):
        result = alone.search(position, simulations=60)
        found = {info.point: info.visits for info in result.moves if info.visits}
        assert sum(found.values()) == int(visits.sum())
        assert found == {point_of_index(int(i), 5): int(visits[i]) for i in np.flatnonzero(visits)}
        position = position.play(point_of_index(move, 5))


def test_every_move_has_its_simulations_and_the_tree_is_kept():
    simul = Simul(gomoku.Position(6, 4), Hashing(), QUIET, games=2, seed=4)
    game = games_of(simul, 1)[0]
    sums = game.visits.sum(1)
    assert sums[0] == 59                                         # the first simulation grows the root
    assert (sums[1:] >= 60).all() and (sums[1:] > 60).any()
    assert (game.visits[np.arange(len(game.moves)), game.moves] == game.visits.max(1)).all()


def test_what_ends_a_game_asks_no_network():
    network = Hashing()
    simul = Simul(gomoku.Position(3, 3), network, QUIET, games=4, seed=5)
    games_of(simul, 8)
    assert network.positions_evaluated < 0.6 * simul.simulations


def test_noise_makes_openings_differ_and_no_noise_makes_them_equal():
    def first_moves(manner):
        simul = Simul(gomoku.Position(5, 4), Hashing(), manner, games=8, seed=6)
        return {game.moves[0] for game in games_of(simul, 16)}

    assert len(first_moves(Manner(simulations=30, noise=0.9, drawn=0))) > 3
    assert len(first_moves(Manner(simulations=30, noise=0, drawn=9))) > 3


def test_a_temperature_near_zero_draws_the_most_visited_move():
    games = games_of(Simul(gomoku.Position(5, 4), Hashing(), Manner(simulations=40, drawn=99, temperature=0.01),
                           games=4, seed=7), 6)
    for game in games:
        chosen = game.visits[np.arange(len(game.moves)), game.moves].astype(int)
        assert (chosen >= 0.9 * game.visits.max(1)).all()


def test_the_network_can_be_replaced_while_games_go_on():
    class Counting(Hashing):
        pass

    simul = Simul(gomoku.Position(6, 4), Hashing(), QUIET, games=4, seed=8)
    games_of(simul, 1)
    simul.network = Counting()
    games_of(simul, 4)
    assert simul.network.positions_evaluated > 0


def test_a_game_without_end_is_counted_as_it_stands():
    game = games_of(Simul(go.Position(3, 0.5), Hashing(), Manner(simulations=8, most_moves=5), games=2, seed=9), 1)[0]
    assert len(game.moves) == 5 and game.outcome in (-1, 1)


@pytest.mark.parametrize("options, line", [
    ({"simulations": 1}, "simulations: 2 or more, not 1"), ({"noise": 1.5}, "noise is a share from 0 to 1, not 1.5"),
    ({"alpha": 0}, "alpha is more than 0, not 0"), ({"temperature": 0}, "temperature is more than 0, not 0"),
    ({"most_moves": -1}, "most moves: 0 or more, not -1"),
])
def test_options_that_make_no_sense_are_refused(options, line):
    with pytest.raises(BadInput, match=line):
        Manner(**options)
