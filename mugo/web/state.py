"""What all sessions share: the network, the scheduler of searches and the position that the page starts with."""
import contextlib
import os
from dataclasses import replace

from mugo.files import BadInput
from mugo.games.go import Position
from mugo.games.position import BasePosition
from mugo.players.options import SEARCHERS, make_player, open_network
from mugo.players.searcher import default_settings
from mugo.web import positions
from mugo.web.scheduler import SearchScheduler


class ServerState:
    """The shared state of a server.

    network: an open network (nn.inference).  start: the first position of a new session.
    sessions: how many are open.
    """

    def __init__(self, network=None, searches: int | None = None, start: BasePosition | None = None):
        """network: None: the bundled ones.  searches: at once; None: one a core.  start: None: Go on 9x9."""
        self.network = open_network(None, threads=1) if network is None else network
        self.start = start or Position(9)
        self.scheduler = SearchScheduler(searches or os.cpu_count() or 1)
        self.sessions = 0

    def network_error(self, position: BasePosition) -> str | None:
        """None if the network plays this position's game on its board, else the reason why not."""
        try:
            self.network.evaluate([position])
        except BadInput as error:
            return str(error)
        return None

    def warm_up(self) -> None:
        """Load what the first move of a game needs, compiled code above all."""
        with contextlib.suppress(BadInput):                      # a network of an old format: its first use reports it
            start = self.start
            positions.describe_position(start)
            for name in SEARCHERS:
                settings = replace(default_settings(name, start.game), max_edges=2000)
                make_player(name, network=self.network, settings=settings).warm_up(start)
            positions.policy(start, self.network)
