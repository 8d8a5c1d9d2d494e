"""Playing on from a position of any game on the page in a headless Chromium; redo after a reload."""
import pytest

from web_page import NUMBER, STATUS, STONES, load, new_game, save, screen_point, sgf_properties, stone

# MuGo prefers C3.
RECORD = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[5.5]PB[Aoi]PW[Beni]RE[W+R];B[ee]C[centre];W[gc]BL[30](;B[cc];W[cg])(;B[gg]))"
SETUP = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[0.5]HA[2]AB[cc][gg]AW[dd]PL[W])"
WHITE_NAME = "document.querySelector('#player-white .name').textContent"
PLAYING = "document.getElementById('playing')"


def play_from(page, colour, opponent="policy"):
    """Play from the position on the board, by the dialog."""
    page.until("!document.getElementById('play-from').disabled")
    page.press("f")
    page.run(f"""(() => {{
        const form = document.querySelector('#play-from-dialog[open] form');
        form.querySelector('[name=colour][value={colour}]').click();
        form.opponent.value = '{opponent}';
        form.querySelector('button[value=start]').click();
    }})()""")
    page.until("!document.getElementById('stop-playing').hidden")


def click(page, vertex):
    page.click(*screen_point(page, vertex))


def go_to_move(page, number):
    page.press("Home")
    for i in range(number):
        page.until(f"{NUMBER}.startsWith('{i} ')")
        page.press("ArrowRight")
    page.until(f"{NUMBER}.startsWith('{number} ')")


def test_a_record_is_played_on_as_a_variation_and_stays_whole(page):
    load(page, RECORD)
    go_to_move(page, 2)
    assert page.run(f"{PLAYING}.hidden")
    play_from(page, "B")
    page.until(f"{PLAYING}.textContent === 'From move 2 you are Black against MuGo, level 7.'")
    assert page.run(WHITE_NAME) == "MuGo, level 7"
    click(page, "G3")                      # a move of the record: MuGo answers it all the same
    page.until(f"{NUMBER} === '4 / 4' && {STATUS} === 'White played C3. Black to play.'")
    click(page, "A1")
    page.until(f"{NUMBER}.startsWith('6 ') && {STATUS}.endsWith('Black to play.')")
    page.press("u")
    page.until(f"{NUMBER} === '4 / 6'")
    page.press("u")
    page.until(f"{NUMBER} === '2 / 6' && document.getElementById('undo').disabled")      # not into the record
    click(page, "C7")
    page.until(f"{STATUS} === 'White played C3. Black to play.' && {NUMBER} === '4 / 4'")
    text = save(page)
    before, after = sgf_properties(RECORD), sgf_properties(text)
    rest = iter(after)
    assert all(each in rest for each in before)                         # in the same order, nothing is changed
    assert len(after) == len(before) + 3 and text.index("B[cc]") < text.index("W[cg]") < text.index("B[gg]")


def test_white_is_played_from_a_position_with_black_to_move(page):
    load(page, RECORD)
    go_to_move(page, 2)
    play_from(page, "W")
    page.until(f"{STATUS} === 'Black played C3. White to play.'")
    assert page.run("document.querySelector('#player-black .name').textContent") == "MuGo, level 7"
    assert stone(page, "C3") == "black"
    page.press("Home")                     # the record's own players, where the board shows the record
    page.until(f"{WHITE_NAME} === 'Beni' && {PLAYING}.textContent.endsWith('is not in that game.')")
    page.press("End")                      # along the game that is played
    page.until(f"{NUMBER} === '3 / 3' && {WHITE_NAME} === 'You'")


def test_a_game_from_a_record_ends_for_itself(page):
    load(page, RECORD)
    go_to_move(page, 2)
    play_from(page, "B")
    click(page, "A1")
    page.until(f"{STATUS}.endsWith('Black to play.') && {NUMBER} === '4 / 4'")
    page.run("document.getElementById('resign').click()")
    page.until("document.querySelector('#confirm-dialog[open]')")
    page.run("document.querySelector('#confirm-dialog [value=yes]').click()")
    page.until(f"{STATUS} === 'White played C3. White wins by resignation.'")
    page.press("u")                        # it goes on, as any game
    page.until(f"{STATUS} === 'White played G7. Black to play.'")
    click(page, "A2")
    page.until(f"{STATUS} === 'White played C3. Black to play.'")
    assert "RE[W+R]" in save(page)


def test_the_result_that_a_record_has_got_goes_with_the_move_in_which_the_game_ended(page):
    load(page, RECORD.replace("RE[W+R]", ""))
    page.press("End")
    page.until(f"{NUMBER} === '4 / 4'")
    play_from(page, "B")
    page.run("document.getElementById('resign').click()")
    page.until("document.querySelector('#confirm-dialog[open]')")
    page.run("document.querySelector('#confirm-dialog [value=yes]').click()")
    page.until(f"{STATUS}.endsWith('White wins by resignation.')")
    assert "RE[W+R]" in save(page)
    page.press("Delete")
    page.until("document.querySelector('#confirm-dialog[open]')")
    page.run("document.querySelector('#confirm-dialog [value=yes]').click()")
    page.until(f"{NUMBER} === '3 / 3'")
    assert "RE[" not in save(page)


def test_a_stopped_game_is_viewed_again(page):
    load(page, RECORD)
    go_to_move(page, 2)
    play_from(page, "B")
    click(page, "A1")
    page.until(f"{NUMBER} === '4 / 4' && {STATUS}.endsWith('Black to play.')")
    page.run("document.getElementById('stop-playing').click()")
    page.until(f"{PLAYING}.hidden && {WHITE_NAME} === 'Beni' && document.getElementById('stop-playing').hidden")
    click(page, "A2")
    page.until(f"{STATUS} === 'Black played A2. White to play.'")
    assert page.run("window.mugo.state.job?.kind !== 'genmove' && !window.mugo.state.human")


def test_both_sides_are_played_from_a_position(page):
    load(page, RECORD)
    go_to_move(page, 1)
    play_from(page, "both")
    for vertex, colour in (("A1", "White"), ("A2", "Black"), ("A3", "White")):
        click(page, vertex)
        page.until(f"{STATUS}.startsWith('{colour} played {vertex}.')")
    page.press("u")
    page.until(f"{STATUS}.startsWith('Black played A2.')")


def test_a_setup_position_is_played_as_a_game_with_its_komi_and_handicap(page):
    load(page, SETUP)
    page.until(f"{STONES} === 3")
    play_from(page, "B")
    page.until(f"{STATUS} === 'White played C3. Black to play.'")
    click(page, "A1")
    page.until(f"{NUMBER} === '3 / 3' && {STATUS}.endsWith('Black to play.')")
    text = save(page)
    assert "KM[0.5]" in text and "HA[2]" in text and "PL[W]" in text and "PW[MuGo policy]" in text
    page.run("document.getElementById('stop-playing').click()")
    page.until("document.getElementById('stop-playing').hidden")


def test_a_position_that_is_over_cannot_be_played(page):
    load(page, "(;GM[1]FF[4]SZ[9];B[];W[])")
    go_to_move(page, 2)
    page.until("document.getElementById('play-from').disabled")
    page.press("f")
    assert not page.run("document.querySelector('#play-from-dialog[open]')")


def test_a_game_from_a_record_goes_on_after_a_reload(page):
    load(page, RECORD)
    go_to_move(page, 2)
    play_from(page, "B")
    click(page, "A1")
    page.until(f"{NUMBER} === '4 / 4' && {STATUS}.endsWith('Black to play.')")
    page.press("u")
    page.until(f"{NUMBER} === '2 / 4'")
    page.reload()
    page.until(f"document.querySelector('.grid') && {NUMBER} === '2 / 4' && !{PLAYING}.hidden")
    page.press("r")                        # along the game that is played, not along the record
    page.until(f"{NUMBER} === '4 / 4' && {STATUS} === 'White played C3. Black to play.'")
    click(page, "A2")
    page.until(f"{NUMBER} === '6 / 6' && {STATUS}.endsWith('Black to play.')")


@pytest.mark.parametrize("colour", ["B", "both", None])
def test_redo_goes_along_the_same_variation_after_a_reload(page, colour):
    if colour:
        new_game(page, colour=colour)
    else:
        load(page, "(;GM[1]FF[4]CA[UTF-8]SZ[9])")
    for vertex in ("E5", "G7"):            # two variations from the root; the first one has been undone
        click(page, vertex)
        page.until(f"document.querySelector('.stones circle[cx=\"{'ABCDEFGHJ'.index(vertex[0])}\"]"
                   f"[cy=\"{9 - int(vertex[1])}\"]') && {STATUS}.endsWith('to play.')")
        page.until(f"{NUMBER} === '{2 if colour == 'B' else 1} / {2 if colour == 'B' else 1}'")
        page.press("u")
        page.until(f"{NUMBER}.startsWith('0 ')")
    for _ in range(2):                     # E5 is selected: redo shows it, before and after
        page.run("""(() => {
            const { root } = window.mugo.state.game;
            root.selected = root.children.findIndex(({ move }) => move === 'B E5');
        })()""")
        page.reload()
        page.until(f"document.querySelector('.grid') && {NUMBER}.startsWith('0 ')")
        page.press("r")
        page.until(f"document.querySelector('.stones circle[cx=\"4\"][cy=\"4\"]') && {STONES} > 0")
        page.press("Home")
        page.until(f"{NUMBER}.startsWith('0 ')")
