"""Mistakes before their move, exercises and progress on the page in a headless Chromium.  The file has all searches."""
import pytest

from web_page import NUMBER, STATUS, load, screen_point

GHOSTS = "[...document.querySelectorAll('.ghosts .ghost')].map((each) => each.className.baseVal.slice(0, 5) + " \
         "each.getAttribute('cx') + each.getAttribute('cy')).join(' ')"
RINGS = "[...document.querySelectorAll('.ghosts .ring')].map((each) => each.className.baseVal.slice(5) + " \
        "each.getAttribute('cx') + each.getAttribute('cy')).join(' ')"
DISCS = "[...document.querySelectorAll('.ghosts .note')].map((each) => each.textContent).join(' ')"
TEXT = "document.getElementById('exercise-text').textContent"


def lz(to_play, lead, *moves):
    """The value of LZ for a node after which a side is to play; moves: (vertex, Black's lead, visits, variation)."""
    sign = 1 if to_play == "B" else -1
    rate = 50 + sign * lead
    infos = " info ".join(f"move {move} visits {visits} winrate {int(5000 + 100 * sign * value)} "
                          f"scoreMean {sign * value:.2f} pv {variation}" for move, value, visits, variation in moves)
    return f"MuGo {100 - rate:.1f} 400 {sign * lead:.2f}\n{infos}"


# Black 1 lost 2 points, Black 3 lost 5.
GAME = "(;SZ[9]PB[Aoi]LZOP[" + lz("B", 3, ("D4", 3, 200, "D4 F6"), ("E5", 2.9, 150, "E5 C3")) + "]" \
    ";B[ee]LZ[" + lz("W", 1, ("C3", 1, 300, "C3 G7")) + "]" \
    ";W[cg]LZ[" + lz("B", 1, ("G7", 1, 200, "G7 C7 G5"), ("C7", 0, 100, "C7 G7")) + "]" \
    ";B[gg]LZ[" + lz("W", -4, ("C7", -4, 300, "C7 G7")) + "];W[cc]LZ[" + lz("B", -4, ("E2", -4, 300, "E2")) + "])"


def set_field(page, name, value):
    page.run(f"(() => {{ const field = document.getElementById('{name}'); field.value = '{value}'; "
             "field.dispatchEvent(new Event('change')) })()")


def answer(page, vertex):
    page.click(*screen_point(page, vertex))


@pytest.fixture
def game(page):
    load(page, GAME)
    page.until("document.querySelectorAll('#mistake-list tbody tr').length === 2")
    yield page
    page.run("document.querySelector('#exercise-end').click()")


def test_a_mistake_is_shown_before_its_move_with_both_lines(game):
    page = game
    page.run("document.querySelector('#mistake-list tbody tr').click()")          # the largest
    page.until(f"{STATUS} === 'Black 3 lost 5.0 points: G7 was better than G3.' && {NUMBER} === '2 / 4'")
    assert page.run(GHOSTS) == "black62 white22 black64" and page.run(RINGS) == "better62" and page.run(DISCS) == "5.0"
    page.press("l")
    page.until(f"{RINGS} === 'played66'")
    assert page.run(GHOSTS) == "black66 white22 black62" and page.run(DISCS) == "0"
    page.press("k")
    page.until(f"{STATUS} === 'Black 1 lost 2.0 points: D4 was better than E5.' && {NUMBER} === '0 / 4'")
    page.press("k")
    page.until(f"{STATUS} === 'There is no earlier mistake.'")
    page.press("j")
    page.until(f"{NUMBER} === '2 / 4'")
    page.run("document.getElementById('leave-mistake').click()")
    page.until(f"{RINGS} === '' && {STATUS} === 'White played C3. Black to play.'")


def test_mistakes_of_one_side(game):
    page = game
    set_field(page, "whose", "W")
    page.until("document.getElementById('mistake-list').hidden && !document.getElementById('no-mistakes').hidden")
    assert page.run("document.getElementById('next-mistake').disabled")
    set_field(page, "whose", "both")
    page.until("!document.getElementById('mistake-list').hidden")


def test_candidates_have_the_colours_of_what_they_lose(game):
    page = game
    page.press("ArrowRight")
    page.press("ArrowRight")
    page.press("2")
    page.until("[...document.querySelectorAll('.overlay .candidate')].map((each) => each.className.baseVal)"
               ".join('|') === 'candidate level-0 best|candidate level-1'")
    assert page.run("[...document.querySelectorAll('.overlay .loss-label')].map((each) => each.textContent)"
                    ".join(' ')") == "best 1.0"
    assert page.run("[...document.querySelectorAll('#moves tbody tr')].map(({ cells }) => cells[1].textContent + "
                    "cells[2].textContent).join(' ')") == "bestB+1.0 1.0B+0.0"
    assert page.run("document.getElementById('lead-bar').getAttribute('aria-label')") == "Black wins 51 % · B+1.0"
    page.press("0")


def test_puzzles_from_mistakes(game):
    page = game
    page.run("document.getElementById('start-puzzles').click()")
    page.until(f"{TEXT}.startsWith('Puzzle 1 of 2') && {NUMBER} === '0 / 4'")
    assert page.run("!document.querySelector('.next circle') && document.getElementById('win-rates').hidden")
    page.press("ArrowRight")               # would show the move
    assert page.run(NUMBER) == "0 / 4"
    answer(page, "E5")
    page.until(f"{TEXT} === 'E5 was played. E5 loses 2.0 points. Try again, or see the solution.' && {DISCS} === '✗'")
    page.press("h")
    page.until("document.querySelector('.ghosts .region')")
    answer(page, "D4")
    page.until(f"{TEXT} === 'Right: D4 is the best move.' && {GHOSTS} === 'black35 white53'")
    page.press("j")
    page.until(f"{TEXT}.startsWith('Puzzle 2 of 2') && {NUMBER} === '2 / 4'")
    answer(page, "C7")
    page.until(f"{TEXT} === 'Right. C7 loses 1.0 points. The best move is G7.'")
    page.run("document.getElementById('exercise-next').click()")
    page.until(f"{TEXT} === 'You solved 1 of 2 at the first try.'")
    page.run("document.getElementById('exercise-end').click()")
    page.until("!document.getElementById('exercise-start').hidden")
    assert page.run("window.mugo.state.game.line().length") == 5               # no answer is a move of the game


def test_guess_the_moves_of_a_record(game):
    page = game
    page.run("document.getElementById('start-guess').click()")
    page.until(f"{TEXT} === 'Move 1: where did Black play?'")
    answer(page, "E5")
    page.until(f"{NUMBER} === '2 / 4' && {STATUS} === 'Yes: E5 was played. 2 points.'")
    answer(page, "A1")                     # the search before has not looked at it: another one
    page.until(f"{TEXT}.startsWith('Black played G3.')", 30)
    page.press("j")
    page.until(f"{TEXT}.includes('of 4 points') && {TEXT}.endsWith('1 of 2 were the move that was played.')")


def test_progress_over_the_stored_games(page):
    moves = "".join(f";{'BW'[i % 2]}[{'abcdefghi'[i % 9]}{'ace'[i // 9]}]"
                    f"C[Black wins 50.0 % (80 visits, W+{i // 2}.0)]" for i in range(24))
    load(page, f"(;SZ[9]PB[Aoi]PW[Beni]DT[2026-03-09]{moves})")
    page.run("(() => { const field = document.getElementById('comment'); field.focus(); field.value = 'a note'; "
             "field.dispatchEvent(new Event('input')); field.blur(); })()")
    page.run("document.getElementById('show-progress').click()")
    set_field(page, "own-name", "beni")
    page.until("document.querySelector('#progress-table tbody tr')?.textContent === "
               "'2026-03-099×9, AoiWhite100 %0.012'")
    page.run("document.getElementById('progress-dialog').close()")
