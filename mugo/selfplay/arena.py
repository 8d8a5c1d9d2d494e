"""How good a network has become: games against another one, and against plain UCT of a given strength.

    newest network - best network so far       whoever is better is kept
    newest network - UCT, 1,000 simulations    then 3,000, 5,000, ...: a yardstick that nobody trained

Both sides search; UCT judges by uniform rollouts.  A game is a function of its number and a seed.
"""
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from mugo.games.board import BLACK
from mugo.games.position import BasePosition
from mugo.search.search import Search
from mugo.search.settings import Settings

LEVELS = (1_000, 3_000, 5_000, 10_000, 20_000, 50_000, 100_000)          # simulations of UCT
BATCH = 8                                # leaves that a network judges together, as `mcts` does


@dataclass(frozen=True)
class Side:
    """Who plays.  network: None for UCT.  drawn: so many of its moves are drawn by visits, so that games differ."""

    simulations: int
    network: object | None = None
    c: float | None = None
    drawn: int = 0

    def search(self, start: BasePosition, seed: int) -> Search:
        """A tree of its own for one game."""
        kind = "uniform" if self.network is None else "none"
        return Search(Settings(c=self.c, rollout=kind, seed=seed, batch=None if self.network is None else BATCH,
                               max_edges=max(1000, 4 * self.simulations * (start.size ** 2 + 1))), self.network)


@dataclass(frozen=True)
class Tally:
    """Games of the first side."""
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The share of the points, a draw being half of one."""
        return (self.wins + self.draws / 2) / max(self.games, 1)

    def __str__(self) -> str:
        return f"{self.wins} won, {self.draws} drawn, {self.losses} lost"


def play(black: Side, white: Side, start: BasePosition, seed: list[int], most_moves: int) -> int:
    """One game; returns the outcome, 1 where Black has won."""
    rng = np.random.default_rng(seed)
    sides = black, white
    searches = [side.search(start, int(rng.integers(2**31))) for side in sides]
    made = [0, 0]
    position = start
    while not position.is_over and position.plies < most_moves:
        i = 0 if position.to_play == BLACK else 1
        result = searches[i].search(position, simulations=sides[i].simulations)
        point = result.best().point
        if made[i] < sides[i].drawn:
            visits = np.array([info.visits for info in result.moves], float)
            point = result.moves[int(rng.choice(len(visits), p=visits / visits.sum()))].point
        made[i] += 1
        position = position.play(point)
    return int(np.sign(position.score()))


def meet(first: Side, second: Side, start: BasePosition, games: int, *, seed: int = 0, threads: int = 1,
         most_moves: int = 0) -> Tally:
    """So many games, colours alternating; `threads` at a time."""
    longest = most_moves or 3 * start.size ** 2

    def game(number: int) -> int:
        if number % 2 == 0:
            return play(first, second, start, [seed, number], longest)
        return -play(second, first, start, [seed, number], longest)

    with ThreadPoolExecutor(threads) as executor:
        outcomes = list(executor.map(game, range(games)))
    return Tally(outcomes.count(1), outcomes.count(0), outcomes.count(-1))


def next_level(level: int, tally: Tally, enough: float = 0.8) -> int:
    """The index in LEVELS to play next: one more where this one was beaten."""
    return min(level + 1, len(LEVELS) - 1) if tally.score >= enough else level


def climb(side: Side, level: int, start: BasePosition, games: int, **options) -> Iterator[tuple[int, Tally]]:
    """Meet UCT of LEVELS[level], and while it is beaten the next; yields (its index, how that went)."""
    while True:
        tally = meet(side, Side(LEVELS[level]), start, games, **options)
        yield level, tally
        above = next_level(level, tally)
        if above == level:
            return
        level = above
