"""The tabs Play and Review, the settings, the estimate and the end of a game, in a headless Chromium."""
import pytest

from web_page import AGREED, NUMBER, STATUS, STONES, WHITE, load, new_game, save, screen_point

GAME = "(;GM[1]FF[4]SZ[9];B[ee];W[cc];B[gg])"
SELECTED = "document.querySelector('[role=tab][aria-selected=true]').textContent"
PANELS = "[...document.querySelectorAll('[role=tabpanel]')].filter((each) => each.checkVisibility())" \
         ".map((each) => each.id).join()"
ROOT = "document.documentElement.dataset"
# Black's wall leaves White a column.
WALL = "(;SZ[9]KM[0.5]RU[Chinese]AB[ga][gb][gc][gd][ge][gf][gg][gh][gi][ec][eg]AW[ha][hb][hc][hd][he][hf][hg][hh][hi])"


def choose(page, name, value):
    """Choose in the dialog of the settings."""
    page.run("document.getElementById('settings').click()")
    page.run(f"document.querySelector('#settings-dialog [name={name}][value={value}]').click()")
    page.press("Escape")
    page.until(f"!document.querySelector('dialog[open]') && {ROOT}.{name} === '{value}'")


def start(page, opponent="policy", colour="B"):
    """A game that needs no dialog."""
    page.run(f"""import('/static/actions/files.js').then(({{ newGame }}) => newGame(
        {{ name: 'go', size: 9, komi: 7.5, handicap: 0, rules: 'Chinese' }},
        {{ human: '{colour}', opponent: '{opponent}' }}))""")
    page.until(f"{STONES} === 0 && {SELECTED} === 'Play' && {STATUS}.includes('to play')")


def test_a_game_begins_in_play_and_a_file_in_review(page):
    new_game(page)
    assert page.run(SELECTED) == "Play" and page.run(PANELS) == "panel-play"
    load(page, GAME)
    assert page.run(SELECTED) == "Review" and page.run(PANELS) == "panel-review"
    for control in "pass", "resign", "score", "teaching":          # what only a player needs
        assert not page.run(f"document.getElementById('{control}').checkVisibility()")
    page.press("ArrowRight")
    page.until(f"{NUMBER} === '1 / 3'")                            # the keys work in both
    page.run("document.getElementById('tab-play').click()")
    page.until(f"{PANELS} === 'panel-play'")
    for control in "analyze", "graph", "plane", "moves", "comment":
        assert not page.run(f"document.getElementById('{control}').checkVisibility()")
    page.press("ArrowRight")
    page.until(f"{NUMBER} === '2 / 3'")


def test_the_arrow_keys_go_from_tab_to_tab_and_move_no_stone(page):
    load(page, GAME)
    page.run("document.getElementById('tab-review').focus()")
    page.press("ArrowRight")
    page.until(f"{SELECTED} === 'Play'")
    assert page.run("document.activeElement.id") == "tab-play" and page.run(NUMBER) == "0 / 3"
    assert page.run("document.getElementById('tab-review').tabIndex") == -1
    page.press("End")
    page.until(f"{SELECTED} === 'Review' && document.activeElement.id === 'tab-review'")
    panel = page.run("document.getElementById(document.activeElement.getAttribute('aria-controls')).role")
    assert panel == "tabpanel" and page.run(NUMBER) == "0 / 3"
    page.run("document.activeElement.blur()")


def test_the_tab_and_the_settings_are_kept_over_a_reload(page):
    load(page, GAME)
    page.run("document.getElementById('tab-play').click()")
    width = "document.getElementById('board').viewBox.baseVal.width"
    before = page.run(width)
    choose(page, "theme", "dark")
    choose(page, "boardLook", "slate")
    choose(page, "stoneLook", "flat")
    page.run("document.getElementById('coordinates').click()")
    page.until("!document.querySelector('.lines text')")
    assert page.run(width) < before
    dark = page.run("getComputedStyle(document.body).backgroundColor")
    page.run("import('/static/effects/storage.js').then(({ storeNow }) => storeNow())")
    page.reload()
    page.until(f"document.querySelector('.grid') && {STATUS}.includes('to play')", 30)
    try:
        assert [page.run(f"{ROOT}.{name}") for name in ("theme", "boardLook", "stoneLook")] == ["dark", "slate", "flat"]
        assert page.run(SELECTED) == "Play" and page.run("document.querySelectorAll('.lines text').length") == 0
        assert page.run("getComputedStyle(document.body).backgroundColor") == dark
        assert page.run("getComputedStyle(document.getElementById('board-frame')).filter") == "none"
    finally:
        for name, value in ("theme", "auto"), ("boardLook", "wood"), ("stoneLook", "glass"):
            choose(page, name, value)
        page.run("document.getElementById('coordinates').click()")
    page.until("document.querySelectorAll('.lines text').length === 36")
    assert page.run("getComputedStyle(document.body).backgroundColor") != dark


def test_a_stored_look_that_is_unknown_is_ignored(page):
    page.run("localStorage.setItem('mugo-theme', 'pink')")
    page.reload()
    page.until(f"document.querySelector('.grid') && {STATUS}.includes('to play')", 30)
    assert page.run(f"{ROOT}.theme") == "auto"
    page.run("localStorage.removeItem('mugo-theme')")


@pytest.mark.parametrize("size", [9, 19])
def test_coordinates_touch_neither_the_edge_nor_a_stone(page, size):
    load(page, f"(;GM[1]FF[4]SZ[{size}])")
    page.until(f"document.querySelectorAll('.lines text').length === {4 * size}")
    gaps = page.run("""(() => {
        const { x, y, width } = document.getElementById('board').viewBox.baseVal;
        return [...document.querySelectorAll('.lines text')].flatMap((text) => {
            const box = text.getBBox();
            const isRow = /[0-9]/.test(text.textContent);
            const [middle, size] = ['y', 'font-size'].map((name) => Number(text.getAttribute(name)));
            const [from, to] = isRow ? [box.x, box.x + box.width] : [middle - 0.36 * size, middle + 0.36 * size];
            const last = x + width + x;                    // of the grid
            return [from - x, x + width - to, from > last ? from - last - 0.48 : -to - 0.48];
        });
    })()""")
    assert min(gaps) > 0.02


def test_opponents_are_named_in_words_of_players(page):
    page.run("document.getElementById('new').click()")
    page.until("document.querySelector('#new-game-dialog [name=opponent]').options.length === 11")
    form = "document.querySelector('#new-game-dialog form')"
    texts = page.run(f"[...{form}.opponent.querySelectorAll('option, optgroup')].map((each) => each.label).join('|')")
    assert "Level 9 · not measured" in texts or "Level 9 ·" in texts
    for word in "simulation", "mcts", "network", "policy":
        assert word not in texts.lower()
    page.run(f"{form}.opponent.value = 'uct-100'")
    page.run(f"{form}.opponent.dispatchEvent(new Event('change', {{ bubbles: true }}))")
    note = page.run(f"{form}.querySelector('.opponent-note').innerText")
    assert "misses much" in note and "not measured" in note and "uct-100: search only, 100 simulations per move" in note
    page.press("Escape")
    page.until("!document.querySelector('dialog[open]')")


def test_only_the_corner_of_the_curious_has_technical_words(page):
    load(page, GAME)
    for tab in "play", "review":
        page.run(f"document.getElementById('tab-{tab}').click()")
        page.until(f"{PANELS} === 'panel-{tab}'")
        text = page.run("document.body.innerText").lower()
        for word in "plane", "overlay", "mcts", "uct", "simulation":
            assert word not in text
    page.run("document.querySelector('#curious summary').click()")
    assert "network and search" in page.run("document.getElementById('curious').textContent")
    page.run("document.querySelector('#curious summary').click()")


def test_the_estimate_shades_the_board_and_says_who_is_ahead(page):
    load(page, WALL)
    page.run("document.getElementById('tab-play').click()")
    page.press("g")
    page.until("/ahead by about \\d+ points?\\.$/.test(document.getElementById('estimate-text').textContent)")
    assert page.run("document.querySelectorAll('.overlay .shade.black').length") > 35
    assert page.run("document.querySelectorAll('.overlay .shade.white').length") > 5
    text = page.run("document.getElementById('estimate-text').textContent")
    assert text.startswith("Black is ahead by about ") and 15 < int(text.split()[-2]) <= 44
    assert page.run("document.getElementById('estimate').getAttribute('aria-pressed')") == "true"
    page.press("g")
    page.until("!document.querySelector('.overlay .shade') && !document.getElementById('estimate-text').textContent")


def test_a_hint_leaves_nothing_on_the_board(page):
    start(page, "policy")
    page.press("h")
    page.until(f"{STATUS}.startsWith('Best move')", 30)
    assert page.run("Boolean(document.querySelector('.overlay .candidate'))")
    page.click(*screen_point(page, "G7"))
    page.until(f"{STONES} === 2 && {STATUS}.endsWith('Black to play.')")
    assert page.run("document.querySelector('.overlay').childElementCount") == 0
    assert page.run("document.querySelector('[name=overlay]:checked').value") == "none"


def test_the_end_of_a_game_offers_a_review_and_another_game(page):
    start(page, "policy")
    page.click(*screen_point(page, "E5"))
    page.until(f"{STONES} === 2")
    assert page.run("document.getElementById('game-over').hidden")
    page.run("document.getElementById('resign').click()")
    page.until(AGREED)
    page.until("!document.getElementById('game-over').hidden")
    assert page.run("document.getElementById('game-over-title').textContent") == "White wins by resignation."
    assert page.run("document.getElementById('game-over-text').textContent") == "MuGo, level 7 has won."
    for button, opponent in ("weaker", "randompolicy"), ("stronger", "mcts-50"), ("again", "policy"):
        page.run("window.mugo.state.game.isUnsaved = false")
        if page.run("document.getElementById('game-over').hidden"):
            page.run("window.mugo.change(({ game }) => game.setResult('W+R', game.node))")
            page.run("window.mugo.change((state) => { state.opponent = 'policy'; })")
            page.until("!document.getElementById('game-over').hidden")
        page.run("window.before = window.mugo.state.game; window.mugo.state.game.isUnsaved = false")
        page.run(f"document.getElementById('over-{button}').click()")
        page.until(f"window.mugo.state.game !== window.before && {STONES} === 0 && {WHITE} === 'MuGo {opponent}'")
        assert page.run("[window.mugo.state.human, window.mugo.state.game.start.komi].join()") == "B,7.5"
    page.run("window.mugo.change(({ game }) => game.setResult('W+R', game.node))")
    page.until("!document.getElementById('game-over').hidden")
    page.run("document.getElementById('over-review').click()")
    page.until(f"{SELECTED} === 'Review'")


def test_scoring_writes_the_result_once_when_it_is_done(page):
    start(page, "policy", "both")
    for vertex in "E5", "C3":
        page.click(*screen_point(page, vertex))
        page.until(f"{STATUS}.includes('played {vertex}')")
    page.press("p")
    page.until(f"{STATUS}.startsWith('Black passed')")
    page.press("p")
    page.until("!document.getElementById('score-done').hidden && window.mugo.state.game.result")
    first = page.run("window.mugo.state.game.result")
    assert page.run("document.getElementById('game-over').hidden")
    page.click(*screen_point(page, "E5"))
    page.until(f"window.mugo.state.at.score.result !== '{first}'")
    second = page.run("window.mugo.state.at.score.result")
    assert page.run("window.mugo.state.game.result") == first
    page.run("document.getElementById('score-done').click()")
    page.until("!document.getElementById('game-over').hidden")
    assert page.run("window.mugo.state.game.result") == second
    assert page.run("document.getElementById('score-done').hidden")
    assert f"RE[{second}]" in save(page)


def test_a_result_that_was_not_done_is_written_with_the_file(page):
    start(page, "policy", "both")
    for _ in range(2):
        page.click(*screen_point(page, "E5" if page.run(STONES) == 0 else "C3"))
        page.until(f"{STATUS}.includes('played')")
    page.until(f"{STONES} === 2")
    page.press("p")
    page.until(f"{STATUS}.startsWith('Black passed')")
    page.press("p")
    page.until("!document.getElementById('score-done').hidden && window.mugo.state.game.result")
    first = page.run("window.mugo.state.game.result")
    page.click(*screen_point(page, "C3"))
    page.until(f"window.mugo.state.at.score.result !== '{first}'")
    assert f"RE[{page.run('window.mugo.state.at.score.result')}]" in save(page)
