"""Games on the page in a headless Chromium: undo and redo, results, questions before a loss, announcements, keys."""
import pytest

from web_page import NUMBER, STATUS, STONES, load, new_game, save, screen_point, sgf_properties


SGF = "(;GM[1]FF[4]SZ[9];B[ee];W[cc];B[gc](;W[gg])(;W[cg]))"
QUESTION = "document.querySelector('#confirm-dialog[open] h2')?.textContent"
VARIATIONS = "[...document.querySelectorAll('#move-list > div')].map((each) => each.textContent).join()"


def play(page, vertex, size=9):
    """Click a point, and wait for the stone."""
    page.mouse.click(*screen_point(page, vertex, size))
    row, col = size - int(vertex[1:]), "ABCDEFGHJ".index(vertex[0])
    page.wait_for_function(f"document.querySelector('.stones circle[cx=\"{col}\"][cy=\"{row}\"]')")


def answer(page, value):
    """Answer the question that is asked: 'yes' or 'no'."""
    page.wait_for_function(QUESTION)
    page.click(f"#confirm-dialog [value={value}]")
    page.wait_for_function(f"!{QUESTION}")


def resign_after_a_move(page):
    """A game in which Black plays E5, MuGo answers and Black resigns."""
    new_game(page, colour="B")
    play(page, "E5")
    page.wait_for_function(f"{NUMBER} === '2 / 2'")
    page.click("#resign")
    answer(page, "yes")


# ---- undo and redo

def test_undo_and_redo_remove_no_move_of_a_file(page):
    load(page, SGF)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '4 / 4'")
    page.keyboard.press("u")
    page.wait_for_function(f"{NUMBER} === '3 / 4' && {VARIATIONS} === '4C3'")
    page.keyboard.press("r")
    page.wait_for_function(f"{NUMBER} === '4 / 4'")
    assert page.evaluate("document.getElementById('redo').disabled")
    page.keyboard.press("Home")
    page.wait_for_function(f"{NUMBER} === '0 / 4' && document.getElementById('undo').disabled")


def test_undo_against_mugo_goes_to_ones_own_turn_and_a_new_move_is_the_games(page):
    new_game(page, colour="B")
    play(page, "E5")
    page.wait_for_function(f"{NUMBER} === '2 / 2'")
    page.keyboard.press("u")
    page.wait_for_function(f"{NUMBER} === '0 / 2' && {STONES} === 0")
    page.keyboard.press("r")
    page.wait_for_function(f"{NUMBER} === '2 / 2'")
    page.keyboard.press("u")
    page.wait_for_function(f"{NUMBER} === '0 / 2'")
    play(page, "G7")
    page.wait_for_function(f"{NUMBER} === '2 / 2' && {STONES} === 2")
    page.keyboard.press("u")
    page.wait_for_function(f"{VARIATIONS} === '1E52C3'")
    play(page, "E5")                       # MuGo's reply from before is there
    page.wait_for_function(f"{NUMBER} === '2 / 2' && {STATUS} === 'White played C3. Black to play.'")
    text = save(page)                      # and it is the game again
    assert text.index("B[ee]") < text.index("B[gc]")


def test_undo_in_a_finished_game_goes_on_with_it(page):
    resign_after_a_move(page)
    page.wait_for_function(f"{STATUS} === 'White played C3. White wins by resignation.'")
    page.keyboard.press("u")
    page.wait_for_function(f"{STATUS} === 'Black to play. Click a point to play.'")
    play(page, "G7")
    page.wait_for_function(f"{NUMBER} === '2 / 2' && {STATUS} === 'White played C3. Black to play.'")
    assert not page.evaluate("document.getElementById('resign').disabled")


def test_a_finished_game_goes_on_when_the_move_in_which_it_ended_is_deleted(page):
    resign_after_a_move(page)
    page.wait_for_function(f"{STATUS} === 'White played C3. White wins by resignation.'")
    page.keyboard.press("Delete")
    answer(page, "yes")
    page.wait_for_function(f"{NUMBER} === '2 / 2' && {STATUS} === 'White played C3. Black to play.'")   # a new answer
    assert not page.evaluate("document.getElementById('resign').disabled")
    assert "RE[" not in save(page)


def test_a_move_is_deleted_after_a_question(page):
    load(page, SGF)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '4 / 4'")
    for value, number in ("no", "4 / 4"), ("yes", "3 / 4"):
        page.keyboard.press("Delete")
        answer(page, value)
        page.wait_for_function(f"{NUMBER} === '{number}'")
    assert page.evaluate(VARIATIONS) == ""


def test_a_move_clicked_before_the_position_has_come_is_played(page):
    load(page, SGF)
    page.evaluate("""(() => {
        const { server: connection } = window.mugo;
        const request = connection.request.bind(connection);
        connection.request = async (command, ...rest) => {
            if (command === "position") await new Promise((resolve) => setTimeout(resolve, 500));
            return request(command, ...rest);
        };
    })()""")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{NUMBER} === '1 / 4'")
    play(page, "A1")
    page.wait_for_function(f"{STATUS} === 'White played A1. Black to play.'")


# ---- results and announcements

def test_the_end_of_a_variation_is_scored_and_the_result_of_the_game_stays(page):
    resign_after_a_move(page)
    page.wait_for_function(f"{STATUS}.endsWith('White wins by resignation.')")
    for number in (3, 4):
        page.dispatch_event("#pass", "click")
        page.wait_for_function(f"{NUMBER} === '{number} / {number}'")
    page.wait_for_function(f"{STATUS}.includes('Click a chain to mark it dead')")
    assert page.text_content("#game-info").endswith("result W+R")


def test_the_move_of_mugo_is_announced(page):
    new_game(page, colour="B")
    page.evaluate("""(() => {
        window.heard = [];
        const status = document.querySelector('#status[role=status][aria-live=polite]');
        new MutationObserver(() => window.heard.push(status.textContent)).observe(status, { childList: true });
    })()""")
    play(page, "E5")
    page.wait_for_function(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
    heard = page.evaluate("window.heard")
    assert heard[-1] == "White played C3. Black to play."
    page.keyboard.press("a")               # the same text is not written again while a search runs
    page.wait_for_function("document.querySelector('#moves tbody tr')")
    page.keyboard.press("a")
    assert page.evaluate("window.heard") == heard


# ---- questions before a loss

def test_resigning_asks(page):
    new_game(page, colour="B")
    page.click("#resign")
    answer(page, "no")
    assert page.evaluate(STATUS) == "Black to play. Click a point to play."
    page.click("#resign")
    answer(page, "yes")
    page.wait_for_function(f"{STATUS} === 'White wins by resignation.'")


def test_leaving_asks_only_where_moves_would_be_lost(page):
    new_game(page)
    play(page, "E5")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    for questions in ([], ["beforeunload"]):
        if questions:
            page.evaluate("window.mugo.state.storageProblem = 'full'; 0")
        asked.clear()
        page.click("#status")             # browsers ask only on a page that has been used
        page.reload()
        page.wait_for_function(f"document.querySelector('.grid') && {STONES} === 1")
        assert asked == questions


# ---- keys

@pytest.mark.parametrize("selector", ["[name=overlay][value=none]", "[name=overlay][value=ownership]", "#slider"])
def test_keys_work_after_a_click_on_an_overlay_or_the_slider(page, selector):
    load(page, SGF)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '4 / 4'")
    if "overlay" in selector:
        page.evaluate("document.getElementById('menu').showPopover()")
    page.click(selector)
    page.wait_for_function("document.activeElement === document.body")
    for key, number in [("Home", "0 / 4"), ("ArrowRight", "1 / 4"), ("End", "4 / 4"), ("u", "3 / 4"), ("r", "4 / 4")]:
        page.keyboard.press(key)
        page.wait_for_function(f"{NUMBER} === '{number}'")
    page.keyboard.press("2")
    page.wait_for_function("document.querySelector('[name=overlay]:checked').value === 'search'")


def test_an_overlay_with_the_keyboards_focus_keeps_the_arrows_and_leaves_the_letters(page):
    load(page, SGF)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '4 / 4'")
    page.evaluate("document.getElementById('menu').showPopover()")
    page.evaluate("document.querySelector('[name=overlay]:checked').focus()")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('[name=overlay]:checked').value === 'policy'")
    page.keyboard.press("u")
    page.wait_for_function(f"{NUMBER} === '3 / 4'")
    assert page.evaluate("document.activeElement.value") == "policy"
    page.keyboard.press("Escape")


# ---- saving without the server

def test_a_game_is_saved_when_the_server_is_gone(page):
    load(page, "(;GM[1]FF[4]SZ[9]PB[Aoi]KM[6.5];B[ee]C[a \\] b];W[cc](;B[gc])(;B[aa]))")
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '3 / 3'")
    play(page, "J1")
    page.evaluate("""(async () => {
        window.WebSocket = class { constructor() { setTimeout(() => this.onclose({ reason: '' })); } };
        (await window.mugo.server.ready).close();
    })()""")
    page.wait_for_function(f"{STATUS}.startsWith('The server does not answer')")
    sgf = save(page)
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STONES} === 4")
    assert sgf_properties(save(page)) == sgf_properties(sgf)


@pytest.mark.parametrize("cancel", ["document.querySelector('#new-game-dialog [data-action=cancel]').click()",
                                    "Escape"])
def test_a_new_game_that_is_cancelled_does_not_begin_and_enter_begins_it(page, cancel):
    new_game(page)
    page.wait_for_function(f"{NUMBER} === '0 / 0'")
    play(page, "E5")
    page.click("#new")
    page.keyboard.press("Escape") if cancel == "Escape" else page.evaluate(cancel)
    page.wait_for_function("!document.querySelector('dialog[open]')")
    assert not page.evaluate("document.querySelector('#confirm-dialog[open]')") and page.evaluate(NUMBER) == "1 / 1"
    page.click("#new")
    page.evaluate("document.querySelector('#new-game-dialog [name=komi]').focus()")
    page.keyboard.press("Enter")
    page.wait_for_function(f"{STONES} === 0 && {NUMBER} === '0 / 0'")
