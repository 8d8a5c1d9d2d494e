"""The pictures of this documentation that show what the bundled networks think, made again after a network changed:

    python docs/tools/pictures.py [NAME ...] [-o docs/images]

NAME: web-start, web-playing, web-phone, web-heat-map, web-win-rate, web-review, web-mistake, web-people, web-gomoku,
web-editing, review, what_it_sees, problems (default: all).  Those of the page need Chromium.  Pictures of training and
evaluation are written by `mugo train` and `mugo evaluate`.
"""
import argparse
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from PIL import Image

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests"))
import page_states  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402
from web_page import CHROMIUM, NUMBER, STATUS, STONES, load, new_game, screen_point, stone  # noqa: E402

from mugo.games.coords import point_of_index  # noqa: E402
from mugo.sgf.record_positions import positions_of  # noqa: E402
from mugo.nn.inference import Network  # noqa: E402
from mugo.nn.network_file import find_network  # noqa: E402
from mugo.plots.figures import new_figure, save_figure  # noqa: E402
from mugo.plots.svg import board_svg  # noqa: E402
from mugo.sgf.parser import read_records  # noqa: E402

GAME_19, GAME_9 = (REPOSITORY / "data" / f"gnugo-{size}-000.sgf" for size in ("19x19", "9x9"))
GOMOKU = "(;GM[4]SZ[15];B[hh];W[hf];B[gh];W[gg];B[ih];W[jh])"
DESKTOP = {"viewport": {"width": 1200, "height": 806}, "device_scale_factor": 0.8}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.25, "has_touch": True, "is_mobile": True}
VISITS = "(Number(/([\\d,]+) visits/.exec(document.getElementById('search-summary').textContent)?.[1]" \
         ".replace(',', '') ?? 0))"
IS_ANALYSED = "document.getElementById('analyze-game').getAttribute('aria-pressed') === 'false'"


def go_to(page: Page, number: int) -> None:
    page.evaluate(f"""(() => {{
        const slider = document.getElementById('slider');
        slider.value = {number};
        slider.dispatchEvent(new Event('input'));
    }})()""")
    page.wait_for_function(f"{NUMBER}.startsWith('{number} ')")


def overlay(page: Page, name: str) -> None:
    page.evaluate(f"document.querySelector('[name=overlay][value={name}]').click()")


def play(page: Page, vertex: str, size: int = 9) -> None:
    """Play a point, and wait for the answer."""
    before = page.evaluate(STONES)
    page.mouse.click(*screen_point(page, vertex, size))
    page.wait_for_function(f"{STONES} >= {before} + 2 && {STATUS}.endsWith('Black to play.')", timeout=60_000)


def analyse_all(page: Page, seconds: float) -> None:
    page.dispatch_event("#analyze-game", "click")
    time.sleep(1)
    page.wait_for_function(IS_ANALYSED, timeout=1000 * seconds)


def search_to(page: Page, visits: int) -> None:
    """Search the position on the board until it has so many visits."""
    overlay(page, "search")
    page.dispatch_event("#analyze", "click")
    page.wait_for_function(f"{VISITS} >= {visits}", timeout=120_000)


def short_game(page: Page) -> None:
    new_game(page, colour="B", opponent="mcts-200")
    for _ in range(3):
        play(page, next(vertex for vertex in ("G3", "E5", "C7", "G7", "C3") if not stone(page, vertex)))
    search_to(page, 1500)


def web_start(page: Page) -> None:
    page.click("#home")
    page.wait_for_function(f"{STONES} > 10 && !{STATUS}", timeout=60_000)


def web_playing(page: Page) -> None:
    short_game(page)


def web_heat_map(page: Page) -> None:
    load(page, GAME_19.read_text(encoding="utf-8"))
    go_to(page, 60)
    overlay(page, "policy")
    time.sleep(2)


def web_win_rate(page: Page) -> None:
    load(page, GAME_9.read_text(encoding="utf-8"))
    analyse_all(page, 300)
    go_to(page, 16)
    search_to(page, 1500)


def web_review(page: Page) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    load(page, GAME_19.read_text(encoding="utf-8"))
    analyse_all(page, 900)
    page.wait_for_function("window.mugo.state.at.mistake?.why", timeout=60_000)
    time.sleep(1)


def web_mistake(page: Page) -> None:
    page.set_viewport_size({"width": 1180, "height": 800})
    load(page, GAME_9.read_text(encoding="utf-8"))
    go_to(page, 12)
    page.dispatch_event("#teaching", "click")
    page.wait_for_function("!document.getElementById('play-from').disabled")
    page.keyboard.press("f")
    page.evaluate("""(() => {
        const form = document.querySelector('#play-from-dialog[open] form');
        form.querySelector('[name=colour][value=B]').click();
        form.opponent.value = 'mcts-200';
        form.clock.value = 'fischer';
        form.clock.dispatchEvent(new Event('change', { bubbles: true }));
        form.main.value = 5;
        form.increment.value = 0;
        form.querySelector('button[value=start]').click();
    })()""")
    page.wait_for_function("!document.getElementById('stop-playing').hidden")
    page.mouse.click(*screen_point(page, "A1"))
    page.wait_for_function("!document.getElementById('offer').hidden", timeout=60_000)


def web_people(page: Page) -> None:
    load(page, GAME_19.read_text(encoding="utf-8"))
    go_to(page, 45)
    overlay(page, "people")
    page.click("#open-menu")
    page.wait_for_selector("#people-rank", state="visible")
    time.sleep(4)


def web_gomoku(page: Page) -> None:
    load(page, GOMOKU)
    analyse_all(page, 120)
    page.keyboard.press("End")
    search_to(page, 1500)


PAGES: dict[str, Callable[[Page], None]] = {
    "web-start": web_start, "web-playing": web_playing, "web-phone": web_playing, "web-heat-map": web_heat_map,
    "web-win-rate": web_win_rate,
    "web-review": web_review, "web-mistake": web_mistake, "web-people": web_people,
    "web-gomoku": web_gomoku, "web-editing": page_states.edit}


def draw_page(name: str, path: Path) -> None:
    """A picture of the page, in a browser and with a server of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "mugo", "web", "--no-browser", "--port", str(port), "--size", "9"],
                              cwd=REPOSITORY, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}/"
    try:
        while not is_served(address):
            assert server.poll() is None, "the server did not start"
            time.sleep(0.1)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM)
            page = browser.new_page(bypass_csp=True, reduced_motion="reduce",
                                    **(PHONE if name == "web-phone" else DESKTOP))
            failures = []
            page.on("pageerror", lambda error: failures.append(error))
            page.goto(address)
            page.wait_for_function("document.querySelector('.grid') && window.mugo.state.game?.node.position",
                                   timeout=120_000)
            try:
                PAGES[name](page)
            finally:
                page.screenshot(path=path)
        reduce_colours(path)
        assert not failures, failures
    finally:
        server.terminate()
        server.wait(30)


def reduce_colours(path: Path) -> None:
    """250 colours of the picture, and those of the levels of losses, of which there are few points."""
    image = Image.open(path).convert("RGB")
    css = (REPOSITORY / "mugo" / "web" / "static" / "styles" / "board.css").read_text(encoding="utf-8")
    levels = bytes.fromhex("".join(re.findall(r"--level: #(\w{6})", css)))
    palette = Image.new("P", (1, 1))
    palette.putpalette(bytes(image.quantize(250, dither=Image.Dither.NONE).getpalette()[:750]) + levels)
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


def is_served(address: str) -> bool:
    try:
        with urllib.request.urlopen(address):
            return True
    except OSError:
        return False


def review(path: Path) -> None:
    """The win rate along the sample game on 9x9."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "mugo", "review", str(GAME_9), "-o", folder], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copy(next(Path(folder).rglob("*.png")), path)


def what_it_sees(path: Path) -> None:
    """The five best moves of policy-19 in the sample game on 19x19."""
    number = 77
    network = Network(find_network("policy-19"))
    record = next(read_records(GAME_19.read_bytes()))
    position = list(positions_of(record))[number]
    priors = network.evaluate([position], symmetries=True).priors[0][:-1].tolist()
    best = sorted(range(len(priors)), key=priors.__getitem__)[-5:]
    shares = {point_of_index(i, network.size): priors[i] for i in best}
    svg = board_svg(position, shares=shares,
                    caption=f"where policy-19 expects move {number + 1} (GNU Go against itself)")
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=CHROMIUM).new_page(device_scale_factor=2)
        page.set_content(svg)
        page.locator("svg").screenshot(path=path)


def problems(path: Path) -> None:
    """Problems solved against the processor time of a move, from the table of docs/lab/benchmarks.md."""
    table = re.findall(r"^\| `(\w+)`.*? \| (\d+) \(\d+ to \d+\) \| ([\d.]+) \|",
                       (REPOSITORY / "docs" / "lab" / "benchmarks.md").read_text(encoding="utf-8"), re.M)
    figure = new_figure((7, 4))
    axes = figure.subplots()
    for player in ("policy", "mcts", "uct"):
        rows = [(float(time), int(share)) for name, share, time in table if name == player]
        axes.semilogx(*zip(*rows, strict=True), "o-", label=player)
    axes.set(xlabel="processor seconds for a move", ylabel="problems solved, %")
    axes.legend(frameon=False)
    save_figure(figure, path)


def main() -> None:
    names = [*PAGES, "review", "what_it_sees", "problems"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *names])
    parser.add_argument("-o", "--output", type=Path, default=REPOSITORY / "docs" / "images")
    args = parser.parse_args()
    for name in args.names or names:
        path = args.output / f"{name}.png"
        if name in PAGES:
            draw_page(name, path)
        else:
            {"review": review, "what_it_sees": what_it_sees, "problems": problems}[name](path)
        print(path, flush=True)


if __name__ == "__main__":
    main()
