"""Monte Carlo tree search: position -> visits, win rates, principal variations, ownership.

    uct    Search(Settings(rave=True, ...))       UCB1 with RAVE, leaves evaluated by rollouts
    mcts   Search(Settings(...), network)         PUCT, priors by the network, leaves by its value head and rollouts

    set the root --> [ limits reached? --no--> grow ] --> result

A search ends at its limits, or before them where the choice of the move is decided (is_decided).  The tree is kept
between searches, and the next position is looked up in it.  Which move is played: players.
"""
import math
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from mugo.core.files import log_to_stderr
from mugo.games import rollouts, scoring
from mugo.games.board import SIMPLE_KO
from mugo.games.position import BasePosition
from mugo.mcts import selection, solver
from mugo.mcts.growth import BatchedGrowth, ThreadedGrowth
from mugo.mcts.result import (
    MoveInfo, RootMoves, SearchResult, best_by_lcb, lower_confidence_bounds, move_infos, root_moves, score_of,
    standard_errors, utility_of_score)
from mugo.mcts.root import AvoidedMoves, Root
from mugo.mcts.settings import DEFAULT_SETTINGS, Settings, set_params
from mugo.mcts.tree_arrays import TreeArrays
from mugo.nn.output import NetworkProtocol

CHECK_EVERY = 64                         # simulations between two checks of the limits, where they are constant


@dataclass(frozen=True)
class SearchLimits:
    """The limits of one search.  simulations, deadline: math.inf without a limit.  started, deadline: the time in
    seconds.  select_by: how the move is chosen, as in SearchResult.best; None: the search is to evaluate."""
    settings: Settings
    simulations: float
    started: float
    deadline: float
    select_by: str | None

    def rate(self, done: int, now: float) -> float:
        """Simulations a second."""
        return done / max(now - self.started, 1e-6)

    def simulations_left(self, done: int, now: float) -> float:
        """How many simulations are left, at most; the rate is unknown at first."""
        left = self.simulations - done
        if self.deadline == math.inf:
            return left
        if now - self.started <= (self.deadline - self.started) / 20:
            return math.inf
        return min(left, (self.deadline - now) * self.rate(done, now))

    def are_reached(self, done: int, now: float, moves: Callable[[], RootMoves]) -> bool:
        """Whether the search ends after this many simulations.  moves: returns those at the root."""
        return done >= self.simulations or now >= self.deadline or (
            self.settings.early_stop
            and is_decided(moves(), self.simulations_left(done, now), self.select_by, self.settings))


def is_decided(moves: RootMoves, left: float, select_by: str | None, settings: Settings) -> bool:
    """Whether `left` more simulations, whatever their values, cannot change which move is chosen.  select_by: as in
    SearchLimits; None is by visits, but does not end because one move is left."""
    if len(moves.visits) < 2:
        return select_by is not None and len(moves.visits) == 1
    if select_by == "value":                             # every simulation may change it
        return False
    if select_by == "lcb":
        return left < math.inf and _is_decided_by_lcb(moves, left, settings)
    second, first = np.partition(moves.visits, len(moves.visits) - 2)[-2:]
    return bool(first - second > left)


def _is_decided_by_lcb(moves: RootMoves, left: float, settings: Settings) -> bool:
    """By bounds: the chosen move loses all simulations that are left, or any other move wins them all."""
    visits, means, squares = moves
    most = left * (1 + settings.score_utility_factor(0))         # the sum of the values that are left, on any board
    chosen = best_by_lcb(visits, lower_confidence_bounds(*moves, settings.lcb_stdevs), settings.min_visit_prop_for_lcb)
    n = visits[chosen]
    others = np.arange(len(visits)) != chosen
    if n == 0 or n < settings.min_visit_prop_for_lcb * (visits[others].max() + left):
        return False
    lowest, highest = ((n * means[chosen] + sign * most) / (n + left) for sign in (-1, 1))
    least_square = 0.0 if lowest < 0 < highest else min(lowest ** 2, highest ** 2)
    variance = (n * squares[chosen] + most ** 2 / max(left, 1)) / (n + left) - least_square
    worst = lowest - settings.lcb_stdevs * standard_errors(np.array([n]), np.array([variance]))[0]
    contenders = others & (visits + left >= settings.min_visit_prop_for_lcb * visits.max())
    best = (visits * means + most) / np.maximum(visits + left, 1)
    return bool((best[contenders] < worst).all())


class Search:
    """A search tree, and searches that grow it.

    network: None without one.
    now: the time in seconds.  tree: its arrays.  growth: what grows it.
    reports_full_tree: on stderr, once for each tree; set it where a person gives the options of the search.
    Raises BadInput for settings that need a network, or none.
    """

    def __init__(self, settings: Settings = DEFAULT_SETTINGS, network: NetworkProtocol | None = None,
                 now: Callable[[], float] = time.perf_counter):
        self.settings = settings
        self.network = None if network is None else network.for_search()
        self.now = now
        self.reports_full_tree = False
        self.tree = TreeArrays(settings.max_edges)
        self._rng = np.random.default_rng(settings.seed)
        set_params(self.tree.params, settings.resolved(network), network is not None)
        executor = ThreadPoolExecutor(settings.threads) if settings.threads > 1 else None
        self.growth: BatchedGrowth | ThreadedGrowth = (
            ThreadedGrowth(self.tree, settings.threads, self._rng, executor) if network is None else
            BatchedGrowth(self.tree, settings, self._rng, executor))
        self._root: Root | None = None                   # of the newest search, if its tree may be reused
        self._has_reported = False

    # -- one search

    def search(self, position: BasePosition, *, simulations: int | None = None, seconds: float | None = None,
               visits: int | None = None, may_pass: bool = True, allowed_moves: Collection[int] | None = None,
               should_stop: Callable[[], bool] = lambda: False,
               on_progress: Callable[[SearchResult], None] | None = None,
               progress_interval: float = 1.0, select_by: str | None = None,
               avoided: AvoidedMoves | None = None) -> SearchResult:
        """Search a position until the first of the limits; without any, until `should_stop`.

        simulations: the simulations of this search, those of a reused tree not counted.  visits: the visits of the
        root, those counted; at least one simulation is run.
        may_pass: whether a pass is searched at the root when there are other moves.
        allowed_moves: legal points (and PASS) searched at the root; None all that the search considers.
        avoided: moves left out down to a depth, at the root unless allowed_moves are given; in Gomoku there alone.
        select_by: how a move will be chosen, as in SearchResult.best; None: the search is to evaluate.
        should_stop: called between batches, or every LOOK_SECONDS, or CHECK_EVERY simulations.
        on_progress: called with the result so far every progress_interval seconds.
        With early_stop the search also ends when the choice is decided (is_decided).  Raises BadInput as `check` does.
        """
        self.check(position)
        started = self.now()
        self.growth.begin()
        root = Root(position, allowed_moves=allowed_moves, may_pass=may_pass, avoided=avoided or AvoidedMoves(),
                    prunes=self.settings.root_symmetry_pruning, unsettled=self._unsettled(position))
        self._set_root(root)
        most = math.inf if visits is None else visits - int(self.tree.root_node["visits"])
        limits = SearchLimits(self.settings, max(most if simulations is None else min(simulations, most), 1),
                              started, math.inf if seconds is None else started + seconds, select_by)
        reported = started

        def is_due() -> bool:
            return on_progress is not None and self.now() - reported >= progress_interval

        try:
            done = 0 if len(self.tree.root_edges) else self.growth.grow(1)     # with a network, this expands the root
            self._prepare_root(root)
            done = first = done or self.growth.grow(1)
            self.tree.prove_winning_sequence(root.board, root.symmetries.stand_in)
            for done in self._simulations(first, limits, should_stop, is_due):
                if on_progress is not None and is_due():
                    reported = self.now()
                    on_progress(self._result(root, done, reported - started))
            result = self._result(root, done, self.now() - started)
        except BaseException:
            self._root = None                            # virtual losses may be left in it: start a new tree
            raise
        self._report_full_tree(result)
        return result

    def _report_full_tree(self, result: SearchResult) -> None:
        if result.is_full and self.reports_full_tree and not self._has_reported:
            self._has_reported = True
            log_to_stderr(f"{result.warning}; a larger --max-edges than {self.settings.max_edges} takes more memory")

    def check(self, position: BasePosition) -> None:
        """Raise BadInput for a board the network does not play, and for a game of Gomoku that is over."""
        position.check_has_moves()
        self._network_for(position)

    def clear(self) -> None:
        """Drop the tree: the next search starts a new one."""
        self.growth.begin()
        self._root = None

    def _network_for(self, position: BasePosition) -> NetworkProtocol | None:
        """The network for its board; None without one."""
        return None if self.network is None else self.network.for_position(position)

    def _set_root(self, root: Root) -> None:
        """Advance to a root whose position is in the tree and drop the rest, or start a new tree."""
        position, network = root.position, self._network_for(root.position)
        before, self._root = self._root, None            # an interruption leaves no tree of another position
        params = self.tree.params
        selection.set_addresses(params, position.game)
        params["avoids"] = bool(root.avoided.below_root()) and position.game == "go"
        params["avoid_until"] = root.avoided.until(position.plies)
        params["is_unsettled"] = 0
        if root.unsettled is not None:
            params["is_unsettled"][root.unsettled] = 1
        may_reuse = self.settings.reuse_tree and before is not None and root.may_reuse_tree_of(before)
        old_key = self.tree.root_node["key"]
        if self.tree.set_root(root.board, position.area, may_reuse, before is not None and root.may_continue(before),
                              root.asked):
            params["komi"] = position.white_points
            params["simple_ko"] = root.board["ko_rule"] == SIMPLE_KO
            params["mercy"] = rollouts.mercy_threshold(position.shape, position.area_komi)
            self._has_reported = False
        elif before is not None and self.tree.root_node["key"] == old_key:
            root.priors = before.priors
        self.growth.set_root(root, network)
        self._root = root

    def _unsettled(self, position: BasePosition) -> np.ndarray | None:
        """The unsettled points, which share unsettled_prior; None without it, and before the game is nearly over."""
        shares = self.network is not None and self.settings.unsettled_prior > 0 and position.game == "go"
        return scoring.unsettled_points(position) if shares else None

    def _prepare_root(self, root: Root) -> None:
        """Set which edges of the root may be selected, its bounds, and with a network its priors."""
        edges = self.tree.root_edges
        root.restrict(edges)
        self.tree.bound_root(root.board)
        if root.priors is None:
            root.priors = edges["prior"].copy()
        if len(edges) and self.network is not None:
            root.set_priors(edges, self.settings, self._rng)

    def _simulations(self, done: int, limits: SearchLimits, should_stop: Callable[[], bool],
                     is_due: Callable[[], bool]) -> Iterator[int]:
        """Run simulations until a limit is reached; yields their number so far.  done: those already run.  is_due:
        whether progress is to be reported."""
        def ends(done: int, now: float) -> bool:
            return should_stop() or limits.are_reached(done, now, self._root_moves) or (
                self.settings.early_stop and bool(solver.is_proven(self.tree.root_node)))

        chunk = CHECK_EVERY
        while not ends(done, now := self.now()):
            chunk = self.growth.chunk(chunk, limits.rate(done, now), limits.deadline - now)
            if not chunk:
                break
            done += self.growth.grow(int(min(chunk, limits.simulations - done)),
                                     lambda more, done=done: not is_due() and not ends(done + more, self.now()))
            yield done

    # -- results

    def _root_moves(self) -> RootMoves:
        """The statistics of the moves at the root that may be selected and are not proven to lose."""
        edges = self.tree.root_edges
        return root_moves(self.tree.nodes, edges[edges["allowed"] & (edges["upper"] > solver.LOSS)])

    def _root_infos(self, root: Root, lengths: np.ndarray | None = None) -> tuple[MoveInfo, ...]:
        """The moves that may be selected at the root, with the priors that the network gave them."""
        edges, allowed = self.tree.root_edges, self.tree.root_edges["allowed"]
        return move_infos(self.tree.nodes, self.tree.edges, edges[allowed], lengths, self.settings.lcb_stdevs,
                          None if root.priors is None else root.priors[allowed])

    def _result(self, root: Root, simulations: int, seconds: float) -> SearchResult:
        """The statistics of the root."""
        tree, position = self.tree, root.position
        tree.bound_root(root.board)
        node = tree.root_node
        proven = int(node["lower"]) if solver.is_proven(node) else None
        lengths = None
        if proven == solver.WIN:
            lengths = solver.proof_lengths(tree.nodes, tree.edges, tree.n_nodes, tree.root)
        lead, stdev = score_of(node)
        value = float(node["total"]) / max(int(node["visits"]), 1) if proven is None else proven
        of_score = utility_of_score(node) if proven is None else 0.0
        ownership = self.growth.ownership(position)
        return SearchResult(
            position, root.symmetries.with_pruned(self._root_infos(root, lengths)),
            win_rate=min(max((1 + value - of_score) / 2, 0.0), 1.0), visits=int(node["visits"]),
            simulations=simulations, seconds=seconds, depth=float(tree.record["depth_sum"]) / max(simulations, 1),
            nodes=tree.n_nodes - 1, rollouts=int(self.growth.rollouts[:, 0].sum()),
            ownership=None if ownership is None else ownership.astype(np.float32).reshape(position.shape),
            proven=proven, score_lead=lead, score_stdev=stdev, is_full=not tree.has_room(position.area),
            min_visit_prop_for_lcb=self.settings.min_visit_prop_for_lcb, score_utility=of_score)
