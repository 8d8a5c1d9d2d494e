"""Clicks and keys in a headless Chromium while the page draws itself again or waits for the server: none is lost."""
import pytest

from web_page import NUMBER, STATUS, STONES, load, new_game, screen_point, stone

RENDER = "window.mugo.render()"
VARIATIONS = "(;SZ[9];B[ee](;W[cc])(;W[cg])(;W[gc]))"
# The page's requests reach the server 300 ms later, until the next reload.
SLOW = """(() => {
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (text) { setTimeout(() => send.call(this, text), 300); };
})()"""


@pytest.fixture
def slow(page):
    """The page, with a slow connection."""
    yield page
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}")


def click_while(page, point, script):
    """Run JavaScript between press and release of the mouse."""
    page.mouse.move(*point)
    page.mouse.down()
    page.evaluate(script)
    page.mouse.up()


def centre(page, selector, which=0):
    """The centre of an element on the screen."""
    return page.evaluate(f"""(() => {{
        const element = document.querySelectorAll({selector!r})[{which}];
        element.scrollIntoView({{ block: "nearest" }});
        const box = element.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()""")


def test_a_click_on_the_board_counts_although_it_is_drawn_again_before_the_release(page):
    new_game(page)
    click_while(page, screen_point(page, "E5"), RENDER)                    # on the ghost stone under the mouse
    page.wait_for_function(f"{NUMBER} === '1 / 1'")


def test_a_click_in_the_table_plays_the_move_that_was_pressed(page):
    new_game(page)
    page.click("#tab-review")
    page.wait_for_function("!document.getElementById('analyze').disabled")
    page.dispatch_event("#analyze", "click")
    page.wait_for_function("document.querySelectorAll('#moves tbody tr').length > 1")
    page.dispatch_event("#analyze", "click")
    page.evaluate(f"window.mugo.server.request('stop').then(() => {RENDER})")
    vertex = page.evaluate("document.querySelector('#moves tbody tr').dataset.move")
    click_while(page, centre(page, "#moves tbody td"),
                f"window.mugo.state.game.node.analysis.moves.reverse(); {RENDER}")
    page.wait_for_function(f"{STATUS}.startsWith('Black played {vertex}.')")


def test_a_click_on_a_variation_counts_and_keeps_the_focus(page):
    load(page, VARIATIONS)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelectorAll('#move-list > div').length === 2")
    page.evaluate("document.querySelectorAll('#move-list > div button')[1].focus()")
    page.evaluate(RENDER)
    assert page.evaluate("document.activeElement.textContent") == "2G7"
    click_while(page, centre(page, "#move-list > div button", 0), RENDER)
    page.wait_for_function(f"{NUMBER} === '2 / 2' && {STATUS}.startsWith('White played C3.')")


def test_two_moves_that_are_clicked_at_once_are_both_played(slow):
    new_game(slow)
    slow.evaluate(SLOW)
    for vertex in ("E5", "E5", "C3"):                    # a double click plays once
        slow.mouse.click(*screen_point(slow, vertex))
    slow.wait_for_function(f"{STONES} === 2 && {STATUS} === 'White played C3. Black to play.'")


def test_a_move_for_mugo_cannot_be_played_before_its_search_begins(slow):
    new_game(slow, colour="B")                           # MuGo prefers C3
    slow.evaluate(SLOW)
    slow.mouse.click(*screen_point(slow, "E5"))
    slow.wait_for_function(f"{STATUS} === 'MuGo is thinking…'")
    with slow.add_init_script(SLOW):
        slow.reload()                                    # MuGo is asked again after two answers
    slow.wait_for_function(f"document.querySelector('.grid') && {NUMBER} === '1 / 1'")
    slow.mouse.click(*screen_point(slow, "G7"))
    slow.wait_for_function(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
    assert stone(slow, "E5") == "black" and stone(slow, "C3") == "white"


def test_chains_that_are_clicked_at_once_are_all_dead(slow):
    load(slow, "(;SZ[9]AB[aa][ac][ae]AW[ia][ic][ie])")
    slow.wait_for_function(f"{STONES} === 6")
    slow.keyboard.press("s")
    slow.wait_for_function("document.getElementById('score').getAttribute('aria-pressed') === 'true'")
    is_dead = "document.querySelectorAll('.stones .dead').length"
    before = slow.evaluate(is_dead)
    slow.evaluate(SLOW)
    for vertex in ("A9", "A7", "A5"):
        slow.mouse.click(*screen_point(slow, vertex))
    slow.wait_for_function(f"Math.abs({is_dead} - {before}) === 3")


def test_undo_twice_while_mugo_thinks_undoes_what_there_is(slow):
    new_game(slow, colour="B")
    slow.evaluate(SLOW)
    slow.mouse.click(*screen_point(slow, "A1"))
    slow.wait_for_function(f"{STATUS} === 'MuGo is thinking…'")
    slow.keyboard.press("u")
    slow.keyboard.press("u")
    slow.wait_for_function(f"{NUMBER}.startsWith('0 ') && {STATUS}.startsWith('Black to play.')")
    slow.evaluate("new Promise((resolve) => { setTimeout(resolve, 700); })")
