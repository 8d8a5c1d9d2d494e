"""The GTP engine: a line in, a reply out.

    7 play b D4 # hello      ->  =7
    8 play w d4              ->  ?8 illegal move

One function per command, in the modules of COMMAND_MODULES; `list_commands` is those functions.  A failure is an
exception that becomes a `?` reply, with the text that the specification prescribes where it prescribes one; the details
go to the log.  Pondering, the search on the opponent's time, is done here.
"""
import threading
import traceback
from collections.abc import Callable, Iterable
from typing import TextIO

from mugo.core.command_table import WrongArguments
from mugo.core.files import BadInput
from mugo.games.go import Position
from mugo.games.position import BasePosition
from mugo.gtp import analyze, commands, gnugo, gogui, gomill, katago, param_commands, raw_nn
from mugo.gtp.line_reader import MAX_LINE_BYTES, LineReader
from mugo.gtp.protocol import COMMANDS, SYNTAX_ERROR, GtpError, OutputClosedError, format_reply, split_line
from mugo.gtp.state import EngineState
from mugo.search.search import Search

# To import them registers their commands.
COMMAND_MODULES = (commands, analyze, katago, raw_nn, param_commands, gnugo, gogui, gomill)
MAX_LOGGED = 500          # characters of a failed line in the log


class GtpEngine(EngineState):
    """An EngineState that answers lines.  Its arguments are EngineState's."""

    _ponder_thread: threading.Thread | None = None

    def answer(self, line: str, write: Callable[[str], object] | None = None,
               lines: LineReader | None = None) -> str | None:
        """The reply to a line, with its two newlines; None if the line holds no command.

        write: called with the parts of a streamed reply; its end is returned.  None: the whole reply is returned.
        lines: the lines after this one.  None: there are none, and an analysis ends as soon as it has begun.
        """
        command_id, words = split_line(line)
        if not words:
            return None
        self.close()
        parts: list[str] = []
        self._write, self._lines = write or parts.append, lines
        self._command_id, self._reply_started = command_id, False
        if len(line) > MAX_LINE_BYTES:
            self.log(f"{' '.join(words)[:80]}...: expected a line of at most {MAX_LINE_BYTES} bytes")
            return format_reply("?", command_id, "line too long")
        mark, text = self._reply_to(words)
        self._start_pondering()
        if not self._reply_started:
            return format_reply(mark, command_id, text)
        if mark == "?":                                  # too late for the reply
            self.log(f"{' '.join(words)}: {text}"[:MAX_LOGGED])
        return "".join(parts) + "\n"

    def _reply_to(self, words: list[str]) -> tuple[str, str]:
        """Run a command; returns the mark and the text of its reply."""
        try:
            return "=", self._run_command(*words) or ""
        except GtpError as error:
            if error.details:
                self.log(f"{' '.join(words)}: {error.details}"[:MAX_LOGGED])
            return "?", error.text
        except BadInput as error:
            return "?", str(error)
        except OutputClosedError:
            raise
        except Exception as error:                       # a bug must not end the game
            self.log(traceback.format_exc())
            return "?", f"internal error: {' '.join(f'{type(error).__name__} {error}'.split())}"

    def _run_command(self, name: str, *arguments: str) -> str | None:
        if name not in COMMANDS:
            raise GtpError("unknown command")
        try:
            return COMMANDS.run(name, self.position.game, self, arguments)
        except WrongArguments as error:
            raise GtpError(SYNTAX_ERROR, str(error)) from None

    # -- pondering

    def _start_pondering(self) -> None:
        """Search on after an own move, until the next command."""
        search, result = self.player.search, self.player.search_result
        if not self.ponder or self.position is not self._own_move or self.position.is_over or self.quitting \
                or search is None:
            return
        position = self.position
        if result is not None and isinstance(position, Position):
            position = position.with_komi(result.position.komi)      # a dynamic komi's: its tree is kept
        self._stop_pondering = threading.Event()
        self._ponder_thread = threading.Thread(target=self._ponder, args=[search, position], daemon=True)
        self._ponder_thread.start()

    def _ponder(self, search: Search, position: BasePosition) -> None:
        try:
            search.search(position, simulations=analyze.MAX_SIMULATIONS, should_stop=self._stop_pondering.is_set)
        except Exception:
            self.log(traceback.format_exc())

    def close(self) -> None:
        """Stop pondering."""
        if self._ponder_thread:
            self._stop_pondering.set()
            self._ponder_thread.join()
            self._ponder_thread = None


def serve(engine: GtpEngine, source: Iterable[str], out: TextIO,
          log: Callable[[str], object] = lambda text: None,
          is_abandoned: Callable[[], bool] = lambda: False) -> None:
    """Answer lines until `quit`, the end of the input, or nobody reads the replies; every reply is flushed.

    is_abandoned: as in LineReader.  log: called with each line received, after "> ", and each line sent, after "< ".
    """
    def write(text: str) -> None:
        try:
            out.write(text)
            out.flush()
        except (OSError, ValueError):                    # ValueError: a file that is closed
            raise OutputClosedError from None
        for line in filter(None, text.splitlines()):
            log(f"< {line}")

    lines = LineReader(source, is_abandoned)
    try:
        for line in lines:
            log(f"> {line}".rstrip())
            reply = engine.answer(line, write, lines)
            if reply is not None:
                write(reply)
            if engine.quitting:
                return
    except OutputClosedError:
        log("! the controller has closed its end of the output")
    finally:
        engine.close()
