"""The table of players: the name of each, its line of help, its constructor, and what it needs.

    make_player("mcts", network="policy-9", seed=1)    -->    PLAYERS["mcts"].make(Ingredients(...))

A new player is a class that satisfies player.Player and a row of PLAYERS.  The command line, its help and every program
that plays follow from the row.
"""
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mugo.core.files import BadInput
from mugo.core.limits import SEED
from mugo.mcts.settings import PUCT_C, Settings
from mugo.nn.inputs import People, format_rank, parse_rank
from mugo.players.play_options import DEFAULT_PLAY_OPTIONS, PlayOptions

if TYPE_CHECKING:                        # compiled: imported by the functions that make players
    from mugo.players.player import Player

TEMPERATURE = 0.5         # of randompolicy: squares the priors, so that a hundred moves of 0.1 % do not outweigh one
                          # of 10 %

UCT = Settings(rollout="mogo", rave=True, heuristic_priors=True, root_symmetry_pruning=True)
MCTS = Settings(rollout="mogo", lambda_=0.25, c=1.5, fpu_reduction_max=0.3, max_pass_prior=0.5, unsettled_prior=0.3,
                dynamic_score_utility_factor=None, root_symmetry_pruning=True)
# Networks of self-play have a value head for their own play.
GOMOKU_MCTS = Settings(rollout="none", lambda_=0.0, c=PUCT_C, root_symmetry_pruning=True)


class Ingredients(NamedTuple):
    """What a player is made of; arguments of `make_player`, with the network opened and the settings resolved."""
    name: str
    network: Any
    seed: int | None
    temperature: float | None
    settings: Settings | None
    play_options: PlayOptions
    people: People | None


@dataclass(frozen=True)
class PlayerEntry:
    """A row of PLAYERS.

    help: its meaning in --help.  make: its constructor.  needs_network: whether it evaluates positions by a network.
    settings: its search's, by game ("go", "gomoku"); empty for a player that does not search.
    select_by: PlayOptions.select_by, by game; "visits" where it is not given.
    """
    help: str
    make: Callable[[Ingredients], "Player"]
    needs_network: bool = False
    settings: Mapping[str, Settings] = field(default_factory=dict)
    select_by: Mapping[str, str] = field(default_factory=dict)


def _make_random(given: Ingredients) -> "Player":
    from mugo.players.player import RandomPlayer
    return RandomPlayer(given.seed)


def _make_policy(given: Ingredients) -> "Player":
    from mugo.players.player import PolicyPlayer
    temperature, people = given.temperature, given.people
    if temperature is None:
        temperature = TEMPERATURE if given.name == "randompolicy" else 1 if people else 0
    player = PolicyPlayer(given.network, temperature=temperature, symmetries=True, seed=given.seed)
    if people:
        rank = people.rank and format_rank(parse_rank(people.rank))
        player.name = " ".join(str(part) for part in (given.name, rank, people.year) if part)
    return player


def _make_searcher(given: Ingredients) -> "Player":
    from mugo.mcts.search import Search
    from mugo.players.searcher import SearchPlayer
    assert given.settings is not None
    return SearchPlayer(given.name, Search(given.settings, given.network), given.play_options,
                        1 if given.temperature is None else given.temperature)


PLAYERS = {
    "mcts": PlayerEntry("tree search with a network, the strongest", _make_searcher, needs_network=True,
                        settings={"go": MCTS, "gomoku": GOMOKU_MCTS}, select_by={"go": "lcb"}),
    "uct": PlayerEntry("tree search with rollouts, without a network", _make_searcher,
                       settings={"go": UCT, "gomoku": UCT}),
    "policy": PlayerEntry("the network's first choice, at once", _make_policy, needs_network=True),
    "randompolicy": PlayerEntry("a move drawn from the network's policy", _make_policy, needs_network=True),
    "random": PlayerEntry("any sensible move", _make_random),
}
SEARCHERS = tuple(name for name, entry in PLAYERS.items() if entry.settings)
NETWORK_PLAYERS = tuple(name for name, entry in PLAYERS.items() if entry.needs_network)


def default_settings(name: str, game: str) -> Settings:
    """The search settings of a player that searches, in a game, "go" or "gomoku"."""
    return PLAYERS[name].settings[game]


def default_select_by(name: str, game: str) -> str:
    """The default of PlayOptions.select_by for a player in a game, "go" or "gomoku"."""
    return PLAYERS[name].select_by.get(game, "visits")


def make_player(name: str, *, network: Any = None, seed: int | None = None, temperature: float | None = None,
                settings: Settings | None = None, play_options: PlayOptions = DEFAULT_PLAY_OPTIONS, game: str = "go",
                precision: str = "auto", provider: str = "cpu", people: People | None = None) -> "Player":
    """The player of this name.

    network: a name or file that nn.inference.Network opens, or an open network; None: the bundled one for each board.
    seed: the same seed plays the same moves.
    temperature, precision, provider, people: as in PlayerOptions.
    settings, play_options: of players that search; without settings the defaults of the game, with the seed.
    Raises BadInput for an unknown name, options out of range or a network that cannot be opened.
    """
    if name not in PLAYERS:
        raise BadInput(f"{name!r} is not a player ({', '.join(PLAYERS)})")
    from mugo.nn.inference import check_options
    check_options(precision, provider)
    if seed is not None and not SEED[0] <= seed <= SEED[1]:
        raise BadInput(f"a seed is {SEED[0]} to {SEED[1]}, not {seed}")
    entry = PLAYERS[name]
    if people and not entry.needs_network:
        raise BadInput(f"{name} has no network, so it cannot play as people of a rank or a year do")
    if not entry.needs_network:
        network = None
    elif network is None or isinstance(network, str | Path):
        threads = settings.threads if settings and entry.settings else None
        is_seeded = seed is not None or settings is not None and settings.seed is not None
        network = open_network(network, threads, precision, provider, caches=not is_seeded)
    if people:
        network = network.with_people(people, people.of_other_side())
    if entry.settings:
        settings = settings or replace(entry.settings[game], seed=seed)
    return entry.make(Ingredients(name, network, seed, temperature, settings, play_options, people))


def open_network(name: str | Path | None, threads: int | None = None, precision: str = "auto", provider: str = "cpu",
                 caches: bool = False):
    """The network of this name or file, or, None, the bundled ones (nn.inference).

    caches: whether it remembers evaluations (nn.caching).  Raises BadInput.
    """
    from mugo.nn.bundled import BundledNetworks
    from mugo.nn.caching import CachingNetwork  # here, so that `random` and `uct` start without them
    from mugo.nn.inference import Network
    network_class = CachingNetwork if caches else Network
    if name is None:
        return BundledNetworks(threads, precision, provider, network_class)
    return network_class(name, threads, precision, provider)
