"""The page in Debian's Firefox, over WebDriver BiDi: a game, a file, the review, a reload, without an error.

Playwright drives a Firefox of its own.  With channel="moz-firefox" it drives others, but its version 1.65 needs a
command of BiDi that Firefox 153, the ESR, does not have.
"""
import json
import re
import shutil
import subprocess

import pytest
from web_page import NUMBER, STATUS, STONES, load

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A page of a headless Firefox, with names of Playwright.  failures: errors of its scripts and on its console."""

    def __init__(self, socket):
        self.socket, self.last_id, self.failures = socket, 0, []
        self.send("session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": "accept"}}})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def send(self, method, **params):
        self.last_id += 1
        self.socket.send(json.dumps({"id": self.last_id, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("id") == self.last_id:
                assert message["type"] == "success", message
                return message["result"]
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.failures.append(message["params"]["text"])

    def evaluate(self, script):
        answer = self.send("script.evaluate", expression=script, target={"context": self.context}, awaitPromise=True)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    def wait_for_function(self, script):
        self.evaluate(f"""new Promise((resolve, reject) => {{
            const end = Date.now() + 30_000;
            const look = () => {{
                if ({script}) resolve(true);
                else if (Date.now() > end) reject(new Error({script!r}));
                else setTimeout(look, 20);
            }};
            look();
        }})""")

    def click(self, selector):
        self.evaluate(f"document.querySelector({selector!r}).click()")


@pytest.fixture
def page(address, tmp_path):
    client = pytest.importorskip("websockets.sync.client")
    if FIREFOX is None:
        pytest.skip("Firefox is not installed")
    process = subprocess.Popen([FIREFOX, "--headless", "--profile", tmp_path, "--remote-debugging-port", "0"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        line = next(line for line in process.stderr if "BiDi listening" in line)
        with client.connect(re.search(r"ws://\S+", line)[0] + "/session", max_size=None) as socket:
            page = Firefox(socket)
            page.send("browsingContext.navigate", context=page.context, url=address, wait="complete")
            yield page
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def test_a_game_a_file_and_a_reload(page):
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    for number, vertex in enumerate(("E5", "G7"), 1):
        page.evaluate(f"import('/static/actions/play.js').then(({{ play }}) => {{ play('{vertex}'); }})")
        page.wait_for_function(f"{STONES} === {2 * number} && {STATUS}.endsWith('Black to play.')")
    load(page, "(;SZ[9]PB[Aoi];B[ee];W[cc];B[gg])")
    page.click("#tab-review")
    page.wait_for_function("document.querySelector('#panel-review:not([hidden]) #graph .values')")
    page.click("#navigation [data-value=last]")
    page.wait_for_function(f"{NUMBER} === '3 / 3' && {STONES} === 3")
    page.send("browsingContext.reload", context=page.context, wait="complete")
    page.wait_for_function(f"document.querySelector('.grid') && {NUMBER} === '3 / 3' && {STONES} === 3")
    assert page.failures == []
