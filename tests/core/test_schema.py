"""Schemas: what fits, and the line for what does not."""
import json
from dataclasses import asdict, dataclass

import pytest

from mugo.core.files import BadInput
from mugo.core.schema import ANYTHING, BOOLEAN, TEXT, Object, check_value, integer, number, object_of, optional


@dataclass(frozen=True)
class Inner:
    rate: float = 0.5


@dataclass(frozen=True)
class Options:
    steps: int
    inner: Inner = Inner()
    name: str = ""
    is_new: bool = False
    limit: int | None = None


SCHEMA = Object({"options": object_of(Options), "rows": [Object({"step": integer(0)}, others=number())],
                 "best": optional(Object({"a": TEXT}))}, {"seed": integer(0, 9), "flag": optional(BOOLEAN)})
GOOD = {"options": asdict(Options(3)), "rows": [{"step": 0, "loss": 0.5}, {"step": 1}], "best": None}


def test_what_fits_is_accepted():
    for value in (GOOD, GOOD | {"best": {"a": ""}, "seed": 9, "flag": None}, GOOD | {"options": {"steps": 1}}):
        check_value(value, SCHEMA, "file")
        check_value(json.loads(json.dumps(value)), SCHEMA, "file")
    check_value({}, Object({"a": TEXT}, may_be_empty=True), "file")
    check_value([{"a": [None]}], ANYTHING, "file")


@pytest.mark.parametrize("change, line", [
    ([], r"file: it is \[\], expected an object with options, rows, best$"),
    ({"rows": [{"step": 1}, {"step": -1}]}, r"file: rows\[1\].step is -1, expected an integer of at least 0$"),
    ({"rows": [{"step": 1, "loss": "x"}]}, r'file: rows\[0\].loss is "x", expected a number$'),
    ({"rows": [{"step": 1, "loss": float("nan")}]}, "expected a number$"),
    ({"rows": [{"step": 10 ** 5000}]}, r"rows\[0\].step is a int, expected an integer of at least 0"),
    ({"best": 3}, "best is 3, expected an object with a"),
    ({"seed": 10}, "seed is 10, expected an integer of at least 0 and at most 9"),
    ({"flag": 1}, "flag is 1, expected true or false, or null"),
    ({"other": 1}, "file: it has a field 'other', expected an object with options"),
    ({"options": {}}, "file: options has no 'steps', expected an object with steps"),
    ({"options": {"steps": 1, "new": 1}}, "options has a field 'new', expected an object with steps"),
    ({"options": {"steps": 1, "limit": "x"}}, 'options.limit is "x", expected an integer, or null'),
    ({"options": {"steps": "x" * 1000}}, 'options.steps is "x{59}, expected an integer$'),
])
def test_the_first_value_that_does_not_fit_is_named(change, line):
    with pytest.raises(BadInput, match=line):
        check_value(change if change == [] else GOOD | change, SCHEMA, "file")
