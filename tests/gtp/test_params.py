"""mugo-param and kata-set-param: options of the command line changed over GTP."""
import argparse

import pytest

from mugo.gtp.engine import GtpEngine
from mugo.core.options import add_options
from mugo.gtp.params import GtpOptions, Parameters
from mugo.players import options as player_options


def new_engine(*words):
    parser = argparse.ArgumentParser()
    player_options.add_arguments(parser)
    add_options(parser, GtpOptions)
    arguments = parser.parse_args(words)
    return GtpEngine(player_options.player_from_arguments(arguments), size=5, parameters=Parameters(arguments))


def ask(engine, line):
    reply = engine.answer(line)
    assert reply.endswith("\n\n")
    return reply[:-2]


def test_an_option_is_shown_changed_and_reset():
    engine = new_engine("uct", "--simulations", "30", "--seed", "1")
    assert ask(engine, "mugo-param simulations") == "= 30"
    assert ask(engine, "mugo-param simulations 50") == "= "
    ask(engine, "genmove b")
    assert 1 < engine.player.search_result.simulations <= 50
    assert ask(engine, "mugo-param simulations default") == "= "
    assert ask(engine, "mugo-param simulations") == "= default"
    assert engine.player._play_options.simulations is None


@pytest.mark.parametrize("name, value, expected", [
    ("c", "1.5", {"c": 1.5}), ("rave-bias", "0.25", {"rave_bias": 0.25}),
    ("rollout", "uniform", {"rollout": "uniform"}), ("early-stop", "0", {"early_stop": False}),
    ("reuse-tree", "false", {"reuse_tree": False}), ("fpu", "-1", {"fpu": -1}),
    ("expand-after", "3", {"expand_after": 3}), ("threads", "2", {"threads": 2}),
])
def test_an_option_reaches_the_search(name, value, expected):
    engine = new_engine("uct", "--max-edges", "5000")
    assert ask(engine, f"mugo-param {name} {value}") == "= "
    settings = engine.player.search.settings
    assert {key: getattr(settings, key) for key in expected} == expected
    assert settings.max_edges == 5000                          # other options stay


def test_an_invalid_value_changes_nothing():
    engine = new_engine("uct", "--simulations", "30", "--max-edges", "5000")
    player = engine.player
    for name, value in {"simulations": "１０", "c": "inf", "seconds": "many", "max-edges": "0", "resign": "2",
                        "rollout": "random", "early-stop": "perhaps", "lag": "-1"}.items():
        assert ask(engine, f"mugo-param {name} {value}").startswith(f"? {name}: ")
    for line in "mugo-param player mcts", "mugo-param help 1":
        assert ask(engine, line) == "? unknown parameter"
    assert engine.player is player and ask(engine, "mugo-param simulations") == "= 30"


def test_every_option_is_listed_with_a_value_that_can_be_set():
    engine = new_engine("uct", "--max-edges", "5000")
    lines = ask(engine, "mugo-param").removeprefix("= ").splitlines()
    listed = dict(line.removeprefix("[bool] ").split(" ") for line in lines)
    assert {"simulations", "seconds", "c", "rollout", "rave", "threads", "resign", "temperature", "lag",
            "ponder"} <= set(listed) and "lambda" not in listed
    assert "[bool] early-stop 1" in lines and "[bool] ponder 0" in lines
    for name, value in listed.items():
        assert ask(engine, f"mugo-param {name} {value}") == "= ", name


def test_the_network_stays_open_unless_its_options_change():
    engine = new_engine("randompolicy", "--temperature", "0.5")
    network = engine.player.network
    ask(engine, "mugo-param temperature 0")
    assert engine.player.network is network and engine.player.name == "policy"
    ask(engine, "mugo-param threads 2")
    assert engine.player.network is not network
    assert ask(engine, "mugo-param network nobody").startswith("? network: ")


def test_a_network_of_another_game_is_refused_when_it_is_named():
    engine = new_engine("policy")
    assert ask(engine, "mugo-param network gomoku-6-4").endswith("plays Gomoku, 4 in a row, not Go")
    assert ask(engine, "mugo-param network") == "= default" and ask(engine, "genmove b").startswith("= ")


def test_max_visits_counts_those_of_the_reused_tree():
    engine = new_engine("uct", "--seed", "1", "--no-early-stop")
    ask(engine, "kata-set-param maxVisits 300")
    for colour in "bwb":
        ask(engine, f"genmove {colour}")
        assert engine.player.search_result.visits == 300
    assert engine.player.search_result.simulations < 300
    kept = engine.player.search.search(engine.position, visits=10)               # fewer than are there
    assert kept.simulations == 1 and kept.visits > 10


@pytest.mark.parametrize("name, other", [("lag", "3"), ("ponder", "1"), ("cleanup", "1")])
def test_a_parameter_of_the_engine_is_reset_by_default(name, other):
    engine = new_engine("uct", "--max-edges", "5000")
    before = ask(engine, f"mugo-param {name}")
    assert ask(engine, f"mugo-param {name} {other}") == "= " and ask(engine, f"mugo-param {name}") == f"= {other}"
    assert ask(engine, f"mugo-param {name} default") == "= " and ask(engine, f"mugo-param {name}") == before


def test_katagos_parameters_are_the_options_that_mean_the_same():
    engine = new_engine("mcts", "--max-edges", "5000", "--rollout", "none", "--simulations", "9")
    for name, option, value in (("maxVisits", "visits", "50"), ("maxTime", "seconds", "1.5"),
                                ("maxPlayouts", "simulations", "20"), ("numSearchThreads", "threads", "2"),
                                ("cpuctExploration", "c", "1.25"),
                                ("rootPolicyTemperature", "root-policy-temperature", "1.5"),
                                ("lagBuffer", "lag", "0.5"), ("ponderingEnabled", "ponder", "1")):
        assert ask(engine, f"kata-set-param {name} {value}") == "= "
        assert ask(engine, f"kata-get-param {name}") == ask(engine, f"mugo-param {option}") == f"= {value}"
    settings = engine.player.search.settings
    assert (settings.c, settings.root_policy_temperature, settings.threads) == (1.25, 1.5, 2)
    assert ask(engine, "mugo-param visits default") == ask(engine, "kata-get-param maxVisits") == "= "
    for line in "kata-get-param allowResignation", "kata-set-param analysisPVLen 5":
        assert ask(engine, line) == "? unknown parameter"
    assert ask(engine, "kata-set-param maxVisits many").startswith("? maxVisits: ")
    assert ask(new_engine("uct"), "kata-set-param rootPolicyTemperature 1.5") == "? unknown parameter"
