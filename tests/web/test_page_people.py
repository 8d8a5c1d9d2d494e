"""What players of a rank would play, shown on the board where the network takes who plays."""
import pytest
from fakes import TiltedNetwork

from mugo.games.go import Position
from mugo.nn.people import People


@pytest.fixture(scope="module")
def network():
    return TiltedNetwork(0.3)


def labels(page):
    """The percentages on the board, the largest first."""
    return page.run("[...document.querySelectorAll('#board .overlay text')].map((each) => Number(each.textContent))"
                    ".sort((a, b) => b - a)")


def test_the_moves_of_players_of_a_rank_are_shown_and_change_with_it(page, network):
    page.until("!document.querySelector('#overlays .people').hidden")
    assert page.run("document.getElementById('people-field').hidden")
    page.run("document.querySelector('#overlays [value=people]').click()")
    page.until("!document.getElementById('people-field').hidden")
    ranks = page.run("[...document.getElementById('people-rank').options].map((each) => each.text)")
    assert ranks[0] == "professional rank" and "8 dan" in ranks and ranks[-1] == "20 kyu"
    for rank in "8d", "20k":
        page.run("(() => { const list = document.getElementById('people-rank');"
                 f"list.value = '{rank}'; list.onchange({{ target: list }}); }})()")
        priors = network.evaluate([Position(9)], people=People(rank)).priors[0][:-1]
        expected = sorted((round(100 * float(prior)) for prior in priors if prior >= 0.01), reverse=True)
        page.until(f"document.querySelector('#board .overlay text')"
                   f" && Math.max(...[...document.querySelectorAll('#board .overlay text')].map(e => +e.textContent))"
                   f" == {expected[0]}")
        assert len(labels(page)) == len(expected)
    assert page.run("document.getElementById('legend').textContent").startswith("How likely players of 20 kyu")


def test_the_rank_of_stored_games_is_estimated_and_never_of_a_few(page):
    call = ("import('/static/actions/rank.js').then(({{ estimateRank }}) => {{"
            "const stored = JSON.parse(JSON.stringify(mugo.state.game));"
            "estimateRank(Array.from({{ length: {} }}, () => ({{ stored, colour: 'B' }})),"
            "(text) => {{ window.shown = text; }}); }})")
    page.run(call.format(4))
    page.until("window.shown?.startsWith('An estimate needs 5 games on a board of this size, and there are 4')")
    page.run(call.format(5))                             # without a move
    page.until("window.shown?.includes('at least 5 games of the player, not 0')")
