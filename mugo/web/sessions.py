"""One WebSocket of a page: requests in, answers out.

    page  -- {"id": 7, "command": "analyze", "game": ..., "moves": [...]} -->  Session  -->  Job, in a thread
          <-- {"id": 7, "search": {...}}, ..., {"id": 7, "done": true} --

A session has one search at a time; a new one cancels the old one.
"""
import asyncio
import contextlib
import json
import logging
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from mugo.core.files import BadInput
from mugo.games.game import GAMES, plane_names
from mugo.reviews.move_review import LEVELS
from mugo.sgf.tree import start_from_position
from mugo.web.handlers import HANDLERS, SEARCHES, SessionSearches
from mugo.web.requests import parse_request, position_of_request, require_field
from mugo.web.scheduler import Job
from mugo.web.state import ServerState

MAX_ERROR = 300                          # characters; errors repeat what a client has sent
INTERNAL_ERROR = "internal error; its traceback is in the log of the server"


async def serve_session(socket: WebSocket) -> None:
    state: ServerState = socket.app.state.server
    await socket.accept()
    session = Session(socket, state)
    state.sessions.add(session)
    try:
        await session.run()
    except (WebSocketDisconnect, RuntimeError):          # the page disconnected during an answer
        pass
    finally:
        await session.stop_search()
        state.sessions.discard(session)


class Session:
    """A page and its search."""

    def __init__(self, socket: WebSocket, state: ServerState):
        self.socket = socket
        self.state = state
        self.job: Job | None = None
        self._searches = SessionSearches(state.network)

    async def run(self) -> None:
        """Answer messages until the page disconnects."""
        await self._send(None, {
            "hello": "MuGo", "planes": {game: plane_names(game) for game in GAMES},
            "levels": LEVELS, "game": start_from_position(self.state.start) if self.state.has_game else None,
            **({"has_folder": True} if self.state.folder else {})})
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            await self._handle_message(message.get("text"))

    async def _handle_message(self, text: str | None) -> None:
        number = None
        try:
            request = parse_request(text)
            number = request.get("id")
            answer = await self._handle_request(request, number)
        except Exception as error:
            answer = _error(error, text)
        if answer is not None:
            await self._send(number, answer)

    async def _handle_request(self, request: dict, number: Any) -> dict | str | None:
        """The answer to a request; None if a search will send it."""
        command = require_field(request, "command", str)
        if command in SEARCHES:
            await self.stop_search()
            self.job = job = Job(number, self.state.scheduler)
            job.task = asyncio.create_task(self._run_search(job, command, request))
            return None
        if command == "stop":
            await self.stop_search()
            return {"stopped": True}
        if command not in HANDLERS:
            known = ", ".join((*HANDLERS, *SEARCHES, "stop"))
            raise BadInput(f"unknown command {command[:20]!r} (known: {known})")
        job = Job(number, self.state.scheduler, is_search=False)
        return await self.state.scheduler.run(
            job, lambda job: _format_answer(number, HANDLERS[command](request, self.state)))

    async def stop_search(self) -> None:
        """Cancel the search, and wait until it has ended."""
        job, self.job = self.job, None
        if job is None or job.task is None:
            return
        job.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await job.task

    async def _run_search(self, job: Job, command: str, request: dict) -> None:
        def search(job: Job) -> dict:
            return SEARCHES[command](self._searches, position_of_request(request), request, job)

        sender = asyncio.create_task(self._send_progress(job))
        try:
            answer = await self.state.scheduler.run(job, search)
        except Exception as error:
            answer = _error(error, command)
        finally:
            sender.cancel()
            if self.job is job:
                self.job = None
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):             # the page has disconnected
            await self._send(job.request_id, answer)

    async def _send_progress(self, job: Job) -> None:
        while True:
            await job.has_progress.wait()
            job.has_progress.clear()
            await self._send(job.request_id, job.progress)

    async def _send(self, number: Any, answer: dict | str) -> None:
        """Send an answer, or its text; waits while the page does not read the earlier ones."""
        await self.socket.send_text(answer if isinstance(answer, str) else _format_answer(number, answer))


def _error(error: Exception, request: str | None) -> dict:
    if isinstance(error, BadInput):
        return {"error": str(error)[:MAX_ERROR]}
    logging.getLogger("uvicorn.error").error("error in answer to %.200s", request, exc_info=error)
    return {"error": INTERNAL_ERROR}


def _format_answer(number: Any, answer: dict) -> str:
    return json.dumps({"id": number} | answer)
