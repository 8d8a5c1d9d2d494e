"""Ranges of the numbers of a command line."""
import math
from types import SimpleNamespace

import pytest

from mugo.files import BadInput
from mugo.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, POSITIVE, check_limits


@pytest.mark.parametrize("value, limits, error", [
    (0, POSITIVE, "must be above 0"), (-1, NON_NEGATIVE, "must be at least 0"), (0.5, AT_LEAST_1, "must be at least 1"),
    (1.5, FRACTION, "must be at most 1"), (math.inf, AT_LEAST_1, "must be finite"),
    (math.nan, POSITIVE, "must be above 0"),
])
def test_a_number_out_of_range_is_an_error_that_names_the_option(value, limits, error):
    with pytest.raises(BadInput, match=f"--batch-size {value:g}: {error}"):
        check_limits(SimpleNamespace(batch_size=value), {"batch_size": limits})


@pytest.mark.parametrize("value, limits", [(None, POSITIVE), (1e-300, POSITIVE), (0, NON_NEGATIVE), (1, FRACTION)])
def test_a_number_in_range_and_a_missing_one_pass(value, limits):
    check_limits(SimpleNamespace(x=value), {"x": limits})


@pytest.mark.parametrize("value", [10 ** 300, -10 ** 300])
def test_a_number_of_300_digits_is_cut_off_in_the_line(value):
    with pytest.raises(BadInput) as error:
        check_limits(SimpleNamespace(games=value), {"games": (1, 1000)})
    assert "..." in str(error.value) and len(str(error.value)) < 100
