"""The command line of `mugo analysis`, with KataGo's spelling of some options, for programs that start it."""
import argparse

from mugo.players import options as player_options
from mugo.players.registry import PLAYERS

# Of CHOICE_OPTIONS those that are supported here: they order the moves.
ORDER_OPTIONS = {"lcb_stdevs", "min_visit_prop_for_lcb", "select_by"}


def add_analysis_arguments(parser: argparse.ArgumentParser) -> None:
    player_options.add_arguments(parser, without={*player_options.CHOICE_OPTIONS, "reuse_tree"} - ORDER_OPTIONS,
                                 players=[name for name in PLAYERS if name != "random"])
    parser.add_argument("--jobs", "-analysis-threads", type=int, metavar="N",
                        help="positions analysed at the same time, each on --threads threads (default: the cores "
                        "divided by --threads)")
    parser.add_argument("-quit-without-waiting", action="store_true",
                        help="at the end of the input stop at once (default: finish all queries)")
    parser.add_argument("-model", dest="network", metavar="NETWORK", help="the same as --network")
    parser.add_argument("-override-config", action="append", default=[], metavar="NAME=VALUE,...",
                        help="KataGo's parameters for all queries, by the names of overrideSettings")
    parser.add_argument("-human-model", metavar="NETWORK", help="the network for queries with humanSLProfile (default: "
                        "--network); KataGo's own files are not read, and a warning on stderr says so")
    parser.add_argument("-config", dest="not_read", action="append", default=[], metavar="FILE",
                        help="a file of KataGo; it is not read, and a warning on stderr says so")
