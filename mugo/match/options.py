"""The options of `mugo match`."""
import argparse
from dataclasses import dataclass
from pathlib import Path

from mugo.core.limits import SEED
from mugo.core.options import add_options, check, option
from mugo.core.parallel import add_scheduler_argument
from mugo.games.coords import MAX_MOVES
from mugo.players import options as player_options

GO_SIZE = 9                              # the board of Go by default
MAX_TIMEOUT = 1_000_000                  # seconds for a move: eleven days


@dataclass(frozen=True)
class MatchOptions:
    """What the games of a match depend on, with the participants and the game: a match is continued only with the
    same.  Raises BadInput for values out of range."""
    gauntlet: bool = option(False, "the first participant against each other one, instead of a round robin",
                            common=True)
    alternate: bool = option(True, "alternate colours, and play each opening with both; without it the participant "
                             "named first is always Black")
    seed: int = option(0, "random seed of the openings", least=SEED[0], most=SEED[1])
    openings: str | None = option(
        None, "start with N random moves (a number N), with moves of the bundled network (policy), or with the "
        "games of an SGF folder or archive", common=True, metavar="SOURCE")
    opening_moves: int | None = option(None, "moves of an opening", least=1, most=MAX_MOVES,
                                       shown_default="8 of the policy, all of a recorded game")
    time: str | None = option(
        None, "seconds on each clock: MAIN, MAIN/BYOYOMI/STONES (Canadian), MAIN/PERIODSxBYOYOMI (Japanese) or "
        "MAIN+INCREMENT (Fischer); exceeding it loses the game", shown_default="no clock", common=True,
        metavar="SYSTEM")
    move_timeout: float = option(300.0, "a program that needs more time for a move loses the game", above=0,
                                 most=MAX_TIMEOUT, metavar="SECONDS")
    max_moves: int | None = option(None, "score a game that is longer as it stands", least=1, most=MAX_MOVES,
                                   shown_default="three moves for each point")
    ko: str = option("superko", "superko: a move that repeats a position loses the game, unless --rules allow it; "
                     "simple: it is always allowed, for programs that know simple ko only",
                     choices=("superko", "simple"), player="Go")

    def __post_init__(self):
        check(self)


def add_match_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("participants", nargs="+", metavar="PARTICIPANT",
                        help='a player with its options ("uct --seconds 2") or a GTP command line ("gnugo --mode gtp")')
    parser.add_argument("--games", type=int, default=100, metavar="N", help="games of each pair (default: %(default)s)")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"),
                        help="stop as soon as a sequential probability ratio test accepts that the first of two "
                        "participants is stronger by at most ELO0, or by at least ELO1; --games is the limit")
    parser.add_argument("--jobs", type=int, metavar="N",
                        help="games at the same time, each with processes of its own (default: 1)")
    add_scheduler_argument(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER",
                        help="write the games there, or continue the match that is in it")
    parser.add_argument("--json", action="store_true",
                        help="print the summary as JSON")
    add_options(parser, MatchOptions)
    player_options.add_game_arguments(parser, str(GO_SIZE), network=False, handicap=True)
