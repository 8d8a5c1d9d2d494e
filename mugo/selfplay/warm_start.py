"""The first games of a run, played by UCT: a warm start.

A network that knows nothing teaches itself little: on a large board its first games are noise.  So the first games may
be searched without it, by rollouts and RAVE (Wang, Preuss and Plaat 2020, "Warm-Start AlphaZero Self-Play Search
Enhancements", arXiv:2004.12357), here with the heuristic priors of `uct` as well.  The network learns from them as from
its own: the visits of every search, and the outcome.
"""
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mugo.games.coords import move_index, point_of_index
from mugo.games.position import BasePosition
from mugo.players.searcher import UCT
from mugo.mcts.result import SearchResult
from mugo.mcts.search import Search
from mugo.selfplay.options import RunOptions
from mugo.selfplay.parallel import POLICY_UNITS, SelfPlayGame, sampled_move


class UctSelfPlay:
    """Plays games one after the other by UCT, with options.warm_start_simulations a move.

    Moves are sampled as in ParallelSelfPlay.  seed: of searches and samples.  simulations: so far.
    """

    def __init__(self, start: BasePosition, options: RunOptions, *, seed=None):
        self.simulations = 0
        self._start, self._options = start, options
        self._rng = np.random.default_rng(seed)
        self._max_moves = options.selfplay.max_moves or 3 * start.size ** 2

    def play(self, on_game: Callable[[SelfPlayGame], None], should_stop: Callable[[], bool]) -> None:
        """Play until should_stop() is true; the game under way is dropped.

        on_game: called with each finished game.
        """
        while not should_stop():
            game = self._play_game(should_stop)
            if game is not None:
                on_game(game)

    def _play_game(self, should_stop: Callable[[], bool]) -> SelfPlayGame | None:
        """A game; None if it was stopped."""
        simulations, size = self._options.warm_start_simulations, self._start.size
        edges = 4 * simulations * (size ** 2 + 1)
        search = Search(replace(UCT, root_symmetry_pruning=False, seed=int(self._rng.integers(2**31)),
                                max_edges=min(UCT.max_edges, 1000 + edges)))
        position, moves, visits = self._start, [], []
        while not position.is_over and position.plies < self._max_moves:
            result = search.search(position, simulations=simulations, should_stop=should_stop, select_by="visits")
            if should_stop():
                return None
            self.simulations += result.simulations
            visits.append(visits_of(result))
            moves.append(sampled_move(visits[-1], len(moves), self._options.selfplay, self._rng))
            position = position.play(point_of_index(moves[-1], size))
        return SelfPlayGame(np.array(moves, np.int16), np.array(visits), int(np.sign(position.score())))


def visits_of(result: SearchResult) -> np.ndarray:
    """uint16 (size² + 1,): visits of the root's moves by move index, as in SelfPlayGame; without any, 1 for each that
    may be played."""
    visits = np.zeros(result.position.area + 1, np.uint16)
    best = max((-1 if info.proven is None else info.proven for info in result.moves), default=0)
    decided = result.proven is not None
    good = [info for info in result.moves if (info.proven == best if decided else info.proven != -1)] or result.moves
    any_visits = any(info.visits for info in good)
    for info in good:
        visits[move_index(info.point, result.position.size)] = min(info.visits, POLICY_UNITS) if any_visits else 1
    return visits
