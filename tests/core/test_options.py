"""Options as fields of dataclasses: command lines, configuration files, tables."""
import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.core.options import (
    REQUIRED, add_options, check, check_kept, check_limits, defaults_in_words, format_names, format_option, given,
    may_change, option, options_of)


@dataclass(frozen=True)
class Tea:
    minutes: float = option(3.0, "time in the water", above=0, most=10, common=True)
    kind_: str = option("green", "the leaves", choices=("green", "black"))
    cups: int | None = option(None, "how many", least=1, shown_default="one for each guest", katago="numCups")
    milk: bool = option(False, "with milk", common=True)
    sugar: int = option(0, "grains of it", most=1 << 20)
    share: float = option(0.5, "of the water", below=1)

    def __post_init__(self):
        check(self)


@dataclass(frozen=True)
class Shop:
    guests: int = option(REQUIRED, "how many come", least=1, may_change=True)
    sizes: tuple[int, ...] = option((2, 4), "of the pots", least=1, metavar="LITRES", common=True)
    kinds: tuple[str, ...] = option(("green",), "on the shelf", choices=("green", "black"))
    note: str = option("", "on the door")

    def __post_init__(self):
        check(self)


def parser(kind=Tea, **options) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    add_options(made, kind, **options)
    return made


@pytest.mark.parametrize("changes, message", [
    ({"minutes": 0.0}, "--minutes 0: must be above 0"), ({"minutes": 11.0}, "--minutes 11: must be at most 10"),
    ({"minutes": float("nan")}, "--minutes nan: must be above 0"),
    ({"kind_": "red"}, "--kind red: must be one of green, black"),
    ({"cups": 0}, "--cups 0: must be at least 1"), ({"cups": 1.5}, "--cups 1.5: must be a whole number"),
    ({"cups": True}, "--cups True: must be a whole number"), ({"minutes": "long"}, "--minutes long: must be a number"),
    ({"minutes": None}, "--minutes None: must be given"), ({"milk": 1}, "--milk 1: must be true or false"),
    ({"minutes": float("inf")}, "--minutes inf: must be finite"),
    ({"sugar": 1048577}, "--sugar 1048577: must be at most 1048576"),
    ({"share": 1.0}, "--share 1: must be below 1")])
def test_a_value_out_of_range_is_named(changes, message):
    with pytest.raises(BadInput) as error:
        Tea(**changes)
    assert str(error.value) == message


@pytest.mark.parametrize("changes", [{"cups": 10 ** 40}, {"cups": None}, {"minutes": 4}, {"share": 0.999}])
def test_a_value_in_range_is_accepted(changes):
    assert Tea(**changes)


def test_a_command_line_gives_what_it_names_and_no_defaults():
    assert given(Tea, parser().parse_args([])) == {}
    assert given(Tea, parser().parse_args(["--minutes", "4", "--kind=black", "--milk"])) == {
        "minutes": 4.0, "kind_": "black", "milk": True}
    with pytest.raises(SystemExit):
        parser(without=["cups"]).parse_args(["--cups", "2"])


def test_help_shows_common_options_with_their_defaults():
    text = " ".join(parser().format_help().split())
    assert "time in the water (default: 3)" in text and "with milk (default: off)" in text
    assert "leaves" not in text and "--cups" not in text
    assert "(default: strong)" in parser(defaults={"minutes": "strong"}).format_help()


def test_an_option_has_its_field_as_name_without_the_last_underscore():
    assert [each.name for each in options_of(Tea).values()] == ["minutes", "kind", "cups", "milk", "sugar", "share"]
    assert options_of(Tea)["cups"].katago == "numCups" and options_of(Tea)["cups"].kind is int


def test_a_list_has_commas_and_its_items_are_checked():
    assert given(Shop, parser(Shop).parse_args(["--sizes", "1,22", "--kinds", "black", "--guests", "2e3"])) == {
        "sizes": (1, 22), "kinds": ("black",), "guests": 2000}
    assert "--sizes LITRES,..." in parser(Shop).format_help() and "(default: 2,4)" in parser(Shop).format_help()
    for changes, message in (({"sizes": (1, 0)}, "--sizes 1,0: must be at least 1"), ({"sizes": ()}, "must be a list"),
                             ({"kinds": ("red",)}, "--kinds red: must be one of"), ({"sizes": 3}, "must be a list")):
        with pytest.raises(BadInput, match=message):
            Shop(1, **changes)
    for words in (["--sizes", "1,x"], ["--sizes", "1,,2"], ["--guests", "2.5"], ["--guests", "1e400"]):
        with pytest.raises(SystemExit):
            parser(Shop).parse_args(words)


def test_a_field_without_a_default_must_be_given():
    with pytest.raises(TypeError, match="guests"):
        Shop()
    assert given(Shop, parser(Shop).parse_args([])) == {} and may_change(Shop) == ("guests",)
    assert defaults_in_words(Shop(3, note="open")) == {"guests": "3", "sizes": "2,4", "kinds": "green", "note": "open"}


def test_help_search_names_every_option_and_katagos_name(capsys):
    assert cli.main(["help", "search"]) == 0
    text = capsys.readouterr().out
    assert "--cpuct-exploration-log [cpuctExplorationLog]" in text and "--lambda\n" in text and "--resign\n" in text
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize("value, limits, error", [
    (-1, (0, math.inf), "must be at least 0"), (1.5, (0, 1), "must be at most 1"),
    (math.inf, (1, math.inf), "must be finite"), (math.nan, (1, math.inf), "must be at least 1"),
    (10 ** 300, (1, 1000), "must be at most 1000")])
def test_a_number_of_a_command_line_that_is_out_of_range_is_named(value, limits, error):
    with pytest.raises(BadInput, match=f"^--batch-size {str(value)[:30]}(\\.{{3}})?: {error}$"):
        check_limits(SimpleNamespace(batch_size=value), {"batch_size": limits})
    check_limits(SimpleNamespace(a=None, b=1), {"a": limits, "b": limits})


# ---- --resume

def test_every_option_of_a_resumed_run_that_differs_is_named_with_both_values():
    kept = {"batch_size": 128, "residual": False, "where": "", "positions": 1000}
    check_kept(Path("run"), kept, {"batch_size": 128, "residual": False, "where": "", "positions": 2000},
               ("positions",))
    with pytest.raises(BadInput) as raised:
        check_kept(Path("run"), kept, {"batch_size": 64, "residual": True, "positions": 1, "where": "a == 1"},
                   ("positions", "decay_start", "learning_rate"))
    assert str(raised.value) == (
        'run was started with --batch-size 128, not --batch-size 64; --no-residual, not --residual; --where "", not '
        '--where "a == 1": a resumed run keeps its options, all but --positions, --decay-start and --learning-rate')
    assert format_option("filters", (32, 64)) == "--filters 32,64" and format_option("komi", None) == "no --komi"
    assert format_names(("games",)) == "--games" and format_names(("games", "threads")) == "--games and --threads"
