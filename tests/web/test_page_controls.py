"""Buttons, keys and dialogs of the page in a headless Chromium: what they do at which time, and what is remembered."""
import pytest

from web_page import NUMBER, STATUS, STONES, load, new_game, save, screen_point, stone, tab_to_board

SGF = "(;GM[1]FF[4]CA[UTF-8]SZ[9];B[ee];W[gc];B[gg])\n"
CURSOR = "document.querySelectorAll('#board .cursor *').length"


def press_mouse(page, selector):
    """Click an element with the mouse."""
    page.click(*page.run(f"""(() => {{
        const element = document.querySelector({selector!r});
        element.scrollIntoView({{ block: 'nearest' }});
        const box = element.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()"""))


def test_nothing_can_be_pressed_before_there_is_a_game(page):
    new_game(page)
    silent = page.send("Page.addScriptToEvaluateOnNewDocument", source="window.WebSocket = class { send() {} };")
    page.reload()
    page.send("Page.removeScriptToEvaluateOnNewDocument", **silent)
    page.until("window.mugo")
    assert page.run("['main', '#new', '#open', '#save', '#saved'].every((each) => document.querySelector(each).inert)")
    for key in ("p", "u", "h", "s", "a", "e", "ArrowRight"):
        page.press(key)
    page.run("import('/static/actions/play.js').then(({ play }) => { play('E5'); })")
    page.wheel(*page.run("[300, 300]"), 100)
    assert page.run(STATUS) == "MuGo is starting…"
    page.reload()
    page.until(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    assert not page.run("document.querySelector('main').inert")
    page.click(*screen_point(page, "E5"))
    page.until(f"{STONES} === 1")


def test_a_page_without_a_server_says_so_until_it_is_back(page):
    new_game(page)
    offline = "!document.getElementById('offline').hidden"
    assert not page.run(offline)
    page.run("""(async () => {
        window.Kept = window.WebSocket;
        window.WebSocket = class { constructor() { setTimeout(() => this.onclose({ reason: '' })); } };
        (await window.mugo.server.ready).close();
    })()""")
    page.until(f"{offline} && {STATUS}.startsWith('The server does not answer.')")
    page.press("n")                        # another message leaves it
    assert page.run(offline)
    page.press("n")
    page.run("window.WebSocket = window.Kept")
    page.until(f"!({offline})", 30)


def test_space_is_autoplay_after_a_button_was_clicked(page):
    new_game(page)
    press_mouse(page, "#pass")
    page.until(f"{NUMBER} === '1 / 1' && window.mugo.state.game.node.position")
    page.press(" ")
    page.run("new Promise((resolve) => setTimeout(resolve, 200))")
    assert page.run(NUMBER) == "1 / 1"


def test_mugo_answers_where_its_reply_was_replaced_by_stones(page):
    new_game(page, colour="B")
    page.click(*screen_point(page, "E5"))
    page.until(f"{NUMBER} === '2 / 2'")
    page.press("ArrowLeft")
    page.until(f"{NUMBER} === '1 / 2'")
    page.click(*screen_point(page, "G3"))                # MuGo's stones are not the person's
    page.until(f"{STATUS}.startsWith('MuGo plays White.')")
    page.run("""(async () => {
        const { newNode } = await import('/static/core/game.js');
        const { game } = window.mugo.state;
        game.node.children = [newNode(game.node, { properties: 'AW[cc]', stones: '.'.repeat(81), first: 'B' })];
        game.changes += 1;
    })()""")
    page.press("Home")
    page.until(f"{NUMBER}.startsWith('0 ')")
    page.click(*screen_point(page, "E5"))
    page.until(f"{STATUS} === 'White played C3. Black to play.'")


def test_a_mistake_that_is_tapped_on_a_phone_shows_the_board(page):
    comments = [f"C[Black wins 50.0 % (80 visits, {lead})]" for lead in ("B+9.0", "W+9.0", "W+9.0", "W+9.0")]
    load(page, "(;SZ[9]{};B[ee]{};W[gc]{};B[gg]{})".format(*comments))
    page.resize(390, 844, touch=True)
    page.until("document.querySelector('#mistake-list tbody tr')")
    page.run("document.querySelector('#mistake-list tbody tr').scrollIntoView()")
    page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    page.run("document.querySelector('#mistake-list tbody tr').click()")
    page.until(f"{STATUS}.startsWith('Black 1, E5, lost 18.0 points') && {NUMBER} === '0 / 3'")
    top, bottom = page.run("(({ top, bottom }) => [top, bottom])"
                           "(document.getElementById('board').getBoundingClientRect())")
    assert top >= 0 and bottom <= 844


@pytest.mark.parametrize("key", ["Escape", "Tab"])
def test_the_cursor_leaves_the_board_with_the_focus(page, key):
    new_game(page)
    page.run("document.activeElement.blur()")
    tab_to_board(page)
    page.press("ArrowUp")
    assert page.run(CURSOR) == 1
    page.press(key)
    page.until("document.activeElement.id !== 'board'")
    assert page.run(CURSOR) == 0


def test_a_file_is_saved_with_its_name(page):
    page.run("HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }")
    load(page, SGF)
    save(page)
    assert page.run("window.savedAs") == "game.sgf"
    page.reload()
    page.until(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    page.run("HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }")
    save(page)
    assert page.run("window.savedAs") == "game.sgf"
    new_game(page)
    save(page)
    assert page.run("window.savedAs").startswith("mugo-9x9-")
    page.reload()
    page.until(f"document.querySelector('.grid') && {STATUS}.includes('to play')")


def test_the_next_new_game_has_the_choices_of_the_last_one_after_a_reload(page):
    new_game(page, colour="both", opponent="uct-100")
    page.reload()
    page.until(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    form = "document.querySelector('#new-game-dialog form')"
    page.until(f"{form}.opponent.value === 'uct-100'")
    assert page.run(f"{form}.colour.value") == "both"
    page.run("localStorage.removeItem('mugo-new-game')")
    page.reload()
    page.until(f"document.querySelector('.grid') && {STATUS}")


def test_a_step_stores_nothing_and_a_reload_is_at_the_same_move(page):
    load(page, SGF)
    page.until(f"{NUMBER} === '0 / 3' && window.mugo.state.job === null && !window.mugo.state.segments.length")
    page.run("""(async () => {
        (await import('/static/effects/storage.js')).storeNow();
        window.stored = 0;
        const { setItem } = Storage.prototype;
        Storage.prototype.setItem = function (...item) { window.stored += 1; setItem.apply(this, item); };
    })()""")
    for number in (1, 2):
        page.press("ArrowRight")
        page.until(f"{NUMBER} === '{number} / 3' && {STONES} === {number}")
    page.run("new Promise((resolve) => setTimeout(resolve, 1200))")
    assert page.run("window.stored") == 0
    page.reload()
    page.until(f"document.querySelector('.grid') && {NUMBER} === '2 / 3' && {STONES} === 2")
    assert stone(page, "G7") == "white"
