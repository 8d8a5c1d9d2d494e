"""How `mugo web` bears hostile clients: what a second client waits for while the first attacks.

    python benchmarks/web_load.py                       all attacks, SECONDS each
    python benchmarks/web_load.py lists slowloris       some of them
    python benchmarks/web_load.py --main OTHER/main.py  another version

It starts a server of its own on 127.0.0.1.  The victim connects from 127.0.0.1 and sends a request twice a second; the
attacker connects from 127.0.0.2, with SOCKETS connections at the most (slowloris: CONNECTIONS), and stops by itself.
Linux only: other systems have no second loopback address.
"""
import argparse
import asyncio
import base64
import contextlib
import json
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import websockets
from websockets.asyncio.client import ClientConnection, connect

MAIN = Path(__file__).parents[1] / "main.py"
ATTACKER = "127.0.0.2"
SECONDS = 8.0                            # of each attack
SOCKETS = 39                             # the attacker's WebSockets
CONNECTIONS = 600                        # of attacks on HTTP
GAME = {"name": "go", "size": 9, "komi": 7.5, "handicap": 0, "black": [], "white": [], "first": "B"}
BIG = GAME | {"size": 19}

Attack = Callable[[int, float], Awaitable[None]]         # port, end (time.monotonic)
ATTACKS: dict[str, Attack] = {}


def attack(function: Attack) -> Attack:
    """Register an attack."""
    ATTACKS[function.__name__] = function
    return function


# ---- the server

class Server:
    """A `mugo web` on a free port, whose peak memory is watched."""

    def __init__(self, main: Path):
        self.process = subprocess.Popen([sys.executable, str(main), "web", "--no-browser", "--port", "0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=main.parent)
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}{self.process.stderr.read()}")
        self.port = int(found[1])
        self.peak = 0

    def memory(self) -> int:
        """Resident bytes now; `peak` is the most so far."""
        with contextlib.suppress(psutil.Error):
            now = psutil.Process(self.process.pid).memory_info().rss
            self.peak = max(self.peak, now)
            return now
        return 0

    def end(self, limit: float = 30.0) -> tuple[float, int | None, str]:
        """(seconds, exit status, stderr) of the end by Ctrl-C."""
        started = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)
        try:
            _, errors = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return limit, None, "killed: it did not end"
        return time.monotonic() - started, self.process.returncode, errors


async def open_page(port: int, host: str = "127.0.0.1", **options) -> ClientConnection:
    """A WebSocket of the server that has received its first message."""
    socket = await connect(f"ws://127.0.0.1:{port}/ws", local_addr=(host, 0), max_size=None, open_timeout=30, **options)
    await socket.recv()
    return socket


async def ask(socket: ClientConnection, command: str, **fields) -> dict:
    """The last answer to a request."""
    await socket.send(json.dumps({"id": 1, "command": command, **fields}))
    while True:
        answer = json.loads(await socket.recv())
        if "search" not in answer and "waiting" not in answer or "done" in answer:
            return answer


# ---- the victim

async def victim(port: int, end: float) -> dict[str, list[float]]:
    """Seconds of each request of a page: a position, a move of the search, a new connection with the page itself."""
    waited: dict[str, list[float]] = {"position": [], "search": [], "page": []}

    async def measure(name: str, action: Callable[[], Awaitable]) -> None:
        started = time.monotonic()
        try:
            async with asyncio.timeout(max(end + 30 - started, 1)):
                await action()
            waited[name].append(time.monotonic() - started)
        except (OSError, TimeoutError, websockets.WebSocketException):
            waited[name].append(float("inf"))

    async def page() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        if b"MuGo" not in await reader.read():
            raise ConnectionError
        writer.close()

    sockets = [await open_page(port) for _ in range(2)]

    async def repeat(name: str, action: Callable[[], Awaitable]) -> None:
        while time.monotonic() < end:
            await measure(name, action)
            await asyncio.sleep(0.5)

    await asyncio.gather(
        repeat("position", lambda: ask(sockets[0], "play", game=GAME, moves=["B E5"], move="C3")),
        repeat("search", lambda: ask(sockets[1], "genmove", game=GAME, moves=["B E5"], opponent="uct-100")),
        repeat("page", page))
    for socket in sockets:
        with contextlib.suppress(websockets.WebSocketException, OSError):
            await socket.close()
    return waited


# ---- the attacks

async def flood(port: int, end: float, text: Callable[[int], str], sockets: int = SOCKETS, reads: bool = True) -> None:
    """Send messages as fast as the server takes them."""
    async def one(number: int) -> None:
        while time.monotonic() < end:
            try:
                async with asyncio.timeout(end - time.monotonic()):
                    socket = await open_page(port, ATTACKER)
                    reader = asyncio.create_task(drain(socket)) if reads else None
                    try:
                        while True:
                            await socket.send(text(number))
                            await asyncio.sleep(0)
                    finally:
                        if reader:
                            reader.cancel()
                        socket.transport.abort()
            except (OSError, TimeoutError, websockets.WebSocketException):
                await asyncio.sleep(0.2)

    async def drain(socket: ClientConnection) -> None:
        with contextlib.suppress(websockets.WebSocketException, OSError):
            async for _ in socket:
                pass

    await asyncio.gather(*(one(number) for number in range(sockets)))


def message(command: str, **fields) -> str:
    return json.dumps({"id": 1, "command": command, **fields})


@attack
async def nothing(port: int, end: float) -> None:
    """No attack, for comparison."""
    await asyncio.sleep(end - time.monotonic())


@attack
async def searches(port: int, end: float) -> None:
    """39 sockets that search."""
    async def one() -> None:
        with contextlib.suppress(OSError, TimeoutError, websockets.WebSocketException):
            async with asyncio.timeout(end - time.monotonic()):
                socket = await open_page(port, ATTACKER)
                while True:
                    await ask(socket, "genmove", game=BIG, moves=[], opponent="mcts-5s")

    await asyncio.gather(*(one() for _ in range(SOCKETS)))


@attack
async def lists(port: int, end: float) -> None:
    """Messages of 3.5 MB with 600,000 setup stones."""
    text = message("position", game=BIG | {"black": ["D4"] * 600_000}, moves=[])[:(4 << 20) - 1]
    await flood(port, end, lambda number: text, 4)


@attack
async def brackets(port: int, end: float) -> None:
    """Messages of 1.9 MB with 650,000 empty lists, which the parser of JSON makes objects of."""
    text = '{"command": "new", "x": [' + "[]," * 650_000 + "[]]}"
    await flood(port, end, lambda number: text, 4)


@attack
async def long_games(port: int, end: float) -> None:
    """Positions after 2,000 moves, asked for as fast as possible."""
    text = message("position", game=BIG, moves=["B pass", "W pass"] * 1000)
    await flood(port, end, lambda number: text, 10)


@attack
async def evaluations(port: int, end: float) -> None:
    """The value of every position of games of 2,000 moves."""
    text = message("evaluate", game=BIG, moves=["B pass", "W pass"] * 1000)
    await flood(port, end, lambda number: text, 10)


@attack
async def sgf_trees(port: int, end: float) -> None:
    """SGF files of 1.5 MB with 500,000 empty variations."""
    data = base64.b64encode(b"(;SZ[19]" + b"(;)" * 500_000 + b")").decode()
    text = message("load", data=data)
    await flood(port, end, lambda number: text, 10)


@attack
async def scores(port: int, end: float) -> None:
    """Scores, which play rollouts."""
    text = message("score", game=BIG, moves=[f"{'BW'[i % 2]} {'ABCDEFGHJ'[i // 19]}{i % 19 + 1}" for i in range(171)])
    await flood(port, end, lambda number: text, 10)


@attack
async def messages(port: int, end: float) -> None:
    """Small messages without end."""
    await flood(port, end, lambda number: '{"id":1,"command":"opponents"}', 10)


@attack
async def unread(port: int, end: float) -> None:
    """Requests whose answers nobody reads."""
    sgf = "(;SZ[19]" + f";N[{40 * 'x'}]" * 5000 + ")"
    text = message("load", data=base64.b64encode(sgf.encode()).decode())
    await flood(port, end, lambda number: text, 10, reads=False)


@attack
async def pings(port: int, end: float) -> None:
    """Pings whose pongs nobody reads."""
    async def one() -> None:
        reader, writer = await upgraded(port)
        frame = bytes([0x89, 0x80 | 125, 0, 0, 0, 0]) + bytes(125)
        while time.monotonic() < end:
            writer.write(frame * 500)
            async with asyncio.timeout(end - time.monotonic()):
                await writer.drain()

    await at_once(one, 10)


@attack
async def bombs(port: int, end: float) -> None:
    """Messages of 4 MB that are compressed to 4 kB."""
    async def one() -> None:
        socket = await open_page(port, ATTACKER, compression="deflate")
        while time.monotonic() < end:
            await socket.send(" " * ((4 << 20) - 1))
            await socket.recv()

    await at_once(one, 10)


@attack
async def slowloris(port: int, end: float) -> None:
    """Connections that send a byte of a header each second."""
    async def one() -> None:
        _, writer = await raw(port)
        writer.write(b"GET / HTTP/1.1\r\nX-A: ")
        while time.monotonic() < end:
            writer.write(b"x")
            async with asyncio.timeout(end - time.monotonic()):
                await writer.drain()
            await asyncio.sleep(1)

    await at_once(one, CONNECTIONS)


@attack
async def upgrades(port: int, end: float) -> None:
    """WebSockets that are opened and left."""
    async def one() -> None:
        while time.monotonic() < end:
            with contextlib.suppress(OSError, TimeoutError):
                _, writer = await upgraded(port)
                writer.transport.abort()
            await asyncio.sleep(0)

    await at_once(one, 20)


@attack
async def requests(port: int, end: float) -> None:
    """The page, in pipelines, without reading it."""
    async def one() -> None:
        while time.monotonic() < end:
            with contextlib.suppress(OSError, TimeoutError):
                _, writer = await raw(port)
                while time.monotonic() < end:
                    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 100)
                    async with asyncio.timeout(end - time.monotonic()):
                        await writer.drain()

    await at_once(one, 40)


async def at_once(one: Callable[[], Awaitable[None]], n: int) -> None:
    """Run n attackers, whatever becomes of them."""
    async def quiet() -> None:
        with contextlib.suppress(OSError, TimeoutError, EOFError, websockets.WebSocketException):
            await one()

    await asyncio.gather(*(quiet() for _ in range(n)))


async def raw(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port, local_addr=(ATTACKER, 0), limit=1024), 10)


async def upgraded(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A WebSocket by hand."""
    reader, writer = await raw(port)
    writer.write(f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
    await asyncio.wait_for(reader.readline(), 10)
    return reader, writer


# ---- measuring

async def measure(main: Path, name: str) -> None:
    """Run an attack on a new server and print a line."""
    server = Server(main)
    try:
        warm = await open_page(server.port)
        for opponent in ("uct-100", "mcts-50"):
            await ask(warm, "genmove", game=GAME, moves=["B E5"], opponent=opponent)
        await ask(warm, "score", game=BIG, moves=["B E5"])
        await warm.close()
        before = server.memory()
        end = time.monotonic() + SECONDS

        async def watch() -> None:
            while True:
                server.memory()
                await asyncio.sleep(0.05)

        watcher = asyncio.create_task(watch())
        attacker = subprocess.Popen([sys.executable, __file__, "--attack", name, "--port", str(server.port)])
        waited = await victim(server.port, end)
        with contextlib.suppress(subprocess.TimeoutExpired):
            attacker.wait(5)
        attacker.kill()
        watcher.cancel()
        figures = "  ".join(f"{what} {shown(statistics.median(times))} / {shown(max(times))}"
                            for what, times in waited.items() if times)
        print(f"{name:12s} {figures}  memory {before >> 20} -> {server.peak >> 20} MB", flush=True)
    finally:
        seconds, status, errors = server.end()
    if status != 0 or errors:
        print(f"{'':12s} end: {seconds:.1f} s, status {status}, {errors[:200]!r}", flush=True)


def shown(seconds: float) -> str:
    return "none" if seconds == float("inf") else f"{seconds:.2f}"


def command() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"of {', '.join(ATTACKS)} (default: all)")
    parser.add_argument("--main", type=Path, default=MAIN, help="main.py of the version to measure")
    parser.add_argument("--attack", help=argparse.SUPPRESS)              # the attacker's process
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.attack:
        asyncio.run(ATTACKS[args.attack](args.port, time.monotonic() + SECONDS - 1))
        return
    if unknown := set(args.attacks) - set(ATTACKS):
        parser.error(f"unknown attack {', '.join(sorted(unknown))} (known: {', '.join(ATTACKS)})")
    print("seconds until the second client's answer: median / worst", flush=True)
    for name in args.attacks or ATTACKS:
        asyncio.run(measure(args.main.resolve(), name))


if __name__ == "__main__":
    command()
