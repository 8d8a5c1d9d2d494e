"""Monte Carlo tree search: a position in; visits, win rates and owners of points out.

    uct    Search(Settings())                     UCB1, edges without priors, rollouts judge
    mcts   Search(Settings(...), network)         PUCT, priors by the network, rollouts and its value judge

                  +--> network: priors, values --+
    gather leaves |                              +--> absorb     and again, until it is time
                  +--> threads: rollouts --------+

Without a network, one thread has nothing to gather for: the compiled loop does whole simulations one by
one.  The tree is kept from call to call; the next position is looked up in it.  Which move to play
is players.py's to say, what the formulas are, tree.py's.
"""
import contextlib
import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from mugo.files import BadInput
from mugo.games import game, gomoku, rollouts
from mugo.games.board import POINTS, new_boards
from mugo.games.coords import PASS, board_points, format_gtp, symmetries
from mugo.games.planes import MAX_PLIES, new_scratch
from mugo.games.position import BasePosition
from mugo.limits import SEED
from mugo.search import tree

UCB_C, PUCT_C = 0.4, 2.0
KINDS = {"uniform": rollouts.UNIFORM, "mogo": rollouts.MOGO, "threats": gomoku.THREATS}
ROLLOUTS = (*KINDS, "network", "none")
CHUNK = 0.01                             # seconds of compiled simulations between two looks at the clock
FEW = 64                                 # simulations between two looks at the rest
LINE = 8                                 # moves shown of what the search expects
LINES = 20                               # for so many branches
NO_HISTORY = np.zeros(MAX_PLIES + 1024, np.uint64)     # nothing in it repeats: rollouts ask no superko


@dataclass(frozen=True)
class Settings:
    """How to search.  Raises BadInput for what makes no sense.

    c: the constant of UCB1 or PUCT; None takes UCB_C or PUCT_C.
    urgency: what a move not yet tried is worth.  UCB1: a winning fraction, inf (the default) tries every move
    once before it compares them.  PUCT: a value from -1 to 1; None takes the mean of the position so far.
    grow_at: how often a position is judged before its moves enter the tree; None is 1 for UCB1, 0 for PUCT.
    rollout: one of ROLLOUTS; "network" lets the network play both sides, as MuGo did in 2016.
    rollouts: how many for each leaf.
    trust: lambda, the share of rollouts in the value of a leaf, against the network's value head; 1 where
    there is no such head.
    batch: leaves judged together; None takes 8 with a network, else 1, or 64 for each of several threads.
    threads: for rollouts and for the network.
    branches: moves the tree may hold (24 bytes each); when it is full, the search goes on without growing.
    share: positions reached by different orders of moves are one.  reuse: keep the tree between moves.
    noise, alpha: priors at the root become (1 - noise) prior + noise Dirichlet(alpha) (AlphaZero: 0.25, 0.3).
    turn: show each leaf to the network in a random one of the eight symmetries.
    early: stop when no other move can become the most visited any more.
    seed: with simulations as the limit, the same seed gives the same search.
    """
    c: float | None = None
    urgency: float | None = None
    grow_at: int | None = None
    rollout: str = "uniform"
    rollouts: int = 1
    trust: float = 1.0
    batch: int | None = None
    threads: int = 1
    branches: int = 5_000_000
    share: bool = True
    reuse: bool = True
    noise: float = 0.0
    alpha: float = 0.3
    turn: bool = False
    early: bool = True
    seed: int | None = None

    def __post_init__(self):
        if self.rollout not in ROLLOUTS:
            raise BadInput(f"{self.rollout!r} is no kind of rollout ({', '.join(ROLLOUTS)})")
        for name, least, most in (("rollouts", 1, 1 << 20), ("batch", 1, 1 << 16), ("threads", 1, 1024),
                                  ("branches", 1000, 2**31 - 1), ("grow_at", 0, 2**31 - 1), ("seed", *SEED)):
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                bound = f"{least} or more" if value < least else f"{most} or less"
                raise BadInput(f"{name} is {bound}, not {value}")
        if self.c is not None and not 0 <= self.c < math.inf:
            raise BadInput(f"the constant c is 0 or more, not {self.c}")
        for name, share in ("lambda", self.trust), ("noise", self.noise):
            if not 0 <= share <= 1:
                raise BadInput(f"{name} is a share from 0 to 1, not {share}")
        if not self.alpha > 0:
            raise BadInput(f"alpha is above 0, not {self.alpha}")


@dataclass(frozen=True)
class Branch:
    """A move at the root.  win_rate: of the side to move, from 0 to 1.  line: what is expected, this move first."""
    point: int
    prior: float
    visits: int
    win_rate: float
    line: tuple[int, ...]


@dataclass(frozen=True)
class Thought:
    """What a search found.

    branches: the most visited first; every move of the root that repeats no position.
    win_rate: of the side to move.  visits: of the root, those kept from earlier searches too.
    simulations, seconds, rollouts: of this search.  depth: mean moves from the root to a leaf.  nodes: in the tree.
    owners: float32 (size, size), 1 Black, -1 White, the mean over all rollouts of this search; None without any,
    and in Gomoku, where nobody owns points.
    """
    position: BasePosition
    branches: tuple[Branch, ...]
    win_rate: float
    visits: int
    simulations: int
    seconds: float
    depth: float
    nodes: int
    rollouts: int
    owners: np.ndarray | None

    def best(self, by_mean: bool = False) -> Branch:
        """The branch to play: most visits, or the highest win rate of those visited."""
        if not by_mean:
            return self.branches[0]
        return max(self.branches, key=lambda branch: (branch.visits > 0, branch.win_rate, branch.visits))

    def describe(self, branch: Branch) -> str:
        """A line about the branch that is played."""
        line = " ".join(format_gtp(point, self.position.size) for point in branch.line)
        return f"win rate {branch.win_rate:.1%}, {self.simulations} simulations in {self.seconds:.2f} s, {line}"

    def __str__(self) -> str:
        return self.describe(self.branches[0])

    def table(self, n: int = 10) -> str:
        """The n most visited moves: win rate, visits, prior, what is expected."""
        size = self.position.size
        return "\n".join(
            f"{format_gtp(branch.point, size):>4} {branch.win_rate:6.1%} {branch.visits:8d} {branch.prior:6.1%}  "
            + " ".join(format_gtp(point, size) for point in branch.line) for branch in self.branches[:n])


class Search:
    """A tree and what it takes to grow it.

    network: anything with `has_value` and `evaluate_packed(packed)`, as network.Network has them; and if it has
    `for_position`, that says which network judges the positions of a game, or refuses them.
    Raises BadInput for settings that need a network.
    """

    def __init__(self, settings: Settings = Settings(), network=None):
        kind = settings.rollout
        if network is None and kind in ("network", "none"):
            raise BadInput(f"--rollout {kind} needs a network")
        trust = settings.trust if network is not None and network.has_value else 1.0
        if kind == "none":
            if not network.has_value:
                raise BadInput(f"without rollouts nobody judges positions: {network.name} has no value head")
            trust = 0.0
        self.settings = settings
        self.network = network
        self._rng = np.random.default_rng(settings.seed)
        self._rolls = trust > 0
        capacity = settings.branches // 8 + 1000
        self._trees = np.zeros(1, tree.TREE)
        self._nodes = np.zeros(capacity, tree.NODE)
        self._edges = np.zeros(settings.branches, tree.EDGE)
        self._table = np.zeros(1 << (2 * capacity - 1).bit_length(), np.int32)
        self._history = np.zeros(4096, np.uint64)
        by_network = network is not None
        grow_at = settings.grow_at
        if grow_at is None or not self._rolls:           # without rollouts only the network can judge
            grow_at = 0 if by_network else 1
        urgency = settings.urgency
        if urgency is None:
            urgency = math.nan if by_network else math.inf
        for name, value in {
            "formula": tree.PUCT if by_network else tree.UCB, "by_network": by_network, "share": settings.share,
            "c": (PUCT_C if by_network else UCB_C) if settings.c is None else settings.c,
            "urgency": urgency, "grow_at": grow_at, "trust": trust, "rollouts": settings.rollouts,
            "kind": KINDS.get(kind, rollouts.UNIFORM),
        }.items():
            self._trees[0][name] = value
        threads = settings.threads
        self._batch = settings.batch or (8 if by_network else 1 if threads == 1 else 64 * threads)
        self._one_by_one = not by_network and self._batch == 1
        n = 2 if self._one_by_one else self._batch
        self._boards = new_boards(1 + 2 * n)
        self._boards["random"] = self._rng.integers(1, 2**63, len(self._boards))
        self._paths = np.zeros((n, tree.LONGEST, 2), np.int32)
        self._leaves = np.zeros(n, tree.LEAF)
        self._owners = np.zeros((threads, POINTS), np.int32)
        self._scratch = new_scratch()
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._root: BasePosition | None = None
        self._judge = network                            # of the game that is searched
        # For benchmarks: where the time of batches went so far, and how many positions the network judged.
        self.seconds_spent = dict.fromkeys(("tree", "network", "rollouts"), 0.0)
        self.judged = 0

    # -- one search

    def think(self, position: BasePosition, *, simulations: int | None = None, seconds: float | None = None,
              may_pass: bool = True, among: Collection[int] | None = None,
              is_over: Callable[[], bool] = lambda: False,
              watch: Callable[[Thought], None] | None = None, every: float = 1.0) -> Thought:
        """Search a position until the first of the limits; without any, until `is_over`.

        simulations: new ones, those of a tree kept from before not counted.
        may_pass: whether a pass is one of the moves at the root, if there are others.
        among: only these points (and PASS, if it is one) are searched at the root, if any of them can be played.
        is_over: asked every CHUNK seconds, or after FEW simulations or a batch.
        watch: is told what has been found so far, every so many seconds.
        Raises BadInput for a board the network does not play, and for a game of Gomoku that is over.
        """
        if position.is_over and not position.may_pass:
            raise BadInput("the game is over: there is no move to search for")
        started = time.perf_counter()
        self._stand_on(position)
        self._owners[:] = 0
        limit = math.inf if simulations is None else max(simulations, 1)
        deadline = math.inf if seconds is None else started + seconds
        try:
            done = first = self._run(1)                  # with a network, it gives the root its moves
            told = started
            with self._only(position, may_pass, among):
                clean = self._make_noise()
                try:
                    for done in self._search(first, limit, started, deadline, is_over):
                        if watch is not None and time.perf_counter() - told >= every:
                            told = time.perf_counter()
                            watch(self._thought(position, done, told - started, clean))
                    return self._thought(position, done, time.perf_counter() - started, clean)
                finally:
                    if clean is not None:
                        self._root_edges()["prior"] = clean
        except BaseException:
            self._root = None                            # simulations may be left pending: begin a new tree
            raise

    @contextlib.contextmanager
    def _only(self, position: BasePosition, may_pass: bool, among: Collection[int] | None) -> Iterator[None]:
        """Let the root have no other moves for a while: they are put behind its last one."""
        root, edges = self._nodes[self._trees[0]["root"]], self._root_edges()
        wanted = np.ones(len(edges), bool) if among is None else np.isin(edges["move"], list(among))
        if not may_pass and len(position.sensible_points()) > 0:
            wanted &= edges["move"] != PASS
        if wanted.all() or not wanted.any():
            yield
            return
        order = np.argsort(~wanted, kind="stable")
        edges[:] = edges[order]
        root["count"] = root["tried"] = wanted.sum()     # UCB goes by visits where all count as tried
        try:
            yield
        finally:
            root["count"] = root["tried"] = len(edges)
            edges[order] = edges.copy()                  # the pass is the last edge of every node

    def _search(self, begun: int, limit: float, started: float, deadline: float, is_over: Callable[[], bool]
                ) -> Iterator[int]:
        """Simulations until it is time to stop; yields how many there were, those already done too."""
        chunk, done = FEW, begun
        while done < limit and not is_over():
            now = time.perf_counter()
            if now >= deadline:
                break
            rate = done / max(now - started, 1e-6)
            left = limit - done
            if deadline < math.inf:                      # nobody knows the rate before some time has passed
                left = min(left, (deadline - now) * rate) if now - started > (deadline - started) / 20 else math.inf
            if self.settings.early and self._is_decided(left):
                break
            if not self._one_by_one:
                chunk = self._batch
                if now + chunk / rate / 2 > deadline:    # slow ones, as when the network plays the rollouts
                    break
            elif deadline < math.inf:                    # else always FEW, or a seed would not stop at the same one
                chunk = max(1, min(2 * chunk, int(rate * min(CHUNK, deadline - now))))
            done += self._run(int(min(chunk, limit - done)))
            yield done

    def _stand_on(self, position: BasePosition) -> None:
        """Find a position in the tree and drop the rest, or begin a new tree."""
        network = self.network
        self._judge = network.for_position(position) if hasattr(network, "for_position") else network
        board = position.board[0]
        before, self._root = self._root, position
        plies = position.plies
        if plies + tree.LONGEST >= len(self._history):
            self._history = np.zeros(2 * (plies + tree.LONGEST), np.uint64)
        self._history[:plies + 1] = position.history
        random = self._boards[0]["random"]
        self._boards[0] = board
        board = self._boards[0]
        board["random"] = random
        board["passes"] = min(board["passes"], 1)        # a game that is over can be gone on with
        settings = self._trees[0]
        node = tree.SINK
        if before is not None and before.is_like(position):
            key = np.uint64(game.key_of(board)) if settings["share"] else self._key_from(before, position)
            if self.settings.reuse and key is not None:
                node = tree.find(self._nodes, self._table, key)
        if node != tree.SINK:
            tree.keep(self._trees, self._nodes, self._edges, self._table, node)
        if node == tree.SINK or settings["n_edges"] + position.size ** 2 >= len(self._edges):
            settings["komi"] = position.komi
            settings["mercy"] = rollouts.mercy_of(position.size, position.komi)
            tree.reset(settings, self._nodes, self._table, np.uint64(game.key_of(board)))
        if self.network is None and not self._nodes[settings["root"]]["count"]:
            tree.grow(settings, self._nodes, self._edges, settings["root"], board)

    def _key_from(self, before: BasePosition, position: BasePosition) -> np.uint64 | None:
        """Where every way has nodes of its own: the key of a position that was played from an earlier root."""
        n = before.plies
        if n > position.plies or not np.array_equal(position.history[:n + 1], before.history):
            return None
        key = self._nodes[self._trees[0]["root"]]["key"]
        side = before.to_play
        for colour, point in position.moves[n:]:
            if colour != side:
                return None
            key = np.uint64(tree.key_after(self._trees[0], key, position.board[0], point))
            side = -side
        return key if side == position.to_play else None

    def _run(self, n: int) -> int:
        """Up to n simulations, one batch at the most; returns how many."""
        arrays = self._trees, self._nodes, self._edges, self._table, self._boards, self._history
        if self._one_by_one:
            tree.simulate(*arrays, self._paths[0], self._owners[0], n)
            return n
        size = self._root.size
        begun = time.perf_counter()
        turned = self._rng.integers(0, 8, n) if self.settings.turn else np.zeros(n, np.int64)
        packed = np.empty((n, size * size, game.packed_bytes(self._root.game)), np.uint8)
        leaves = self._leaves[:n]
        n = tree.gather(*arrays, self._paths, leaves, self._scratch, symmetries(size)[turned], packed)
        leaves = leaves[:n]
        gathered = time.perf_counter()
        rolling = self._begin_rollouts(n) if self._rolls else []
        asks = leaves["asks"]
        rows = int(asks.sum())
        priors, values = np.empty((0, size * size + 1), np.float32), np.zeros(rows, np.float32)
        self.judged += rows
        try:
            if rows:
                priors, judged = self._judge.evaluate_packed(packed[:n][asks])
                priors = np.take_along_axis(priors, symmetries(size)[turned[:n][asks]], 1)
                values = values if judged is None else judged
        finally:
            answered = time.perf_counter()
            for finish in rolling:                       # no thread goes on when the network fails
                finish()
        rolled = time.perf_counter()
        tree.absorb(self._trees, self._nodes, self._edges, self._boards, self._paths, leaves, n, priors, values)
        for part, duration in (("tree", gathered - begun + time.perf_counter() - rolled),
                               ("network", answered - gathered), ("rollouts", rolled - answered)):
            self.seconds_spent[part] += duration
        return n

    def _begin_rollouts(self, n: int) -> list[Callable]:
        """Start judging n leaves by rollouts; what is returned has to be called to finish that."""
        if self.settings.rollout == "network":
            return [lambda: self._roll_out_by_network(n)]

        def judge(first: int, last: int, owners: np.ndarray) -> None:
            tree.judge_some(self._trees, self._boards, self._leaves, first, last, n, owners)

        if self._pool is None:
            return [lambda: judge(0, n, self._owners[0])]
        bounds = np.linspace(0, n, self.settings.threads + 1).astype(int)
        return [self._pool.submit(judge, first, last, owners).result
                for first, last, owners in zip(bounds[:-1], bounds[1:], self._owners, strict=True)]

    def _roll_out_by_network(self, n: int) -> None:
        """The network plays both sides from every leaf, all games side by side, and draws from its priors."""
        size, trust = self._root.size, self._trees[0]["trust"]
        for _ in range(self.settings.rollouts):
            games = []
            for k in np.flatnonzero(~self._leaves[:n]["ended"]).tolist():
                random = self._boards[1 + n + k]["random"]
                self._boards[1 + n + k] = self._boards[1 + k]
                self._boards[1 + n + k]["random"] = random
                games.append(k)
            going = games
            for _ in range(rollouts.MOVES_PER_POINT * size * size):
                going = [k for k in going if not game.is_over(self._boards[1 + n + k])]
                if not going:
                    break
                packed = np.empty((len(going), size * size, game.packed_bytes(self._root.game)), np.uint8)
                for k, out in zip(going, packed, strict=True):
                    game.fill_board(self._boards[1 + n + k:2 + n + k], NO_HISTORY, self._scratch,
                                     symmetries(size)[0], out)
                priors, _ = self._judge.evaluate_packed(packed)
                for k, weights in zip(going, priors, strict=True):
                    game.play_drawn(self._boards[1 + n + k], weights)
            for k in games:
                end = self._boards[1 + n + k]
                outcome = game.outcome(end, self._root.komi) * int(self._boards[1 + k]["to_play"])
                self._leaves[k]["value"] += trust * outcome / self.settings.rollouts
                game.add_owners(end, self._owners[0])

    # -- the root

    def _edges_of(self, node: int) -> np.ndarray:
        first = self._nodes[node]["first"]
        return self._edges[first:first + self._nodes[node]["count"]]

    def _root_edges(self) -> np.ndarray:
        return self._edges_of(self._trees[0]["root"])

    def _make_noise(self) -> np.ndarray | None:
        """Mix noise into the priors of the root; returns what they were, None if that is not wanted."""
        edges = self._root_edges()
        if not self.settings.noise or not len(edges):
            return None
        clean = edges["prior"].copy()
        noise = self._rng.dirichlet(np.full(len(edges), self.settings.alpha))
        edges["prior"] = (1 - self.settings.noise) * clean + self.settings.noise * noise
        return clean

    def _is_decided(self, left: float) -> bool:
        """Whether so many more simulations cannot make another move the most visited."""
        visits = self._root_edges()["visits"]
        if len(visits) < 2:
            return False
        second, first = np.partition(visits, len(visits) - 2)[-2:]
        return first - second > left

    def look(self, moves: tuple[int, ...] = ()) -> tuple[Branch, ...]:
        """The branches after these moves from the position searched last, the most visited first; win rates are
        of the side to move there.  () where the tree does not go so far."""
        node = int(self._trees[0]["root"])
        for move in moves:
            edges = self._edges_of(node)
            node = next((int(edge["node"]) for edge in edges if edge["move"] == move), tree.SINK)
            if node == tree.SINK:
                return ()
        edges = self._edges_of(node)
        return tuple(self._branch(edges[i], float(edges[i]["prior"]), LINE)
                     for i in np.argsort(-edges["visits"], kind="stable").tolist())

    def visits_along(self, moves: Sequence[int]) -> list[int]:
        """The visits of each move of a line that begins at the position searched last, as far as the tree goes."""
        visits, edges = [], self._root_edges()
        for move in moves:
            edge = edges[edges["move"] == move]
            if not len(edge):
                break
            visits.append(int(edge[0]["visits"]))
            edges = self._edges_of(int(edge[0]["node"]))         # the sink, where nothing has grown, has none
        return visits

    def _branch(self, edge: np.ndarray, prior: float, moves: int) -> Branch:
        """An edge as a Branch, with so many moves of what is expected."""
        line = [int(edge["move"])]
        if edge["visits"] and edge["node"] != tree.SINK and moves > 1:
            line += tree.principal_variation(self._nodes, self._edges, int(edge["node"]), moves - 1)
        return Branch(line[0], prior, int(edge["visits"]), (1 + float(edge["q"])) / 2, tuple(line))

    def _thought(self, position: BasePosition, simulations: int, seconds: float, priors: np.ndarray | None) -> Thought:
        edges = self._root_edges()
        priors = edges["prior"] if priors is None else priors
        branches = []
        for i in np.argsort(-edges["visits"], kind="stable").tolist():
            if not position.why_illegal(int(edges[i]["move"])):
                branches.append(self._branch(edges[i], float(priors[i]), LINE if len(branches) < LINES else 1))
        root = self._nodes[self._trees[0]["root"]]
        points = board_points(position.size)
        owners = self._owners.sum(0)
        rolled = int(owners[0])
        has_owners = rolled > 0 and position.game == "go"
        return Thought(
            position, tuple(branches), (1 + float(root["total"]) / max(int(root["visits"]), 1)) / 2,
            int(root["visits"]), simulations, seconds, float(self._trees[0]["depth_sum"]) / max(simulations, 1),
            int(self._trees[0]["n_nodes"]) - 1, rolled,
            (owners[points] / rolled).astype(np.float32).reshape(position.size, position.size) if has_owners else None)
