"""A server with a fake network, and its page in a headless Chromium."""
import socket
import threading

import chromium
import pytest
from web_page import STATUS

from mugo.games.coords import interpret_gtp


@pytest.fixture(scope="module")
def network():
    """Prefers C3 on 9x9."""
    from web_fakes import UniformNetwork

    return UniformNetwork(interpret_gtp("C3", 9))


@pytest.fixture(scope="module")
def address(network):
    """The server."""
    for package in "starlette", "uvicorn":
        pytest.importorskip(package)
    from mugo.web import app as web_app
    from mugo.web.server import make_server
    from mugo.web.state import ServerState

    with socket.create_server(("127.0.0.1", 0)) as listener:
        state = ServerState(network, jobs=2)
        server = make_server(web_app.make_app(lambda: state), state)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def chromium_program():
    """The browser, which starts once for all modules: a new window would take as long as a new browser."""
    if chromium.PROGRAM is None:
        pytest.skip("Chromium is not installed")
    program = chromium.Chromium()
    yield program
    program.close()


@pytest.fixture(scope="module")
def browser(chromium_program, address):
    """The page of this module's server."""
    chromium_program.open_anew(address)
    yield chromium_program
    chromium_program.open("about:blank")


@pytest.fixture
def page(browser):
    """The page on a desktop without an overlay; at first with a game on 9x9 against `mcts-200`."""
    browser.resize(1280, 860)
    browser.until(f"document.querySelector('.grid') && {STATUS}", 60)
    browser.run("document.activeElement.blur()")
    browser.press("0")
    yield browser
    assert browser.failures == []
