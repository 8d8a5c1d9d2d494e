"""The server of `mugo web` and its command line.

    /                        the page; with ?token=... where another address than this computer's is listened on
    /static/...              its scripts, styles and images; nothing is loaded from other servers
    /ws                      the WebSocket (sessions.py)
    /compiling               how many functions the first start has compiled, while the WebSocket's answers wait
    /games, /games/NAME      the newest record of the folder --games, and a record of it
"""
import argparse
import contextlib
import ipaddress
import os
import secrets
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from mugo.core.files import BadInput
from mugo.core.options import given
from mugo.players.options import GameOptions, first_position, player_options
from mugo.players.registry import open_network
from mugo.web.access import TokenRequired, TrustedHosts, interpret_host
from mugo.web.files import STATIC, RecordFolder, page_html
from mugo.web.options import DEFAULT_PORT, DEFAULT_SIZE, WebOptions
from mugo.web.requests import MAX_MESSAGE
from mugo.web.sessions import serve_session
from mugo.web.state import ServerState

PORTS_TRIED = 20                         # from DEFAULT_PORT on, unless --port names one
SWITCH_INTERVAL = 0.001                  # seconds that a computing thread keeps the event loop from running
END_SECONDS = 0.5                        # that threads may take to end after the server has
GRACEFUL_SECONDS = 1                     # for answers on their way when the server ends
SIGNALS = (signal.SIGINT, signal.SIGTERM)


# ---- the application

def make_app(make_state: Callable[[], ServerState] = ServerState, hosts: frozenset[str] = frozenset(),
             on_start: Callable[[], None] = lambda: None, token: str | None = None) -> Starlette:
    """The ASGI application.  make_state: called when it starts.  hosts: trusted besides localhost and addresses.
    on_start: called when it serves.  token: what requests must have; None: nothing."""
    html = page_html()
    middleware = [Middleware(TrustedHosts, hosts=hosts), Middleware(GZipMiddleware)]
    if token is not None:
        middleware.insert(1, Middleware(TokenRequired, token=token))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette):
        app.state.server = state = make_state()
        state.warming_up.start()
        on_start()
        yield
        state.scheduler.close()

    async def page(request: Request) -> HTMLResponse:
        return HTMLResponse(html)

    async def compiling(request: Request) -> JSONResponse:
        return JSONResponse({"functions": request.app.state.server.compiled_functions})

    def newest(request: Request) -> JSONResponse:            # in a thread, as `record`: folders may be slow
        folder = request.app.state.server.folder
        return JSONResponse(folder.newest() if folder else {})

    def record(request: Request) -> Response:
        folder = request.app.state.server.folder
        data = folder and folder.read(request.path_params["name"])
        return Response(status_code=404) if data is None else Response(data, media_type="application/octet-stream")

    return Starlette(routes=[Route("/", page), Route("/compiling", compiling), Route("/games", newest),
                             Route("/games/{name}", record),
                             WebSocketRoute("/ws", serve_session), Mount("/static", StaticFiles(directory=STATIC))],
                     middleware=middleware, lifespan=lifespan)


# ---- the server

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
    return Server(uvicorn.Config(
        app, http="h11", ws="websockets-sansio", log_level="warning", ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False, proxy_headers=False, timeout_graceful_shutdown=GRACEFUL_SECONDS), state)


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


# ---- the command

def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket; port None: the first free one from DEFAULT_PORT on.  Raises BadInput."""
    try:
        family, *_, address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise BadInput(f"--host {host}: {error.strerror or error}") from None
    reason = ""
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED) if port is None else [port]
    for candidate in ports:
        try:                                             # connections wait from now on until the server accepts them
            return socket.create_server((address[0], candidate, *address[2:]), family=family)
        except OSError as error:
            reason = error.strerror
    raise BadInput(f"cannot listen on {host}, port {ports[-1]}: {reason}")


def command(args: argparse.Namespace) -> int:
    """Run `mugo web` until Ctrl-C; returns the exit status.  Raises BadInput."""
    options = WebOptions(**given(WebOptions, args))
    hosts = frozenset({options.host.lower(), *map(interpret_host, args.allowed_host)})
    start = first_position(args, DEFAULT_SIZE)
    opened = player_options(args)
    network = open_network(opened.network, 1, opened.precision, opened.provider, caches=True)
    with contextlib.suppress(BadInput):                  # the page says that no network plays this board
        network.for_position(start)
    folder = None if options.games is None else RecordFolder(options.games)
    listener = listen(options.host, options.port)
    host, port = listener.getsockname()[:2]
    token = None if ipaddress.ip_address(host.partition("%")[0]).is_loopback else secrets.token_urlsafe()
    url = page_url(host, port, token)

    def on_start() -> None:
        print(f"The board is at {url} (Ctrl-C ends it); network: {network.describe()}", flush=True)
        if options.browser:
            threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()

    sys.setswitchinterval(SWITCH_INTERVAL)
    has_game = start.game != "go" or bool(given(GameOptions, args))
    state = ServerState(network, options.jobs, start, has_game, folder)
    run_until_signal(make_server(make_app(lambda: state, hosts, on_start, token), state), listener)
    print()
    end = time.monotonic() + END_SECONDS
    while not state.is_idle and time.monotonic() < end:
        time.sleep(0.01)
    if not state.is_idle:                                # a thread compiles: Python would abort it in the middle of C++
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    return 0


def page_url(host: str, port: int, token: str | None = None) -> str:
    """The address of the page for a browser on this computer."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{port}/" + (f"?token={token}" if token else "")
