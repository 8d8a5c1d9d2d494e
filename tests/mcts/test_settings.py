"""The options of a search: their ranges, and their values for a network and a board."""
import math
from dataclasses import fields

import numpy as np
import pytest
from fakes import LevelNetwork

from mugo.core.files import BadInput
from mugo.core.options import options_of
from mugo.games.go import GoPosition
from mugo.mcts import records
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings, set_params


@pytest.mark.parametrize("name, value, message", [
    ("rollout", "best", "--rollout best: must be one of uniform, mogo, none"),
    ("c", -1.0, "--c -1: must be at least 0"), ("c", 1e39, "--c 1e+39: must be at most 1e+09"),
    ("lambda_", 1.5, "--lambda 1.5: must be at most 1"), ("threads", 0, "--threads 0: must be at least 1"),
    ("root_fpu_reduction_max", math.nan, "--root-fpu-reduction-max nan: must be at least 0"),
    ("cpuct_exploration_log", math.inf, "--cpuct-exploration-log inf: must be finite"),
    ("cpuct_exploration_base", 0.0, "--cpuct-exploration-base 0: must be above 0"),
    ("fpu", -math.inf, "--fpu -inf: must be at least -1"), ("max_edges", 10, "--max-edges 10: must be at least 1000"),
    ("dirichlet_alpha", 0.0, "--dirichlet-alpha 0: must be above 0")])
def test_a_setting_out_of_range_is_named_with_what_is_expected(name, value, message):
    with pytest.raises(BadInput) as error:
        Settings(**{name: value})
    assert str(error.value) == message


def test_every_setting_is_an_option_with_a_default_in_its_range():
    assert set(options_of(Settings)) == {field.name for field in fields(Settings)}
    for each in options_of(Settings).values():
        each.check(each.default)
        assert each.help and (each.default is not None or each.shown_default or each.name == "seed")


def test_defaults_that_depend_on_the_network():
    plain = Settings(lambda_=0.5, fpu_reduction_max=0.4)
    by_network, without = plain.resolved(LevelNetwork()), plain.resolved(None)
    assert (by_network.lambda_, by_network.c, by_network.root_fpu_reduction_max) == (0.5, 2.0, 0.2)
    assert (by_network.expand_after, without.expand_after, without.lambda_) == (0, 1, 1)
    uct = Settings(rave=True, heuristic_priors=True).resolved(None)
    assert (uct.c, uct.expand_after, without.c) == (0, 4, 0.4)


def test_a_simulation_of_uct_adds_one_node_also_where_nodes_are_expanded_at_once():
    searches = [Search(Settings(seed=1, rollout="mogo", expand_after=n)) for n in (0, 1)]
    results = [search.search(GoPosition(9), simulations=200) for search in searches]
    assert results[0].nodes == results[1].nodes <= 201 and results[0].depth == results[1].depth < 5


def test_score_utility_is_by_default_for_boards_up_to_9x9():
    unset = Settings(dynamic_score_utility_factor=None)
    assert [unset.score_utility_factor(area) for area in (25, 81, 99, 361)] == [0.3, 0.3, 0, 0]
    assert Settings(dynamic_score_utility_factor=0.2).score_utility_factor(361) == 0.2
    assert Settings().score_utility_factor(81) == 0


@pytest.mark.parametrize("has_network, fpu, expected", [
    (False, None, math.inf), (True, None, math.nan), (True, 0.5, 0.5)])
def test_without_a_first_play_urgency_each_formula_has_its_own(has_network, fpu, expected):
    params = np.zeros(1, records.TREE)[0]["params"]
    set_params(params, Settings(fpu=fpu).resolved(LevelNetwork() if has_network else None), has_network)
    assert params["fpu"] == pytest.approx(expected, nan_ok=True)
