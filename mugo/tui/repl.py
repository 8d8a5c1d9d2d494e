"""The loop of `mugo play`: read a line, run it as a move or a command, let the player move.

    line -> Repl.execute -> a move: Session.play       D4, d 4
                         -> a point to toggle          while the score is agreed on
                         -> a command: commands.py     hint 3

No line causes a traceback; an error is printed in one line.
"""
from collections.abc import Callable

from mugo.core.files import BadInput
from mugo.games.position import COLOUR_NAMES, IllegalMove
from mugo.tui import score_dialog
from mugo.tui.commands import COMMANDS, run_command
from mugo.tui.input import parse_point, suggest_correction
from mugo.tui.session import Session
from mugo.tui.signals import ignore_signals


class Repl:
    """Reads lines and runs them in a session.

    read_line(prompt): the next line; raises EOFError when there are no more.
    """

    def __init__(self, session: Session, read_line: Callable[[str], str]):
        self.session = session
        self._read_line = read_line
        self._suggestion = ""                            # for the last typing error; Enter accepts it

    def run(self) -> None:
        """Play until the person leaves; the game is then saved, which no signal interrupts.  Ctrl-C twice leaves.

        Raises BadInput for a board that the player does not play.
        """
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
        if self.session.score_dialog is not None:
            return score_dialog.PROMPT
        return "game over> " if self.session.result else f"{COLOUR_NAMES[self.session.position.to_play]}> "

    def execute(self, line: str) -> None:
        """Run a line as a move or a command.  Errors that the line causes are printed, not raised."""
        session = self.session
        words = line.split()
        if not words or [word.lower() for word in words] in (["y"], ["yes"]):
            words = [self._suggestion or ("done" if session.score_dialog is not None else "board")]
        if words[0].lower() == "play" and len(words) > 1:
            del words[0]
        self._suggestion = ""
        name = words[0].lower()
        try:
            point = parse_point("".join(words), session.position.shape)
            if point is not None and session.score_dialog is not None:
                session.score_dialog.toggle(point)
            elif point is not None:
                session.play(point)
            elif name in COMMANDS:
                run_command(session, name, words[1:])
            else:
                self._suggest(words[0])
        except (BadInput, IllegalMove, ValueError) as error:
            session.print(str(error))
        except OSError as error:
            session.print(f"{error.filename or name}: {error.strerror or error}")

    def _suggest(self, text: str) -> None:
        """Print what is wrong with a text, and the suggestion that Enter accepts."""
        position = self.session.position
        error, self._suggestion = suggest_correction(text, position.shape, COMMANDS.names(position.game))
        self.session.print(error + (f"; did you mean {self._suggestion}? (Enter: yes)" if self._suggestion
                                    else " (try 'help')"))
