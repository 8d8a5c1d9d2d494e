"""A review on the page in a headless Chromium: points, losses, mistakes, the tree, variations, a hidden analysis."""
import pytest

from web_page import NUMBER, STATUS, load, new_game, save, screen_point

# After each move a search by which Black leads by 1, 1, -3.2, -2.2, -14.2 points: White lost none, 1.0 of them, Black
# 4.2 and 12.
LEADS = "(;SZ[9]C[Black wins 55.0 % (80 visits, B+1.0)];B[ee]C[Black wins 55.0 % (80 visits, B+1.0)]" \
        ";W[cc]C[Black wins 55.0 % (80 visits, B+1.0)];B[gg]C[Black wins 30.0 % (80 visits, W+3.2)]" \
        ";W[cg]C[Black wins 38.0 % (80 visits, W+2.2)];B[gc]C[Black wins 2.0 % (80 visits, W+14.2)];W[dd])"
RATES = LEADS.replace(", B+1.0", "").replace(", W+3.2", "").replace(", W+2.2", "").replace(", W+14.2", "")
TREE = "(;SZ[9];B[ee](;W[cc];B[gg](;W[dd])(;W[ff];B[ed]))(;W[cg];B[hh])(;W[gc]))"
MOVES = "[...document.querySelectorAll('#move-list button')].map((each) => each.textContent).join(' ')"
STATISTICS = "[...document.querySelectorAll('#statistics-table tbody tr')].map((row) => " \
             "[...row.cells].map((cell) => cell.textContent).join(' ')).join('|')"
DOTS = "[...document.querySelectorAll('.overlay .loss')].map((dot) => dot.getAttribute('cx') + " \
       "dot.getAttribute('cy') + dot.className.baseVal.slice(-1)).join(' ')"
VISIBLE = "((id) => document.getElementById(id).getBoundingClientRect().width > 0)"
SIDES = "[...document.querySelectorAll('#sides button')].map((each) => each.getAttribute('aria-label')).join(' | ')"
CURRENT = "document.querySelector('#move-list [aria-current]')?.textContent"


def test_mistakes_in_points(page):
    load(page, LEADS)
    page.wait_for_function(f"{MOVES} === '1E5 2C7 3G34 4C3 5G712 6D6'")
    assert page.evaluate(SIDES) == "Black, 21 % accuracy, 1 × mistake, 1 × large blunder | White, 87 % accuracy"
    assert "Mean loss, points 5.4 0.5" in page.evaluate(STATISTICS)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.wait_for_function(f"{NUMBER} === '4 / 6' && {CURRENT} === '4C3'")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("6")               # up to the current move: of mistakes the levels, 3 and 5
    page.wait_for_function(f"{DOTS} === '44s 22s 663 26s 625'")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"{DOTS} === '44s 22s 663 26s'")
    assert page.text_content("#legend").startswith("What each mistake lost, in points")
    page.keyboard.press("Home")
    page.wait_for_function(f"{NUMBER} === '0 / 6' && {DOTS} === ''")
    assert page.text_content("#legend").startswith("What each mistake lost, in points")


def test_mistakes_in_win_rates_where_no_lead_is_known(page):
    load(page, RATES)
    page.wait_for_function(f"{MOVES} === '1E5 2C7 3G325 4C3 5G736 6D6'")


def test_the_networks_values_are_in_the_graph_also_after_a_reload(page):
    load(page, TREE)
    page.wait_for_function("document.querySelector('#graph .values')")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {NUMBER} === '0 / 4' "
                           f"&& document.querySelector('#graph .values')")


def test_the_graph_of_leads(page):
    load(page, LEADS)
    labels = "[...document.querySelectorAll('#graph .y-label')].map((each) => each.textContent).join(' ')"
    page.wait_for_function(f"{labels} === 'W+15 0 B+5'")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"{NUMBER} === '5 / 6'")
    top, bottom, y = page.evaluate("""[...document.querySelectorAll('#graph .grid-line')].map((line) =>
        Number(/ ([\\d.]+)H/.exec(line.getAttribute('d'))[1])).sort((a, b) => a - b).concat(
        Number(document.querySelector('#graph circle.current').getAttribute('cy')))""")
    assert y == pytest.approx(top + (bottom - top) * (5 + 14.2) / 20, abs=0.5)
    load(page, RATES)
    page.wait_for_function(f"{labels} === '0 50 100'")


def test_the_analysis_of_a_finished_game_ends_with_its_result(page):
    load(page, "(;SZ[9]KM[7.5]RE[W+7.5];B[];W[])")
    page.dispatch_event("#analyze-game", "click")
    page.wait_for_function("document.getElementById('analyze-game').textContent === 'Analyse all moves' "
                           "&& document.getElementById('search-summary').textContent !== ''")
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '2 / 2'")
    page.wait_for_function("document.getElementById('search-summary').textContent === 'Black wins 0.0 % · W+7.5'")


def test_variations_stand_indented_under_their_move(page):
    load(page, TREE)
    page.wait_for_function(f"{MOVES} === '1E5 2C7 2C3 3H2 2G7 3G3 4D6 4F4 5E6'")
    inside = "[...document.querySelectorAll('#move-list > div')].map((each) => each.textContent).join(' ')"
    assert page.evaluate(inside) == "2C33H2 2G7 4F45E6"
    page.evaluate("[...document.querySelectorAll('#move-list button')].at(-1).click()")
    page.wait_for_function(f"{NUMBER} === '5 / 5' && {CURRENT} === '5E6'")
    page.keyboard.press("b")               # back to the game
    page.wait_for_function(f"{NUMBER} === '3 / 4' && {CURRENT} === '3G3'")
    page.keyboard.press("End")
    page.wait_for_function(f"{CURRENT} === '4D6'")
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"{CURRENT} === '4F4'")
    page.keyboard.press("End")
    page.keyboard.press("m")               # make it the main line
    page.wait_for_function(f"{NUMBER} === '5 / 5' && {MOVES} === '1E5 2C7 2C3 3H2 2G7 3G3 4F4 4D6 5E6'")
    assert "(;W[ff];B[ed])(;W[dd])" in save(page).replace("\n", "")


def test_comments_stand_under_their_move_and_the_focus_follows_the_arrow_keys(page):
    load(page, "(;SZ[9]C[A lesson.];B[ee]C[The centre.];W[cc];B[gg])")
    text = "[...document.getElementById('move-list').children].map((each) => each.textContent).join(' ')"
    page.wait_for_function(f"{text} === 'A lesson. 1E5 The centre. 2C7 3G3'")
    page.evaluate("document.querySelector('#move-list button').focus()")
    for key, current in ("ArrowRight", "1E5"), ("ArrowRight", "2C7"), ("End", "3G3"), ("ArrowLeft", "2C7"):
        page.keyboard.press(key)
        page.wait_for_function(f"{CURRENT} === '{current}'")
        assert page.evaluate("document.activeElement.matches('[aria-current]')")
    page.evaluate("window.focused = document.activeElement; window.mugo.render()")
    assert page.evaluate("document.activeElement === window.focused")         # not said again at each new figure


def test_of_a_long_game_a_page_is_drawn_and_of_a_long_variation_the_part_on_the_board(page):
    moves = [f";{'BW'[i % 2]}[{'abcdefghi'[i % 9]}{'abcdefghi'[i // 9 % 9]}]" for i in range(300)]
    load(page, f"(;SZ[9](;B[ee]{''.join(moves[1:])})(;B[gg]{''.join(moves[1:])}))")
    count = "document.querySelectorAll('#move-list button').length"
    page.wait_for_function(f"{count} === 400")                       # 200 of the game, 200 of the variation
    page.keyboard.press("End")
    page.wait_for_function(f"{count} === 100 && {CURRENT}.startsWith('300')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.wait_for_function(f"{CURRENT}.startsWith('300') && document.querySelector('#move-list div [aria-current]')")


def test_opening_a_record_begins_its_review_which_ends_with_the_largest_mistake(page):
    load(page, "(;SZ[9]PB[Aoi];B[ee];W[cc];B[aa];W[gg])", is_reviewed=True)
    page.wait_for_function("window.mugo.state.lineAnalysis || window.mugo.state.at.mistake")
    page.wait_for_function("!window.mugo.state.lineAnalysis", timeout=60_000)
    assert page.evaluate("window.mugo.state.game.line().every(({ analysis }) => analysis?.visits >= 40)")
    largest = page.evaluate("""import('/static/core/losses.js').then(({ lostByMoves, mistakes }) =>
        mistakes(lostByMoves(window.mugo.state.game.line()).moves)[0]?.vertex ?? null)""")
    assert page.evaluate("window.mugo.state.at.mistake?.move.slice(2) ?? null") == largest


def test_marks_of_the_next_moves(page):
    load(page, TREE)
    page.keyboard.press("ArrowRight")
    next_moves = "[...document.querySelectorAll('.next circle')].map((each) => " \
                 "each.getAttribute('cx') + each.getAttribute('cy') + each.className.baseVal).join(' ')"
    page.wait_for_function(f"{next_moves} === '22 26variation 62variation'")
    new_game(page)                         # none in a game that is played
    assert page.evaluate(next_moves) == ""


def test_the_analysis_can_be_hidden_while_playing(page):
    new_game(page, colour="B")
    page.click("#tab-review")
    page.wait_for_function(f"{VISIBLE}('review-card')")
    page.keyboard.press("1")
    page.wait_for_function("document.querySelector('.overlay .heat')")
    page.dispatch_event("#hide-analysis", "click")
    page.wait_for_function(f"!{VISIBLE}('review-card') && {VISIBLE}('hidden-analysis') "
                           f"&& !document.querySelector('.overlay *')")
    page.evaluate("window.mugo.state.game.node.value = 0.6; 0")
    page.keyboard.press("a")
    page.wait_for_function("window.mugo.state.game.node.analysis?.moves.length > 2")
    page.mouse.move(*screen_point(page, "C3"))           # the best move: a stone, without its variation
    page.wait_for_function("document.querySelector('.ghosts .ghost')")
    assert page.evaluate("document.querySelectorAll('.ghosts text').length") == 0
    assert page.text_content("#raw-values") == ""
    page.keyboard.press("a")
    page.dispatch_event("#resign", "click")
    page.wait_for_function("document.querySelector('#confirm-dialog[open]')")
    page.evaluate("document.querySelector('#confirm-dialog [value=yes]').click()")
    page.wait_for_function(f"{VISIBLE}('review-card') && {STATUS}.endsWith('by resignation.')")
    page.dispatch_event("#hide-analysis", "click")
