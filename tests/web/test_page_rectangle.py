"""A board that is not square on the page in a headless Chromium: drawn, played, analysed, saved and loaded."""
import pytest

from web_page import AGREED, NUMBER, STATUS, STONES, load, save

LABEL = "document.getElementById('board').getAttribute('aria-label')"
LABELS = "[...document.querySelectorAll('#board .lines text')].map((each) => each.textContent).join(' ')"


def point(page, row, col):
    """The centre of a point on the screen, (x, y)."""
    return page.evaluate(f"""(() => {{
        const point = new DOMPoint({col}, {row}).matrixTransform(document.getElementById('board').getScreenCTM());
        return [point.x, point.y];
    }})()""")


def start(page, columns, rows):
    """A new game for both sides, by the dialog."""
    page.evaluate(f"""(() => {{
        document.getElementById('new').click();
        const form = document.querySelector('#new-game-dialog form');
        form.querySelector('[name=colour][value=both]').click();
        form.querySelector('[name=size][value=other]').click();
        [form.columns.value, form.rows.value] = [{columns}, {rows}];
        form.columns.dispatchEvent(new Event('change', {{ bubbles: true }}));
        form.querySelector('button[value=start]').click();
    }})()""")
    page.wait_for_function(f"{LABELS}.startsWith('A ') && {STONES} === 0 && "
                           f"{LABEL}.startsWith('{columns} by {rows} board')")


def test_a_rectangle_is_played_saved_and_loaded(page):
    start(page, 13, 5)
    assert page.evaluate(LABELS).split()[:2] == ["A", "A"] and page.evaluate(LABELS).split()[-2:] == ["1", "1"]
    for number, (row, col) in enumerate([(4, 12), (0, 0), (2, 6)], 1):
        page.mouse.click(*point(page, row, col))
        page.wait_for_function(f"{STONES} === {number}")
        assert page.locator(f".stones [cx='{col}'][cy='{row}']").count()
    page.wait_for_function(f"{STATUS}.includes('N1') || {NUMBER} === '3 / 3'")
    text = save(page)
    assert "SZ[13:5]" in text and "".join(text.split()).endswith(";B[me];W[aa];B[gc])")
    load(page, text)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '3 / 3' && {STONES} === 3")


def test_gomoku_on_a_rectangle_is_a_choice_of_the_dialog(page):
    page.evaluate("""(() => {
        document.getElementById('new').click();
        const form = document.querySelector('#new-game-dialog form');
        form.querySelector('[name=game][value=gomoku]').click();
        form.querySelector('[name=colour][value=both]').click();
        form.querySelector('[name=board][value=other]').click();
        [form.board_columns.value, form.board_rows.value, form.k.value] = [7, 4, 4];
        form.board_rows.dispatchEvent(new Event('change', { bubbles: true }));
        form.querySelector('button[value=start]').click();
    })()""")
    page.wait_for_function(f"{AGREED} && {STONES} === 0 && "
                           "document.getElementById('board').getAttribute('aria-label').startsWith('7 by 4 board')")
    assert "SZ[7:4]" in save(page) and page.evaluate("document.querySelector('main').dataset.game") == "gomoku"


@pytest.mark.parametrize("overlay", ["policy", "ownership", "ladders"])
def test_the_analysis_is_drawn_on_all_of_a_tall_board(page, overlay):
    walls = "AB[ac][cc][dc]AW[ag][bg][dg]" if overlay == "ownership" else ""        # points that somebody owns
    load(page, f"(;SZ[4:9]KM[0.5]{walls}LB[di:x]TR[aa];B[bc];W[cg])")
    page.evaluate(f"document.querySelector('#overlays [value={overlay}]').click()")
    assert page.evaluate("document.getElementById('board').viewBox.baseVal.height > "
                         "document.getElementById('board').viewBox.baseVal.width")
    if overlay != "ladders":
        page.wait_for_function("[...document.querySelectorAll('.overlay > *')].some((each) => each.getBBox().y > 6)")
    assert page.evaluate("document.querySelectorAll('#board .markup > *').length") > 0
