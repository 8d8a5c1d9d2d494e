"""GoGui's pictures of a search and a policy; its other commands are in tests/gtp/transcripts/gogui.txt."""
import re

import numpy as np
import pytest
from drawing import SEKI, SETTLED, draw
from fakes import StoneCounter
from gtp.test_analyze import FirstPointNetwork

from mugo.games import scoring
from mugo.games.go import WHITE, GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.gtp import gogui
from mugo.gtp.engine import GtpEngine
from mugo.players.registry import make_player
from mugo.players.player import RandomPlayer
from mugo.players.policy import PolicyPlayer
from mugo.players.searcher import PlayOptions
from mugo.mcts.settings import Settings

VERTEX = r"[A-E][1-5]"


def search_player():
    return make_player("uct", seed=1, play_options=PlayOptions(simulations=100))


@pytest.fixture
def search_engine(monkeypatch):
    monkeypatch.setattr(gogui, "SEARCH_SECONDS", 0.1)
    player = search_player()
    player.warm_up(GoPosition(5))                          # loading compiled code takes longer than this search
    engine = GtpEngine(player, size=5)
    engine.answer("play b C3")
    return engine


def test_mugo_policy_is_a_heat_map_in_percent():
    engine = GtpEngine(PolicyPlayer(FirstPointNetwork()), size=5)
    lines = engine.answer("mugo-policy").removeprefix("= ").splitlines()[:-1]
    assert lines[0] == "COLOR #e03020 A5" and len(lines) == 25 + 2
    assert all(re.fullmatch(rf"COLOR #[0-9a-f]{{6}} {VERTEX}", line) for line in lines[:-2])
    assert lines[-2].startswith("LABEL A5 50 B5 2 ") and lines[-1] == "TEXT pass 2.0%"


def test_mugo_search_is_a_heat_map_and_the_principal_variation(search_engine):
    *colours, labels, line, text = search_engine.answer("mugo-search").removeprefix("= ").splitlines()[:-1]
    assert colours and all(re.fullmatch(rf"COLOR #[0-9a-f]{{6}} {VERTEX}", colour) for colour in colours)
    assert re.fullmatch(rf"LABEL( {VERTEX} \d+)+", labels)
    assert re.fullmatch(rf"VAR w ({VERTEX}|PASS)( b ({VERTEX}|PASS))?( [bw] ({VERTEX}|PASS))*", line)
    assert re.fullmatch(r"TEXT win rate \d+\.\d% for W, \d+ visits", text)


def test_a_player_without_a_network_or_a_search_is_a_failure(search_engine):
    assert search_engine.answer("mugo-policy") == "? no network\n\n"
    assert GtpEngine(PolicyPlayer(FirstPointNetwork())).answer("mugo-search") == "? no search\n\n"


def test_stones_that_are_set_up_keep_the_side_to_move(search_engine):
    for line in "clear_board", "gogui-setup_player white", "gogui-setup b C3 w D4":
        search_engine.answer(line)
    assert search_engine.position.to_play == WHITE


def test_every_analyze_command_that_is_listed_is_answered(monkeypatch):
    monkeypatch.setattr(gogui, "SEARCH_SECONDS", 0.1)
    players = ((PolicyPlayer(FirstPointNetwork()), {"mugo-policy"}), (search_player(), {"mugo-search"}),
               (RandomPlayer(1), set()))
    for player, own in players:
        engine = GtpEngine(player, size=5)
        lines = engine.answer("gogui-analyze_commands").removeprefix("= ").split("\n")[:-2]
        assert len(lines) == 8 + len(own)
        commands = [line.split("/")[-1] for line in lines]
        assert {"mugo-policy", "mugo-search"} & set(commands) == own
        for line in lines:
            kind, label, command = line.split("/")
            assert kind in ("gfx", "string", "dboard", "plist", "param") and label
            command = command.replace("%p", "C3").replace("%c", "black")      # GoGui asks for a point, a colour
            assert engine.answer(command).startswith("= "), line


def test_gogui_does_not_ask_for_the_board_of_a_game_whose_rules_it_knows():
    """It begins a new game where an engine that lists gogui-rules_board_size has another board than the open record."""
    for start, listed in (None, False), (GomokuPosition(8), True):
        engine = GtpEngine(RandomPlayer(1), start=start)
        names = engine.answer("list_commands").split()
        assert ("gogui-rules_board_size" in names, "gogui-rules_game_id" in names) == (listed, listed)


def test_the_parameters_of_gogui_begin_with_the_first_one():
    """What follows the first space of the reply is its first line, and each line is a field of the dialog."""
    lines = GtpEngine(RandomPlayer(1)).answer("mugo-param").removeprefix("= ").split("\n")
    assert lines[0] == "lag 0.2" and all(lines[:-2])


def test_final_status_list_finds_a_seki():
    engine = GtpEngine(PolicyPlayer(FirstPointNetwork()), size=7)
    engine.position, _ = draw(SEKI)
    lines = engine.answer("final_status_list seki").removeprefix("= ").splitlines()[:-1]
    assert sorted(len(line.split()) for line in lines) == [9, 10]
    assert engine.answer("final_status_list dead") == "= \n\n"
    assert engine.answer("final_score") == "= B+1\n\n"


def test_ownership_is_the_mean_of_the_networks_and_of_rollouts():
    for player, has_network in (PolicyPlayer(StoneCounter()), True), (RandomPlayer(), False):
        engine = GtpEngine(player)
        engine.position, _ = draw(SETTLED, to_play=WHITE)
        rows = [[float(number) for number in row.split()] for row in engine.answer("mugo-ownership").split("\n")[1:8]]
        by_rollouts = scoring.ownership(engine.position)
        assert not np.allclose(by_rollouts, engine.position.stones, atol=0.2)
        expected = (engine.position.stones + by_rollouts) / 2 if has_network else by_rollouts
        assert np.allclose(rows, expected, atol=0.006)


def test_the_picture_of_a_search_has_the_lead():
    engine = GtpEngine(make_player("mcts", network=StoneCounter(), settings=Settings(rollout="none", seed=1)))
    engine.position = GoPosition(5, 2.5, WHITE)
    assert re.search(r"TEXT win rate \d+\.\d%, lead \+\d\.\d for W, \d+ visits", engine.answer("mugo-search"))
