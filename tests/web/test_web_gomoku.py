"""Gomoku in the server of `mugo web`: positions, opponents, searches and SGF."""
import base64
from dataclasses import replace

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from page_modules import format_game, needs_node
from starlette.testclient import TestClient
from web_fakes import Client, UniformNetwork, gomoku_game

from mugo.cli import main as cli
from mugo.games.coords import point_at
from mugo.games.game import new_game
from mugo.players.searcher import PlayOptions
from mugo.web import app as web_app
from mugo.web import handlers
from mugo.web.opponents import OPPONENTS, find_opponent
from mugo.web.state import ServerState

WON = ["B A3", "W A2", "B B3", "W B2", "B C3"]           # three in the uppermost row of 3x3
DRAWN = ["B A3", "W B3", "B C3", "W B2", "B A2", "W C2", "B B1", "W A1", "B C1"]


@pytest.fixture(scope="module", params=[UniformNetwork(point_at(1, 1, 3))], ids=["network"])
def client(request):
    start = new_game("gomoku", 6)
    app = web_app.make_app(lambda: ServerState(request.param, jobs=1, start=start), frozenset({"testserver"}))
    with TestClient(app) as client:
        yield client


@pytest.fixture
def page(client):
    with client.websocket_connect("/ws") as websocket:
        yield Client(websocket)


def load(page, sgf):
    return page.request("load", data=base64.b64encode(sgf.encode()).decode())


# ---- the board

def test_a_new_game_has_the_requested_rules(page):
    start = page.request("new", name="gomoku", size=8, k=5, exactly=True)["game"]
    assert start == gomoku_game(8, 5, True) | {"info": {}, "nodes": [{"parent": -1}]}
    assert page.hello["game"] == gomoku_game(6, 4)


def test_a_row_ends_the_game(page):
    answer = page.request("play", game=gomoku_game(), moves=WON[:-1], move="C3")
    assert answer["is_over"] and (answer["row"], answer["result"]) == (["A3", "B3", "C3"], "B+")
    assert answer["illegal"]["C1"] == "comes after the end of the game"
    assert page.request("position", game=gomoku_game(), moves=WON[:-1])["result"] is None     # undo
    assert page.request("play", game=gomoku_game(), moves=WON, move="C1")["error"] == \
        "illegal move: C1 comes after the end of the game"


@pytest.mark.parametrize("request_, error", [
    ({"moves": WON, "move": "pass"}, "illegal move: pass comes after the end of the game"),
    ({"moves": [], "move": "pass"}, "illegal move: pass is not a move of Gomoku"),
    ({"moves": ["B pass"], "move": "A1"}, "move 1: Black pass is not a move of Gomoku"),
    ({"moves": ["B A1", "W A1"], "move": "A2"}, "move 2: White A1 is occupied"),
    ({"game": gomoku_game(3, 4), "moves": [], "move": "A1"}, "3 to 3 in a row can win on 3x3, not 4"),
    ({"game": gomoku_game(2, 2), "moves": [], "move": "A1"}, "a Gomoku board is 3x3 to 19x19, not 2x2"),
    ({"game": gomoku_game(exactly=1), "moves": [], "move": "A1"}, "'exactly' must be true or false"),
    ({"game": gomoku_game() | {"name": "chess"}, "moves": [], "move": "A1"},
     "unknown game 'chess' (known: go, gomoku)"),
    ({"game": gomoku_game() | {"name": []}, "moves": [], "move": "A1"}, "unknown game [] (known: go, gomoku)"),
])
def test_an_illegal_move_or_a_bad_game_is_explained_in_a_line(page, request_, error):
    assert page.request("play", **({"game": gomoku_game()} | request_))["error"] == error


def test_there_is_no_ownership_and_no_score(page):
    for command in ("ownership", "score"):
        assert page.request(command, game=gomoku_game(), moves=[])["error"] == "Gomoku has no ownership and no score"


# ---- searches

@pytest.mark.parametrize("by", ["uct", "mcts"])
def test_an_analysis_finds_the_row(page, by):
    result = page.search("analyze", game=gomoku_game(), moves=WON[:-1], player=by, simulations=100)["search"]
    assert result["moves"][0]["move"] == "C3"
    assert result["win_rate"] > 0.8 and result["ownership"] is None


def test_every_opponent_moves_and_neither_passes_nor_resigns(page, monkeypatch):
    monkeypatch.setattr(handlers, "find_opponent",
                        lambda key: replace(find_opponent(key), play_options=PlayOptions(simulations=8)))
    for opponent in OPPONENTS:
        answer = page.search("genmove", game=gomoku_game(), moves=WON[:-1], opponent=opponent.key)
        assert answer["move"] in ("C3", "A1", "B1", "C1", "C2")


def test_the_evaluation_of_a_finished_game_is_its_result(page):
    assert page.search("evaluate", game=gomoku_game(), moves=WON)["win_rates"] == [0.5] * 5 + [1.0]
    assert page.search("evaluate", game=gomoku_game(), moves=DRAWN)["win_rates"][-1] == 0.5


@pytest.mark.parametrize("client", [UniformNetwork(games=("go",))], indirect=True, ids=["no network"])
def test_without_a_network_only_opponents_without_one_are_listed_with_the_reason(page):
    listed = page.request("opponents", game=gomoku_game(), moves=[])
    assert {opponent["group"] for opponent in listed["opponents"]} == {"reading"}
    assert listed["network_error"] == "there is no network for this game"
    assert page.search("genmove", game=gomoku_game(), moves=WON[:-1], opponent="uct-100")["move"] == "C3"
    answer = page.search("genmove", game=gomoku_game(), moves=[], opponent="policy")
    assert answer["error"] == "there is no network for this game"


# ---- SGF

@needs_node
@pytest.mark.parametrize("sgf, illegal", [
    ("(;GM[4]SZ[9];B[aa];W[aa])", "White A9 is occupied"), ("(;GM[4]SZ[9];B[])", "Black pass is not a move of Gomoku"),
    ("(;GM[4]SZ[3]AB[aa][ba][ca])", "a black stone cannot be placed on C3"),
])
def test_a_node_against_the_rules_is_named_and_saved(page, sgf, illegal):
    game = load(page, sgf)["game"]
    assert game["nodes"][-1]["illegal"] == illegal
    assert format_game(game).replace("CA[UTF-8]", "").strip() == sgf


# ---- the command

@pytest.mark.parametrize("options, start", [
    ([], ("go", 9, 0)), (["--size", "13"], ("go", 13, 0)), (["--game", "gomoku"], ("gomoku", 8, 5)),
    (["--game", "gomoku", "--size", "6", "--k", "4"], ("gomoku", 6, 4))])
def test_the_page_starts_with_the_game_of_the_options(options, start, monkeypatch):
    states = []
    monkeypatch.setattr(web_app, "make_app", lambda make_state, *others: states.append(make_state()))
    monkeypatch.setattr(web_app, "make_server", lambda *args: None)
    monkeypatch.setattr(web_app, "run_until_signal", lambda server, listener: listener.close())
    assert cli.main(["web", "--no-browser", "--port", "0", *options]) == 0
    position = states[0].start
    assert (position.game, position.size, getattr(position, "k", 0)) == start
