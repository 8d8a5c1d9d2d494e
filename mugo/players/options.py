"""Command-line options of players: the arguments, their defaults, and the player that they make."""
import argparse
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.core.limits import SEED
from mugo.core.options import add_options, check, check_player, given, option
from mugo.nn.bundled import NETWORK_HELP
from mugo.nn.people import People, parse_rank, people_of_profile
from mugo.nn.runtime import PLAY_PRECISIONS, check_options, provider_option
from mugo.players.player import Player, RandomPlayer
from mugo.players.policy import TEMPERATURE, PolicyPlayer
from mugo.players.rank_estimate import format_rank
from mugo.players.searcher import (
    DEFAULT_PLAY_OPTIONS, GOMOKU_MCTS, MCTS, UCT, PlayOptions, SearchPlayer, default_select_by, default_settings)
from mugo.mcts.search import Search
from mugo.mcts.settings import RAVE_C, SCORE_UTILITY, UCB_C, Settings

PLAYERS = ("random", "policy", "randompolicy", "uct", "mcts")
MEANINGS = {"mcts": "tree search with a network, the strongest", "uct": "tree search with rollouts, without a network",
            "policy": "the network's first choice, at once", "randompolicy": "a move drawn from the network's policy",
            "random": "any sensible move"}
SEARCHERS = ("uct", "mcts")
NETWORK_PLAYERS = ("policy", "randompolicy", "mcts")
GO_SIZE = 19              # the board of Go by default


@dataclass(frozen=True)
class PlayerOptions:
    """Options of all players: the network, and how it is used.  Raises BadInput for values out of range."""
    network: str | None = option(
        None, NETWORK_HELP,
        shown_default="the bundled network for the board, in Go the nearest", common=True, metavar="NETWORK")
    precision: str = option("auto", "precision of the network: auto is int8 where this processor multiplies int8 "
                            "faster and the network has an int8 graph, else float32",
                            choices=PLAY_PRECISIONS, common=True)
    provider: str = provider_option()
    rank: str | None = option(None, "choose moves as players of this rank do, against one of the same: 5k, 3d, 9p or "
                              "pro; policy then samples. The network needs a metadata encoder", common=True,
                              shown_default="unknown", metavar="RANK")
    style: int | None = option(None, "choose moves as people did in this year; otherwise as --rank", least=1, most=9999,
                               shown_default="unknown", metavar="YEAR")
    human_profile: str | None = option(
        None, "who plays by KataGo's name of a profile, rank_5k, preaz_3d, rank_5k_3d (Black's rank, White's) or "
        "proyear_1985, instead of --rank and --style", shown_default="unknown", metavar="PROFILE",
        katago="humanSLProfile")
    temperature: float | None = option(
        None, "of policy, randompolicy and --human-move-prop: 0 plays the best move, 1 samples from the priors",
        least=0, most=1e9, katago="chosenMoveTemperature",
        shown_default=f"{TEMPERATURE:g} for randompolicy; 0 for policy; 1 where it is said who plays, and for "
        "--human-move-prop")
    symmetries: bool = option(True, "test-time augmentation: where there is no search, the network's priors and values "
                              "are averaged over the 8 symmetries of the board")

    def __post_init__(self):
        check(self)
        _ = self.people

    @property
    def people(self) -> People | None:
        """Who plays, when Black is to move; None if nothing is said of it.  Raises BadInput for a rank that is none."""
        if self.human_profile is not None:
            return people_of_profile(self.human_profile)
        return People(self.rank, self.rank, year=self.style) if self.rank or self.style else None


# What differs from the defaults of Settings, in words.
PLAYERS_DEFAULTS = {
    "rollout": f"{UCT.rollout}; in Gomoku mcts {GOMOKU_MCTS.rollout}",
    "lambda_": f"{MCTS.lambda_:g}; in Gomoku {GOMOKU_MCTS.lambda_:g}",
    "c": f"mcts {MCTS.c:g}, in Gomoku {GOMOKU_MCTS.c:g}; uct {RAVE_C:g}, without RAVE {UCB_C:g}",
    "fpu_reduction_max": f"{MCTS.fpu_reduction_max:g}; in Gomoku {GOMOKU_MCTS.fpu_reduction_max:g}",
    "dynamic_score_utility_factor": f"{SCORE_UTILITY:g} up to 9x9, else 0; in Gomoku "
                                    f"{GOMOKU_MCTS.dynamic_score_utility_factor:g}",
    "max_pass_prior": f"{MCTS.max_pass_prior:g}", "unsettled_prior": f"{MCTS.unsettled_prior:g}",
    "rave": "on", "heuristic_priors": "on", "root_symmetry_pruning": "on"}
# Options that choose a move, or decide when a search that chooses one ends: a review only evaluates.
CHOICE_OPTIONS = ("rank", "style", "human_profile", "temperature", "human_move_prop", "early_stop", "lcb_stdevs",
                  "min_visit_prop_for_lcb", "select_by", "dynamic_komi", "resign", "resign_moves")


def make_player(name: str, *, network=None, seed: int | None = None, temperature: float | None = None,
                symmetries: bool = True, settings: Settings | None = None,
                play_options: PlayOptions = DEFAULT_PLAY_OPTIONS, game: str = "go", precision: str = "auto",
                provider: str = "cpu", people: People | None = None) -> Player:
    """The player of this name.

    network: a name or file that nn.inference.Network opens, or an open network; None: the bundled ones, by board.
    seed: the same seed plays the same moves.  temperature, symmetries, precision, provider, people: as in
    PlayerOptions.
    settings, play_options: of `uct` and `mcts`; without settings those of the game, with the seed.
    Raises BadInput for an unknown name, options out of range or a network that cannot be opened.
    """
    if name not in PLAYERS:
        raise BadInput(f"{name!r} is not a player ({', '.join(PLAYERS)})")
    check_options(precision, provider)
    if seed is not None and not SEED[0] <= seed <= SEED[1]:
        raise BadInput(f"a seed is {SEED[0]} to {SEED[1]}, not {seed}")
    if people and name not in NETWORK_PLAYERS:
        raise BadInput(f"{name} has no network, so it cannot play as people of a rank or a year do")
    if name == "random":
        return RandomPlayer(seed)
    if name == "uct":
        return SearchPlayer(name, Search(settings or replace(UCT, seed=seed)), play_options)
    if network is None or isinstance(network, str | Path):
        threads = settings.threads if settings and name == "mcts" else None
        is_seeded = seed is not None or settings is not None and settings.seed is not None
        network = open_network(network, threads, precision, provider, caches=not is_seeded)
    if people:
        network = network.with_people(people, people.of_other_side())
    if name == "mcts":
        settings = settings or replace(default_settings(name, game), seed=seed)
        return SearchPlayer(name, Search(settings, network), play_options, 1 if temperature is None else temperature)
    if temperature is None:
        temperature = TEMPERATURE if name == "randompolicy" else 1 if people else 0
    player = PolicyPlayer(network, temperature=temperature, symmetries=symmetries, seed=seed)
    if people:
        rank = people.rank and format_rank(parse_rank(people.rank))
        player.name = " ".join(str(part) for part in (name, rank, people.year) if part)
    return player


def open_network(name: str | Path | None, threads: int | None = None, precision: str = "auto", provider: str = "cpu",
                 caches: bool = False):
    """The network of this name or file, or, None, the bundled ones (nn.inference).  caches: whether it remembers
    evaluations (nn.caching).  Raises BadInput."""
    from mugo.nn.caching import CachingNetwork  # here, so that `random` and `uct` start without them
    from mugo.nn.inference import BundledNetworks, Network
    network_class = CachingNetwork if caches else Network
    if name is None:
        return BundledNetworks(threads, precision, provider, network_class)
    return network_class(name, threads, precision, provider)


def add_arguments(parser: argparse.ArgumentParser, default: str | None = "mcts", without: Collection[str] = (),
                  players: Collection[str] = PLAYERS) -> None:
    """The player, and the options of all players.  default: the player; None: it depends on the board.  without: fields
    that the command does not follow.  players: those that it can have."""
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in players)
    parser.add_argument("player", nargs="?", default=default, choices=players, metavar="PLAYER",
                        help=f"{meanings} (default: "
                        f"{default or 'mcts, or uct where there is no network for the board'})")
    add_player_options(parser, without)


def add_player_options(parser: argparse.ArgumentParser, without: Collection[str] = (),
                       defaults: Mapping[str, str] | None = None) -> None:
    """The options of all players.  without: as in add_arguments.  defaults: of PlayOptions, as in add_options."""
    add_options(parser, PlayerOptions, without)
    group = parser.add_argument_group("search, of uct and mcts")
    add_options(group, PlayOptions, without, defaults)
    add_options(group, Settings, without, PLAYERS_DEFAULTS)


def _given(kind: type, args: argparse.Namespace) -> dict[str, Any]:
    """As core.options.given.  Raises BadInput for an option that only another player has."""
    values = given(kind, args)
    check_player(kind, values, args.player)
    return values


def player_options(args: argparse.Namespace) -> PlayerOptions:
    """The options of a command line.  Raises BadInput."""
    return PlayerOptions(**given(PlayerOptions, args))


def default_size(args: argparse.Namespace) -> int:
    """The board size of Go for a command line: that of its network's training, or 19.  Raises BadInput."""
    return trained_for(args).get("size", GO_SIZE)


def trained_for(args: argparse.Namespace) -> dict:
    """"game", "size", "k" and "exactly" of the network that a command line names; {} if it names none.
    Raises BadInput."""
    name, player = getattr(args, "network", None), getattr(args, "player", None)
    if name is None or player not in NETWORK_PLAYERS:
        return {}
    from mugo.nn.bundled import find_network  # here, so that others start without it
    from mugo.nn.metadata import read_metadata
    about = read_metadata(find_network(name))
    return {"game": about.get("game", "go"), "size": about["size"], "k": about.get("k"),
            "exactly": about.get("exactly", False)}


def settings_from_arguments(args: argparse.Namespace, game: str = "go") -> Settings:
    """The search settings of a command line, for a game, "go" or "gomoku".  Raises BadInput."""
    values = _given(Settings, args)
    settings = default_settings("mcts" if args.player == "mcts" else "uct", game)
    # --rollout or --lambda alone asks for both: Gomoku's default of neither does not apply.
    if args.player == "mcts" and game == "gomoku" and (
            "lambda_" in values or values.get("rollout", "none") != "none"):
        settings = replace(settings, rollout=MCTS.rollout, lambda_=MCTS.lambda_)
    return replace(settings, **values)


def play_options_from_arguments(args: argparse.Namespace, game: str = "go") -> PlayOptions:
    """The play options of a command line, for a game, "go" or "gomoku".  Raises BadInput."""
    values: dict[str, Any] = {"select_by": default_select_by(args.player, game)} | _given(PlayOptions, args)
    return PlayOptions(**values)


def player_from_arguments(args: argparse.Namespace, game: str = "go", network=None) -> Player:
    """The player of a command line, for a game, "go" or "gomoku".  network: an open one instead of --network.  Raises
    BadInput."""
    options = player_options(args)
    player = make_player(args.player, network=network or options.network, seed=args.seed,
                         temperature=options.temperature, symmetries=options.symmetries,
                         settings=settings_from_arguments(args, game),
                         play_options=play_options_from_arguments(args, game),
                         precision=options.precision, provider=options.provider, people=options.people)
    if player.search is not None:
        player.search.reports_full_tree = True
    return player
