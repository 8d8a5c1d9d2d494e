"""The languages of the page: what the server says has words there, and a page in German has no English."""
import pytest

from mugo.games import go
from mugo.games.go import Position
from mugo.web.opponents import OPPONENTS, STRENGTHS, list_opponents
from page_modules import call, needs_node


@needs_node
def test_the_page_describes_every_opponent():
    descriptions = [call("descriptionText", opponent) for opponent in list_opponents(Position(9), True, True)]
    assert len(set(descriptions)) == len(OPPONENTS)
    assert not any(word in " ".join(descriptions) for word in ("simulation", "network", "mcts"))      # words of players
    listed = {each["key"]: each for each in list_opponents(Position(19), True, True)}
    assert call("technicalText", listed["mcts-800"]) == "mcts-800: network and search, 800 simulations per move"
    assert call("technicalText", listed["uct-5s"]) == "uct-5s: search only, 5 seconds per move"
    assert call("technicalText", listed["policy"]) == "policy: network only, the most likely move"
    assert call("groupText", listed["random"], True).endswith("(best on small boards)")
    assert call("strengthText", listed["random"]) is None
    for strength in STRENGTHS.values():
        assert call("strengthText", {"strength": strength}) == strength


@needs_node
@pytest.mark.parametrize("reason", [*go._REASONS.values(), "repeats a position (superko)",
                                    "comes after the end of the game"])
def test_the_page_has_words_for_every_reason_why_a_move_is_illegal(reason):
    call("setLanguage", "de")
    assert call("reasonText", reason) != reason
    call("setLanguage", "en")
    assert call("reasonText", reason) == reason
