"""The command line of `mugo analysis`: an AnalysisEngine on stdin and stdout."""
import argparse
import contextlib
import functools
import io
import sys

from mugo.analysis.engine import MAX_LINE_BYTES, AnalysisEngine, serve
from mugo.analysis.parameters import InvalidQuery, Overrides, read_overrides
from mugo.analysis.request import NO_OVERRIDES
from mugo.core.files import BadInput, is_pipe_closed, log_to_stderr, read_lines
from mugo.core.limits import parse_integer
from mugo.core.machine import available_cores
from mugo.core.options import check_limits
from mugo.players import options as player_options
from mugo.players.registry import NETWORK_PLAYERS, SEARCHERS, open_network

KATAGO_SUFFIX = ".gz"                    # of its networks
MAX_JOBS = 1024                          # each is a thread with a search tree
# KataGo's parameters that are options of this command.
THREADS = {"numAnalysisThreads": "jobs", "numSearchThreads": "threads",
           "numSearchThreadsPerAnalysisThread": "threads"}


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo analysis`; returns the exit status.  Raises BadInput before the first line is read."""
    name = arguments.player
    overrides = _read_config(arguments)
    check_limits(arguments, {"jobs": (1, MAX_JOBS)})
    options = player_options.player_options(arguments)
    play_options = player_options.play_options_from_arguments(arguments)
    settings = player_options.settings_from_arguments(arguments)
    network = human_network = None
    opened = functools.partial(open_network, threads=settings.threads, precision=options.precision,
                               provider=options.provider, caches=settings.seed is None)
    if name in NETWORK_PLAYERS:
        network = opened(options.network)
    if arguments.human_model is not None:
        human_network = opened(arguments.human_model)
        if not human_network.takes_people:
            raise BadInput(f"-human-model {arguments.human_model} was trained without --metadata-encoder")
    jobs = arguments.jobs
    if jobs is None:
        jobs = max(available_cores() // settings.threads, 1)
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    with contextlib.redirect_stdout(sys.stderr):         # a stray print would break the protocol
        engine = AnalysisEngine(network, settings if name in SEARCHERS else None, out,
                                play_options=play_options, jobs=jobs, log=log_to_stderr,
                                is_abandoned=functools.partial(is_pipe_closed, out.fileno()), overrides=overrides,
                                human_network=human_network)
        engine.warm_up(player_options.default_size(arguments))
        if network is not None:
            log_to_stderr(f"network: {network.describe()}")
        log_to_stderr("Started, ready to begin handling requests")       # KataGo's words; clients wait for them
        serve(engine, read_lines(sys.stdin.fileno(), MAX_LINE_BYTES), not arguments.quit_without_waiting)
    if engine.output_closed and not arguments.quit_without_waiting:
        if isinstance(engine.output_error, OSError):     # a full disk, or a client that is gone: a BrokenPipeError
            raise engine.output_error
        raise BrokenPipeError
    return 0


def _read_config(arguments: argparse.Namespace) -> Overrides:
    """The overrides of -override-config; numbers of threads are set in the arguments.  A warning on stderr names what
    has no effect.  Raises BadInput."""
    if (arguments.human_model or "").endswith(KATAGO_SUFFIX):
        arguments.not_read.append(arguments.human_model)
        arguments.human_model = None
    for file in arguments.not_read:
        log_to_stderr(f"{file} is not read: it is a file of KataGo's")
    pairs = [pair.strip() for text in arguments.override_config for pair in text.split(",") if pair.strip()]
    values = {name.strip(): value.strip() for name, _, value in (pair.partition("=") for pair in pairs)}
    try:
        for name, option in THREADS.items():
            if text := values.pop(name, ""):
                setattr(arguments, option, parse_integer(text))
        overrides, ignored = read_overrides(values, NO_OVERRIDES, arguments.player)
    except ValueError as error:
        raise BadInput(f"-override-config: {error}") from None
    except InvalidQuery as error:
        raise BadInput(f"-override-config: {error.field} {error}") from None
    if ignored:
        log_to_stderr(f"-override-config: this player has no such settings: {', '.join(ignored)}")
    return overrides
