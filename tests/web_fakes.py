"""A network that answers at once, and a page that talks to the server without a browser."""
import itertools

import numpy as np

from mugo.files import BadInput
from mugo.games.coords import move_index
from mugo.games.position import BasePosition


class Even:
    """All moves are equally likely, but for the one `liked`; Black and White win equally often."""
    name = "even"
    has_value = True

    def __init__(self, liked: int = 0, games: tuple[str, ...] = ("go", "gomoku")):
        self.liked = liked
        self.games = games

    def evaluate(self, positions: list[BasePosition], tta: bool = False):
        size = positions[0].size
        if positions[0].game not in self.games:
            raise BadInput("there is no network for this game")
        priors = np.full((len(positions), size * size + 1), 0.5 / (size * size + 1), np.float32)
        priors[:, min(move_index(self.liked, size), size * size)] += 0.5
        return priors, np.zeros(len(positions), np.float32)

    def evaluate_packed(self, packed: np.ndarray):
        n, points = packed.shape[:2]
        return np.full((n, points + 1), 1 / (points + 1), np.float32), np.zeros(n, np.float32)


class Page:
    """What the page in a browser does with its WebSocket.  `news`: what a search told before it was done."""

    def __init__(self, line):
        self.line = line
        self.numbers = itertools.count(1)
        self.news: list[dict] = []
        self.hello = line.receive_json()

    def send(self, what: str, **fields) -> int:
        number = next(self.numbers)
        self.line.send_json({"id": number, "do": what, **fields})
        return number

    def hear(self, number: int, until_done: bool = False) -> dict:
        """The answer to a message; of a search, the last one."""
        self.news = []
        while True:
            answer = self.line.receive_json()
            if answer["id"] == number and (not until_done or "done" in answer or "error" in answer):
                return answer
            self.news.append(answer)

    def ask(self, what: str, **fields) -> dict:
        return self.hear(self.send(what, **fields))

    def search(self, what: str, **fields) -> dict:
        return self.hear(self.send(what, **fields), until_done=True)


def game(size: int = 5, komi: float = 7.5, **others) -> dict:
    """An empty game, as the page names it."""
    start = {"size": size, "komi": komi, "handicap": 0, "black": [], "white": [], "first": "B"}
    return start | others


def gomoku(size: int = 3, k: int = 3, exactly: bool = False, **others) -> dict:
    """An empty game of Gomoku, as the page names it."""
    return {"name": "gomoku", "size": size, "k": k, "exactly": exactly, "black": [], "white": [], "first": "B"} | others
