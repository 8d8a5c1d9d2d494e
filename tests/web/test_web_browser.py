"""The page in a headless Chromium: mouse, keyboard, touch, overlays, SGF files and small screens."""
import pytest

from web_page import (
    IS_GOMOKU,
    NUMBER,
    STATUS,
    STONES,
    load,
    move_number,
    new_game,
    new_gomoku_game,
    play_out,
    save,
    screen_point,
    stone,
)

SGF = "(;GM[1]FF[4]SZ[9]PB[Aoi]PW[Beni];B[ee];W[cc];B[gc]C[A corner](;W[gg])(;W[cg]))"


def test_a_click_plays_and_mugo_replies(page):
    new_game(page, colour="B", opponent="policy")
    page.click(*screen_point(page, "E5"))
    page.until(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
    assert (stone(page, "E5"), stone(page, "C3")) == ("black", "white")
    page.click(*screen_point(page, "E5"))
    page.until(f"{STATUS} === 'E5 is occupied.'")
    page.press("u")
    page.until(f"{STONES} === 0")


def test_the_keyboard_plays(page):
    new_game(page)
    for _ in range(60):
        page.press("Tab")
        if page.run("document.activeElement.id") == "board":
            break
    assert page.run("document.getElementById('board').matches(':focus-visible')")
    for key in ("ArrowRight", "ArrowUp"):
        page.press(key)
    assert page.run("document.getElementById('cursor-description').textContent") == "F6 empty"
    page.press("Enter")
    page.until(f"{STONES} === 1")
    assert stone(page, "F6") == "black"
    page.press("Escape")
    page.press("ArrowLeft")
    page.until(f"{STONES} === 0")


def test_a_phone_needs_no_sideways_scrolling_and_a_tap_plays(page):
    page.resize(320, 640, touch=True)
    assert page.run("document.documentElement.scrollWidth") == 320
    page.resize(360, 740, touch=True)
    new_game(page)
    assert page.run("document.documentElement.scrollWidth") == 360
    page.tap(*screen_point(page, "G7"))
    page.until(f"{STONES} === 1")
    assert stone(page, "G7") == "black"
    for dialog in ("new-game-dialog", "help-dialog"):
        page.run(f"document.getElementById('{dialog}').showModal()")
        assert page.run(f"(() => {{ const d = document.getElementById('{dialog}'); "
                        "return d.scrollWidth <= d.clientWidth && d.getBoundingClientRect().right <= 360 })()")
        page.run(f"document.getElementById('{dialog}').close('cancel')")


def test_overlays_are_selected(page):
    new_game(page)
    page.press("1")
    page.until("document.querySelector('.overlay .heat') && "
               "document.querySelector('.overlay .bright').textContent === '51'")
    page.press("3")
    page.until("document.querySelectorAll('.overlay .owner').length > 0 && !document.querySelector('.overlay .heat')")
    page.press("4")
    page.until("document.getElementById('legend').textContent.endsWith('There are none now.')")
    page.press("5")
    page.run("document.getElementById('plane').value = 2")
    page.run("document.getElementById('plane').dispatchEvent(new Event('change'))")
    page.until("document.querySelectorAll('.overlay .plane').length === 81")
    page.press("0")
    page.until("document.getElementById('board').querySelector('.overlay').childElementCount === 0")


def test_an_analysis_runs_shows_principal_variations_and_stops(page):
    new_game(page)
    page.press("a")
    page.until("document.querySelectorAll('#moves tbody tr').length > 2 && document.querySelector('.overlay .best')")
    best = page.run("document.querySelector('#moves tbody td').textContent")
    page.move(*screen_point(page, best))
    page.until("[...document.querySelectorAll('.ghosts text')].some((text) => text.textContent === '2')")
    page.press("a")
    page.until("document.getElementById('analyze').textContent === 'Analyse'")


def test_a_comment_being_edited_stays_with_its_move(page):
    new_game(page, colour="B", opponent="policy")
    page.run("document.getElementById('comment').focus()")
    write = ("(text => {{ const box = document.getElementById('comment'); box.value += text; "
             "box.dispatchEvent(new Event('input', {{ bubbles: true }})) }})({!r})").format
    page.run(write("The beginning, "))
    page.run("import('/static/actions/play.js').then(({ play }) => play('E5'))")       # while it is edited
    page.until(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
    page.run(write("written on"))
    page.wheel(*screen_point(page, "E5"), -120)
    page.wheel(*screen_point(page, "E5"), -120)
    page.until(f"{STONES} === 0")
    assert page.run("document.getElementById('comment').value") == "The beginning, written on"
    page.press("ArrowRight")
    page.until(f"{STONES} === 1")
    assert page.run("document.getElementById('comment').value") == ""


def test_stopping_an_analysis_does_not_stop_the_move_of_mugo(page):
    new_game(page, colour="B", opponent="mcts-5s")
    page.press("a")
    page.until("document.getElementById('analyze').textContent === 'Stop'")
    page.click(*screen_point(page, "E5"))
    page.until(f"{STATUS} === 'MuGo is thinking…'")
    assert page.run("document.getElementById('analyze-game').disabled")
    page.press("a")
    page.until(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")


def test_an_sgf_file_is_navigated_and_variations_are_added(page):
    load(page, SGF)
    page.until("document.getElementById('move-number').textContent === '0 / 4'")
    assert page.run("document.querySelector('#player-black .name').textContent") == "Aoi"
    page.press("End")
    page.until(f"{STONES} === 4")
    assert stone(page, "G3") == "white"
    page.press("ArrowLeft")
    page.until("document.getElementById('comment').value === 'A corner'")
    assert page.run("document.querySelectorAll('#variations button').length") == 2
    page.press("ArrowRight")
    page.press("ArrowDown")
    page.until(f"{STONES} === 4 && document.querySelector('.stones circle[cx=\"2\"][cy=\"6\"]')")
    page.wheel(*screen_point(page, "E5"), -120)
    page.until(f"{STONES} === 3")
    page.click(*screen_point(page, "J1"))
    page.until("document.getElementById('move-number').textContent === '4 / 4' && "
               "document.querySelector('.stones circle[cx=\"8\"][cy=\"8\"]')")
    page.press("Home")
    page.until("document.querySelector('#graph .values') && " + f"{STONES} === 0")
    box = page.run("(() => { const r = document.getElementById('graph').getBoundingClientRect(); "
                   "return [r.x, r.y, r.width, r.height] })()")
    page.click(box[0] + 30 + (box[2] - 40) * 0.5, box[1] + box[3] / 2)
    page.until("document.getElementById('move-number').textContent === '2 / 4'")


def test_a_bad_file_is_refused_in_a_line(page):
    load(page, "no game at all")
    page.until(f"{STATUS} === \"game.sgf: no game found: an SGF game begins with '(;', and it is no GIB, NGF or UGF\"")


@pytest.mark.parametrize("script", ["view/graph.js", "texts/de.js"])
def test_a_script_that_cannot_be_loaded_is_reported(page, script):
    page.send("Network.enable")
    page.send("Network.setCacheDisabled", cacheDisabled=True)
    page.send("Network.setBlockedURLs", urls=[f"*/static/{script}"])
    page.reload()
    page.until(f"{STATUS} === 'A script of this page could not be loaded. Reload the page.'")
    assert page.run("getComputedStyle(document.getElementById('status')).visibility") == "visible"
    page.send("Network.setBlockedURLs", urls=[])
    page.send("Network.disable")
    page.reload()
    page.until(f"document.querySelector('.grid') && {STATUS}.includes('to play')")
    page.failures.clear()                  # of the script


def test_a_reload_restores_the_game(page):
    new_game(page)
    page.click(*screen_point(page, "E5"))
    page.until(f"{STONES} === 1")
    page.click(*screen_point(page, "C7"))
    page.until(f"{STONES} === 2")
    page.reload()
    page.until(f"document.querySelector('.grid') && {STONES} === 2")
    assert move_number(page) == "2 / 2"


def test_two_passes_start_the_scoring_and_a_click_marks_dead_stones(page):
    new_game(page)
    page.click(*screen_point(page, "E5"))
    page.until(f"{STONES} === 1")
    for _ in range(2):
        before = move_number(page)
        page.press("p")
        page.until(f"document.getElementById('move-number').textContent !== '{before}'")
    page.until(f"{STATUS}.startsWith('Black wins by 73.5: Black 81, White 0 + 7.5.')")
    page.click(*screen_point(page, "E5"))
    page.until(f"{STATUS}.startsWith('White wins by 7.5') && document.querySelector('.stones .dead')")


# ---- Gomoku

def test_a_game_on_3x3_is_played_to_the_end_and_undone(page):
    new_gomoku_game(page, "3 3")
    assert page.run("[...document.querySelectorAll('#actions button')].filter((each) => each.offsetWidth)"
                    ".map((each) => each.id).join(' ')") == "undo redo hint resign"
    play_out(page, 3, ["B2", "A3", "C1", "C3", "A1", "B3", "B1", "A2", "C2"])
    count = page.run(STONES)
    page.press("u")
    page.until(f"{STATUS}.endsWith('Black to play.') && {STONES} < {count}")
    play_out(page, 3, ["C2", "A2", "B1", "B3", "A1", "C3", "C1", "A3", "B2"])


def test_a_row_of_four_wins_is_drawn_saved_and_loaded(page):
    new_gomoku_game(page, "6 4")
    page.press("1")
    page.until("document.querySelector('.overlay .heat')")
    page.press("p")
    page.until(f"{STATUS} === 'There is no pass in Gomoku.'")
    page.press("3")                        # ownership: not in Gomoku
    assert page.run("document.querySelector('[name=overlay]:checked').value") == "policy"
    play_out(page, 6, [f"{letter}{row}" for row in (1, 6, 2, 5, 3, 4) for letter in "ACEBDF"])
    assert page.run(f"{STATUS}").endswith("White wins.")
    page.until("document.querySelector('.marks .winning-row')")
    page.click(*screen_point(page, "F6", 6))
    page.until(f"/^The game is over|is occupied/.test({STATUS})")
    page.press("ArrowLeft")
    page.until(f"{STATUS}.endsWith('White to play.') && !document.querySelector('.marks .winning-row')")
    page.press("a")
    page.until("document.querySelector('#moves tbody tr') && document.querySelector('.overlay .best')")
    page.press("a")
    page.press("End")
    moves = page.run(STONES)
    sgf = save(page)
    assert "GM[4]" in sgf and "RU[4 in a row]" in sgf and "RE[W+]" in sgf
    new_game(page)
    load(page, sgf)
    page.until(f"{NUMBER} === '0 / {moves}' && {IS_GOMOKU}")
    page.press("End")
    page.until(f"{STATUS}.endsWith('White wins.') && document.querySelector('.marks .winning-row')")


def test_without_a_network_gomoku_is_searched_by_uct(page, network, monkeypatch):
    monkeypatch.setattr(network, "games", ("go",))
    new_gomoku_game(page, "other")
    assert page.run("document.getElementById('network-error').textContent") == "There is no network for this game."
    assert page.run("document.getElementById('search-player').value") == "uct"
    page.press("1")
    page.until("document.getElementById('legend').textContent === 'There is no network for this game.'")
    page.click(*screen_point(page, "E5", 10))
    page.until(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
