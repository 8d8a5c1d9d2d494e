"""A board in the browser: `mugo web` serves a page (static/) and a WebSocket for each visitor (visitors.py).

    /                        the page
    /static/...              its scripts, style and pictures; nothing comes from elsewhere
    /line                    the WebSocket

It listens on this computer only, unless told otherwise, and there it asks for no password.
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
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import FileResponse, PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from mugo.files import BadInput
from mugo.players import game_options
from mugo.players.options import open_network
from mugo.web.sessions import MAX_MESSAGE, Room, Visitor

STATIC = Path(__file__).with_name("static")
SIZE = 9                                 # of the board that the page begins with
PORT = 8080
PORTS = 20                               # tried after it, where it is taken and nobody asked for it
VISITORS = 40                            # at once; each may have two trees
TRY_AGAIN_LATER, NOT_ALLOWED = 1013, 1008
# Nothing is loaded from anywhere else, and no other site can show this one in a frame.
HEADERS = [(b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
           (b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"),
           (b"cache-control", b"no-cache")]


# ---- who may come in

class OnlyAsked:
    """Lets in whoever asked for this server by its own name, from its own page.

    A name that anybody can point at 127.0.0.1 (DNS rebinding) is not one of ours, and a page of another site
    may not open a WebSocket here.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str] = frozenset()):
        self.app = app
        self._names = names | {"localhost", socket.gethostname().lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1").lower() for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        origin = headers.get(b"origin")
        is_page = origin is None or origin in (f"http://{host}", f"https://{host}")
        if not self._is_ours(host) or scope["type"] == "websocket" and not is_page:
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": NOT_ALLOWED})
            else:
                await PlainTextResponse("this server goes by another name\n", 421)(scope, receive, send)
            return

        async def with_headers(message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        await self.app(scope, receive, with_headers)

    def _is_ours(self, host: str) -> bool:
        """Addresses are: nobody else can make a name of them."""
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        try:
            ipaddress.ip_address(name.strip("[]"))
            return True
        except ValueError:
            return name in self._names


def make_app(room_of: Callable[[], Room] = Room, names: frozenset[str] = frozenset(),
             started: Callable[[], None] = lambda: None) -> Starlette:
    """The application.  room_of makes the room when it starts; names: hosts it goes by, besides localhost and
    addresses; started: called when it serves."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette):
        app.state.room = room = room_of()
        warming = asyncio.create_task(asyncio.to_thread(room.warm_up))
        started()
        yield
        room.closing = True
        await warming
        room.threads.shutdown()

    async def page(request) -> FileResponse:
        return FileResponse(STATIC / "index.html")

    async def icon(request) -> FileResponse:             # asked for beside whatever is not the page
        return FileResponse(STATIC / "icon.svg")

    async def visit(line: WebSocket) -> None:
        room: Room = line.app.state.room
        await line.accept()
        if room.visitors >= VISITORS:
            await line.close(TRY_AGAIN_LATER, "too many visitors: try again later")
            return
        visitor = Visitor(line, room)
        room.visitors += 1
        try:
            await visitor.talk()
        except (WebSocketDisconnect, RuntimeError):      # the page has gone while it was being answered
            pass
        finally:
            room.visitors -= 1
            await visitor.stop()

    return Starlette(routes=[Route("/", page), Route("/favicon.ico", icon), WebSocketRoute("/line", visit),
                             Mount("/static", StaticFiles(directory=STATIC))],
                     middleware=[Middleware(OnlyAsked, names=names)], lifespan=lifespan)


# ---- the command

def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on; 0.0.0.0 lets others in, without "
                        "a password and unencrypted (default: %(default)s, this computer only)")
    parser.add_argument("--port", type=int, help=f"(default: {PORT}, or the next that is free)")
    parser.add_argument("--no-browser", action="store_true", help="do not open one")
    game_options.add_arguments(parser, str(SIZE))
    parser.set_defaults(player="mcts")                   # whose network says which game the page begins with
    parser.add_argument("--network", metavar="NAME", help="a file, the folder of a training run, or the name of a "
                        "bundled network (default: for each board the bundled one)")
    parser.add_argument("--searches", type=int, metavar="N", help="at once; others wait for their turn"
                        " (default: one a core)")


def listen(host: str, port: int | None) -> socket.socket:
    """A socket on this port; without one named, on PORT or one of the next.  Raises BadInput."""
    if port is not None and not 0 <= port < 1 << 16:
        raise BadInput(f"--port is 0 to 65535, not {port}")
    try:
        family, *_, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise BadInput(f"--host {host}: {error.strerror or error}") from None
    for tried in range(PORT, PORT + PORTS) if port is None else [port]:
        line = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":
            line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            line.bind((address[0], tried, *address[2:]))
            line.listen(128)                             # from now on, whoever comes is kept waiting, not refused
            return line
        except OSError as error:
            line.close()
            why = error
    raise BadInput(f"cannot listen on {host}, port {tried}: {why.strerror}")


def command(args: argparse.Namespace) -> int:
    if args.searches is not None and args.searches < 1:
        raise BadInput(f"--searches is 1 or more, not {args.searches}")
    first = game_options.first_position(args, SIZE)
    network = open_network(args.network, threads=1)
    line = listen(args.host, args.port)
    host, port = line.getsockname()[:2]
    named = "127.0.0.1" if host == "0.0.0.0" else "[::1]" if host == "::" else f"[{host}]" if ":" in host else host
    address = f"http://{named}:{port}/"

    def started() -> None:
        print(f"The board is at {address} (Ctrl-C ends it)", flush=True)
        if not args.no_browser:
            threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()

    app = make_app(lambda: Room(network, args.searches, first), frozenset({args.host.lower()}), started)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws_max_size=MAX_MESSAGE,
                                           timeout_graceful_shutdown=2))
    try:
        server.run(sockets=[line])
    except KeyboardInterrupt:                            # the way to end it
        print()
    return 0
