"""What a step through a game costs on the page, in a headless Chromium: python benchmarks/page_step.py [NODES]

The game has a main line of 300 moves, and variations of 100 moves up to NODES nodes (default 20,000).  Printed are
milliseconds of JavaScript for a key, until the page is drawn, without the layout of the browser.
"""
import socket
import statistics
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from playwright.sync_api import sync_playwright  # noqa: E402
from web_fakes import UniformNetwork  # noqa: E402
from web_page import CHROMIUM  # noqa: E402

from mugo.web import app as web_app  # noqa: E402
from mugo.web.app import make_server  # noqa: E402
from mugo.web.state import ServerState  # noqa: E402

MAIN_LINE, VARIATION = 300, 100
STEP = """(async () => {
    const { step } = await import('/static/actions/navigate.js');
    const times = [];
    for (let i = 0; i < 100; i++) {
        const start = performance.now();
        step(i < 50 ? 'next' : 'previous');
        await null;                                      // the page is drawn with this task
        await null;
        times.push(performance.now() - start);
        await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
    return times;
})()"""


def record(nodes: int) -> str:
    """A game with so many nodes."""
    move = [f";{'BW'[i % 2]}[{chr(97 + i % 19)}{chr(97 + i // 19 % 19)}]" for i in range(MAIN_LINE)]
    variations = max(0, nodes - MAIN_LINE - 1) // VARIATION
    at = {}
    for k in range(variations):
        at.setdefault(1 + k % (MAIN_LINE - VARIATION), []).append(
            "(" + ";B[ss]C[x]" + "".join(f";{'WB'[i % 2]}[{chr(97 + i % 19)}{chr(97 + (i // 19 + k) % 19)}]"
                                          for i in range(VARIATION - 1)) + ")")
    text = ""
    for i in reversed(range(MAIN_LINE)):
        text = move[i] + (f"({text}){''.join(at[i])}" if i in at else text)
    return f"(;GM[1]SZ[19]{text})"


def main() -> None:
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with socket.create_server(("127.0.0.1", 0)) as listener:
        state = ServerState(UniformNetwork(), jobs=1)
        server = make_server(web_app.make_app(lambda: state), state)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        playwright = sync_playwright().start()
        page = playwright.chromium.launch(executable_path=CHROMIUM).new_page(bypass_csp=True)
        page.set_default_timeout(120_000)
        try:
            page.goto(f"http://127.0.0.1:{listener.getsockname()[1]}/")
            page.wait_for_function("window.mugo?.state.game?.node.position")
            page.evaluate(f"""import('/static/actions/files.js').then(({{ openFiles }}) => {{
                openFiles([['game.sgf', new File([{record(nodes)!r}], 'game.sgf')]]);
            }})""")
            page.wait_for_function("window.mugo.state.game.line().length > 300")
            page.evaluate("window.mugo.change((state) => { state.lineAnalysis = null; })")     # the review
            page.wait_for_function("window.mugo.state.job === null")
            print(page.evaluate("window.mugo.state.game.nodeList([]).nodes.length"), "nodes")
            first, again = page.evaluate(STEP), page.evaluate(STEP)
            for name, times in ("first", first), ("again", again):
                print(f"{name}: median {statistics.median(times):.2f} ms, 95 % below {sorted(times)[94]:.2f} ms")
        finally:
            playwright.stop()
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    main()
