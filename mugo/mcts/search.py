"""Monte Carlo tree search: position -> visits, win rates, principal variations, ownership.

    uct    Search(Settings(rave=True, ...))       UCB1 with RAVE, leaves evaluated by rollouts
    mcts   Search(Settings(...), network)         PUCT, priors by the network, leaves by its value head and rollouts

    set the root --> [ limits reached? --no--> grow ] --> result         growth: batched_growth, threaded_growth

The tree is kept between searches, and the next position is looked up in it.  Which move is played: players.
"""
import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from mugo.core.files import log_to_stderr
from mugo.games import rollouts, scoring
from mugo.games.board import SIMPLE_KO, new_boards
from mugo.games.position import BasePosition
from mugo.mcts import formulas, records, scores, solver, stopping
from mugo.mcts.avoided import AvoidedMoves
from mugo.mcts.batched_growth import BatchedGrowth
from mugo.mcts.move_infos import move_infos
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.root_priors import with_dirichlet_noise, with_temperature
from mugo.mcts.root_symmetry import RootSymmetries
from mugo.mcts.settings import DEFAULT_SETTINGS, Settings, set_params
from mugo.mcts.threaded_growth import ThreadedGrowth
from mugo.mcts.tree_arrays import TreeArrays

CHECK_EVERY = 64                         # simulations between two checks of the limits, where they are constant


class Search:
    """A search tree, and searches that grow it.

    network: an object with `has_value` and `evaluate_packed(packed, features)` (nn.inference.Network); if it has
    `for_position`, that returns the network for a position's game and board, or raises BadInput.
    now: the time in seconds.  tree: its arrays.  growth: what grows it.
    reports_full_tree: on stderr, once for each tree; set it where a person gives the options of the search.
    Raises BadInput for settings that need a network, or none.
    """

    def __init__(self, settings: Settings = DEFAULT_SETTINGS, network: Any = None,
                 now: Callable[[], float] = time.perf_counter):
        self.settings = settings
        self.network = network
        self.now = now
        self.reports_full_tree = False
        self.tree = TreeArrays(settings.max_edges)
        self._rng = np.random.default_rng(settings.seed)
        set_params(self.tree.params, settings.resolved(network), network is not None)
        executor = ThreadPoolExecutor(settings.threads) if settings.threads > 1 else None
        self.growth: BatchedGrowth | ThreadedGrowth = (
            ThreadedGrowth(self.tree, settings.threads, self._rng, executor) if network is None else
            BatchedGrowth(self.tree, settings, self._rng, executor))
        self._board = new_boards(1)[0]                   # the root's
        self._history = np.zeros(4096, np.uint64)        # position hashes up to it, and room for a path
        self._root: BasePosition | None = None
        self._allowed_moves: frozenset[int] | None = None        # at the root, in the newest search; None: all
        self._avoided: dict[tuple[int, int], int] = {}           # below the root, in the newest search
        self._is_nearly_over = False                     # the game, in the newest search (unsettled_prior)
        self._has_reported = False

    # -- one search

    def search(self, position: BasePosition, *, simulations: int | None = None, seconds: float | None = None,
               visits: int | None = None, may_pass: bool = True, allowed_moves: Collection[int] | None = None,
               should_stop: Callable[[], bool] = lambda: False,
               on_progress: Callable[[SearchResult], None] | None = None,
               progress_interval: float = 1.0, select_by: str | None = None,
               avoided: AvoidedMoves | None = None) -> SearchResult:
        """Search a position until the first of the limits; without any, until `should_stop`.

        simulations: of this search, those of a reused tree not counted.
        may_pass: whether a pass is searched at the root when there are other moves.
        visits: of the root, those of a reused tree counted; at least one simulation is run.
        allowed_moves: legal points (and PASS) searched at the root, whatever the search thinks of them; None all that
        it considers.
        avoided: moves left out down to a depth; the root has those of allowed_moves, if they are given.  In Gomoku all
        moves are searched below the root.
        select_by: how a move will be chosen, as in SearchResult.best; None: the search is to evaluate.
        should_stop: called between batches, or every LOOK_SECONDS, or CHECK_EVERY simulations.
        on_progress: called with the result so far every progress_interval seconds.
        With early_stop the search also ends when the root is proven, when no simulation that is left can change the
        choice, and, to choose a move, when a single one is not proven to lose (stopping.is_decided).
        Raises BadInput as `check` does.
        """
        self.check(position)
        started = self.now()
        self.growth.begin()
        avoided = avoided or AvoidedMoves()
        if allowed_moves is None:
            allowed_moves = avoided.considered_at(position) or avoided.allowed_at(position)
        asked = allowed_moves
        self._symmetries = RootSymmetries(
            position, allowed_moves, self.settings.root_symmetry_pruning and not avoided.below_root())
        allowed_moves = self._symmetries.searched(position, allowed_moves)
        self._set_root(position, None if allowed_moves is None else frozenset(allowed_moves), asked, avoided)
        most = math.inf if visits is None else visits - int(self.tree.root_node["visits"])
        limits = stopping.SearchLimits(self.settings, max(most if simulations is None else min(simulations, most), 1),
                                       started, math.inf if seconds is None else started + seconds, select_by)
        try:
            done = 0 if len(self.tree.root_edges) else self.growth.grow(1)     # with a network, this expands the root
            reported = started
            self._symmetries.note_priors(self.tree.root_edges)
            with self.tree.restricted_root(position, self._board, may_pass, allowed_moves):
                clean_priors = self._prepare_root()
                try:
                    done = first = done or self.growth.grow(1)
                    self.tree.prove_winning_sequence(self._board, self._symmetries.stand_in)
                    def is_due() -> bool:
                        return on_progress is not None and self.now() - reported >= progress_interval

                    for done in self._simulations(first, limits, should_stop, is_due):
                        if on_progress is not None and is_due():
                            reported = self.now()
                            on_progress(self._result(position, done, reported - started, clean_priors))
                    result = self._result(position, done, self.now() - started, clean_priors)
                finally:
                    if clean_priors is not None:
                        self.tree.root_edges["prior"] = clean_priors
        except BaseException:
            self._root = None                            # virtual losses may be left in it: start a new tree
            raise
        if result.is_full and self.reports_full_tree and not self._has_reported:
            self._has_reported = True
            log_to_stderr(f"{result.warning}; a larger --max-edges than {self.settings.max_edges} takes more memory")
        return result

    def check(self, position: BasePosition) -> None:
        """Raise BadInput for a board the network does not play, and for a game of Gomoku that is over."""
        position.check_has_moves()
        self._network_for(position)

    def clear(self) -> None:
        """Drop the tree: the next search starts a new one."""
        self.growth.begin()
        self._root = None

    def _network_for(self, position: BasePosition) -> Any:
        """The network for its board; None without one."""
        network = self.network
        return network.for_position(position) if hasattr(network, "for_position") else network

    def _set_root(self, position: BasePosition, allowed_moves: frozenset[int] | None, asked: Collection[int] | None,
                  avoided: AvoidedMoves) -> None:
        """Advance the root to a position that is in the tree and drop the rest, or start a new tree, as where other
        moves were allowed at this root, whose visits would count as a preference, or left out below it.
        asked: the moves that get edges in any case."""
        network = self._network_for(position)
        before, self._root = self._root, None            # an interruption leaves no tree of another position
        if (most := position.plies + records.MAX_DEPTH) >= len(self._history):
            self._history = np.zeros(2 * most, np.uint64)
        self._history[:position.plies + 1] = position.history
        self._board = position.board.copy()[0]
        self._board["passes"] = min(self._board["passes"], 1)            # two passes may be searched on
        formulas.set_addresses(self.tree.params, position.game)
        may_reuse = self.settings.reuse_tree and before is not None and before.has_same_rules(position)
        below = avoided.below_root()
        if below or self._avoided:
            may_reuse = may_reuse and below == self._avoided and before is not None and \
                np.array_equal(before.history, position.history)
        self._avoided = below
        may_reuse = not self._set_unsettled(position) and may_reuse
        self.tree.params["avoids"] = bool(below) and position.game == "go"
        self.tree.params["avoid_until"] = avoided.until(position.plies)
        may_keep_root = self._allowed_moves in (None, allowed_moves)
        self._allowed_moves = allowed_moves
        if self.tree.set_root(self._board, position.area, may_reuse, may_keep_root, asked):
            self.tree.params["komi"] = position.white_points
            self.tree.params["simple_ko"] = self._board["ko_rule"] == SIMPLE_KO
            self.tree.params["mercy"] = rollouts.mercy_threshold(position.shape, position.area_komi)
            self._has_reported = False
        self.growth.set_root(position, self._board, self._history, network)
        self._root = position

    def _set_unsettled(self, position: BasePosition) -> bool:
        """Mark the unsettled points, which share unsettled_prior; returns whether the game has become nearly over, so
        that no node of the tree has such priors."""
        shares = self.network is not None and self.settings.unsettled_prior > 0 and position.game == "go"
        unsettled = scoring.unsettled_points(position) if shares else None
        self.tree.params["is_unsettled"] = 0
        if unsettled is not None:
            self.tree.params["is_unsettled"][unsettled] = 1
        was_nearly_over, self._is_nearly_over = self._is_nearly_over, unsettled is not None
        return self._is_nearly_over and not was_nearly_over

    def _prepare_root(self) -> np.ndarray | None:
        """Change the priors of the root for this search; returns them as they were, None where nothing changes."""
        edges, settings = self.tree.root_edges, self.settings
        if not len(edges) or self.network is None:
            return None
        clean_priors = edges["prior"].copy()
        priors = with_temperature(self._symmetries.summed_priors(edges), settings.root_policy_temperature)
        edges["prior"] = with_dirichlet_noise(priors, settings.dirichlet_weight, settings.dirichlet_alpha, self._rng)
        return clean_priors

    def _simulations(self, done: int, limits: stopping.SearchLimits, should_stop: Callable[[], bool],
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

    def _root_moves(self) -> stopping.RootMoves:
        """The statistics of the moves at the root that are not proven to lose."""
        edges = self.tree.root_edges
        return stopping.root_moves(self.tree.nodes, edges[edges["upper"] > solver.LOSS])

    def moves_after(self, moves: Sequence[int] = ()) -> tuple[MoveInfo, ...]:
        """The moves after these moves from the root, the best first; win rates are of the side to move there.
        Very unlikely moves below the root are left out until they are searched.  () where the tree ends before."""
        edges = self.tree.moves_of(self.tree.node_after(moves))
        return move_infos(self.tree.nodes, self.tree.edges, edges, None, self.settings.lcb_stdevs)

    def _result(self, position: BasePosition, simulations: int, seconds: float,
                priors: np.ndarray | None) -> SearchResult:
        """The statistics of the root.  priors: of its edges; None as they stand."""
        tree = self.tree
        tree.bound_root(self._board)
        root, edges = tree.root_node, tree.root_edges
        proven = int(root["lower"]) if solver.is_proven(root) else None
        lengths = None
        if proven == solver.WIN:
            lengths = solver.proof_lengths(tree.nodes, tree.edges, tree.n_nodes, tree.root)
        infos = self._symmetries.with_pruned(
            move_infos(tree.nodes, tree.edges, edges, lengths, self.settings.lcb_stdevs, priors))
        lead, stdev = scores.score_of(root)
        value = float(root["total"]) / max(int(root["visits"]), 1) if proven is None else proven
        of_score = scores.utility_of_score(root) if proven is None else 0.0
        ownership = self.growth.ownership(position)
        return SearchResult(
            position, infos, win_rate=min(max((1 + value - of_score) / 2, 0.0), 1.0), visits=int(root["visits"]),
            simulations=simulations, seconds=seconds, depth=float(tree.record["depth_sum"]) / max(simulations, 1),
            nodes=tree.n_nodes - 1, rollouts=int(self.growth.rollouts[:, 0].sum()),
            ownership=None if ownership is None else ownership.astype(np.float32).reshape(position.shape),
            proven=proven, score_lead=lead, score_stdev=stdev, is_full=not tree.has_room(position.area),
            min_visit_prop_for_lcb=self.settings.min_visit_prop_for_lcb, score_utility=of_score)
