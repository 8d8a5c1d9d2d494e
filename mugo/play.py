"""A person in the terminal against any player:  mugo play uct --size 5

What can be typed at the board is table.py's; here are the command line, the lines that come from a terminal or a
pipe, and the signals that must not cost a game.
"""
import argparse
import contextlib
import signal
import sys
from collections.abc import Iterator

import numpy as np

from mugo import players
from mugo.board import BLACK, WHITE
from mugo.files import BadInput
from mugo.games import load_position
from mugo.go import Position, fixed_handicap
from mugo.table import WORDS, Table
from mugo.terminal import Screen

SIDES = {"black": (BLACK,), "white": (WHITE,), "both": (BLACK, WHITE)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo play`."""
    players.add_arguments(parser, default="mcts")
    parser.add_argument("--size", type=int, default=9, help="of the board (default: %(default)s)")
    parser.add_argument("--colour", "--color", choices=(*SIDES, "random"), default="black",
                        help="yours (default: %(default)s)")
    parser.add_argument("--komi", type=float, help="default: 7.5, or 0.5 with handicap stones")
    parser.add_argument("--handicap", type=int, default=0, metavar="N", help="stones for Black, where GTP puts them")
    parser.add_argument("--load", metavar="GAME.sgf", help="go on from a game")
    parser.add_argument("--move", type=int, metavar="N", help="with --load: after so many moves")
    parser.add_argument("--no-colour", "--no-color", action="store_true", help="a board of letters")


def command(args: argparse.Namespace) -> int:
    """Run `mugo play`; returns the exit status.  Raises BadInput."""
    position = first_position(args)
    player = players.from_arguments(args)
    humans = SIDES.get(args.colour) or SIDES[("black", "white")[int(np.random.default_rng().integers(2))]]
    sys.stdout.reconfigure(errors="replace")
    if sys.stdin.isatty():
        complete_words()
    if sys.stdout.isatty():
        print("getting ready ...", end="\r", flush=True)          # the first start on a machine compiles
    player.warm_up(position.size)
    seconds = players.SECONDS if args.seconds is None and args.simulations is None else args.seconds
    with left_by_signals():
        Table(player, position, humans, out=sys.stdout, read=read_line,
              screen=Screen.of(sys.stdout, not args.no_colour), simulations=args.simulations, seconds=seconds).run()
    return 0


def first_position(args: argparse.Namespace) -> Position:
    """Where the game of a command line begins.  Raises BadInput."""
    komi = args.komi if args.komi is not None else 0.5 if args.handicap else 7.5
    if args.load:
        if args.move is not None and args.move < 0:
            raise BadInput(f"--move is 0 or more, not {args.move}")
        return load_position(args.load, args.move, komi)
    if args.move is not None:
        raise BadInput("--move goes with --load")
    try:
        position = Position(args.size, komi)
        return position.with_handicap(fixed_handicap(args.size, args.handicap)) if args.handicap else position
    except ValueError as bad:
        raise BadInput(str(bad)) from None


def read_line(prompt: str) -> str:
    """A line from the person; from a file or pipe it is shown as if it had been typed."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)
    return line


def complete_words() -> None:
    """Let the tab key complete words, and the arrow keys bring back earlier lines, where Python can."""
    try:
        import readline
    except ImportError:                                  # Windows
        return
    readline.set_completer(lambda text, n: ([name for name in WORDS if name.startswith(text.lower())] + [None])[n])
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
