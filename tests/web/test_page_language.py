"""The languages of the page: what the server says has words there, and a page in German has no English."""
import pytest

from mugo.games import go
from mugo.games.go import GoPosition
from mugo.web.opponents import ABOVE_GNU_GO, OPPONENTS, list_opponents
from page_modules import call, needs_node
from web_page import AGREED, STATUS, load, save, screen_point

LEADS = """(;GM[1]FF[4]SZ[9]KM[7.5]
C[Black wins 55.0 % (80 visits, B+1.5)]
;B[ee]C[Black wins 55.0 % (80 visits, B+1.2)]
;W[cc]C[Black wins 55.0 % (80 visits, B+1.0)]
;B[gg]C[Black wins 30.0 % (80 visits, W+3.2)]
;W[cg]C[Black wins 38.0 % (80 visits, W+2.2)]
;B[gc]C[Black wins 2.0 % (80 visits, W+14.2)]
;W[dd])"""


@needs_node
def test_the_page_describes_every_opponent():
    descriptions = [call("descriptionText", opponent) for opponent in list_opponents(GoPosition(9), True, True)]
    assert len(set(descriptions)) == len(OPPONENTS)
    assert not any(word in " ".join(descriptions) for word in ("simulation", "network", "mcts"))      # words of players
    listed = {each["key"]: each for each in list_opponents(GoPosition(19), True, True)}
    assert call("technicalText", listed["mcts-800"]) == "mcts-800: network and search, 800 simulations per move"
    assert call("technicalText", listed["uct-5s"]) == "uct-5s: search only, 5 seconds per move"
    assert call("technicalText", listed["policy"]) == "policy: network only, the most likely move"
    assert call("groupText", listed["random"], True).endswith("(best on small boards)")
    assert call("strengthText", listed["random"]) is None
    strengths = {"from": 6, "to": 12}, {"from": 6}, ABOVE_GNU_GO, {"wins": 0, "level": 2}
    texts = [call("strengthText", {"strength": strength}) for strength in strengths]
    assert texts == ["6 to 12 kyu", "6 kyu or stronger", "stronger than GNU Go", "wins 0 % against level 2"]


@needs_node
@pytest.mark.parametrize("reason", [*go._REASONS.values(), "repeats a position (superko)",
                                    "comes after the end of the game"])
def test_the_page_has_words_for_every_reason_why_a_move_is_illegal(reason):
    call("setLanguage", "de")
    assert call("reasonText", reason) != reason
    call("setLanguage", "en")
    assert call("reasonText", reason) == reason


# The English texts that are visible, or are titles or labels: sentences and parts between dots, by what en.js has and
# de.js has not.  A value in a text stands for anything.
ENGLISH = r"""(async () => {
    const [en, de] = await Promise.all(['en', 'de'].map((tag) => import(`/static/texts/${tag}.js`)));
    const split = (text) => text.replace(/ \([^)]{1,9}\)$/, '').replace(/\s+/g, ' ')             // without its key
        .split(/(?<=[.!?:]) | · |, (?=\p{Lu})/u).map((each) => each.trim());
    const parts = (texts) => Object.values(texts)
        .flatMap((text) => (typeof text === 'string' ? [text] : Object.values(text))).flatMap(split);
    const german = new Set(parts(de.default));
    const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const patterns = parts(en.default).filter((text) => !german.has(text))
        .filter((text) => /\p{L}{3}/u.test(text.replace(/\{\w+\}/g, '')))
        .map((text) => new RegExp(`^${text.split(/\{\w+\}/).map(escaped).join('.+')}$`));
    const shown = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility())
        .flatMap((element) => [element.title, element.getAttribute('aria-label'), element.label,
            ...[...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data)]);
    return [...new Set(shown.filter((text) => typeof text === 'string').flatMap(split))]
        .filter((text) => patterns.some((pattern) => pattern.test(text))).join(' | ');
})()"""
# Texts that are wider than their button, field or panel, and panels that are wider than the window.
WIDE = """[...document.querySelectorAll('button, .choices span, label, legend, h2, p:not(.visually-hidden), th, td, ' +
        'li, dt, dd, summary, .panel, dialog, nav')]
    .filter((element) => element.checkVisibility() && element.clientWidth)
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .filter((element) => getComputedStyle(element).textOverflow !== 'ellipsis')
    .map(({ id, textContent, scrollWidth, clientWidth }) => `${id || textContent.trim()} ${scrollWidth - clientWidth}`)
    .join(' | ') + (document.documentElement.scrollWidth > innerWidth ? ' the page' : '')"""


def choose(page, language):
    page.evaluate(f"""(() => {{
        const field = document.getElementById('language');
        field.value = '{language}';
        field.dispatchEvent(new Event('change', {{ bubbles: true }}));
    }})()""")
    page.wait_for_function(f"document.documentElement.lang === '{'de' if language == 'de' else 'en'}'")


@pytest.fixture
def german(page):
    choose(page, "de")
    yield page
    page.set_viewport_size({"width": 1280, "height": 860})
    choose(page, "auto")
    page.evaluate("localStorage.removeItem('mugo-language')")


def assert_german(page, sizes=((1400, 900), (390, 844), (1366, 768))):
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        assert page.evaluate(ENGLISH) == ""
        assert page.evaluate(WIDE) == "", (width, height)
    page.set_viewport_size({"width": 1280, "height": 860})


def test_a_page_in_english_is_seen_to_be_english(page):
    load(page, LEADS)
    found = page.evaluate(ENGLISH)
    assert "Next mistake" in found and "Previous move" in found and "Black to play." in found


def test_a_game_is_played_in_german(german):
    page = german
    new_game_in_german(page)
    page.wait_for_function(f"{STATUS} === 'Schwarz am Zug. Zum Spielen auf einen Punkt klicken.'")
    assert_german(page, [(1400, 900), (390, 844), (1024, 768), (360, 640)])
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STATUS} === 'Weiß spielte C3. Schwarz am Zug.'")
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STATUS} === 'E5 ist besetzt.'")
    assert page.evaluate("document.querySelector('#player-white .name').textContent") == "MuGo, Stufe 9"
    assert page.evaluate("document.querySelector('#player-black .name').textContent") == "Du"
    page.keyboard.press("h")
    page.wait_for_function(f"{STATUS}.startsWith('MuGo würde ')")
    assert_german(page)
    page.keyboard.press("g")
    page.wait_for_function("/etwa/.test(document.getElementById('estimate-text').textContent)")
    page.click("#teaching")
    assert_german(page)
    page.click("#teaching")
    page.keyboard.press("g")
    page.click("#resign")
    page.wait_for_function("document.querySelector('#confirm-dialog[open]')")
    assert_german(page)
    page.evaluate("document.querySelector('#confirm-dialog [value=yes]').click()")
    page.wait_for_function("document.getElementById('game-over-title').textContent === 'Du hast aufgegeben.'")
    assert_german(page)
    text = save(page)                      # a file is the same in every language
    assert "PB[You]" in text and "PW[MuGo policy]" in text and "Weiß" not in text


def new_game_in_german(page):
    page.evaluate("""(() => {
        document.getElementById('new').click();
        const form = document.querySelector('#new-game-dialog form');
        form.querySelector('[name=game][value=go]').click();
        form.querySelector('[name=colour][value=B]').click();
        form.opponent.value = 'policy';
        form.opponent.dispatchEvent(new Event('change', { bubbles: true }));
    })()""")
    assert_german(page)
    page.evaluate("document.querySelector('#new-game-dialog form button[value=start]').click()")
    page.wait_for_function(f"{AGREED} && window.mugo.state.human === 'B' && window.mugo.state.opponent === 'policy'")


def test_a_review_is_in_german(german):
    page = german
    load(page, LEADS)
    page.keyboard.press("End")
    page.click("#tab-review")
    page.wait_for_function("document.querySelectorAll('#move-list b').length === 2")
    assert_german(page)
    page.keyboard.press("k")
    page.wait_for_function(f"{STATUS} === 'Schwarz 5, G7, verlor etwa 12 Punkte.'")
    assert_german(page)
    for overlay in "policy", "search", "ownership", "ladders", "losses", "plane":
        page.evaluate(f"document.querySelector('[name=overlay][value={overlay}]').click()")
        page.wait_for_function(f"window.mugo.state.settings.overlay === '{overlay}'")
        page.wait_for_function("document.getElementById('legend').textContent")
        assert page.evaluate(ENGLISH) == ""
    page.keyboard.press("0")
    page.dispatch_event("#start-guess", "click")
    page.wait_for_function(f"/^Zug . wo|^Zug .: wo/.test({STATUS})")
    assert_german(page)
    page.click("#exercise-end")
    page.keyboard.press("e")
    page.wait_for_function("!document.getElementById('edit-tools').hidden")
    assert_german(page)
    page.keyboard.press("e")


@pytest.mark.parametrize("button", ["settings", "help", "share", "saved", "play-from", "show-progress",
                                    "edit-info", "open-statistics"])
def test_the_dialogs_are_in_german(german, button):
    page = german
    load(page, LEADS)
    page.dispatch_event(f"#{button}", "click")
    page.wait_for_function("document.querySelector('dialog[open]')")
    assert_german(page)
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('dialog[open]')")


def test_numbers_of_fields_keep_their_point(german):
    page = german
    new_game_in_german(page)
    assert page.evaluate("document.querySelector('#new-game-dialog [name=komi]').value") in ("7.5", "6.5")
    page.wait_for_function("document.querySelector('#player-white .komi').textContent === ', Komi 7,5'")
    assert "KM[7.5]" in save(page)
