"""The page with forced colours, as with a contrast theme of Windows, in a headless Chromium."""
from web_page import STATUS, load

SGF = "(;GM[1]SZ[9]PB[Aoi]EV[Jubango]N[Opening];B[ee](;W[cc])(;W[gg]))"


def test_forced_colours_show_stones_and_what_is_selected(page):
    load(page, SGF)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("e")
    page.wait_for_function(f"!document.getElementById('edit-tools').hidden && {STATUS}")
    page.emulate_media(color_scheme="dark", forced_colors="active")
    try:
        style = "getComputedStyle(document.querySelector('{}'))['{}']".format
        colours = {page.evaluate(style(f".stone-icon.{colour}", "background-color")) for colour in ("black", "white")}
        assert len(colours) == 2
        for selected, other in [
                ("#edit", "#undo"), ("[name=overlay]:checked + span", "[name=overlay]:not(:checked) + span"),
                ("#move-list [aria-current]", "#move-list button:not([aria-current])")]:
            assert page.evaluate(style(selected, "background-color")) != page.evaluate(style(other, "background-color"))
        assert page.evaluate(style("[name=tool]:checked + span", "outline-width")) == "4px"
    finally:
        page.emulate_media(color_scheme="light", forced_colors="none")
        page.keyboard.press("e")
    page.wait_for_function("document.getElementById('edit-tools').hidden")
