"""The options of `mugo web` and `mugo site`."""
import argparse
from dataclasses import dataclass
from pathlib import Path

from mugo.core.options import add_options, check, option
from mugo.players import options as player_options
from mugo.players.options import PlayerOptions

DEFAULT_SIZE = 9                         # of the Go board that the page starts with
DEFAULT_PORT = 8080


@dataclass(frozen=True)
class WebOptions:
    """How the server is reached, and what it computes at once.  Raises BadInput for values out of range."""
    host: str = option("127.0.0.1", "the address to listen on; 127.0.0.1 admits this computer only, 0.0.0.0 others "
                       "too, who need the token in the address that is printed", common=True, metavar="NAME")
    port: int | None = option(None, "the port", least=0, most=65535, common=True,
                              shown_default=f"{DEFAULT_PORT}, or the next free one")
    browser: bool = option(True, "open a browser", common=True)
    games: str | None = option(None, "a folder of game records; the page offers the newest one, and looks for newer "
                               "ones while it is open", common=True, metavar="FOLDER")
    jobs: int | None = option(None, "searches at the same time; others wait", least=1, common=True,
                              shown_default="one for each core")

    def __post_init__(self):
        check(self)


def add_web_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, WebOptions)
    parser.add_argument("--allowed-host", metavar="NAME", action="append", default=[], help="a name of this server "
                        "that browsers may use, such as go.example.org behind a proxy; can be given several times "
                        "(always allowed: localhost, this computer's name, addresses, and --host)")
    add_options(parser, PlayerOptions, ("rank", "style", "temperature"))
    player_options.add_game_arguments(parser, str(DEFAULT_SIZE))
    parser.set_defaults(player="mcts")                   # its --network decides the game that the page starts with


def add_site_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", type=Path, default=Path("site"), metavar="FOLDER",
                        help="the folder to write (default: %(default)s)")
