"""Connections below HTTP and WebSockets: how many, for how long, and what they may send and leave unread.

    asyncio's transport  <-->  Connection  <-->  uvicorn's protocol: h11, and from an upgrade on its WebSocket

To asyncio a Connection is the protocol, to uvicorn it is the transport; it uses only what asyncio documents of both.
uvicorn bounds the size of headers and messages.  It bounds neither the number of connections, nor how long headers may
take, nor what a client that does not read is sent in answer to its pings.  Nothing here knows the application.
"""
import asyncio
import contextlib
import ipaddress
import logging
import sys
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from mugo.web.addresses import Address, Addresses
from mugo.web.messages import MAX_MESSAGE

MAX_CONNECTIONS = 400                    # at once; fewer where the process may open fewer files
MAX_CONNECTIONS_PER_ADDRESS = 50         # a browser opens 6 and one for each page
HTTP_SECONDS = 30.0                      # for each request and its answer, until the client has taken it
CLOSING_SECONDS = 10.0                   # that a closed connection may take to send what is left
CHECK_SECONDS = 1.0                      # between two looks at the age of a connection
MAX_HEADERS = 16 << 10                   # bytes of a request's line and headers
MAX_UNFINISHED = MAX_MESSAGE + (1 << 20)     # bytes of a WebSocket before a message is complete: frames, pings, pongs
PIECE = 4 << 10                          # bytes that are parsed at once
BACKLOG = 128                            # connections that the system accepts before the server does
RECEIVE_BUFFER = 32 << 10                # bytes: what one read of a socket can return is twice this
CLIENT_FAULTS = ("Invalid HTTP request received", "Invalid UTF-8 sequence received", "Unsupported upgrade request")


class Connections:
    """The open connections of a server.

    proxies: networks of reverse proxies, whose connections are those of many clients: only the total is limited.
    """

    def __init__(self, addresses: Addresses, proxies: tuple[str, ...] = ()):
        self.open: set[Connection] = set()
        self._addresses = addresses
        self._proxies = [ipaddress.ip_network(proxy) for proxy in proxies]
        self._most = min(MAX_CONNECTIONS, max_open_files() * 2 // 5)
        self._most_of_an_address = min(MAX_CONNECTIONS_PER_ADDRESS, self._most // 2)

    def protocol(self, **options: Any) -> "Connection":
        """The protocol of a new connection.  options: uvicorn's, of its own protocol."""
        return Connection(self, H11Protocol(**options))

    def address_of(self, host: str) -> Address:
        """The address of a peer; of a proxy one that is not shared."""
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(host)
            if any(address in network for network in self._proxies):
                return Address()
        return self._addresses.get(host)

    def is_full(self, address: Address) -> bool:
        """Whether an address may not have another connection."""
        return len(self.open) >= self._most or address.connections >= self._most_of_an_address

    def abort(self) -> None:
        """Abort all connections."""
        for connection in list(self.open):
            connection.abort()


class Connection(asyncio.Protocol):
    """A connection within the limits.  What a transport has and this class does not define is the transport's."""

    def __init__(self, connections: Connections, protocol: asyncio.Protocol):
        self._connections = connections
        self._protocol = protocol                        # uvicorn's
        self._transport: Any = None
        self._address = Address()
        self._loop = asyncio.get_running_loop()
        self._is_http = True
        self._deadline = self._loop.time() + HTTP_SECONDS
        self._has_written = False                        # since the deadline was set
        self._unread = bytearray()                       # that uvicorn's protocol has not been given
        self._num_unfinished = 0                         # bytes that it has been given since a message was complete
        self._is_paused = False                          # it wants no more data
        self._is_blocked = False                         # the client does not read what was written
        self._is_delayed = False                         # the address has no time of the event loop left

    # -- asyncio's protocol

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._address = self._connections.address_of((transport.get_extra_info("peername") or ("",))[0])
        self._protocol.connection_made(self)             # type: ignore  # it has the methods of a transport
        if self._connections.is_full(self._address):
            transport.abort()
            return
        self._address.connections += 1
        self._connections.open.add(self)
        self._check()

    def connection_lost(self, exc: Exception | None) -> None:
        if self in self._connections.open:
            self._connections.open.remove(self)
            self._address.connections -= 1
        self._protocol.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unread += data
        self._parse()

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        self._is_blocked = True
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._is_blocked = False
        self._protocol.resume_writing()
        self._parse()

    # -- the transport of uvicorn's protocol

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        self._has_written = True
        self._transport.write(data)

    def pause_reading(self) -> None:
        self._is_paused = True
        self._num_unfinished = 0

    def resume_reading(self) -> None:
        self._is_paused = False
        self._loop.call_soon(self._parse)                # it may be called while a piece is parsed

    def set_protocol(self, protocol: asyncio.Protocol) -> None:
        """The connection becomes a WebSocket."""
        self._protocol = protocol
        self._is_http, self._deadline = False, float("inf")

    # -- the limits

    def _parse(self) -> None:
        """Give uvicorn's protocol what has arrived while it wants it, the client reads the answers, and the address has
        time left; read more when all is parsed."""
        while self._unread and not (self._is_paused or self._is_blocked or self._is_delayed or self.is_closing()):
            if delay := self._address.loop_time.delay():
                self._is_delayed = True
                self._loop.call_later(delay, self._parse_after_delay)
                break
            piece = bytes(self._unread[:PIECE])
            del self._unread[:PIECE]
            self._num_unfinished += len(piece)
            with self._address.charged():
                self._protocol.data_received(piece)
            if self._num_unfinished > MAX_UNFINISHED and not self._is_http:
                self.abort()
        if self._unread and not self.is_closing():
            self._transport.pause_reading()
        elif not self.is_closing():
            self._transport.resume_reading()

    def _parse_after_delay(self) -> None:
        self._is_delayed = False
        self._parse()

    def _check(self) -> None:
        """Abort the connection when its request, answer or end takes too long; look again later."""
        now = self._loop.time()
        if self._transport.is_closing():
            self._deadline = min(self._deadline, now + CLOSING_SECONDS)
        elif self._is_http and self._has_written and not self._transport.get_write_buffer_size():
            self._deadline, self._has_written = now + HTTP_SECONDS, False
        if now > self._deadline:
            self._transport.abort()
        elif self in self._connections.open:
            self._loop.call_later(CHECK_SECONDS, self._check)


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


def is_no_fault_of_a_client(record: logging.LogRecord) -> bool:
    """A filter for uvicorn's log: what a client sends is no reason to write to it."""
    return not str(record.msg).startswith(CLIENT_FAULTS)
