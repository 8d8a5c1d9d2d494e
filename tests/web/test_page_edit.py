"""Editing on the page in a headless Chromium: marks, setup stones, annotations, game information, round trip."""
import pytest

from web_page import IS_GOMOKU, NUMBER, STATUS, STONES, load, new_game, save, screen_point, stone, tab_to_board

from mugo.sgf.nodes import parse_game

SGF = "(;GM[1]FF[4]CA[UTF-8]SZ[9];B[ee]TR[aa:cc]C[ a];W[cc](;B[gc])(;B[gg]))\n"
# A game with commentary of our own in the style of a magazine's: every kind of property, escapes, compressed lists.
COMMENTED = """(;GM[1]FF[4]CA[UTF-8]AP[Sketch:1.0]SZ[19]KM[7.5]HA[0]RU[Chinese]EV[Formal match]RO[5]PB[Fan Hui]BR[2p]\
PW[AlphaGo]DT[2015-10-05,06]TM[3600]OT[3x30 byo-yomi]RE[W+Resign]ST[2]XX[kept][as it is]\
C[Two openings are compared here.\\
The second one \\[see the variation\\] is calmer.];B[pd]BL[3590.5]N[Hoshi];W[dp]WL[3588]\
TR[cc:ee][pp]LB[dd:A][qf:1][qn:b\\:c];B[cd];W[qp]C[白 answers in the empty corner.\n\nIt is as large as A.]CR[qp];B[ed]
(;W[op]GB[1]HO[2];B[oq]BM[1]MA[pq]AR[oq:nq]LN[cd:ed];W[nq];B[pq];W[np]TB[aa:bb][da]TW[ss]DD[ka:ss])
(;W[iq]DM[1]SL[iq];B[ck]VW[]FG[257:x];W[]KO[];B[tt]C[]))
"""
PROPERTIES = "window.state.game.node.properties"


def tool(page, name):
    page.evaluate(f"document.querySelector('[name=tool][value=\"{name}\"]').click()")
    page.wait_for_function(f"document.querySelector('[name=tool]:checked').value === '{name}'")


@pytest.fixture
def editing(page):
    """Opens a file and begins to edit it, at this many moves."""
    page.evaluate("window.state = window.mugo.state; 0")

    def begin(text, moves=0):
        load(page, text)
        for _ in range(moves):
            page.keyboard.press("ArrowRight")
        page.wait_for_function(f"{NUMBER}.startsWith('{moves} ')")
        if page.evaluate("window.state.tool === null"):
            page.keyboard.press("e")
        page.wait_for_function("window.state.tool !== null && window.state.game.node.position", timeout=60_000)
    yield begin
    page.evaluate("window.state.tool === null || document.getElementById('edit').click()")
    page.wait_for_function("window.state.tool === null")


def use(page, name, vertex, said, size=9):
    tool(page, name)
    page.mouse.click(*screen_point(page, vertex, size))
    page.wait_for_function(f"{STATUS} === {said!r}", timeout=60_000)  # the first time the server may compile


def test_marks_are_set_replaced_removed_and_undone(page, editing):
    editing(SGF, 1)
    use(page, "CR", "G7", "G7: circle.")
    use(page, "MA", "G7", "G7: cross.")
    use(page, "letter", "H1", "H1: label A.")
    use(page, "letter", "J1", "J1: label B.")
    use(page, "number", "J2", "J2: label 1.")
    use(page, "letter", "H1", "H1: no mark.")
    use(page, "TR", "B8", "B8: no mark.")
    use(page, "TW", "A1", "A1: White’s territory.")
    assert page.evaluate(PROPERTIES) == "B[ee]TR[aa:ca][ab][cb][ac:cc]C[ a]MA[gc]LB[ii:B][ih:1]TW[ai]"
    for _ in range(8):
        page.click("#edit-undo")
    page.wait_for_function(f"{PROPERTIES} === 'B[ee]TR[aa:cc]C[ a]'")
    assert save(page) == SGF
    page.click("#edit-redo")
    page.wait_for_function(f"{PROPERTIES} === 'B[ee]TR[aa:cc]C[ a]CR[gc]'")


def test_lines_are_drawn_by_two_clicks_or_by_dragging(page, editing):
    editing(SGF, 1)
    use(page, "AR", "A1", "From A1: click the other end.")
    page.mouse.move(*screen_point(page, "C5"))
    page.wait_for_function("document.querySelectorAll('.ghosts .line').length === 2")
    tool(page, "LN")                       # another tool forgets the first point
    use(page, "AR", "C4", "From C4: click the other end.")
    page.mouse.click(*screen_point(page, "E2"))
    page.wait_for_function(f"{STATUS} === 'Arrow from C4 to E2.'")
    tool(page, "LN")
    page.mouse.move(*screen_point(page, "J9"))
    page.mouse.down()
    page.mouse.move(*screen_point(page, "J5"))
    page.mouse.up()
    page.wait_for_function(f"{STATUS} === 'Line from J9 to J5.'")
    assert page.evaluate(PROPERTIES).endswith("C[ a]AR[cf:eh]LN[ia:ie]")


def test_the_keyboard_edits(page, editing):
    editing("(;GM[1]FF[4]SZ[9])")
    page.keyboard.press("q")
    tab_to_board(page)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_function(f"{STATUS} === 'E6: square.'")
    page.wait_for_selector("#board[aria-label$='Enter edits: square.']")
    page.keyboard.press("g")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('#label-dialog[open]')")
    for letter in "a]b":
        page.keyboard.press(letter)
    page.keyboard.press("Enter")
    page.wait_for_function(f"{STATUS} === 'E6: square, label a]b.'")
    page.keyboard.press("Control+z")
    page.wait_for_function(f"{STATUS} === 'The edit is undone.' && {PROPERTIES}.endsWith('SQ[ed]')")
    page.keyboard.press("Escape")


def test_a_mark_on_a_move_of_the_page_is_saved_and_restored(page, editing):
    new_game(page)
    page.mouse.click(*screen_point(page, "E5"))
    page.wait_for_function(f"{STONES} === 1")
    page.keyboard.press("e")
    use(page, "TR", "E5", "E5: triangle.")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {STONES} === 1 "
                           f"&& document.querySelector('.markup .mark')")
    assert ";B[ee]TR[ee])" in save(page)
    page.evaluate("window.state = window.mugo.state; 0")


# ---- setup

def test_stones_are_set_up_in_a_new_node_after_a_move(page, editing):
    editing(SGF, 2)
    use(page, "X", "G7", "G7: black stone.")
    use(page, "O", "A1", "A1: white stone.")
    use(page, "O", "G7", "G7: white stone.")
    use(page, ".", "E5", "E5: empty.")
    assert page.evaluate(PROPERTIES) == "AW[ai][gc]AE[ee]" and page.evaluate(STONES) == 3
    page.click("#edit-turn")
    page.wait_for_function(f"{PROPERTIES} === 'AW[ai][gc]AE[ee]PL[W]' && {STATUS} === 'White to play.'")
    page.keyboard.press("e")               # and the game goes on from there
    page.mouse.click(*screen_point(page, "B2"))
    page.wait_for_function(f"{STATUS} === 'White played B2. Black to play.'")
    assert save(page) == SGF.replace("(;B[gg])", "(;B[gg])(;AW[ai][gc]AE[ee]PL[W]\n;W[bh])")


def test_the_setup_of_the_root_and_moves_that_follow(page, editing):
    editing("(;GM[1]FF[4]CA[UTF-8]SZ[9];B[ee];W[cc])\n")
    use(page, "X", "C7", "C7: black stone.")
    page.keyboard.press("End")
    page.wait_for_function(f"{STATUS} === 'White C7 is occupied. Shown as recorded. Black to play.'")
    page.keyboard.press("Home")
    page.wait_for_function(f"{NUMBER} === '0 / 2'")
    page.click("#edit-undo")
    page.wait_for_function(f"{STATUS} === 'The edit is undone.' && {STONES} === 0")
    page.keyboard.press("End")
    page.wait_for_function(f"{STATUS} === 'White played C7. Black to play.'")
    assert save(page) == "(;GM[1]FF[4]CA[UTF-8]SZ[9];B[ee];W[cc])\n"


def test_win_rates_after_an_edited_setup_are_dropped_and_come_back_with_it(page, editing):
    editing("(;GM[1]FF[4]CA[UTF-8]SZ[9];B[ee];W[cc])\n")
    values = "[...window.state.game.line()].map(({ analysis }) => `${analysis?.win_rate} ${analysis?.lead}`).join()"
    page.evaluate("""for (const node of window.state.game.line()) {
        node.analysis = { win_rate: 0.7, lead: 3, visits: 9, moves: [] };
    }""")
    use(page, "TR", "G7", "G7: triangle.")               # which changes no position
    assert page.evaluate(values) == "0.7 3,0.7 3,0.7 3"
    use(page, "X", "C3", "C3: black stone.")
    assert page.evaluate(values) == ",".join(["undefined undefined"] * 3)
    page.click("#edit-undo")
    page.wait_for_function(f"{STATUS} === 'The edit is undone.'")
    assert page.evaluate(values) == "0.7 3,0.7 3,0.7 3"
    for ident, value, after in ("EV", "Cup", "0.7 3,0.7 3,0.7 3"), ("KM", "0.5", ",".join(["undefined undefined"] * 3)):
        page.evaluate(f"import('/static/actions/edit.js').then((edit) => edit.editGameInfo({{ {ident}: '{value}' }}))")
        page.wait_for_function(f"{STATUS} === 'The game information is changed.' && {values} === '{after}'")
        page.evaluate("window.mugo.change(({ at }) => { at.message = { text: '' }; })")


def test_what_a_file_leaves_out_of_view_is_dimmed_and_its_figures_are_named(page):
    load(page, "(;GM[1]SZ[9]VW[aa:ee][gg];B[cc]FG[257:Ladder];W[ee]VW[]FG[])")
    dimmed, described = "document.querySelectorAll('.markup .dimmed').length", "document.getElementById(" \
        "'markup-description').textContent"
    page.wait_for_function(f"{dimmed} === {81 - 26} && {described} === 'Marks: in view from A9 to G3.'")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{dimmed} === {81 - 26}")
    assert page.text_content("#node-info") == "Figure Ladder"
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{dimmed} === 0 && document.getElementById('node-info').textContent === 'Figure'")


@pytest.mark.parametrize("moves", [0, 1])
def test_a_stone_without_liberties_is_refused_in_a_line(page, editing, moves):
    editing("(;GM[1]FF[4]CA[UTF-8]SZ[9]AB[ab][ba];W[ee])\n", moves)
    tool(page, "O")
    page.mouse.click(*screen_point(page, "A9"))
    said = "No white stone on A9: a chain would have no liberties."
    page.wait_for_function(f"document.querySelector('#status.error') && {STATUS} === '{said}'")
    assert page.evaluate(STONES) == 2 + moves
    assert save(page) == "(;GM[1]FF[4]CA[UTF-8]SZ[9]AB[ab][ba];W[ee])\n"


def test_mugo_waits_for_the_setup_and_then_plays(page, editing):
    new_game(page, colour="B")
    page.keyboard.press("e")
    use(page, "O", "G7", "G7: white stone.")
    page.click("#edit-turn")
    page.wait_for_function(f"{STATUS} === 'White to play.'")
    page.keyboard.press("e")
    page.wait_for_function(f"{STONES} === 2 && {STATUS} === 'White played C3. Black to play.'", timeout=30_000)
    assert "AW[gc]PL[W];W[cg])" in save(page).replace("\n", "")


def test_a_position_that_is_set_up_is_played_from(page, editing):
    editing(SGF, 2)
    use(page, "X", "G7", "G7: black stone.")
    page.dispatch_event("#play-from", "click")
    page.wait_for_function("document.querySelector('#play-from-dialog[open]')")
    page.evaluate("""(() => {
        const form = document.querySelector('#play-from-dialog form');
        form.colour.value = 'W';
        form.opponent.value = 'policy';
        form.querySelector('[value=start]').click();
    })()""")
    page.wait_for_function(f"{STATUS} === 'Black played C3. White to play.' && {STONES} === 4 "
                           f"&& window.state.tool === null")
    page.keyboard.press("e")               # in the game, too
    use(page, "O", "A1", "A1: white stone.")
    page.click("#edit-turn")
    page.wait_for_function(f"{STATUS} === 'Black to play.'")
    page.keyboard.press("e")
    page.wait_for_function(f"{STONES} === 6 && {STATUS}.endsWith('White to play.')")
    assert "(;AB[gc];B[cg];AW[ai]PL[B]" in save(page).replace("\n", "")


def test_stones_of_gomoku(page, editing):
    editing("(;GM[4]FF[4]SZ[9]RU[5 in a row];B[ee])", 1)
    assert page.evaluate(f"Boolean({IS_GOMOKU})")
    use(page, "O", "A1", "A1: white stone.")
    assert stone(page, "A1") == "white" and page.evaluate(STONES) == 2


# ---- names, annotations and game information

def test_names_and_annotations(page, editing):
    editing(SGF, 1)
    page.evaluate("""(() => {
        const set = (id, value) => {
            Object.assign(document.getElementById(id), { value }).dispatchEvent(new Event('change'));
        };
        set('node-name', 'Joseki');
        set('position-annotation', 'GB2');
        set('move-annotation', 'IT');
        document.getElementById('hotspot').click();
    })()""")
    page.wait_for_function(f"{PROPERTIES} === 'B[ee]TR[aa:cc]C[ a]N[Joseki]GB[2]IT[]HO[1]'")
    page.keyboard.press("e")
    assert page.text_content("#node-info") == \
        "Joseki · Very good for Black · Interesting move · Hotspot"


def test_the_game_information_is_edited_and_its_komi_counts(page, editing):
    editing("(;GM[1]FF[4]CA[UTF-8]SZ[9]PB[Aoi]RE[B+Resign]XX[1];B[ee];W[cc]PW[Beni])\n")
    page.dispatch_event("#edit-info", "click")
    fields = "Object.fromEntries([...document.querySelectorAll('#game-info-dialog [name]')]" \
             ".map((each) => [each.name, each]))"
    assert page.evaluate(f"(({{ PB, PW, RE, KM }}) => [PB, PW, RE, KM].map(({{ value }}) => value))({fields})") == \
        ["Aoi", "Beni", "B+Resign", ""]
    page.evaluate("(({ PW, KM, GC }) => { PW.value = 'Ema ]'; KM.value = '0.5'; GC.value = 'a\\nb'; })" f"({fields})")
    page.evaluate("document.querySelector('#game-info-dialog [value=set]').click()")
    page.wait_for_function(f"{STATUS} === 'The game information is changed.'")
    page.wait_for_function("document.querySelector('#player-white .captures').textContent.endsWith('komi 0.5') && "
                           "document.querySelector('#player-white .name').textContent === 'Ema ]'")
    assert save(page) == "(;GM[1]FF[4]CA[UTF-8]SZ[9]PB[Aoi]RE[B+Resign]XX[1]PW[Ema \\]]KM[0.5]GC[a\nb]\n;B[ee];W[cc])\n"


# ---- the round trip

def test_a_file_that_is_opened_and_saved_is_the_same(page):
    load(page, COMMENTED)
    saved = save(page)
    assert parse_game(saved.encode()) == parse_game(COMMENTED.encode())
    load(page, saved)
    assert save(page) == saved
