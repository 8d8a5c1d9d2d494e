"""The options that a review depends on: one frozen record, for worker processes and fingerprints.

A Namespace of the command line -- review_options --> ReviewOptions -- make_reviewer --> Reviewer
                                                                    -- fingerprint   --> SHA-256
"""
import argparse
import functools
import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mugo.core.version import VERSION
from mugo.core.files import BadInput, file_sha256
from mugo.core.options import check, given, option
from mugo.games.coords import BoardSize
from mugo.games.go import MAX_KOMI, GoPosition
from mugo.nn.bundled import bundled_name
from mugo.nn.inference import precision_of
from mugo.nn.network_file import find_network, name_everywhere
from mugo.players import options as player_options
from mugo.games.rules import KOMI
from mugo.players.options import PlayerOptions
from mugo.players.registry import PLAYERS, SEARCHERS, open_network
from mugo.players.evaluation import SearchEvaluator
from mugo.reviews.tasks import REVIEWED_BY, ReviewTask
from mugo.reviews.review import Reviewer
from mugo.mcts.search import Search
from mugo.mcts.settings import DEFAULT_SETTINGS, Settings

SIMULATIONS = 400         # for a position, including the visits of the reused tree: about a second
REVIEW_FORMAT = 16        # raised when the same options give other files


@dataclass(frozen=True)
class ReviewOptions:
    """All that shapes a review, with the game: `fingerprint` hashes every field.  Raises BadInput.

    network: a name or a file that other machines know too; None for the bundled ones.  opened: how it is opened.
    simulations, seconds: limits of the search of a position; None without one.  settings: the search's.
    """
    player: str = option("mcts", "the player that evaluates the positions",
                         choices=[name for name in PLAYERS if name != "random"], common=True)
    fast: bool = option(False, "no search: priors and win rates of the network alone", common=True)
    komi: float = option(KOMI, "White's points in games that name no komi", least=-MAX_KOMI, most=MAX_KOMI, common=True)
    opened: PlayerOptions = PlayerOptions()
    simulations: int | None = None
    seconds: float | None = None
    settings: Settings = DEFAULT_SETTINGS

    def __post_init__(self):
        check(self)
        if self.fast and (self.simulations or self.seconds):
            raise BadInput("--fast searches nothing: leave --simulations and --seconds out")
        if self.player == "uct" and self.fast:
            raise BadInput("--fast uses the network alone, and uct has none")

    @property
    def network(self) -> str | None:
        return self.opened.network

    @property
    def has_search(self) -> bool:
        return not self.fast and self.player in SEARCHERS


def review_options(args: argparse.Namespace) -> ReviewOptions:
    """The options of a command line.  Raises BadInput for a combination that cannot review."""
    args = argparse.Namespace(**vars(args) | {"player": args.player or ReviewOptions.player})
    limits, opened = player_options.play_options_from_arguments(args), player_options.player_options(args)
    network = None if opened.network is None or args.player == "uct" else name_everywhere(opened.network)
    options = ReviewOptions(
        **given(ReviewOptions, args), opened=replace(opened, network=network), simulations=limits.simulations,
        seconds=limits.seconds,
        # Without early stop: the best move may be known long before its win rate is.
        settings=replace(player_options.settings_from_arguments(args), early_stop=False))
    return replace(options, simulations=SIMULATIONS) if options.has_search and not (
        options.simulations or options.seconds) else options


@functools.lru_cache(1)
def make_reviewer(options: ReviewOptions) -> Reviewer:
    """The reviewer of these options; a process makes it once.  Raises BadInput."""
    settings = options.settings
    network = None if options.player == "uct" else open_network(
        options.network, settings.threads, options.opened.precision, options.opened.provider,
        caches=not options.has_search or settings.seed is None)
    if network is not None and options.network is not None:
        network.for_position(GoPosition())                 # one line for a network of another game, not one a game
    symmetries = options.opened.symmetries
    if not options.has_search:
        return Reviewer(network, symmetries=symmetries, komi=options.komi)
    evaluators = (SearchEvaluator(Search(settings, network), options.simulations, options.seconds),
                  SearchEvaluator(Search(settings, network), options.simulations, options.seconds))
    return Reviewer(network, evaluators, symmetries=symmetries, komi=options.komi)


def describe_reviewer(options: ReviewOptions, size: BoardSize) -> str:
    """A line about the reviewer of games on this board: version, player, network, effort."""
    network = ""
    if options.player != "uct":
        network = f"the network {_network_file(options, size).stem}, {_precision(options, size)}"
    if not options.has_search:
        return f"{REVIEWED_BY} {VERSION}: {network}, alone."
    limits = [f"{options.simulations} simulations"] if options.simulations else []
    limits += [f"{options.seconds:g} seconds"] if options.seconds else []
    network = network and f" with {network}"
    return f"{REVIEWED_BY} {VERSION}: {options.player}{network}, {' or '.join(limits)} per position."


def fingerprint(task: ReviewTask, options: ReviewOptions, size: BoardSize) -> str:
    """The SHA-256 of a game and of all that its review depends on; a network counts by its bytes, not its name."""
    opened = options.opened
    if options.player != "uct":
        opened = replace(opened, network=file_sha256(_network_file(options, size)),
                         precision=_precision(options, size))
    settings = json.dumps([REVIEW_FORMAT, task.index, asdict(replace(options, opened=opened))])
    return hashlib.sha256(settings.encode() + b"\n" + task.data).hexdigest()


def _network_file(options: ReviewOptions, size: BoardSize) -> Path:
    return find_network(options.network or bundled_name(size))


def _precision(options: ReviewOptions, size: BoardSize) -> str:
    return precision_of(_network_file(options, size), options.opened.precision, options.opened.provider)
