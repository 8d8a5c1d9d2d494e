"""The static site in a headless Chromium: in a folder of a plain web server, offline, updated, and as a library."""
import contextlib
import functools
import http.server
import shutil
import threading
import time
from pathlib import Path

import pytest
from web_page import STONES, new_game, new_gomoku_game, play_out, screen_point

from mugo.games.coords import interpret_gtp
from mugo.games.go import GoPosition
from mugo.nn.bundled import BundledNetworks
from mugo.nn.inference import has_exact_int8
from mugo.web import positions, site

ROOT = Path(__file__).parents[2]
GAME = {"size": 9, "komi": 7, "black": [], "white": [], "handicap": 0}
IS_STORED = """async () => {
    await navigator.serviceWorker.ready;
    for (const name of await caches.keys()) {
        const address = new URL("manifest.webmanifest", document.baseURI);
        if (await (await caches.open(name)).match(address, { ignoreSearch: true })) {
            return (await navigator.serviceWorker.getRegistration()).active?.state === "activated" && name;
        }
    }
    return false;
}"""

pytestmark = pytest.mark.skipif(
    not all((site.KERNELS / name).exists() for name in site.KERNEL_FILES),
    reason="the kernels of the site are not built: .ci/site")


class Server(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("www") / "of" / "someone"
    site.write_site(folder)
    shutil.copy(ROOT / "docs/deploy/mugo-example.html", folder)
    return folder


@pytest.fixture(scope="module")
def address(folder):
    """The site under a sub-path; in place of the server of `mugo web`."""
    handler = functools.partial(Server, directory=folder.parents[1])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/of/someone/"
        server.shutdown()
        thread.join()


def until(page, expression, seconds=60):
    """The value of an expression as soon as it is true; the page's policy forbids Playwright's own waiting."""
    from playwright.sync_api import Error

    end, value = time.monotonic() + seconds, None
    while not value:
        assert time.monotonic() < end, expression
        with contextlib.suppress(Error):                 # between two pages
            value = page.evaluate(expression)
        time.sleep(0.05)
    return value


def ask(page, command, **fields):
    """The answer of the page's worker to a request about an empty board of 9x9."""
    return page.evaluate("([command, fields]) => mugo.server.request(command, fields)",
                         [command, {"game": GAME, "moves": [], **fields}])


def test_the_network_answers_as_the_server_does_and_nothing_is_asked_elsewhere(open_page, address, failures):
    page = open_page(bypass_csp=False)
    asked = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.reload()
    until(page, "mugo.state.server.isConnected")
    answer = ask(page, "policy", moves=["B E5"])
    until(page, IS_STORED)
    assert all(url.startswith(address) for url in asked) and len(asked) > 50
    assert failures == []                                # among them what the policy refuses
    if has_exact_int8():
        expected = positions.policy(GoPosition(9, 7).play(interpret_gtp("E5", 9)), BundledNetworks(1, "int8"))
        assert answer["priors"] == pytest.approx(expected["priors"], abs=1e-4)
        assert answer["win_rate"] == pytest.approx(expected["win_rate"], abs=1e-3)


def test_after_the_first_visit_games_are_played_without_a_connection(open_page, address, failures):
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    until(page, "window.mugo?.state.server.isConnected")
    until(page, IS_STORED)
    new_gomoku_game(page, "6 4", opponent="mcts-50")     # its network is kept because it was used
    play_out(page, 6, [f"{column}{row}" for row in range(1, 7) for column in "ABCDEF"])
    page.context.set_offline(True)
    page.goto("about:blank")
    page.goto(address)
    until(page, "window.mugo?.state.server.isConnected")
    new_game(page, colour="B", opponent="policy")
    for vertex, stones in (("E5", 2), ("G7", 4)):
        page.touchscreen.tap(*screen_point(page, vertex))
        page.wait_for_function(f"{STONES} === {stones}", timeout=60_000)
    new_gomoku_game(page, "6 4", opponent="mcts-50")
    play_out(page, 6, [f"{column}{row}" for row in range(1, 7) for column in "FEDCBA"])
    assert failures == []


def test_a_new_version_comes_as_a_whole(open_page, folder, monkeypatch, tmp_path):
    page = open_page()
    before = until(page, IS_STORED)
    changed = shutil.copytree(site.KERNELS, tmp_path / "kernels")
    (changed / "facts.json").write_text((changed / "facts.json").read_text() + " ")
    monkeypatch.setattr(site, "KERNELS", changed)
    site.write_site(folder)
    shown = "document.querySelector('meta[name=mugo-worker]').content.split('/')[0]"
    old = page.evaluate(shown)
    page.evaluate("navigator.serviceWorker.getRegistration().then((it) => it.update())")
    until(page, "navigator.serviceWorker.getRegistration().then((it) => Boolean(it.waiting))")
    assert page.evaluate(shown) == old and ask(page, "planes")["packed"]
    page.reload()
    until(page, f"document.querySelector('meta[name=mugo-worker]') && {shown} !== '{old}'")
    until(page, "mugo.state.server.isConnected")
    names = until(page, "caches.keys().then((names) => names.length === 1 && names)")
    assert names != [before]


def test_another_page_uses_it_as_a_library(open_page, address):
    page = open_page()
    page.goto(f"{address}mugo-example.html")
    page.click("button")
    page.wait_for_function("/Black wins with [0-9]+ %/.test(document.querySelector('output').textContent)",
                           timeout=60_000)
