"""The command line of `mugo analysis`: an AnalysisEngine on stdin and stdout."""
import argparse
import contextlib
import functools
import io
import sys

from mugo.analysis.engine import MAX_LINE_BYTES, AnalysisEngine, serve
from mugo.files import BadInput, log_to_stderr
from mugo.nn.inference import default_threads
from mugo.pipes import is_pipe_closed, read_lines
from mugo.players import options as player_options
from mugo.players.options import NETWORK_PLAYERS, SEARCHERS
from mugo.players.searcher import PlayOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo analysis`, with KataGo's spelling of some options, for programs that start it."""
    player_options.add_arguments(parser, default="mcts")
    parser.add_argument("--analysis-threads", "-analysis-threads", type=int, metavar="N",
                        help="positions analyzed at the same time, each on --threads threads (default: the cores "
                        "divided by --threads)")
    parser.add_argument("--quit-without-waiting", "-quit-without-waiting", action="store_true",
                        help="at the end of the input stop at once (default: finish all queries)")
    parser.add_argument("-model", dest="network", metavar="NAME", help="the same as --network")
    parser.add_argument("-config", "-override-config", "-human-model", metavar="TEXT",
                        help="options of KataGo; accepted and ignored")


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo analysis`; returns the exit status.  Raises BadInput before the first line is read."""
    name = arguments.player
    if name not in (*SEARCHERS, *NETWORK_PLAYERS):
        raise BadInput(f"{name} cannot analyze: it has neither a search nor a network (uct, mcts and policy have)")
    play_options = PlayOptions(arguments.simulations, arguments.seconds,
                               player_options.select_by_from_arguments(arguments))
    settings = player_options.settings_from_arguments(arguments) if name in SEARCHERS else None
    network = None
    if name in NETWORK_PLAYERS:
        network = player_options.open_network(arguments.network, arguments.threads, arguments.precision,
                                              arguments.provider)
    threads = arguments.analysis_threads
    if threads is None:
        threads = max(default_threads() // max(arguments.threads, 1), 1)
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    with contextlib.redirect_stdout(sys.stderr):         # a stray print would break the protocol
        engine = AnalysisEngine(network, settings, out, play_options=play_options, tta=arguments.tta,
                                threads=threads, log=log_to_stderr,
                                is_abandoned=functools.partial(is_pipe_closed, out.fileno()))
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
