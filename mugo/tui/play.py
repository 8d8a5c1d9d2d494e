"""The command `mugo play`: a person plays in the terminal against any player.

    mugo play uct --size 5                                               Go
    mugo play uct --game gomoku --size 8 --k 5 --simulations 15000       Gomoku

    line -> Repl.execute -> Session.play       D4, d 4: a move, or a point to toggle while the score is agreed on
                         -> commands.py        hint 3
                         -> a suggestion       i3: boards have no column I; J3       undp: unknown command; undo
"""
import argparse
import difflib
import io
import re
import sys
from collections.abc import Callable, Iterable

import numpy as np

from mugo.core.command_table import WrongArguments
from mugo.core.files import BadInput
from mugo.core.progress import CompileProgress
from mugo.games.coords import COLUMNS, BoardSize, format_size, shape_of
from mugo.games.position import COLOUR_NAMES, BasePosition, IllegalMove
from mugo.games.rules import KOMI
from mugo.players import options as player_options
from mugo.players.play_options import SECONDS
from mugo.plots.terminal import Screen
from mugo.sgf.convert import LoadedGame, load_game
from mugo.tui.commands import COMMANDS, parse_point
from mugo.tui.options import GO_SIZE, SIDES
from mugo.tui.session import Session
from mugo.tui.signals import end_input_on_signals, ignore_signals


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
    return player_options.first_position(args, GO_SIZE)


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


# ---- the loop

class Repl:
    """Reads lines and runs them in a session.  read_line(prompt): the next line; raises EOFError after the last."""

    def __init__(self, session: Session, read_line: Callable[[str], str]):
        self.session = session
        self._read_line = read_line
        self._suggestion = ""                            # for the last typing error; Enter accepts it

    def run(self) -> None:
        """Play until the person leaves; the game is then saved, which no signal interrupts.  Ctrl-C twice leaves."""
        session = self.session
        session.print(f"{session.players_text()}  'help' lists the commands.")
        session.show_position()
        is_interrupted = False
        try:
            while not session.is_closed:
                try:
                    if session.is_engine_turn():
                        session.play_engine_move()
                    else:
                        self.execute(self._read_line(self._prompt()))
                    is_interrupted = False
                except KeyboardInterrupt:
                    session.print("")
                    if is_interrupted:
                        break
                    is_interrupted = True
                    session.print("Ctrl-C again, or 'quit', leaves; the game will be saved.")
        except EOFError:
            session.print("")
        finally:
            with ignore_signals():
                session.save_or_print()

    def _prompt(self) -> str:
        if self.session.scoring is not None:
            return "dead stones> "
        return "game over> " if self.session.result else f"{COLOUR_NAMES[self.session.position.to_play]}> "

    def execute(self, line: str) -> None:
        """Run a line as a move or a command.  Errors that the line causes are printed, not raised."""
        session = self.session
        words = line.split()
        if not words or [word.lower() for word in words] in (["y"], ["yes"]):
            words = [self._suggestion or ("done" if session.scoring is not None else "board")]
        if words[0].lower() == "play" and len(words) > 1:
            del words[0]
        self._suggestion = ""
        name = words[0].lower()
        try:
            point = parse_point("".join(words), session.position.shape)
            if point is not None:
                session.play(point)
            elif name in COMMANDS:
                COMMANDS.run(name, session.position.game, session, words[1:])
            else:
                error, self._suggestion = suggest_correction(words[0], session.position.shape,
                                                             COMMANDS.names(session.position.game))
                session.print(error + (f"; did you mean {self._suggestion}? (Enter: yes)" if self._suggestion
                                       else " (try 'help')"))
        except WrongArguments:
            session.print(f"usage: {name} {COMMANDS[name].arguments}".rstrip())
        except (BadInput, IllegalMove, ValueError) as error:
            session.print(str(error))
        except OSError as error:
            session.print(f"{error.filename or name}: {error.strerror or error}")


def suggest_correction(text: str, size: BoardSize, commands: Iterable[str]) -> tuple[str, str]:
    """(error, suggestion) for a text that is neither a point nor a command; the suggestion is '' if there is none."""
    rows, cols = shape_of(size)
    if re.fullmatch(r"[iI]\d{1,2}", text) and cols > 8:
        return "boards have no column I", f"J{text[1:]}"
    if match := re.fullmatch(r"([A-Za-z])(\d{1,2})", text):
        col = min(max("ABCDEFGHJKLMNOPQRSTUVWXYZ".find(match[1].upper()), 0), cols - 1)
        return (f"{text} is outside this {format_size(size)} board",
                f"{COLUMNS[col]}{min(max(int(match[2]), 1), rows)}")
    close = difflib.get_close_matches(text.lower(), commands, n=1, cutoff=0.5)
    return f"{text[:30]!r} is neither a move nor a command", close[0] if close else ""
