"""The start of the page in a headless Chromium, and the boards to learn on."""
import pytest

from web_page import STATUS, STONES, load, screen_point

SCREEN = "document.documentElement.dataset.screen"
LESSON = "window.mugo.state.lesson"


@pytest.fixture
def page(page):
    """The page at its start."""
    page.evaluate("document.getElementById('home').click()")
    page.wait_for_function(f"{SCREEN} === 'start' && {STONES} > 10", timeout=60_000)   # the first request compiles
    yield page
    page.evaluate("import('/static/controls/new_game.js').then(({ playFirstGame }) => playFirstGame())")
    page.wait_for_function(f"{SCREEN} === 'game' && {STATUS}.includes('to play')", timeout=60_000)


def open_lesson(page, number):
    page.click("#start-learn")
    page.wait_for_function(f"{SCREEN} === 'lesson'")
    page.click(f"#lesson-list li:nth-child({number}) button")
    page.wait_for_function(f"{LESSON}?.index === {number - 1} && window.mugo.state.game.node.position && {STONES}")


def click(page, vertex):
    page.mouse.click(*screen_point(page, vertex, page.evaluate("window.mugo.state.game.size.rows")))


def test_a_page_without_a_game_begins_with_its_start(page, open_page, monkeypatch):
    from mugo.web import sessions

    monkeypatch.setattr(sessions, "start_from_position", lambda position: None)
    new = open_page()
    new.wait_for_function(f"{SCREEN} === 'start' && {STONES} > 10")
    assert new.evaluate("document.querySelector('#home').innerText.trim() && getComputedStyle(document.querySelector("
                        "'#home')).fontSize") != "0px"               # it says what it is, at every width
    assert new.evaluate("[...document.querySelectorAll('button')].filter((each) => each.checkVisibility()).length") == 7
    new.click("#board")                    # of a game that plays itself
    new.keyboard.press("p")
    assert new.evaluate("window.mugo.state.game.node.index") == 40 and not new.evaluate("sessionStorage.length")
    new.click("#start-play")
    new.wait_for_function("document.querySelector('#new-game-dialog[open] [name=opponent]').options.length")
    new.click("#new-game-dialog [value=start]")
    new.wait_for_function(f"{SCREEN} === 'game' && {STONES} === 0 && {STATUS}.startsWith('Black to play')")
    new.wait_for_function("sessionStorage.length")
    new.reload()
    new.wait_for_function(f"{SCREEN} === 'game' && {STATUS}.startsWith('Black to play')")


def test_the_game_before_can_be_brought_back_from_the_start(page):
    load(page, "(;GM[1]FF[4]SZ[9];B[ee])")
    page.wait_for_function(f"{SCREEN} === 'game'")
    page.mouse.click(*screen_point(page, "C3"))
    page.wait_for_function("window.mugo.state.game.isUnsaved")
    page.click("#home")
    page.click("#start-learn")
    page.wait_for_function(f"{SCREEN} === 'lesson'")
    page.reload()
    page.wait_for_function(f"{SCREEN} === 'game' && {STONES} >= 1")


@pytest.mark.parametrize("number", range(1, 6))
def test_each_board_is_solved_by_its_line_and_not_by_another_move(page, number):
    open_lesson(page, number)
    lesson = page.evaluate(f"import('/static/core/lessons.js').then(({{ LESSONS }}) => LESSONS[{number - 1}])")
    click(page, "G7" if "lines" not in lesson else f"A{page.evaluate('window.mugo.state.game.size.rows')}")
    page.wait_for_function(f"{LESSON}.isWrong && document.getElementById('lesson-answer').textContent")
    for line in lesson.get("lines", ["A1"]):
        page.click(f"#lesson-list li:nth-child({number}) button")
        page.wait_for_function(f"!{LESSON}.isWrong && window.mugo.state.game.node.position")
        before = page.evaluate("window.mugo.state.game.node.position.stones")
        for i, vertex in enumerate(line.split()):
            if i % 2 == 0:
                click(page, vertex)
            if "lines" in lesson:
                page.wait_for_function(f"window.mugo.state.game.node.index === {i + 1}")
        page.wait_for_function(f"{LESSON}.isSolved")
        after = page.evaluate("window.mugo.state.game.node.position")
        if lesson["title"] in ("lessonCapture", "lessonLadder"):
            assert "O" in before and "O" not in after["stones"]
        if lesson["title"] == "lessonEyes":
            assert after["illegal"] == {"C1": "is suicide", "E1": "is suicide"}
    assert page.is_visible("#lesson-next") == (number < 5) and page.is_visible("#lesson-first") == (number == 5)


def test_show_me_solves_a_board_and_the_last_one_leads_to_a_game(page):
    open_lesson(page, 5)
    page.click("#lesson-show")
    page.wait_for_function(f"{LESSON}.isSolved && "
                           "document.getElementById('lesson-answer').textContent.startsWith('Black has 26, White 23')")
    page.click("#lesson-first")
    page.wait_for_function(f"{SCREEN} === 'game' && window.mugo.state.opponent === 'uct-100' && {STONES} === 0")


def test_the_keyboard_goes_from_board_to_board(page):
    page.wait_for_function("document.getElementById('board').tabIndex === -1")     # nothing is played at the start
    page.focus("#start-learn")
    page.keyboard.press("Enter")
    page.wait_for_function(f"{LESSON} && document.activeElement.id === 'board' && window.mugo.state.game.node.position")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_function(f"{LESSON}.isSolved && document.activeElement.id === 'lesson-next'")
    page.keyboard.press("Enter")
    page.wait_for_function(f"{LESSON}.index === 1 && document.activeElement.id === 'board'")
