"""The server of the board in the browser: its protocol, its searches, its SGF, and who may come in."""
import base64
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from web_fakes import Even, Page, game

from mugo import cli
from mugo.files import BadInput
from mugo.games.coords import point_at
from mugo.sgf.parser import read_records
from mugo.sgf.tree import format_game, read_game
from mugo.web import app as web_app
from mugo.web import sessions

ROOT = Path(__file__).parents[2]
HERE = "http://testserver"             # what the test client calls it


@pytest.fixture(scope="module")
def client():
    network = Even(liked=point_at(2, 2, 5))
    app = web_app.make_app(lambda: sessions.Room(network, searches=1), names=frozenset({"testserver"}))
    with TestClient(app) as client:
        yield client


@pytest.fixture
def page(client):
    with client.websocket_connect("/line") as line:
        yield Page(line)


def in_base64(sgf):
    return base64.b64encode(sgf.encode() if isinstance(sgf, str) else sgf).decode()


# ---- the board

def test_a_visitor_is_told_the_planes_of_each_game(page):
    planes = page.hello["planes"]["go"]
    assert len(planes) == 48
    assert planes[:3] == ["stone colour mine", "stone colour theirs", "stone colour empty"]
    assert "liberties 8" in planes
    assert page.hello["planes"]["gomoku"] == ["stone colour mine", "stone colour theirs", "last move",
                                              "colour to move"]
    assert page.hello["game"]["size"] == 9


def test_a_game_is_offered_with_who_plays_it(page):
    offers = page.ask("offers", game=game(), moves=[])
    assert [level["key"] for level in offers["levels"]] == [level.key for level in sessions.LEVELS]
    assert offers["levels"][0]["group"] == "Search alone (good on small boards)"
    assert offers["without_network"] is None


def test_a_move_is_played_and_captures(page):
    answer = page.ask("play", game=game(), moves=["B B5", "W A5"], move="a4")
    assert answer == {"id": 1, "move": "B A4", "stones": ".X..." + "X...." + 15 * ".", "to_play": "W", "last": "A4",
                      "captures": {"B": 1, "W": 0}, "illegal": {"A5": "is suicide"}, "over": False}


KO = ["B B3", "W C3", "B A2", "W D2", "B B1", "W C1", "B C2", "W B2"]


def test_an_illegal_move_is_explained_in_a_line(page):
    assert page.ask("play", game=game(), moves=["B C3"], move="C3")["error"] == "illegal move: C3 is occupied"
    assert page.ask("play", game=game(), moves=KO, move="C2")["error"] == "illegal move: C2 retakes the ko"
    assert page.ask("look", game=game(), moves=KO)["illegal"] == {"C2": "retakes the ko"}
    assert page.ask("play", game=game(), moves=[], move="I9")["error"].startswith("'I9' is no vertex on 5x5")
    assert page.ask("look", game=game(), moves=["B C3", "W C3"])["error"] == "move 2: White C3 is occupied"


def test_undo_is_asking_for_the_moves_before(page):
    before = page.ask("look", game=game(), moves=KO[:-1])
    page.ask("look", game=game(), moves=KO)
    assert {**page.ask("look", game=game(), moves=KO[:-1]), "id": 0} == {**before, "id": 0}


def test_two_passes_end_the_game(page):
    assert not page.ask("look", game=game(), moves=["B C3", "W pass"])["over"]
    assert page.ask("play", game=game(), moves=["B C3", "W pass"], move="pass")["over"]


def test_a_new_game_has_its_handicap_stones(page):
    start = page.ask("new", size=9, komi=0.5, handicap=2)["game"]
    assert (start["black"], start["first"], start["handicap"]) == (["G7", "C3"], "W", 2)
    assert page.ask("look", game=start, moves=[])["to_play"] == "W"
    answer = page.ask("new", size=5, komi=7.5, handicap=2)
    assert answer["error"] == "no fixed handicap of 2 stones on 5x5 (7x7 or larger)"
    assert page.ask("new", size=20, komi=7.5, handicap=0)["error"] == "a board is 2x2 to 19x19, not 20x20"


# ---- overlays

def test_the_heat_map_is_the_networks(page):
    answer = page.ask("policy", game=game(), moves=["B A1"])
    assert len(answer["priors"]) == 26
    assert answer["priors"].index(max(answer["priors"])) == 12           # C3
    assert answer["black"] == 0.5


def test_planes_come_packed(page):
    packed = base64.b64decode(page.ask("planes", game=game(), moves=["B A5"])["packed"])
    assert len(packed) == 25 * 6
    assert packed[0] & 0b111 == 0b010 and packed[6] & 0b111 == 0b100     # theirs on A5, empty on B5


WALLS = [move for row in range(1, 6) for move in (f"B B{row}", f"W D{row}")]


def test_owners_are_from_black_100_to_white_minus_100(page):
    ownership = page.ask("owners", game=game(), moves=[*WALLS, "B C1", "W C5"])["owners"]
    assert len(ownership) == 25
    assert ownership[5 * 2 + 1] > 50 and ownership[5 * 2 + 3] < -50


def test_a_count_marks_dead_stones_and_takes_a_hand(page):
    moves = [*WALLS, "B E3", "W pass", "B pass"]
    answer = page.ask("score", game=game(komi=0.5), moves=moves)
    assert (answer["dead"], answer["result"]) == (["E3"], "W+0.5")
    assert answer["area"] == 5 * "BB.WW"
    alive = page.ask("score", game=game(komi=0.5), moves=moves, dead=answer["dead"], toggle="E3")
    assert alive["dead"] == []
    assert alive["area"] == "BB.W." + "BB.W." + "BB.WB" + "BB.W." + "BB.W."
    error = page.ask("score", game=game(), moves=moves, dead=[], toggle="C3")["error"]
    assert error.startswith("there is no stone on C3")


# ---- searches

@pytest.mark.parametrize("by", ["uct", "mcts"])
def test_an_analysis_ends_after_its_simulations(page, by):
    answer = page.search("analyse", game=game(), moves=["B C3"], by=by, simulations=60)
    result = answer["thought"]
    assert answer["done"] and result["simulations"] >= 60
    assert 0 <= result["black"] <= 1 and len(result["owners"]) == 25
    best = result["moves"][0]
    assert best["visits"] == max(move["visits"] for move in result["moves"])
    assert best["line"][0] == best["move"] != "C3"


def test_an_analysis_streams_until_it_is_stopped(page):
    number = page.send("analyse", game=game(), moves=[], by="uct")
    visits = [page.hear(number)["thought"]["visits"] for _ in range(3)]
    assert visits == sorted(visits) and visits[0] > 0
    stopped = page.send("stop")
    assert page.hear(stopped)["stopped"]
    assert {"id": number, "done": True, "stopped": True} in page.news


def test_a_new_search_ends_the_one_before(page):
    first = page.send("analyse", game=game(), moves=[], by="uct")
    page.hear(first)
    answer = page.search("choose", game=game(), moves=[], level="random")
    assert answer["done"] and answer["move"] != "resign"
    assert {"id": first, "done": True, "stopped": True} in page.news


def test_every_level_plays(page, monkeypatch):
    monkeypatch.setattr(sessions, "LEVELS", tuple(
        replace(level, play_options=sessions.PlayOptions(simulations=8)) for level in sessions.LEVELS))
    for level in sessions.LEVELS:
        answer = page.search("choose", game=game(), moves=["B C3"], level=level.key)
        assert "error" not in answer and answer["move"] not in ("resign", "C3")
        assert ("thought" in answer) == (level.player in ("uct", "mcts"))


def test_a_judgement_has_blacks_win_rate_in_every_position(page):
    assert page.search("judge", game=game(), moves=["B C3", "W pass"])["rates"] == [0.5, 0.5, 0.5]


def test_several_visitors_search_in_turn(client):
    """There is one turn: each sees its own position, and none waits for the end of another's analysis."""
    with client.websocket_connect("/line") as one, client.websocket_connect("/line") as other:
        pages = Page(one), Page(other)
        sizes = (5, 7)
        numbers = [page.send("analyse", game=game(size), moves=[], by="uct")
                   for page, size in zip(pages, sizes, strict=True)]
        for page, number, size in zip(pages, numbers, sizes, strict=True):
            while "thought" not in (answer := page.hear(number)):
                pass
            assert len(answer["thought"]["owners"]) == size * size
        for page in pages:
            assert page.ask("look", game=game(), moves=["B C3"])["last"] == "C3"
            assert page.hear(page.send("stop"))["stopped"]


def test_a_visitor_who_leaves_stops_searching(client):
    room = client.app.state.room
    with client.websocket_connect("/line") as line:
        page = Page(line)
        page.hear(page.send("analyse", game=game(), moves=[], by="uct"))
        assert room.turns.locked()
    end = time.monotonic() + 5
    while room.turns.locked() or room.visitors:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_silent_visitor_is_let_go(client, monkeypatch):
    monkeypatch.setattr(sessions, "IDLE", 0.05)
    with client.websocket_connect("/line") as line:
        line.receive_json()
        with pytest.raises(WebSocketDisconnect) as end:
            line.receive_json()
    assert end.value.reason == "idle"


def test_there_is_an_end_to_visitors(client, monkeypatch):
    monkeypatch.setattr(web_app, "VISITORS", 0)
    with client.websocket_connect("/line") as line, pytest.raises(WebSocketDisconnect) as end:
        line.receive_json()
    assert end.value.reason == "too many visitors: try again later"


# ---- bad messages

@pytest.mark.parametrize("text, error", [
    ("no JSON", "a message is an object of JSON, in text"),
    ("[1]", "a message is an object of JSON"),
    ('{"id": []}', "'id' is a number or a string"),
    ("{}", "'do' is missing"),
    ('{"do": "sing"}', "'sing' cannot be done (new, offers, look, play, policy, planes, owners, score, load, save, "
                       "analyse, choose, judge, stop)"),
    ('{"do": "look"}', "'game' is missing"),
    ('{"do": "look", "game": {"size": true, "komi": 0}, "moves": []}', "'size' cannot be a bool"),
    ('{"do": "look", "game": {"size": 9, "komi": NaN}, "moves": []}', "'komi' must be a number from -361 to 361"),
    ('{"do": "new", "size": 9, "komi": 1e999, "handicap": 0}', "'komi' must be a number from -361 to 361"),
])
def test_a_bad_message_gets_one_line(page, text, error):
    page.line.send_text(text)
    assert page.line.receive_json()["error"] == error


def test_a_bad_request_gets_one_line(page):
    for fields, error in [
        ({"moves": ["C3"]}, "'C3' is not a move; expected 'B Q16' or 'W pass', for instance"),
        ({"moves": ["B pass"] * 2001}, "a game has 2,000 moves at the most, not 2,001"),
        ({"moves": [], "game": game(black=["C3"], white=["C3"])}, "a white stone cannot stand on C3"),
        ({"moves": [], "game": game(black=["pass"])}, "a stone cannot stand on 'pass'"),
    ]:
        assert page.ask("look", **({"game": game()} | fields))["error"] == error
    assert page.ask("choose", game=game(), moves=[], level="best")["error"].startswith("'best' is no level (random, ")
    assert page.ask("analyse", game=game(), moves=[], by="magic")["error"] == "'by' is 'mcts' or 'uct', not 'magic'"
    assert page.ask("analyse", game=game(), moves=[], simulations=0)["error"].startswith("an analysis has at least one")


def test_nonsense_never_breaks_the_line(page):
    rng = random.Random(5)
    values = [None, True, -1, 10 ** 400, 1e308, "", "B C3", "\ud800", [], [[]], {}, [None], {"size": 5}, game(),
              game(5.5), game(black=[7]), game(first=3), ["B C3"], ["W \ud800"], 9, "mcts"]
    names = ["game", "moves", "move", "level", "by", "simulations", "dead", "toggle", "data", "size", "komi",
             "handicap"]
    for number in range(300):
        fields = {name: rng.choice(values) for name in rng.sample(names, rng.randrange(len(names)))}
        if rng.random() < 0.5:
            fields |= {"game": game(), "moves": rng.choice([[], ["B C3"], values])}
        what = rng.choice(["new", "look", "play", "policy", "planes", "owners", "score", "load", "save"])
        page.line.send_text(json.dumps({"id": number, "do": what, **fields}))
        answer = page.line.receive_json()
        assert answer["id"] == number and "\n" not in answer.get("error", "")
        assert "something is wrong" not in answer.get("error", "")


def test_a_message_that_is_too_large_ends_the_visit(page, monkeypatch):
    monkeypatch.setattr(sessions, "MAX_MESSAGE", 1000)
    page.line.send_text(" " * 1001)
    with pytest.raises(WebSocketDisconnect) as end:
        page.line.receive_json()
    assert end.value.code == 1009


# ---- SGF

BRANCHED = """(;GM[1]FF[4]SZ[9]KM[6.5]HA[2]AB[gc][cg]PL[W]PB[Aoi]PW[Beni]RE[W+R]C[Start]
    ;W[ee]C[Black wins 43.2 % (120 visits)
centre](;B[ec];W[gg])(;B[cc]C[other](;W[])(;W[ec]))(;B[ee]C[nobody can]))"""


def test_an_sgf_file_comes_with_its_variations(page):
    read = page.ask("load", data=in_base64(BRANCHED))["game"]
    assert (read["size"], read["komi"], read["handicap"], read["first"]) == (9, 6.5, 2, "W")
    assert read["info"] == {"black": "Aoi", "white": "Beni", "result": "W+R"}
    assert read["nodes"] == [
        {"parent": -1, "comment": "Start"},
        {"parent": 0, "move": "W E5", "black": 0.432, "visits": 120, "comment": "centre"},
        {"parent": 1, "move": "B E7"}, {"parent": 2, "move": "W G3"},
        {"parent": 1, "move": "B C7", "comment": "other"}, {"parent": 4, "move": "W pass"},
        {"parent": 4, "move": "W E7"}]


def test_what_is_saved_is_what_was_loaded(page):
    read = page.ask("load", data=in_base64(BRANCHED))["game"]
    sgf = page.ask("save", game=read)["sgf"]
    assert page.ask("load", data=in_base64(sgf))["game"] == read
    record = next(read_records(sgf.encode()))
    assert (record.handicap, record.komi, len(record.moves), record.black) == (2, 6.5, 3, "Aoi")


def test_comments_keep_their_brackets_and_letters():
    written = {**game(), "info": {}, "nodes": [{"parent": -1, "comment": r"a] \ 囲碁"}]}
    assert read_game(format_game(written).encode())["nodes"][0]["comment"] == r"a] \ 囲碁"


def test_what_sgfmill_cannot_read_is_read_without_variations(monkeypatch):
    def fails(data):
        raise ValueError

    monkeypatch.setattr("mugo.sgf.tree.sgf.Sgf_game.from_bytes", fails)
    assert [node.get("move") for node in read_game(BRANCHED.encode())["nodes"]] == [None, "W E5", "B E7", "W G3"]


@pytest.mark.parametrize("charset", ["hex", "rot13"])
def test_comments_in_a_character_set_that_is_none_are_read_as_utf_8(page, charset):
    answer = page.ask("load", data=in_base64(f"(;CA[{charset}]SZ[9]C[x];B[aa]C[y])"))
    assert [node.get("comment") for node in answer["game"]["nodes"]] == ["x", "y"]


def test_a_bug_costs_a_line_and_not_the_visit(page, monkeypatch):
    def fails(request, room):
        raise ZeroDivisionError
    monkeypatch.setitem(sessions.ANSWERS, "look", fails)
    assert page.ask("look", game=game(), moves=[])["error"].startswith("something is wrong in this program")
    monkeypatch.undo()
    assert "error" not in page.ask("look", game=game(), moves=[])


def test_a_recorded_game_may_repeat_a_position(page):
    """A triple passing of the ko back and forth: superko forbids it at the board, records may have it."""
    cycle = ["B pass", "W pass", "B pass"]
    assert "error" not in page.ask("look", game=game(), moves=[*KO, *cycle, "W pass"])


@pytest.mark.parametrize("sgf, error", [
    ("", "no game found: an SGF game begins with '(;'"),
    ("(;GM[1]SZ[9];B[aa];W[aa])", "move 2: White A9 is occupied"),
    ("(;GM[2])", "GM[2] is another game; Go is GM[1], Gomoku GM[4]"),
])
def test_a_bad_sgf_file_gets_one_line(page, sgf, error):
    assert page.ask("load", data=in_base64(sgf))["error"] == error


def test_a_game_that_is_none_is_not_written():
    for nodes, error in [([], "a game has 1 to 20,000 nodes, not 0"), ([{"parent": -1}, {"parent": 1, "move": "B A1"}],
                         "the parent of node 1 of the game is not a node before it"),
                         ([7], "node 0 of the game is not an object")]:
        with pytest.raises(BadInput, match=error):
            format_game({**game(), "info": {}, "nodes": nodes})


# ---- who may come in

def test_the_page_and_its_parts_are_served_and_load_nothing_from_elsewhere(client):
    answer = client.get("/")
    assert answer.status_code == 200 and "<title>MuGo</title>" in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    for path in sorted(web_app.STATIC.iterdir()):
        answer = client.get(f"/static/{path.name}")
        assert answer.status_code == 200
        assert "https://" not in answer.text and "http://" not in answer.text.replace("http://www.w3.org/", "")
    assert client.get("/static/../web.py").status_code == 404


@pytest.mark.parametrize("host, status", [("127.0.0.1:8080", 200), ("localhost:8080", 200), ("[::1]:8080", 200),
                                          ("192.168.0.7", 200), ("evil.example:8080", 421),
                                          ("127.0.0.1.evil.example", 421), ("", 421)])
def test_only_who_calls_the_server_by_its_own_name_is_answered(client, host, status):
    assert client.get("/", headers={"host": host}).status_code == status


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"origin": "null"},
                                     {"host": "evil.example", "origin": "http://evil.example"}])
def test_a_page_of_another_site_may_not_talk_here(client, headers):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/line", headers=headers):
        pass
    with client.websocket_connect("/line", headers={"origin": HERE}) as line:
        assert line.receive_json()["hello"] == "MuGo"


# ---- the command

def test_a_taken_port_is_passed_over_unless_it_was_asked_for(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(web_app, "PORT", port)
        with web_app.listen("127.0.0.1", None) as line:
            assert port < line.getsockname()[1] < port + web_app.PORTS
        with pytest.raises(BadInput, match=f"cannot listen on 127.0.0.1, port {port}: Address already in use"):
            web_app.listen("127.0.0.1", port)


def test_bad_options_get_one_line(capsys):
    for options, error in [(["--port", "70000"], "--port is 0 to 65535, not 70000"),
                           (["--searches", "0"], "--searches is 1 or more, not 0"),
                           (["--network", "nobody"], "there is no network 'nobody'")]:
        assert cli.main(["web", "--no-browser", *options]) == 2
        assert capsys.readouterr().err.startswith(f"mugo web: {error}")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_it_cleanly():
    process = subprocess.Popen([sys.executable, str(ROOT / "main.py"), "web", "--no-browser", "--port", "0"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().split()[4]
        with urllib.request.urlopen(address) as answer:
            assert b"<title>MuGo</title>" in answer.read()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, errors) == (0, "")
