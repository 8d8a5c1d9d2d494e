"""The local search on the page in a headless Chromium: a region, forbidden moves, a tsumego frame."""
import pytest
from web_page import NUMBER, STATUS, load, new_game, save, screen_point, sgf_properties, tab_to_board

PROBLEM = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[7]AB[ca][cb][ac][bc][cc]AW[ba][ab][bb]PL[W]C[White to live];W[aa];B[ee])"
NOTE = "document.getElementById('local-note').textContent"
SEARCHED = "[...document.querySelectorAll('#moves:not([hidden]) tbody tr')].map((row) => row.dataset.move)"
REGION = {"A9", "B9", "C9", "A8", "B8", "C8"}


def click(page, name):
    page.run(f"document.getElementById('{name}').click()")


@pytest.fixture
def game(page):
    new_game(page)
    yield page
    page.run("document.activeElement.blur()")
    if page.run("window.mugo.state.analyzing"):
        page.press("a")
    click(page, "search-whole")


def is_searched_here(page, seconds=15):
    page.until(f"{SEARCHED}.length && {SEARCHED}.every((move) => {sorted(REGION)}.includes(move))", seconds)


def test_a_region_is_dragged_and_searched(game):
    click(game, "choose-region")
    game.until(f"{STATUS}.startsWith('Drag over')")
    (x, y), (to_x, to_y) = screen_point(game, "C8"), screen_point(game, "A9")
    for kind, at in ("mousePressed", (x, y)), ("mouseMoved", (to_x, to_y)), ("mouseReleased", (to_x - 60, to_y - 60)):
        game.send("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], clickCount=1, button="left")
    game.until(f"{NOTE} === 'Searched: A9–C8.'")
    game.until("document.querySelector('#board .region .outside')")
    assert game.run("document.getElementById('analyze').textContent") == "Search only here"
    click(game, "analyze")
    is_searched_here(game)
    game.until("document.getElementById('search-summary').textContent.startsWith('Here: ')")
    assert game.run("window.mugo.state.game.node.analysis ?? null") is None          # it is none of the position
    game.press("o")
    game.until(f"{NOTE} === '' && {SEARCHED}.some((move) => !{sorted(REGION)}.includes(move))")


def test_a_region_is_chosen_with_the_keyboard(game):
    game.press("o")
    tab_to_board(game)
    for key in ["ArrowLeft", "ArrowUp", "Enter", "ArrowRight", "ArrowDown", "ArrowDown", "Enter"]:
        game.press(key)
    game.until(f"{NOTE} === 'Searched: D6–E4.'")
    assert "Searched: D6–E4." in game.run("document.getElementById('markup-description').textContent")
    assert game.run(NUMBER) == "0 / 0"                    # nothing was played
    game.press("o")
    game.until(f"{NOTE} === ''")


def test_two_taps_choose_a_region_on_a_phone(game):
    game.resize(390, 844, 2, touch=True)
    click(game, "choose-region")
    game.tap(*screen_point(game, "B2"))
    game.until(f"{STATUS}.startsWith('B2.')")
    game.tap(*screen_point(game, "D4"))
    game.until(f"{NOTE} === 'Searched: B4–D2.'")
    assert game.run(NUMBER) == "0 / 0"


def test_a_move_is_forbidden_or_the_only_one(game):
    click(game, "analyze")
    game.press("x")
    game.click(*screen_point(game, "C3"))
    game.until(f"{NOTE} === 'Next move not: C3.' && {SEARCHED}.length")
    assert not game.run("window.mugo.state.at.localSearch.moves.some(({ move }) => move === 'C3')")
    game.click(*screen_point(game, "C3"))
    game.until(f"{NOTE} === 'Next move only: C3.' && {SEARCHED}.join() === 'C3'")
    game.press("Escape")
    game.click(*screen_point(game, "E5"))                  # a move is played, and all are searched again
    game.until(f"{NUMBER} === '1 / 1' && {NOTE} === '' && {SEARCHED}.length > 1")


def test_a_frame_is_a_variation_and_changes_nothing_else(page):
    load(page, PROBLEM)
    before = sgf_properties(save(page))
    page.run("window.mugo.state.game.isUnsaved = false")
    click(page, "frame")
    page.until(f"{STATUS}.startsWith('Black attacks')")
    assert page.run(NOTE) == "Searched: A9–E5."
    framed = sgf_properties(save(page))
    assert framed[:3] == before and len(framed) == 4
    assert framed[3][1]["N"] == [b"Tsumego frame: Black attacks"] and framed[3][1]["PL"] == [b"W"]
    click(page, "frame")                                   # the other side attacks, in the same node
    page.until(f"{STATUS}.startsWith('White attacks')")
    assert [values.get("N") for _, values in sgf_properties(save(page))] == [None, None, None,
                                                                          [b"Tsumego frame: White attacks"]]
    click(page, "back")
    page.until(f"{STATUS}.startsWith('White to play')")
    click(page, "search-whole")
    assert page.run("document.getElementById('frame').textContent") == "Tsumego frame"


def test_a_game_that_is_played_gets_no_frame(page):
    new_game(page, colour="B", opponent="random")
    page.click(*screen_point(page, "E5"))
    page.until(f"{NUMBER} === '2 / 2'")
    assert page.run("document.getElementById('frame').disabled")


def test_a_hint_is_in_the_region_and_no_analysis_of_the_position(game):
    game.run("window.mugo.change((state) => { state.region = { top: 0, left: 0, bottom: 1, right: 2 }; })")
    game.press("h")
    game.until(f"{STATUS}.startsWith('Best move: ')")
    assert game.run(STATUS).split()[2].rstrip(",") in REGION
    assert game.run("window.mugo.state.game.node.analysis ?? null") is None


def test_a_region_without_a_legal_move_says_so(game):
    game.click(*screen_point(game, "E5"))
    game.until(f"{NUMBER} === '1 / 1'")
    game.press("o")
    for _ in range(2):
        game.click(*screen_point(game, "E5"))
    game.until(f"{NOTE} === 'Searched: E5.'")
    click(game, "analyze")
    game.until(f"{STATUS} === 'no legal move is allowed' && !window.mugo.state.analyzing")
