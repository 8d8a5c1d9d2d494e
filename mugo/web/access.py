"""Which requests are answered: the names of this server (against DNS rebinding: 421), the pages that may open its
WebSocket, and the token of an address that other computers reach (403 without it; a cookie keeps it).
"""
import ipaddress
import re
import secrets
import socket

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mugo.core.files import BadInput

WS_POLICY_VIOLATION = 1008               # IANA's registry of WebSocket close codes
# Nothing is loaded from other servers, and no other site can show this one in a frame.  Pictures are made in the page.
HEADERS = [(b"content-security-policy",
            b"default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'"),
           (b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"),
           (b"cache-control", b"no-cache")]


class TrustedHosts:
    """Middleware that refuses requests for another host, and WebSockets of pages of another site.

    The Host header must be an IP address, localhost, this computer's name, or one of `hosts`; the Origin header of a
    WebSocket that of the Host header, or one of `hosts`: a proxy may put another name into the Host header.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] = frozenset()):
        self.app = app
        self._origins = {f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")}
        self._hosts = hosts | {"localhost", socket.gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1").lower() for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        is_websocket = scope["type"] == "websocket"
        if not self._is_trusted(host) or is_websocket and not self._is_same_origin(headers.get(b"origin"), host):
            await _refuse("this server does not answer for this host", 421, scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _is_same_origin(self, origin: str | None, host: str) -> bool:
        """Whether an Origin header names the page served here.  Programs send none."""
        return origin is None or origin in (f"http://{host}", f"https://{host}") or origin in self._origins

    def _is_trusted(self, host: str) -> bool:
        """Whether a Host header is trusted.  Every address is, because DNS cannot redirect it."""
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        try:
            ipaddress.ip_address(name.strip("[]"))
            return True
        except ValueError:
            return name in self._hosts


class TokenRequired:
    """Middleware that answers only requests with the token, in their query or in the cookie that the answer sets then.
    The comparison takes the same time wherever the tokens differ."""

    def __init__(self, app: ASGIApp, token: str):
        self.app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        cookie = f"mugo-token-{scope['server'][1]}"              # browsers send cookies to all ports of a host
        in_query = self._is_right(request.query_params.get("token"))
        if not in_query and not self._is_right(request.cookies.get(cookie)):
            await _refuse("the page needs the token of this server: open the address that it printed when it started",
                          403, scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if in_query and message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", f"{cookie}={self._token}; Path=/; HttpOnly; "
                                                     "SameSite=Strict")
            await send(message)

        await self.app(scope, receive, send_with_cookie)

    def _is_right(self, token: str | None) -> bool:
        return secrets.compare_digest((token or "").encode(), self._token.encode())


async def _refuse(reason: str, status: int, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request with a line, and a WebSocket's handshake with 403."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": WS_POLICY_VIOLATION})
    else:
        await PlainTextResponse(reason + "\n", status)(scope, receive, send)


def interpret_host(text: str) -> str:
    """A host name in lower case.  Raises BadInput."""
    if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)*", name := text.lower()):
        raise BadInput(f"--allowed-host {text!r:.300} is not a host name; expected one without scheme and port, "
                       "for instance go.example.org")
    return name
