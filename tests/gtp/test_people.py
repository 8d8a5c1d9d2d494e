"""Play as people of a rank: KataGo's parameters over GTP, as LizGoban and bots send them."""
import argparse
from collections import Counter

import numpy as np
import pytest
from fakes import TiltedNetwork
from gtp.test_params import ask
from networks import policy_file

from mugo.core.files import BadInput
from mugo.core.options import add_options
from mugo.games.go import GoPosition
from mugo.gtp.engine import GtpEngine
from mugo.gtp.params import GtpOptions, Parameters
from mugo.nn.inference import Network
from mugo.nn.inputs import People
from mugo.players import options as player_options
from mugo.players.registry import make_player
from mugo.players.searcher import PlayOptions
from mugo.mcts.settings import Settings
from mugo.players.options import people_of_profile

# What a bot sends that plays by KataGo's gtp_human5k_example.cfg.
RECIPE = """kata-set-param maxVisits 40
kata-set-param chosenMoveTemperature 0.70
kata-set-param humanSLProfile preaz_5k
kata-set-param humanSLChosenMoveProp 1.00
kata-set-param humanSLChosenMoveIgnorePass true
kata-set-param humanSLChosenMovePiklLambda 100000000
kata-set-param ignorePreRootHistory false
kata-set-param rootNumSymmetriesToSample 2"""


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return policy_file(tmp_path_factory.mktemp("people"), metadata_encoder=True, value_head=True, komi_input=True)


def new_engine(*words):
    parser = argparse.ArgumentParser()
    player_options.add_arguments(parser)
    add_options(parser, GtpOptions)
    arguments = parser.parse_args(list(map(str, words)))
    return GtpEngine(player_options.player_from_arguments(arguments), size=9, komi=7, parameters=Parameters(arguments))


@pytest.mark.parametrize("player", ["policy", "mcts"])
def test_the_profile_is_set_read_and_taken_back(network, player):
    engine = new_engine(player, "--network", network, "--simulations", 4)
    priors = lambda: engine.player.network.evaluate([engine.position]).priors      # noqa: E731
    unknown, opened = priors(), engine.player.network._session
    assert ask(engine, "kata-get-param humanSLProfile") == "= "
    for profile in "rank_3d", "preaz_5k", "proyear_1985", "rank_9d_15k":
        assert ask(engine, f"kata-set-param humanSLProfile {profile}") == "= "
        assert ask(engine, "kata-get-param humanSLProfile") == f"= {profile}"
        people = people_of_profile(profile)
        assert np.array_equal(priors(), engine.player.network.evaluate([engine.position], people=people).priors)
        assert not np.array_equal(priors(), unknown)
        assert ask(engine, "genmove b").startswith("= ") and ask(engine, "undo") == "= "
    engine.position = engine.position.with_turn(-1)
    assert np.array_equal(priors(), engine.player.network.evaluate([engine.position], people=People(
        "15k", "9d", "kgs", 2020)).priors)
    engine.position = engine.position.with_turn(1)
    assert ask(engine, "kata-set-param humanSLProfile rank_10d").startswith(
        "? humanSLProfile: unknown humanSLProfile 'rank_10d': must be such as rank_5k")
    assert ask(engine, "kata-get-param humanSLProfile") == "= rank_9d_15k"
    assert ask(engine, "kata-set-param humanSLProfile ") == "= "                 # LizGoban for nobody in particular
    assert ask(engine, "kata-get-param humanSLProfile") == "= " and np.array_equal(priors(), unknown)
    assert engine.player.network._session is opened                              # not opened again


@pytest.mark.parametrize("words", [["policy", "--rank", "3d"], ["policy", "--rank", "3d", "--style", "1985"]])
def test_the_profile_comes_before_a_rank_of_the_command_line(network, words):
    engine = new_engine(*words, "--network", network)
    ask(engine, "kata-set-param humanSLProfile rank_1k")
    assert engine.parameters.value("rank") == "3d"
    expected = engine.player.network.evaluate([engine.position], people=people_of_profile("rank_1k")).priors
    assert np.array_equal(engine.player.network.evaluate([engine.position]).priors, expected)


@pytest.mark.parametrize("player", ["policy", "mcts"])
def test_a_network_that_takes_no_people_says_so(tmp_path, player):
    engine = new_engine(player, "--network", policy_file(tmp_path, value_head=True), "--simulations", 4)
    reply = ask(engine, "kata-set-param humanSLProfile rank_5k")
    assert reply.startswith("? humanSLProfile: ") and reply.endswith(
        "does not take who plays: it was trained without --metadata-encoder")
    assert ask(engine, "kata-get-param humanSLProfile") == "? unknown parameter"
    assert ask(engine, "kata-set-param humanSLProfile ") == "= "
    assert ask(engine, "kata-raw-human-nn 0").startswith("? no network that takes who plays")
    assert '"usesHumanSLProfile":false' in ask(engine, "kata-get-models")
    assert ask(engine, "genmove b").startswith("= ")


def test_lizgoban_is_told_that_the_network_takes_people_and_gets_its_raw_output(network):
    engine = new_engine("mcts", "--network", network, "--simulations", 4)
    assert '"usesHumanSLProfile":true' in ask(engine, "kata-get-models")
    unknown = ask(engine, "kata-raw-nn 0")
    ask(engine, "kata-set-param humanSLProfile rank_5k")
    assert unknown != ask(engine, "kata-raw-human-nn 0") == ask(engine, "kata-raw-nn 0")


def test_katagos_recipe_for_play_like_people_is_accepted_and_played(network):
    engine = new_engine("mcts", "--network", network, "--seed", 1)
    for line in RECIPE.splitlines():
        assert ask(engine, line) == "= ", line
    assert ask(engine, "genmove b").startswith("= ")
    assert engine.player._play_options.human_move_prop == 1 and engine.player.temperature == 0.7
    assert ask(engine, "kata-set-param humanSLChosenMovePiklLambda 0.4").endswith("must be 1e+08 to 1e+09")
    assert ask(engine, "kata-set-param humanSLChosenMoveIgnorePass false").endswith("must be 1")


def test_moves_of_a_search_that_plays_as_people_do_have_the_probabilities_of_the_network():
    """400 first moves on a small board, against the priors of the people: each within four standard errors."""
    network, start = TiltedNetwork(0.5), GoPosition(3, komi=0)
    player = make_player("mcts", network=network, settings=Settings(seed=1, rollout="none", max_edges=5000),
                         play_options=PlayOptions(simulations=2, human_move_prop=1.0), people=People("3d", "3d"))
    played = Counter(player.select_move(start) for _ in range(400))
    points = start.sensible_points()
    priors = network.evaluate([start], people=People("3d")).priors[0][:-1]
    shares = np.array([played[int(point)] for point in points]) / 400
    expected = priors / priors.sum()
    assert (np.abs(shares - expected) < 4 * np.sqrt(expected * (1 - expected) / 400) + 1e-9).all()
    assert expected.max() > 3 / 9                            # not uniform, as the search's priors would be


def test_a_rank_that_the_network_has_not_learned_from_is_refused():
    """policy-19 has seen players of 3d and stronger."""
    network = Network("policy-19")
    with pytest.raises(BadInput, match="has learned from players of 3d and stronger, and does not know how 5k plays"):
        network.with_people(People("5k", "5k"))
    with pytest.raises(BadInput, match="does not know how 2d plays"):
        network.evaluate([GoPosition(19)], people=People("9d", "2d"))
    assert network.with_people(People("3d", "9p")).evaluate([GoPosition(19)]).priors.shape == (1, 362)
