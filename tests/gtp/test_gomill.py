"""Gomill's claim of a win, and what describes the engine; the rest is in transcripts/gomill.txt and test_clients.py."""
import argparse

from mugo.games.gomoku import GomokuPosition
from mugo.gtp.engine import GtpEngine
from mugo.gtp.params import Parameters
from mugo.players import options as player_options
from mugo.players.registry import make_player
from mugo.players.searcher import PlayOptions


def test_a_proven_win_is_claimed_and_not_played_and_only_where_a_claim_is_allowed():
    for words, reply in (("claim", "= claim"), ("", "= C1"), ("other claim", "= claim")):
        engine = GtpEngine(make_player("uct", seed=1, play_options=PlayOptions(simulations=200), game="gomoku"),
                           start=GomokuPosition(5, 3, exactly=False))
        engine.answer("gogui-play_sequence b A1 w A5 b B1 w B5")
        assert engine.answer(f"gomill-genmove_ex b {words}") == f"{reply}\n\n"
        assert engine.position.plies == (4 if "claim" in reply else 5)


def test_a_win_that_is_not_proven_is_not_claimed():
    engine = GtpEngine(make_player("uct", seed=1, play_options=PlayOptions(simulations=30)), size=5)
    assert engine.answer("gomill-genmove_ex b claim") != "= claim\n\n" and engine.position.plies == 1


def test_a_proven_loss_is_not_claimed():
    """White threatens two points in a row of three."""
    engine = GtpEngine(make_player("uct", seed=1, play_options=PlayOptions(simulations=2000), game="gomoku"),
                       start=GomokuPosition(5, 3))
    engine.answer("gogui-play_sequence b A1 w B3 b E5 w C3")
    assert engine.answer("gomill-genmove_ex b claim") != "= claim\n\n" and engine.player.search_result.proven == -1


def test_the_description_has_the_version_and_every_option():
    parser = argparse.ArgumentParser()
    player_options.add_arguments(parser)
    arguments = parser.parse_args(["random", "--seed", "7"])
    engine = GtpEngine(player_options.player_from_arguments(arguments), parameters=Parameters(arguments))
    lines = engine.answer("gomill-describe_engine").splitlines()
    assert lines[0].startswith("= MuGo random 0") and "seed 7" in lines and "simulations default" in lines
