"""The command line of `mugo gtp`: a GtpEngine on stdin and stdout.

stdout carries replies and nothing else.  What else the process prints, and what exactly was wrong with a command,
goes to stderr.
"""
import argparse
import contextlib
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TextIO

from mugo.core.progress import CompileProgress
from mugo.core.files import BadInput, is_pipe_closed, log_to_stderr, read_lines
from mugo.games import scoring
from mugo.games.coords import PASS
from mugo.games.go import GoPosition
from mugo.games.position import BasePosition
from mugo.gtp.engine import GtpEngine, serve
from mugo.gtp.protocol import MAX_LINE_BYTES
from mugo.gtp.params import Parameters
from mugo.players import options as player_options
from mugo.players.player import Player


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo gtp`; returns the exit status.  Raises BadInput before the first line is read."""
    if not arguments.name.isprintable():                 # an empty line would end the reply
        raise BadInput(f"--name {arguments.name[:40]!r}: expected one line of text")
    start = player_options.first_position(arguments, player_options.default_size(arguments))
    player = player_options.player_from_arguments(arguments, start.game)
    people = player_options.player_options(arguments).people
    if player.network is not None and (arguments.network is not None or people is not None):
        player.network.for_position(start)               # one of another game, or that knows no such rank, never moves
    with _open_log(arguments.log_file) as log_to_file:
        def log(text: str) -> None:
            log_to_stderr(text)
            log_to_file(f"! {text}")

        # In a thread, so that the first commands are answered before compiled code is loaded.
        is_ready = threading.Event()
        warming_up = threading.Thread(target=warm_up, args=[player, start, is_ready])
        engine = GtpEngine(player, start=start, name=arguments.name, rules=player_options.requested_rules(arguments),
                           parameters=Parameters(arguments, start.game), log=log, wait_until_ready=is_ready.wait)
        warming_up.start()
        with _reserved_stdout() as out:
            serve(engine, read_lines(sys.stdin.fileno(), MAX_LINE_BYTES), out, log_to_file,
                  functools.partial(is_pipe_closed, out.fileno()))
        warming_up.join()                                # with the process it would end no sooner
    return 0


@contextlib.contextmanager
def _reserved_stdout() -> Iterator[TextIO]:
    """stdout, for replies only; whatever else is written to it, by compiled libraries too, goes to stderr."""
    sys.stdout.flush()
    replies = os.dup(1)
    with contextlib.suppress(OSError):               # a process may have no stderr
        os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(sys.stderr), \
                open(os.dup(replies), "w", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
            yield out
    finally:
        os.dup2(replies, 1)
        os.close(replies)


@contextlib.contextmanager
def _open_log(path: Path | None) -> Iterator[Callable[[str], None]]:
    """A function that appends lines to the log file, None for no log.  Raises BadInput if it cannot be opened.

    A log that cannot be written, as on a full disk, lacks lines, and the game goes on.
    """
    if path is None:
        yield lambda text: None
        return
    try:
        file = open(path, "a", encoding="utf-8", errors="backslashreplace", buffering=1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None

    def append(text: str) -> None:
        now = datetime.now().isoformat(" ", "milliseconds")
        with contextlib.suppress(OSError):
            file.write("".join(f"{now} {line}\n" for line in text.splitlines()))

    try:
        yield append
    finally:
        with contextlib.suppress(OSError):
            file.close()


def warm_up(player: Player, start: BasePosition, is_ready: threading.Event) -> None:
    """Load what moving needs, compiled code above all, set is_ready, and load what scoring needs.

    Announces on stderr, in KataGo's words, that the player is ready: some clients wait for them.
    """
    try:
        with CompileProgress():
            player.warm_up(start)
        if player.network is not None:
            log_to_stderr(f"network: {player.network.describe()}")
        log_to_stderr("GTP ready, beginning main protocol loop")
    except BadInput as error:                        # the first move raises it again
        log_to_stderr(str(error))
    finally:
        is_ready.set()
    scoring.final_result(GoPosition(5).play(PASS))
