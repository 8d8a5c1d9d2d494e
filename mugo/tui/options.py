"""The command line of `mugo play`."""
import argparse

from mugo.games.coords import BLACK, WHITE
from mugo.players import options as player_options

GO_SIZE = 9
SIDES = {"black": (BLACK,), "white": (WHITE,), "both": (BLACK, WHITE)}


def add_play_arguments(parser: argparse.ArgumentParser) -> None:
    player_options.add_arguments(parser, default=None)
    player_options.add_game_arguments(parser, str(GO_SIZE), handicap=True)
    parser.add_argument("--side", choices=(*SIDES, "random"), default="black",
                        help="the side that you play (default: %(default)s)")
    parser.add_argument("--load", metavar="FILE", help="continue the game in this SGF file")
    parser.add_argument("--move", type=int, metavar="N",
                        help="with --load: continue after N moves (default: after the last)")
    parser.add_argument("--colour", "--color", action=argparse.BooleanOptionalAction, default=True,
                        help="colours in the terminal; without them a plain board of letters")
