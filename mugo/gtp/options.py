"""The options of `mugo gtp`."""
import argparse
from dataclasses import dataclass
from pathlib import Path

from mugo.core.options import add_options, check, option
from mugo.players import options as player_options
from mugo.players.time_control import LAG


@dataclass(frozen=True)
class GtpOptions:
    """Options of the engine itself.  Raises BadInput for values out of range."""
    lag: float = option(LAG, "seconds that a move costs on the controller's clock beyond its own time: about 1 across "
                        "the internet", least=0, most=1e9, common=True, katago="lagBuffer", metavar="SECONDS")
    ponder: bool = option(False, "search on the opponent's time (uct and mcts), from an own move to the next command",
                          common=True, katago="ponderingEnabled")
    cleanup: bool = option(False, "capture dead stones before passing, for servers that count every stone as alive")

    def __post_init__(self):
        check(self)


def add_gtp_arguments(parser: argparse.ArgumentParser) -> None:
    player_options.add_arguments(parser)
    player_options.add_game_arguments(parser, f"that of --network, or {player_options.GO_SIZE}")
    add_options(parser, GtpOptions)
    parser.add_argument("--name", default="", metavar="TEXT", help="the reply to the command `name`, for clients that "
                        "know only some engines (default: MuGo and the player)")
    parser.add_argument("--log-file", type=Path, metavar="FILE",
                        help="append every line received and sent to this file, with the time")
