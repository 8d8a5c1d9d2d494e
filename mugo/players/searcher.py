"""Players that search: uct and mcts."""
import functools
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mugo.core.files import BadInput
from mugo.games import scoring
from mugo.games.board import WHITE
from mugo.games.coords import MAX_MOVES, PASS
from mugo.games.go import GoPosition
from mugo.games.area import expected_gain
from mugo.games.position import BasePosition
from mugo.players import passing
from mugo.players.passing import MIN_VISITS
from mugo.players.play_options import DEFAULT_PLAY_OPTIONS, SECONDS, PlayOptions
from mugo.players.player import FREE, RESIGN, SearchControl, pass_or_raise, sampled_move
from mugo.mcts import solver
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.search import Search

BRIEF_EDGES = 1_000_000   # of the tree of brief searches
MOVES_PER_POINT = 0.6     # of a game: about 200 moves on 19x19
KOMI_STEP = 7             # points
MAX_KOMI_SHARE = 0.9      # of the points of the board: with more White would win by the search whatever Black plays


def balanced(position: BasePosition) -> BasePosition:
    """This position; in a handicap game with the komi that makes it about even, as long as most moves are to come.

    Far ahead or behind, all moves win or lose in the search alike.  This is Pachi's linear dynamic komi (Baudis 2011,
    "Balancing MCTS by Dynamically Adjusting the Komi Value"), in steps, since each change begins a new tree.
    """
    if not isinstance(position, GoPosition):
        return position
    left = max(0.0, 1 - position.plies / (MOVES_PER_POINT * position.area))
    gain = expected_gain(position.handicap, position.white_points, 1.0) / KOMI_STEP
    most = (MAX_KOMI_SHARE * position.area - position.white_points) // KOMI_STEP
    steps = round(min(gain, most) * left)
    return position.with_komi(position.komi + KOMI_STEP * steps) if steps > 0 else position


class _LastMove(NamedTuple):
    """The position that was searched for a move, and how many of that side in a row, with this one, were hopeless."""
    searched: BasePosition
    hopeless_moves: int

    def is_followed_by(self, position: BasePosition) -> bool:
        """Whether a position is two moves later in the same game."""
        return np.array_equal(position.history[:-2], self.searched.history)


class SearchPlayer:
    """Plays the move a search prefers; in Go, passing.py decides when it passes instead.

    search_result: the last move's, None before the first.
    """

    def __init__(self, name: str, search: Search, play_options: PlayOptions = DEFAULT_PLAY_OPTIONS,
                 temperature: float = 1):
        """temperature: for moves by play_options.human_move_prop."""
        self.name = name
        self.search = search
        self.network = search.network
        self.search_result: SearchResult | None = None
        self._control = FREE                             # of the last move
        self._play_options = play_options
        self.temperature = temperature
        self._rng = np.random.default_rng(search.settings.seed)          # of the moves of human_move_prop
        self._second_search: Search | None = None
        self._has_other_komi = False                     # whether search_result is with another komi than the game's
        self._last_moves: dict[int, _LastMove] = {}      # the last one of each colour, if it came of a search

    @property
    def select_by(self) -> str:
        """How its move is chosen, as in SearchResult.best."""
        return self._play_options.select_by

    def select_move(self, position: BasePosition, *, seconds: float | None = None, cleanup: bool = False,
                    control: SearchControl = FREE) -> int:
        self.search_result, self._control = None, control
        last = self._last_moves.pop(position.to_play, None)
        if last and not last.is_followed_by(position):
            last = None
        allowed = control.avoided.considered_at(position)
        if not len(position.sensible_points()) and not allowed:
            return pass_or_raise(position)
        if control.avoided.depths:
            return self._select_allowed(position, seconds, allowed)
        cleanup = cleanup or not position.removes_dead_stones
        plan = passing.plan_move(position, cleanup)
        if plan.wins_by_pass and len(plan.moves_first) < 2:
            return next(iter(plan.moves_first), PASS)
        allowed_moves = plan.moves_first or None
        limit = self._seconds(seconds)
        deadline = None if limit is None else self.search.now() + limit
        if plan.may_pass and limit is not None:               # the rest is for the search after a pass
            limit *= 0.8
        searched = balanced(position) if self._play_options.dynamic_komi and not plan.may_pass else position
        self._has_other_komi = searched is not position
        result = self._search(searched, limit, allowed_moves=allowed_moves,
                              may_pass=plan.may_pass and not (allowed_moves or plan.may_end_game),
                              select_by=None if plan.may_end_game else self._play_options.select_by)
        best = result.best(self._play_options.select_by)
        is_hopeless = not allowed_moves and self._is_hopeless(best, position.to_play)
        hopeless_moves = (last.hopeless_moves if last else 0) + (
            position.plies >= 20 * position.handicap) if is_hopeless else 0
        self._last_moves[position.to_play] = _LastMove(searched, hopeless_moves)
        if allowed_moves:
            return best.point
        is_lost = not (plan.may_end_game and passing.value_of_last_pass(position))
        if hopeless_moves >= self._play_options.resign_moves and is_lost:
            return RESIGN
        point = best.point
        if position.may_pass and not self._has_other_komi:
            point = passing.move_or_pass(functools.partial(self._search_briefly, deadline), result, best,
                                         cleanup=cleanup, plan=plan,
                                         rollout_weight=self.search.settings.resolved(self.network).lambda_)
        return self._with_human_moves(position, point)

    def _search(self, position: BasePosition, seconds: float | None, **options: Any) -> SearchResult:
        """Search a position; the result is also kept as search_result.  options: as in Search.search."""
        self.search_result = self.search.search(
            position, simulations=self._play_options.simulations, visits=self._play_options.visits, seconds=seconds,
            should_stop=self._control.should_stop, on_progress=self._control.on_progress,
            progress_interval=self._control.progress_interval, **options)
        return self.search_result

    def _is_hopeless(self, best: MoveInfo, colour: int) -> bool:
        """Whether the best move of the last search counts towards resigning.  A raised komi flatters White: then only
        White's low win rate says something about the game."""
        return (best.win_rate < self._play_options.resign and (best.visits >= MIN_VISITS or best.proven is not None)
                and (not self._has_other_komi or colour == WHITE))

    def _with_human_moves(self, position: BasePosition, point: int) -> int:
        """The move of a search, or instead of one that is not a pass, with a probability, one of the network's."""
        if point == PASS or self.network is None or self._rng.random() >= self._play_options.human_move_prop:
            return point
        priors = self.network.evaluate([position]).priors[0]
        return sampled_move(position, priors, position.sensible_points(), self.temperature, self._rng)

    def _select_allowed(self, position: BasePosition, seconds: float | None, allowed: list[int] | None) -> int:
        """The move by a search without the moves to avoid, with the komi of the game.  allowed: those left at the root;
        None all.  Raises BadInput in Gomoku if there is none."""
        self._has_other_komi = False
        if allowed is not None:
            if not allowed and not position.may_pass:
                raise BadInput("every move is outside the region, or left out")
            if not set(allowed) - {PASS}:
                return PASS
        result = self._search(position, self._seconds(seconds), allowed_moves=allowed, avoided=self._control.avoided,
                              may_pass=allowed is None and passing.may_search_pass(position, may_end_game=False),
                              select_by=self._play_options.select_by)
        return result.best(self._play_options.select_by).point

    def _search_briefly(self, deadline: float | None, position: BasePosition, **options: Any) -> SearchResult | None:
        """A search with a quarter of the last move's simulations; None if it had too little time to be relied on.
        deadline: in seconds of search.now; None without one.  options: as in Search.search."""
        assert self.search_result is not None
        left = None if deadline is None else deadline - self.search.now()
        if left is not None and left <= 0:
            return None
        simulations = max(self.search_result.simulations, MIN_VISITS) // 4
        result = self._brief_search.search(position, simulations=simulations, seconds=left,
                                           should_stop=self._control.should_stop, **options)
        return result if result.visits >= MIN_VISITS // 4 or result.proven is not None else None

    @property
    def _brief_search(self) -> Search:
        """A search with a tree of its own, so that the tree of the game is kept."""
        if self._second_search is None:
            settings = self.search.settings
            settings = replace(settings, max_edges=min(settings.max_edges, BRIEF_EDGES), reuse_tree=False,
                               early_stop=False)         # it needs a number of visits, not a choice
            self._second_search = Search(settings, self.network, self.search.now)
        return self._second_search

    def _seconds(self, seconds: float | None) -> float | None:
        """The time for a move: the player's own and the clock's, whichever is less; None without a limit."""
        own = self._play_options.seconds
        if own is None and seconds is None and self._play_options.simulations is self._play_options.visits is None:
            own = SECONDS
        return min((limit for limit in (own, seconds) if limit is not None), default=None)

    def explain(self) -> str:
        result = self.search_result
        if result is None:
            return ""
        text = result.describe(result.best(self._play_options.select_by))
        return f"{text}, with komi {result.position.komi:g}" if self._has_other_komi else text

    def warm_up(self, start: BasePosition) -> None:
        position = start
        for _ in range(2):                   # the second search reuses the tree of the first
            points = position.sensible_points()
            if not len(points) or position.plies >= MAX_MOVES:
                return
            self.search.search(position, simulations=2)
            position = position.play(int(points[0]))
        tree = self.search.tree                          # what follows is first needed late in a game, on the clock
        solver.proof_lengths(tree.nodes, tree.edges, tree.n_nodes, tree.root)
        if position.may_pass:
            scoring.final_score(position)
