"""The options that a review depends on, as JSON, so that worker processes and fingerprints can use them.

A Namespace of the command line -- review_options --> JSON -- make_reviewer --> Reviewer
"""
import argparse
import functools
import hashlib
import json
from pathlib import Path

from mugo import __version__
from mugo.files import BadInput
from mugo.games.coords import BoardSize
from mugo.games.go import Position
from mugo.nn.bundled import bundled_name, find_network, name_everywhere, file_checksum
from mugo.nn.inference import precision_of
from mugo.players import options as player_options
from mugo.players import searcher
from mugo.players.evaluator import SearchEvaluator
from mugo.review.earlier import REVIEWED_BY
from mugo.review.review import Reviewer
from mugo.review.tasks import ReviewTask
from mugo.search.search import Search

SIMULATIONS = 400         # for a position, including the visits of the reused tree: about a second
REVIEW_FORMAT = 11        # raised when the same settings give other files
# The options that change a review, beside the network, of which the checksum counts.
SETTINGS = ("player", "fast", "simulations", "seconds", "tta", "komi", "seed", "rollout", "rollout_rules",
            "rollouts", "lambda_", "c", "fpu", "rave", "rave_bias", "heuristic_priors", "expand_after", "batch",
            "threads", "max_edges", "transpositions", "reuse_tree", "random_symmetry", "fpu_reduction_max",
            "root_fpu_reduction_max", "cpuct_exploration_log", "cpuct_exploration_base", "root_policy_temperature",
            "max_pass_prior", "provider")


def review_options(args: argparse.Namespace) -> str:
    """The options as JSON.  Raises BadInput for a combination that cannot review."""
    searcher.PlayOptions(args.simulations, args.seconds)
    if args.player == "random":
        raise BadInput("the player random cannot evaluate games; choose policy, uct or mcts")
    if args.fast and (args.simulations or args.seconds):
        raise BadInput("--fast searches nothing: leave --simulations and --seconds out")
    if args.player == "uct" and args.fast:
        raise BadInput("--fast uses the network alone, and uct has none")
    fast = args.fast or args.player in ("policy", "randompolicy")
    network = args.network if args.network is None or args.player == "uct" else name_everywhere(args.network)
    # Without early stop: the best move may be known long before its win rate is.
    return json.dumps(vars(args) | {"network": network, "fast": fast, "early_stop": False},
                      default=lambda value: None, sort_keys=True)


def network_files(options: str) -> list[Path]:
    """The files that a reviewer of these options reads, beside those that come with MuGo."""
    path = Path(json.loads(options)["network"] or "")
    return [path] if path.is_absolute() else []


@functools.lru_cache(1)
def make_reviewer(options: str) -> Reviewer:
    """The reviewer of these options; a process makes it once.  Raises BadInput."""
    args = argparse.Namespace(**json.loads(options))
    network = None if args.player == "uct" else player_options.open_network(
        args.network, args.threads, args.precision, args.provider)
    if network is not None and args.network is not None:
        network.for_position(Position())                 # one line for a network of another game, not one a game
    if args.fast:
        return Reviewer(network, tta=args.tta, komi=args.komi)
    simulations = SIMULATIONS if args.simulations is None and args.seconds is None else args.simulations
    settings = player_options.settings_from_arguments(args)
    evaluators = (SearchEvaluator(Search(settings, network), simulations, args.seconds),
                  SearchEvaluator(Search(settings, network), simulations, args.seconds))
    return Reviewer(network, evaluators, tta=args.tta, komi=args.komi)


def describe_reviewer(options: str, size: BoardSize) -> str:
    """A line about the reviewer of games on this board: version, player, network, effort."""
    args = argparse.Namespace(**json.loads(options))
    network = "" if args.player == "uct" else f"the network {_network_file(args, size).stem}, {_precision(args, size)}"
    if args.fast:
        return f"{REVIEWED_BY} {__version__}: {network}, alone."
    limits = [f"{args.simulations or SIMULATIONS} simulations"] if args.simulations or not args.seconds else []
    limits += [f"{args.seconds:g} seconds"] if args.seconds else []
    network = network and f" with {network}"
    return f"{REVIEWED_BY} {__version__}: {args.player}{network}, {' or '.join(limits)} a position."


def fingerprint(task: ReviewTask, options: str, size: BoardSize) -> str:
    """The SHA-256 of a game and of all that its review depends on."""
    args = json.loads(options)
    network = ""
    if args["player"] != "uct":
        namespace = argparse.Namespace(**args)
        network = f"{file_checksum(_network_file(namespace, size))} {_precision(namespace, size)}"
    settings = json.dumps([REVIEW_FORMAT, network, task.index, {name: args[name] for name in SETTINGS}])
    return hashlib.sha256(settings.encode() + b"\n" + task.data).hexdigest()


def _network_file(args: argparse.Namespace, size: BoardSize) -> Path:
    return find_network(args.network or bundled_name(size))


def _precision(args: argparse.Namespace, size: BoardSize) -> str:
    return precision_of(_network_file(args, size), args.precision, args.provider)
