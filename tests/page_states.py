"""States of the page that tests look at: pictures, accessibility, targets of a finger.

Each is a function that brings a page to it.  All are deterministic: the files have the searches.
"""
import re
from pathlib import Path

from web_page import NUMBER, STATUS, STONES, load, new_game, new_gomoku_game, screen_point


def lz(to_play, lead, *moves):
    """The value of LZ for a node after which a side is to play; moves: (vertex, Black's lead, visits, variation)."""
    sign = 1 if to_play == "B" else -1
    rate = 50 + sign * lead
    infos = " info ".join(f"move {move} visits {visits} winrate {int(5000 + 100 * sign * value)} "
                          f"scoreMean {sign * value:.2f} pv {variation}" for move, value, visits, variation in moves)
    return f"MuGo {100 - rate:.1f} 400 {sign * lead:.2f}\n{infos}"


# Black 1 lost 2 points, Black 3 lost 5.
MISTAKES = "(;SZ[9]PB[Aoi]LZOP[" + lz("B", 5, ("D4", 5, 200, "D4 F6"), ("E5", 4.9, 150, "E5 C3")) + "]" \
    ";B[ee]LZ[" + lz("W", 1, ("C3", 1, 300, "C3 G7")) + "]" \
    ";W[cg]LZ[" + lz("B", 1, ("G7", 1, 200, "G7 C7 G5"), ("C7", 0, 100, "C7 G7")) + "]" \
    ";B[gg]LZ[" + lz("W", -4, ("C7", -4, 300, "C7 G7")) + "];W[cc]LZ[" + lz("B", -4, ("E2", -4, 300, "E2")) + "])"

SETTLED = """(({ state: { game, job }, server }) => job === null && server.pending.size === 0 && game?.node.position
    && game.opponents)(window.mugo)"""


def _record_19() -> str:
    """A game on 19x19 with a search after each of its 80 moves, in which both sides make mistakes."""
    text = (Path(__file__).parents[1] / "data" / "gnugo-19x19-000.sgf").read_text(encoding="utf-8")
    moves = re.findall(r";([BW]\[\w\w\])", text)[:80]
    lead, nodes = 0.5, []
    for number, move in enumerate(moves):
        lost = {0: 0.3, 7: 1.2, 11: 2.6, 13: 4.5, 19: 8.4}.get(number % 23, 0)
        lead += -lost if number % 2 == 0 else lost
        to_play = "W" if number % 2 == 0 else "B"
        sign = 1 if to_play == "B" else -1
        searched = [("R6", 0, 1234, "R6 C10"), ("C10", 0.7, 321, "C10 R6"), ("L4", 2.2, 98, "L4 Q8"),
                    ("K16", 5, 45, "K16 L4"), ("S17", 9, 7, "S17 T17")]
        infos = [(vertex, lead - sign * less, visits, variation) for vertex, less, visits, variation in searched]
        nodes.append(f";{move}LZ[{lz(to_play, lead, *infos)}]")
    return f"(;SZ[19]KM[7.5]PB[Aoi]PW[Beni]{''.join(nodes)})"


def _show(page, text, number, tab, overlay):
    """A game at one of its moves."""
    load(page, text)
    page.evaluate(f"document.getElementById('tab-{tab}').click()")
    page.evaluate("""(number) => {
        const slider = document.getElementById('slider');
        slider.value = number;
        slider.dispatchEvent(new Event('input'));
    }""", number)
    page.wait_for_function(f"{NUMBER}.startsWith('{number} /')")
    page.keyboard.press(overlay)


def play(page):
    new_game(page, colour="B", opponent="policy")
    page.evaluate("document.getElementById('tab-play').click()")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")


def losses(page):
    _show(page, _record_19(), 80, "review", "6")


def candidates(page):
    _show(page, _record_19(), 20, "review", "2")


def mistake(page):
    _show(page, MISTAKES, 4, "review", "0")
    page.keyboard.press("k")
    page.wait_for_selector(".ghosts .ring.better")
    page.wait_for_function("window.mugo.state.at.mistake.why")
    page.evaluate("""window.mugo.change(({ at: { mistake: { why } } }) => {         // rollouts differ
        why.better = { ownership: Array(81).fill(0) };
        why.played = { ownership: [...Array(81).keys()].map((i) => (i % 9 > 5 && i > 53 ? -60 : 0)) };
    })""")


def puzzle(page):
    _show(page, MISTAKES, 4, "review", "0")
    page.evaluate("document.getElementById('start-puzzles').click()")
    page.wait_for_function(f"{NUMBER} === '0 / 4'")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_selector("#status:text('Try again')")


def guess(page):
    _show(page, MISTAKES, 4, "review", "0")
    page.evaluate("document.getElementById('start-guess').click()")
    page.wait_for_selector("#status:text('Move 1: where did Black play?')")


def progress(page):
    """With two stored games."""
    page.evaluate("(({ kept }) => { while (kept.length) kept.removeItem(kept.key(0)); })(window.mugo)")
    for day, lost in enumerate((1, 3), 1):
        moves = "".join(f";{'BW'[i % 2]}[{'abcdefghi'[i % 9]}{'ace'[i // 9]}]"
                        f"C[Black wins 50.0 % (80 visits, W+{lost * (i // 2)}.0)]" for i in range(24))
        load(page, f"(;SZ[9]PB[Aoi]PW[Beni]DT[2026-03-0{day}]{moves})")
        page.evaluate("""() => {
            const field = document.getElementById('comment');
            field.focus();
            field.value = 'a note';
            field.dispatchEvent(new Event('input'));
            field.blur();
        }""")
        page.evaluate("import('/static/effects/storage.js').then(({ storeNow }) => storeNow())")
    page.evaluate("document.getElementById('show-progress').click()")
    page.fill("#own-name", "Aoi")
    page.dispatch_event("#own-name", "change")
    page.wait_for_function("document.querySelectorAll('#progress-table tbody tr').length >= 2")


def new_game_dialog(page):
    play(page)
    page.click("#new")
    page.wait_for_function("document.querySelector('#new-game-dialog [name=opponent]').options.length")


def settings(page):
    play(page)
    page.click("#settings")


def game_over(page):
    play(page)
    page.click("#resign")
    page.click("#confirm-dialog [value=yes]")
    page.wait_for_selector("#game-over")


def edit(page):
    _show(page, "(;SZ[13]C[A corner.]TR[cc]SQ[dd]LB[ee:A][ff:12]AR[gg:jj]AB[cd][dc]AW[jk][kj](;B[gc])(;B[cg]))", 0,
          "review", "0")
    page.keyboard.press("e")
    page.wait_for_selector("#edit-tools")


def gomoku(page):
    new_gomoku_game(page, "8 5", colour="both")
    page.evaluate("document.getElementById('tab-play').click()")
    for number, vertex in enumerate(("D4", "D5", "E5", "C3", "F6"), 1):
        page.mouse.click(*screen_point(page, vertex, 8))
        page.wait_for_function(f"{STONES} === {number}")


STATES = {state.__name__: state for state in (
    play, losses, candidates, mistake, puzzle, guess, progress, new_game_dialog, settings, game_over, edit, gomoku)}


def show_state(page, name):
    """Bring a page to a state, from whatever it showed before; a page just opened first starts its own game."""
    page.wait_for_function(SETTLED, timeout=60_000)
    page.evaluate("""() => {
        document.querySelector('dialog[open]')?.close('cancel');
        document.getElementById('menu').hidePopover();
        document.getElementById('exercise-end').click();
        if (window.mugo.state.tool !== null) document.getElementById('edit').click();
    }""")
    page.set_viewport_size({"width": 1400, "height": 900})
    STATES[name](page)
    page.wait_for_function(SETTLED)
    page.mouse.move(0, 0)
    page.evaluate("""() => {
        document.activeElement.blur();
        for (const panel of document.querySelectorAll('.panel')) panel.scrollTop = 0;
    }""")
