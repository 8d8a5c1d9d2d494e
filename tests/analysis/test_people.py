"""Queries that say who plays (humanSLProfile): KataGo's names, and what KaTrain and LizzieYzy Next ask for.

katrain/people.jsonl is what KaTrain 1.20.0 wrote when its opponents ai:human and ai:pro played.
LizzieYzy Next's query is from its source (HumanSlAnalysisRunner.java): it takes the first line with an id for the
answer, and begins with a trial.
"""

import re

import numpy as np
import pytest
from analysis.queries import FakeNetwork, query, run, run_one
from analysis.test_katrain import recording
from fakes import TiltedNetwork

from mugo.analysis.parameters import Overrides
from mugo.core.files import BadInput
from mugo.games.go import GoPosition
from mugo.nn.bundled import BundledNetworks
from mugo.nn.inputs import People
from mugo.players.searcher import PlayOptions
from mugo.mcts.settings import Settings
from mugo.players.options import people_of_profile

NETWORK = TiltedNetwork()
SEARCH = Settings(seed=1, rollout="none", max_edges=20_000)


def ask(*queries, network=NETWORK, settings=SEARCH, **options):
    return run(*queries, network=network, settings=settings, **options)


def lizzie(name, visits):
    return {"id": name, "maxVisits": visits, "includePVVisits": False, "includeOwnership": False,
            "includeMovesOwnership": False, "includePolicy": True, "initialStones": [], "rules": "chinese", "komi": 7.5,
            "boardXSize": 9, "boardYSize": 9, "moves": [["B", "E5"]], "overrideSettings": {
                "reportAnalysisWinratesAs": "SIDETOMOVE", "humanSLProfile": "rank_3d", "ignorePreRootHistory": False,
                "humanSLRootExploreProbWeightless": 0.5, "rootNumSymmetriesToSample": 1}}


@pytest.mark.parametrize("visits", [1, 12])
@pytest.mark.parametrize("profile", ["rank_9d", "preaz_15k", "rank_9d_15k", "proyear_1985"])
def test_an_answer_has_what_the_network_says_of_these_people(profile, visits):
    """With and without a search, by the network itself; the search is that of nobody in particular."""
    moves, start = [["B", "B2"]], GoPosition(5, komi=0)
    plain, human = ask(*(query(name, moves, maxVisits=visits, includePolicy=True, overrideSettings=overrides)
                         for name, overrides in (("a", {}), ("b", {"humanSLProfile": profile}))))
    people = people_of_profile(profile).of_other_side()          # White is to move
    position = start.play(int(start.sensible_points()[16]))
    expected = NETWORK.evaluate([position], people=people)
    legal = [index for index, prior in enumerate(human["humanPolicy"]) if prior >= 0]
    priors = expected.priors[0][legal] / expected.priors[0][legal].sum()
    assert len(human["humanPolicy"]) == 26 and human["humanPolicy"][16] == -1 and len(legal) == 25
    assert np.allclose([human["humanPolicy"][index] for index in legal], priors, atol=1e-7)
    assert human["rootInfo"].pop("humanWinrate") == pytest.approx(                       # as Black sees it
        1 - (1 + expected.values[0]) / 2, abs=1e-6)
    assert human["rootInfo"].pop("humanScoreMean") == -expected.score_mean[0]
    assert human["rootInfo"].pop("humanScoreStdev") == 4
    for info in human["moveInfos"]:
        column, row = "ABCDE".index(info["move"][0]), 5 - int(info["move"][1])
        assert info.pop("humanPrior") == pytest.approx(human["humanPolicy"][5 * row + column], abs=1e-6)
    human.pop("humanPolicy")
    assert human == plain | {"id": "b"}
    assert not [name for name in (*plain, *plain["rootInfo"], *plain["moveInfos"][0]) if name.startswith("human")]


@pytest.mark.parametrize("network", [None, FakeNetwork()])
def test_a_network_that_takes_no_people_gives_an_error(network):
    line = run_one(query(overrideSettings={"humanSLProfile": "rank_5k"}), network=network)
    assert line == {"id": "a", "field": "overrideSettings", "error": "humanSLProfile: no network takes who plays: name "
                    "one that was trained with --metadata-encoder as -human-model"}
    assert "moveInfos" in run(query(overrideSettings={"humanSLProfile": ""}, maxVisits=2), network=network)[-1]
    with pytest.raises(BadInput, match="humanSLProfile: no network takes who plays"):
        run(network=network, overrides=Overrides(people=People("5k", "5k")))


def test_a_profile_that_does_not_exist_gives_an_error():
    (line,) = ask(query(overrideSettings={"humanSLProfile": "rank_12d"}))
    assert line["field"] == "overrideSettings" and line["error"].startswith(
        "humanSLProfile is invalid: unknown humanSLProfile 'rank_12d': must be such as")


def test_a_human_network_answers_for_people_next_to_another_one():
    plain = FakeNetwork()
    models, *_, answer = ask({"id": "m", "action": "query_models"}, query(
        maxVisits=1, includePolicy=True, overrideSettings={"humanSLProfile": "rank_9d"}),
        network=plain, human_network=NETWORK)
    assert [(model["name"], model["usesHumanSLProfile"]) for model in models["models"]] == [
        ("fake", False), ("tilted", True)]
    expected = NETWORK.evaluate([GoPosition(5, komi=0)], people=people_of_profile("rank_9d")).priors[0]
    assert np.allclose(answer["humanPolicy"], expected, atol=1e-7)
    assert np.allclose(answer["policy"], plain.evaluate([GoPosition(5)]).priors[0], atol=1e-7)


def test_of_the_bundled_networks_one_searches_and_another_speaks_for_people():
    (models,) = ask({"id": "m", "action": "query_models"}, network=BundledNetworks(threads=1))
    assert [re.sub(r"-v\d+$", "", model["name"]) for model in models["models"]] == ["search-19", "policy-19"]


def test_katrains_opponents_that_play_like_people_are_answered():
    """Each policy is that of the profile for the colour to move, and no line of a query comes before its answer."""
    queries = recording("people.jsonl")
    lines = ask(*queries, play_options=PlayOptions(9))
    warnings = [line for line in lines if "warning" in line]
    assert not warnings and not [line for line in lines if "error" in line]
    answers = {line["id"]: line for line in lines if line["isDuringSearch"] is False}
    profiles = {query["id"]: query["overrideSettings"].get("humanSLProfile") for query in queries}
    assert sorted(answers) == sorted(profiles) and [*profiles.values()][1::2] == [
        "preaz_8k", "rank_3d", "proyear_1914"] * 2
    for each in queries:
        answer, profile = answers[each["id"]], profiles[each["id"]]
        assert ("humanPolicy" in answer) == (profile is not None)
        if profile:
            policy = np.array(answer["humanPolicy"])
            assert len(policy) == 82 and policy[policy >= 0].sum() == pytest.approx(1)
            expected = NETWORK.outputs([len(each["moves"])], 81, people_of_profile(profile).numbers()).priors[0]
            expected[policy < 0] = 0
            assert np.allclose(policy[policy >= 0], (expected / expected.sum())[policy >= 0], atol=1e-6)


def test_lizzies_queries_are_answered_first_after_its_trial():
    lines = ask(lizzie("humansl-ready-1", 1), lizzie("humansl-genmove-2", 64), lizzie("humansl-review-3", 64))
    warnings = [line for line in lines if "warning" in line]
    assert [line["id"] for line in warnings] == ["humansl-ready-1"]
    assert warnings[0]["warning"].endswith("no such settings: humanSLRootExploreProbWeightless")
    for name in "humansl-genmove-2", "humansl-review-3":
        first = next(line for line in lines if line["id"] == name)
        assert len(first["humanPolicy"]) == 82 and first["moveInfos"][0]["order"] == 0
        assert first["rootInfo"]["visits"] == 64
