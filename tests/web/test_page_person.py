"""What a person meets on the page in a headless Chromium: no false questions, no cut words, no empty claims."""
import pytest

from page_states import MISTAKES, lz
from web_page import NUMBER, STATUS, STONES, load, new_game, save, screen_point

VISIBLE = "(id) => document.getElementById(id).checkVisibility()"


def play(page, *vertices):
    for vertex in vertices:
        count = page.evaluate(STONES)
        page.mouse.click(*screen_point(page, vertex))
        page.wait_for_function(f"{STONES} > {count}")


def test_another_game_comes_without_a_question_and_the_one_before_can_be_brought_back(page):
    new_game(page)
    play(page, "E5", "G7")
    page.evaluate("document.querySelector('#new-game-dialog button[value=start]').click()")
    page.evaluate("document.getElementById('new').click()")
    page.evaluate("document.querySelector('#new-game-dialog button[value=start]').click()")
    page.wait_for_function(f"{STONES} === 0")
    assert not page.evaluate("document.getElementById('confirm-dialog').open")
    page.click("#open-replaced")
    page.wait_for_function(f"{NUMBER} === '2 / 2' && {STONES} === 2")
    page.evaluate("window.mugo.change((state) => { state.storageProblem = 'full'; })")
    page.evaluate("document.getElementById('new').click()")
    page.evaluate("document.querySelector('#new-game-dialog button[value=start]').click()")
    page.wait_for_selector("#confirm-dialog[open]")                    # it would be lost
    page.keyboard.press("Escape")
    page.evaluate("window.mugo.change((state) => { state.storageProblem = null; })")


def test_a_click_on_the_board_ends_a_comment_which_belongs_to_the_move_on_it(page):
    new_game(page)
    page.click("#tab-review")
    page.fill("#comment", "a note")
    play(page, "E5")
    assert page.evaluate("[document.activeElement.tagName, document.getElementById('comment').value]") == ["BODY", ""]
    page.fill("#comment", "another")
    page.focus("#comment")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    assert [node.partition("]")[0] for node in save(page).split("C[")[1:]] == ["a note", "another"]


def test_an_overlay_explains_a_mistake(page):
    load(page, MISTAKES)
    page.keyboard.press("j")
    page.wait_for_selector(".ghosts .ring.better")
    page.evaluate("window.mugo.state.game.node.ownership = { ownership: Array(81).fill(90), lead: 3 }; 0")
    page.keyboard.press("3")
    page.wait_for_selector(".overlay .shade")
    assert page.evaluate("getComputedStyle(document.querySelector('#board .overlay')).opacity") == "1"
    page.keyboard.press("0")


def test_a_stone_of_the_other_side_has_not_the_ring_of_the_mistake(page):
    moves = ("D4", 3, 200, "D4 E5"), ("C3", 2.9, 150, "C3 G7")           # White's answer is where Black played
    load(page, f"(;SZ[9]LZOP[{lz('B', 3, *moves)}];B[ee]LZ[{lz('W', -1, ('C3', -1, 300, 'C3 G7'))}])")
    page.keyboard.press("j")
    page.wait_for_selector(".ghosts .ring.better")
    assert page.evaluate("document.querySelectorAll('.ghosts .ring.played').length") == 0


def test_the_points_that_a_mistake_loses_are_tinted_and_named_and_its_line_is_played(page):
    load(page, MISTAKES)
    page.keyboard.press("k")
    page.wait_for_function("window.mugo.state.at.mistake.why")
    page.evaluate("""window.mugo.change(({ at: { mistake: { why } } }) => {
        why.better = { ownership: Array(81).fill(0) };
        why.played = { ownership: [...Array(81).keys()].map((i) => (i % 9 > 6 && i > 62 ? -100 : 0)) };
    })""")
    page.wait_for_function("document.getElementById('why').textContent === "
                           "'Black loses about 4 points at the bottom right. Red: lost, blue: gained.'")
    assert page.evaluate("document.querySelectorAll('.overlay .change.lost').length") == 4
    stones = "document.querySelectorAll('.ghosts .ghost').length"
    assert page.evaluate(stones) == 3
    page.click("#play-line")
    page.wait_for_function(f"{stones} === 1")
    page.wait_for_function(f"{stones} === 3")


def test_a_puzzle_shows_the_move_that_is_to_be_bettered(page):
    load(page, MISTAKES)
    page.evaluate("document.getElementById('start-puzzles').click()")
    page.wait_for_function(f"{STATUS}.endsWith('find a better move for Black than E5.')")
    assert page.evaluate("document.querySelectorAll('.ghosts .ring.played').length") == 1
    page.evaluate("document.getElementById('exercise-end').click()")


CUT = """(selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility())
    .filter((element) => {
        const text = document.createRange();
        text.selectNodeContents(element);
        const { paddingLeft, paddingRight } = getComputedStyle(element);
        const room = element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
        return text.getBoundingClientRect().width > room + 0.5;
    }).map(({ textContent }) => textContent)"""


@pytest.mark.parametrize("language, width, height", [("de", 1440, 900), ("de", 1024, 768), ("en", 1440, 900)])
def test_no_word_is_cut_in_the_header_and_none_among_the_moves(open_page, language, width, height):
    page = open_page(viewport={"width": width, "height": height}, locale=language)
    page.wait_for_function("window.mugo?.state.game?.node.position")
    load(page, MISTAKES)
    page.wait_for_selector("#move-list b", state="attached")
    assert page.evaluate(CUT, "header button:not(.icon)") == []
    assert page.evaluate(CUT, "#move-list button, #sides button, #next-mistake, #mistake-line button") == []


def test_a_game_is_scored_after_two_passes_and_estimated_before(page):
    new_game(page)
    page.click("#tab-play")
    play(page, "E5")
    assert not page.evaluate(VISIBLE, "score") and page.evaluate(VISIBLE, "estimate")
    page.keyboard.press("s")
    page.wait_for_function(f"{STATUS}.startsWith('Both sides pass first')")
    page.click("#estimate")
    for _ in range(2):
        page.click("#pass")
    page.wait_for_function(f"{STATUS}.includes('Click a chain')")
    page.mouse.click(*screen_point(page, "A1"))
    page.wait_for_function(f"{STATUS} === 'A1 is empty.'")
    new_game(page)                                                   # the estimate was for that game
    assert page.evaluate("document.getElementById('estimate-text').textContent") == ""


def test_nobody_is_to_play_after_a_resignation_and_people_have_their_names(page):
    page.evaluate("window.mugo.state.settings.name = 'Aoi'; 0")
    new_game(page, colour="B")
    play(page, "E5")
    page.evaluate("document.getElementById('resign').click()")
    page.click("#confirm-dialog [value=yes]")
    page.wait_for_function("!document.querySelector('.player.to-play')")
    page.click("#saved")
    first = "document.querySelector('#saved-games button').textContent"
    page.wait_for_function(f"{first}.startsWith('Aoi – MuGo, level 9')")
    page.keyboard.press("Escape")
    assert "PB[Aoi]PW[MuGo policy]" in save(page)
    page.evaluate("window.mugo.state.settings.name = ''; 0")


def test_blacks_moves_are_on_the_left_of_the_list_whoever_begins(page):
    load(page, "(;SZ[9]HA[2]AB[cc][gg]PL[W];W[ee];B[cg];W[gc])")
    page.click("#tab-play")
    page.wait_for_function("document.querySelectorAll('#move-list button').length === 3")
    left = page.evaluate("[...document.querySelectorAll('#move-list button')].map((each) => each.offsetLeft)")
    assert left[0] == left[2] > left[1]
