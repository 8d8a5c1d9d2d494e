"""Visitors of the board in the browser: what each asks over a WebSocket, and searches in turn.

    page  -- {"id": 7, "do": "analyse", "game": ..., "moves": [...]} -->  Visitor -- Room.turn --> Errand, in a thread
          <-- {"id": 7, "thought": {...}}, ..., {"id": 7, "done": true} --

The page holds the game and sends it with every request (views.py answers), so reloading it, or starting this
program anew, loses nothing.  Only searches live here.  A visitor has one at a time, and a new one ends the old;
as many run at once as the machine has cores, and where others wait, one is put behind them after SLICE seconds.
"""
import asyncio
import base64
import binascii
import contextlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from starlette.websockets import WebSocket, WebSocketDisconnect

from mugo.files import BadInput
from mugo.games.coords import format_gtp
from mugo.games.game import GAMES
from mugo.games.go import Position
from mugo.games.plane_tables import plane_names
from mugo.games.position import BasePosition
from mugo.players.options import NETWORK_PLAYERS, SEARCHERS, make_player, open_network
from mugo.players.player import RESIGN, Player
from mugo.players.searcher import PlayOptions, SearchPlayer, default_settings
from mugo.search.search import Search
from mugo.sgf.tree import format_game, game_from_position, read_game, require_field, require_number
from mugo.web import handlers

MAX_MESSAGE = 4 << 20                    # letters; an SGF of 3 MB
IDLE = 1800.0                            # seconds without a message, after which a visitor is let go
LONGEST = 600.0                          # seconds of one analysis
SLICE = 1.0                              # seconds of a search, where others wait
TELL = 0.25                              # seconds between two looks at a search
MAX_EDGES = 1_000_000                     # of one tree, about 30 MB
AT_ONCE = 32                             # positions that the network judges between two looks at the rest
TOO_BIG = 1009                           # a WebSocket's word for it


@dataclass(frozen=True)
class Level:
    """An opponent to choose.  manner: of the searchers only."""
    key: str
    group: str
    name: str
    player: str
    play_options: PlayOptions = PlayOptions()


SEARCH, NETWORK, BOTH = "Search alone", "Network alone", "Network and search"
TOLD = {"go": {SEARCH: "good on small boards", NETWORK: "plays like people"}, "gomoku": {}}
LEVELS = (
    Level("random", SEARCH, "Random moves", "random"),
    *(Level(f"uct-{n}", SEARCH, f"{n:,} simulations", "uct", PlayOptions(simulations=n)) for n in (100, 1000, 10_000)),
    Level("uct-5s", SEARCH, "5 seconds a move", "uct", PlayOptions(seconds=5)),
    Level("randompolicy", NETWORK, "Varied: drawn from what it expects", "randompolicy"),
    Level("policy", NETWORK, "Its first choice", "policy"),
    *(Level(f"mcts-{n}", BOTH, f"{n:,} simulations", "mcts", PlayOptions(simulations=n)) for n in (50, 200, 800)),
    Level("mcts-5s", BOTH, "5 seconds a move", "mcts", PlayOptions(seconds=5)),
)


# What an errand does in a thread: its last answer, or None to go on in its next turn.
Work = Callable[["Errand"], dict | None]


class Room:
    """What all visitors share: the network, and whose turn it is to search."""

    def __init__(self, network=None, searches: int | None = None, first: BasePosition | None = None):
        """network: as players.make_player takes it, open; None: the bundled ones.  searches: at once.  first: the
        start of a visitor's first game; None: Go on 9x9."""
        self.network = open_network(None, threads=1) if network is None else network
        self.first = first or Position(9)
        self.searches = searches or os.cpu_count() or 1
        self.turns = asyncio.Semaphore(self.searches)            # first come, first served
        self.waiting = 0
        self.visitors = 0
        self.threads = ThreadPoolExecutor(self.searches, thread_name_prefix="search")
        self.closing = False

    @contextlib.asynccontextmanager
    async def turn(self):
        """Wait for one of the turns to search, and hold it."""
        self.waiting += 1
        try:
            await self.turns.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self.turns.release()

    def why_no_network(self, position: BasePosition) -> str | None:
        """None if there is a network that plays this position's game on its board, else a line about it."""
        try:
            self.network.evaluate([position])
        except BadInput as error:
            return str(error)
        return None

    def warm_up(self) -> None:
        """Load what the first move of a game needs: compiled code above all."""
        with contextlib.suppress(BadInput):                      # a network that is too old says so when asked
            start = self.first
            handlers.look(start)
            for name in SEARCHERS:
                settings = replace(default_settings(name, start.game), max_edges=2000)
                make_player(name, network=self.network, settings=settings).warm_up(start)
            handlers.policy(start, self.network)


class Errand:
    """One search of a visitor, from its request to its last message.  Its work calls the methods, in a thread."""

    def __init__(self, number: int | str | None, room: Room):
        self.number = number
        self.stopped = threading.Event()
        self.task: asyncio.Task | None = None
        self.begun = 0.0                                         # its turn
        self.found: dict = {}                                    # not yet told: a slow line gets the newest only
        self.news = asyncio.Event()
        self._room = room
        self._loop = asyncio.get_running_loop()

    def is_stopped(self) -> bool:
        """Whether nobody wants its answer any more."""
        return self.stopped.is_set() or self._room.closing

    def turn_is_over(self) -> bool:
        """Whether it is time to let others search."""
        return self.is_stopped() or self._room.waiting > 0 and time.perf_counter() - self.begun > SLICE

    def tell(self, found: dict) -> None:
        """This is what it has found so far."""
        self.found = found
        self._loop.call_soon_threadsafe(self.news.set)


class Visitor:
    """One page, on its WebSocket."""

    def __init__(self, line: WebSocket, room: Room):
        self.line = line
        self.room = room
        self.errand: Errand | None = None
        self._analyst: tuple[tuple[str, str], Search] | None = None
        self._opponent: tuple[tuple[str, str], Player] | None = None

    async def talk(self) -> None:
        """Answer messages until the page is gone or silent for too long."""
        await self._say(None, {
            "hello": "MuGo", "planes": {game: plane_names(game) for game in GAMES},
            "game": game_from_position(self.room.first)})
        while True:
            try:
                async with asyncio.timeout(IDLE):
                    message = await self.line.receive()
            except TimeoutError:
                if self.errand is None:
                    await self.line.close(1000, "idle")
                    return
                continue
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is not None and len(text) > MAX_MESSAGE:
                await self.line.close(TOO_BIG, f"a message has {MAX_MESSAGE:,} letters at the most")
                return
            await self._answer(text)

    async def _answer(self, text: str | None) -> None:
        number = None
        try:
            try:
                request = json.loads(text)
            except (TypeError, ValueError, RecursionError):
                raise BadInput("a message is an object of JSON, in text") from None
            if not isinstance(request, dict):
                raise BadInput("a message is an object of JSON")
            number = request.get("id")
            if not isinstance(number, int | str | None):
                number = None
                raise BadInput("'id' is a number or a string")
            answer = await self._do(request, require_field(request, "do", str), number)
        except BadInput as error:
            answer = {"error": str(error)}
        except Exception:
            logging.getLogger("uvicorn.error").exception("in answer to %.200s", text)
            answer = {"error": "something is wrong in this program; what, the server has written in its window"}
        if answer is not None:
            await self._say(number, answer)

    async def _do(self, request: dict, what: str, number) -> dict | None:
        """The answer to a request; None where a search will give it."""
        if what in SEARCHES:
            await self.stop()
            position = await asyncio.to_thread(handlers.position_of_request, request)
            work = SEARCHES[what](self, position, request)
            self.errand = Errand(number, self.room)
            self.errand.task = asyncio.create_task(self._run(self.errand, work))
            return None
        if what == "stop":
            await self.stop()
            return {"stopped": True}
        if what not in ANSWERS:
            raise BadInput(f"{what[:20]!r} cannot be done ({', '.join((*ANSWERS, *SEARCHES, 'stop'))})")
        return await asyncio.to_thread(ANSWERS[what], request, self.room)

    # -- searches

    async def stop(self) -> None:
        """End the search that is going on, and wait until it has ended."""
        errand, self.errand = self.errand, None
        if errand is None:
            return
        errand.stopped.set()
        errand.task.cancel()                                     # where it still waits for its turn
        with contextlib.suppress(asyncio.CancelledError):
            await errand.task

    async def _run(self, errand: Errand, work: Work) -> None:
        """Let a search have its turns, and tell what it finds."""
        teller = asyncio.create_task(self._pass_on(errand))
        answer = None
        try:
            while answer is None:
                if self.room.turns.locked():
                    await self._say(errand.number, {"waiting": True})
                async with self.room.turn():
                    errand.begun = time.perf_counter()
                    running = asyncio.get_running_loop().run_in_executor(self.room.threads, work, errand)
                    try:
                        answer = await asyncio.shield(running)
                    except asyncio.CancelledError:
                        await asyncio.wait([running])            # the turn is given back when the thread has ended
                        raise
                if errand.is_stopped():
                    answer = {"done": True, "stopped": True}
        except BadInput as error:
            answer = {"error": str(error)}
        except asyncio.CancelledError:
            answer = {"done": True, "stopped": True}
            raise
        finally:
            teller.cancel()
            if self.errand is errand:
                self.errand = None
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):         # the page has gone
                await self._say(errand.number, answer or {"error": "the search broke off"})

    async def _pass_on(self, errand: Errand) -> None:
        while True:
            await errand.news.wait()
            errand.news.clear()
            await self._say(errand.number, errand.found)

    async def _say(self, number: int | str | None, answer: dict) -> None:
        await self.line.send_text(json.dumps({"id": number} | answer))

    def _analyse(self, position: BasePosition, request: dict) -> Work:
        """Search a position: `by` "mcts" or "uct", until stopped, or for so many `simulations` or `seconds`."""
        by = request.get("by", "mcts")
        if by not in SEARCHERS:
            raise BadInput(f"'by' is 'mcts' or 'uct', not {by!r:.20}")
        limit = require_field(request, "simulations", int) if "simulations" in request else None
        seconds = require_number(request, "seconds", LONGEST) if "seconds" in request else LONGEST
        if limit is not None and not 0 < limit <= 1 << 30 or seconds <= 0:
            raise BadInput(f"an analysis has at least one simulation, and {LONGEST:g} seconds at the most")
        kind = by, position.game
        if self._analyst is None or self._analyst[0] != kind:
            self._analyst = kind, Search(replace(default_settings(*kind), max_edges=MAX_EDGES, early_stop=False),
                                         self.room.network if by == "mcts" else None)
        search = self._analyst[1]
        done, spent = 0, 0.0

        def work(errand: Errand) -> dict | None:
            nonlocal done, spent
            found = search.search(position, simulations=None if limit is None else limit - done,
                                  seconds=seconds - spent, should_stop=errand.turn_is_over, progress_interval=TELL,
                                  on_progress=lambda found: errand.tell({"thought": handlers.format_result(found)}))
            done, spent = done + found.simulations, spent + found.seconds
            answer = {"thought": handlers.format_result(found)}
            if limit is not None and done >= limit or spent >= seconds - 0.05:
                return answer | {"done": True}
            errand.tell(answer)
            return None

        return work

    def _choose(self, position: BasePosition, request: dict) -> Work:
        """The move of a `level`'s player."""
        key = require_field(request, "level", str)
        level = next((level for level in LEVELS if level.key == key), None)
        if level is None:
            raise BadInput(f"{key[:20]!r} is no level ({', '.join(level.key for level in LEVELS)})")
        kind = key, position.game
        if self._opponent is None or self._opponent[0] != kind:
            settings = replace(default_settings(level.player, position.game), max_edges=MAX_EDGES)
            play_options = level.play_options if position.game == "go" else replace(level.play_options,
                                                                                    resign=0)   # to see the row
            self._opponent = kind, make_player(level.player, network=self.room.network, settings=settings,
                                               play_options=play_options)
        player = self._opponent[1]

        def work(errand: Errand) -> dict:
            if isinstance(player, SearchPlayer):                 # it keeps its turn: its time is its strength
                player.should_stop = errand.is_stopped
                player.on_progress = lambda found: errand.tell({"thought": handlers.format_result(found)})
            point = player.select_move(position)
            found = player.search_result
            return {"move": "resign" if point == RESIGN else format_gtp(point, position.size), "done": True} \
                | ({"thought": handlers.format_result(found)} if found else {})

        return work

    def _judge(self, position: BasePosition, request: dict) -> Work:
        """Black's win rate in every position of the line, by the network's value head; null without one.  Where a
        game of Gomoku has ended, it is who has won."""
        line = list(position.positions())

        def work(errand: Errand) -> dict:
            rates = []
            for first in range(0, len(line), AT_ONCE):
                if errand.is_stopped():
                    break
                part = line[first:first + AT_ONCE]
                values = self.room.network.evaluate(part)[1]
                if values is None:
                    return {"rates": None, "done": True}
                rates += [handlers.outcome(at) if at.is_over and not at.may_pass else
                          handlers.blacks((1 + float(value)) / 2, at) for value, at in zip(values, part, strict=True)]
            return {"rates": rates, "done": True}

        return work


SEARCHES = {"analyse": Visitor._analyse, "choose": Visitor._choose, "judge": Visitor._judge}


def _load(request: dict, room: Room) -> dict:
    try:
        return {"game": read_game(base64.b64decode(require_field(request, "data", str), validate=True))}
    except (binascii.Error, ValueError) as error:
        raise BadInput(f"'data' is a file in base64: {error}") from None


def _offers(request: dict, room: Room) -> dict:
    """Who plays this game: `levels`, and why no network does, if none does."""
    position = handlers.position_of_request(request)
    why = room.why_no_network(position)
    told = TOLD[position.game]
    return {"without_network": why, "levels": [
        {"key": level.key, "name": level.name,
         "group": f"{level.group} ({told[level.group]})" if level.group in told else level.group}
        for level in LEVELS if why is None or level.player not in NETWORK_PLAYERS]}


def _score(request: dict, room: Room) -> dict:
    dead = require_field(request, "dead", list) if "dead" in request else None
    return handlers.score(handlers.position_of_request(request), dead, request.get("toggle"))


ANSWERS: dict[str, Callable[[dict, Room], dict]] = {
    "new": lambda request, room: {"game": handlers.new_game(request)},
    "offers": _offers,
    "look": lambda request, room: handlers.look(handlers.position_of_request(request)),
    "play": lambda request, room: handlers.play(handlers.position_of_request(request),
                                                require_field(request, "move", str)),
    "policy": lambda request, room: handlers.policy(handlers.position_of_request(request), room.network),
    "planes": lambda request, room: handlers.planes(handlers.position_of_request(request)),
    "owners": lambda request, room: handlers.ownership(handlers.position_of_request(request)),
    "score": _score,
    "load": _load,
    "save": lambda request, room: {"sgf": format_game(require_field(request, "game", dict))},
}
