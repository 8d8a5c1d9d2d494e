"""A fake network for tests of the server, and a client of its WebSocket."""
import itertools

import numpy as np

from mugo.core.files import BadInput
from mugo.games.coords import move_index
from mugo.games.position import BasePosition
from mugo.nn.output import NetworkOutput, NetworkProtocol


class UniformNetwork(NetworkProtocol):
    """A prior of one half for one move, uniform priors for the others, and the value 0.

    games: those it plays.
    """
    name = "uniform"
    has_value = True
    has_ownership = False

    def __init__(self, preferred: int = 0, games: tuple[str, ...] = ("go", "gomoku")):
        self.preferred = preferred
        self.games = games

    def evaluate(self, positions: list[BasePosition], symmetries: bool = False):
        size, area = positions[0].shape, positions[0].area
        if positions[0].game not in self.games:
            raise BadInput("there is no network for this game")
        priors = np.full((len(positions), area + 1), 0.5 / (area + 1), np.float32)
        priors[:, min(move_index(self.preferred, size), area)] += 0.5
        return NetworkOutput(priors, np.zeros(len(positions), np.float32))

    def evaluate_packed(self, packed: np.ndarray, komi: np.ndarray | None = None):
        n, points = len(packed), packed[0, ..., 0].size
        return NetworkOutput(np.full((n, points + 1), 1 / (points + 1), np.float32), np.zeros(n, np.float32))


class Client:
    """A client on a WebSocket of the server.

    progress: the answers received before the last one that was waited for.
    """

    def __init__(self, socket):
        self.socket = socket
        self.ids = itertools.count(1)
        self.progress: list[dict] = []
        self.hello = socket.receive_json()

    def send(self, command: str, **fields) -> int:
        """Send a request; returns its id."""
        request_id = next(self.ids)
        self.socket.send_json({"id": request_id, "command": command, **fields})
        return request_id

    def receive(self, request_id: int, until_done: bool = False) -> dict:
        """The next answer to a request, or its last one."""
        self.progress = []
        while True:
            answer = self.socket.receive_json()
            if answer["id"] == request_id and (not until_done or "done" in answer or "error" in answer):
                return answer
            self.progress.append(answer)

    def request(self, command: str, **fields) -> dict:
        """The answer to a request."""
        return self.receive(self.send(command, **fields))

    def search(self, command: str, **fields) -> dict:
        """The last answer to a request that starts a search."""
        return self.receive(self.send(command, **fields), until_done=True)


def go_game(size: int = 5, komi: float = 7.5, **fields) -> dict:
    """An empty game of Go, as requests have it."""
    start = {"size": size, "komi": komi, "handicap": 0, "black": [], "white": [], "first": "B"}
    return start | fields


def gomoku_game(size: int = 3, k: int = 3, exactly: bool = False, **fields) -> dict:
    """An empty game of Gomoku, as requests have it."""
    return {"name": "gomoku", "size": size, "k": k, "exactly": exactly, "black": [], "white": [], "first": "B"} | fields
