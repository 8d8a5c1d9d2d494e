"""The local search on the page in a headless Chromium: a region, forbidden moves, a tsumego frame."""
import pytest
from web_page import NUMBER, STATUS, load, new_game, save, screen_point, sgf_properties, tab_to_board

PROBLEM = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[7]AB[ca][cb][ac][bc][cc]AW[ba][ab][bb]PL[W]C[White to live];W[aa];B[ee])"
NOTE = "document.getElementById('local-note').textContent"
SEARCHED = "[...document.querySelectorAll('#moves:not([hidden]) tbody tr')].map((row) => row.dataset.move)"
REGION = {"A9", "B9", "C9", "A8", "B8", "C8"}


def click(page, name):
    page.evaluate(f"document.getElementById('{name}').click()")          # on either tab


@pytest.fixture
def game(page):
    new_game(page)
    yield page
    page.evaluate("document.activeElement.blur()")
    if page.evaluate("window.mugo.state.analyzing"):
        page.keyboard.press("a")
    click(page, "search-whole")


def is_searched_here(page):
    page.wait_for_function(f"{SEARCHED}.length && {SEARCHED}.every((move) => {sorted(REGION)}.includes(move))")


def test_a_region_is_dragged_and_searched(game):
    click(game, "choose-region")
    game.wait_for_function(f"{STATUS}.startsWith('Drag over')")
    (x, y), (to_x, to_y) = screen_point(game, "C8"), screen_point(game, "A9")
    game.mouse.move(x, y)
    game.mouse.down()
    game.mouse.move(to_x, to_y)
    game.mouse.move(to_x - 60, to_y - 60)
    game.mouse.up()
    game.wait_for_function(f"{NOTE} === 'Searched: A9–C8.'")
    game.wait_for_function("document.querySelector('#board .region .outside')")
    assert game.text_content("#analyze") == "Search only here"
    click(game, "analyze")
    is_searched_here(game)
    game.wait_for_function("document.getElementById('search-summary').textContent.startsWith('Here: ')")
    assert game.evaluate("window.mugo.state.game.node.analysis ?? null") is None     # it is none of the position
    game.keyboard.press("o")
    game.wait_for_function(f"{NOTE} === '' && {SEARCHED}.some((move) => !{sorted(REGION)}.includes(move))")


def test_a_region_is_chosen_with_the_keyboard(game):
    game.keyboard.press("o")
    tab_to_board(game)
    for key in ["ArrowLeft", "ArrowUp", "Enter", "ArrowRight", "ArrowDown", "ArrowDown", "Enter"]:
        game.keyboard.press(key)
    game.wait_for_function(f"{NOTE} === 'Searched: D6–E4.'")
    assert "Searched: D6–E4." in game.text_content("#markup-description")
    assert game.evaluate(NUMBER) == "0 / 0"               # nothing was played
    game.keyboard.press("o")
    game.wait_for_function(f"{NOTE} === ''")


def test_two_taps_choose_a_region_on_a_phone(phone):
    new_game(phone)
    click(phone, "choose-region")
    phone.touchscreen.tap(*screen_point(phone, "B2"))
    phone.wait_for_function(f"{STATUS}.startsWith('B2.')")
    phone.touchscreen.tap(*screen_point(phone, "D4"))
    phone.wait_for_function(f"{NOTE} === 'Searched: B4–D2.'")
    assert phone.evaluate(NUMBER) == "0 / 0"


def test_a_move_is_forbidden_or_the_only_one(game):
    click(game, "analyze")
    game.keyboard.press("x")
    game.mouse.click(*screen_point(game, "C3"))
    game.wait_for_function(f"{NOTE} === 'Next move not: C3.' && {SEARCHED}.length")
    assert not game.evaluate("window.mugo.state.at.localSearch.moves.some(({ move }) => move === 'C3')")
    game.mouse.click(*screen_point(game, "C3"))
    game.wait_for_function(f"{NOTE} === 'Next move only: C3.' && {SEARCHED}.join() === 'C3'")
    game.keyboard.press("Escape")
    game.mouse.click(*screen_point(game, "E5"))            # a move is played, and all are searched again
    game.wait_for_function(f"{NUMBER} === '1 / 1' && {NOTE} === '' && {SEARCHED}.length > 1")


def test_a_frame_is_a_variation_and_changes_nothing_else(page):
    load(page, PROBLEM)
    before = sgf_properties(save(page))
    page.evaluate("window.mugo.state.game.isUnsaved = false")
    click(page, "frame")
    page.wait_for_function(f"{STATUS}.startsWith('Black attacks')")
    assert page.evaluate(NOTE) == "Searched: A9–E5."
    framed = sgf_properties(save(page))
    assert framed[:3] == before and len(framed) == 4
    assert framed[3][1]["N"] == [b"Tsumego frame: Black attacks"] and framed[3][1]["PL"] == [b"W"]
    click(page, "frame")                                   # the other side attacks, in the same node
    page.wait_for_function(f"{STATUS}.startsWith('White attacks')")
    assert [values.get("N") for _, values in sgf_properties(save(page))] == [None, None, None,
                                                                          [b"Tsumego frame: White attacks"]]
    click(page, "back")
    page.wait_for_function(f"{STATUS}.startsWith('White to play')")
    click(page, "search-whole")
    assert page.text_content("#frame") == "Tsumego frame"


def test_a_game_that_is_played_gets_no_frame(page):
    new_game(page, colour="B", opponent="random")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{NUMBER} === '2 / 2'")
    assert page.evaluate("document.getElementById('frame').disabled")


def test_a_hint_is_in_the_region_and_no_analysis_of_the_position(game):
    game.evaluate("void window.mugo.change((state) => { state.region = { top: 0, left: 0, bottom: 1, right: 2 }; })")
    game.keyboard.press("h")
    game.wait_for_function(f"{STATUS}.startsWith('MuGo would play ')")
    assert game.evaluate(STATUS).split()[3].rstrip(".") in REGION
    assert game.evaluate("window.mugo.state.game.node.analysis ?? null") is None


def test_a_region_without_a_legal_move_says_so(game):
    game.mouse.click(*screen_point(game, "E5"))
    game.wait_for_function(f"{NUMBER} === '1 / 1'")
    game.keyboard.press("o")
    for _ in range(2):
        game.mouse.click(*screen_point(game, "E5"))
    game.wait_for_function(f"{NOTE} === 'Searched: E5.'")
    click(game, "analyze")
    game.wait_for_function(f"{STATUS} === 'No legal move is allowed.' && !window.mugo.state.analyzing")


def test_a_reload_keeps_the_region(game):
    game.evaluate("void window.mugo.change((state) => { state.region = { top: 0, left: 0, bottom: 1, right: 2 }; })")
    game.reload()
    game.wait_for_function(f"{NOTE} === 'Searched: A9–C8.'")
    game.keyboard.press("o")                # as the next test expects
    game.wait_for_function(f"{NOTE} === ''")
