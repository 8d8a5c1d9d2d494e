"""The limits of `mugo web`: messages, rates, sessions and connections of each address, HTTP, names, proxies."""
import asyncio
import base64
import contextlib
import http.client
import json
import logging
import socket
import threading
import time
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
from page_modules import format_game, needs_node
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from web_fakes import Client, UniformNetwork, go_game
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from mugo.core.files import BadInput
from mugo.sgf.tree import read_game
from mugo.web import addresses, connections, messages, sessions
from mugo.web import app as web_app
from mugo.web.access import interpret_host, interpret_proxy
from mugo.web.addresses import Address, address_key
from mugo.web.messages import parse_request
from mugo.web.server import make_server
from mugo.web.state import ServerState

UPGRADE = (b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")


def wait_for(condition):
    """Wait until condition() is true; ten seconds at most."""
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextlib.contextmanager
def serving(**options):
    """A server in a thread: (its port, its state, its connections)."""
    with web_app.listen("127.0.0.1", 0) as listener:
        state = ServerState(UniformNetwork(), jobs=1)
        server = make_server(web_app.make_app(lambda: state, options.pop("hosts", frozenset())), state, **options)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1], state, server.connections
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(connections, "CHECK_SECONDS", 0.1)
    with serving() as server:
        yield server


def dial(port, source="127.0.0.1", receive_buffer=None, send_buffer=None):
    """A connection of an address; buffers: bytes of the system's."""
    connection = socket.socket()
    for option, size in (socket.SO_RCVBUF, receive_buffer), (socket.SO_SNDBUF, send_buffer):
        if size:
            connection.setsockopt(socket.SOL_SOCKET, option, size)
    connection.settimeout(10)
    connection.bind((source, 0))
    connection.connect(("127.0.0.1", port))
    return connection


def is_closed(connection, seconds=10.0):
    """Whether the server closes a connection within some seconds; what it sends before is dropped."""
    connection.settimeout(seconds)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


def open_websocket(port, **options):
    """A WebSocket by hand, on which an upgrade has succeeded."""
    connection = dial(port, **options)
    connection.sendall(UPGRADE)
    assert connection.recv(12) == b"HTTP/1.1 101"
    return connection


def frame(opcode, data=b"", is_last=True):
    """A WebSocket frame of a client (RFC 6455, section 5.2), with a mask of zeros."""
    assert len(data) < 126
    return bytes([(0x80 if is_last else 0) | opcode, 0x80 | len(data), 0, 0, 0, 0]) + data


def pour(connection, data, seconds):
    """Send data again and again, as far as the server takes it: yields how many bytes it took so far."""
    connection.setblocking(False)
    sent, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            sent += connection.send(data[sent % len(data):])
        yield sent


# ---- messages

def test_what_a_page_sends_is_within_the_limits():
    text = json.dumps({"id": 1, "command": "score", "moves": ["B Q16"] * 4095, "dead": ["A1"] * 361, "toggle": "A1",
                       "game": go_game(19, black=["A1"] * 361, white=["A1"] * 361)})
    assert len(text) < messages.MAX_MESSAGE
    assert parse_request(text)


def test_the_items_of_a_message_are_counted_before_it_is_parsed(monkeypatch):
    monkeypatch.setattr(messages, "parse_json", lambda text: pytest.fail("it was parsed"))
    for text in ("[" * 20_001, "," * 20_001, "{" * 20_001):
        with pytest.raises(BadInput, match="a message has at most 20,000 items"):
            parse_request(text)


def test_an_answer_about_a_limit_names_its_request(server):
    port, state, _ = server
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
        assert len(text.encode()) <= messages.MAX_MESSAGE
        assert parse_request(text)


def test_a_message_that_is_too_large_closes_the_session(server):
    with connect(f"ws://127.0.0.1:{server[0]}/ws") as websocket:
        websocket.recv()
        with pytest.raises(ConnectionClosed):            # with 1009, if that arrives in time
            websocket.send(" " * (messages.MAX_MESSAGE + 1))
            websocket.recv()


def test_messages_are_read_at_a_limited_rate(server, monkeypatch):
    monkeypatch.setattr(sessions, "MESSAGES_PER_SECOND", 100)
    monkeypatch.setattr(sessions, "MESSAGE_BURST", 10)
    with connect(f"ws://127.0.0.1:{server[0]}/ws") as websocket:
        websocket.recv()
        started = time.monotonic()
        for _ in range(60):
            websocket.send('{"command": "stop"}')
        for _ in range(60):
            websocket.recv()
    assert time.monotonic() - started > 0.45


# ---- addresses

@pytest.mark.parametrize("host, key", [
    ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::1", "::1"),
    ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"), ("fe80::1%eth0", "fe80::/64"), (None, ""), ("x" * 200, "x" * 100)])
def test_an_address_is_an_ipv4_address_or_an_ipv6_network_of_64_bits(host, key):
    assert address_key(host) == key


def test_an_address_gets_a_tenth_of_the_event_loop():
    address = Address()
    address.loop_time.take(0.04)
    assert address.loop_time.delay() == 0                          # a burst
    address.loop_time.take(0.11)
    assert 0.9 < address.loop_time.delay() < 1.1


# ---- sessions

@pytest.fixture
def client():
    state = ServerState(UniformNetwork(), jobs=1)
    with TestClient(web_app.make_app(lambda: state, frozenset({"testserver"}))) as client:
        yield client


def test_the_sessions_of_an_address_are_limited(client, monkeypatch):
    monkeypatch.setattr(sessions, "MAX_SESSIONS_PER_ADDRESS", 2)
    with client.websocket_connect("/ws") as one, client.websocket_connect("/ws") as two:
        assert one.receive_json()["hello"] and two.receive_json()["hello"]
        with client.websocket_connect("/ws") as three, pytest.raises(WebSocketDisconnect) as end:
            three.receive_json()
        assert (end.value.code, end.value.reason) == (1013, "too many sessions: try again later")
    with client.websocket_connect("/ws") as four:        # there is room again
        assert four.receive_json()["hello"]


def test_the_session_idle_the_longest_is_evicted_for_a_new_one(client, monkeypatch):
    monkeypatch.setattr(sessions, "MAX_SESSIONS_PER_ADDRESS", 2)
    monkeypatch.setattr(sessions, "EVICTABLE_SECONDS", 0.0)
    with client.websocket_connect("/ws") as one, client.websocket_connect("/ws") as two:
        pages = Client(one), Client(two)
        assert pages[0].request("position", game=go_game(), moves=[])
        with client.websocket_connect("/ws") as three:
            assert three.receive_json()["hello"]
            with pytest.raises(WebSocketDisconnect) as end:
                two.receive_json()
            assert end.value.reason == "idle"
            assert "error" not in pages[0].request("position", game=go_game(), moves=[])


def test_a_session_that_searches_is_not_evicted(client, monkeypatch):
    monkeypatch.setattr(sessions, "MAX_SESSIONS_PER_ADDRESS", 1)
    monkeypatch.setattr(sessions, "EVICTABLE_SECONDS", 0.0)
    with client.websocket_connect("/ws") as one:
        page = Client(one)
        page.receive(page.send("analyze", game=go_game(), moves=[], player="uct"))
        with client.websocket_connect("/ws") as two, pytest.raises(WebSocketDisconnect):
            two.receive_json()
        assert page.receive(page.send("stop"))["stopped"]


def test_when_the_server_is_full_the_address_with_the_most_sessions_makes_room(client, monkeypatch):
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 2)
    monkeypatch.setattr(sessions, "EVICTABLE_SECONDS", 0.0)
    state = client.app.state.server
    with client.websocket_connect("/ws") as one, client.websocket_connect("/ws") as two:
        assert one.receive_json()["hello"] and two.receive_json()["hello"]
        alone = sessions.Session(None, state, Address())
        alone.last_message = 0.0                         # the longest, but of an address with one session
        state.sessions.add(alone)
        alone.address.sessions.add(alone)
        with client.websocket_connect("/ws") as three:
            assert three.receive_json()["hello"]
        assert alone in state.sessions
        state.sessions.discard(alone)


class SlowSocket:
    """A page's WebSocket that takes a moment to close, and is open until `pages` ends."""

    def __init__(self, state, pages):
        self.app = SimpleNamespace(state=SimpleNamespace(server=state))
        self.client, self.pages = None, pages

    async def accept(self):
        pass

    async def close(self, code, reason):
        await asyncio.sleep(0.01)

    async def send_text(self, text):
        pass

    async def receive(self):
        await self.pages.wait()
        return {"type": "websocket.disconnect"}


def test_two_sessions_that_come_at_once_do_not_replace_the_same_one(monkeypatch):
    monkeypatch.setattr(sessions, "MAX_SESSIONS", 2)
    monkeypatch.setattr(sessions, "EVICTABLE_SECONDS", 0.0)

    async def serve_four():
        state, pages, counts = ServerState(UniformNetwork(), jobs=1), asyncio.Event(), []
        served = []
        for _ in range(2):
            served += [asyncio.create_task(sessions.serve_session(SlowSocket(state, pages))) for _ in range(2)]
            for _ in range(10):
                await asyncio.sleep(0.01)
                counts.append(len(state.sessions))
        pages.set()
        await asyncio.gather(*served)
        return counts, len(state.sessions)

    counts, left = asyncio.run(serve_four())
    assert set(counts) == {2} and left == 0


# ---- connections

def test_the_connections_of_an_address_are_limited(monkeypatch):
    monkeypatch.setattr(connections, "MAX_CONNECTIONS_PER_ADDRESS", 3)
    with serving() as (port, _, _), contextlib.ExitStack() as stack:
        for _ in range(3):
            assert not is_closed(stack.enter_context(dial(port)), 0.1)
        assert is_closed(stack.enter_context(dial(port)))
        if open_second_address(port):
            assert not is_closed(stack.enter_context(dial(port, "127.0.0.2")), 0.1)


def open_second_address(port):
    """Whether this system has 127.0.0.2, as Linux does."""
    try:
        dial(port, "127.0.0.2").close()
    except OSError:
        return False
    return True


def test_the_connections_of_all_are_limited_by_the_files_that_the_process_may_open(monkeypatch):
    monkeypatch.setattr(connections, "max_open_files", lambda: 10)
    with serving(proxies=("127.0.0.1",)) as (port, _, _), contextlib.ExitStack() as stack:      # of many addresses
        for _ in range(4):
            assert not is_closed(stack.enter_context(dial(port)), 0.1)
        assert is_closed(stack.enter_context(dial(port)))
    with serving() as (port, _, _), contextlib.ExitStack() as stack:                            # of one
        for _ in range(2):
            assert not is_closed(stack.enter_context(dial(port)), 0.1)
        assert is_closed(stack.enter_context(dial(port)))


@pytest.mark.parametrize("start", [b"", b"GET / HTTP/1.1\r\nX-A: ",
                                   b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"])
def test_a_connection_that_becomes_no_websocket_is_closed_after_a_while(server, start, monkeypatch):
    monkeypatch.setattr(connections, "HTTP_SECONDS", 0.5)
    with dial(server[0]) as connection:
        connection.sendall(start)
        assert is_closed(connection)


def test_a_connection_whose_requests_are_answered_outlives_that_time(server, monkeypatch):
    monkeypatch.setattr(connections, "HTTP_SECONDS", 1.5)
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server[0], timeout=10)) as connection:
        connection.connect()
        first = connection.sock
        end = time.monotonic() + 4
        while time.monotonic() < end:
            connection.request("GET", "/x")
            assert connection.getresponse().read() == b"Not Found"
            time.sleep(0.1)
        assert connection.sock is first
        first.sendall(b"GET /x HTTP/1.1\r\nX-A: ")
        assert is_closed(first, 3)


def test_a_client_that_reads_no_answers_is_closed(server, monkeypatch):
    monkeypatch.setattr(connections, "HTTP_SECONDS", 1.5)
    port, _, open_connections = server
    with dial(port, receive_buffer=4096) as connection:
        request = b"GET /static/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
        connection.sendall(request)
        wait_for(lambda: open_connections.open)
        transport, = open_connections.open
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        end = time.monotonic() + 4
        while open_connections.open and time.monotonic() < end:
            with contextlib.suppress(ConnectionError):
                connection.sendall(request)              # so that uvicorn does not close it as unused
            time.sleep(0.3)
        assert not open_connections.open


def test_a_websocket_outlives_that_time(server, monkeypatch):
    monkeypatch.setattr(connections, "HTTP_SECONDS", 0.5)
    with open_websocket(server[0]) as connection:
        assert not is_closed(connection, 1.0)


def test_large_headers_are_refused(server):
    with dial(server[0]) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"x" * 20_000)
        assert connection.recv(12) == b"HTTP/1.1 400"
        assert is_closed(connection)


def test_messages_are_not_compressed(server):
    with connect(f"ws://127.0.0.1:{server[0]}/ws", compression="deflate") as websocket:
        assert websocket.protocol.extensions == []


def test_a_message_of_empty_fragments_ends_the_connection(server, monkeypatch):
    """They are not in the length of the message."""
    monkeypatch.setattr(connections, "MAX_UNFINISHED", 10_000)
    with open_websocket(server[0]) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(frame(1, b"{", is_last=False) + frame(0, is_last=False) * 2000)
        assert is_closed(connection)


def test_a_session_may_send_more_in_many_messages(server, monkeypatch):
    monkeypatch.setattr(connections, "MAX_UNFINISHED", 10_000)
    with connect(f"ws://127.0.0.1:{server[0]}/ws") as websocket:
        websocket.recv()
        for _ in range(10):
            websocket.send(json.dumps({"id": 1, "command": "stop", "other": "x" * 90, "more": ["x" * 90] * 30}))
            assert json.loads(websocket.recv())["stopped"]


def test_what_follows_a_request_is_not_read_before_it_is_answered(server, monkeypatch):
    monkeypatch.setattr(addresses, "LOOP_SHARE", 1000)
    port, _, open_connections = server
    with dial(port, receive_buffer=4096, send_buffer=4096) as connection:
        wait_for(lambda: open_connections.open)
        transport, = open_connections.open
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        *_, sent = pour(connection, b"GET /static/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n", 1)
    assert sent < 250_000                                # of which 64 kB are read; the rest waits in the system


def test_pongs_that_nobody_reads_are_bounded(server, monkeypatch):
    """Without a limit every ping is answered, into a buffer without end."""
    monkeypatch.setattr(addresses, "LOOP_SHARE", 1000)
    port, _, open_connections = server
    with open_websocket(port, receive_buffer=4096) as connection:
        transport, = open_connections.open
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        most = max(transport.get_write_buffer_size() for _ in pour(connection, frame(9, bytes(125)) * 100, 1))
    assert 50_000 < most < 100_000


def test_a_flood_of_frames_leaves_the_event_loop_to_others(server, monkeypatch):
    monkeypatch.setattr(addresses, "LOOP_SHARE", 0.01)
    monkeypatch.setattr(addresses, "LOOP_BURST", 0.01)
    with open_websocket(server[0], send_buffer=4096) as attacker:
        *_, sent = pour(attacker, frame(9) * 500, 1)
    # Some 150,000 frames could be parsed; here a hundredth, and what is in the buffers of the system.
    assert sent < 60_000 * len(frame(9))


def test_faults_of_clients_are_not_logged(server, caplog):
    with caplog.at_level(logging.WARNING):
        with dial(server[0]) as connection:
            connection.sendall(b"\x16\x03 no HTTP\r\n\r\n")
            assert is_closed(connection)
        with open_websocket(server[0]) as connection:
            connection.sendall(frame(1, b"\xff\xff"))
            assert is_closed(connection)
    assert caplog.records == []


def test_a_client_that_reads_nothing_does_not_delay_the_end(capsys):
    with serving() as (port, _, open_connections):
        connection = open_websocket(port, receive_buffer=4096)
        transport, = open_connections.open
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        data = base64.b64encode(b"(;SZ[9]" + b";N[x]" * 9999 + b")").decode()
        text = json.dumps({"command": "load", "data": data}).encode()
        connection.sendall(bytes([0x81, 0xff]) + len(text).to_bytes(8, "big") + bytes(4) + text)
        end = time.monotonic() + 10
        while not transport.get_write_buffer_size():
            assert time.monotonic() < end
            time.sleep(0.01)
        started = time.monotonic()
    assert time.monotonic() - started < 15                 # it takes 0.3 s alone
    assert capsys.readouterr().err == ""
    connection.close()


# ---- names and proxies

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


@pytest.mark.parametrize("proxies, key", [(("127.0.0.1/32",), "203.0.113.9"), ((), "127.0.0.1"),
                                          (("192.0.2.0/24",), "127.0.0.1")])
def test_only_trusted_proxies_name_the_client(proxies, key, monkeypatch):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")       # which uvicorn believes by default
    with serving(proxies=proxies) as (port, state, _):
        headers = {"X-Forwarded-For": "198.51.100.1, 203.0.113.9"}
        with connect(f"ws://127.0.0.1:{port}/ws", additional_headers=headers) as websocket:
            websocket.recv()
            session, = state.sessions
            assert session.address is state.addresses.get(key)


def test_the_connections_of_a_trusted_proxy_are_those_of_many_clients(monkeypatch):
    monkeypatch.setattr(connections, "MAX_CONNECTIONS_PER_ADDRESS", 1)
    with serving(proxies=("127.0.0.0/8",)) as (port, _, _), dial(port) as one, dial(port) as two:
        assert not is_closed(one, 0.1) and not is_closed(two, 0.1)


def test_names_and_addresses_of_the_command_line():
    assert interpret_host("Go.Example.org") == "go.example.org"
    assert interpret_proxy("10.0.0.0/8") == "10.0.0.0/8"
    assert interpret_proxy("::1") == "::1/128"
