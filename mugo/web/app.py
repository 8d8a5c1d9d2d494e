"""The server of `mugo web` and its command line.

    /                        the page
    /static/...              its scripts, styles and images; nothing is loaded from other servers
    /ws                      the WebSocket (sessions.py)

By default it listens on this computer only.  There is no password and no encryption.
"""
import argparse
import asyncio
import contextlib
import ipaddress
import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn
import websockets  # noqa: F401   how uvicorn speaks them; without it no page gets an answer
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from mugo.files import BadInput
from mugo.players import game_options
from mugo.players.options import open_network
from mugo.web.sessions import MAX_MESSAGE, Session
from mugo.web.state import ServerState

STATIC = Path(__file__).with_name("static")
DEFAULT_SIZE = 9                         # of the Go board that the page starts with
DEFAULT_PORT = 8080
PORTS_TRIED = 20                         # from DEFAULT_PORT on, unless --port names one
MAX_SESSIONS = 40                        # at once; each may have two search trees
WS_POLICY_VIOLATION, WS_TRY_AGAIN_LATER = 1008, 1013             # IANA's registry of WebSocket close codes
# Nothing is loaded from other servers, and no other site can show this one in a frame.
HEADERS = [(b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
           (b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"),
           (b"cache-control", b"no-cache")]


# ---- access

class TrustedHosts:
    """Middleware that refuses requests for another host, and WebSockets of pages of another site.

    The Host header must be an IP address, localhost, this computer's name, or one of `hosts`: a foreign name may point
    at 127.0.0.1 (DNS rebinding).  The Origin header of a WebSocket must be that of the page served here.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] = frozenset()):
        self.app = app
        self._hosts = hosts | {"localhost", socket.gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1").lower() for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        origin = headers.get(b"origin")
        is_same_origin = origin is None or origin in (f"http://{host}", f"https://{host}")
        if not self._is_trusted(host) or scope["type"] == "websocket" and not is_same_origin:
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": WS_POLICY_VIOLATION})
            else:
                await PlainTextResponse("this server does not answer for this host\n", 421)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _is_trusted(self, host: str) -> bool:
        """Whether a Host header is trusted.  Every address is, because DNS cannot redirect it."""
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        try:
            ipaddress.ip_address(name.strip("[]"))
            return True
        except ValueError:
            return name in self._hosts


# ---- the application

def make_app(make_state: Callable[[], ServerState] = ServerState, hosts: frozenset[str] = frozenset(),
             on_start: Callable[[], None] = lambda: None) -> Starlette:
    """The ASGI application.

    make_state: called when it starts.  hosts: trusted hosts besides localhost and addresses.  on_start: called when it
    serves.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette):
        app.state.server = state = make_state()
        warm_up = asyncio.create_task(asyncio.to_thread(state.warm_up))
        on_start()
        yield
        state.scheduler.close()
        await warm_up
        state.scheduler.shutdown()

    async def page(request: Request) -> FileResponse:
        return FileResponse(STATIC / "index.html")

    async def icon(request: Request) -> FileResponse:    # browsers ask for it beside every other address
        return FileResponse(STATIC / "icon.svg")

    return Starlette(routes=[Route("/", page), Route("/favicon.ico", icon), WebSocketRoute("/ws", serve_session),
                             Mount("/static", StaticFiles(directory=STATIC))],
                     middleware=[Middleware(TrustedHosts, hosts=hosts)], lifespan=lifespan)


async def serve_session(socket: WebSocket) -> None:
    """Serve one WebSocket until it is closed."""
    state: ServerState = socket.app.state.server
    await socket.accept()
    if state.sessions >= MAX_SESSIONS:
        await socket.close(WS_TRY_AGAIN_LATER, "too many sessions: try again later")
        return
    session = Session(socket, state)
    state.sessions += 1
    try:
        await session.run()
    except (WebSocketDisconnect, RuntimeError):          # the page disconnected during an answer
        pass
    finally:
        state.sessions -= 1
        await session.stop_search()


# ---- the command

def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on; 0.0.0.0 admits other computers, "
                        "without a password or encryption (default: %(default)s, this computer only)")
    parser.add_argument("--port", type=int, help=f"the port (default: {DEFAULT_PORT}, or the next free one)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    game_options.add_arguments(parser, str(DEFAULT_SIZE))
    parser.set_defaults(player="mcts")                   # its --network decides the game that the page starts with
    parser.add_argument("--network", metavar="NAME", help="a file, the folder of a training run, or the name of a "
                        "bundled network (default: the bundled network for each board)")
    parser.add_argument("--searches", type=int, metavar="N", help="searches that run at once; others wait"
                        " (default: one a core)")


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket; port None: the first free one from DEFAULT_PORT on.  Raises BadInput."""
    if port is not None and not 0 <= port < 1 << 16:
        raise BadInput(f"--port is 0 to 65535, not {port}")
    try:
        family, *_, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise BadInput(f"--host {host}: {error.strerror or error}") from None
    reason = ""
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED) if port is None else [port]
    for candidate in ports:
        listener = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address[0], candidate, *address[2:]))
            listener.listen(128)                         # connections wait from now on until the server accepts them
            return listener
        except OSError as error:
            listener.close()
            reason = error.strerror
    raise BadInput(f"cannot listen on {host}, port {ports[-1]}: {reason}")


def command(args: argparse.Namespace) -> int:
    """Run `mugo web` until Ctrl-C; returns the exit status.  Raises BadInput."""
    if args.searches is not None and args.searches < 1:
        raise BadInput(f"--searches is 1 or more, not {args.searches}")
    start = game_options.first_position(args, DEFAULT_SIZE)
    network = open_network(args.network, threads=1)
    listener = listen(args.host, args.port)
    url = page_url(*listener.getsockname()[:2])

    def on_start() -> None:
        print(f"The board is at {url} (Ctrl-C ends it)", flush=True)
        if not args.no_browser:
            threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()

    app = make_app(lambda: ServerState(network, args.searches, start), frozenset({args.host.lower()}), on_start)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws_max_size=MAX_MESSAGE,
                                           timeout_graceful_shutdown=2))
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        print()
    return 0


def page_url(host: str, port: int) -> str:
    """The address of the page for a browser on this computer."""
    if host == "0.0.0.0":
        host = "127.0.0.1"
    elif ":" in host:
        host = "[::1]" if host == "::" else f"[{host}]"
    return f"http://{host}:{port}/"
