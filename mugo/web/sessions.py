"""One WebSocket of a page: requests in, answers out.

    page  -- {"id": 7, "command": "analyze", "game": ..., "moves": [...]} -->  Session  -->  SearchJob, in a thread
          <-- {"id": 7, "search": {...}}, ..., {"id": 7, "done": true} --

The page holds the game and sends it with every request, so reloading the page or restarting the server loses nothing.
A session has one search at a time; a new one cancels the old one.
"""
import asyncio
import contextlib
import json
import logging

from starlette.websockets import WebSocket, WebSocketDisconnect

from mugo.files import BadInput
from mugo.games.game import GAMES
from mugo.games.plane_tables import plane_names
from mugo.sgf.tree import game_from_position, require_field
from mugo.web.handlers import HANDLERS
from mugo.web.positions import position_of_request
from mugo.web.scheduler import SearchFunction, SearchJob
from mugo.web.searches import SEARCHES, SessionSearches
from mugo.web.state import ServerState

MAX_MESSAGE = 4 << 20                    # characters; an SGF file of 3 MB in base64
IDLE_SECONDS = 1800.0                    # without a message, after which a session is closed
WS_NORMAL_CLOSURE, WS_MESSAGE_TOO_BIG = 1000, 1009               # RFC 6455, section 7.4.1
INTERNAL_ERROR = "internal error; its traceback is in the log of the server"


class Session:
    """A page and its search."""

    def __init__(self, socket: WebSocket, state: ServerState):
        self.socket = socket
        self.state = state
        self.job: SearchJob | None = None
        self._searches = SessionSearches(state.network)

    async def run(self) -> None:
        """Answer messages until the page disconnects or is idle for too long."""
        await self._send(None, {
            "hello": "MuGo", "planes": {game: plane_names(game) for game in GAMES},
            "game": game_from_position(self.state.start)})
        while True:
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    message = await self.socket.receive()
            except TimeoutError:
                if self.job is None:
                    await self.socket.close(WS_NORMAL_CLOSURE, "idle")
                    return
                continue
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is not None and len(text) > MAX_MESSAGE:
                await self.socket.close(WS_MESSAGE_TOO_BIG, f"a message has at most {MAX_MESSAGE:,} characters")
                return
            await self._handle_message(text)

    async def _handle_message(self, text: str | None) -> None:
        """Answer a message.  An error of any kind becomes an answer with "error"."""
        request_id = None
        try:
            request = _parse_request(text)
            request_id = _request_id(request)
            answer = await self._handle_request(request, request_id)
        except BadInput as error:
            answer = {"error": str(error)}
        except Exception:
            logging.getLogger("uvicorn.error").exception("error in answer to %.200s", text)
            answer = {"error": INTERNAL_ERROR}
        if answer is not None:
            await self._send(request_id, answer)

    async def _handle_request(self, request: dict, request_id: int | str | None) -> dict | None:
        """The answer to a request; None if a search will send it."""
        command = require_field(request, "command", str)
        if command in SEARCHES:
            await self.stop_search()
            position = await asyncio.to_thread(position_of_request, request)
            search = SEARCHES[command](self._searches, position, request)
            self.job = SearchJob(request_id, self.state.scheduler)
            self.job.task = asyncio.create_task(self._run_search(self.job, search))
            return None
        if command == "stop":
            await self.stop_search()
            return {"stopped": True}
        if command not in HANDLERS:
            raise BadInput(f"unknown command {command[:20]!r} (known: {', '.join((*HANDLERS, *SEARCHES, 'stop'))})")
        return await asyncio.to_thread(HANDLERS[command], request, self.state)

    async def stop_search(self) -> None:
        """Cancel the search, if there is one, and wait until it has ended."""
        job, self.job = self.job, None
        if job is None or job.task is None:
            return
        job.cancelled.set()
        job.task.cancel()                                        # if it waits for a slot
        with contextlib.suppress(asyncio.CancelledError):
            await job.task

    async def _run_search(self, job: SearchJob, search: SearchFunction) -> None:
        """Run a search, and send its progress and its last answer."""
        async def send_waiting() -> None:
            await self._send(job.request_id, {"waiting": True})

        sender = asyncio.create_task(self._send_progress(job))
        answer = {"error": "the search was aborted"}
        try:
            answer = await self.state.scheduler.run(job, search, send_waiting)
        except BadInput as error:
            answer = {"error": str(error)}
        except asyncio.CancelledError:
            answer = {"done": True, "stopped": True}
            raise
        finally:
            sender.cancel()
            if self.job is job:
                self.job = None
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):         # the page has disconnected
                await self._send(job.request_id, answer)

    async def _send_progress(self, job: SearchJob) -> None:
        while True:
            await job.has_progress.wait()
            job.has_progress.clear()
            await self._send(job.request_id, job.progress)

    async def _send(self, request_id: int | str | None, answer: dict) -> None:
        await self.socket.send_text(json.dumps({"id": request_id} | answer))


def _parse_request(text: str | None) -> dict:
    """The JSON object of a message; None: the message was binary.  Raises BadInput."""
    try:
        request = json.loads(text or "")
    except (ValueError, RecursionError):
        raise BadInput("a message must be a JSON object in text") from None
    if not isinstance(request, dict):
        raise BadInput("a message must be a JSON object")
    return request


def _request_id(request: dict) -> int | str | None:
    """The "id" of a request.  Raises BadInput."""
    request_id = request.get("id")
    if not isinstance(request_id, int | str | None):
        raise BadInput("'id' must be a number or a string")
    return request_id
