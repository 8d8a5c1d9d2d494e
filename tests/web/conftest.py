"""A server with a fake network, and its page in a headless Chromium."""
import asyncio
import socket
import threading
import time

import pytest
from web_page import CHROMIUM, STATUS

from mugo.games.coords import interpret_gtp

DESKTOP = {"viewport": {"width": 1280, "height": 860}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def pytest_addoption(parser):
    parser.addoption("--update-pictures", action="store_true", help="store what tests/web/test_page_pictures.py sees")


@pytest.fixture(scope="module")
def network():
    """Prefers C3 on 9x9."""
    from web_fakes import UniformNetwork

    return UniformNetwork(interpret_gtp("C3", 9))


@pytest.fixture(scope="module")
def folder():
    """The RecordFolder of the server, if it has one."""
    return None


@pytest.fixture(scope="module")
def address(network, folder):
    """The server."""
    for package in "starlette", "uvicorn":
        pytest.importorskip(package)
    from mugo.web import app as web_app
    from mugo.web.app import make_server
    from mugo.web.state import ServerState

    with socket.create_server(("127.0.0.1", 0)) as listener:
        state = ServerState(network, jobs=2, folder=folder)
        server = make_server(web_app.make_app(lambda: state), state)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while thread.is_alive() and not (server.started and state.is_idle):
            time.sleep(0.02)                             # with an empty cache it compiles longer than a test waits
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def launched():
    """(A browser, the event loop of Playwright.)  The loop is the thread's while a module uses `chromium`: asyncio.run
    fails where another loop runs."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        loop = asyncio.get_running_loop()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"])
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture(scope="module")
def chromium(launched):
    """The browser, which starts once for all modules."""
    browser, loop = launched
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture(scope="module")
def failures():
    """Exceptions and errors on the console of the module's pages; each test fails that leaves one."""
    return []


@pytest.fixture(scope="module")
def open_page(chromium, address, failures):
    """Open the page of this module's server in a new context of the browser, with these options.

    bypass_csp: page.wait_for_function evaluates a text in the page, which its Content-Security-Policy forbids.
    """
    contexts = []

    def open_page(bypass_csp=True, **options):
        contexts.append(chromium.new_context(bypass_csp=bypass_csp, reduced_motion="reduce", **options))
        contexts[-1].set_default_timeout(15_000)
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.on("console", lambda message: message.type == "error" and failures.append(message.text))
        page.goto(address)
        return page
    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def opened(open_page):
    return open_page(**DESKTOP)


@pytest.fixture(scope="module")
def opened_phone(open_page):
    return open_page(**PHONE)


@pytest.fixture
def page(opened, failures):
    """The page on a desktop without an overlay; at first with a game on 9x9 against `mcts-200`."""
    yield from _ready(opened, DESKTOP["viewport"], failures)


@pytest.fixture
def phone(opened_phone, failures):
    """The page on a phone, as `page`."""
    yield from _ready(opened_phone, PHONE["viewport"], failures)


def _ready(page, viewport, failures):
    page.set_viewport_size(viewport)
    page.wait_for_function(f"document.querySelector('.grid') && window.mugo.state.game && {STATUS}", timeout=60_000)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("0")
    yield page
    assert failures == []
