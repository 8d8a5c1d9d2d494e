"""Options that are given as values: those of TOML files (--config FILE, a user's own), and the keywords of the library.

    split_config(["gtp", "--config", "my.toml", "uct"])     (["gtp", "uct"], [Path("my.toml")])
    read_config(Path("my.toml"))                            {"simulations": 400, "player": "uct"}
    own_config("gtp")                                       the same of the table [gtp] of the user's own file
    set_values(parser, values, "my.toml")                   what the parser takes where a command line has nothing else

A name is the name of an option or of a positional argument, with dashes or underscores.  A value has the type that the
option has: true or false, a number, a text, or a list where the option takes several.
"""
import argparse
import difflib
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from mugo.core.files import BadInput
from mugo.core.options import FLAGS, Option, format_option, shown_value

CONFIG = "--config"
QUERIES = ("where", "sample_weight")
_NOT_VALUES = ("help", "version", "config")
_APPEND = type(argparse.ArgumentParser().add_argument("--each", action="append"))     # argparse does not name the class
_OPTIONAL_NARGS: dict[Any, str] = {None: "?", "+": "*"}  # of a positional argument that a value stands for


class UnknownOption(BadInput):
    """A name that is none of the options."""


def split_config(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """(the words without `--config FILE`, the files).  Raises BadInput."""
    rest: list[str] = []
    files: list[Path] = []
    parts = iter(words)
    for word in parts:
        name, equals, value = word.partition("=")
        if name != CONFIG:
            rest.append(word)
        elif file := value if equals else next(parts, ""):
            files.append(Path(file))
        else:
            raise BadInput(f"{CONFIG} needs a file")
    return rest, files


def read_config(path: Path) -> dict[str, Any]:
    """The options of a TOML file; its tables are headings.  Raises BadInput."""
    values: dict[str, Any] = {}
    for name, value in _read_toml(path, f"{CONFIG} {path}").items():
        values |= value if isinstance(value, dict) else {name: value}
    return values


def own_config_file() -> Path:
    """The user's own file of options: ~/.config/mugo/config.toml on Linux."""
    return platformdirs.user_config_path("mugo", appauthor=False) / "config.toml"


def own_config(command: str) -> dict[str, Any]:
    """The options of a command in that file, which has a table for each; none without the file.  Raises BadInput."""
    path = own_config_file()
    if not path.exists():
        return {}
    tables = _read_toml(path, str(path))
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise BadInput(f"{path}: {name[:40]} stands outside a table; options stand in the table of their command, "
                           f"say [{command}]")
    return tables.get(command, {})


def _read_toml(path: Path, source: str) -> dict[str, Any]:
    """Raises BadInput, which begins with the source."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{source}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:        # of TOML, of UTF-8, a number of 5,000 digits
        raise BadInput(f"{source} is not a TOML file: {error}") from None


def without_queries(values: Mapping[str, Any], words: Sequence[str], source: str) -> dict[str, Any]:
    """The options of a file without the queries that the command line also gives.  Raises as check_typed does."""
    queries = {name: value for name, value in values.items() if value and name.replace("-", "_") in QUERIES}
    check_typed(source, {name.replace("-", "_"): value for name, value in queries.items()},
                [word.partition("=")[0].lstrip("-").replace("-", "_") for word in words])
    return {name: value for name, value in values.items() if name not in queries}


def check_typed(source: object, stored: Mapping[str, Any], typed: Collection[str]) -> None:
    """Raise BadInput for a query that a file has and that was not typed: it could run any code (data/games_table.py).

    source: the file, for the message.  stored, typed: options by the names of their fields.
    """
    for name in QUERIES:
        if stored.get(name) and name not in typed:
            raise BadInput(f"{source} has a query, which is not taken from a file; if you trust it, give it: "
                           f"{format_option(name, stored[name])}")


def value_of(words: Sequence[str], name: str) -> Any:
    """The last value that a command line or its files give an option; None without one.  Raises BadInput."""
    rest, files = split_config(words)
    found = None
    for path in files:
        found = {_dashed(key): value for key, value in read_config(path).items()}.get(name, found)
    for word, following in zip(rest, [*rest[1:], None], strict=True):
        key, equals, value = word.partition("=")
        if key == f"--{name}" and (equals or following is not None):
            found = value if equals else following
    return found


def set_values(parser: argparse.ArgumentParser, values: Mapping[str, Any], source: str = "") -> None:
    """Have the parser take these values where its command line has no others.

    source: what errors begin with, for example the file.  Raises UnknownOption for a name that the parser does not
    have, and BadInput for a value that the option cannot have.
    """
    where = source and f"{source}: "
    actions = {name: action for action in parser._actions if action.dest not in _NOT_VALUES for name in _names(action)}
    for given, value in values.items():
        name = _dashed(given)
        if name not in actions:
            raise UnknownOption(f"{where}there is no option {given[:40]!r}{suggestion(name, actions)}")
        action = actions[name]
        try:
            action.default = _converted(parser, action, value)
        except ValueError as error:
            raise BadInput(f"{where}{given}: {error}") from None
        if (option := _option_of(action)) and (problem := option.problem(action.default)):
            raise BadInput(f"{where}{given} {shown_value(value):.40}: {problem}")
        action.required = False
        if not action.option_strings:
            action.nargs = _OPTIONAL_NARGS.get(action.nargs, action.nargs)


def suggestion(name: str, known: Iterable[str]) -> str:
    """What is added to an error about a name that is not known: '; did you mean sample?', or nothing."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {close[0]}?" if close else ""


def _dashed(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _names(action: argparse.Action) -> list[str]:
    """The names of an option without dashes, not those that switch it off; of a positional argument its own."""
    words = [word for word in action.option_strings
             if not (isinstance(action, argparse.BooleanOptionalAction) and word.startswith("--no-"))]
    return [word.lstrip("-") for word in words] or [_dashed(action.dest)]


def _converted(parser: argparse.ArgumentParser, action: argparse.Action, value: Any) -> Any:
    """A value as the parser would have it from words.  Raises ValueError, with what was expected."""
    if action.nargs == 0:                                # on or off
        value = FLAGS.get(value.lower()) if isinstance(value, str) else value
        if not isinstance(value, bool):
            raise ValueError("must be true or false")
        return value
    items = list(value) if isinstance(value, list | tuple) else [value]
    for item in items:
        if isinstance(item, bool | list | tuple | dict):
            raise ValueError("must be a text or a number" + ", or a list of these" * (len(items) > 1))
    if isinstance(action.nargs, int) and len(items) != action.nargs:
        raise ValueError(f"must be a list of {action.nargs} values")
    if action.nargs is not None and action.nargs != "?" or isinstance(action, _APPEND):
        return [_parsed(action, item) for item in items]
    if len(items) != 1 and not ((option := _option_of(action)) and option.is_list):
        raise ValueError("must be one value, not a list")
    return _parsed(action, ",".join(map(shown_value, items)))


def _option_of(action: argparse.Action) -> Option | None:
    """The option of a dataclass that an action is of, if it takes a number or a text: see options.add_options."""
    owner = getattr(action.type, "__self__", None)       # of Option.parse_argument
    return owner if isinstance(owner, Option) else None


def _parsed(action: argparse.Action, item: Any) -> Any:
    """A text or number as the action's type.  Raises ValueError."""
    text = shown_value(item)
    try:
        found = action.type(text) if callable(action.type) else text
    except argparse.ArgumentTypeError as error:
        raise ValueError(str(error)) from None
    except (TypeError, ValueError):
        raise ValueError(f"invalid {getattr(action.type, '__name__', 'type')} value: {text!r}") from None
    if action.choices is not None and found not in action.choices:
        raise ValueError(f"invalid choice: {found!r} (choose from {', '.join(map(repr, action.choices))})")
    return found
