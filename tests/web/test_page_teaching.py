"""Teaching on the page in a headless Chromium: mistakes are offered back before MuGo answers; autoplay and sound."""
import pytest

from web_page import NUMBER, STATUS, STONES, load, new_game, play_from, screen_point

from mugo.core.files import BadInput
from mugo.web.handlers import SEARCHES, SessionSearches

OFFER = "!document.getElementById('offer').hidden"
ACCEPTED = f"{NUMBER} === '2 / 2' && {STATUS} === 'White played C3. Black to play.'"


class ScriptedSearch:
    """What the server's analyses with a limit find.

    evaluations: (win rate, lead) of Black by the line of moves, "B E5 W G7"; others are even.  asked: the lines.
    """

    def __init__(self):
        self.evaluations, self.asked, self.fails = {}, [], False

    def analyze(self, searches, position, request, job):
        if "simulations" not in request:
            return SessionSearches.analyze(searches, position, request, job)
        line = " ".join(request["moves"])
        self.asked.append(line)
        if self.fails:
            raise BadInput("no search")
        win_rate, lead = self.evaluations.get(line, (0.5, 0))
        found = {"win_rate": win_rate, "lead": lead, "visits": 100}
        moves = [{**found, "move": move, "visits": visits, "prior": 0.5, "pv": [move]}
                 for move, visits in (("G7", 90), ("C7", 10))]
        return {"done": True, "search": {**found, "simulations": 100, "ownership": None, "moves": moves}}


@pytest.fixture
def search(monkeypatch):
    scripted = ScriptedSearch()
    monkeypatch.setitem(SEARCHES, "analyze", scripted.analyze)
    return scripted


@pytest.fixture
def teaching(page, search):
    """Teaching from 3 points or 10 % on, level 3, in a game against MuGo's policy."""
    new_game(page, colour="B")
    page.click("#teaching")
    choose_level(page, 3)
    yield page
    page.evaluate("document.getElementById('teaching').checked && document.getElementById('teaching').click()")


def choose_level(page, level):
    page.evaluate(f"""(() => {{
        const select = document.getElementById('teaching-level');
        select.value = '{level}';
        select.dispatchEvent(new Event('change'));
    }})()""")


def play(page, vertex):
    page.mouse.click(*screen_point(page, vertex))


def press(page, name):
    page.dispatch_event(f"#{name}", "click")


def test_a_move_that_loses_much_is_offered_back_and_mugo_waits(teaching, search):
    page = teaching
    page.set_viewport_size({"width": 1280, "height": 800})
    search.evaluations |= {"B E5": (0.2, -5.2), "B G7": (0.5, -2.9)}
    play(page, "E5")
    page.wait_for_function(f"{OFFER} && {STATUS} === 'E5 lost about 5 points. Take it back?'")
    assert page.evaluate("[...document.querySelectorAll('#offer button')].map((each) => each.textContent).join()") == \
        "Take it back,Play on,Show better moves"
    assert page.evaluate("document.getElementById('navigation').getBoundingClientRect().bottom") <= 800
    play(page, "A1")                       # not MuGo's move
    page.wait_for_function(f"{STATUS} === 'Take the move back or play on first.'")
    assert page.evaluate(NUMBER) == "1 / 1"
    press(page, "take-back")
    page.wait_for_function(f"!({OFFER}) && {NUMBER} === '0 / 1' && {STONES} === 0")
    play(page, "G7")                       # loses less than the threshold
    page.wait_for_function(ACCEPTED)
    assert search.asked.count("") == 1     # searched once, while one thinks


def test_a_move_is_kept_by_playing_on(teaching, search):
    page = teaching
    search.evaluations |= {"B E5": (0.2, -5.2)}
    play(page, "E5")
    page.wait_for_function(OFFER)
    press(page, "play-on")
    page.wait_for_function(f"{ACCEPTED} && !({OFFER})")


def test_undo_takes_the_move_back_and_a_reload_asks_again(teaching, search):
    page = teaching
    search.evaluations |= {"B E5": (0.2, -5.2)}
    play(page, "E5")
    page.wait_for_function(OFFER)
    page.keyboard.press("u")
    page.wait_for_function(f"!({OFFER}) && {NUMBER} === '0 / 1'")
    play(page, "E5")                       # the same move again: it is asked again, at once
    page.wait_for_function(OFFER)
    page.keyboard.press("Home")            # looking elsewhere decides nothing
    page.wait_for_function(f"!({OFFER})")
    page.keyboard.press("End")
    page.wait_for_function(f"{OFFER} && {NUMBER} === '1 / 1'")


def test_better_moves_are_shown_though_the_analysis_is_hidden(teaching, search):
    page = teaching
    press(page, "hide-analysis")
    search.evaluations |= {"B E5": (0.2, -5.2)}
    play(page, "E5")
    page.wait_for_function(OFFER)
    assert page.evaluate("document.querySelectorAll('.overlay *').length") == 0
    press(page, "show-better")
    page.wait_for_function(f"{STATUS} === 'The search prefers G7, C7.' && {NUMBER} === '0 / 1'")
    page.wait_for_function("document.querySelectorAll('.overlay .candidate').length === 2")
    play(page, "G7")
    page.wait_for_function(ACCEPTED)       # and then it is hidden again, with the overlay from before
    assert page.evaluate("document.querySelectorAll('.overlay *').length") == 0
    assert page.evaluate("document.querySelector('[name=overlay]:checked').value") == "none"
    press(page, "hide-analysis")


def test_white_is_taught_too_and_only_ones_own_moves(teaching, search):
    page = teaching
    new_game(page, colour="both")
    search.evaluations |= {"B E5": (0.5, 0), "B E5 W A9": (0.9, 7), "B E5 W A9 B A1": (0.9, 7)}
    play(page, "E5")
    page.wait_for_function(f"{NUMBER} === '1 / 1'")
    play(page, "A9")
    page.wait_for_function(f"{OFFER} && {STATUS} === 'A9 lost about 7 points. Take it back?'")
    play(page, "A1")                       # in a game of both sides the next move plays on
    page.wait_for_function(f"!({OFFER}) && {NUMBER} === '3 / 3'")


DECIDING = "[...document.querySelectorAll('#deciding-moves button')].map((each) => each.textContent).join('|')"


def test_the_coach_warns_before_a_move_and_names_the_critical_positions_at_the_end(teaching, search):
    page = teaching
    load(page, "(;GM[1]SZ[9]AB[gd][cf]AW[fd][hd][ge][bf][df])")
    play_from(page, "B")
    search.evaluations |= {"B A2": (0.2, -5.2)} | dict.fromkeys(("B C7", "B C7 W C3"), (0.2, -4))
    play(page, "A2")
    danger = "White can capture 1 stone at G7."
    page.wait_for_function(f"{OFFER} && {STATUS} === '{danger} A2 lost about 5 points. Take it back?'")
    press(page, "take-back")
    play(page, "C7")
    page.wait_for_function(f"{OFFER} && {STATUS}.includes('C7 lost about 4 points.')")
    press(page, "play-on")
    threat = "White threatens to capture 1 stone at C5."         # a new one
    page.wait_for_function(f"{STATUS} === 'White played C3. {threat}'")
    page.wait_for_function("window.mugo.state.game.node.evaluation")
    press(page, "resign")
    page.wait_for_function("document.querySelector('#confirm-dialog[open]')")
    page.click("#confirm-dialog [value=yes]")
    page.wait_for_function(f"{DECIDING} === 'Move 1: A2 lost about 5 points. {danger} You took it back.'")
    assert not page.is_visible("#over-one-thing")
    page.click("#deciding-moves button")
    page.wait_for_function(f"{STATUS} === 'Puzzle 1 of 1: find a better move for Black than A2.'")
    press(page, "exercise-solution")
    page.wait_for_function(f"{STATUS} === 'The solution is G7. A2 was played. G7 gives 1 stone in atari 3 liberties.'")
    press(page, "exercise-end")


def test_the_coach_warns_under_the_mouse_of_stones_that_a_click_would_leave_with_one_liberty(teaching):
    page = teaching
    rings = "[...document.querySelectorAll('.ghosts .ring.played')].map((each) => `${each.getAttribute('cx')} " \
            "${8 - each.getAttribute('cy')}`).sort().join()"
    load(page, "(;GM[1]SZ[9]AB[bi]AW[ah][bh])")
    play_from(page, "B")
    page.mouse.move(*screen_point(page, "A1"))
    page.wait_for_function(f"{STATUS}.startsWith('With A1 2 stones would have one liberty.') && {rings} === '0 0,1 0'")
    page.mouse.move(*screen_point(page, "C1"))
    page.wait_for_function(f"{STATUS} === 'Black to play. Click a point to play.' && {rings} === ''")
    page.click("#teaching")                # without the coach
    page.mouse.move(*screen_point(page, "A1"))
    page.wait_for_function("document.querySelector('.ghosts .ghost')")
    assert page.evaluate(STATUS) == "Black to play. Click a point to play." and page.evaluate(rings) == ""
    page.click("#teaching")
    load(page, "(;GM[1]SZ[9]AB[ba][ab][bc]AW[ca][bb][db][cc])")                     # Black takes a ko at C8
    play_from(page, "B")
    page.mouse.move(*screen_point(page, "C8"))
    page.wait_for_function("document.querySelector('.ghosts .ghost')")
    assert page.evaluate(rings) == ""


# ---- autoplay and sound

def test_autoplay_steps_to_the_end_and_stops(page):
    load(page, "(;GM[1]SZ[9];B[ee];W[gc];B[cc])")
    page.keyboard.press(" ")
    page.wait_for_function("document.getElementById('autoplay').textContent === 'Stop'")
    page.wait_for_function(f"{NUMBER} === '3 / 3' && document.getElementById('autoplay').textContent === 'Autoplay'")
    assert page.evaluate("document.getElementById('autoplay').disabled")
    page.keyboard.press("Home")
    page.wait_for_function(f"{NUMBER} === '0 / 3'")
    press(page, "autoplay")
    page.wait_for_function(f"{NUMBER} === '1 / 3'")
    press(page, "autoplay")
    page.wait_for_function("document.getElementById('autoplay').textContent === 'Autoplay'")


def test_stones_and_captures_are_heard_when_sound_is_on(page):
    page.evaluate("""(() => {
        window.clicks = [];
        const start = AudioBufferSourceNode.prototype.start;
        AudioBufferSourceNode.prototype.start = function (when) { window.clicks.push(when); start.call(this, when); };
    })()""")
    load(page, "(;GM[1]SZ[9];B[ba];W[aa];B[ee];W[ff];B[ab];W[])")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.wait_for_function(f"{NUMBER} === '0 / 6'")
    assert page.is_checked("#sound") and page.evaluate("window.clicks.length") == 0
    heard = [page.evaluate("window.clicks.length")]
    for i in range(1, 7):
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"{NUMBER} === '{i} / 6' && {STATUS}.length > 0")
        page.wait_for_function("window.mugo.state.game.node.position")
        heard.append(page.evaluate("new Promise((resolve) => setTimeout(() => resolve(window.clicks.length), 60))"))
    assert [after - before for before, after in zip(heard, heard[1:], strict=False)] == [1, 1, 1, 1, 2, 0]
    page.keyboard.press("ArrowLeft")       # back is silent
    page.wait_for_function(f"{NUMBER} === '5 / 6'")
    assert page.evaluate("window.clicks.length") == heard[-1]
    press(page, "sound")
    assert page.evaluate("localStorage.getItem('mugo-sound')") == "off"
    press(page, "sound")
