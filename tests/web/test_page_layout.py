"""The page on small screens in a headless Chromium: the board fits the window, a tap on a small point is shown."""
import pytest

from web_page import NUMBER, STATUS, STONES, load

EMPTY_19 = "(;GM[1]FF[4]SZ[19];B[pd])"
BUTTON = "document.getElementById('play-touched')"


def board_box(page):
    """(left, top, right, bottom) of the board in the window, in CSS pixels."""
    return page.evaluate("(() => { const box = document.getElementById('board-frame').getBoundingClientRect(); "
                         "return [box.left, box.top, box.right, box.bottom] })()")


VARIATIONS = "(;GM[1]FF[4]SZ[19];B[pd](;W[dp])(;W[dd]))"


@pytest.mark.parametrize("width, height, least", [
    (1280, 720, 700), (1920, 1080, 1060), (800, 700, 480), (768, 1024, 700), (390, 844, 370), (844, 390, 375),
    (640, 400, 370),                                                                    # 200 % zoom
    *(pytest.param(*case, marks=pytest.mark.slow) for case in (
        (1280, 800, 780), (1366, 768, 750), (2560, 1440, 1420), (1024, 768, 690), (360, 640, 330), (740, 360, 340),
        (512, 384, 240), (1280, 420, 400)))])
def test_the_board_has_the_height_of_the_window_or_its_width(page, width, height, least):
    load(page, VARIATIONS)
    page.set_viewport_size({"width": width, "height": height})
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('#move-list div')")
    left, top, right, bottom = board_box(page)
    assert left >= 0 and top >= 0 and right <= width and bottom <= height
    assert right - left >= least and abs(right - left - (bottom - top)) < 1
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")       # everything else scrolls past the board
    page.wait_for_function("document.documentElement.scrollHeight <= innerHeight || scrollY > 0")
    assert board_box(page)[1] >= 0 and board_box(page)[3] <= height
    page.evaluate("scrollTo(0, 0)")


LONG = "(;GM[1]FF[4]SZ[19]C[%s];B[pd](;W[dp];B[pq])(;W[dd])(;W[cc])(;W[dc]))" % ("A long comment. " * 400)


@pytest.mark.parametrize("width, height", [(1280, 800), (1366, 768), (1024, 768), (900, 640)])
def test_a_window_does_not_scroll_and_has_the_moves_and_the_steps_in_it(page, width, height):
    load(page, LONG)
    page.set_viewport_size({"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollHeight") <= height
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('#move-list div')")
    page.evaluate("document.querySelector('#move-list div').scrollIntoView()")
    lowest = "Math.max(...['#navigation', '#move-list div button', '#comment'].map((each) => " \
             "document.querySelector(each).getBoundingClientRect().bottom))"
    assert page.evaluate(lowest) <= height
    assert page.evaluate("document.documentElement.scrollHeight") <= height
    assert page.evaluate("scrollY") == 0 and board_box(page)[3] <= height


PLACES = """JSON.stringify(['board-frame', 'players', 'status-row', 'navigation', 'tabs', 'review-card']
    .map((id) => document.getElementById(id).getBoundingClientRect())
    .map(({ left, top, width }) => [left, top, width].map(Math.round)))"""


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844), (844, 390)])
def test_nothing_jumps_when_a_row_comes_or_goes(page, width, height):
    load(page, "(;GM[1]FF[4]SZ[9];B[ee]BL[300]WL[300](;W[cc];B[gg])(;W[gc]))")
    page.set_viewport_size({"width": width, "height": height})
    page.keyboard.press("Home")
    page.evaluate("document.getElementById('panel-review').scrollTop = 0")
    places = page.evaluate(PLACES)
    page.keyboard.press("ArrowRight")                      # variations, and clocks
    page.wait_for_function("!document.querySelector('.player .clock').hidden")
    assert page.evaluate(PLACES) == places
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")                       # in a variation
    page.wait_for_function("!document.getElementById('back').disabled")
    assert page.evaluate(PLACES) == places
    page.evaluate("text => import('/static/store.js').then(({ showMessage }) => showMessage(text, true))",
                  "A long message. " * 12)
    page.wait_for_function("document.querySelector('#status.error')")
    assert page.evaluate(PLACES) == places
    page.keyboard.press("s")                               # scoring
    page.wait_for_function(f"{STATUS}.includes('Click a chain')")
    assert page.evaluate(PLACES) == places
    page.keyboard.press("s")


def test_the_board_of_a_phone_stays_in_sight_while_the_panel_is_used(phone):
    load(phone, "(;GM[1]FF[4]SZ[19];B[pd];W[dp];B[pp];W[dd])")
    phone.click("#tab-play")
    phone.wait_for_function("document.querySelectorAll('#move-list button').length === 4")
    phone.evaluate("document.getElementById('move-list').scrollIntoView({ block: 'end' })")
    phone.wait_for_function("scrollY > 50")
    phone.evaluate("document.querySelectorAll('#move-list button')[1].click()")
    phone.wait_for_function(f"{NUMBER} === '2 / 4'")
    assert phone.evaluate("scrollY") > 50 and board_box(phone)[1] >= 0 and board_box(phone)[3] <= 844
    phone.evaluate("scrollTo(0, 0)")


def test_a_long_line_in_a_list_of_games_is_wrapped(page):
    files = [f"['{name * 200}.sgf', new File(['(;SZ[9])'], '{name}')]" for name in "ab"]
    page.evaluate("import('/static/actions/files.js').then(({ openFiles }) => { "
                  f"openFiles([{', '.join(files)}]); }})")
    page.wait_for_function("document.querySelector('#collection-dialog[open]')")
    assert page.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)"
                         "(document.getElementById('collection'))") == 0
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('#collection-dialog[open]')")


def test_the_header_of_a_phone_is_one_line(phone):
    phone.set_viewport_size({"width": 360, "height": 640})
    assert phone.evaluate("document.querySelector('header').offsetHeight") < 60
    phone.evaluate("document.getElementById('files').hidden = false")
    assert phone.evaluate("document.querySelector('nav').scrollWidth <= document.querySelector('nav').clientWidth")
    phone.evaluate("document.getElementById('files').hidden = true")


def tap(page, vertex):
    row, col = 19 - int(vertex[1:]), "ABCDEFGHJKLMNOPQRST".index(vertex[0])
    page.touchscreen.tap(*page.evaluate(f"""(() => {{
        const point = new DOMPoint({col}, {row}).matrixTransform(document.getElementById('board').getScreenCTM());
        return [point.x, point.y];
    }})()"""))


def test_a_tap_on_a_small_point_shows_the_move_and_another_plays_it(phone):
    load(phone, EMPTY_19)
    phone.set_viewport_size({"width": 360, "height": 640})
    tap(phone, "D4")
    phone.wait_for_function(f"{STATUS} === 'Tap D4 again to play it.' && document.querySelector('.ghosts .ghost')")
    assert phone.evaluate(STONES) == 0 and phone.evaluate("Boolean(document.querySelector('.ghosts .crosshair'))")
    tap(phone, "D5")                        # the finger was beside the point
    phone.wait_for_function(f"{STATUS} === 'Tap D5 again to play it.'")
    tap(phone, "D5")
    phone.wait_for_function(f"{STONES} === 1 && {STATUS} === 'Black played D5. White to play.' && {BUTTON}.hidden")
    tap(phone, "D5")
    phone.wait_for_function(f"{STATUS} === 'D5 is occupied.'")
    tap(phone, "K10")
    phone.wait_for_function(f"{BUTTON}.textContent === 'Play K10' && !{BUTTON}.hidden")
    phone.evaluate(f"{BUTTON}.click()")
    phone.wait_for_function(f"{STONES} === 2 && {STATUS} === 'White played K10. Black to play.'")
    tap(phone, "A1")
    phone.wait_for_function(f"{STATUS} === 'Tap A1 again to play it.'")
    phone.keyboard.press("ArrowLeft")       # another position: what was shown there is gone
    phone.wait_for_function(f"{NUMBER} === '1 / 2' && {BUTTON}.hidden && !document.querySelector('.ghosts .ghost')")


CUT = """[...document.querySelectorAll('.player .name, .player .captures, #actions button')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)"""


@pytest.mark.parametrize("language, width, height", [("en", 1024, 768), ("de", 1024, 768), ("en", 1280, 900),
                                                     ("de", 1280, 800)])
def test_nothing_is_cut_in_a_narrow_column(open_page, language, width, height):
    page = open_page(viewport={"width": width, "height": height}, locale=language)
    page.wait_for_function("document.querySelector('#player-white .name').textContent.startsWith('MuGo, ')")
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.querySelector('header').offsetHeight") < 40          # one line
    edge = page.evaluate("document.getElementById('game-actions').getBoundingClientRect().right")
    assert page.evaluate("Math.max(...[...document.querySelectorAll('#actions button')]"
                         ".map((button) => button.getBoundingClientRect().right))") < edge
