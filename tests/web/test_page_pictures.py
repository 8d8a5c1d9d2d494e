"""Twelve states of the page: they look as in stored pictures, nothing keeps somebody from using them, a finger can.

After a change of the page that is meant, look at the pictures that the failed tests name, and store them by

    pytest tests/web/test_page_pictures.py --update-pictures
"""
import io
from pathlib import Path

import numpy as np
import pytest
from page_states import STATES, show_state

PICTURES = Path(__file__).parent / "pictures"
# Width and height in CSS pixels, what a stored picture is reduced by, whether the screen is touched, colours.
SIZES = {"phone": (390, 844, 3, True, "light"), "small": (1024, 768, 4, False, "light"),
         "laptop": (1400, 900, 4, False, "dark"), "large": (2560, 1440, 5, False, "light")}
# Those that every state has a picture at; test_page_layout.py has the page at other sizes.  Four states also have the
# others, which are compared each night: with a game, a graph, an exercise and tools.
ALWAYS, AT_ALL_SIZES = ("phone", "laptop"), ("play", "losses", "puzzle", "edit")
# A picture has changed if more cells than a few differ by more than the tolerance in a channel, 0 to 255.  A cell has 6
# to 10 pixels of the page.  A button that is 24 pixels elsewhere changes 6 cells or more by 40.
TOLERANCE, FEW = 32, 3
# The page in a font that is the same on all machines.
STYLE = """@font-face { font-family: "font of the tests"; src: url(/DejaVuSans.ttf) }
* { font-family: "font of the tests" !important; scrollbar-width: none !important }"""


@pytest.fixture(scope="module", params=STATES)
def shown(opened, request):
    """The page in a state: (page, name of the state)."""
    show_state(opened, request.param)
    return opened, request.param


def resize(page, size):
    width, height, _, is_touched, scheme = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.context.new_cdp_session(page).send("Emulation.setTouchEmulationEnabled", {"enabled": is_touched})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")


@pytest.fixture
def styled(shown):
    page, state = shown
    matplotlib = pytest.importorskip("matplotlib")
    page.route("**/DejaVuSans.ttf", lambda route: route.fulfill(
        path=Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"))
    style = page.add_style_tag(content=STYLE)
    yield page, state
    style.evaluate("(element) => element.remove()")


def has_changed(page, path, size, folder, update):
    """Whether the page has changed from the stored picture; a new one and the difference are in the folder then."""
    from PIL import Image

    resize(page, size)
    page.evaluate("window.mugo.change((state) => { state.replaced = null; })")       # else until 8 s have passed
    page.evaluate("document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => "
                  "requestAnimationFrame(done))))")          # the list of moves is scrolled in the first one
    shot = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    compressed = io.BytesIO()
    shot.reduce(SIZES[size][2]).save(compressed, "webp", quality=90, method=6)
    if update:
        path.write_bytes(compressed.getvalue())
    stored, new = (np.asarray(Image.open(each).convert("RGB").reduce(2), int) for each in (path, compressed))
    difference = np.abs(stored - new).max(2)
    if (difference > TOLERANCE).sum() <= FEW:
        return False
    shot.save(folder / f"{path.stem}-new.png")
    drawn = Image.fromarray(np.minimum(4 * difference, 255).astype(np.uint8))
    drawn.resize(shot.size).save(folder / f"{path.stem}-difference.png")
    return True


@pytest.mark.parametrize("sizes", [ALWAYS, pytest.param(("small", "large"), marks=pytest.mark.slow)], ids="/".join)
def test_the_page_looks_as_in_the_stored_pictures(styled, sizes, request, tmp_path):
    (page, state), update = styled, request.config.getoption("--update-pictures")
    changed = [path.name for size in (SIZES if update else sizes) if (size in ALWAYS or state in AT_ALL_SIZES)
               and has_changed(page, path := PICTURES / f"{state}-{size}.webp", size, tmp_path, update)]
    if changed:
        pytest.fail(f"changed: {', '.join(changed)}: look at the pictures in {tmp_path}. If that is meant: "
                    f"pytest {Path(__file__).relative_to(request.config.rootpath)} --update-pictures", pytrace=False)


# What axe checks of the WCAG 2.2 at the levels A and AA, and of that what depends on the colours.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
CONTRAST = ["color-contrast", "link-in-text-block"]


def violations(page, rules=RULES):
    axe = pytest.importorskip("axe_playwright_python.base")
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.AXE_SCRIPT)
    found = page.evaluate("async (options) => (await axe.run(document, options)).violations",
                          {"runOnly": rules, "resultTypes": ["violations"]})
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("scheme, rules", [("light", RULES), ("dark", CONTRAST)], ids=["light", "dark"])
def test_axe_finds_no_violation(shown, scheme, rules):
    page, _ = shown
    resize(page, "laptop")
    page.emulate_media(color_scheme=scheme)
    assert violations(page, rules) == []


@pytest.mark.parametrize("button", ["help", "edit-info", "saved", "play-from"])
def test_axe_finds_no_violation_in_a_dialog(page, button):
    page.dispatch_event(f"#{button}", "click")
    page.wait_for_selector("dialog[open]")
    assert violations(page) == []
    page.evaluate("document.querySelector('dialog[open]').close('cancel')")


SMALL = """[...document.querySelectorAll('button, select, textarea, input:not([type=file]), .check, summary, ' +
    '#moves tbody tr')]
    .filter((element) => element.checkVisibility() && !element.disabled).filter((element) => {
        const target = element.closest('label.check') ?? element.closest('.choices label') ?? element;
        const { width, height } = target.getBoundingClientRect();
        return width && Math.min(width, height) < 43.5;
    }).map((element) => element.id || element.textContent || element.name || element.className).join(' | ')"""


@pytest.mark.parametrize("width, height", [(390, 844), (844, 390)])
def test_targets_of_a_finger_have_44_pixels(shown, width, height):
    page, _ = shown
    resize(page, "phone")
    page.set_viewport_size({"width": width, "height": height})
    assert page.evaluate("matchMedia('(pointer: coarse)').matches")
    assert page.evaluate(SMALL) == ""
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
