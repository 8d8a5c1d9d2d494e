"""The page on small screens in a headless Chromium: the board fits the window, a tap on a small point is shown."""
import pytest

from web_page import NUMBER, STATUS, STONES, load, new_game, screen_point

EMPTY_19 = "(;GM[1]FF[4]SZ[19];B[pd])"
BUTTON = "document.getElementById('play-touched')"


def board_box(page):
    """(left, top, right, bottom) of the board in the window, in CSS pixels."""
    return page.run("(() => { const box = document.getElementById('board-frame').getBoundingClientRect(); "
                    "return [box.left, box.top, box.right, box.bottom] })()")


@pytest.mark.parametrize("width, height, least", [
    (1280, 800, 570), (800, 700, 480), (768, 1024, 600), (360, 640, 330),                # desktop, tablet, phone
    (640, 400, 370), (740, 360, 340), (512, 384, 240), (1280, 420, 400)])                # 200 % zoom, landscape, low
def test_the_board_fits_the_window(page, width, height, least):
    load(page, "(;GM[1]FF[4]SZ[19];B[pd](;W[dp])(;W[dd]))")
    page.resize(width, height)
    page.press("ArrowRight")
    page.until("!document.getElementById('variations').hidden")
    left, top, right, bottom = board_box(page)
    assert left >= 0 and top >= 0 and right <= width and bottom <= height
    assert right - left >= least and abs(right - left - (bottom - top)) < 1
    assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    if height <= 620:                      # the panels beside the board scroll past it
        page.run("scrollTo(0, document.body.scrollHeight)")
        assert board_box(page)[1] >= 0 and board_box(page)[3] <= height


LONG = "(;GM[1]FF[4]SZ[19]C[%s];B[pd](;W[dp];B[pq])(;W[dd])(;W[cc])(;W[dc]))" % ("A long comment. " * 400)


@pytest.mark.parametrize("width, height", [(1280, 800), (1366, 768), (1024, 768), (900, 640)])
def test_a_window_does_not_scroll_and_has_the_variations_in_it(page, width, height):
    load(page, LONG)
    page.resize(width, height)
    assert page.run("document.documentElement.scrollHeight") <= height
    page.press("ArrowRight")
    page.until("!document.getElementById('variations').hidden && !document.getElementById('tree-section').hidden")
    lowest = "Math.max(...['navigation', 'variations', 'tree-section'].map((id) => " \
             "document.getElementById(id).getBoundingClientRect().bottom))"
    assert page.run(lowest) <= height
    assert page.run("document.documentElement.scrollHeight") <= height
    page.run("document.getElementById('graph').scrollIntoView()")
    assert page.run("document.getElementById('graph').getBoundingClientRect().bottom") <= height
    assert page.run("scrollY") == 0 and board_box(page)[3] <= height


def test_many_variations_leave_the_tree_in_the_window(page):
    variations = "".join(f"(;B[{column}{row}])" for column in "abcdefghij" for row in "abcdefghijklmno")
    load(page, f"(;SZ[19]{variations})")
    page.resize(1280, 800)
    page.until("document.querySelectorAll('#variations button').length === 150")
    assert page.run("document.getElementById('tree-section').getBoundingClientRect().bottom") <= 800


def test_a_long_line_in_a_list_of_games_is_wrapped(page):
    files = [f"['{name * 200}.sgf', new File(['(;SZ[9])'], '{name}')]" for name in "ab"]
    page.run(f"import('/static/actions/files.js').then(({{ openFiles }}) => {{ openFiles([{', '.join(files)}]); }})")
    page.until("document.querySelector('#collection-dialog[open]')")
    assert page.run("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)"
                    "(document.getElementById('collection'))") == 0
    page.press("Escape")
    page.until("!document.querySelector('#collection-dialog[open]')")


def test_a_long_comment_scrolls_in_its_own_box(page):
    load(page, LONG)
    page.press("Home")
    page.until("document.getElementById('comment').value.length > 5000")
    box = page.run("(() => { const { clientHeight, scrollHeight } = document.getElementById('comment'); "
                   "return [clientHeight, scrollHeight] })()")
    assert box[0] < 200 < box[1]


def test_the_header_of_a_phone_is_one_line(page):
    page.resize(360, 640, touch=True)
    assert page.run("document.querySelector('header').offsetHeight") < 60


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844), (640, 400)])
def test_the_help_opens_with_its_first_keys_and_its_button(page, width, height):
    page.resize(width, height)
    page.press("?")
    page.until("document.querySelector('#help-dialog[open]')")
    assert page.run("document.getElementById('help-dialog').scrollTop") == 0
    for selector in ("#help-title", "#help-dialog button"):
        assert page.run(f"document.querySelector('{selector}').getBoundingClientRect().bottom") <= height
    page.press("Escape")
    page.until("!document.querySelector('#help-dialog[open]')")


def test_the_table_of_moves_has_room_for_its_heads_and_leads(page):
    new_game(page)
    page.run("""(() => {
        const info = { win_rate: 0.5, lead: -28.5, visits: 12, prior: 0.1, pv: ['E5', 'C3', 'G7', 'C7'] };
        const { node } = window.mugo.state.game;
        node.analysis = { win_rate: 0.5, lead: 1.5, visits: 12, moves: [{ move: 'E5', ...info }] };
        window.mugo.render();
    })()""")
    page.until("document.querySelectorAll('#moves tbody tr').length === 1")
    assert page.run("[...document.querySelectorAll('#moves th')].filter((head) => head.scrollWidth > head.clientWidth)"
                    ".map((head) => head.textContent).join()") == ""
    assert page.run("(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)"
                    "(document.querySelector('#moves tbody td:nth-child(3)'))")


def tap(page, vertex):
    row, col = 19 - int(vertex[1:]), "ABCDEFGHJKLMNOPQRST".index(vertex[0])
    page.tap(*page.run(f"""(() => {{
        const point = new DOMPoint({col}, {row}).matrixTransform(document.getElementById('board').getScreenCTM());
        return [point.x, point.y];
    }})()"""))


def test_a_tap_on_a_small_point_shows_the_move_and_another_plays_it(page):
    load(page, EMPTY_19)
    page.resize(360, 640, touch=True)
    tap(page, "D4")
    page.until(f"{STATUS} === 'Tap D4 again to play it.' && document.querySelector('.ghosts .ghost')")
    assert page.run(STONES) == 0 and page.run("Boolean(document.querySelector('.ghosts .crosshair'))")
    tap(page, "D5")                        # the finger was beside the point
    page.until(f"{STATUS} === 'Tap D5 again to play it.'")
    tap(page, "D5")
    page.until(f"{STONES} === 1 && {STATUS} === 'Black played D5. White to play.' && {BUTTON}.hidden")
    tap(page, "D5")
    page.until(f"{STATUS} === 'D5 is occupied.'")
    tap(page, "K10")
    page.until(f"{BUTTON}.textContent === 'Play K10' && !{BUTTON}.hidden")
    page.run(f"{BUTTON}.click()")
    page.until(f"{STONES} === 2 && {STATUS} === 'White played K10. Black to play.'")
    tap(page, "A1")
    page.until(f"{STATUS} === 'Tap A1 again to play it.'")
    page.press("ArrowLeft")                # another position: what was shown there is gone
    page.until(f"{NUMBER} === '1 / 2' && {BUTTON}.hidden && !document.querySelector('.ghosts .ghost')")


def test_a_mouse_and_a_tap_on_a_large_point_play_at_once(page):
    load(page, EMPTY_19)
    page.resize(360, 640)
    page.click(*screen_point(page, "D4", 19))
    page.until(f"{STONES} === 1")
    new_game(page)
    page.resize(360, 640, touch=True)
    page.tap(*screen_point(page, "G7"))
    page.until(f"{STONES} === 1")


@pytest.mark.parametrize("game", ["go", "gomoku"])
def test_the_boards_of_a_new_game_are_within_their_frame(page, game):
    page.run(f"""(() => {{
        document.getElementById('new').click();
        document.querySelector('#new-game-dialog [name=game][value={game}]').click();
    }})()""")
    assert page.run(f"""[...document.querySelectorAll('#new-game-dialog fieldset.{game}')].filter((each) =>
        [...each.querySelectorAll('span, small')].some((inner) =>
            inner.getBoundingClientRect().right > each.getBoundingClientRect().right)).length""") == 0
    page.run("document.querySelector('#new-game-dialog [name=game][value=go]').click()")
    page.press("Escape")
    page.until("!document.querySelector('dialog[open]')")
