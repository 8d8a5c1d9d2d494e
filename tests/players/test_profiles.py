"""KataGo's names of profiles say who plays."""
import pytest

from mugo.core.files import BadInput
from mugo.nn.inputs import People
from mugo.players.options import people_of_profile


@pytest.mark.parametrize(("profile", "people"), [
    ("rank_5k", People("5k", "5k", "kgs", 2020)), ("preaz_20k", People("20k", "20k", "kgs", 2016)),
    ("rank_9d", People("9d", "9d", "kgs", 2020)), ("preaz_3k_2d", People("3k", "2d", "kgs", 2016)),
    ("proyear_1800", People("pro", "pro", None, 1800)), ("proyear_2023", People("pro", "pro", None, 2023)),
    ("", None), ("_", None), ('""', None)])
def test_katagos_profiles_say_who_plays(profile, people):
    assert people_of_profile(profile) == people


@pytest.mark.parametrize("profile", ["rank_21k", "rank_10d", "rank_0k", "rank_5p", "preaz_5k_10d", "proyear_1799",
                                     "proyear_2024", "proyear_85", "rank_", "rank_5k ", "5k", "rank_5k_3d_1d", "none"])
def test_a_profile_that_katago_has_not_is_rejected(profile):
    with pytest.raises(BadInput, match="unknown humanSLProfile .*must be such as rank_5k"):
        people_of_profile(profile)
