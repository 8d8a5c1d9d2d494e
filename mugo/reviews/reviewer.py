"""The reviewer that options ask for, and what its reviews depend on.

ReviewOptions -- make_reviewer --> Reviewer
              -- fingerprint   --> SHA-256
"""
import functools
import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

from mugo.core.files import file_sha256
from mugo.core.version import VERSION
from mugo.games.coords import BoardSize
from mugo.games.go import GoPosition
from mugo.mcts.search import Search
from mugo.nn.bundled import bundled_name
from mugo.nn.inference import precision_of
from mugo.nn.network_file import find_network
from mugo.players.evaluation import SearchEvaluator
from mugo.players.registry import open_network
from mugo.reviews.options import ReviewOptions
from mugo.reviews.review import Reviewer
from mugo.reviews.tasks import REVIEWED_BY, ReviewTask

REVIEW_FORMAT = 17        # raised when the same options give other files


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
