"""--resume: what may not differ from a run's options, and how that is said."""
from pathlib import Path

import pytest

from mugo.core.files import BadInput
from mugo.core.resume import check_kept, format_names, format_option

KEPT = {"batch_size": 128, "residual": False, "where": "", "positions": 1000, "komi": None}


def test_equal_options_and_those_that_may_change_are_accepted():
    check_kept(Path("run"), KEPT, {}, ())
    check_kept(Path("run"), KEPT, {"batch_size": 128, "residual": False, "where": "", "positions": 2000},
               ("positions",))


def test_every_option_that_differs_is_named_with_both_values():
    with pytest.raises(BadInput) as raised:
        check_kept(Path("run"), KEPT, {"batch_size": 64, "residual": True, "positions": 1, "where": "a == 1"},
                   ("positions", "decay_start", "learning_rate"))
    assert str(raised.value) == (
        'run was started with --batch-size 128, not --batch-size 64; --no-residual, not --residual; --where "", not '
        '--where "a == 1": a resumed run keeps its options, all but --positions, --decay-start and --learning-rate')


def test_options_as_they_are_typed():
    assert format_option("filters", (32, 64)) == "--filters 32,64"
    assert format_option("komi", None) == "no --komi"
    assert format_names(("games",)) == "--games"
    assert format_names(("games", "threads")) == "--games and --threads"
