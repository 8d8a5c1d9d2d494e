"""The tabs Play and Review, the settings, the estimate and the end of a game, in a headless Chromium."""

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
    page.click("#settings")
    page.evaluate(f"document.querySelector('#settings-dialog [name={name}][value={value}]').click()")
    page.keyboard.press("Escape")
    page.wait_for_function(f"!document.querySelector('dialog[open]') && {ROOT}.{name} === '{value}'")


def start(page, opponent="policy", colour="B"):
    """A game that needs no dialog."""
    page.evaluate(f"""import('/static/actions/files.js').then(({{ newGame }}) => newGame(
        {{ name: 'go', size: 9, komi: 7.5, handicap: 0, rules: 'Chinese' }},
        {{ human: '{colour}', opponent: '{opponent}' }}))""")
    page.wait_for_function(f"{STONES} === 0 && {SELECTED} === 'Play' && {STATUS}.includes('to play')")


def test_a_game_begins_in_play_and_a_file_in_review(page):
    new_game(page)
    assert page.evaluate(SELECTED) == "Play" and page.evaluate(PANELS) == "panel-play"
    load(page, GAME)
    assert page.evaluate(SELECTED) == "Review" and page.evaluate(PANELS) == "panel-review"
    for control in "pass", "resign", "score", "teaching":          # what only a player needs
        assert not page.evaluate(f"document.getElementById('{control}').checkVisibility()")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{NUMBER} === '1 / 3'")                # the keys work in both
    page.click("#tab-play")
    page.wait_for_function(f"{PANELS} === 'panel-play'")
    for control in "analyze", "graph", "plane", "moves", "comment":
        assert not page.evaluate(f"document.getElementById('{control}').checkVisibility()")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{NUMBER} === '2 / 3'")


def test_the_arrow_keys_go_from_tab_to_tab_and_move_no_stone(page):
    load(page, GAME)
    page.evaluate("document.getElementById('tab-review').focus()")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{SELECTED} === 'Play'")
    assert page.evaluate("document.activeElement.id") == "tab-play" and page.evaluate(NUMBER) == "0 / 3"
    assert page.evaluate("document.getElementById('tab-review').tabIndex") == -1
    page.keyboard.press("End")
    page.wait_for_function(f"{SELECTED} === 'Review' && document.activeElement.id === 'tab-review'")
    panel = page.evaluate("document.getElementById(document.activeElement.getAttribute('aria-controls')).role")
    assert panel == "tabpanel" and page.evaluate(NUMBER) == "0 / 3"
    page.evaluate("document.activeElement.blur()")


def test_the_tab_and_the_settings_are_kept_over_a_reload(page):
    load(page, GAME)
    page.click("#tab-play")
    width = "document.getElementById('board').viewBox.baseVal.width"
    before = page.evaluate(width)
    choose(page, "theme", "dark")
    choose(page, "boardLook", "slate")
    choose(page, "stoneLook", "flat")
    page.dispatch_event("#coordinates", "click")
    page.wait_for_function("!document.querySelector('.lines text')")
    assert page.evaluate(width) < before
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.evaluate("import('/static/effects/storage.js').then(({ storeNow }) => storeNow())")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STATUS}.includes('to play')", timeout=30_000)
    try:
        assert page.evaluate(f"[{ROOT}.theme, {ROOT}.boardLook, {ROOT}.stoneLook]") == ["dark", "slate", "flat"]
        assert page.evaluate(SELECTED) == "Play" and page.locator(".lines text").count() == 0
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
        assert page.evaluate("getComputedStyle(document.getElementById('board-frame')).filter") == "none"
    finally:
        for name, value in ("theme", "auto"), ("boardLook", "wood"), ("stoneLook", "glass"):
            choose(page, name, value)
        page.dispatch_event("#coordinates", "click")
    page.wait_for_function("document.querySelectorAll('.lines text').length === 36")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark


def test_the_estimate_shades_the_board_and_says_who_is_ahead(page):
    load(page, WALL)
    page.click("#tab-play")
    page.keyboard.press("g")
    page.wait_for_selector("#estimate-text:text-matches('ahead by about \\\\d+ points?\\\\.$')")
    assert page.evaluate("document.querySelectorAll('.overlay .shade.black').length") > 35
    assert page.evaluate("document.querySelectorAll('.overlay .shade.white').length") > 5
    text = page.text_content("#estimate-text")
    assert text.startswith("Black is ahead by about ") and 15 < int(text.split()[-2]) <= 44
    assert page.evaluate("document.getElementById('estimate').getAttribute('aria-pressed')") == "true"
    page.evaluate("import('/static/store.js').then(({ change }) => change(({ game }) => {"
                  "game.node.analysis = { win_rate: 0.1, lead: -38.1, visits: 100, moves: [] }; }))")
    page.wait_for_function("document.getElementById('estimate-text').textContent === "
                           "'White is ahead by about 38 points.'")          # as next to the board
    page.keyboard.press("g")
    page.wait_for_function("!document.querySelector('.overlay .shade') "
                           "&& !document.getElementById('estimate-text').textContent")


def test_the_end_of_a_game_offers_a_review_and_another_game(page):
    start(page, "policy")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STONES} === 2")
    assert page.evaluate("document.getElementById('game-over').hidden")
    page.click("#resign")
    page.wait_for_function(AGREED)
    page.wait_for_function("!document.getElementById('game-over').hidden")
    assert page.text_content("#game-over-title") == "You resigned."
    assert not page.is_visible("#pass") and not page.is_visible("#over-same")
    # MuGo becomes weaker after two games that were lost, and stronger after one that was won, if the person wants it
    for result, title, again, button, opponent in [
            ("W+R", "You resigned.", "Again", "again", "policy"),
            ("W+3.5", "You lost by 3.5.", "Again, a bit weaker", "again", "randompolicy"),
            ("W+T", "You lost on time.", "Again", "again", "randompolicy"),
            ("B+R", "You won: MuGo resigned.", "Again, a bit stronger", "again", "policy"),
            ("B+0.5", "You won by 0.5.", "Again, a bit stronger", "same", "policy"),
            ("0", "A draw.", "Again", "again", "policy")]:
        page.evaluate(f"window.mugo.change(({{ game }}) => game.setResult('{result}', game.node))")
        page.wait_for_function(f"document.getElementById('game-over-title').textContent === '{title}'")
        assert page.text_content("#over-again") == again
        page.evaluate("window.before = window.mugo.state.game; window.mugo.state.game.isUnsaved = false")
        page.click(f"#over-{button}")
        page.wait_for_function(f"window.mugo.state.game !== window.before && {STONES} === 0 "
                               f"&& {WHITE} === 'MuGo {opponent}'")
        assert page.evaluate("[window.mugo.state.human, window.mugo.state.game.start.komi].join()") == "B,7.5"


def test_the_largest_mistake_of_a_game_that_has_ended_becomes_a_puzzle(page):
    load(page, "(;GM[1]FF[4]SZ[9]KM[7.5]PB[You];B[ee];W[cc];B[aa];W[gg];B[gc])")
    page.keyboard.press("End")
    page.evaluate("""window.mugo.change((state) => {
        Object.assign(state, { human: 'B', opponent: 'policy', lineAnalysis: null, segments: [] });
        state.game.setResult('W+R', state.game.node);
        state.settings.mode = 'play';
    })""")
    page.evaluate("window.stops = false")  # of load(): the analysis that the button begins
    page.click("#over-one-thing")
    page.evaluate("""window.mugo.change(({ game }) => {
        game.line().forEach((node, i) => {
            const moves = [{ move: 'G7', visits: 500, pv: ['G7'] }];
            node.analysis = { win_rate: 0.5, lead: i < 3 ? 0 : -9, visits: 500, moves };
        });
        game.touch();
    })""")
    page.wait_for_function("window.mugo.state.exercise?.nodes.length === 1 && window.mugo.state.game.node.index === 2")
    page.evaluate("document.getElementById('exercise-end').click()")


def test_the_score_that_is_shown_is_the_result(page):
    start(page, "policy", "both")
    for vertex in "E5", "C3":
        page.mouse.click(*screen_point(page, vertex))
        page.wait_for_function(f"{STATUS}.includes('played {vertex}')")
    page.dispatch_event("#pass", "click")
    page.wait_for_function(f"{STATUS}.startsWith('Black passed')")
    page.dispatch_event("#pass", "click")
    page.wait_for_function("!document.getElementById('game-over').hidden && window.mugo.state.game.result")
    first = page.evaluate("window.mugo.state.game.result")
    assert page.evaluate("document.querySelectorAll('#score-bars output').length") == 2
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"window.mugo.state.at.score.result !== '{first}'")
    second = page.evaluate("window.mugo.state.at.score.result")
    assert page.evaluate("window.mugo.state.game.result") == second
    assert f"RE[{second}]" in save(page)
