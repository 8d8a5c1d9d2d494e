"""Fixtures of the tests of matches."""
import pytest
from fakes import FAKE_ENGINE

from mugo.games.board import BLACK, WHITE
from mugo.games.go import GoPosition
from mugo.match import referee
from mugo.match.gtp_client import GtpClient, participant_of
from mugo.match.referee import MatchRules, play_game


@pytest.fixture
def play(monkeypatch):
    """A function that plays one game of two fake engines, given the arguments of each."""
    clients = []

    def game(black="", white="", opening=None, score=1.0, **rules):
        by_colour = {colour: GtpClient(participant_of(f"{FAKE_ENGINE} {arguments}"))
                     for colour, arguments in ((BLACK, black), (WHITE, white))}
        clients.extend(by_colour.values())
        opening = opening or GoPosition(3, 0.5)
        monkeypatch.setattr(referee, "final_score", lambda position: score)
        return play_game(by_colour, opening, MatchRules(**rules))

    yield game
    for client in clients:
        client.close(force=True)
