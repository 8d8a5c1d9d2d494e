"""Players: an object with a name that chooses a point in a position, of Go or of Gomoku.

    random         any sensible point, all equally likely
    policy         the sensible point that a network likes best
    randompolicy   a sensible point drawn from a network's priors
    uct            Monte Carlo tree search with rollouts alone: no network, any board
    mcts           tree search with a network's priors, rollouts, and its value head if it has one

A sensible point is legal, superko included, and fills no own true eye; in Gomoku, where nobody passes, every empty
one is.  How the searchers search is search.py's, and when they pass passing.py's; how long they search and when they
resign stands here.
"""
import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from mugo.files import BadInput
from mugo.games import scoring
from mugo.games.coords import PASS, move_index
from mugo.games.position import BasePosition
from mugo.limits import SEED
from mugo.players import passing
from mugo.players.passing import ENOUGH
from mugo.search.search import PUCT_C, ROLLOUTS, UCB_C, Branch, Search, Settings, Thought

PLAYERS = ("random", "policy", "randompolicy", "uct", "mcts")
SEARCHERS = ("uct", "mcts")
NETWORKED = ("policy", "randompolicy", "mcts")
RESIGN = -1               # what `choose` answers instead of a point
TEMPERATURE = 0.5         # squares the priors: a hundred moves of 0.1 % no longer add up to one of 10 %
GO_SIZE = 19              # of a board of Go that nobody says the size of
SECONDS = 2.0             # a move of a searcher that was told nothing else
WATCH = 0.2               # seconds between two looks at a search
UCT = Settings(rollout="mogo")                     # in Gomoku the same as "threats"
MCTS = Settings(rollout="mogo", trust=0.5)
GOMOKU_MCTS = Settings(rollout="none", trust=0.0)  # its networks learn the value of their own play


class Player(Protocol):
    """What gtp.py, and everything else that plays, asks of a player."""
    name: str

    def choose(self, position: BasePosition, *, seconds: float | None = None, cleanup: bool = False) -> int:
        """A point for the side to move, RESIGN, or in Go PASS.

        seconds: the most it may take (a clock's word); None: as the player was told when it was made.
        cleanup: take every dead stone off before passing.
        Raises BadInput where its network cannot be opened or does not play this board, and for a game of Gomoku
        that is over.
        """

    def explain(self) -> str:
        """A line about the last choice; '' if there is nothing to say."""

    def warm_up(self, start: BasePosition) -> None:
        """Load what the first `choose` from this start of a game needs, compiled code above all; between games,
        for a searcher forgets its tree.  Raises BadInput as `choose` does."""


@dataclass(frozen=True)
class Manner:
    """How a searcher uses what it finds.  Raises BadInput for what makes no sense.

    simulations, seconds: for a move, whichever ends first; without either, SECONDS.
    by_mean: play the move with the highest win rate, not the one with the most visits.
    resign: below this win rate, `patience` moves of its own in a row, it resigns; 0 never.  In a handicap
    game not before 20 moves for each stone.
    """
    simulations: int | None = None
    seconds: float | None = None
    by_mean: bool = False
    resign: float = 0.05
    patience: int = 3

    def __post_init__(self):
        if self.simulations is not None and self.simulations < 1:
            raise BadInput(f"simulations are 1 or more, not {self.simulations}")
        if self.seconds is not None and not 0 < self.seconds < np.inf:
            raise BadInput(f"seconds are more than 0, not {self.seconds}")
        if not 0 <= self.resign < 1:
            raise BadInput(f"a win rate to resign at is from 0 to 1, not {self.resign}")
        if self.patience < 1:
            raise BadInput(f"patience is 1 or more, not {self.patience}")


def make_player(name: str, *, network=None, seed: int | None = None, temperature: float = TEMPERATURE,
                tta: bool = True, settings: Settings | None = None, manner: Manner = Manner(),
                game: str = "go") -> Player:
    """The player of this name.

    network: what network.Network opens, or an open one, for boards of every size; None: the bundled ones,
    each for its boards.
    seed: the same seed plays the same moves.  temperature: of `randompolicy` only.
    tta: test-time augmentation of the policies: their priors are means over the eight symmetries, which are better.
    settings, manner: of `uct` and `mcts` only; a seed in the settings counts more than `seed`.
    game: where there are no settings, the usual ones for this game are taken.
    Raises BadInput for an unknown name, options that make no sense or a network that cannot be opened.
    """
    if name not in PLAYERS:
        raise BadInput(f"{name!r} is no player ({', '.join(PLAYERS)})")
    if seed is not None and not SEED[0] <= seed <= SEED[1]:
        raise BadInput(f"a seed is {SEED[0]} to {SEED[1]}, not {seed}")
    if name == "random":
        return RandomPlayer(seed)
    if name == "uct":
        return SearchPlayer(name, Search(settings or replace(usual(name, game), seed=seed)), manner)
    if network is None or isinstance(network, str | Path):
        network = open_network(network, settings.threads if settings and name == "mcts" else None)
    if name == "mcts":
        return SearchPlayer(name, Search(settings or replace(usual(name, game), seed=seed), network), manner)
    return PolicyPlayer(network, temperature=temperature if name == "randompolicy" else 0, tta=tta, seed=seed)


def usual(name: str, game: str) -> Settings:
    """How `uct` or `mcts` searches in a game, "go" or "gomoku", if nobody says otherwise."""
    return UCT if name == "uct" else MCTS if game == "go" else GOMOKU_MCTS


def open_network(name: str | Path | None, threads: int | None = None):
    """The network of this name or file, or the bundled ones.  Raises BadInput."""
    from mugo.nn.inference import BundledNetworks, Network  # here, so that `random` starts without it
    return BundledNetworks(threads) if name is None else Network(name, threads)


def _no_move(position: BasePosition) -> int:
    """What is played where no point can be: PASS.  Raises BadInput where that is no move either."""
    if not position.may_pass:
        raise BadInput("the game is over")
    return PASS


class RandomPlayer:
    """Plays any sensible point, all equally likely; passes when none is left."""
    name = "random"

    def __init__(self, seed: int | None = None):
        self._rng = np.random.default_rng(seed)

    def choose(self, position: BasePosition, *, seconds: float | None = None, cleanup: bool = False) -> int:
        points = position.sensible_points()
        return int(self._rng.choice(points)) if len(points) else _no_move(position)

    def explain(self) -> str:
        return ""

    def warm_up(self, start: BasePosition) -> None:
        start.sensible_points()


class PolicyPlayer:
    """Plays the point that a network likes best, or draws one from its priors.

    network: anything with `evaluate(positions)`, as network.Network has it.
    temperature: 0 takes the best point; 1 draws by the priors as they are; between, the better
    points more often than that.
    tta: test-time augmentation: the priors are means over the eight symmetries, at eight times the cost.
    """

    def __init__(self, network, *, temperature: float = 0, tta: bool = False, seed: int | None = None):
        if not 0 <= temperature < np.inf:
            raise BadInput(f"a temperature is 0 or more, not {temperature}")
        self.name = "randompolicy" if temperature else "policy"
        self.network = network
        self._temperature = temperature
        self._tta = tta
        self._rng = np.random.default_rng(seed)

    def choose(self, position: BasePosition, *, seconds: float | None = None, cleanup: bool = False) -> int:
        priors = self.network.evaluate([position], tta=self._tta)[0][0]
        points = scoring.worth_playing(position, priors, cleanup) if position.may_pass else position.sensible_points()
        if not len(points):
            return _no_move(position)
        weights = priors[[move_index(int(point), position.size) for point in points]].astype(np.float64)
        if self._temperature == 0:
            return int(points[np.argmax(weights)])
        # In logarithms, so that a low temperature does not underflow to all zeros.
        logs = np.log(np.maximum(weights, 1e-30)) / self._temperature
        weights = np.exp(logs - logs.max())
        return int(self._rng.choice(points, p=weights / weights.sum()))

    def explain(self) -> str:
        return ""

    def warm_up(self, start: BasePosition) -> None:
        start.sensible_points()
        self.network.evaluate([start])


class SearchPlayer:
    """Plays what a search prefers; when it passes instead, in Go, passing.py says.  `thought` is its last search,
    None before the first.  Whoever wants to see it think, or to stop it and have the best move so far, sets `watch`,
    `every` and `is_over`, which are as Search.think has them.
    """

    def __init__(self, name: str, search: Search, manner: Manner = Manner()):
        self.name = name
        self.thought: Thought | None = None
        self.search = search
        self.is_over: Callable[[], bool] = lambda: False
        self.watch: Callable[[Thought], None] | None = None
        self.every = WATCH
        self._manner = manner
        self._hopeless = 0        # own moves in a row below the win rate at which it resigns
        self._plies = 0           # of the position that it chose in last

    def choose(self, position: BasePosition, *, seconds: float | None = None, cleanup: bool = False) -> int:
        self.thought = None
        if not len(position.sensible_points()):
            return _no_move(position)
        may_pass = position.may_pass and (cleanup or scoring.is_nearly_over(position))
        among = None
        if may_pass and passing.wins(position, cleanup):
            among = passing.before_a_pass(position, cleanup)
            if not among:
                return PASS
        limits = self._limits(seconds)
        deadline = time.perf_counter() + limits["seconds"] if limits["seconds"] else None
        if deadline and may_pass:
            limits["seconds"] *= 0.8                     # the rest is for the look at what a pass would lose
        self.thought = self.search.think(position, may_pass=may_pass and not among, among=among, is_over=self.is_over,
                                         watch=self.watch, every=self.every, **limits)
        best = self.thought.best(self._manner.by_mean)
        if among:
            return best.point
        if self._is_hopeless(position, best):
            return RESIGN
        if not position.may_pass:
            return best.point
        return passing.choose(self.search, self.thought, best, cleanup=cleanup, deadline=deadline,
                              is_over=self.is_over)

    def _limits(self, seconds: float | None) -> dict:
        """What `think` is told: the player's own limits and the clock's, whichever is less."""
        own = self._manner.seconds
        if own is None and seconds is None and self._manner.simulations is None:
            own = SECONDS
        limits = [limit for limit in (own, seconds) if limit is not None]
        return {"simulations": self._manner.simulations, "seconds": min(limits, default=None)}

    def _is_hopeless(self, position: BasePosition, best: Branch) -> bool:
        follows = position.plies == self._plies + 2      # not another game, nor after an undo
        self._plies = position.plies
        if not follows or best.win_rate >= self._manner.resign or best.visits < ENOUGH:
            self._hopeless = 0
        if best.win_rate < self._manner.resign and best.visits >= ENOUGH and position.plies >= 20 * position.handicap:
            self._hopeless += 1
        return self._hopeless >= self._manner.patience

    def explain(self) -> str:
        return self.thought.describe(self.thought.best(self._manner.by_mean)) if self.thought else ""

    def warm_up(self, start: BasePosition) -> None:
        position = start
        for _ in range(2):                   # the second finds the tree of the first
            points = position.sensible_points()
            if not len(points):
                return
            self.search.think(position, simulations=2)
            position = position.play(int(points[0]))
        if position.may_pass:
            scoring.without_dead(position)


def add_arguments(parser: argparse.ArgumentParser, default: str | None = "policy", by_option: bool = False) -> None:
    """The options of every player; who it is stands alone, or with `by_option` after --player."""
    name, place = ("--player", {}) if by_option else ("player", {"nargs": "?"})
    usual = default or "mcts, or uct where there is no network for the board"
    parser.add_argument(name, default=default, choices=PLAYERS, help=f"who plays (default: {usual})", **place)
    parser.add_argument("--network", metavar="NAME",
                        help="a file, the folder of a training run, or the name of a bundled network; one that has "
                        "learned from people plays Go on boards of every size, one from self-play its own game and "
                        "board (default: for each board the bundled network of its size, or in Go of the nearest)")
    parser.add_argument("--seed", type=int, help="play the same moves again")
    parser.add_argument("--temperature", type=float, default=TEMPERATURE, metavar="T",
                        help="of randompolicy: 0 plays the best move, 1 draws from the priors as they are"
                             " (default: %(default)s)")
    parser.add_argument("--tta", action=argparse.BooleanOptionalAction, default=True,
                        help="of policy and randompolicy: test-time augmentation, the mean over the board's "
                             "eight symmetries (default: yes)")
    parser = parser.add_argument_group("the searchers, uct and mcts")
    parser.add_argument("--simulations", type=int, metavar="N", help="for a move")
    parser.add_argument("--seconds", type=float, metavar="S", help="for a move, at most "
                        f"(default: {SECONDS:g} where neither simulations nor a clock say more)")
    parser.add_argument("--threads", type=int, default=1, metavar="N",
                        help="for rollouts and the network (default: %(default)s)")
    parser.add_argument("--rollout", choices=ROLLOUTS, help="how leaves are judged: by random moves, with MoGo's "
                        "patterns (in Gomoku that is `threats`: who can win at once does, or stops the opponent's "
                        "winning), by the network playing both sides, or by its value head alone.  `uct --rollout "
                        f"uniform` is plain UCT (default: {UCT.rollout}; in Gomoku uct threats, mcts "
                        f"{GOMOKU_MCTS.rollout})")
    parser.add_argument("--rollouts", type=int, default=1, metavar="N", help="for each leaf (default: %(default)s)")
    parser.add_argument("--lambda", dest="trust", type=float, metavar="L", help="of mcts: the share of rollouts in "
                        f"the value of a leaf, the rest is the value head's (default: {MCTS.trust:g}; in Gomoku "
                        "the value head alone)")
    parser.add_argument("--c", type=float, metavar="C", help="the constant of exploration: sqrt(2) is UCB1's in "
                        f"theory, 1.5 the small-board tutorials' (default: uct {UCB_C:g}, mcts {PUCT_C:g})")
    parser.add_argument("--urgency", type=float, metavar="U", help="what a move not yet tried is worth.  uct: a "
                        "winning fraction (default: infinite, so that every move is tried once first); mcts: a value "
                        "from -1 to 1 (default: the mean of the position)")
    parser.add_argument("--grow-at", type=int, metavar="N", help="how often a position is judged before its moves "
                        "enter the tree (default: uct 1, mcts 0)")
    parser.add_argument("--batch", type=int, metavar="N",
                        help="leaves judged together (default: mcts 8; uct 1, or 64 for each of several threads)")
    parser.add_argument("--branches", type=int, default=Settings.branches, metavar="N",
                        help="moves the tree may hold, 24 bytes each (default: %(default)s)")
    parser.add_argument("--share", action=argparse.BooleanOptionalAction, default=True,
                        help="positions reached by different orders of moves are one (default: they are)")
    parser.add_argument("--reuse", action=argparse.BooleanOptionalAction, default=True,
                        help="keep the tree between moves (default: it is kept)")
    parser.add_argument("--early", action=argparse.BooleanOptionalAction, default=True,
                        help="stop when no other move can become the most visited (default: it does)")
    parser.add_argument("--turn", action=argparse.BooleanOptionalAction, default=False,
                        help="of mcts: show each position to the network in one of its eight symmetries")
    parser.add_argument("--noise", type=float, default=0, metavar="E",
                        help="of mcts: priors at the root are mixed with so much Dirichlet noise (default: none)")
    parser.add_argument("--alpha", type=float, default=Settings.alpha, metavar="A", help="of that noise"
                        " (default: %(default)s)")
    parser.add_argument("--choose", choices=("visits", "mean"), default="visits",
                        help="play the move most visited, or with the highest win rate (default: %(default)s)")
    parser.add_argument("--resign", type=float, default=Manner.resign, metavar="W",
                        help="at this win rate; 0 never (default: %(default)s)")
    parser.add_argument("--patience", type=int, default=Manner.patience, metavar="N",
                        help="moves in a row below it (default: %(default)s)")


def first_size(args: argparse.Namespace) -> int:
    """The board of Go that the player of a command line is made for: the one its network was trained on, or 19x19.
    Raises BadInput."""
    if args.network is None or args.player not in NETWORKED:
        return GO_SIZE
    from mugo.nn.metadata import read_metadata
    from mugo.nn.bundled import find_network
    return read_metadata(find_network(args.network))["size"]


def settings_of(args: argparse.Namespace, game: str = "go") -> Settings:
    """The settings of the search that a command line asks for, in a game, "go" or "gomoku".  Raises BadInput."""
    given = {field.name: getattr(args, field.name) for field in fields(Settings)}
    given = {name: value for name, value in given.items() if value is not None}
    # Whoever asks for some rollouts, or for a share of them, gets both.
    if "trust" in given or given.get("rollout", "none") != "none":
        game = "go"
    return replace(usual("mcts" if args.player == "mcts" else "uct", game), **given)


def from_arguments(args: argparse.Namespace, game: str = "go") -> Player:
    """The player that a command line asks for, to play a game, "go" or "gomoku".  Raises BadInput."""
    manner = Manner(args.simulations, args.seconds, args.choose == "mean", args.resign, args.patience)
    return make_player(args.player, network=args.network, seed=args.seed, temperature=args.temperature,
                       tta=args.tta, settings=settings_of(args, game), manner=manner)
