"""A person in the terminal against any player:

    mugo play uct --size 5                                               Go
    mugo play gomoku --size 8 --k 5 --player uct --simulations 15000     Gomoku

What can be typed at the board is table.py's; here are the command line, the lines that come from a terminal or a
pipe, and the signals that must not cost a game.
"""
import argparse
import contextlib
import signal
import sys
from collections.abc import Iterator

import numpy as np

from mugo.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.game import GAMES, new_game
from mugo.games.go import fixed_handicap
from mugo.games.position import BasePosition
from mugo.players import game_options, searcher
from mugo.players import options as player_options
from mugo.players.game_options import KOMI
from mugo.players.options import PLAYERS
from mugo.plots.terminal import Screen
from mugo.sgf.convert import load_position
from mugo.tui.session import Table, words_of

GO_SIZE = 9
HANDICAP_KOMI = 0.5
SIDES = {"black": (BLACK,), "white": (WHITE,), "both": (BLACK, WHITE)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo play`."""
    parser.add_argument("what", nargs="?", choices=(*GAMES, *PLAYERS), metavar="GAME|PLAYER",
                        help=f"a game ({', '.join(GAMES)}), or who plays ({', '.join(PLAYERS)}), for whom there is "
                        "--player too")
    player_options.add_arguments(parser, default=None, by_option=True)
    game_options.add_arguments(parser, str(GO_SIZE))
    parser.add_argument("--colour", "--color", choices=(*SIDES, "random"), default="black",
                        help="yours (default: %(default)s)")
    parser.add_argument("--handicap", type=int, default=0, metavar="N", help="in Go: stones for Black, where GTP puts "
                        f"them; komi is {HANDICAP_KOMI:g} then, if nobody says otherwise")
    parser.add_argument("--load", metavar="GAME.sgf", help="go on from a game")
    parser.add_argument("--move", type=int, metavar="N", help="with --load: after so many moves")
    parser.add_argument("--no-colour", "--no-color", action="store_true", help="a board of letters")


def command(args: argparse.Namespace) -> int:
    """Run `mugo play`; returns the exit status.  Raises BadInput."""
    settle(args)
    position = first_position(args)
    if args.player is None:
        args.player = default_player(position)
    player = player_options.player_from_arguments(args, position.game)
    humans = SIDES.get(args.colour) or SIDES[("black", "white")[int(np.random.default_rng().integers(2))]]
    sys.stdout.reconfigure(errors="replace")
    if sys.stdin.isatty():
        complete_words(position.game)
    if sys.stdout.isatty():
        print("getting ready ...", end="\r", flush=True)          # the first start on a machine compiles
    player.warm_up(position)
    seconds = searcher.SECONDS if args.seconds is None and args.simulations is None else args.seconds
    with left_by_signals():
        Table(player, position, humans, out=sys.stdout, read=read_line,
              screen=Screen.of(sys.stdout, not args.no_colour), simulations=args.simulations, seconds=seconds).run()
    return 0


def settle(args: argparse.Namespace) -> None:
    """Let --game and --player say what the word without an option says.  Raises BadInput if they say another thing."""
    name = "game" if args.what in GAMES else "player"
    if args.what is not None and getattr(args, name) not in (None, args.what):
        raise BadInput(f"{args.what} or --{name} {getattr(args, name)}: one {name} is wanted")
    if args.what is not None:
        setattr(args, name, args.what)
    if args.player is None and args.network is not None:
        args.player = "mcts"


def first_position(args: argparse.Namespace) -> BasePosition:
    """Where the game of a command line begins.  Raises BadInput."""
    if args.load:
        if args.move is not None and args.move < 0:
            raise BadInput(f"--move is 0 or more, not {args.move}")
        if args.k is not None or args.exactly:
            raise BadInput("--k and --exactly are for a new game: with --load the file says how many in a row win")
        komi = KOMI if args.komi is None else args.komi
        return load_position(args.load, args.move, komi, args.game or game_options.trained_for(args).get("game"))
    if args.move is not None:
        raise BadInput("--move goes with --load")
    position = game_options.first_position(args, GO_SIZE)
    if not args.handicap:
        return position
    try:
        position = new_game("go", position.size, komi=HANDICAP_KOMI if args.komi is None else args.komi)
        return position.with_handicap(fixed_handicap(position.size, args.handicap))
    except ValueError as bad:
        raise BadInput(str(bad)) from None


def default_player(position: BasePosition) -> str:
    """Who plays where nobody says: mcts, or uct for a board of Gomoku that no network came for."""
    from mugo.nn.bundled import bundled_name  # here, so that `random` starts without it
    from mugo.nn.metadata import game_rules
    try:
        bundled_name(position.size, *game_rules(position))
    except BadInput as why:
        print(f"uct plays: {why}")
        return "uct"
    return "mcts"


def read_line(prompt: str) -> str:
    """A line from the person; from a file or pipe it is shown as if it had been typed."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)
    return line


def complete_words(game: str) -> None:
    """Let the tab key complete words, and the arrow keys bring back earlier lines, where Python can."""
    try:
        import readline
    except ImportError:                                  # Windows
        return
    names = words_of(game)
    readline.set_completer(lambda text, n: ([name for name in names if name.startswith(text.lower())] + [None])[n])
    readline.parse_and_bind("tab: complete")


@contextlib.contextmanager
def left_by_signals() -> Iterator[None]:
    """Make a closed terminal window, or being terminated, the end of the input: the game is kept."""
    def leave(*_) -> None:
        raise EOFError

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [signal.signal(number, leave) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
