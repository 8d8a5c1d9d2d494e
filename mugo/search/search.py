"""Monte Carlo tree search: position -> visits, win rates, principal variations, ownership.

    uct    Search(Settings(rave=True, ...))       UCB1 with RAVE, leaves evaluated by rollouts
    mcts   Search(Settings(...), network)         PUCT, priors by the network, leaves by its value head and rollouts

                    +--> network: priors, values --+
    select a batch  |                              +--> expand and back up     repeat until a limit is reached
                    +--> threads: rollouts --------+

Without a network there is nothing to batch: the compiled loop runs whole simulations, in several threads on one tree
(tree_threads).  The tree is kept between searches, and the next position is looked up in it.  Which move is played:
players.
"""
import contextlib
import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from mugo.files import BadInput, log_to_stderr
from mugo.games import game, rollouts
from mugo.games.board import POINTS, new_boards
from mugo.games.coords import PASS, board_points, symmetries
from mugo.games.planes import network_input, new_scratch
from mugo.games.position import BasePosition, global_features
from mugo.nn.output import NetworkOutput, turned_back
from mugo.search import expansion, gumbel, network_rollouts, ranking, rave, records, scores, solver, stopping, tree
from mugo.search.move_infos import move_infos
from mugo.search.result import MoveInfo, SearchResult
from mugo.search.root_priors import with_dirichlet_noise, with_temperature
from mugo.search.settings import DEFAULT_SETTINGS, LARGE_AREA, Settings
from mugo.search.tree_arrays import TreeArrays
from mugo.search.tree_settings import rollout_weight, set_up_tree
from mugo.search.tree_threads import TreeThreads

CHUNK_SECONDS = 0.01                     # compiled simulations between two checks of the clock
CHECK_EVERY = 64                         # simulations between two checks of the other limits
BATCH = 8                                # leaves evaluated together with a network, by default,
VISITS_FOR_EACH = 32                     # but only one for each so many visits of the root


class Search:
    """A search tree and the loop that grows it.

    network: an object with `has_value` and `evaluate_packed(packed, features)` (nn.inference.Network); if it has
    `for_position`, that returns the network for a position's game and board, or raises BadInput.
    now: the time in seconds, from any origin.
    Raises BadInput for settings that need a network.
    """

    def __init__(self, settings: Settings = DEFAULT_SETTINGS, network: Any = None,
                 now: Callable[[], float] = time.perf_counter):
        self.settings = settings
        self.network = network
        self.now = now
        self._rng = np.random.default_rng(settings.seed)
        self._lambda = rollout_weight(settings, network, LARGE_AREA)         # of the root's board: see _set_root
        self._tree = TreeArrays(settings.max_edges)
        self._trees, self._nodes, self._edges = self._tree.trees, self._tree.nodes, self._tree.edges
        self._history = np.zeros(4096, np.uint64)
        threads, has_network = settings.threads, network is not None
        set_up_tree(self._trees[0], settings, has_network, self._lambda)
        self._batch = settings.batch or (BATCH if has_network else 1)
        self._unbatched = not has_network and self._batch == 1
        n = 2 if self._unbatched else self._batch
        self._boards = new_boards(1 + 2 * n)
        self._boards["random"] = self._rng.integers(1, 2**63, len(self._boards))
        self._paths = np.zeros((n, records.MAX_DEPTH, 2), np.int32)
        self._leaves = np.zeros(n, records.LEAF)
        self._amaf = rave.new_amaf(n if settings.rave else 1)
        self._ownership_sums = np.zeros((threads, POINTS), np.int32)
        self._network_ownership: np.ndarray | None = None        # (points,), 1 Black, summed over the leaves evaluated
        self._leaves_evaluated = 0                       # of this search
        self._scratch = new_scratch()
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._tree_threads = TreeThreads(self._pool, threads, self._rng) if self._pool and self._unbatched else None
        self._trees[0]["shared"] = self._tree_threads is not None
        self._running: list[Future] = []                 # the newest in the pool; an interrupted search may leave some
        self._root: BasePosition | None = None
        self._allowed_moves: frozenset[int] | None = None        # at the root, in the newest search; None: all
        self._root_network: Any = network                # the one for the game and board of the root
        self._is_gumbel = False                          # whether this search is
        self.reports_full_tree = True                    # on stderr, once for each tree
        self._has_reported = False
        # For benchmarks: simulations of all searches, seconds of batches by part, positions evaluated by the network.
        self.simulations_run = 0
        self.seconds_spent: dict[str, float] = dict.fromkeys(("tree", "network", "rollouts"), 0.0)
        self.positions_evaluated = 0

    # -- one search

    def search(self, position: BasePosition, *, simulations: int | None = None, seconds: float | None = None,
               max_seconds: float | None = None, expected_win_rate: float | None = None, may_pass: bool = True,
               allowed_moves: Collection[int] | None = None,
               should_stop: Callable[[], bool] = lambda: False,
               on_progress: Callable[[SearchResult], None] | None = None,
               progress_interval: float = 1.0, select_by: str | None = None) -> SearchResult:
        """Search a position until the first of the limits; without any, until `should_stop`.

        With early_stop it also ends when the root is proven and when no simulation that is left can change the choice.

        simulations: of this search, those of a reused tree not counted.
        max_seconds: after `seconds` it searches on up to here where the choice is unclear; where it is obvious it ends
        after OBVIOUS_FRACTION of `seconds` (stopping).  None: neither.
        expected_win_rate: of the side to move, as known before; a fall makes the choice unclear.
        may_pass: whether a pass is searched at the root when there are other moves.
        allowed_moves: points (and PASS) searched at the root, if the search considers any of them and superko does
        not forbid it; None all.
        select_by: how a move will be chosen, as in SearchResult.best; None: the search is to evaluate.  To choose one,
        early_stop also ends it when a single move is not proven to lose; by "value", it does not because of visits.
        With a limit of simulations and settings.gumbel this makes it a Gumbel search.
        should_stop: called every CHUNK_SECONDS, after CHECK_EVERY simulations or after a batch.
        on_progress: called with the result so far every progress_interval seconds.
        Raises BadInput as `check` does.
        """
        self.check(position)
        started = self.now()
        wait(self._running)
        if self._root is None:
            self._amaf[:] = 0                            # the search before was interrupted
        self._is_gumbel = self.settings.gumbel and simulations is not None and select_by is not None
        self._set_root(position, None if allowed_moves is None else frozenset(allowed_moves))
        self._ownership_sums[:] = 0
        self._network_ownership, self._leaves_evaluated = None, 0
        deadline = math.inf if seconds is None else started + seconds
        limits = stopping.SearchLimits(
            self.settings, math.inf if simulations is None else max(simulations, 1), started, deadline,
            deadline if max_seconds is None else max(deadline, started + max_seconds),
            "gumbel" if self._is_gumbel else select_by, expected_win_rate)
        try:
            done = 0 if len(self._root_edges()) else self._run(1)        # with a network, this expands the root
            reported = started
            with self._restricted_root(position, may_pass, allowed_moves):
                clean_priors = self._prepare_root(limits.simulations - done)
                try:
                    done = first = done or self._run(1)
                    self._prove_winning_sequence()
                    for done in self._simulations(first, limits, should_stop):
                        if on_progress is not None and self.now() - reported >= progress_interval:
                            reported = self.now()
                            on_progress(self._result(position, done, reported - started, clean_priors))
                    result = self._result(position, done, self.now() - started, clean_priors)
                finally:
                    if clean_priors is not None:
                        self._root_edges()["prior"] = clean_priors
        except BaseException:
            self._root = None                            # virtual losses may be left in it: start a new tree
            raise
        if result.is_full and self.reports_full_tree and not self._has_reported:
            self._has_reported = True
            log_to_stderr(f"the search tree is full with {result.nodes:,} nodes and reads no deeper; "
                          f"a larger --max-edges than {self.settings.max_edges} takes more memory")
        return result

    def check(self, position: BasePosition) -> None:
        """Raise BadInput for a board the network does not play, and for a game of Gomoku that is over."""
        if position.is_over and not position.may_pass:
            raise BadInput("the game is over: there is no move to search for")
        self._network_for(position)

    def _network_for(self, position: BasePosition) -> Any:
        """The network for its board; None without one."""
        network = self.network
        return network.for_position(position) if hasattr(network, "for_position") else network

    @contextlib.contextmanager
    def _restricted_root(self, position: BasePosition, may_pass: bool,
                         allowed_moves: Collection[int] | None) -> Iterator[None]:
        """Hide the other moves of the root for a while, and those that superko forbids: they are moved behind its last
        edge.  Its bounds are those of the moves that are left."""
        root, edges = self._root_node(), self._root_edges()
        legal = np.ones(len(edges), bool)
        for i in np.flatnonzero(edges["may_repeat"]).tolist():
            legal[i] = not position.why_illegal(int(edges[i]["move"]))
        wanted = legal if allowed_moves is None else legal & np.isin(edges["move"], list(allowed_moves))
        if not may_pass and len(position.sensible_points()) > 0:
            wanted = wanted & (edges["move"] != PASS)
        if not wanted.any():
            wanted = legal
        if wanted.all():
            self._bound_root()
            yield
            return
        order = np.argsort(~wanted, kind="stable")
        edges[:] = edges[order]
        root["count"] = root["tried"] = wanted.sum()     # UCB1 compares visits once all edges are tried
        self._bound_root()
        try:
            yield
        finally:
            root["count"] = root["tried"] = len(edges)
            edges[order] = edges.copy()                  # the pass is the last edge of every node

    def _bound_root(self) -> None:
        """Bring the bounds of the root and its edges up to date."""
        settings, edges = self._trees[0], self._root_edges()
        if len(edges) and edges[-1]["move"] == PASS and game.counts_all_alive(self._boards[0]):
            edges[-1]["upper"] = min(edges[-1]["upper"], game.pass_value(self._boards[0], settings["komi"]))
        solver.bound_root(self._nodes, self._edges, settings["root"])

    def _prove_winning_sequence(self) -> None:
        """Give the root's first move of a sequence that wins by force its exact value, if none is proven to win yet."""
        edges = self._root_edges()
        if solver.is_proven(self._root_node()):
            return
        move = game.winning_sequence(self._boards[0])
        if move:
            edges["lower"][edges["move"] == move] = solver.WIN
            self._bound_root()

    def _simulations(self, done: int, limits: stopping.SearchLimits, should_stop: Callable[[], bool]
                     ) -> Iterator[int]:
        """Run simulations until a limit is reached; yields their number so far.  done: those already run."""
        chunk = CHECK_EVERY
        while not should_stop():
            now = self.now()
            moves = self._root_moves()
            if limits.are_reached(done, now, moves) or (
                    self.settings.early_stop and solver.is_proven(self._root_node())):
                break
            rate, end = limits.rate(done, now), limits.end(now, moves)
            if not self._unbatched:
                chunk = self._batch_size()
                if now + chunk / rate / 2 > end and not (chunk := int(rate * (end - now))):    # no batch fits
                    break
            elif end < math.inf or self._tree_threads:   # else constant, so that a seed is repeatable
                chunk = max(1, min(2 * chunk, int(rate * min(CHUNK_SECONDS, end - now))))
            done += self._run(int(min(chunk, limits.simulations - done)))
            yield done

    def _batch_size(self) -> int:
        """Leaves of the next batch.  In a small tree virtual loss spreads most of a batch over moves that would not
        have been searched; so, unless settings.batch is given, it grows with the root's visits."""
        visits = int(self._root_node()["visits"])
        return self._batch if self.settings.batch else min(self._batch, max(1, visits // VISITS_FOR_EACH))

    def clear(self) -> None:
        """Drop the tree: the next search starts a new one."""
        wait(self._running)
        self._root = None

    def _set_root(self, position: BasePosition, allowed_moves: frozenset[int] | None = None) -> None:
        """Advance the root to a position that is in the tree and drop the rest, or start a new tree, as where other
        moves were allowed at this root: their visits would count as a preference."""
        self._root_network = self._network_for(position)
        before, self._root = self._root, None            # an interruption leaves no tree of another position
        if (most := position.plies + records.MAX_DEPTH) >= len(self._history):
            self._history = np.zeros(2 * most, np.uint64)
        self._history[:position.plies + 1] = position.history
        random, self._boards[0] = self._boards[0]["random"], position.board[0]
        board = self._boards[0]
        board["random"] = random
        board["passes"] = min(board["passes"], 1)        # two passes may be searched on
        settings = self._trees[0]
        self._lambda = settings["lambda_"] = rollout_weight(self.settings, self.network, position.area)
        node = records.NULL_NODE
        if before is not None and before.has_same_rules(position):
            key = (np.uint64(game.position_hash(board)) if settings["transpositions"]
                   else self._tree.key_from_path(before, position))
            if self.settings.reuse_tree and not self._is_gumbel and key is not None:
                node = self._tree.find(key)
                unlike = node == settings["root"] and self._allowed_moves not in (None, allowed_moves)
                node = records.NULL_NODE if unlike else node
        self._allowed_moves = allowed_moves
        is_new_root = node != settings["root"]           # a full tree of the same root is searched on
        if node != records.NULL_NODE:
            self._tree.advance_root(node)
        if node == records.NULL_NODE or is_new_root and not self._tree.has_room(position.area):
            settings["komi"] = position.white_points
            settings["mercy"] = rollouts.mercy_threshold(position.shape, position.area_komi)
            self._tree.reset(np.uint64(game.position_hash(board)))
            self._has_reported = False
        if self.network is None and not self._nodes[settings["root"]]["count"]:
            expansion.expand_root(settings, self._nodes, self._edges, board, self._scratch)
        if self._tree_threads:
            self._tree_threads.set_root(board, self._history)
        self._root = position

    def _run(self, n: int) -> int:
        """Up to n simulations, one batch at the most; returns how many."""
        n = self._simulate(n)
        self.simulations_run += n
        return n

    def _simulate(self, n: int) -> int:
        """As _run, uncounted."""
        self._tree.make_room(n)
        arrays = self._trees, self._nodes, self._edges, self._tree.table, self._boards, self._history
        if self._tree_threads:
            self._running = self._tree_threads.start(*arrays[:4], self._ownership_sums, n)
            for future in self._running:
                future.result()
            return n
        if self._unbatched:
            self._trees[0]["simulations_left"] = n
            tree.simulate(*arrays, self._paths[0], self._ownership_sums[0], self._scratch)
            return n
        assert self._root is not None
        started = time.perf_counter()
        table, area = symmetries(self._root.shape), self._root.area
        symmetry = table[self._rng.integers(0, len(table), n) if self.settings.random_symmetry else
                         np.zeros(n, np.int64)]
        packed = np.empty((n, area, game.packed_bytes(self._root.game)), np.uint8)
        n = tree.select_batch(*arrays, self._paths, self._leaves[:n], self._scratch, symmetry, packed)
        leaves = self._leaves[:n]
        selected = time.perf_counter()
        finish_rollouts = self._start_rollouts(n) if self._lambda > 0 else []
        needed = leaves["needs_evaluation"]
        rows = int(needed.sum())
        output = NetworkOutput(np.empty((0, area + 1), np.float32))
        self.positions_evaluated += rows
        self._leaves_evaluated += rows
        to_play = self._boards["to_play"][1:1 + n][needed]
        komi = game.area_komis(self._boards[1:1 + n], self._root.white_points)[needed]
        try:
            if rows:
                output = turned_back(self._root_network.evaluate_packed(
                    network_input(packed[:n][needed], self._root.shape), global_features(komi, to_play)),
                    symmetry[:n][needed])
        finally:
            evaluated_at = time.perf_counter()
            for finish in finish_rollouts:               # even when the network fails
                finish()
        rolled_out = time.perf_counter()
        tree.expand_and_backup(self._trees, self._nodes, self._edges, self._boards, self._paths, leaves, n,
                               output.priors, np.zeros(rows, np.float32) if output.values is None else output.values)
        if self.settings.rave:
            rave.backup_batch(self._nodes, self._edges, self._boards, self._paths, leaves, self._amaf)
        if output.score_mean is not None:
            scores.backup_scores(self._nodes, self._paths, leaves, output.score_mean, output.score_stdev)
        if output.ownership is not None:
            of_black = to_play.astype(np.float32) @ output.ownership
            self._network_ownership = of_black + (0 if self._network_ownership is None else self._network_ownership)
        for part, duration in (("tree", selected - started + time.perf_counter() - rolled_out),
                               ("network", evaluated_at - selected), ("rollouts", rolled_out - evaluated_at)):
            self.seconds_spent[part] += duration
        return n

    def _start_rollouts(self, n: int) -> list[Callable]:
        """Start evaluating n leaves by rollouts; the functions returned wait for the end of it."""
        if self.settings.rollout == "network":
            return [lambda: self._roll_out_by_network(n)]

        def evaluate(first: int, last: int, ownership: np.ndarray) -> None:
            tree.evaluate_leaves(self._trees, self._boards, self._leaves, first, last, n, ownership, self._amaf)

        if self._pool is None:
            return [lambda: evaluate(0, n, self._ownership_sums[0])]
        bounds = np.linspace(0, n, self.settings.threads + 1).astype(int)
        self._running = [self._pool.submit(evaluate, first, last, ownership)
                         for first, last, ownership in zip(bounds[:-1], bounds[1:], self._ownership_sums, strict=True)]
        return [future.result for future in self._running]

    def _roll_out_by_network(self, n: int) -> None:
        """Add the outcome of rollouts played by the network to the values of n leaves."""
        assert self._root is not None
        running = np.flatnonzero(~self._leaves[:n]["known"])
        leaf_boards, boards = self._boards[1:1 + n], self._boards[1 + n:1 + 2 * n]
        for _ in range(self.settings.rollouts):
            ends = leaf_boards[running]
            ends["random"] = boards["random"][running]
            ends["passes"] = np.minimum(ends["passes"], 1)
            komis = game.area_komis(ends, self._root.white_points)
            network_rollouts.roll_out(self._root_network, ends, self._root.game, self._root.shape, komis,
                                      self._scratch)
            boards["random"][running] = ends["random"]
            for k, end, komi in zip(running, ends, komis, strict=True):
                outcome = game.outcome(end, komi) * int(leaf_boards[k]["to_play"])
                self._leaves[k]["value"] += self._lambda * outcome / self.settings.rollouts
                game.add_ownership(end, self._ownership_sums[0])

    # -- the root

    def _root_node(self) -> Any:                         # NODE
        return self._nodes[self._tree.root]

    def _root_edges(self) -> np.ndarray:
        return self._tree.edges_of(self._tree.root)

    def _prepare_root(self, budget: float) -> np.ndarray | None:
        """Change the priors of the root for this search; returns them as they were, None where nothing changes.

        budget: the simulations that a Gumbel search shares between the moves.
        """
        edges, settings = self._root_edges(), self.settings
        if not len(edges) or self.network is None:
            return None
        record = self._trees[0]
        record["formula"] = records.GUMBEL if self._is_gumbel else records.PUCT
        if self._is_gumbel:
            gumbel.start(record, len(edges), int(budget), settings.max_num_considered_actions,
                         settings.gumbel_scale, self._rng)
        clean_priors = edges["prior"].copy()
        priors = with_temperature(clean_priors, settings.root_policy_temperature)
        edges["prior"] = with_dirichlet_noise(priors, 0 if self._is_gumbel else settings.dirichlet_weight,
                                              settings.dirichlet_alpha, self._rng)
        return clean_priors

    def _root_moves(self) -> stopping.RootMoves:
        """The statistics of the moves at the root that are not proven to lose."""
        edges = self._root_edges()
        return stopping.root_moves(self._nodes, edges[edges["upper"] > solver.LOSS])

    def moves_after(self, moves: tuple[int, ...] = ()) -> tuple[MoveInfo, ...]:
        """The moves after these moves from the root, the best first; win rates are of the side to move there.
        () where the tree ends before."""
        node = self._tree.root
        for move in moves:
            edges = self._tree.edges_of(node)
            node = next((int(edge["node"]) for edge in edges if edge["move"] == move), records.NULL_NODE)
            if node == records.NULL_NODE:
                return ()
        edges = self._tree.edges_of(node)
        return move_infos(self._nodes, self._edges, edges, ranking.ranking(edges), self.settings.lcb_stdevs)

    def pv_visits(self, moves: Sequence[int]) -> list[int]:
        """The visits of each move of a variation from the root, as far as the tree goes (KataGo's pvVisits)."""
        return self._tree.pv_visits(moves)

    def _result(self, position: BasePosition, simulations: int, seconds: float,
                priors: np.ndarray | None) -> SearchResult:
        """The statistics of the root.  priors: of its edges; None as they stand."""
        self._bound_root()
        root, edges = self._root_node(), self._root_edges()
        priors = edges["prior"] if priors is None else priors
        proven = int(root["lower"]) if solver.is_proven(root) else None
        lengths = None
        if proven == solver.WIN:
            lengths = solver.proof_lengths(self._nodes, self._edges, int(self._trees[0]["n_nodes"]), self._tree.root)
        tie_break = gumbel.root_scores(self._trees[0], root, self._edges) if self._is_gumbel else None
        infos = move_infos(self._nodes, self._edges, edges, ranking.ranking(edges, lengths, tie_break),
                           self.settings.lcb_stdevs, priors)
        value = float(root["total"]) / max(int(root["visits"]), 1) if proven is None else proven
        lead, stdev = scores.score_of(root)
        return SearchResult(
            position, infos, win_rate=(1 + value) / 2, visits=int(root["visits"]), simulations=simulations,
            seconds=seconds, depth=float(self._trees[0]["depth_sum"]) / max(simulations, 1),
            nodes=int(self._trees[0]["n_nodes"]) - 1, rollouts=int(self._ownership_sums[:, 0].sum()),
            ownership=self._ownership(position), proven=proven, score_lead=lead, score_stdev=stdev,
            is_full=not self._tree.has_room(position.area),
            min_visit_prop_for_lcb=self.settings.min_visit_prop_for_lcb)

    def _ownership(self, position: BasePosition) -> np.ndarray | None:
        """As of SearchResult."""
        sums = self._ownership_sums.sum(0)
        owners = None
        if sums[0] and position.game == "go":
            owners = sums[board_points(position.shape)] / sums[0]
        if self._network_ownership is not None:
            by_network = self._network_ownership / self._leaves_evaluated
            owners = by_network if owners is None else (1 - self._lambda) * by_network + self._lambda * owners
        return None if owners is None else owners.astype(np.float32).reshape(position.shape)
