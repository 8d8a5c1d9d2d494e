"""SGF files in the page, in Chromium: markup, setup stones, all properties, collections."""
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("websockets")
import chromium
from web_page import AGREED, NUMBER, STATUS, STONES, load, save, screen_point, stone

from mugo.sgf.nodes import Node, parse_game

pytestmark = pytest.mark.skipif(chromium.PROGRAM is None, reason="Chromium is not installed")
MARKED = """(;GM[1]FF[4]SZ[9]AP[other:1]GN[a name]PB[Aoi]XX[unknown];B[ee]TE[1]N[first](;W[cc]
LB[cc:A][gg:1][dd:long \\] label]TR[ee]SQ[aa]CR[bb]MA[hh]SL[ii]TB[ha:ib]TW[ah]DD[ge:gf]AR[ac:fc]LN[ag:fg]C[marks])(
;AE[ee]AB[dc][cd]AW[ed]PL[W];W[dd]))"""
DESCRIBED = "document.getElementById('markup-description').textContent"


def test_marks_are_drawn_and_described(page):
    load(page, MARKED)
    page.until(f"{NUMBER} === '0 / 2'")
    assert page.run(DESCRIBED) == ""
    page.press("End")
    page.until(f"{STONES} === 2 && {DESCRIBED}")
    described = page.run(DESCRIBED)
    assert described.startswith("Marks: E5 triangle; A9 square; B8 circle; H2 cross; J1 selected; H9 Black's territory")
    assert "C7 label A" in described and "D6 label long ] label;" in described
    assert described.endswith("arrow from A7 to F7; line from A3 to F3.")
    for selector, count in [("path.mark.on-black", 1), ("text.on-white", 1), ("text.on-empty", 2), (".patch", 2),
                            ("rect.mark.on-empty", 2), (".owner.black", 4), (".owner.white", 1), (".dimmed", 2),
                            (".line", 2), ("circle.mark", 1), ("path.mark.on-empty", 1)]:
        assert page.run(f"document.querySelectorAll('.markup {selector}').length") == count, selector
    assert not page.run("document.querySelector('.marks circle')"), "the label is on the last move"
    page.press("ArrowLeft")
    page.until(f"{STONES} === 1 && !{DESCRIBED}")


def test_setup_stones_of_a_variation_are_on_the_board_and_moves_follow(page):
    load(page, MARKED)
    page.until(f"{NUMBER} === '0 / 2'")
    page.press("ArrowRight")
    page.until(f"{STONES} === 1")
    assert page.run("document.querySelectorAll('#variations button')[1].textContent") == "setup"
    page.press("ArrowRight")
    page.press("ArrowDown")
    page.until(f"{STONES} === 3 && {STATUS} === 'White to play.'")
    assert not stone(page, "E5") and (stone(page, "D7"), stone(page, "E6")) == ("black", "white")
    page.press("End")
    page.until(f"{STONES} === 4 && {NUMBER} === '2 / 2'")
    page.click(*screen_point(page, "D5"))
    page.until(f"{STONES} === 5")
    page.press("a")
    page.until("document.querySelectorAll('#moves tbody tr').length > 2")
    page.press("a")
    page.until("document.getElementById('analyze').textContent === 'Analyse'")
    page.press("s")
    page.until(f"{STATUS}.includes('Click a chain')")
    page.press("s")


def test_the_value_of_every_node_is_requested_where_setup_stones_part_the_line(page):
    load(page, "(;SZ[9];B[ee];W[cc];B[gg];AE[gg];C[no move];W[dd];B[hh];AW[aa])")
    page.until(f"{NUMBER} === '0 / 5'")
    page.run("import('/static/state.js').then(({ state }) => { window.state = state })")
    page.until("window.state?.game.line().length === 9 && window.state.game.line().every(({ value }) => value === 0.5)")


def test_a_file_that_is_opened_and_saved_has_all_its_properties(page):
    load(page, MARKED)
    page.until(f"{NUMBER} === '0 / 2'")
    expected = parse_game(MARKED.encode())
    expected[0] = expected[0].with_values(CA=b"UTF-8")
    assert parse_game(save(page).encode()) == expected
    page.press("End")
    page.until(f"{STONES} === 2")
    page.click(*screen_point(page, "G7"))
    page.until(f"{STONES} === 3")
    page.run("window.here = 1")
    page.send("Page.reload")
    page.until(f"!window.here && document.querySelector('.grid') && {STONES} === 3")
    assert parse_game(save(page).encode()) == [*expected[:3], Node(2, {"B": [b"gc"]}), expected[3],
                                                Node(4, expected[4].properties)]


def offer(page, text):
    """Open a file of several games, without waiting for one of them."""
    page.run(f"""(() => {{
        const files = new DataTransfer();
        files.items.add(new File([{text!r}], 'game.sgf'));
        const input = document.getElementById('file');
        input.files = files.files;
        input.dispatchEvent(new Event('change'));
    }})()""")


def test_the_games_of_a_collection_are_offered(page):
    offer(page, "(;SZ[9]PB[Aoi]PW[Beni]RE[W+R]DT[2016-03-09];B[ee])(;SZ[99])(;SZ[9]PB[Chi];B[ee];W[cc])")
    buttons = "[...document.querySelectorAll('#collection button')]"
    page.until("document.getElementById('collection-dialog').open")
    assert page.run(f"{buttons}.map((each) => each.textContent)") == [
        "1: Aoi – Beni · W+R · 2016-03-09", "2: SZ[99]; square boards of 2 to 19 are supported", "3: Chi – White"]
    assert page.run(f"{buttons}.map((each) => each.disabled)") == [False, True, False]
    page.run(f"{buttons}[2].click()")
    page.until(f"{AGREED} && {NUMBER} === '0 / 2'")
    offer(page, "(;SZ[9])(;SZ[9])")
    page.until("document.getElementById('collection-dialog').open")
    page.press("Escape")
    page.until("!document.getElementById('collection-dialog').open")
    assert page.run(NUMBER) == "0 / 2"
