"""An option in one place: a field of a frozen dataclass, with its help, its range and its other names.

    @dataclass(frozen=True)
    class Settings:
        c: float | None = option(None, "exploration constant", least=0, most=1e9, katago="cpuctExploration")

        def __post_init__(self):
            check(self)                    raises BadInput for a value out of range

    add_options(parser, Settings)          --c C on a command line; those that are not common are not in its --help
    given(Settings, args)                  {"c": 1.5}: the options that a command line gives
    check_kept(run, kept, given, ...)      BadInput if a resumed run is given others than those that it keeps
    to_toml(Settings(c=1.5))               a file for --config

An option is named after its field, lambda_ without the underscore, with dashes.
"""
import argparse
import dataclasses
import json
import math
import typing
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from mugo.core.files import BadInput
from mugo.core.limits import PROVIDERS, parse_integer, parse_number

REQUIRED = dataclasses.MISSING           # instead of a default
NETWORK_HELP = "a network's file, the folder of a training run, or the name of a bundled network"
FLAGS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


def shown_value(value: Any) -> str:
    """A value as errors and help texts have it: 0.5, 1000000, 1e+09 only if that is exact; 32,64."""
    if isinstance(value, tuple | list):
        return ",".join(map(shown_value, value))
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return short if not isinstance(value, float) or float(short) == value or value != value else repr(value)


@dataclass(frozen=True)
class Option:
    """An option, as the metadata of its field describe it.

    name: on the command line, without dashes.  kind: the type of its values, or of the items of a list.
    is_list: whether it is a tuple, 32,64,128 on a command line; limits and choices hold for each item.
    is_optional: whether it may be None.  default: None where it depends on other options; shown_default says it.
    help: a sentence without its full stop.  least, most: limits of a number, inclusive; above, below: exclusive.
    common: whether the --help of a command shows it.  katago: KataGo's name of the same parameter.
    metavar: what stands for the value in --help; "" for N, X or TEXT, by the kind.
    player: "uct" or "mcts", or a game, "Go" or "Gomoku", if only that one has it.
    may_change: whether a run that is resumed may have another value.
    """
    name: str
    kind: type
    is_list: bool = False
    is_optional: bool = False
    default: Any = None
    help: str = ""
    shown_default: str = ""
    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    choices: Collection[str] = ()
    common: bool = False
    katago: str = ""
    player: str = ""
    metavar: str = ""
    may_change: bool = False

    def parse(self, text: str) -> Any:
        """The value that a text means.  Raises BadInput, which says what was expected."""
        try:
            value = self._read(text)
        except ValueError as error:
            raise BadInput(str(error)) from None
        if problem := self.problem(value):
            raise BadInput(problem)
        return value

    def parse_argument(self, text: str) -> Any:
        """The value of a word of a command line; `check` looks at its range.  Raises ArgumentTypeError."""
        try:
            return self._read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid {self.kind.__name__} value: {text[:40]!r}") from None

    def _read(self, text: str) -> Any:
        """The value that a text means, in or out of range.  Raises ValueError."""
        values = [_PARSERS[self.kind](item) for item in (text.split(",") if self.is_list else [text])]
        return tuple(values) if self.is_list else values[0]

    def format(self, value: Any) -> str:
        """A value as a text that `parse` reads: 0.05, 1 for true."""
        return str(int(value)) if self.kind is bool else shown_value(value)

    def problem(self, value: Any) -> str:
        """What is wrong with a value, as "must be at least 1"; "" if the option may have it."""
        if value is None:
            return "" if self.is_optional else "must be given"
        if not self.is_list:
            return self._problem_of_item(value)
        if not value or not isinstance(value, tuple | list):
            return "must be a list"
        return next(filter(None, map(self._problem_of_item, value)), "")

    def _problem_of_item(self, value: Any) -> str:
        """`problem` of a value that is not None, or of an item of a list."""
        if self.choices:
            return "" if value in self.choices else f"must be one of {', '.join(self.choices)}"
        accepted = int | float if self.kind is float else self.kind
        if not isinstance(value, accepted) or isinstance(value, bool) and self.kind is not bool:
            return f"must be {_EXPECTED[self.kind]}"
        if self.kind in (bool, str) or self.least <= value <= self.most and self.above < value < self.below:
            return ""
        if value == math.inf:
            return "must be finite"
        if value >= self.below:
            return f"must be below {shown_value(self.below)}"
        if value > self.most:
            return f"must be at most {shown_value(self.most)}"
        if self.above > -math.inf:
            return f"must be above {shown_value(self.above)}"
        return f"must be at least {shown_value(self.least)}"

    def check(self, value: Any) -> None:
        """Raise BadInput unless the option may have this value."""
        if problem := self.problem(value):
            shown = shown_value(value)
            raise BadInput(f"--{self.name} {shown if len(shown) <= 30 else shown[:30] + '...'}: {problem}")

    @property
    def description(self) -> str:
        """The help, with the player or game that alone has the option."""
        return f"{self.help} ({self.player})" if self.player else self.help

    @property
    def described_default(self) -> str:
        """The default as help texts show it."""
        return self.shown_default or described(self.default)


def described(value: Any) -> str:
    """A value as help texts show it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value in (None, "") else shown_value(value)


def _parse_whole(text: str) -> int:
    """A whole number, which may be written as 2e6.  Raises ValueError."""
    try:
        return parse_integer(text)
    except ValueError:
        if not (number := parse_number(text)).is_integer():
            raise
        return int(number)


def _parse_flag(text: str) -> bool:
    """True or false.  Raises ValueError."""
    if text.lower() not in FLAGS:
        raise ValueError(f"{text[:40]!r} is neither true nor false")
    return FLAGS[text.lower()]


_PARSERS: dict[type, Any] = {int: _parse_whole, float: parse_number, str: str, bool: _parse_flag}
_EXPECTED = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def option(default: Any, help: str, **details: Any) -> Any:
    """The dataclass field of an option.  default: a value, or REQUIRED.  details: the other fields of Option."""
    shown = None if default is REQUIRED else default
    return dataclasses.field(default=default, metadata={"option": {"default": shown, "help": help, **details}})


def provider_option(**named: Any) -> Any:
    """The option --provider.  named: further arguments of `option`."""
    return option("cpu", "the execution provider of ONNX Runtime; all but cpu need another package of it",
                  choices=PROVIDERS, **named)


def options_of(kind: type, player: str | None = None) -> dict[str, Option]:
    """The options of a dataclass by the names of their fields; of a player, without those that only another has."""
    found = {}
    for field in dataclasses.fields(kind):
        if "option" in field.metadata:
            types: Any = typing.get_args(field.type) or (field.type,)
            kind_of_values = next(each for each in types if each is not type(None))
            found[field.name] = Option(field.name.rstrip("_").replace("_", "-"), kind_of_values,
                                       typing.get_origin(field.type) is tuple, type(None) in types,
                                       **field.metadata["option"])
    return {name: each for name, each in found.items() if player is None or each.player in ("", player)}


def check(options: Any) -> None:
    """Raise BadInput, which names the option and what was expected, for the first value that is out of range."""
    for name, each in options_of(type(options)).items():
        each.check(getattr(options, name))


def check_player(kind: type, names: Iterable[str], player: str) -> None:
    """Raise BadInput for the first of these fields of a dataclass that is an option which only another player has."""
    for name in names:
        each = options_of(kind)[name]
        if each.player not in ("", player):
            raise BadInput(f"--{each.name} is an option of {each.player}, and the player is {player}")


def check_limits(options: object, limits: Mapping[str, tuple[float, float]]) -> None:
    """Raise BadInput for the first attribute of an object that is not None and not within (least, most)."""
    for name, (least, most) in limits.items():
        each = Option(name.replace("_", "-"), float, is_optional=True, least=least, most=most)
        each.check(getattr(options, name))


def add_options(group: Any, kind: type, without: Collection[str] = (), defaults: Mapping[str, str] | None = None
                ) -> None:
    """Add the options of a dataclass to a parser of a command line, or to a group of one; None is not given.

    without: fields that the command does not follow.  defaults: in words, where a command's differ.
    """
    for name, each in options_of(kind).items():
        if name in without:
            continue
        text = f"{each.description} (default: {(defaults or {}).get(name, each.described_default)})"
        arguments: dict[str, Any] = {"dest": name, "default": None,
                                     "help": text.replace("%", "%%") if each.common else argparse.SUPPRESS}
        if each.kind is bool:                            # what is off in any case needs no option that says so
            is_off = each.default is False and name not in (defaults or {})
            arguments |= {"action": "store_const", "const": True} if is_off else {
                "action": argparse.BooleanOptionalAction}
        elif each.choices and not each.is_list:
            arguments["choices"] = each.choices
        else:
            metavar = each.metavar or {int: "N", float: "X"}.get(each.kind, "TEXT")
            arguments |= {"type": each.parse_argument, "metavar": metavar + ",..." * each.is_list}
        group.add_argument(f"--{each.name}", **arguments).description = each.description


def given(kind: type, args: argparse.Namespace) -> dict[str, Any]:
    """The options of a dataclass that a command line gives, by the names of their fields."""
    values = {name: getattr(args, name, None) for name in options_of(kind)}
    return {name: value for name, value in values.items() if value is not None}


def defaults_in_words(instance: Any) -> dict[str, str]:
    """The values of a dataclass's options, as add_options takes defaults; those that are None are left out."""
    return {name: described(value) for name in options_of(type(instance))
            if (value := getattr(instance, name)) is not None}


def may_change(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass's options that may differ when a run is resumed."""
    return tuple(name for name, each in options_of(kind).items() if each.may_change)


def to_toml(*instances: Any) -> str:
    """The options of dataclasses as a file for --config; those that are None are left out."""
    rows = [f"{each.name} = {json.dumps(value, ensure_ascii=False)}" for instance in instances
            for name, each in options_of(type(instance)).items() if (value := getattr(instance, name)) is not None]
    return "\n".join(rows) + "\n"


class Parser(argparse.ArgumentParser):
    """A parser that raises BadInput, and reads int and float by parse_integer and parse_number."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.register("type", int, parse_integer)
        self.register("type", float, parse_number)

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message} (see {self.prog} --help)")


def check_kept(run: Path, kept: dict[str, Any], given: dict[str, Any], may_change: tuple[str, ...]) -> None:
    """Raise BadInput, which names each difference, if a resumed run is given other options than it keeps.

    kept, given: values by the names of fields ("batch_size").  may_change: the options that need not be equal.
    """
    differences = [f"{format_option(name, kept.get(name))}, not {format_option(name, value)}"
                   for name, value in given.items() if name not in may_change and value != kept.get(name)]
    if differences:
        raise BadInput(f"{run} was started with {'; '.join(differences)}: a resumed run keeps its options, all but "
                       f"{format_names(may_change)}")


def format_option(name: str, value: Any) -> str:
    """An option as it is typed: '--batch-size 128', '--no-residual'."""
    option = name.replace("_", "-")
    if value is None:
        return f"no --{option}"
    if isinstance(value, bool):
        return f"--{option}" if value else f"--no-{option}"
    if isinstance(value, (tuple, list)):
        return f"--{option} {','.join(map(str, value))}"
    return f"--{option} " + (f'"{value}"' if value == "" or " " in str(value) else str(value))


def format_names(names: tuple[str, ...]) -> str:
    """Options in a sentence: '--games, --threads and --learning-rate'."""
    options = [f"--{name.replace('_', '-')}" for name in names]
    return " and ".join(filter(None, [", ".join(options[:-1]), options[-1]]))
