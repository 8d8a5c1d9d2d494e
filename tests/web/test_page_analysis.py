"""Analyses on the page in a headless Chromium: games that are played, analysed, left and opened again."""
import re

import numpy as np
import pytest

from web_fakes import UniformNetwork
from web_page import NUMBER, STATUS, STONES, load, new_game, save, screen_point

from mugo.games.planes import unpack
from mugo.nn.output import NetworkOutput

ANALYSED = "document.getElementById('analyze-game').textContent === 'Analyse all moves'"
NODES = "window.mugo.state.game.line()"
MISTAKES = "[...document.querySelectorAll('#move-list button:has(b)')].map((each) => each.textContent).join('|')"


class CountingNetwork(UniformNetwork):
    """Sees Black ahead by 60 points on 19x19, by 7.5 on 9x9 and 12 fewer with a stone in a corner; less the komi."""

    def evaluate_packed(self, packed, features=None):
        own_points, colour = features.T
        own, other = np.moveaxis(unpack(packed)[..., :2], -1, 0)
        n, size, _ = own.shape
        black = np.where(colour[:, None, None] == 1, own, other)
        is_bad = black[:, ::size - 1, ::size - 1].any((1, 2))
        leads = (60 if size == 19 else 7.5 - 12.0 * is_bad) + colour * own_points
        scores = (leads * colour).astype(np.float32)
        priors = np.full((n, size * size + 1), 1 / (size * size + 1), np.float32)
        return NetworkOutput(priors, np.tanh(scores / 20), None, scores, np.full(n, 10, np.float32))


@pytest.fixture(scope="module")
def network():
    return CountingNetwork()


def start(page, *, size=9, handicap=0, opponent="mcts-50"):
    """A new game as Black, by the dialog."""
    page.evaluate(f"""(() => {{
        document.getElementById('new').click();
        const form = document.querySelector('#new-game-dialog form');
        document.getElementById('status').textContent = '';
        for (const [name, value] of [['game', 'go'], ['size', {size}], ['colour', 'B']]) {{
            form.querySelector(`[name=${{name}}][value="${{value}}"]`).click();
        }}
        form.handicap.value = {handicap};
        form.handicap.dispatchEvent(new Event('change', {{ bubbles: true }}));
    }})()""")
    option = f"document.querySelector('#new-game-dialog [name=opponent] [value=\"{opponent}\"]')"
    page.wait_for_function(option)
    page.evaluate(f"{option}.selected = true")
    page.evaluate(f"{option}.closest('select').dispatchEvent(new Event('change', {{ bubbles: true }}))")
    page.evaluate("document.querySelector('#new-game-dialog [value=start]').click()")
    page.wait_for_function("!document.querySelector('#confirm-dialog[open] [value=yes]')?.click() && "
                           f"window.mugo.state.game.size.rows === {size} && window.mugo.state.opponent === '{opponent}'"
                           f" && {STATUS} !== '' && {NUMBER} === '{'1 / 1' if handicap else '0 / 0'}'", timeout=60_000)


def play(page, vertex, size=9):
    """Play a move, and wait for MuGo's."""
    before = page.evaluate("window.mugo.state.game.line().length")
    page.wait_for_function(f"window.mugo.state.game.node.position?.to_play === 'B' "
                           f"&& {STATUS}.includes('Black to play')", timeout=60_000)
    page.mouse.click(*screen_point(page, vertex, size))
    page.wait_for_function(f"window.mugo.state.game.line().length === {before + 2} "
                           f"&& {STATUS}.includes('Black to play')", timeout=60_000)


def analyse(page, seconds=90):
    page.dispatch_event("#analyze-game", "click")
    page.wait_for_function(ANALYSED, timeout=1000 * seconds)


def losses(page):
    """What each move lost, in points."""
    return page.evaluate(f"""import('/static/core/losses.js').then(({{ lostByMoves }}) =>
        lostByMoves({NODES}).moves.map(({{ lost }}) => lost))""")


def test_a_handicap_game_has_small_losses_and_a_smooth_graph(page):
    start(page, size=19, handicap=6)
    for vertex in ("C14", "R6"):
        play(page, vertex, 19)
    assert page.evaluate(f"{NODES}.some(({{ thinking }}) => thinking?.moves.length)")     # MuGo has searched
    assert page.evaluate(f"{NODES}.every(({{ analysis }}) => !analysis)") and "Black wins" not in save(page)
    assert not page.evaluate(f"{NODES}.some(({{ thinking }}) => thinking?.lead != null)")  # with another komi
    analyse(page)
    leads = page.evaluate(f"{NODES}.map(({{ analysis }}) => analysis.lead)")
    assert len(leads) == 6 and max(leads) - min(leads) < 1 and min(leads) > 40
    assert len(losses(page)) == 5 and max(map(abs, losses(page))) < 1


def test_what_an_opponent_thinks_is_shown_and_is_no_analysis(page):
    start(page)
    play(page, "E5")
    page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("document.querySelectorAll('.overlay .candidate').length > 0")
    assert page.text_content("#legend").startswith("What MuGo considered")
    assert page.is_hidden("#moves") and page.evaluate("!window.mugo.state.game.node.analysis")


def test_a_game_against_a_search_without_a_network_can_be_reviewed(page):
    start(page, opponent="uct-100")
    page.evaluate("window.mugo.state.settings.teaching = false")           # which a weak opponent switches on
    for vertex in ("E5", "A1"):
        play(page, vertex)
    analyse(page)
    page.click("#tab-review")
    page.wait_for_function(rf"/A11\d/.test({MISTAKES})")
    assert page.evaluate(f"{NODES}.every(({{ analysis }}) => analysis.lead !== null && analysis.visits >= 40)")


def test_a_review_is_whole_after_a_reload_half_way_and_in_its_file(page):
    load(page, "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[7.5];B[ee];W[gc];B[ai];W[gg])")
    page.dispatch_event("#analyze-game", "click")
    page.wait_for_function(f"{NODES}.filter(({{ analysis }}) => analysis?.visits >= 40).length >= 2", timeout=60_000)
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    kept = page.evaluate(f"{NODES}.filter(({{ analysis }}) => analysis?.visits >= 40).length")
    assert kept >= 2
    page.evaluate("""(() => {
        const { server } = window.mugo;
        const request = server.request.bind(server);
        window.analysed = 0;
        server.request = (command, ...rest) => {
            window.analysed += command === 'analyze' && rest[0].simulations === 40;     // not those around mistakes
            return request(command, ...rest);
        };
    })()""")
    analyse(page)
    assert page.evaluate("window.analysed") == 5 - kept      # of those with visits and moves none is searched again
    page.wait_for_function(rf"/^3A11\d(\||$)/.test({MISTAKES})")
    listed, text = page.evaluate(MISTAKES), save(page)
    assert text.count("]LZ[MuGo") == 4 and "LZOP[MuGo" in text and text.count("Black wins") == 5
    new_game(page)
    load(page, text)
    page.wait_for_function(f"{MISTAKES} === {listed!r}")
    assert page.evaluate("document.querySelectorAll('#moves tbody tr').length") == 3
    page.keyboard.press("2")
    page.wait_for_function("document.querySelectorAll('.overlay .candidate').length > 0")
    assert save(page) == text
    page.keyboard.press("0")


def test_a_finished_game_keeps_its_result_when_it_is_opened_again(page):
    new_game(page)
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STONES} === 1")
    for number in (2, 3):
        page.dispatch_event("#pass", "click")
        page.wait_for_function(f"{NUMBER} === '{number} / {number}'")
    page.wait_for_function(f"{STATUS}.startsWith('Black wins by 73.5')")
    summary = "document.getElementById('search-summary').textContent"
    page.wait_for_function(f"{summary} === 'Black wins 100.0 % · B+73.5'")
    text = save(page)
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {summary} === 'Black wins 100.0 % · B+73.5'")
    load(page, text)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '3 / 3' && {summary} === 'Black wins 100.0 % · B+73.5'")


def test_a_hint_shows_its_search_in_this_position_only(page):
    new_game(page)
    page.keyboard.press("h")
    page.wait_for_function(f"{STATUS}.startsWith('MuGo would play ')", timeout=30_000)
    vertex = re.match(r"MuGo would play (\w+)\.", page.evaluate(STATUS))[1]
    assert page.evaluate("document.querySelectorAll('.ghosts .hint').length") == 1
    assert page.evaluate("document.querySelectorAll('.overlay .candidate').length") == 0
    page.keyboard.press("h")               # and why
    page.wait_for_function("document.querySelectorAll('.overlay .candidate').length > 0")
    assert f"MuGo expects {vertex}" in page.evaluate(STATUS)
    assert page.evaluate("document.querySelector('[name=overlay]:checked').value") == "search"
    page.mouse.click(*screen_point(page, vertex))
    page.wait_for_function(f"{STONES} === 1")
    assert page.evaluate("document.querySelector('[name=overlay]:checked').value") == "none"
    assert page.evaluate("document.querySelectorAll('.overlay *').length") == 0
