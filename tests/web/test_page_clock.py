"""Games with clocks on the page in a headless Chromium; their arithmetic is in page/clock.test.mjs."""
from types import SimpleNamespace

import pytest

from page_states import SETTLED
from web_fakes import UniformNetwork, go_game
from web_page import NUMBER, STATUS, load, save, screen_point

from mugo.web.handlers import SessionSearches

BLACK, WHITE = (f"document.querySelector('#player-{name} .clock:not([hidden])')?.textContent"
                for name in ("black", "white"))
BYOYOMI = {"main": 1, "period": 30, "periods": 3}        # minutes and seconds, as in the dialog


def start_game(page, system, fields, colour="B", opponent="policy"):
    """A new game with a clock, by the dialog."""
    page.evaluate(f"""(() => {{
        document.getElementById('new').click();
        const form = document.querySelector('#new-game-dialog form');
        form.querySelector('[name=colour][value={colour}]').click();
        form.opponent.value = '{opponent}';
        form.clock.value = '{system}';
        form.clock.dispatchEvent(new Event('change'));
        for (const [name, value] of Object.entries({fields})) form[name].value = value;
        document.getElementById('status').textContent = '';
        form.querySelector('button[value=start]').click();
    }})()""")
    page.wait_for_function(f"!document.querySelector('#confirm-dialog[open] [value=yes]')?.click() "
                           f"&& {NUMBER} === '0 / 0' "
                           f"&& {STATUS}.startsWith('Black to play') && {BLACK}")


@pytest.fixture(scope="module", autouse=True)
def standing_time(opened):
    """For the clocks of the page time passes by `skip` alone, so that a busy machine does not run them down."""
    opened.add_init_script("window.elapsed = 0; performance.now = () => window.elapsed")
    opened.reload()


def skip(page, seconds):
    """Let seconds pass on the clock of the page, though no timer has run meanwhile."""
    page.evaluate(f"window.elapsed += {1000 * seconds}")


def test_a_phone_has_room_for_the_names_and_the_clocks(page):
    page.set_viewport_size({"width": 390, "height": 844})
    start_game(page, "byoyomi", {"main": 45, "period": 30, "periods": 3}, opponent="mcts-200")
    texts = "[...document.querySelectorAll('#players .name, #players .captures, #players .clock')]"
    assert page.evaluate(f"{texts}.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.id)"
                         ".join()") == ""


def test_a_game_with_byoyomi_is_saved_with_its_times(page):
    start_game(page, "byoyomi", BYOYOMI)
    assert page.evaluate(WHITE) == page.evaluate(BLACK) == "1:00"
    skip(page, 75)
    page.wait_for_function(f"{BLACK} === '0:15 (3)'")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{NUMBER} === '2 / 2' && {STATUS} === 'White played C3. Black to play.'")
    page.wait_for_function(f"{BLACK} === '0:30 (3)'")      # a period has begun anew
    text = save(page)
    assert "TM[60]" in text and "OT[3x30 byo-yomi]" in text
    assert "B[ee]BL[15]OB[3]" in text and "W[cg]WL[60]" in text
    load(page, text)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '2 / 2' && {WHITE} === '1:00' && {BLACK} === '0:15 (3)'")
    assert "1 min + 3x30 byo-yomi" in page.text_content("#game-info")


def test_a_flag_falls_and_the_game_goes_on_after_an_undo(page):
    start_game(page, "fischer", {"main": 1, "increment": 5}, colour="both")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STATUS} === 'Black played E5. White to play.'")
    skip(page, 200)
    page.wait_for_function(f"{STATUS} === 'Black played E5. Black wins on time.' && {WHITE} === '0.0'")
    assert "RE[B+T]" in save(page)
    page.keyboard.press("u")               # to the start, with the time of the start; the clock stands
    page.wait_for_function(f"{NUMBER} === '0 / 1' && {BLACK} === '1:00' && {WHITE} === '1:00'")
    assert page.text_content("#pause") == "Resume clock"
    skip(page, 200)
    page.mouse.click(*screen_point(page, "G7"))
    page.wait_for_function(f"{STATUS} === 'Black played G7. White to play.' && {BLACK} === '1:05'")
    assert "RE[" not in save(page)


def test_a_click_after_the_flag_has_fallen_is_no_move(page):
    start_game(page, "fischer", {"main": 1, "increment": 5}, colour="both")
    page.wait_for_function(SETTLED)             # an answer of the server would look at the clock, too
    page.mouse.move(*screen_point(page, "E5"))  # a mouse that moves looks at the clock
    page.evaluate("window.realTimeout = window.setTimeout; window.setTimeout = () => 0; 0")  # a throttled tab
    try:
        page.evaluate("window.mugo.render()")
        skip(page, 200)
        page.mouse.click(*screen_point(page, "E5"))
        page.wait_for_function(f"{STATUS} === 'White wins on time.' && {NUMBER} === '0 / 0'")
    finally:
        page.evaluate("window.setTimeout = window.realTimeout")


def test_a_clock_is_paused_and_survives_a_reload(page):
    start_game(page, "fischer", {"main": 2, "increment": 5}, colour="both")
    skip(page, 30)
    page.wait_for_function(f"{BLACK} === '1:30'")
    page.click("#pause")
    skip(page, 60)
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {BLACK} === '1:30'")
    assert page.text_content("#pause") == "Resume clock"
    page.click("#pause")
    skip(page, 60)
    page.wait_for_function(f"{BLACK} === '0:30'")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {BLACK} === '0:30'")
    page.click("#pause")


def test_the_clock_stands_when_looking_back_and_runs_for_the_last_move(page):
    start_game(page, "fischer", {"main": 2, "increment": 5}, colour="both")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{NUMBER} === '1 / 1'")
    page.keyboard.press("Home")
    page.wait_for_function(f"{NUMBER} === '0 / 1'")
    skip(page, 60)
    page.keyboard.press("End")             # looking at an earlier move does not stop the clock
    page.wait_for_function(f"{NUMBER} === '1 / 1' && {WHITE} === '1:00'")
    page.click("#pause")


def test_times_of_a_record_are_shown(page):
    load(page, "(;GM[1]SZ[9]TM[600]OT[5x30 byo-yomi];B[ee]BL[599.5];W[cc]WL[12.25]OW[2];B[])")
    page.keyboard.press("End")
    page.wait_for_function(f"{BLACK} === '10:00' && {WHITE} === '0:13 (2)'")
    page.keyboard.press("Home")
    page.wait_for_function(f"!{BLACK} && !{WHITE}")


# ---- what MuGo gets

class Recorder:
    """A player that notes the seconds that it may take."""
    search_result = None

    def select_move(self, position, *, seconds=None, cleanup=False, control=None):
        self.seconds = seconds
        return 0


@pytest.mark.parametrize("clock, least, most", [
    ({"main": 600.0, "period": 0, "periods": 0, "increment": 0}, 5, 60),
    ({"main": 0, "period": 30, "periods": 3, "increment": 0}, 20, 30),
    ({"main": 3, "period": 0, "periods": 0, "increment": 3}, 1, 3),
    (None, None, None),
])
def test_mugo_plays_within_its_clock(monkeypatch, clock, least, most):
    from mugo.web import handlers
    from mugo.web.requests import position_of_request

    player = Recorder()
    monkeypatch.setattr(handlers, "make_opponent", lambda *arguments: player)
    request = {"game": go_game(9), "moves": [], "opponent": "policy"} | ({"clock": clock} if clock else {})
    answer = SessionSearches(UniformNetwork()).genmove(position_of_request(request), request,
                                                              SimpleNamespace(preemption_point=lambda: False))
    assert answer == {"move": "pass", "done": True}
    if clock is None:
        assert player.seconds is None
    else:
        assert least < player.seconds < most
