"""The limits of `mugo web`: messages, headers, the token, names."""
import base64
import contextlib
import json
import re
import threading
import urllib.error
import urllib.request

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from page_modules import format_game, needs_node
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from web_fakes import UniformNetwork, go_game
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from mugo.cli.main import main
from mugo.sgf.tree import read_game
from mugo.web import app as web_app
from mugo.web import requests, sessions
from mugo.web.access import interpret_host
from mugo.web.requests import parse_request
from mugo.web.app import make_server
from mugo.web.state import ServerState


@contextlib.contextmanager
def serving(token=None):
    """A server in a thread: its port."""
    with web_app.listen("127.0.0.1", 0) as listener:
        state = ServerState(UniformNetwork(), jobs=1)
        server = make_server(web_app.make_app(lambda: state, token=token), state)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def port():
    with serving() as port:
        yield port


# ---- messages

def test_what_a_page_sends_is_within_the_limits():
    text = json.dumps({"id": 1, "command": "score", "moves": ["B Q16"] * 4095, "dead": ["A1"] * 361, "toggle": "A1",
                       "game": go_game(19, black=["A1"] * 361, white=["A1"] * 361)})
    assert len(text) < requests.MAX_MESSAGE
    assert parse_request(text)


def test_an_answer_about_a_limit_names_its_request(port):
    with connect(f"ws://127.0.0.1:{port}/ws") as websocket:
        websocket.recv()
        for game, moves, error in ((go_game(), ["B pass"] * 15_000, "a game has at most 4095 moves"),
                                   (go_game(black=["x" * 100_000]), [], "xxx")):
            websocket.send(json.dumps({"id": 7, "command": "position", "game": game, "moves": moves}))
            answer = json.loads(websocket.recv())
            assert answer["id"] == 7 and error in answer["error"] and len(answer["error"]) <= sessions.MAX_ERROR


@needs_node
@pytest.mark.parametrize("character", ["]", "é"])
def test_a_file_of_one_long_comment_fits_in_a_message_and_so_does_what_is_saved(character):
    """The page opens 1.5 MB."""
    value = 1_499_900 // (1 + (character == "]")) * character.replace("]", "\\]")
    data = f"(;SZ[9]CA[ISO-8859-1]C[{value}])".encode("latin-1")
    for file in data, format_game(read_game(data)).encode():
        text = json.dumps({"id": 1, "command": "load", "data": base64.b64encode(file).decode()})
        assert len(text.encode()) <= requests.MAX_MESSAGE
        assert parse_request(text)


def test_a_message_that_is_too_large_closes_the_session(port):
    with connect(f"ws://127.0.0.1:{port}/ws") as websocket:
        websocket.recv()
        with pytest.raises(ConnectionClosed):            # with 1009, if that arrives in time
            websocket.send(" " * (requests.MAX_MESSAGE + 1))
            websocket.recv()


# ---- the token

def status(url, **headers):
    """The status of a request, and the cookie that its answer sets."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.headers["set-cookie"]
    except urllib.error.HTTPError as error:
        return error.code, error.headers["set-cookie"]


@pytest.mark.parametrize("query", ["", "?token=", "?token=secre", "?token=secrets", "?token=%C3%A9", "?other=secret"])
def test_without_the_token_nothing_is_answered(query):
    with serving("secret") as port:
        for path in "", "static/main.js", "compiling", "no-such-page":
            assert status(f"http://127.0.0.1:{port}/{path}{query}") == (403, None)
        with pytest.raises(InvalidStatus, match="403"):
            connect(f"ws://127.0.0.1:{port}/ws{query}")


def test_the_token_of_the_address_is_kept_in_a_cookie():
    """So the page's modules, its WebSocket and a reload have it."""
    with serving("secret") as port:
        code, cookie = status(f"http://127.0.0.1:{port}/?token=secret")
        assert code == 200 and cookie == f"mugo-token-{port}=secret; Path=/; HttpOnly; SameSite=Strict"
        cookie = cookie.split(";")[0]
        for path in "", "static/main.js", "compiling":
            assert status(f"http://127.0.0.1:{port}/{path}", Cookie=cookie) == (200, None)
        with connect(f"ws://127.0.0.1:{port}/ws", additional_headers={"Cookie": cookie}) as websocket:
            assert json.loads(websocket.recv())["hello"] == "MuGo"
        assert status(f"http://127.0.0.1:{port}/", Cookie=cookie + "x")[0] == 403


@pytest.mark.parametrize("host, has_token", [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)])
def test_an_address_that_others_reach_needs_a_token(host, has_token, monkeypatch, capsys):
    served = []
    monkeypatch.setattr(web_app, "make_app", lambda state, hosts, on_start, token: on_start() or token)
    monkeypatch.setattr(web_app, "make_server", lambda app, state: served.append(app))
    monkeypatch.setattr(web_app, "run_until_signal", lambda server, listener: listener.close())
    assert main(["web", "--no-browser", "--host", host, "--port", "0"]) == 0
    token, = served
    printed = re.search(r"http://(\S+):\d+/(\S*)", capsys.readouterr().out)
    assert printed[1] == "127.0.0.1" or host == "localhost"
    assert (token is not None) == has_token and printed[2] == (f"?token={token}" if has_token else "")
    assert token is None or len(token) >= 40


def test_a_page_that_was_opened_with_the_token_survives_a_reload(chromium):
    with serving("secret") as port:
        context = chromium.new_context()
        page = context.new_page()
        for query in "?token=secret", "":
            page.goto(f"http://127.0.0.1:{port}/{query}")
            page.wait_for_selector(".grid", timeout=60_000)
        context.close()


# ---- names

def test_allowed_hosts_may_be_named_by_browsers():
    state = ServerState(UniformNetwork(), jobs=1)
    app = web_app.make_app(lambda: state, frozenset({"go.example.org"}))
    with TestClient(app) as client:
        for host, status in [("go.example.org", 200), ("go.example.org:8443", 200), ("GO.example.org", 200),
                             ("x.go.example.org", 421), ("example.org", 421)]:
            assert client.get("/", headers={"host": host}).status_code == status
        for host, origin, is_admitted in [
                ("go.example.org", "https://go.example.org", True),
                ("127.0.0.1:8080", "https://go.example.org", True),      # the proxy changes the Host header
                ("127.0.0.1:8080", "https://evil.example", False),
                ("go.example.org", "https://go.example.org.evil.example", False),
                ("go.example.org", "http://127.0.0.1:8080", False)]:
            headers = {"host": host, "origin": origin}
            if is_admitted:
                with client.websocket_connect("/ws", headers=headers) as websocket:
                    assert websocket.receive_json()["hello"] == "MuGo"
            else:
                with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws", headers=headers):
                    pass


def test_names_of_the_command_line():
    assert interpret_host("Go.Example.org") == "go.example.org"
