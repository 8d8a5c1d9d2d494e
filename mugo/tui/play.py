"""The command `mugo play`: a person plays in the terminal against any player.

    mugo play uct --size 5                                               Go
    mugo play uct --game gomoku --size 8 --k 5 --simulations 15000       Gomoku
"""
import argparse
import io
import sys

import numpy as np

from mugo.core.progress import CompileProgress
from mugo.core.files import BadInput
from mugo.games.position import BasePosition
from mugo.games.rules import KOMI
from mugo.players import game_options
from mugo.players import options as player_options
from mugo.players.play_options import SECONDS
from mugo.plots.terminal import Screen
from mugo.sgf.convert import LoadedGame, load_game
from mugo.tui.commands import COMMANDS
from mugo.tui.options import GO_SIZE, SIDES
from mugo.tui.repl import Repl
from mugo.tui.session import Session
from mugo.tui.signals import end_input_on_signals


def command(args: argparse.Namespace) -> int:
    """Run `mugo play`; returns the exit status.  Raises BadInput."""
    if args.player is None and args.network is not None:
        args.player = "mcts"
    loaded = load_file(args)
    position = first_position(args) if loaded is None else loaded.position
    if args.player is None:
        args.player = default_player(position)
    player = player_options.player_from_arguments(args, position.game)
    humans = SIDES.get(args.side) or SIDES[("black", "white")[int(np.random.default_rng().integers(2))]]
    if isinstance(sys.stdout, io.TextIOWrapper):         # it may be replaced, as in a notebook
        sys.stdout.reconfigure(errors="replace")
    if isinstance(sys.stdin, io.TextIOWrapper):          # bytes that are no text are a typing error, or a file's name
        sys.stdin.reconfigure(errors="surrogateescape")
    if sys.stdin.isatty():
        enable_completion(position.game)
    if sys.stdout.isatty():
        print("loading ...", end="\r", flush=True)
    with CompileProgress():
        player.warm_up(position)
    seconds = SECONDS if args.seconds is None and args.simulations is None else args.seconds
    screen = Screen.for_stream(sys.stdout, colour=args.colour)
    session = Session(player, position, humans, out=sys.stdout, screen=screen,
                      simulations=args.simulations, seconds=seconds, loaded=loaded)
    with end_input_on_signals():
        Repl(session, read_line).run()
    return 0


def load_file(args: argparse.Namespace) -> LoadedGame | None:
    """The game of --load; None without it.  Raises BadInput."""
    if args.load is None:
        return None
    if args.move is not None and args.move < 0:
        raise BadInput(f"--move is 0 or more, not {args.move}")
    if args.k is not None or args.exactly:
        raise BadInput("--k and --exactly are for a new game: with --load the file has the rule")
    for name in "size", "handicap", "rules":
        if getattr(args, name):
            raise BadInput(f"--{name} is for a new game: with --load the file has the {name}")
    komi = KOMI if args.komi is None else args.komi
    return load_game(args.load, args.move, komi, args.game or player_options.trained_for(args).get("game"))


def first_position(args: argparse.Namespace) -> BasePosition:
    """The position that a command line without --load starts from.  Raises BadInput."""
    if args.move is not None:
        raise BadInput("--move needs --load")
    return game_options.first_position(args, GO_SIZE)


def default_player(position: BasePosition) -> str:
    """The player if none is named: mcts, or uct for a Gomoku board without a bundled network."""
    from mugo.nn.bundled import bundled_name  # here, so that `random` starts without it
    from mugo.nn.network_file import game_rules
    try:
        bundled_name(position.shape, *game_rules(position))
    except BadInput as error:
        print(f"uct plays: {error}")
        return "uct"
    return "mcts"


def read_line(prompt: str) -> str:
    """A line of the input; a line from a file or pipe is printed after its prompt."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)
    return line


def enable_completion(game: str) -> None:
    """Complete commands at the tab key and keep a history of lines, where Python has readline."""
    try:
        import readline
    except ImportError:                                  # Windows
        return
    names = COMMANDS.names(game)
    readline.set_completer(lambda text, n: ([name for name in names if name.startswith(text.lower())] + [None])[n])
    readline.parse_and_bind("tab: complete")
