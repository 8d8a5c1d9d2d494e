"""The contrast of texts in a headless Chromium, light, dark and with forced colours; names of fields and buttons."""
import pytest

from web_page import STATUS, load

SGF = "(;GM[1]SZ[9]PB[Aoi]EV[Jubango]N[Opening];B[ee](;W[cc])(;W[gg]))"
# Texts below 4.5:1 (WCAG 2.2, 1.4.3): "text ratio".  A disabled button is exempt.
FAINT = """(() => {
    const channels = (colour) => [...colour.match(/[\\d.]+/g).map(Number), 1];
    const light = (colour) => colour.slice(0, 3).map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
    const background = (element) => {                    // of translucent ones on each other
        if (!element) return [255, 255, 255];
        const colour = channels(getComputedStyle(element).backgroundColor);
        if (colour[3] === 1) return colour;
        const below = background(element.parentElement);
        return [0, 1, 2].map((i) => colour[i] * colour[3] + below[i] * (1 - colour[3]));
    };
    return [...document.querySelectorAll('body *:not(svg *)')].filter((element) => element.checkVisibility()
        && !element.closest(':disabled, label:has(:disabled)')
        && [...element.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())).map((element) => {
        const [a, b] = [light(channels(getComputedStyle(element).color)), light(background(element))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        return ratio < 4.5 ? `${element.textContent.trim().slice(0, 20)} ${ratio.toFixed(1)}` : '';
    }).filter(Boolean).join('|');
})()"""
UNNAMED = """[...document.querySelectorAll(
    'button, input:not([type=file]), select, textarea, [role=application], [role=img]')]
    .filter((each) => each.checkVisibility() && !(each.ariaLabel || each.labels?.length || each.textContent.trim()))
    .map((each) => each.outerHTML.slice(0, 80)).join('|')"""


@pytest.mark.parametrize("scheme, forced_colors", [("light", False), ("dark", False), ("light", True), ("dark", True)])
def test_texts_have_contrast_and_fields_have_names(page, scheme, forced_colors):
    load(page, SGF)
    page.press("ArrowRight")
    page.prefer(scheme, forced_colors)
    try:
        assert page.run(FAINT) == "" and page.run(UNNAMED) == ""
        page.press("e")
        page.until("!document.getElementById('edit-tools').hidden")
        assert page.run(FAINT) == "" and page.run(UNNAMED) == ""
        page.press("e")
        page.until("document.getElementById('edit-tools').hidden")
        for button in "new", "help", "edit-info":
            page.run(f"document.getElementById('{button}').click()")
            assert page.run(FAINT) == "" and page.run(UNNAMED) == ""
            page.run("document.querySelector('dialog[open]').close('cancel')")
    finally:
        page.prefer("light")


def test_forced_colours_show_stones_and_what_is_selected(page):
    load(page, SGF)
    page.press("ArrowRight")
    page.press("e")
    page.until(f"!document.getElementById('edit-tools').hidden && {STATUS}")
    page.prefer("dark", forced_colors=True)
    try:
        style = "getComputedStyle(document.querySelector('{}'))['{}']".format
        colours = {page.run(style(f".stone-icon.{colour}", "background-color")) for colour in ("black", "white")}
        assert len(colours) == 2
        for selected, other in [
                ("#edit", "#undo"), ("[name=overlay]:checked + span", "[name=overlay]:not(:checked) + span"),
                ("#variations [aria-pressed=true]", "#variations [aria-pressed=false]")]:
            assert page.run(style(selected, "background-color")) != page.run(style(other, "background-color"))
        assert page.run(style("[name=tool]:checked + span", "outline-width")) == "4px"
        assert page.run(style("#tree .current", "stroke-width")) == "4px"
    finally:
        page.prefer("light")
        page.press("e")
    page.until("document.getElementById('edit-tools').hidden")
