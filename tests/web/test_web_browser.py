"""The page in a headless Chromium: mouse, keyboard, touch, overlays, SGF files and small screens."""
import pytest

from web_page import (
    IS_GOMOKU, NUMBER, STATUS, STONES, load, new_game, new_gomoku_game, play_out, save, screen_point, stone)

SGF = "(;GM[1]FF[4]SZ[9]PB[Aoi]PW[Beni];B[ee];W[cc];B[gc]C[A corner](;W[gg])(;W[cg]))"


def test_a_click_plays_and_mugo_replies(page):
    new_game(page, colour="B", opponent="policy")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
    assert (stone(page, "E5"), stone(page, "C3")) == ("black", "white")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STATUS} === 'E5 is occupied.'")
    page.keyboard.press("u")
    page.wait_for_function(f"{STONES} === 0")


def test_the_keyboard_plays(page):
    new_game(page)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "board":
            break
    assert page.evaluate("document.getElementById('board').matches(':focus-visible')")
    for key in ("ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    assert page.text_content("#cursor-description") == "F6 empty"
    page.keyboard.press("Enter")
    page.wait_for_function(f"{STONES} === 1")
    assert stone(page, "F6") == "black"
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"{STONES} === 0")


def test_a_phone_needs_no_sideways_scrolling_and_a_tap_plays(phone):
    phone.set_viewport_size({"width": 320, "height": 640})
    assert phone.evaluate("document.documentElement.scrollWidth") == 320
    phone.set_viewport_size({"width": 360, "height": 740})
    new_game(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    phone.touchscreen.tap(*screen_point(phone, "G7"))
    phone.wait_for_function(f"{STONES} === 1")
    assert stone(phone, "G7") == "black"
    for dialog in ("new-game-dialog", "help-dialog"):
        phone.evaluate(f"document.getElementById('{dialog}').showModal()")
        assert phone.evaluate(f"(() => {{ const d = document.getElementById('{dialog}'); "
                             "return d.scrollWidth <= d.clientWidth && d.getBoundingClientRect().right <= 360 })()")
        phone.evaluate(f"document.getElementById('{dialog}').close('cancel')")


def test_overlays_are_selected(page):
    new_game(page)
    page.keyboard.press("1")
    page.wait_for_function("document.querySelector('.overlay .heat') && "
                           "document.querySelector('.overlay .bright').textContent === '51'")
    page.keyboard.press("3")
    page.wait_for_function("document.querySelectorAll('.overlay .shade').length > 0 "
                           "&& !document.querySelector('.overlay .heat')")
    page.keyboard.press("4")
    page.wait_for_function("document.getElementById('legend').textContent.endsWith('There are none now.')")
    page.keyboard.press("5")
    page.evaluate("document.getElementById('plane').value = 2")
    page.evaluate("document.getElementById('plane').dispatchEvent(new Event('change'))")
    page.wait_for_function("document.querySelectorAll('.overlay .plane').length === 81")
    page.keyboard.press("0")
    page.wait_for_function("document.getElementById('board').querySelector('.overlay').childElementCount === 0")


def test_an_analysis_runs_shows_principal_variations_and_stops(page):
    new_game(page)
    page.keyboard.press("a")
    page.wait_for_function("document.querySelectorAll('#moves tbody tr').length > 2 "
                           "&& document.querySelector('.overlay .best')")
    best = page.evaluate("document.querySelector('#moves tbody td').textContent")
    page.mouse.move(*screen_point(page, best))
    page.wait_for_function("[...document.querySelectorAll('.ghosts text')].some((text) => text.textContent === '2')")
    page.keyboard.press("a")
    page.wait_for_function("document.getElementById('analyze').textContent === 'Analyse'")


def test_a_comment_being_edited_stays_with_its_move(page):
    new_game(page, colour="B", opponent="policy")
    page.evaluate("document.getElementById('comment').focus()")
    write = ("(text => {{ const box = document.getElementById('comment'); box.value += text; "
             "box.dispatchEvent(new Event('input', {{ bubbles: true }})) }})({!r})").format
    page.evaluate(write("The beginning, "))
    page.evaluate("import('/static/actions/play.js').then(({ play }) => play('E5'))")  # while it is edited
    page.wait_for_function(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
    page.evaluate(write("written on"))
    page.mouse.move(*screen_point(page, "E5"))
    page.mouse.wheel(0, -120)
    page.mouse.wheel(0, -120)
    page.wait_for_function(f"{STONES} === 0")
    assert page.evaluate("document.getElementById('comment').value") == "The beginning, written on"
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{STONES} === 1")
    assert page.evaluate("document.getElementById('comment').value") == ""


def test_an_sgf_file_is_navigated_and_variations_are_added(page):
    load(page, SGF)
    page.wait_for_function("document.getElementById('move-number').textContent === '0 / 4'")
    assert page.evaluate("document.querySelector('#player-black .name').textContent") == "Aoi"
    page.keyboard.press("End")
    page.wait_for_function(f"{STONES} === 4")
    assert stone(page, "G3") == "white"
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("document.getElementById('comment').value === 'A corner'")
    assert page.evaluate("document.querySelectorAll('#move-list > div').length") == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"{STONES} === 4 && document.querySelector('.stones circle[cx=\"2\"][cy=\"6\"]')")
    page.mouse.move(*screen_point(page, "E5"))
    page.mouse.wheel(0, -120)
    page.wait_for_function(f"{STONES} === 3")
    page.mouse.click(*screen_point(page, "J1"))
    page.wait_for_function("document.getElementById('move-number').textContent === '4 / 4' && "
                           "document.querySelector('.stones circle[cx=\"8\"][cy=\"8\"]')")
    page.keyboard.press("Home")
    page.wait_for_function("document.querySelector('#graph .values') && " + f"{STONES} === 0")
    box = page.evaluate("(() => { const r = document.getElementById('graph').getBoundingClientRect(); "
                        "return [r.x, r.y, r.width, r.height] })()")
    page.mouse.click(box[0] + 30 + (box[2] - 40) * 0.5, box[1] + box[3] / 2)
    page.wait_for_function("document.getElementById('move-number').textContent === '2 / 4'")


def test_a_bad_file_is_refused_in_a_line(page):
    load(page, "no game at all")
    assert page.text_content("#status") == \
        "game.sgf: no game found: an SGF game begins with '(;', and it is not GIB, NGF or UGF either"


@pytest.mark.parametrize("script", ["view/graph.js", "texts/de.js"])
def test_a_script_that_cannot_be_loaded_is_reported(page, failures, script):
    page.route(f"**/static/{script}", lambda route: route.abort())
    page.reload()
    page.wait_for_function(f"{STATUS} === 'A script of this page could not be loaded. Reload the page.'")
    assert page.evaluate("getComputedStyle(document.getElementById('status')).visibility") == "visible"
    page.unroute(f"**/static/{script}")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    failures.clear()                   # of the script


def test_the_page_keeps_to_its_content_security_policy(open_page, failures):
    page = open_page(bypass_csp=False)
    page.locator("#board").click()
    page.wait_for_selector(".stones circle")
    for selector in "#tab-review", "#open-menu", "[value=policy]", "#help":
        page.click(selector)
    assert failures == []


# ---- Gomoku

def test_a_row_of_four_wins_is_drawn_saved_and_loaded(page):
    new_gomoku_game(page, "6 4")
    page.keyboard.press("1")
    page.wait_for_function("document.querySelector('.overlay .heat')")
    page.dispatch_event("#pass", "click")
    page.wait_for_function(f"{STATUS} === 'There is no pass in Gomoku.'")
    page.keyboard.press("3")               # ownership: not in Gomoku
    assert page.evaluate("document.querySelector('[name=overlay]:checked').value") == "policy"
    play_out(page, 6, [f"{letter}{row}" for row in (1, 6, 2, 5, 3, 4) for letter in "ACEBDF"])
    assert page.evaluate(f"{STATUS}").endswith("White wins.")
    page.wait_for_function("document.querySelector('.marks .winning-row')")
    page.mouse.click(*screen_point(page, "F6", 6))
    page.wait_for_function(f"/^The game is over|is occupied/.test({STATUS})")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"{STATUS}.endsWith('White to play.') && !document.querySelector('.marks .winning-row')")
    page.keyboard.press("a")
    page.wait_for_function("document.querySelector('#moves tbody tr') && document.querySelector('.overlay .best')")
    page.keyboard.press("a")
    page.keyboard.press("End")
    moves = page.evaluate(STONES)
    sgf = save(page)
    assert "GM[4]" in sgf and "RU[4 in a row]" in sgf and "RE[W+]" in sgf
    new_game(page)
    load(page, sgf)
    page.wait_for_function(f"{NUMBER} === '0 / {moves}' && {IS_GOMOKU}")
    page.keyboard.press("End")
    page.wait_for_function(f"{STATUS}.endsWith('White wins.') && document.querySelector('.marks .winning-row')")


def test_without_a_network_gomoku_is_searched_by_uct(page, network, monkeypatch):
    monkeypatch.setattr(network, "games", ("go",))
    new_gomoku_game(page, "other")
    assert page.text_content("#network-error") == "There is no network for this game."
    assert page.evaluate("document.getElementById('search-player').value") == "uct"
    page.keyboard.press("1")
    page.wait_for_function("document.getElementById('legend').textContent === 'There is no network for this game.'")
    page.mouse.click(*screen_point(page, "E5", 10))
    page.wait_for_function(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
