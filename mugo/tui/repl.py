"""The loop of `mugo play`: read a line, run it as a move or a command, let the player move.

    line -> Repl.execute -> Session.play       D4, d 4: a move, or a point to toggle while the score is agreed on
                         -> commands.py        hint 3
                         -> a suggestion       i3: boards have no column I; J3       undp: unknown command; undo
"""
import difflib
import re
from collections.abc import Callable, Iterable

from mugo.core.command_table import WrongArguments
from mugo.core.files import BadInput
from mugo.games.coords import COLUMNS, BoardSize, format_size, shape_of
from mugo.games.position import COLOUR_NAMES, IllegalMove
from mugo.tui.commands import COMMANDS, parse_point
from mugo.tui.session import Session
from mugo.tui.signals import ignore_signals


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
