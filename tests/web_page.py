"""What tests do on the page of `mugo web` in Chromium: games, stones, files.  Constants are JavaScript expressions."""
import shutil

from sgfmill import sgf

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

STATUS = "document.getElementById('status').textContent"
WHITE = "document.querySelector('#player-white .name').title.slice(7)"          # without 'White: ', as in records
STONES = "document.querySelectorAll('.stones circle').length"
NUMBER = "document.getElementById('move-number').textContent"
IS_GOMOKU = "document.querySelector('main[data-game=gomoku]')"
IS_OVER = f"/wins|draw/.test({STATUS})"
AGREED = "!document.querySelector('#confirm-dialog[open] [value=yes]')?.click()"     # to a question, if one is asked


def new_game(page, *, colour="both", opponent="policy"):
    """A new game on 9x9, by the dialog."""
    page.evaluate(f"""(() => {{
        document.getElementById('new').click();
        const form = document.querySelector('#new-game-dialog form');
        document.getElementById('status').textContent = '';      // until the new game is shown
        form.querySelector('[name=game][value=go]').click();
        form.querySelector('[name=colour][value={colour}]').click();
        form.opponent.value = '{opponent}';
        form.querySelector('button[value=start]').click();
    }})()""")
    white = "White" if colour == "both" else f"MuGo {opponent}"
    page.wait_for_function(f"{AGREED} && {STONES} === 0 && {STATUS}.includes('to play') && {WHITE} === '{white}'")


def new_gomoku_game(page, board, *, colour="B", opponent="uct-100"):
    """A new game of Gomoku, by the dialog; board: '6 4' for 6x6, 4 in a row."""
    page.evaluate(f"""(() => {{
        document.getElementById('new').click();
        const form = document.querySelector('#new-game-dialog form');
        form.opponent.replaceChildren();                             // until the server has listed the opponents
        form.querySelector('[name=game][value=gomoku]').click();
        form.querySelector('[name=board][value="{board}"]').click();
        form.querySelector('[name=colour][value={colour}]').click();
    }})()""")
    page.wait_for_function("document.querySelector('#new-game-dialog [name=opponent]').options.length")
    assert page.evaluate("[...document.querySelectorAll('#new-game-dialog fieldset')].map((it) => it.checkVisibility())"
                         ".join(' ')") == "true false true true false"      # opponent, two boards, colour, game
    page.evaluate(f"""(() => {{
        const form = document.querySelector('#new-game-dialog form');
        form.opponent.value = '{opponent}';
        form.querySelector('button[value=start]').click();
    }})()""")
    page.wait_for_function(f"{AGREED} && {STONES} === 0 && {IS_GOMOKU} && {STATUS}.startsWith('Black to play')")


def play_out(page, size, moves):
    """Play the game against MuGo to its end, on the first of these points that is free."""
    while True:
        page.wait_for_function(f"document.querySelector('#player-black.to-play') || {IS_OVER}")
        if page.evaluate(IS_OVER):
            return
        count = page.evaluate(STONES)
        page.mouse.click(*screen_point(page, next(vertex for vertex in moves if not stone(page, vertex, size)), size))
        page.wait_for_function(f"{STONES} > {count}")


def screen_point(page, vertex, size=9):
    """The centre of a board point on the screen, (x, y)."""
    row, col = int(vertex[1:]), "ABCDEFGHJKLMNOPQRST".index(vertex[0])
    return page.evaluate(f"""(() => {{
        const board = document.getElementById('board');
        const point = new DOMPoint({col}, {size - row}).matrixTransform(board.getScreenCTM());
        return [point.x, point.y];
    }})()""")


def stone(page, vertex, size=9):
    """'black', 'white' or None."""
    row, col = size - int(vertex[1:]), "ABCDEFGHJKLMNOPQRST".index(vertex[0])
    return page.evaluate(f"(document.querySelector('.stones [cx=\"{col}\"][cy=\"{row}\"]')?.className.baseVal ?? '')"
                         ".trim() || null")


def play_from(page, colour, opponent="policy"):
    """Play from the position on the board, by the dialog."""
    page.wait_for_function("!document.getElementById('play-from').disabled")
    page.keyboard.press("f")
    page.evaluate(f"""(() => {{
        const form = document.querySelector('#play-from-dialog[open] form');
        form.querySelector('[name=colour][value={colour}]').click();
        form.opponent.value = '{opponent}';
        form.querySelector('button[value=start]').click();
    }})()""")
    page.wait_for_function("!document.getElementById('stop-playing').hidden")


def load(page, text, is_reviewed=False):
    """Open a file, and leave the game before.  is_reviewed: its review goes on; else the board shows no overlay."""
    page.evaluate(f"""(async () => {{
        const {{ state, change }} = window.mugo;
        const {{ subscribe }} = await import('/static/store.js');
        if (window.stops === undefined) subscribe(() => {{
            if (window.stops && state.lineAnalysis) change(() => {{ state.lineAnalysis = null; }});
        }});
        window.stops = {str(not is_reviewed).lower()};
        const before = state.game;
        window.isLoaded = () => state.game !== before || document.querySelector('#status.error');
        const files = new DataTransfer();
        files.items.add(new File([{text!r}], 'game.sgf'));
        const input = document.getElementById('file');
        input.files = files.files;
        input.dispatchEvent(new Event('change'));
    }})()""")
    page.wait_for_function(f"{AGREED} && window.isLoaded() && {STATUS}")
    if not is_reviewed:
        page.evaluate("window.stops = false; window.mugo.change((state) => { state.settings.overlay = 'none'; })")


def save(page):
    """The SGF text that Save writes."""
    page.evaluate("URL.createObjectURL = (file) => { window.saved = file; return '#'; }; window.saved = null")
    page.click("#save")
    page.wait_for_function("window.saved")
    return page.evaluate("window.saved.text()")


def sgf_properties(text):
    """The properties of every node of an SGF text, depth first; without AP, and a pass as ''."""
    found = []
    stack = [(sgf.Sgf_game.from_bytes(text.encode()).get_root(), 0)]
    while stack:
        node, depth = stack.pop()
        values = {ident: sorted(b"" if value == b"tt" else value for value in node.get_raw_list(ident))
                  for ident in node.properties() if ident != "AP"}
        found.append((depth, values))
        stack.extend((child, depth + 1) for child in reversed(node[:]))
    return found


def tab_to_board(page):
    """Press Tab until the board has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "board":
            return
    raise AssertionError("Tab does not reach the board")
