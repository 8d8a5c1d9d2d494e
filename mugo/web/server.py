"""uvicorn's server, and its end by a signal."""
import signal
import socket
import threading
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from mugo.web.messages import MAX_MESSAGE
from mugo.web.state import ServerState

PING_SECONDS = 20.0                      # between two pings of a WebSocket, and for the answer to one
GRACEFUL_SECONDS = 1                     # for answers on their way when the server ends
MAX_HEADERS = 16 << 10                   # bytes of a request's line and headers
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """A server that cancels all computing before it shuts down."""

    def __init__(self, config: uvicorn.Config, state: ServerState):
        super().__init__(config)
        self._state = state

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:                         # a second Ctrl-C would end it in the middle of its end
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._state.scheduler.close()
        await super().shutdown(sockets)


def make_server(app: Starlette, state: ServerState) -> Server:
    """A server of the application."""
    config = uvicorn.Config(
        app, http="h11", ws="websockets-sansio", log_level="warning", ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False, ws_ping_interval=PING_SECONDS, ws_ping_timeout=PING_SECONDS,
        h11_max_incomplete_event_size=MAX_HEADERS, proxy_headers=False, timeout_graceful_shutdown=GRACEFUL_SECONDS)
    return Server(config, state)


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
