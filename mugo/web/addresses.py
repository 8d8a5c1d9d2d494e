"""What each client address uses: connections, sessions, and time of the event loop.

    peer's address, or the one that a trusted proxy names --> Addresses.get --> Address

The caps of app, connections, sessions and scheduler are per Address, so that one client cannot take the server from
the others.  An IPv6 network of 64 bits is one address: it is what one customer of a provider has.
"""
import contextlib
import functools
import ipaddress
import time
from collections.abc import Iterator
from typing import Any

LOOP_SHARE = 0.1                         # of the event loop's time, for what one address sends
LOOP_BURST = 0.05                        # seconds of the event loop that it may take at once after a pause
MAX_REMEMBERED = 4096                    # addresses; 400 at most have a connection


class TokenBucket:
    """A token bucket: `rate` tokens a second flow in, up to `burst`; what is taken beyond is a debt, and delays."""

    def __init__(self, rate: float, burst: float):
        self._rate, self._burst = rate, burst
        self._refilled_at = 0.0                                  # time.monotonic when the bucket is full

    def take(self, tokens: float) -> None:
        """Take tokens, whether they are there or not."""
        self._refilled_at = max(self._refilled_at, time.monotonic()) + tokens / self._rate

    def delay(self) -> float:
        """Seconds until there is no debt any more."""
        return max(0.0, self._refilled_at - time.monotonic() - self._burst / self._rate)


class Address:
    """One client address.

    connections: how many are open, WebSockets included.  sessions: the open sessions.
    last_scheduled: when the scheduler ran a job of it last, as a number that grows.
    loop_time: seconds of the event loop, for what it sends.
    """

    def __init__(self) -> None:
        self.connections = 0
        self.sessions: set[Any] = set()
        self.last_scheduled = 0
        self.loop_time = TokenBucket(LOOP_SHARE, LOOP_BURST)

    @contextlib.contextmanager
    def charged(self) -> Iterator[None]:
        """Take the time of the block, which is the event loop's, from loop_time."""
        started = time.thread_time()
        try:
            yield
        finally:
            self.loop_time.take(time.thread_time() - started)


class Addresses:
    """The addresses of all clients."""

    def __init__(self) -> None:
        self._by_key = functools.lru_cache(MAX_REMEMBERED)(lambda key: Address())

    def get(self, host: str | None) -> Address:
        """The Address of a host, as ASGI or asyncio gives it."""
        return self._by_key(address_key(host))


def address_key(host: str | None) -> str:
    """The address that caps are counted for: IPv4 whole, IPv6 by its first 64 bits."""
    try:
        address = ipaddress.ip_address((host or "").partition("%")[0])
    except ValueError:                                           # a proxy may name anything
        return (host or "")[:100]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        if not address.is_loopback:
            return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
