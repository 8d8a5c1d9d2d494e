"""What the page shares in a headless Chromium: a picture, an animation, the record; and a record that is pasted."""
import base64
import io

import pytest
from web_page import AGREED, NUMBER, STATUS, load, new_game

SGF = "(;GM[1]FF[4]CA[UTF-8]SZ[13:9]KM[7]TR[aa];B[ee];W[gc](;B[cg])(;B[cc];W[dd]))"
NOTE = "document.getElementById('share-note').textContent"
SAVE = "document.getElementById('share-save')"
WOOD = (225, 180, 110)


@pytest.fixture
def dialog(page):
    """The page, and a function that opens the dialog on a kind of thing to share; what is saved is `window.saved`."""
    page.evaluate("window.create ??= URL.createObjectURL; window.saved = null")
    page.evaluate("void (URL.createObjectURL = (blob) => window.create.call(URL, window.saved = blob))")
    yield lambda kind: page.evaluate(f"""(() => {{
        document.getElementById('share').click();
        document.querySelector('#share-dialog [value={kind}]').click();
    }})()""")
    page.evaluate("void (URL.createObjectURL = window.create)")
    page.evaluate("document.querySelectorAll('dialog[open]').forEach((each) => each.close())")


def picture(page):
    """The last Blob that was made, as a Pillow image."""
    image = pytest.importorskip("PIL.Image")
    data = page.evaluate("""new Promise((resolve) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result.split(',')[1]);
        reader.readAsDataURL(window.saved);
    })""")
    return image.open(io.BytesIO(base64.b64decode(data)))


def point_on(image, page, vertex, rows=9):
    """'X', 'O' or '.': what a picture of a board shows on a point."""
    left, top, width, height = map(float, page.get_attribute("#board", "viewBox").split())
    row, col = rows - int(vertex[1:]), "ABCDEFGHJKLMNOPQRST".index(vertex[0])
    x, y = (col - left) / width * image.width, (row - top) / height * image.height
    pixels = [image.convert("RGB").getpixel((round(x) + i, round(y) + j)) for i in range(-3, 4) for j in (-3, 0, 3)]
    mean = [sum(channel) / len(pixels) for channel in zip(*pixels, strict=True)]
    return "X" if max(mean) < 90 else "O" if min(mean) > 190 else "."


def test_a_picture_is_the_board(page, dialog):
    load(page, SGF)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '3 / 3'")
    dialog("picture")
    page.wait_for_function(f"{SAVE}.textContent === 'Save' && !{SAVE}.disabled && window.saved.type === 'image/png'")
    image = picture(page)
    assert max(image.size) == 700 and 1.3 < image.width / image.height < 1.5
    assert [point_on(image, page, vertex) for vertex in ("E5", "G7", "C3", "D6")] == ["X", "O", "X", "."]
    assert all(abs(a - b) < 40 for a, b in zip(image.convert("RGB").getpixel((3, 3)), WOOD, strict=True))
    page.evaluate("document.querySelector('#share-dialog [name=size]').value = 1400")
    page.evaluate("document.querySelector('#share-dialog form').onchange()")
    page.wait_for_function("window.saved.type === 'image/png' && window.saved.size > 0")
    page.wait_for_function("document.querySelector('#share-preview img').naturalWidth === 1400")


def test_an_animation_has_the_positions_of_the_variation(page, dialog):
    load(page, SGF)
    page.evaluate("(({ game }) => game.goTo(game.root.children[0].children[0].children[1]))(window.mugo.state)")
    page.evaluate("window.mugo.change()")
    dialog("animation")
    fields = "['from', 'to'].map((name) => document.querySelector(`#share-dialog [name=${name}]`).value).join()"
    assert page.evaluate(fields) == "2,4"
    page.wait_for_function(f"{SAVE}.textContent === 'Make animation'")
    page.evaluate("document.querySelector('#share-dialog [name=size]').value = 400")
    page.evaluate(f"{SAVE}.click()")
    page.wait_for_function(f"{SAVE}.textContent === 'Save' && {NOTE}.startsWith('3 positions')", timeout=30_000)
    image = picture(page)
    assert (image.format, image.n_frames, max(image.size)) == ("GIF", 3, 400)
    for number, stones in enumerate(["XO...", "XOX..", "XOXO."]):
        image.seek(number)
        assert image.info["duration"] == (3000 if number == 2 else 1000) and image.info["loop"] == 0
        assert "".join(point_on(image, page, vertex) for vertex in ("E5", "G7", "C7", "D6", "C3")) == stones
    page.evaluate(f"{SAVE}.click()")
    page.wait_for_function(f"{NOTE}.endsWith('-2-4.gif')")
    assert page.evaluate(NUMBER) == "3 / 4"


def test_the_record_is_copied_by_the_key_and_shown_in_the_dialog(page, dialog):
    load(page, SGF)
    copied = page.evaluate("""(() => {
        const data = new DataTransfer();
        const event = new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true });
        document.body.dispatchEvent(event);
        return data.getData('text/plain');
    })()""")
    assert copied.replace("\n", "") == SGF
    assert page.evaluate(STATUS) == "The record is copied."
    dialog("record")
    assert page.evaluate("document.getElementById('share-text').value") == copied
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    for can_copy, note in ("true", "The record is copied."), ("false", "Press Ctrl+C to copy the text."):
        page.evaluate(f"document.execCommand = () => {can_copy}; document.getElementById('share-copy').click()")
        page.wait_for_function(f"{NOTE} === '{note}'")
        assert page.evaluate("(({ selectionStart, selectionEnd }) => selectionEnd - selectionStart)"
                             "(document.getElementById('share-text'))") == len(copied)
    page.evaluate("delete navigator.clipboard; delete document.execCommand")


def test_a_record_is_pasted_into_a_dialog(page, dialog):
    new_game(page)
    dialog("record")
    page.evaluate("document.querySelector('#share-dialog .paste').click()")
    page.evaluate("document.getElementById('paste-text').value = '(;GM[1]SZ[9];B[aa];W[bb];B[c'")
    page.evaluate("document.querySelector('#paste-dialog [value=open]').click()")
    page.wait_for_function(f"{AGREED} && {NUMBER} === '0 / 2'")
    page.wait_for_function(f"{STATUS}.startsWith('The file is cut off')")
    page.click("#saved")
    page.evaluate("document.querySelector('#saved-dialog .paste').click()")
    page.evaluate("document.querySelector('#paste-dialog [value=open]').click()")
    page.wait_for_function(f"{STATUS} === 'There is no game record in it.'")
