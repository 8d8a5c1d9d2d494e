"""Buttons, keys and dialogs of the page in a headless Chromium: what they do at which time, and what is remembered."""
import pytest

from web_page import NUMBER, STATUS, STONES, load, new_game, save, screen_point, stone, tab_to_board

SGF = "(;GM[1]FF[4]CA[UTF-8]SZ[9];B[ee];W[gc];B[gg])\n"
CURSOR = "document.querySelectorAll('#board .cursor *').length"


def press_mouse(page, selector):
    """Click an element with the mouse."""
    page.mouse.click(*page.evaluate(f"""(() => {{
        const element = document.querySelector({selector!r});
        element.scrollIntoView({{ block: 'nearest' }});
        const box = element.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()"""))


def test_nothing_can_be_pressed_before_there_is_a_game(page):
    new_game(page)
    with page.add_init_script("window.WebSocket = class { send() {} };"):
        page.reload()
    page.wait_for_function("window.mugo")
    assert page.evaluate("['main', '#new', '#open', '#save', '#saved'].every((id) => document.querySelector(id).inert)")
    for key in ("p", "u", "h", "s", "a", "e", "ArrowRight"):
        page.keyboard.press(key)
    page.evaluate("import('/static/actions/play.js').then(({ play }) => { play('E5'); })")
    page.mouse.move(300, 300)
    page.mouse.wheel(0, 100)
    assert page.evaluate(STATUS) == "MuGo is starting…"
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    assert not page.evaluate("document.querySelector('main').inert")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STONES} === 1")


SERVER_THAT_COMPILES = """
    sessionStorage.clear();
    window.WebSocket = class {
      constructor() {
        const hello = { hello: "MuGo", planes: { go: [], gomoku: [] }, levels: [], game: { size: 9, komi: 7.5 } };
        setTimeout(() => { this.onopen(); this.answer(hello); });
      }
      answer(message) { this.onmessage({ data: JSON.stringify(message) }); }
      send() {}                                                           // its answers wait
    };
"""


def test_while_the_server_compiles_there_are_an_empty_board_and_a_counter(page):
    page.route("**/compiling", lambda route: route.fulfill(json={"functions": 61}))
    with page.add_init_script(SERVER_THAT_COMPILES):
        page.reload()
    page.wait_for_function(f"{STATUS} === 'The first start compiles: 61 functions'")
    page.unroute("**/compiling")
    assert page.evaluate("Boolean(document.querySelector('.grid')) && document.querySelector('main').inert")
    page.reload()
    page.wait_for_function(f"{STATUS}.includes('to play')")


def test_a_page_without_a_server_says_so_until_it_is_back(page):
    new_game(page)
    offline = "!document.getElementById('offline').hidden"
    assert not page.evaluate(offline)
    page.evaluate("""(async () => {
        window.Kept = window.WebSocket;
        window.WebSocket = class { constructor() { setTimeout(() => this.onclose({ reason: '' })); } };
        (await window.mugo.server.ready).close();
    })()""")
    page.wait_for_function(f"{offline} && {STATUS}.startsWith('The server does not answer.')")
    page.keyboard.press("n")               # another message leaves it
    assert page.evaluate(offline)
    page.keyboard.press("n")
    page.evaluate("window.WebSocket = window.Kept; 0")
    page.wait_for_function(f"!({offline})", timeout=30_000)


def test_space_is_autoplay_after_a_button_was_clicked(page):
    new_game(page)
    press_mouse(page, "#pass")
    page.wait_for_function(f"{NUMBER} === '1 / 1' && window.mugo.state.game.node.position")
    page.keyboard.press(" ")
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))")
    assert page.evaluate(NUMBER) == "1 / 1"


def test_space_opens_what_has_the_focus(page):
    load(page, SGF)
    page.focus("#analysis summary")
    page.keyboard.press(" ")
    page.wait_for_function("document.getElementById('analysis').open")
    assert page.evaluate("window.mugo.state.autoplay") is None
    page.keyboard.press(" ")


def test_autoplay_stops_when_something_else_is_begun(page):
    load(page, SGF)
    page.keyboard.press(" ")
    page.wait_for_function("window.mugo.state.autoplay")
    page.keyboard.press("e")
    page.wait_for_function("!window.mugo.state.autoplay")
    assert page.evaluate(NUMBER) == "0 / 3"
    page.keyboard.press("e")


def test_the_next_mistake_is_in_reach_on_a_phone_and_shows_the_board(phone):
    comments = [f"C[Black wins 50.0 % (80 visits, {lead})]" for lead in ("B+9.0", "W+9.0", "W+9.0", "W+9.0")]
    load(phone, "(;SZ[9]{};B[ee]{};W[gc]{};B[gg]{})".format(*comments))
    phone.wait_for_function("!document.getElementById('next-mistake-below').disabled")
    phone.evaluate("scrollTo(0, document.body.scrollHeight)")
    phone.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    phone.click("#next-mistake-below")
    phone.wait_for_function(f"{STATUS}.startsWith('Black 1, E5, lost') && {NUMBER} === '0 / 3'")
    top, bottom = phone.evaluate("(({ top, bottom }) => [top, bottom])"
                                "(document.getElementById('board').getBoundingClientRect())")
    assert top >= 0 and bottom <= 844


@pytest.mark.parametrize("key", ["Escape", "Tab"])
def test_the_cursor_leaves_the_board_with_the_focus(page, key):
    new_game(page)
    page.evaluate("document.activeElement.blur()")
    tab_to_board(page)
    page.keyboard.press("ArrowUp")
    assert page.evaluate(CURSOR) == 1
    page.keyboard.press(key)
    page.wait_for_function("document.activeElement.id !== 'board'")
    assert page.evaluate(CURSOR) == 0


def test_a_file_is_saved_with_its_name(page):
    page.evaluate("HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }; 0")
    load(page, SGF)
    save(page)
    assert page.evaluate("window.savedAs") == "game.sgf"
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    page.evaluate("HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }; 0")
    save(page)
    assert page.evaluate("window.savedAs") == "game.sgf"
    new_game(page)
    save(page)
    assert page.evaluate("window.savedAs").startswith("mugo-9x9-")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.includes('to play')")


def test_the_next_new_game_has_the_choices_of_the_last_one_after_a_reload(page):
    new_game(page, colour="both", opponent="uct-100")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    form = "document.querySelector('#new-game-dialog form')"
    page.wait_for_function(f"{form}.opponent.value === 'uct-100'")
    assert page.evaluate(f"{form}.colour.value") == "both"
    page.evaluate("localStorage.removeItem('mugo-new-game')")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}")


def test_a_step_stores_nothing_and_a_reload_is_at_the_same_move(page):
    load(page, SGF)
    page.wait_for_function(f"{NUMBER} === '0 / 3' && window.mugo.state.job === null "
                           f"&& !window.mugo.state.segments.length")
    page.evaluate("""(async () => {
        (await import('/static/effects/storage.js')).storeNow();
        window.stored = 0;
        const { setItem } = Storage.prototype;
        Storage.prototype.setItem = function (...item) { window.stored += 1; setItem.apply(this, item); };
    })()""")
    for number in (1, 2):
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"{NUMBER} === '{number} / 3' && {STONES} === {number}")
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 1200))")
    assert page.evaluate("window.stored") == 0
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {NUMBER} === '2 / 3' && {STONES} === 2")
    assert stone(page, "G7") == "white"


def test_after_two_passes_nobody_is_to_play(page):
    load(page, "(;GM[1]FF[4]SZ[9];B[ee];W[];B[])")
    page.keyboard.press("End")
    page.wait_for_function(f"{STATUS}.startsWith('Black wins by')")
    page.keyboard.press("s")
    page.wait_for_function(f"{STATUS} === 'Black passed. The game is over.'")


def test_no_two_elements_have_one_id(page):
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)")
    assert len(ids) == len(set(ids)) > 100


def test_each_element_names_an_action_or_a_setting_and_the_help_has_each_key(page):
    assert page.evaluate("""import('/static/controls/actions.js').then(({ ACTIONS }) => {
        const all = (name) => [...document.querySelectorAll(`[data-${name}]`)].map(({ dataset }) => dataset[name]);
        return [...['action', 'change', 'input'].flatMap(all).filter((name) => typeof ACTIONS[name] !== 'function'),
            ...all('setting').filter((name) => !(name in window.mugo.state.settings))];
    })""") == []
    keys = page.evaluate("""[...document.querySelectorAll('[data-key]:not(#edit-tools *, #exercise-run *)')]
        .map(({ dataset }) => dataset.key)""")
    assert len(keys) == len(set(keys)) > 30
    shown = page.evaluate("[...document.querySelectorAll('#help-dialog kbd')].map((each) => each.textContent)")
    names = {" ": "Space", "ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓"}
    assert {names.get(key, key.capitalize()) for key in keys} - set(shown) - set("123456?") == set()     # 0 to 7
    assert page.get_attribute("#undo", "title") == "U" and page.get_attribute("#edit", "title").endswith("(E)")


def test_a_single_key_passes_only_when_it_is_pressed_twice_and_keys_can_be_switched_off(page):
    new_game(page)
    page.keyboard.press("p")
    page.wait_for_function(f"{STATUS} === 'Press P again to pass.' && {NUMBER} === '0 / 0'")
    page.keyboard.press("p")
    page.wait_for_function(f"{NUMBER} === '1 / 1'")
    page.evaluate("document.querySelector('[data-setting=keys]').click()")
    for key in "pp1":
        page.keyboard.press(key)
    page.keyboard.press("Home")                # keys with a name stay
    page.wait_for_function(f"{NUMBER} === '0 / 1'")
    assert page.evaluate("window.mugo.state.settings.overlay") == "none"
    page.evaluate("document.querySelector('[data-setting=keys]').click()")
