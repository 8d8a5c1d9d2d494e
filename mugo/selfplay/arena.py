"""The arena: how strong a network has become, by matches against another one and against plain UCT.

    newest network - best network so far           the better one is kept, as AlphaGo Zero does (Silver et al. 2017)
    newest network - UCT with 1,000 simulations    then 3,000, 5,000, ...: opponents whose strength does not change

Both sides search; UCT evaluates leaves by uniform rollouts.  A game is a function of its number and the seed.
"""
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from mugo.games.board import BLACK
from mugo.games.position import BasePosition
from mugo.nn.inference import Network
from mugo.search.search import Search
from mugo.search.settings import Settings

UCT_LEVELS = (1_000, 3_000, 5_000, 10_000, 20_000, 50_000, 100_000)      # simulations a move
PROMOTION_SCORE = 0.8                    # against a level of UCT, to go on to the next
BATCH = 8                                # leaves that the network evaluates together


@dataclass(frozen=True)
class ArenaPlayer:
    """A participant of an arena match.

    simulations: a move.  network: None for UCT.  c: the exploration constant, None for the default.
    temperature_moves: so many of its moves are sampled by visits, so that games differ.
    """

    simulations: int
    network: Network | None = None
    c: float | None = None
    temperature_moves: int = 0

    def new_search(self, start: BasePosition, seed: int) -> Search:
        """A search with a tree of its own, for one game."""
        rollout = "uniform" if self.network is None else "none"
        return Search(Settings(c=self.c, rollout=rollout, seed=seed, batch=None if self.network is None else BATCH,
                               max_edges=max(1000, 4 * self.simulations * (start.size ** 2 + 1))), self.network)


@dataclass(frozen=True)
class ArenaResult:
    """Wins, draws and losses of the first player of a match."""
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The fraction of the points, from 0 to 1; a draw is half a point."""
        return (self.wins + self.draws / 2) / max(self.games, 1)

    def __str__(self) -> str:
        return f"{self.wins} won, {self.draws} drawn, {self.losses} lost"


def play_game(black: ArenaPlayer, white: ArenaPlayer, start: BasePosition, seed: list[int], max_moves: int) -> int:
    """Play one game; returns 1 if Black has won, -1 if White has, 0 for a draw."""
    rng = np.random.default_rng(seed)
    players = black, white
    searches = [player.new_search(start, int(rng.integers(2**31))) for player in players]
    moves_made = [0, 0]
    position = start
    while not position.is_over and position.plies < max_moves:
        i = 0 if position.to_play == BLACK else 1
        result = searches[i].search(position, simulations=players[i].simulations)
        point = result.best().point
        if moves_made[i] < players[i].temperature_moves:
            visits = np.array([info.visits for info in result.moves], float)
            point = result.moves[int(rng.choice(len(visits), p=visits / visits.sum()))].point
        moves_made[i] += 1
        position = position.play(point)
    return int(np.sign(position.score()))


def play_match(first: ArenaPlayer, second: ArenaPlayer, start: BasePosition, games: int, *, seed: int = 0,
               threads: int = 1, max_moves: int = 0) -> ArenaResult:
    """Play a match with alternating colours, `threads` games at a time.  max_moves: 0 is three moves a point."""
    limit = max_moves or 3 * start.size ** 2

    def play(number: int) -> int:
        if number % 2 == 0:
            return play_game(first, second, start, [seed, number], limit)
        return -play_game(second, first, start, [seed, number], limit)

    with ThreadPoolExecutor(threads) as executor:
        outcomes = list(executor.map(play, range(games)))
    return ArenaResult(outcomes.count(1), outcomes.count(0), outcomes.count(-1))


def next_level(level: int, result: ArenaResult) -> int:
    """The index in UCT_LEVELS of the next match: one higher after a score of PROMOTION_SCORE."""
    return min(level + 1, len(UCT_LEVELS) - 1) if result.score >= PROMOTION_SCORE else level


def climb_levels(player: ArenaPlayer, level: int, start: BasePosition, games: int, *, seed: int = 0,
                 threads: int = 1, max_moves: int = 0) -> Iterator[tuple[int, ArenaResult]]:
    """Play UCT of UCT_LEVELS[level], and after each match won the next level; yields (level, result)."""
    while True:
        result = play_match(player, ArenaPlayer(UCT_LEVELS[level]), start, games, seed=seed, threads=threads,
                            max_moves=max_moves)
        yield level, result
        following = next_level(level, result)
        if following == level:
            return
        level = following
