"""The page without a server: the worker's code answers requests as the server does, in node."""
import base64
import random
import shutil
from dataclasses import replace

import numpy as np
import pytest
from sample_positions import random_game
from worker_requests import (
    GO, GOMOKU, GOMOKU_MOVES, LARGE, LARGE_MOVES, MOVES, REQUESTS, WIDE, PythonServer, StandIn, request,
    worker_answers, worker_messages)

from mugo.games.coords import interpret_gtp, size_value
from mugo.games.game import encode
from mugo.nn.bundled import BundledNetworks
from mugo.nn.inference import Network
from mugo.nn.network_file import find_network, read_network
from mugo.players.registry import default_settings
from mugo.sgf.tree import format_move
from mugo.web import handlers, opponents, site
from mugo.web.handlers import HANDLERS, SEARCHES
from mugo.web.requests import position_of_request
from wasm_calls import has_tools

needs_node = pytest.mark.skipif(not has_tools(), reason="needs node, and a linker for WebAssembly")


def test_every_kind_of_request_is_compared():
    assert {each.get("command") for each in REQUESTS} >= HANDLERS.keys() | SEARCHES.keys()


@pytest.fixture
def server(monkeypatch):
    """The server with the stand-in as if it were the bundled networks; searches have the seed 1."""
    for module in handlers, opponents:
        monkeypatch.setattr(module, "default_settings", lambda *of: replace(default_settings(*of), seed=1))
    monkeypatch.setattr(handlers, "BundledNetworks", StandIn)
    return PythonServer(StandIn())


def without_times(answer: dict) -> dict:
    return {name: {key: each for key, each in value.items() if key != "seconds"} if name in ("search", "thinking")
            else value for name, value in answer.items()}


@needs_node
def test_planes_of_random_games_are_the_same(built_kernels):
    rng = random.Random(1)
    positions = [position for size in (5, 9, (7, 11), 13, 19) for _ in range(2)
                 for position in [*random_game(rng, size)][::len(f"{size}") + 1]][:800]
    asked = [request("planes", GO | {"size": size_value(position.shape), "komi": 7.5},
                     [format_move(*move, position.shape) for move in position.moves]) for position in positions]
    for position, got in zip(positions, worker_answers(built_kernels, asked), strict=True):
        assert base64.b64decode(got["answer"]["packed"]) == encode([position]).tobytes()


def int8_network(name: str, **_) -> Network:
    """A network whose int8 graph is computed on any processor."""
    return Network.from_weights(*read_network(find_network(name)), threads=1, precision="int8")


@needs_node
def test_networks_say_what_they_say_on_the_server(built_kernels, tmp_path):
    folder = shutil.copytree(built_kernels, tmp_path / "data")
    (folder / "networks").mkdir()
    for name, data in site.network_files().items():
        (folder / "networks" / name).write_bytes(data)
    asked = [request("policy", game, moves) for game, moves in (
        (GO, []), (GO, MOVES), (GO | {"size": "7x11"}, MOVES[:6]), (GO | {"size": 2}, ["B A1"]), (WIDE, MOVES[:8]),
        (LARGE, LARGE_MOVES), (LARGE | {"size": 17}, LARGE_MOVES[:2]), (GOMOKU, GOMOKU_MOVES),
        *((GOMOKU | {"size": size, "k": k}, GOMOKU_MOVES[:4]) for size, k in ((6, 4), (15, 5))))]
    asked += [request("policy", LARGE, LARGE_MOVES, rank=rank) for rank in ("3d", "9p")]
    messages = [each | {"id": i} for i, each in enumerate(asked)]
    answers = {each["id"]: each for each in worker_messages(folder, messages) if "priors" in each}
    server = PythonServer(BundledNetworks(network_class=int8_network))
    differences = []
    for i, each in enumerate(asked):
        got, expected = answers[i], server.answer(each)
        priors, others = got["priors"], expected["priors"]
        assert np.argmax(priors) == np.argmax(others), each
        differences.append(max(np.abs(np.subtract(priors, others)).max(), abs(got["win_rate"] - expected["win_rate"])))
    # Sums in another order round a few of a layer's numbers to the next step, in some positions.
    assert max(differences) < 0.05 and np.median(differences) < 0.005, differences


@needs_node
def test_a_position_is_evaluated_once(built_kernels):
    first, again, other = worker_answers(built_kernels, [
        request("policy", GO | {"komi": komi}, MOVES, milliseconds=150) for komi in (7, 7, 6)])
    assert again["answer"] == first["answer"] != other["answer"]
    assert again["seconds"] < 1 < min(first["seconds"], other["seconds"])      # eight symmetries


@needs_node
def test_every_opponent_plays_a_legal_move(built_kernels):
    clock = {"main": 10, "period": 0, "periods": 0, "increment": 0}
    asked = [request("genmove", game, moves, opponent=each.key, clock=clock)
             for each in opponents.OPPONENTS for game, moves in ((GO, MOVES), (GOMOKU, GOMOKU_MOVES))]
    for each, got in zip(asked, worker_answers(built_kernels, asked), strict=True):
        position = position_of_request(each)
        assert position.why_illegal(interpret_gtp(got["answer"]["move"], position.shape)) is None


@needs_node
def test_a_new_search_or_stop_ends_the_search_before(built_kernels):
    endless, brief = (request("analyze", GO, MOVES, player="uct", **limit) for limit in ({}, {"simulations": 50}))
    hello, *answers = worker_messages(built_kernels, [
        endless | {"id": 1}, 300, request("position", GO) | {"id": 2}, brief | {"id": 3}, 3000, endless | {"id": 4},
        endless | {"id": 5}, 300, {"command": "stop", "id": "last"}])
    assert hello["hello"] == "MuGo"
    ended = {each["id"]: each for each in answers if "done" in each or "search" not in each}
    assert list(ended) == [2, 1, 3, 4, 5, "last"]
    assert [number for number, each in ended.items() if each.get("stopped")] == [1, 4, 5, "last"]
    assert ended[3]["search"]["simulations"] == 50


@needs_node
def test_a_search_that_is_stopped_within_a_batch_goes_on_later(built_kernels):
    analysis = request("analyze", GO, MOVES, player="mcts", simulations=400)
    stopped, later = worker_answers(built_kernels, [
        analysis | {"milliseconds": 15, "stop_after": 330}, analysis | {"simulations": 100}])
    assert stopped["losses"] == 0
    visits = stopped["answer"]["search"]["visits"]
    assert 325 < visits < 335                            # a batch is of 8 then
    assert later["answer"]["search"]["visits"] == visits + 100


@needs_node
def test_the_worker_answers_as_the_server_does(server, built_kernels):
    answers = worker_answers(built_kernels, REQUESTS)
    assert [each["stack"] for each in answers if "stack" in each] == []
    for asked, got in zip(REQUESTS, answers, strict=True):
        assert without_times(got["answer"]) == without_times(server.answer(asked)), asked
