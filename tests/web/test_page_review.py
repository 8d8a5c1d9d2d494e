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
MISTAKES = "[...document.querySelectorAll('#mistake-list tbody tr')].map((row) => " \
           "[...row.cells].map((cell) => cell.textContent).join(' ')).join('|')"
STATISTICS = "[...document.querySelectorAll('#statistics-table tbody tr')].map((row) => " \
             "[...row.cells].map((cell) => cell.textContent).join(' ')).join('|')"
DOTS = "[...document.querySelectorAll('.overlay .loss')].map((dot) => dot.getAttribute('cx') + " \
       "dot.getAttribute('cy') + dot.className.baseVal.slice(-1)).join(' ')"
VISIBLE = "((id) => document.getElementById(id).getBoundingClientRect().width > 0)"
CIRCLES = "document.querySelectorAll('#tree circle').length"
CURRENT = "document.querySelector('#tree .current title').textContent"


def choose_unit(page, unit):
    page.evaluate(f"""(() => {{
        const select = document.getElementById('graph-unit');
        select.value = '{unit}';
        select.dispatchEvent(new Event('change'));
    }})()""")


def test_mistakes_in_points(page):
    load(page, LEADS)
    page.wait_for_function(f"{MISTAKES} === '5 ● G7 12.0 |3 ● G3 4.2 '")
    assert "Mean loss, points 5.4 0.5" in page.evaluate(STATISTICS)
    page.evaluate("document.querySelector('#mistake-list tbody tr').click()")
    page.wait_for_function(f"{NUMBER} === '4 / 6' && document.querySelector('tr[aria-current=true]').rowIndex === 1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("6")               # dots up to the current move: levels 0, 0, 3, 1 and 5
    page.wait_for_function(f"{DOTS} === '440 220 663 261 625'")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"{DOTS} === '440 220 663 261'")
    assert page.text_content("#legend").startswith("What each move lost, in points")
    page.keyboard.press("Home")
    page.wait_for_function(f"{NUMBER} === '0 / 6' && {DOTS} === ''")
    assert page.text_content("#legend").startswith("What each move lost, in points")


def test_mistakes_in_win_rates_where_no_lead_is_known(page):
    load(page, RATES)
    page.wait_for_function(f"{MISTAKES} === '5 ● G7 36 |3 ● G3 25 |4 ○ C3 8.0 '")
    assert page.text_content("#mistake-unit") == "% lost"
    assert page.evaluate("document.getElementById('graph-unit').disabled")


def test_the_networks_values_are_in_the_graph_also_after_a_reload(page):
    load(page, TREE)
    page.wait_for_function("document.querySelector('#graph .values')")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {NUMBER} === '0 / 4' "
                           f"&& document.querySelector('#graph .values')")


def test_the_graph_of_leads(page):
    load(page, LEADS)
    choose_unit(page, "lead")
    labels = "[...document.querySelectorAll('#graph .y-label')].map((each) => each.textContent).join(' ')"
    page.wait_for_function(f"{labels} === 'W+15 0 B+5'")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"{NUMBER} === '5 / 6'")
    top, bottom, y = page.evaluate("""[...document.querySelectorAll('#graph .grid-line')].map((line) =>
        Number(/ ([\\d.]+)H/.exec(line.getAttribute('d'))[1])).sort((a, b) => a - b).concat(
        Number(document.querySelector('#graph circle.current').getAttribute('cy')))""")
    assert y == pytest.approx(top + (bottom - top) * (5 + 14.2) / 20, abs=0.5)
    choose_unit(page, "win_rate")
    page.wait_for_function(f"{labels} === '0 50 100'")


def test_the_analysis_of_a_finished_game_ends_with_its_result(page):
    load(page, "(;SZ[9]KM[7.5]RE[W+7.5];B[];W[])")
    page.click("#analyze-game")
    page.wait_for_function("document.getElementById('analyze-game').textContent === 'Analyse all moves' "
                           "&& document.getElementById('search-summary').textContent !== ''")
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '2 / 2'")
    page.wait_for_function("document.getElementById('search-summary').textContent === 'Black wins 0.0 % · W+7.5'")


def test_the_tree_and_its_variations(page):
    load(page, TREE)
    page.wait_for_function(f"{VISIBLE}('tree') && {CIRCLES} === 10")
    assert page.evaluate("document.getElementById('tree').getAttribute('aria-label')") == "Game tree: 4 lines of play"
    lanes = page.evaluate("Object.fromEntries([...document.querySelectorAll('#tree circle')].map((each) => "
                          "[each.textContent, each.getAttribute('cy')]))")
    assert lanes["3: B G3"] == lanes["start or setup"] == lanes["4: W D6"]
    assert lanes["4: W F4"] == lanes["5: B E6"] > lanes["4: W D6"] and lanes["2: W C3"] == lanes["3: B H2"]
    assert len({lanes["2: W C7"], lanes["2: W C3"], lanes["2: W G7"]}) == 3
    page.evaluate("[...document.querySelectorAll('#tree circle')].find((each) => each.textContent === '5: B E6')"
                  ".dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    page.wait_for_function(f"{NUMBER} === '5 / 5' && {CURRENT} === '5: B E6' && {VISIBLE}('branch')")
    page.keyboard.press("b")               # back to the game
    page.wait_for_function(f"{NUMBER} === '3 / 4' && {CURRENT} === '3: B G3' && !{VISIBLE}('branch')")
    page.keyboard.press("End")
    page.wait_for_function(f"{CURRENT} === '4: W D6'")
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"{CURRENT} === '4: W F4'")
    page.keyboard.press("End")
    page.keyboard.press("m")               # make it the main line
    page.wait_for_function(f"!{VISIBLE}('branch') && {NUMBER} === '5 / 5'")
    assert "(;W[ff];B[ed])(;W[dd])" in save(page).replace("\n", "")


def test_the_focus_is_on_the_current_node_of_the_tree_and_follows_the_arrow_keys(page):
    load(page, TREE)
    page.wait_for_function(f"{VISIBLE}('tree') && {CIRCLES} === 10")
    assert page.evaluate("document.getElementById('tree').getAttribute('role')") == "tree"
    assert page.evaluate("[...document.querySelectorAll('#tree [role=treeitem][tabindex=\"0\"]')].map((each) => "
                         "each.getAttribute('aria-label')).join()") == "start"
    page.evaluate("document.querySelector('#tree [tabindex=\"0\"]').focus()")
    for key, said in ("ArrowRight", "move 1, B E5"), ("ArrowRight", "move 2, W C7, main line"), \
            ("ArrowDown", "move 2, W C3, variation 1 of 2"), ("End", "move 3, B H2"), ("Home", "start"):
        page.keyboard.press(key)
        page.wait_for_function(f"document.activeElement.getAttribute('aria-label') === '{said}'")
        assert page.evaluate("document.activeElement.matches('#tree .current[aria-selected=true][tabindex=\"0\"]')")
    page.evaluate("window.focused = document.activeElement; window.mugo.render()")
    assert page.evaluate("document.activeElement === window.focused")         # not said again at each new figure


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
    page.wait_for_function(f"{VISIBLE}('win-rates')")
    page.keyboard.press("1")
    page.wait_for_function("document.querySelector('.overlay .heat')")
    page.dispatch_event("#hide-analysis", "click")
    page.wait_for_function(f"!{VISIBLE}('win-rates') && {VISIBLE}('hidden-analysis') "
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
    page.wait_for_function(f"{VISIBLE}('win-rates') && {STATUS}.endsWith('by resignation.')")
    page.dispatch_event("#hide-analysis", "click")
