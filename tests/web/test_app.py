"""The server of `mugo web`: its protocol, searches, SGF, access and command line."""
import base64
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from fakes import StoneCounter, TiltedNetwork
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from web_fakes import Client, UniformNetwork, go_game
from websockets.sync.client import connect


from mugo.core.files import BadInput
from mugo.games.board import BLACK
from mugo.games.coords import PASS, point_at
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.rules import parse_rules
from mugo.nn.inputs import People
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.players.searcher import PlayOptions
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.sgf.tree import start_from_position
from mugo.web import app as web_app
from mugo.web import handlers, positions, requests
from mugo.web.files import APART
from mugo.web.opponents import OPPONENTS, STRENGTHS, find_opponent, list_opponents, make_opponent
from mugo.web.state import ServerState

ROOT = Path(__file__).parents[2]
ORIGIN = "http://testserver"           # of the test client


@pytest.fixture(scope="module")
def client():
    network = UniformNetwork(preferred=point_at(2, 2, 5))
    app = web_app.make_app(lambda: ServerState(network, jobs=1), hosts=frozenset({"testserver"}))
    with TestClient(app) as client:
        yield client


@pytest.fixture
def page(client):
    with client.websocket_connect("/ws") as websocket:
        yield Client(websocket)


def in_base64(sgf):
    return base64.b64encode(sgf.encode() if isinstance(sgf, str) else sgf).decode()


# ---- the board

def test_strengths_are_shown_where_they_were_measured():
    def strengths(position, is_bundled):
        listed = list_opponents(position, has_network=True, is_bundled=is_bundled)
        return {opponent["key"] for opponent in listed if opponent["strength"]}

    assert "policy" in strengths(GoPosition(19), True) and "policy" in strengths(GoPosition(9), True)
    assert {"wins": 80, "level": 2} in [each["strength"] for each in list_opponents(GoPosition(9), True, True)]
    for start in GoPosition(11), GoPosition((9, 13)), GomokuPosition(9, 5):
        assert strengths(start, True) == set()
    assert "policy" not in strengths(GoPosition(19), False)
    assert {key for key, shape in STRENGTHS} <= {opponent.key for opponent in OPPONENTS}


def test_a_move_is_played_and_captures(page):
    answer = page.request("play", game=go_game(), moves=["B B5", "W A5"], move="a4")
    assert answer == {"id": 1, "move": "B A4", "stones": ".X..." + "X...." + 15 * ".", "to_play": "W",
                      "last_move": "A4", "captures": {"B": 1, "W": 0}, "illegal": {"A5": "is suicide"},
                      "is_over": False}


KO = ["B B3", "W C3", "B A2", "W D2", "B B1", "W C1", "B C2", "W B2"]


def test_an_illegal_move_is_explained_in_a_line(page):
    assert page.request("play", game=go_game(), moves=["B C3"], move="C3")["error"] == "illegal move: C3 is occupied"
    assert page.request("play", game=go_game(), moves=KO, move="C2")["error"] == "illegal move: C2 retakes the ko"
    assert page.request("position", game=go_game(), moves=KO)["illegal"] == {"C2": "retakes the ko"}
    assert page.request("play", game=go_game(), moves=[], move="I9")["error"].startswith("'I9' is not a vertex on 5x5")
    assert page.request("position", game=go_game(), moves=["B C3", "W C3"])["error"] == "move 2: White C3 is occupied"


def test_a_new_game_has_its_handicap_stones(page):
    start = page.request("new", size=9, komi=0.5, handicap=2)["game"]
    assert (start["black"], start["first"], start["handicap"]) == (["G7", "C3"], "W", 2)
    del start["info"], start["nodes"]
    assert page.request("position", game=start, moves=[])["to_play"] == "W"
    answer = page.request("new", size=5, komi=7.5, handicap=2)
    assert answer["error"] == "no fixed handicap of 2 stones on 5x5 (7x7 or larger)"
    assert page.request("new", size=20, komi=7.5, handicap=0)["error"] == "a board is 2x2 to 19x19, not 20x20"


# ---- overlays

def test_the_policy_of_players_of_a_rank_is_there_where_the_network_takes_people(page):
    network, game = TiltedNetwork(), {"game": go_game(), "moves": []}
    assert page.request("opponents", **game)["ranks"] == []
    assert page.request("policy", **game, rank="3d")["error"] == "the network does not take who plays"
    app = web_app.make_app(lambda: ServerState(network, jobs=1), hosts=frozenset({"testserver"}))
    with TestClient(app) as client, client.websocket_connect("/ws") as websocket:
        other = Client(websocket)
        ranks = other.request("opponents", **game)["ranks"]
        assert ranks[0] == "20k" and ranks[-1] == "pro" and len(ranks) == 30
        answer = other.request("policy", **game, rank="9d")
        expected = network.evaluate([GoPosition(5)], people=People("9d", "9d"))
        assert np.allclose(answer["priors"], expected.priors[0], atol=1e-5) and answer["win_rate"] == 0.725
        assert other.request("policy", **game)["win_rate"] == 0.5
        assert "must be such as 5k" in other.request("policy", **game, rank="good")["error"]


class BlackIsAhead(NetworkProtocol):
    """A network with the value 0.5 for Black, whoever is to move, and uniform priors."""
    name, has_value, has_ownership = "black-is-ahead", True, False

    def evaluate(self, positions, symmetries=False):
        points = positions[0].size ** 2 + 1
        values = np.array([0.5 * position.to_play for position in positions], np.float32)
        return NetworkOutput(np.full((len(positions), points), 1 / points, np.float32), values)


def test_all_win_rates_are_blacks():
    start = GoPosition(5)
    line = list(start.play(point_at(2, 2, 5)).play(PASS).positions())
    for position in line:
        assert positions.policy(position, BlackIsAhead())["win_rate"] == 0.75
        rate = 0.75 if position.to_play == BLACK else 0.25                  # of the side to move
        info = MoveInfo(point_at(0, 0, 5), 0.5, 1, rate, (point_at(0, 0, 5),))
        result = SearchResult(position, (info,), rate, 1, 1, 0.0, 1.0, 1, 1, None)
        written = positions.format_search(result)
        assert written["win_rate"] == written["moves"][0]["win_rate"] == 0.75
    assert written["lead"] is written["moves"][0]["lead"] is positions.policy(position, BlackIsAhead())["lead"] is None
    job = SimpleNamespace(preemption_point=lambda: False)
    evaluate = handlers.SessionSearches(BlackIsAhead()).evaluate
    assert evaluate(line[-1], {}, job) == {"win_rates": [0.75] * 3, "leads": None, "done": True}
    over = line[-1].play(PASS)                           # in Go the network evaluates the end too
    assert evaluate(over, {}, job)["win_rates"] == [0.75] * 4


def test_all_leads_are_blacks():
    start = GoPosition(5, 2.5)
    for position, lead in (start.play(point_at(2, 2, 5)), -1.5), (start.play(point_at(2, 2, 5)).play(PASS), -1.5):
        assert positions.policy(position, StoneCounter())["lead"] == lead
        info = MoveInfo(point_at(0, 0, 5), 0.5, 1, 0.5, (point_at(0, 0, 5),), None, lead * position.to_play, 3.0)
        result = SearchResult(position, (info,), 0.5, 1, 1, 0.0, 1.0, 1, 1, None, None, lead * position.to_play, 3.0)
        assert positions.format_search(result)["lead"] == positions.format_search(result)["moves"][0]["lead"] == lead


WALLS = [move for row in range(1, 6) for move in (f"B B{row}", f"W D{row}")]


def test_the_lead_follows_from_the_ownership(page):
    answer = page.request("ownership", game=go_game(), moves=[*WALLS, "B C1", "W C5"])
    assert answer["lead"] == pytest.approx(sum(answer["ownership"]) / 100 - go_game()["komi"], abs=0.3)


def test_the_lead_is_the_network_s_where_it_has_scores():
    """It counts points that are not decided: in a game on 19x19 with four handicap stones it is 45, the sum of the
    ownership less komi 6."""
    position = GoPosition(5, 0.5).play(point_at(2, 2, 5))
    for each in position, position.play(PASS):           # White to play, Black to play
        assert positions.ownership(each, StoneCounter())["lead"] == 0.5


def test_ownership_is_from_100_black_to_minus_100_white(page):
    ownership = page.request("ownership", game=go_game(), moves=[*WALLS, "B C1", "W C5"])["ownership"]
    assert len(ownership) == 25
    assert ownership[5 * 2 + 1] > 50 and ownership[5 * 2 + 3] < -50
    position = GoPosition(5).play(point_at(2, 2, 5))
    for each in position, position.play(PASS):           # the mean with a network's
        by_both, by_rollouts = (np.array(positions.ownership(each, network)["ownership"])
                                for network in (StoneCounter(), None))
        assert np.allclose(by_both, (100 * each.stones.ravel() + by_rollouts) / 2, atol=1.01)


def test_a_score_marks_dead_stones_and_a_toggle_changes_them(page):
    moves = [*WALLS, "B E3", "W pass", "B pass"]
    answer = page.request("score", game=go_game(komi=0.5), moves=moves)
    assert (answer["dead"], answer["result"]) == (["E3"], "W+0.5")
    assert answer["area"] == 5 * "BB.WW"
    alive = page.request("score", game=go_game(komi=0.5), moves=moves, dead=answer["dead"], toggle="E3")
    assert alive["dead"] == []
    assert alive["area"] == "BB.W." + "BB.W." + "BB.WB" + "BB.W." + "BB.W."
    error = page.request("score", game=go_game(), moves=moves, dead=[], toggle="C3")["error"]
    assert error.startswith("there is no stone on C3")


# ---- searches

@pytest.mark.parametrize("by", ["uct", "mcts"])
def test_an_analysis_ends_after_its_simulations(page, by):
    answer = page.search("analyze", game=go_game(), moves=["B C3"], player=by, simulations=60)
    result = answer["search"]
    assert answer["done"] and result["simulations"] >= 60 and result["is_full"] is False
    assert 0 <= result["win_rate"] <= 1 and len(result["ownership"]) == 25
    best = result["moves"][0]
    assert best["visits"] == max(move["visits"] for move in result["moves"])
    assert best["pv"][0] == best["move"] != "C3"


def test_symmetric_moves_are_sent_with_the_one_that_was_searched(page):
    moves = page.search("analyze", game=go_game(9), moves=[], player="mcts", simulations=200)["search"]["moves"]
    searched = {move["move"]: move for move in moves if move["symmetry_of"] is None}
    copies = [move for move in moves if move["symmetry_of"] is not None]
    assert 1 < len(searched) <= 16 and len(copies) > 20
    for copy in copies:
        assert all(copy[key] == searched[copy["symmetry_of"]][key] for key in ("visits", "win_rate", "prior"))
        assert copy["pv"][0] == copy["move"]


@pytest.mark.parametrize("by", ["uct", "mcts"])
def test_an_analysis_of_a_region_searches_its_moves_only(page, by):
    region = ["A1", "B1", "A2", "B2"]
    result = page.search("analyze", game=go_game(), moves=["B C3"], player=by, simulations=200, allow=region,
                         avoid=["B2"])["search"]
    assert {move["move"] for move in result["moves"]} <= {"A1", "B1", "A2"}
    assert {vertex for move in result["moves"] for vertex in move["pv"]} <= {"A1", "B1", "A2", "pass"}
    shallow = page.search("analyze", game=go_game(), moves=["B C3"], player=by, simulations=200, allow=region,
                          depth=1)["search"]
    assert {move["move"] for move in shallow["moves"]} <= set(region)
    assert not {vertex for move in shallow["moves"] for vertex in move["pv"]} <= {*region, "pass"}


@pytest.mark.parametrize("fields, message", [
    ({"allow": "A1"}, "'allow' cannot be a str"), ({"avoid": ["Z9"]}, "'Z9' is not a vertex"),
    ({"avoid": [["A1"]]}, "is not a vertex"), ({"allow": 27 * ["A1"]}, "more vertices than the board"),
    ({"allow": ["C3"]}, "no legal move is allowed"), ({"allow": []}, "no legal move is allowed"),
    ({"region": ["C3"]}, "no legal move is allowed"), ({"region": [7]}, "not a vertex"),
    ({"allow": ["A1"], "depth": 0}, "'depth' must be"), ({"avoid": ["A1"], "depth": 10 ** 30}, "'depth' must be"),
])
def test_an_analysis_of_moves_that_are_none_is_refused(page, fields, message):
    assert message in page.search("analyze", game=go_game(), moves=["B C3"], simulations=10, **fields)["error"]


def test_a_problem_gets_a_frame(page):
    game = go_game(9, black=["C9", "C8", "A7", "B7", "C7"], white=["B9", "A8", "B8"], first="W")
    answer = page.request("tsumego_frame", game=game, moves=[])
    framed = requests.position_of_request({"game": answer["game"], "moves": []})
    assert answer["attacker"] == "B" and framed.to_play == -BLACK
    assert framed.stones[:3, :3].tolist() == [[0, -1, 1], [-1, -1, 1], [1, 1, 1]] and framed.stones[5, 0] == BLACK
    assert page.request("tsumego_frame", game=game, moves=[], attacker="w")["attacker"] == "W"
    for fields, message in (({"attacker": "x"}, "must be 'B' or 'W'"), ({"game": go_game()}, "there are no stones"),
                            ({"game": go_game(3, black=["B2"])}, "no room")):
        assert message in page.request("tsumego_frame", **({"game": game, "moves": []} | fields))["error"]


def test_the_handicap_of_a_request_is_that_of_its_position():
    game = requests.game_of_request({"size": 9, "komi": 0.5, "handicap": 3})
    assert requests.position_of_request({"game": game, "moves": ["W E5"]}).handicap == 3
    for wrong in -5, 2.5, 362, None:
        with pytest.raises(BadInput, match="'handicap'"):
            requests.position_of_request({"game": game | {"handicap": wrong}, "moves": []})


def test_opponents_resign_in_go_and_not_in_gomoku():
    opponent = find_opponent("uct-100")
    assert opponent.play_options.resign > 0
    for game, resign in (("go", opponent.play_options.resign), ("gomoku", 0)):
        assert make_opponent(opponent, game, BlackIsAhead())._play_options.resign == resign


def test_an_analysis_streams_until_it_is_stopped(page):
    number = page.send("analyze", game=go_game(), moves=[], player="uct")
    visits = [page.receive(number)["search"]["visits"] for _ in range(3)]
    assert visits == sorted(visits) and visits[0] > 0
    stopped = page.send("stop")
    assert page.receive(stopped)["stopped"]
    assert {"id": number, "done": True, "stopped": True} in page.progress


def test_a_new_search_cancels_the_one_before(page):
    first = page.send("analyze", game=go_game(), moves=[], player="uct")
    page.receive(first)
    answer = page.search("genmove", game=go_game(), moves=[], opponent="random")
    assert answer["done"] and answer["move"] != "resign"
    assert {"id": first, "done": True, "stopped": True} in page.progress


def test_every_opponent_moves(page, monkeypatch):
    monkeypatch.setattr(handlers, "find_opponent",
                        lambda key: replace(find_opponent(key), play_options=PlayOptions(simulations=8)))
    for opponent in OPPONENTS:
        answer = page.search("genmove", game=go_game(), moves=["B C3"], opponent=opponent.key)
        assert "error" not in answer and answer["move"] not in ("resign", "C3")
        assert ("thinking" in answer) == (opponent.player in ("uct", "mcts")) and "search" not in answer


@pytest.mark.parametrize("handicap, is_of_the_game", [(0, True), (4, False)])
def test_what_an_opponent_thinks_has_win_rates_only_of_the_komi_of_the_game(page, handicap, is_of_the_game):
    """In a handicap game it searches with a higher komi: those values would say that Black is not ahead."""
    game = requests.game_of_request({"size": 9, "komi": 0.5, "handicap": handicap})
    moves = ["W E3"] if handicap else ["B E3"]
    answers = [page.search("genmove", game=game, moves=moves, opponent="uct-1000"), *page.progress]
    for thinking in [answer["thinking"] for answer in answers if "thinking" in answer]:
        assert thinking["visits"] > 0 and thinking["moves"][0]["pv"]
        for values in (thinking, *thinking["moves"]):
            assert (values["win_rate"] is not None) == is_of_the_game
            assert is_of_the_game or values["lead"] is None
    assert "thinking" in answers[0]
    analysed = page.search("analyze", game=game, moves=moves, player="uct", simulations=200)["search"]
    assert (analysed["win_rate"] > 0.7) == bool(handicap)


def test_a_disconnected_page_stops_its_search(client):
    server = client.app.state.server
    with client.websocket_connect("/ws") as websocket:
        page = Client(websocket)
        page.receive(page.send("analyze", game=go_game(), moves=[], player="uct"))
        assert not server.scheduler.is_idle
    end = time.monotonic() + 5
    while not server.scheduler.is_idle or server.sessions:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_page_asks_how_far_compiling_is(client):
    state = client.app.state.server
    state.warming_up.join()
    assert client.get("/compiling").json() == {"functions": None}
    state.warming_up = threading.Thread(target=time.sleep, args=[0.5])
    state.warming_up.start()
    assert client.get("/compiling").json() == {"functions": 0}       # it has not begun
    state.compiling.number = 61
    assert client.get("/compiling").json() == {"functions": 61}
    state.warming_up.join()
    state.compiling.number = None


# ---- bad messages

@pytest.mark.parametrize("text, error", [
    ("no JSON", "a message must be a JSON object in text"),
    ("[1]", "a message must be a JSON object"),
    ("{}", "'command' is missing"),
    ('{"command": "sing"}', "unknown command 'sing' (known: new, opponents, position, play, policy, planes, "
     "ownership, score, tsumego_frame, load, analyze, genmove, evaluate, stop)"),
    ('{"command": "position"}', "'game' is missing"),
    ('{"command": "position", "game": {"size": true, "komi": 0}, "moves": []}', "'size' cannot be a bool"),
    ('{"command": "position", "game": {"size": 9, "komi": NaN}, "moves": []}',
     "a message must be a JSON object in text"),
    ('{"command": "new", "size": 9, "komi": 1e999, "handicap": 0}', "'komi' must be a number from -361 to 361"),
])
def test_a_bad_message_gets_one_line(page, text, error):
    page.socket.send_text(text)
    assert page.socket.receive_json()["error"] == error


def test_a_bad_request_gets_one_line(page):
    for fields, error in [
        ({"moves": ["C3"]}, "'C3' is not a move; expected 'B Q16' or 'W pass', for instance"),
        ({"moves": ["B pass"] * 4096}, "a game has at most 4095 moves"),
        ({"moves": [], "game": go_game(black=["C3"], white=["C3"])}, "a white stone cannot be placed on C3"),
        ({"moves": [], "game": go_game(black=["pass"])}, "a stone cannot be placed on 'pass'"),
    ]:
        assert page.request("position", **({"game": go_game()} | fields))["error"] == error
    for command, field, error in [
        ("genmove", {"opponent": "best"}, "unknown opponent 'best' (known: random, "),
        ("analyze", {"player": "magic"}, "'player' must be 'mcts' or 'uct', not 'magic'"),
        ("analyze", {"simulations": 0}, "an analysis has at least one simulation"),
    ]:
        assert page.request(command, game=go_game(), moves=[], **field)["error"].startswith(error)


# ---- SGF

def test_a_file_of_several_games_comes_as_a_list_and_by_number(page):
    data = in_base64("(;SZ[9]PB[Aoi]RE[B+R])(;SZ[5]PB[Beni];B[cc])")
    assert page.request("load", data=data)["games"] == [{"black": "Aoi", "result": "B+R"}, {"black": "Beni"}]
    assert page.request("load", data=data, number=1)["game"]["size"] == 5
    for number, error in [(2, "the file has no game 3"), ("1", "'number' cannot be a str")]:
        assert page.request("load", data=data, number=number)["error"] == error


def test_a_position_after_setup_stones_in_the_middle_has_no_history(page):
    """A ko that was just taken may be retaken at once."""
    read = page.request("load", data=in_base64("(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];AB[ee];W[bb])"))["game"]
    assert not any("illegal" in node for node in read["nodes"])
    assert read["nodes"][2]["first"] == "W"


def test_a_game_with_a_malformed_variation_is_read_without_variations(page):
    read = page.request("load", data=in_base64("(;SZ[9];B[ee](;W[cc])(;W C[]))"))["game"]
    assert [node.get("move") for node in read["nodes"]] == [None, "B E5", "W C7"]
    assert read["notice"] == "Of this game only the main line could be read. A saved file has no more."


def test_an_internal_error_does_not_close_the_session(page, monkeypatch):
    def fails(request, state):
        raise ZeroDivisionError
    monkeypatch.setitem(handlers.HANDLERS, "position", fails)
    assert page.request("position", game=go_game(), moves=[])["error"].startswith("internal error")
    monkeypatch.undo()
    assert "error" not in page.request("position", game=go_game(), moves=[])


# The last move repeats a position with the other side to move: a cycle of three moves.
CYCLE = ["B B4", "W C2", "B C4", "W D4", "B A1", "W D1", "B D2", "W C3", "B D3", "W D4", "B D2"]


@pytest.mark.parametrize("rules, is_legal", [
    ("Japanese", True), ("Korean", True), ("Chinese", True), ("AGA", True), ("New Zealand", True),
    ("Chinese-KGS", False), ("Tromp-Taylor", False)])
def test_the_rules_of_a_game_decide_whether_a_position_may_be_repeated(page, rules, is_legal):
    new = page.request("new", size=4, komi=0.5, handicap=0, rules=rules)["game"]
    assert new["info"]["rules"] == rules
    loaded = page.request("load", data=in_base64(f"(;GM[1]SZ[4]KM[0.5]RU[{rules}])"))["game"]
    for game in new, loaded:
        start = {name: value for name, value in game.items() if name not in ("nodes", "info")}
        described = page.request("position", game=start, moves=CYCLE[:-1])
        assert ("D2" not in described["illegal"]) == is_legal
        answer = page.request("play", game=start, moves=CYCLE[:-1], move="D2")
        assert answer.get("move", "") == ("B D2" if is_legal else "")


def test_a_stored_game_without_rules_has_those_of_its_scoring(page):
    for scoring, is_legal in ("TERRITORY", False), ("AREA", False):
        game = go_game(4) | {"komi": 0.5, "scoring": scoring}
        assert ("D2" not in page.request("position", game=game, moves=CYCLE[:-1])["illegal"]) == is_legal


@pytest.mark.parametrize("sgf, error", [
    ("", "no game found: an SGF game begins with '(;', and it is not GIB, NGF or UGF either"),
    ("(;GM[2])", "GM[2] is another game; Go is GM[1], Gomoku GM[4]"),
])
def test_a_bad_sgf_file_gets_one_line(page, sgf, error):
    assert page.request("load", data=in_base64(sgf))["error"] == error


# ---- access

def test_the_page_and_its_files_are_served_and_load_nothing_from_other_servers(client):
    answer = client.get("/")
    assert answer.status_code == 200 and "<title>MuGo</title>" in answer.text
    assert 'data-text="starting"' in answer.text         # until the server answers, after it has compiled for instance
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    for path in sorted(path for path in web_app.STATIC.rglob("*") if path.is_file() and path.suffix != ".md"):
        answer = client.get(f"/static/{path.relative_to(web_app.STATIC)}")
        assert answer.status_code == 200
        assert "https://" not in answer.text and "http://" not in answer.text.replace("http://www.w3.org/", "")


@pytest.mark.parametrize("host, status", [("127.0.0.1:8080", 200), ("localhost:8080", 200), ("[::1]:8080", 200),
                                          ("192.168.0.7", 200), ("evil.example:8080", 421),
                                          ("127.0.0.1.evil.example", 421), ("", 421)])
def test_requests_for_another_host_are_refused(client, host, status):
    assert client.get("/", headers={"host": host}).status_code == status


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"origin": "null"},
                                     {"host": "evil.example", "origin": "http://evil.example"}])
def test_a_page_of_another_site_cannot_open_a_websocket(client, headers):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws", headers=headers):
        pass
    with client.websocket_connect("/ws", headers={"origin": ORIGIN}) as websocket:
        assert websocket.receive_json()["hello"] == "MuGo"


# ---- loading

def test_the_page_names_all_modules_at_once_and_texts_are_compressed(client):
    answer = client.get("/")
    preloaded = re.findall(r'<link rel="modulepreload" href="static/([^"]+)">', answer.text)
    modules = {path.relative_to(web_app.STATIC).as_posix() for path in web_app.STATIC.rglob("*.js")
               if path.parent.name not in APART}
    assert len(preloaded) == len(set(preloaded)) and set(preloaded) == modules - {"load_error.js"}
    for path in "/", "/static/texts/en.js", "/static/styles/base.css":
        assert client.get(path).headers["content-encoding"] == "gzip"
        plain = client.get(path, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers and plain.text == client.get(path).text


# ---- the command

def test_a_port_in_use_is_skipped_unless_it_is_named(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(web_app, "DEFAULT_PORT", port)
        with web_app.listen("127.0.0.1", None) as listener:
            assert port < listener.getsockname()[1] < port + web_app.PORTS_TRIED
        with pytest.raises(BadInput, match=f"cannot listen on 127.0.0.1, port {port}: Address already in use"):
            web_app.listen("127.0.0.1", port)


@contextlib.contextmanager
def running_server(**environment):
    """A server in a process of its own, and its address."""
    process = subprocess.Popen([sys.executable, str(ROOT / "main.py"), "web", "--no-browser", "--port", "0"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=os.environ | environment)
    try:
        yield process, process.stdout.readline().split()[4]
    finally:
        process.kill()
        process.communicate()


def assert_ends(process, signals):
    """The process ends by signals, 50 ms apart, with status 0 and nothing on stderr, soon: what it was asked for takes
    a minute or more."""
    for each in signals:
        process.send_signal(each)
        time.sleep(0.05)
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, output, errors) == (0, "\n", "")


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("signals", [3 * (signal.SIGINT,), pytest.param((signal.SIGTERM,), marks=pytest.mark.slow)])
def test_a_signal_ends_the_server_while_pages_search(signals):
    with running_server() as (process, address), contextlib.ExitStack() as stack:
        with urllib.request.urlopen(address) as answer:
            assert b"<title>MuGo</title>" in answer.read()
        for _ in range(3):
            page = stack.enter_context(connect(address.replace("http", "ws") + "ws"))
            page.recv()
            page.send(json.dumps({"id": 1, "command": "analyze", "game": go_game(), "moves": [], "player": "uct"}))
            page.recv(timeout=60)
        assert_ends(process, signals)


@pytest.mark.runs
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("signals", [(signal.SIGINT,), (signal.SIGINT, signal.SIGINT), (signal.SIGTERM,)])
def test_a_signal_ends_the_server_while_it_compiles(signals, tmp_path):
    with running_server(NUMBA_CACHE_DIR=str(tmp_path)) as (process, address), \
            connect(address.replace("http", "ws") + "ws") as page:
        page.recv(timeout=60)
        page.send(json.dumps({"id": 1, "command": "genmove", "game": go_game(), "moves": [], "opponent": "uct-100"}))
        time.sleep(1)
        assert_ends(process, signals)


def test_white_gets_points_for_the_handicap_stones_of_a_file_by_its_rules(page):
    sgf = "(;SZ[5]KM[0.5]HA[3]RU[Chinese]AB[bb][bd][db];W[tt];B[tt];W[tt])"
    game = page.request("load", data=in_base64(sgf))["game"]
    moves = [node["move"] for node in game["nodes"][1:]]
    start = {name: value for name, value in game.items() if name not in ("nodes", "info")}
    answer = page.request("score", game=start, moves=moves, dead=[])
    assert (answer["komi"], answer["handicap_bonus"], answer["result"]) == (0.5, 3, "B+21.5")


@pytest.mark.parametrize("rules, points, prisoners", [("Chinese", {"B": 25, "W": 0}, None),
                                                      ("Japanese", {"B": 22, "W": 0}, {"B": 2, "W": 0})])
def test_a_game_is_scored_by_its_rules(page, rules, points, prisoners):
    game = page.request("new", size=5, komi=0.5, handicap=0, rules=rules)["game"]
    del game["info"], game["nodes"]
    moves = ["B B5", "W A5", "B A4", "W E1", "B D1", "W pass", "B E2", "W pass", "B C3", "W pass", "B pass"]
    score = page.request("score", game=game, moves=moves, dead=[])
    assert (score["points"], score["prisoners"]) == (points, prisoners)


def test_the_first_game_has_the_rules_of_the_server(page):
    """As the page asks for it: by the game that the server names."""
    for rules, komi in ("Japanese", 6.5), ("Chinese", 7.5):
        first = start_from_position(GoPosition(9, komi).with_rules(parse_rules(rules)))
        game = page.request("new", **first)["game"]
        assert game["info"] == {"rules": rules} and game["scoring"] == first["scoring"] and game["komi"] == komi
