"""The list of the last games that the browser keeps, in a headless Chromium."""
import json

import pytest

from web_page import AGREED, NUMBER, STATUS, STONES, WHITE, load, new_game, save, screen_point

LISTED = "[...document.querySelectorAll('#saved-games li > button:first-child')].map((each) => each.textContent)"
KEPT = "window.mugo.kept.length"
NOTE = "document.getElementById('saved-note').textContent"


@pytest.fixture(autouse=True)
def empty_storage(page):
    keep(page)                             # what is about to be
    page.evaluate("(async ({ kept }) => { while (kept.length) kept.removeItem(kept.key(0)); })(window.mugo)")
    page.evaluate("Object.assign(window.mugo.state.game, { savedAs: null, isUnsaved: false }); 0")


def keep(page):
    """Keep the game now, as the page does a second after a change."""
    page.evaluate("import('/static/effects/storage.js').then(({ keepGame }) => keepGame())")


def play(page, vertex, number):
    page.mouse.click(*screen_point(page, vertex))
    page.wait_for_function(f"{NUMBER}.startsWith('{number} ')")


def open_list(page):
    page.evaluate("document.querySelector('#saved-dialog[open]') || document.getElementById('saved').click()")
    page.wait_for_function("document.querySelector('#saved-dialog[open]')")
    return page.evaluate(LISTED)


def close_list(page):
    page.evaluate("document.querySelector('#saved-dialog [value=cancel]').click()")


# ---- the storage

def test_games_of_before_come_along_and_another_tab_sees_what_is_written(page, address):
    page.evaluate('''localStorage.setItem("mugo-game-old", JSON.stringify({ revision: "a", saved: 1, summary: {
        size: "9×9", isGo: true, moves: 7 } }) + "\\n{}")''')
    other = page.context.new_page()
    other.goto(address)
    for tab in (other, page):
        tab.wait_for_function("window.mugo.kept.getItem('mugo-game-old')")
    assert page.evaluate("localStorage.getItem('mugo-game-old')") is None
    page.evaluate("window.mugo.kept.setItem('mugo-game-new', 'text')")
    other.wait_for_function("window.mugo.kept.getItem('mugo-game-new') === 'text'")
    other.reload()
    other.wait_for_function(f"{KEPT} === 2")
    other.close()


# ---- the list

def test_a_list_shows_the_board_and_what_was_lost_and_all_games_go_through_one_file(page):
    for day, result in (1, "W+R"), (2, "B+3.5"):
        load(page, f"(;SZ[9]PB[You]PW[Beni]DT[2026-03-0{day}]RE[{result}];B[ee];W[cc];B[aa];W[gg])")
        page.keyboard.press("End")
        page.wait_for_function(f"{NUMBER} === '4 / 4' && window.mugo.state.game.node.position")
        page.evaluate("""window.mugo.state.game.line().forEach((node, i) => {
            const moves = [{ move: 'G7', visits: 500, pv: ['G7'] }];
            node.analysis = { win_rate: 0.5, lead: i < 3 ? 0 : -9, visits: 500, moves };
        })""")
        keep(page)
    open_list(page)
    assert page.evaluate("document.querySelector('#saved-games small').textContent") == \
        "9 points lost · most: 3 A9 −9"
    assert page.evaluate("document.querySelectorAll('#saved-games .thumbnail .black').length") == 4
    page.evaluate("URL.createObjectURL = (file) => { window.saved = file; return '#'; }; window.saved = null")
    page.click("#export-games")
    text = page.evaluate("window.saved.text()")
    assert text.count("(;") == 2 and text.index("W+R") < text.index("B+3.5")
    page.click("#delete-all")
    page.wait_for_function(f"{AGREED} && {KEPT} === 0")
    page.set_input_files("#import-file", {"name": "games.sgf", "mimeType": "text/plain", "buffer": text.encode()})
    page.wait_for_function(f"{KEPT} === 2 && {LISTED}.length === 2")
    assert sorted(each.split(" · ")[3] for each in page.evaluate(LISTED)) == ["B+3.5", "W+R"]
    close_list(page)


def test_games_are_listed_opened_and_deleted(page):
    new_game(page, colour="B", opponent="policy")
    play(page, "E5", 2)
    page.wait_for_function(f"{KEPT} === 1")                              # within a second
    play(page, "J9", 4)
    new_game(page, colour="both")
    assert len(open_list(page)) == 1                                     # nothing was played in this one
    close_list(page)
    play(page, "G7", 1)
    listed = open_list(page)
    assert listed[0].startswith("Black – White · 9×9 · 1 move · ")
    assert listed[1].startswith("You – MuGo, level 9 · 9×9 · 4 moves · ")  # kept before the other game took its place
    assert page.evaluate(NOTE).endswith("They are in this browser only.")
    page.evaluate("document.querySelectorAll('#saved-games li > button:first-child')[1].click()")
    page.wait_for_function(f"{AGREED} && {STONES} === 4 && !document.querySelector('#saved-dialog[open]')"
                           f" && {STATUS}.endsWith('Black to play.') && {WHITE} === 'MuGo policy'")
    play(page, "A1", 6)                                                  # it goes on, in its own place
    keep(page)
    assert [text.split(" · ")[2] for text in open_list(page)] == ["6 moves", "1 move"]
    assert page.evaluate("document.querySelector('#saved-games [aria-current=true]').textContent").startswith("You")
    delete = "document.querySelectorAll('#saved-games li > button:last-child')[1]"
    page.evaluate(f"{delete}.focus(); {delete}.click()")
    page.wait_for_function(f"{LISTED}.length === 1 && document.activeElement.textContent === '✕'")
    page.click("#delete-all")
    page.wait_for_function(f"{AGREED} && {KEPT} === 0 && {LISTED}.length === 0")
    close_list(page)


def test_a_kept_game_is_whole_with_its_variations_and_the_opponent(page):
    load(page, "(;GM[1]FF[4]CA[UTF-8]SZ[9]XX[y];B[ee]C[text](;W[cc])(;W[gg]))")
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '2 / 2'")
    keep_count = page.evaluate(KEPT)
    play(page, "A1", 3)
    before = save(page)
    keep(page)
    assert keep_count == 0 and page.evaluate(KEPT) == 1                  # a file that is only viewed is not kept
    new_game(page)
    open_list(page)
    page.evaluate("document.querySelector('#saved-games li > button').click()")
    page.wait_for_function(f"{AGREED} && {NUMBER} === '3 / 3'")
    assert save(page) == before


def test_games_survive_the_browser_tab(page, address):
    new_game(page, colour="both")
    play(page, "E5", 1)
    page.evaluate("window.dispatchEvent(new Event('pagehide'))")         # without waiting
    assert page.evaluate(KEPT) == 1
    page.evaluate("sessionStorage.clear(); 0")
    page.evaluate("window.mugo.state.game.isUnsaved = false; window.mugo.state.game = null")
    page.goto(address)                                                   # as a new tab
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.endsWith('Click a point to play.') "
                           f"&& {STONES} === 0")
    assert len(open_list(page)) == 1
    page.evaluate("document.querySelector('#saved-games li > button').click()")
    page.wait_for_function(f"{STONES} === 1 && {NUMBER} === '1 / 1'")


def test_another_tab_with_the_same_game_gets_its_own_entry(page):
    new_game(page, colour="both")
    play(page, "E5", 1)
    keep(page)
    page.evaluate("""(() => {                                                 // the other tab goes on with it
        const { kept } = window.mugo;
        const [header, game] = kept.getItem(kept.key(0)).split('\\n');
        kept.setItem(kept.key(0), JSON.stringify({ ...JSON.parse(header), revision: 'other' }) + '\\n' + game);
    })()""")
    play(page, "G7", 2)
    keep(page)
    assert sorted(text.split(" · ")[2] for text in open_list(page)) == ["1 move", "2 moves"]
    close_list(page)


@pytest.mark.parametrize("error, text", [
    ("QuotaExceededError", "The browser's storage is full: this game is not kept. Save writes it into a file."),
    ("SecurityError", "This browser forbids the page to keep games. Save writes it into a file."),
])
def test_a_full_or_forbidden_storage_gets_one_line(page, error, text):
    new_game(page, colour="both")
    page.evaluate(f"""(() => {{
        window.mugo.kept.setItem = () => {{ throw new DOMException('no', '{error}'); }};
    }})()""")
    try:
        play(page, "E5", 1)
        keep(page)
        page.wait_for_function(f"{STATUS} === {json.dumps(text)}")
        play(page, "G7", 2)                                              # the game goes on; it is said once
        keep(page)
        page.wait_for_function(f"{STATUS} === 'White played G7. Black to play.'")
        open_list(page)
        assert text.startswith(page.evaluate(NOTE))
        close_list(page)
    finally:
        page.evaluate("delete window.mugo.kept.setItem")
    keep(page)
    assert page.evaluate(KEPT) == 1
