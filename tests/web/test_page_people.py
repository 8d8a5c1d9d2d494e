"""What players of a rank would play, shown on the board where the network takes who plays."""
import pytest
from fakes import TiltedNetwork

from mugo.games.go import GoPosition
from mugo.nn.inputs import People


LABELS = "[...document.querySelectorAll('#board .overlay text')].map((each) => Number(each.textContent))"


@pytest.fixture(scope="module")
def network():
    return TiltedNetwork(0.3)


def labels(page):
    """The percentages on the board, the largest first."""
    return page.evaluate(f"{LABELS}.sort((a, b) => b - a)")


def test_the_moves_of_players_of_a_rank_are_shown_and_change_with_it(page, network):
    page.wait_for_function("!document.querySelector('#overlays .people').hidden")
    assert page.evaluate("document.getElementById('people-field').hidden")
    page.evaluate("document.querySelector('#overlays [value=people]').click()")
    page.wait_for_function("!document.getElementById('people-field').hidden")
    page.wait_for_function("document.getElementById('people-rank').max === '29'")
    for rank, value in ("8d", 27), ("2k", 18), ("20k", 0):
        page.evaluate("(() => { const slider = document.getElementById('people-rank');"
                      f"slider.value = {value}; slider.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")
        priors = network.evaluate([GoPosition(9)], people=People(rank)).priors[0][:-1]
        expected = sorted((round(100 * float(prior)) for prior in priors if prior >= 0.01), reverse=True)
        page.wait_for_function(f"Math.max(...{LABELS}) === {expected[0]}")
        assert len(labels(page)) == len(expected)
    assert page.text_content("#legend").startswith("How likely players of 20 kyu")
    assert page.text_content("#people-rank-name") == "20 kyu"
    assert page.evaluate("document.getElementById('people-rank').getAttribute('aria-valuetext')") == "20 kyu"


def test_the_browser_remembers_the_rank(page):
    page.evaluate("document.getElementById('menu').showPopover()")
    page.evaluate("document.querySelector('#overlays [value=people]').click()")
    page.wait_for_function("document.getElementById('people-rank').checkVisibility()")
    page.focus("#people-rank")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.getElementById('people-rank-name').textContent === '19 kyu'")
    page.wait_for_function("localStorage.getItem('mugo-people-rank') === '19k'")
    with page.add_init_script("sessionStorage.clear()"):             # as in a new tab
        page.reload()
    page.wait_for_function("document.querySelector('#overlays .people')?.hidden === false")
    page.evaluate("document.querySelector('#overlays [value=people]').click()")
    page.wait_for_function("document.getElementById('people-rank-name').textContent === '19 kyu'")
