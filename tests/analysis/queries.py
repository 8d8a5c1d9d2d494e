"""Queries for an AnalysisEngine, a fake network, and the lines that the engine writes."""
import io
import json
import threading

import numpy as np
import pytest

from mugo.analysis.engine import AnalysisEngine, serve
from mugo.games.board import BLACK
from mugo.games.coords import board_points, format_gtp
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.players.searcher import PlayOptions
from mugo.mcts.settings import Settings

FAST = Settings(seed=1, max_edges=20_000)
OUR_RULES = {"ko": "POSITIONAL", "scoring": "AREA", "suicide": False}       # those that nothing is warned about
GAME = [["B", "C3"], ["W", "C4"], ["B", "B4"]]


class FakeNetwork(NetworkProtocol):
    """A network whose priors grow from point to point, with a constant value for Black."""
    name = "fake"
    has_value = True
    has_ownership = False

    def __init__(self, black_value=0.5):
        self.black_value = black_value
        self.batches = []

    def evaluate(self, positions, symmetries=False):
        self.batches.append(len(positions))
        n = positions[0].size ** 2 + 1
        priors = np.arange(1, n + 1, dtype=np.float32) / (n * (n + 1) / 2)
        return NetworkOutput(np.tile(priors, (len(positions), 1)),
                             np.float32([self.black_value * p.to_play for p in positions]))

    def evaluate_packed(self, packed, features=None):
        n = packed.shape[1] + 1
        return NetworkOutput(np.full((len(packed), n), 1 / n, np.float32), np.zeros(len(packed), np.float32))


def query(name="a", moves=(), size=5, **fields):
    return {"id": name, "moves": list(moves), "rules": OUR_RULES, "komi": 0, "boardXSize": size,
            "boardYSize": size} | fields


def stones_of(position):
    """The stones of a position as `initialStones`."""
    return [["B" if colour == BLACK else "W", format_gtp(int(point), position.size)] for point, colour in
            zip(board_points(position.size), position.stones.ravel(), strict=True) if colour]


def run(*queries, network=None, settings=FAST, play_options=None, jobs=1, **options):
    """Every line of output, as JSON."""
    out = io.StringIO()
    engine = AnalysisEngine(network, settings, out, play_options=play_options or PlayOptions(40), jobs=jobs,
                    log=pytest.fail, **options)
    serve(engine, (query if isinstance(query, str) else json.dumps(query) for query in queries))
    return [json.loads(line) for line in out.getvalue().splitlines()]


def run_one(*args, **kwargs):
    (answer,) = run(*args, **kwargs)
    return answer


class RunningEngine:
    """An engine whose output is read while it runs."""

    def __init__(self, **options):
        self.lines, self._changed = [], threading.Condition()
        options = {"play_options": PlayOptions(40), "log": pytest.fail} | options
        self.engine = AnalysisEngine(options.pop("network", None), options.pop("settings", FAST), self, **options)

    def write(self, text):
        with self._changed:
            self.lines.append(json.loads(text))
            self._changed.notify_all()

    def flush(self):
        pass

    def send(self, **fields):
        self.engine.handle_line(json.dumps(fields))

    def wait_for(self, is_match, seconds=60):
        """The first line that matches; fails if none comes in time."""
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(is_match, self.lines)), seconds), self.lines
            return next(filter(is_match, self.lines))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.engine.close(finish=False)


def is_final(line):
    return line.get("isDuringSearch") is False
