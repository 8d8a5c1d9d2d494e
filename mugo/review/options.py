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

from mugo import __version__
from mugo.core.files import BadInput
from mugo.games.coords import BoardSize
from mugo.games.go import Position
from mugo.nn.bundled import bundled_name, find_network, name_everywhere, file_checksum
from mugo.nn.inference import precision_of
from mugo.players import options as player_options
from mugo.players.evaluator import SearchEvaluator
from mugo.review.earlier import REVIEWED_BY
from mugo.review.review import Reviewer
from mugo.review.tasks import ReviewTask
from mugo.search.search import Search
from mugo.search.settings import Settings

SIMULATIONS = 400         # for a position, including the visits of the reused tree: about a second
REVIEW_FORMAT = 12        # raised when the same options give other files


@dataclass(frozen=True)
class ReviewOptions:
    """All that shapes a review, beside the game: `fingerprint` hashes every field.

    player: its name.  network: a name or a file that other machines know too; None for the bundled ones.
    precision, provider: with which the network is opened.  tta: of the network's evaluations without a search.
    komi: of games that name none.  is_fast: the network alone evaluates, without a search.
    simulations, seconds: limits of the search of a position; None without one.  settings: of the search.
    """
    player: str
    network: str | None
    precision: str
    provider: str
    tta: bool
    komi: float
    is_fast: bool
    simulations: int | None
    seconds: float | None
    settings: Settings


def review_options(args: argparse.Namespace) -> ReviewOptions:
    """The options of a command line.  Raises BadInput for a combination that cannot review."""
    player_options.play_options_from_arguments(args)
    if args.player == "random":
        raise BadInput("the player random cannot evaluate games; choose policy, uct or mcts")
    if args.fast and (args.simulations or args.seconds):
        raise BadInput("--fast searches nothing: leave --simulations and --seconds out")
    if args.player == "uct" and args.fast:
        raise BadInput("--fast uses the network alone, and uct has none")
    simulations = SIMULATIONS if args.simulations is None and args.seconds is None else args.simulations
    return ReviewOptions(
        player=args.player,
        network=args.network if args.network is None or args.player == "uct" else name_everywhere(args.network),
        precision=args.precision, provider=args.provider, tta=args.tta, komi=args.komi,
        is_fast=args.fast or args.player in ("policy", "randompolicy"), simulations=simulations, seconds=args.seconds,
        # Without early stop: the best move may be known long before its win rate is.
        settings=replace(player_options.settings_from_arguments(args), early_stop=False))


def network_files(options: ReviewOptions) -> list[Path]:
    """The files that a reviewer of these options reads, beside those that come with MuGo."""
    path = Path(options.network or "")
    return [path] if path.is_absolute() else []


@functools.lru_cache(1)
def make_reviewer(options: ReviewOptions) -> Reviewer:
    """The reviewer of these options; a process makes it once.  Raises BadInput."""
    settings = options.settings
    network = None if options.player == "uct" else player_options.open_network(
        options.network, settings.threads, options.precision, options.provider)
    if network is not None and options.network is not None:
        network.for_position(Position())                 # one line for a network of another game, not one a game
    if options.is_fast:
        return Reviewer(network, tta=options.tta, komi=options.komi)
    evaluators = (SearchEvaluator(Search(settings, network), options.simulations, options.seconds),
                  SearchEvaluator(Search(settings, network), options.simulations, options.seconds))
    return Reviewer(network, evaluators, tta=options.tta, komi=options.komi)


def describe_reviewer(options: ReviewOptions, size: BoardSize) -> str:
    """A line about the reviewer of games on this board: version, player, network, effort."""
    network = ""
    if options.player != "uct":
        network = f"the network {_network_file(options, size).stem}, {_precision(options, size)}"
    if options.is_fast:
        return f"{REVIEWED_BY} {__version__}: {network}, alone."
    limits = [f"{options.simulations} simulations"] if options.simulations else []
    limits += [f"{options.seconds:g} seconds"] if options.seconds else []
    network = network and f" with {network}"
    return f"{REVIEWED_BY} {__version__}: {options.player}{network}, {' or '.join(limits)} a position."


def fingerprint(task: ReviewTask, options: ReviewOptions, size: BoardSize) -> str:
    """The SHA-256 of a game and of all that its review depends on: of a network, its bytes and not its name."""
    network = precision = ""
    if options.player != "uct":
        network, precision = file_checksum(_network_file(options, size)), _precision(options, size)
    settings = json.dumps([REVIEW_FORMAT, task.index, asdict(replace(options, network=network, precision=precision))])
    return hashlib.sha256(settings.encode() + b"\n" + task.data).hexdigest()


def _network_file(options: ReviewOptions, size: BoardSize) -> Path:
    return find_network(options.network or bundled_name(size))


def _precision(options: ReviewOptions, size: BoardSize) -> str:
    return precision_of(_network_file(options, size), options.precision, options.provider)
