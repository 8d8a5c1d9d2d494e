"""Numbers that a user or another program writes."""

import pytest

from mugo.core.options import Parser
from mugo.core.files import BadInput
from mugo.core.limits import parse_integer, parse_json, parse_number

# Full-width and Arabic digits, underscores, spaces, and what is no number but to Python.
NO_NUMBERS = ("７", "٣", "1_000", " 7", "7 ", "7\n", "inf", "-Infinity", "nan", "1e400", "0x10", "1e", ".", "+", "",
              "٧.5")


@pytest.mark.parametrize("text", [*NO_NUMBERS, "7.0", "1e3", "9" * 5000])
def test_an_integer_is_in_ascii_digits(text):
    with pytest.raises(ValueError):
        parse_integer(text)
    assert [parse_integer(good) for good in ("7", "-1", "+20", "007")] == [7, -1, 20, 7]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_a_number_is_finite_and_in_ascii_digits(text):
    with pytest.raises(ValueError):
        parse_number(text)
    assert [parse_number(good) for good in ("7.5", "-.5", "+3", "2.", "1e6", "1E-3")] == [7.5, -0.5, 3, 2, 1e6, 1e-3]


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_json_has_no_nan_and_no_infinity(text):
    with pytest.raises(ValueError, match="is not a JSON number"):
        parse_json(text)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_options_of_the_command_line_are_numbers_in_ascii_digits(text):
    parser = Parser()
    parser.add_argument_group("numbers").add_argument("--komi", type=float)
    parser.add_argument("--games", type=int)
    for option, kind in ("komi", "float"), ("games", "int"):
        with pytest.raises(BadInput, match=f"argument --{option}: invalid {kind} value: "):
            parser.parse_args([f"--{option}={text}"])
