"""What all sessions share: the network, the scheduler and the position that the page starts with."""
import contextlib
import threading
from dataclasses import replace
from typing import Any

from mugo.core.progress import CompileProgress
from mugo.core.files import BadInput
from mugo.core.machine import available_cores
from mugo.games.go import GoPosition
from mugo.games.position import BasePosition
from mugo.players.registry import SEARCHERS, default_settings, make_player, open_network
from mugo.web import positions
from mugo.web.files import RecordFolder
from mugo.web.scheduler import Scheduler


class ServerState:
    """The shared state of a server.  start: the first position of a new session; has_game: whether a page begins with a
    game from it, not with its start.  folder: the records that the page offers, or None.  sessions: the open ones."""

    def __init__(self, network=None, jobs: int | None = None, start: BasePosition | None = None, has_game: bool = True,
                 folder: RecordFolder | None = None):
        """network: None: the bundled ones.  jobs: searches at once; None: one for each core.  start: None: Go, 9x9."""
        self.network = open_network(None, threads=1, caches=True) if network is None else network
        self.start = start or GoPosition(9)
        self.has_game = has_game
        self.folder = folder
        self.scheduler = Scheduler(jobs or available_cores())
        self.sessions: set[Any] = set()
        self.compiling = CompileProgress()
        self.warming_up = threading.Thread(target=self.warm_up, name="mugo-warm-up", daemon=True)

    def network_error(self, position: BasePosition) -> str | None:
        """Why the network does not play this position's game on its board; None if it does."""
        try:
            self.network.evaluate([position])
            return None
        except BadInput as error:
            return str(error)

    @property
    def is_idle(self) -> bool:
        """Whether no thread computes, the warm-up included."""
        return self.scheduler.is_idle and not self.warming_up.is_alive()

    @property
    def compiled_functions(self) -> int | None:
        """How many functions the first start has compiled so far; None when `warm_up` has ended."""
        return (self.compiling.number or 0) if self.warming_up.is_alive() else None

    def warm_up(self) -> None:
        """Load what the first move of a game needs, compiled code above all."""
        with self.compiling, contextlib.suppress(BadInput):      # a network of an old format: its first use reports it
            start = self.start
            positions.describe_position(start)
            for name in SEARCHERS:
                if self.scheduler.is_closing:
                    return
                settings = replace(default_settings(name, start.game), max_edges=2000)
                make_player(name, network=self.network, settings=settings).warm_up(start)
            positions.policy(start, self.network)
