"""uvicorn's server with the limits of connections.py, and its end by a signal."""
import asyncio
import logging
import signal
import socket
import threading
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette

from mugo.web.connections import MAX_HEADERS, Connections, backlog, is_no_fault_of_a_client
from mugo.web.messages import MAX_MESSAGE
from mugo.web.state import ServerState

PING_SECONDS = 20.0                      # between two pings of a WebSocket, and for the answer to one
FAREWELL_SECONDS = 0.5                   # for answers on their way when the server ends
GRACEFUL_SECONDS = 1                     # then uvicorn cancels what still runs
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """A server that cancels all computing before it shuts down."""

    def __init__(self, config: uvicorn.Config, state: ServerState, connections: Connections):
        super().__init__(config)
        self._state = state
        self.connections = connections

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:                         # a second Ctrl-C would end it in the middle of its end
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._state.scheduler.close()
        asyncio.get_running_loop().call_later(FAREWELL_SECONDS, self.connections.abort)
        await super().shutdown(sockets)


def make_server(app: Starlette, state: ServerState, proxies: tuple[str, ...] = ()) -> Server:
    """A server of the application.

    proxies: addresses or networks of reverse proxies, whose X-Forwarded-For header is believed.
    """
    connections = Connections(state.addresses, proxies)
    protocol: Any = connections.protocol                 # of all connections; the option is a name, or makes one
    config = uvicorn.Config(
        app, http=protocol, ws="websockets-sansio", log_level="warning", ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False, ws_ping_interval=PING_SECONDS, ws_ping_timeout=PING_SECONDS,
        h11_max_incomplete_event_size=MAX_HEADERS, backlog=backlog(), proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies), timeout_graceful_shutdown=GRACEFUL_SECONDS)
    logging.getLogger("uvicorn.error").addFilter(is_no_fault_of_a_client)
    return Server(config, state, connections)


def run_until_signal(server: Server, listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM.  Later ones are ignored, because the process is ending."""
    is_main = threading.current_thread() is threading.main_thread()
    # uvicorn takes the signals while it serves, and raises those that it got once more at its end.
    before = {each: signal.signal(each, server.handle_exit) for each in SIGNALS} if is_main else {}
    try:
        server.run(sockets=[listener])
    finally:
        for each, handler in before.items():
            signal.signal(each, signal.SIG_IGN if server.should_exit else handler)
