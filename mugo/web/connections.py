"""Connections below HTTP and WebSockets: how many, for how long, and what they may send and leave unread.

    uvicorn --> HttpProtocol (h11) -- upgrade --> WebSocketProtocol --> the application
                     |                                |
                     +-- Connections: caps, ages -----+

uvicorn bounds the size of headers and messages.  It bounds neither the number of connections, nor how long headers may
take, nor what a client that does not read is sent in answer to its pings.  Nothing here knows the application.
"""
import asyncio
import contextlib
import ipaddress
import logging
import sys
import time
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from mugo.web.addresses import Address, Addresses

MAX_CONNECTIONS = 400                    # at once; fewer where the process may open fewer files
MAX_CONNECTIONS_PER_ADDRESS = 50         # a browser opens 6 and one for each page
HTTP_SECONDS = 30.0                      # for each request and its answer, until the client has taken it
CLOSING_SECONDS = 10.0                   # that a closed connection may take to send what is left
SWEEP_SECONDS = 1.0                      # between two looks at the ages
REPORT_SECONDS = 60.0                    # between two lines about a want of open files
MAX_HEADERS = 16 << 10                   # bytes of a request's line and headers
MAX_HTTP_BYTES = 128 << 10               # of a request, and of what is sent before it is answered
PIECE = 4 << 10                          # bytes of a WebSocket that are parsed at once
MAX_FRAGMENTS = 1000                     # frames of one message; browsers send a few
BACKLOG = 128                            # connections that the system accepts before the server does
RECEIVE_BUFFER = 32 << 10                # bytes: what one read of a socket can return is twice this
CLIENT_FAULTS = ("Invalid HTTP request received", "Invalid UTF-8 sequence received", "Unsupported upgrade request")


@dataclass
class _Connection:
    """An open connection.

    waiting_since: when it was opened, or the last answer was sent.  is_answered: whether an answer is complete that is
    perhaps not all sent.  closing_since: None while it is open on this side.
    """
    address: Address
    waiting_since: float
    is_http: bool = True
    is_answered: bool = False
    closing_since: float | None = None


class Connections:
    """The open connections of a server.

    proxies: networks of reverse proxies, whose connections are those of many clients: only the total is limited.
    """

    def __init__(self, addresses: Addresses, proxies: tuple[str, ...] = ()):
        self._addresses = addresses
        self._proxies = [ipaddress.ip_network(proxy) for proxy in proxies]
        self._most = min(MAX_CONNECTIONS, max_open_files() * 2 // 5)
        self._most_of_an_address = min(MAX_CONNECTIONS_PER_ADDRESS, self._most // 2)
        self._open: dict[Any, _Connection] = {}
        self._last_report = -REPORT_SECONDS

    def admit(self, transport: Any) -> bool:
        """Count a new connection.  False: there are too many, and it is aborted."""
        host = (transport.get_extra_info("peername") or ("",))[0]
        address = Address() if self._is_proxy(host) else self._addresses.get(host)
        if len(self._open) >= self._most or address.connections >= self._most_of_an_address:
            transport.abort()
            return False
        address.connections += 1
        self._open[transport] = _Connection(address, time.monotonic())
        return True

    def upgrade(self, transport: Any) -> None:
        """Note that a connection becomes a WebSocket."""
        if transport in self._open:
            self._open[transport].is_http = False

    def note_answer(self, transport: Any) -> None:
        """Note that an answer is complete: when it is sent, too, the time of the next request begins."""
        if transport in self._open:
            self._open[transport].is_answered = True
            self._note_sent(transport)

    def remove(self, transport: Any) -> None:
        """Note the end of a connection."""
        connection = self._open.pop(transport, None)
        if connection is not None:
            connection.address.connections -= 1

    def address(self, transport: Any) -> Address:
        """The address of an open connection."""
        connection = self._open.get(transport)
        return Address() if connection is None else connection.address

    async def sweep(self) -> None:
        """Abort connections whose request, answer or end takes too long, again and again."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = time.monotonic()
            for transport, connection in list(self._open.items()):
                self._note_sent(transport)
                if connection.closing_since is None and transport.is_closing():
                    connection.closing_since = now
                if (connection.is_http and now - connection.waiting_since > HTTP_SECONDS
                        or now - (connection.closing_since or now) > CLOSING_SECONDS):
                    transport.abort()

    def abort(self) -> None:
        """Abort all connections."""
        for transport in list(self._open):
            transport.abort()

    def report_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle an error of the event loop.  Where the system has no more open files, asyncio accepts nothing for a
        second, and would write a traceback for each place of the backlog: one line a minute instead."""
        if not str(context.get("message")).startswith("socket.accept()"):
            loop.default_exception_handler(context)
        elif time.monotonic() - self._last_report > REPORT_SECONDS:
            self._last_report = time.monotonic()
            logging.getLogger("uvicorn.error").error("no new connections for a second: %s", context.get("exception"))

    def _note_sent(self, transport: Any) -> None:
        connection = self._open[transport]
        if connection.is_answered and not transport.get_write_buffer_size():
            connection.waiting_since, connection.is_answered = time.monotonic(), False

    def _is_proxy(self, host: str) -> bool:
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(host)
            return any(address in network for network in self._proxies)
        return False


def max_open_files() -> int:
    """How many files and connections this process may open."""
    if sys.platform == "win32":
        return 512                       # sockets that Python's select takes
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft


def backlog() -> int:
    """The backlog of the listening socket: so many are accepted at once, before they can be refused."""
    return max(1, min(BACKLOG, max_open_files() // 8))


def protocols(connections: Connections) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """uvicorn's protocols of HTTP and of WebSockets within the limits of this module."""

    class HttpProtocol(H11Protocol):
        def __init__(self, *args: Any, **options: Any):
            super().__init__(*args, **options)
            self.received = 0

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            connections.admit(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            connections.remove(self.transport)
            super().connection_lost(exc)

        def on_response_complete(self) -> None:
            connections.note_answer(self.transport)
            self.received = len(self.conn.trailing_data[0])
            super().on_response_complete()

        def handle_websocket_upgrade(self, event: Any) -> None:
            connections.upgrade(self.transport)
            super().handle_websocket_upgrade(event)

        def data_received(self, data: bytes) -> None:
            self.received += len(data)
            if self.received > MAX_HTTP_BYTES:           # h11 keeps what follows a request until that is answered
                self.transport.abort()
                return
            address = connections.address(self.transport)
            with address.charged():
                super().data_received(data)
            if (delay := address.loop_time.delay()) and self.transport.get_protocol() is self:
                self.transport.pause_reading()
                self.loop.call_later(delay, self.read_again)

        def read_again(self) -> None:
            """Read on, unless the body of a request waits for the application."""
            if not self.flow.read_paused and not self.transport.is_closing():
                self.transport.resume_reading()

    class WebSocketProtocol(WebSocketsSansIOProtocol):
        def __init__(self, *args: Any, **options: Any):
            super().__init__(*args, **options)
            self.unparsed = bytearray()
            self.is_delayed = False

        def connection_lost(self, exc: Exception | None) -> None:
            connections.remove(self.transport)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            self.unparsed += data
            self.read_on()

        def resume_writing(self) -> None:
            super().resume_writing()
            self.read_on()

        async def receive(self) -> Any:
            message = await super().receive()            # resumes reading when all messages are received
            self.read_on()
            return message

        def read_on(self) -> None:
            """Parse what has arrived, and read more, while messages do not wait for the application, its address has
            time left, and the client reads the answers."""
            address, delay = connections.address(self.transport), 0.0
            while not self.transport.is_closing():
                delay = address.loop_time.delay()
                if delay or self.read_paused or not self.writable.is_set():
                    self.transport.pause_reading()
                    break
                if not self.unparsed:
                    self.transport.resume_reading()
                    break
                piece = bytes(self.unparsed[:PIECE])
                del self.unparsed[:PIECE]
                with address.charged():
                    super().data_received(piece)
                if len(self.frames) > MAX_FRAGMENTS:
                    self.transport.abort()
            if delay and not self.is_delayed:
                self.is_delayed = True
                self.loop.call_later(delay, self.read_on_after_delay)

        def read_on_after_delay(self) -> None:
            self.is_delayed = False
            self.read_on()

    return HttpProtocol, WebSocketProtocol


def is_no_fault_of_a_client(record: logging.LogRecord) -> bool:
    """A filter for uvicorn's log: what a client sends is no reason to write to it."""
    return not str(record.msg).startswith(CLIENT_FAULTS)
