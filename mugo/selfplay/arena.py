"""The arena: how strong a network has become, by matches against another one and against plain UCT.

    newest network - best network so far           it replaces the best if it is stronger
    newest network - UCT with 1,000 simulations    then 3,000, 5,000, ...: opponents whose strength does not change

Each match is a sequential test (core/sprt.py) of whether the newest network is stronger.  Plain UCT is UCB1 with
uniform rollouts, so that a level means the same in every version.  A game is a function of its number and the seed.
"""
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from mugo.games.board import BLACK
from mugo.games.position import BasePosition
from mugo.nn.inference import Network
from mugo.mcts.search import Search
from mugo.mcts.settings import DEFAULT_SETTINGS, Settings
from mugo.core.sprt import H0, H1, SPRT, UNDECIDED

UCT_LEVELS = (1_000, 3_000, 5_000, 10_000, 20_000, 50_000, 100_000)      # simulations per move
ALPHA = 0.05                             # how often a network that is not stronger passes a level at most
# An equal network passes in 4.8 % of matches, after 70 games on average; one that is stronger by 100 Elo in 93 %.
PROMOTION = SPRT(0, 100, ALPHA)
BATCH = 8                                # leaves that the network evaluates together


@dataclass(frozen=True)
class ArenaPlayer:
    """A participant of an arena match.

    simulations: per move.  network: None for UCT.  settings: its search's.
    temperature_moves: how many of its moves are sampled by visits.
    """

    simulations: int
    network: Network | None = None
    settings: Settings = DEFAULT_SETTINGS
    temperature_moves: int = 0

    def new_search(self, start: BasePosition, seed: int) -> Search:
        """A search with a tree of its own, for one game."""
        batch = None if self.network is None else BATCH
        return Search(replace(self.settings, rollout="uniform" if self.network is None else "none", seed=seed,
                              batch=batch, max_edges=max(1000, 4 * self.simulations * (start.size ** 2 + 1))),
                      self.network)


@dataclass(frozen=True)
class ArenaResult:
    """Wins, draws and losses of the first player of a match, and its test's log-likelihood ratio and verdict: H0, H1
    (the first player is stronger) or UNDECIDED."""
    wins: int
    draws: int
    losses: int
    llr: float = 0.0
    accepted: str = UNDECIDED

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The fraction of the points, from 0 to 1; a draw is half a point."""
        return (self.wins + self.draws / 2) / max(self.games, 1)

    @property
    def is_stronger(self) -> bool:
        """Whether the test has found the first player to be the stronger one."""
        return self.accepted == H1

    def __str__(self) -> str:
        verdict = {H1: "stronger", H0: "not stronger", UNDECIDED: "undecided"}[self.accepted]
        return f"{self.wins} won, {self.draws} drawn, {self.losses} lost: {verdict}"


def play_game(black: ArenaPlayer, white: ArenaPlayer, start: BasePosition, seed: list[int], max_moves: int,
              is_stopped: threading.Event) -> int:
    """Play one game; returns 1 if Black has won, -1 if White has, 0 for a draw and for a game that was stopped."""
    if is_stopped.is_set():
        return 0
    rng = np.random.default_rng(seed)
    players = black, white
    searches = [player.new_search(start, int(rng.integers(2**31))) for player in players]
    moves_made = [0, 0]
    position = start
    while not position.is_over and position.plies < max_moves:
        if is_stopped.is_set():
            return 0
        i = 0 if position.to_play == BLACK else 1
        result = searches[i].search(position, simulations=players[i].simulations, select_by="visits",
                                    should_stop=is_stopped.is_set)
        point = result.best().point
        visits = np.array([info.visits for info in result.moves], float)
        if moves_made[i] < players[i].temperature_moves and visits.any():        # a forced move has none
            point = result.moves[int(rng.choice(len(visits), p=visits / visits.sum()))].point
        moves_made[i] += 1
        position = position.play(point)
    return int(np.sign(position.score()))


def play_match(first: ArenaPlayer, second: ArenaPlayer, start: BasePosition, games: int, test: SPRT, *, seed: int = 0,
               threads: int = 1, max_moves: int = 0, on_pair: Callable[[int], object] = lambda games: None
               ) -> ArenaResult:
    """Play pairs of games with both colours, `threads` games at a time, until the test is decided, or `games` are
    played.  max_moves: in a game; 0 is three moves per point.  on_pair: called with the number of games so far."""
    limit = max_moves or 3 * start.size ** 2
    is_decided = threading.Event()
    outcomes: list[int] = []             # of the games that the test has seen

    def play(number: int) -> int:
        if number % 2 == 0:
            return play_game(first, second, start, [seed, number], limit, is_decided)
        return -play_game(second, first, start, [seed, number], limit, is_decided)

    def pairs(played: Iterator[int]) -> Iterator[float]:
        for pair in zip(played, played, strict=True):
            outcomes.extend(pair)
            on_pair(len(outcomes))
            yield 1 + sum(pair) / 2

    with ThreadPoolExecutor(threads) as executor:
        try:
            found = test.run(pairs(executor.map(play, range(games // 2 * 2))))
        finally:
            is_decided.set()             # games that still run are of no use
    return ArenaResult(outcomes.count(1), outcomes.count(0), outcomes.count(-1), round(found.ratio, 4), found.accepted)


def level_test(attempt: int) -> SPRT:
    """The test of a network's attempt number 1, 2, ... at a level of UCT.  The alphas of all attempts sum to ALPHA: a
    run passes a level by luck in ALPHA of cases at most, however often it tries."""
    return SPRT(0, 200, ALPHA / (attempt * (attempt + 1)))


def climb_levels(player: ArenaPlayer, level: int, attempt: int, start: BasePosition, games: int, *, seed: int = 0,
                 threads: int = 1, max_moves: int = 0, on_pair: Callable[[int], object] = lambda games: None
                 ) -> Iterator[tuple[int, ArenaResult]]:
    """Play UCT of UCT_LEVELS[level], and after each level that is beaten the next; yields (level, result).  attempt: at
    `level`, from 1.  games, on_pair: see play_match."""
    while level < len(UCT_LEVELS):
        result = play_match(player, ArenaPlayer(UCT_LEVELS[level]), start, games, level_test(attempt), seed=seed,
                            threads=threads, max_moves=max_moves, on_pair=on_pair)
        yield level, result
        if not result.is_stronger:
            return
        level, attempt = level + 1, 1
