"""Playing on from a position of any game on the page in a headless Chromium; redo after a reload."""

from web_page import NUMBER, STATUS, STONES, load, play_from, save, screen_point, sgf_properties

# MuGo prefers C3.
RECORD = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[5.5]PB[Aoi]PW[Beni]RE[W+R];B[ee]C[centre];W[gc]BL[30](;B[cc];W[cg])(;B[gg]))"
SETUP = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[0.5]HA[2]AB[cc][gg]AW[dd]PL[W])"
WHITE_NAME = "document.querySelector('#player-white .name').textContent"
PLAYING = "document.getElementById('playing')"


def click(page, vertex):
    page.mouse.click(*screen_point(page, vertex))


def go_to_move(page, number):
    page.keyboard.press("Home")
    for i in range(number):
        page.wait_for_function(f"{NUMBER}.startsWith('{i} ')")
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{NUMBER}.startsWith('{number} ')")


def test_a_record_is_played_on_as_a_variation_and_stays_whole(page):
    load(page, RECORD)
    go_to_move(page, 2)
    assert page.evaluate(f"{PLAYING}.hidden")
    play_from(page, "B")
    page.wait_for_function(f"{PLAYING}.textContent === 'From move 2 you are Black against MuGo, level 9.'")
    assert page.evaluate(WHITE_NAME) == "MuGo, level 9"
    click(page, "G3")                      # a move of the record: MuGo answers it all the same
    page.wait_for_function(f"{NUMBER} === '4 / 4' && {STATUS} === 'White played C3. Black to play.'")
    click(page, "A1")
    page.wait_for_function(f"{NUMBER}.startsWith('6 ') && {STATUS}.endsWith('Black to play.')")
    page.keyboard.press("u")
    page.wait_for_function(f"{NUMBER} === '4 / 6'")
    page.keyboard.press("u")
    page.wait_for_function(f"{NUMBER} === '2 / 6' && document.getElementById('undo').disabled")  # not into the record
    click(page, "C7")
    page.wait_for_function(f"{STATUS} === 'White played C3. Black to play.' && {NUMBER} === '4 / 4'")
    text = save(page)
    before, after = sgf_properties(RECORD), sgf_properties(text)
    rest = iter(after)
    assert all(each in rest for each in before)                         # in the same order, nothing is changed
    assert len(after) == len(before) + 3 and text.index("B[cc]") < text.index("W[cg]") < text.index("B[gg]")


def test_a_game_from_a_record_ends_for_itself(page):
    load(page, RECORD)
    go_to_move(page, 2)
    play_from(page, "B")
    click(page, "A1")
    page.wait_for_function(f"{STATUS}.endsWith('Black to play.') && {NUMBER} === '4 / 4'")
    page.click("#resign")
    page.wait_for_function("document.querySelector('#confirm-dialog[open]')")
    page.evaluate("document.querySelector('#confirm-dialog [value=yes]').click()")
    page.wait_for_function(f"{STATUS} === 'White played C3. White wins by resignation.'")
    page.keyboard.press("u")               # it goes on, as any game
    page.wait_for_function(f"{STATUS} === 'White played G7. Black to play.'")
    click(page, "A2")
    page.wait_for_function(f"{STATUS} === 'White played C3. Black to play.'")
    assert "RE[W+R]" in save(page)


def test_the_result_that_a_record_has_got_goes_with_the_move_in_which_the_game_ended(page):
    load(page, RECORD.replace("RE[W+R]", ""))
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '4 / 4'")
    play_from(page, "B")
    page.click("#resign")
    page.wait_for_function("document.querySelector('#confirm-dialog[open]')")
    page.evaluate("document.querySelector('#confirm-dialog [value=yes]').click()")
    page.wait_for_function(f"{STATUS}.endsWith('White wins by resignation.')")
    assert "RE[W+R]" in save(page)
    page.keyboard.press("Delete")
    page.wait_for_function("document.querySelector('#confirm-dialog[open]')")
    page.evaluate("document.querySelector('#confirm-dialog [value=yes]').click()")
    page.wait_for_function(f"{NUMBER} === '3 / 3'")
    assert "RE[" not in save(page)


def test_a_stopped_game_is_viewed_again(page):
    load(page, RECORD)
    go_to_move(page, 2)
    play_from(page, "B")
    click(page, "A1")
    page.wait_for_function(f"{NUMBER} === '4 / 4' && {STATUS}.endsWith('Black to play.')")
    page.click("#stop-playing")
    page.wait_for_function(f"{PLAYING}.hidden && {WHITE_NAME} === 'Beni' "
                           f"&& document.getElementById('stop-playing').hidden")
    click(page, "A2")
    page.wait_for_function(f"{STATUS} === 'Black played A2. White to play.'")
    assert page.evaluate("window.mugo.state.job?.kind !== 'genmove' && !window.mugo.state.human")


def test_both_sides_are_played_from_a_position(page):
    load(page, RECORD)
    go_to_move(page, 1)
    play_from(page, "both")
    for vertex, colour in (("A1", "White"), ("A2", "Black"), ("A3", "White")):
        click(page, vertex)
        page.wait_for_function(f"{STATUS}.startsWith('{colour} played {vertex}.')")
    page.keyboard.press("u")
    page.wait_for_function(f"{STATUS}.startsWith('Black played A2.')")


def test_a_setup_position_is_played_as_a_game_with_its_komi_and_handicap(page):
    load(page, SETUP)
    page.wait_for_function(f"{STONES} === 3")
    play_from(page, "B")
    page.wait_for_function(f"{STATUS} === 'White played C3. Black to play.'")
    click(page, "A1")
    page.wait_for_function(f"{NUMBER} === '3 / 3' && {STATUS}.endsWith('Black to play.')")
    text = save(page)
    assert "KM[0.5]" in text and "HA[2]" in text and "PL[W]" in text and "PW[MuGo policy]" in text
    page.click("#stop-playing")
    page.wait_for_function("document.getElementById('stop-playing').hidden")


def test_a_position_that_is_over_cannot_be_played(page):
    load(page, "(;GM[1]FF[4]SZ[9];B[];W[])")
    go_to_move(page, 2)
    page.wait_for_function("document.getElementById('play-from').disabled")
    page.keyboard.press("f")
    assert not page.evaluate("document.querySelector('#play-from-dialog[open]')")


def test_a_game_from_a_record_goes_on_after_a_reload(page):
    load(page, RECORD)
    go_to_move(page, 2)
    play_from(page, "B")
    click(page, "A1")
    page.wait_for_function(f"{NUMBER} === '4 / 4' && {STATUS}.endsWith('Black to play.')")
    page.keyboard.press("u")
    page.wait_for_function(f"{NUMBER} === '2 / 4'")
    page.reload()
    page.wait_for_function(f"document.querySelector('.grid') && {NUMBER} === '2 / 4' && !{PLAYING}.hidden")
    page.keyboard.press("r")               # along the game that is played, not along the record
    page.wait_for_function(f"{NUMBER} === '4 / 4' && {STATUS} === 'White played C3. Black to play.'")
    click(page, "A2")
    page.wait_for_function(f"{NUMBER} === '6 / 6' && {STATUS}.endsWith('Black to play.')")
