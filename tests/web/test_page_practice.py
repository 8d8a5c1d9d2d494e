"""Mistakes before their move, exercises and progress on the page in a headless Chromium.  The file has all searches."""
import pytest

from page_states import MISTAKES
from web_page import NUMBER, STATUS, load, screen_point

GHOSTS = "[...document.querySelectorAll('.ghosts .ghost')].map((each) => each.className.baseVal.slice(0, 5) + " \
         "each.getAttribute('cx') + each.getAttribute('cy')).join(' ')"
RINGS = "[...document.querySelectorAll('.ghosts .ring')].map((each) => each.className.baseVal.slice(5) + " \
        "each.getAttribute('cx') + each.getAttribute('cy')).join(' ')"
DISCS = "[...document.querySelectorAll('.ghosts .note')].map((each) => each.textContent).join(' ')"


def set_field(page, name, value):
    page.evaluate(f"(() => {{ const field = document.getElementById('{name}'); field.value = '{value}'; "
                  "field.dispatchEvent(new Event('change')) })()")


def write_comment(page):
    """So that the browser keeps the game."""
    page.evaluate("(() => { const field = document.getElementById('comment'); field.focus(); field.value = 'a note'; "
                  "field.dispatchEvent(new Event('input')); field.blur(); })()")


def answer(page, vertex):
    page.mouse.click(*screen_point(page, vertex))


@pytest.fixture
def game(page):
    load(page, MISTAKES)
    page.wait_for_function("document.querySelectorAll('#move-list b').length === 2")
    yield page
    page.evaluate("document.querySelector('#exercise-end').click()")


def test_a_mistake_is_shown_before_its_move_with_both_lines(game):
    page = game
    page.keyboard.press("k")               # before the first one, the last
    page.wait_for_function(f"{STATUS} === 'Black 3 lost 5.0 points: G7 was better than G3.' && {NUMBER} === '2 / 4'")
    assert page.evaluate(f"[{GHOSTS}, {RINGS}, {DISCS}]") == ["black62 white22 black64", "better62", "5.0"]
    page.keyboard.press("l")
    page.wait_for_function(f"{RINGS} === 'played66 better62'")           # no disc hides the third stone of the line
    assert page.evaluate(GHOSTS) == "black66 white22 black62" and page.evaluate(DISCS) == ""
    page.keyboard.press("k")
    page.wait_for_function(f"{STATUS} === 'Black 1 lost 4.0 points: D4 was better than E5.' && {NUMBER} === '0 / 4'")
    page.click("#next-mistake")
    page.wait_for_function(f"{NUMBER} === '2 / 4'")
    page.click("#next-mistake")            # after the last one, the first
    page.wait_for_function(f"{NUMBER} === '0 / 4'")


def test_mistakes_of_one_side(game):
    page = game
    page.click("#sides [data-value=W]")
    page.wait_for_function("document.getElementById('mistake-count').textContent === 'No mistakes.'")
    assert page.evaluate("document.getElementById('next-mistake').disabled")
    page.click("#sides [data-value=W]")    # again of both
    page.wait_for_function("document.getElementById('mistake-count').textContent === '2 mistakes'")


def test_puzzles_from_mistakes(game):
    page = game
    page.dispatch_event("#start-puzzles", "click")
    page.wait_for_function(f"{STATUS}.startsWith('Puzzle 1 of 2') && {NUMBER} === '0 / 4'")
    assert page.evaluate("document.getElementById('autoplay').disabled")
    assert page.evaluate("!document.querySelector('.next circle') "
                         "&& !document.getElementById('review-card').checkVisibility()")
    page.keyboard.press("ArrowRight")      # would show the move
    assert page.evaluate(NUMBER) == "0 / 4"
    answer(page, "E5")
    page.wait_for_function(f"{STATUS} === 'E5 was played. E5 loses 4.0 points. Try again, or see the solution.' "
                           f"&& {DISCS} === '✗'")
    page.keyboard.press("h")
    page.wait_for_function("document.querySelector('.ghosts .region')")
    answer(page, "D4")
    page.wait_for_function(f"{STATUS} === 'Right: D4 is the best move.' && {GHOSTS} === 'black35 white53'")
    page.keyboard.press("j")
    page.wait_for_function(f"{STATUS}.startsWith('Puzzle 2 of 2') && {NUMBER} === '2 / 4'")
    answer(page, "C7")
    page.wait_for_function(f"{STATUS} === 'Right. C7 loses about 1 point. The best move is G7.'")
    page.click("#exercise-next")
    page.wait_for_function(f"{STATUS} === 'You solved 1 of 2 at the first try.'")
    page.click("#exercise-end")
    page.wait_for_function("document.getElementById('exercise-run').hidden")
    assert page.evaluate("window.mugo.state.game.line().length") == 5          # no answer is a move of the game


def test_guess_the_moves_of_a_record(game):
    page = game
    page.click("#sides [data-value=B]")
    page.dispatch_event("#start-guess", "click")
    page.wait_for_function(f"{STATUS} === 'Move 1: where did Black play?'")
    answer(page, "E5")
    page.wait_for_function(f"{NUMBER} === '2 / 4' && {STATUS} === 'Yes: E5 was played. 2 points.'")
    answer(page, "A1")                     # the search before has not looked at it: another one
    page.wait_for_function(f"{STATUS}.startsWith('Black played G3.')", timeout=30_000)
    page.keyboard.press("j")
    page.wait_for_function(f"/of 4 points.*1 of 2 were the move that was played\\.$/.test({STATUS})")


def test_the_variations_of_the_record_do_not_tell_the_move_that_is_asked_for(page):
    load(page, "(;SZ[9];B[ee](;W[cc])(;W[gg]))")
    page.keyboard.press("ArrowRight")
    shown = "document.getElementById('move-list').checkVisibility()"
    page.wait_for_function(f"{NUMBER} === '1 / 2' && {shown}")
    page.dispatch_event("#start-guess", "click")
    page.wait_for_function(f"{STATUS} === 'Move 2: where did White play?' && !{shown}")
    page.click("#exercise-end")
    page.wait_for_function(shown)


def test_progress_over_the_stored_games(page):
    moves = "".join(f";{'BW'[i % 2]}[{'abcdefghi'[i % 9]}{'ace'[i // 9]}]"
                    f"C[Black wins 50.0 % (80 visits, W+{i // 2}.0)]" for i in range(24))
    load(page, f"(;SZ[9]PB[Aoi]PW[Beni]DT[2026-03-09]{moves})")
    write_comment(page)
    page.dispatch_event("#show-progress", "click")
    set_field(page, "own-name", "beni")
    page.wait_for_function("document.querySelector('#progress-table tbody tr')?.textContent === "
                           "'2026-03-099×9, AoiWhite100 %0.012'")
    size = page.viewport_size
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth === clientWidth)"
                         "(document.getElementById('progress-dialog'))")
    page.set_viewport_size(size)
    page.fill("#own-name", "Cho")
    page.press("#own-name", "Enter")       # does not close the dialog
    page.wait_for_function("document.getElementById('progress-table').hidden")
    assert page.evaluate("document.getElementById('progress-dialog').open")
    page.evaluate("document.getElementById('progress-dialog').close()")


def test_mistakes_of_all_stored_games_come_again_until_they_are_solved(page):
    kept = "[...Array(window.mugo.kept.length).keys()].map((i) => window.mugo.kept.getItem(window.mugo.kept.key(i)))"
    due = f"{kept}.map((text) => JSON.parse(text.split('\\n')[0]).summary.due).flat().length"
    page.evaluate("(({ kept }) => { while (kept.length) kept.removeItem(kept.key(0)); })(window.mugo)")
    page.evaluate("window.mugo.change((state) => { state.settings.name = 'Aoi'; })")
    for _ in range(2):
        load(page, MISTAKES)
        write_comment(page)
    page.evaluate("document.getElementById('home').click()")
    page.wait_for_function(f"{due} === 4 && document.getElementById('start-practice').textContent.startsWith("
                           "'Practise your mistakes4 puzzles')")
    page.click("#start-practice")
    for number, vertex in enumerate(["D4", "G7", "D4"], 1):
        page.wait_for_function(f"{STATUS}.startsWith('Puzzle {number} of 4') && window.mugo.state.game.node.position")
        answer(page, vertex)
        page.wait_for_function(f"{STATUS}.startsWith('Right: {vertex} is the best move.')")
        page.click("#exercise-next")
    page.wait_for_function(f"{STATUS}.startsWith('Puzzle 4 of 4')")
    page.click("#exercise-solution")       # the next day again
    page.click("#exercise-next")
    page.wait_for_function(f"{STATUS} === 'You solved 3 of 4 at the first try.'")
    page.click("#exercise-end")
    page.evaluate("document.getElementById('home').click()")
    page.wait_for_function("document.documentElement.dataset.screen === 'start'")
    assert not page.is_visible("#start-practice")
    assert page.evaluate(f"{kept}.length") == 2
    page.evaluate("""window.mugo.change((state) => {
        state.settings.name = '';
        while (window.mugo.kept.length) window.mugo.kept.removeItem(window.mugo.kept.key(0));
    })""")
