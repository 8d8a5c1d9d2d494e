"""Settings by KataGo's names: `overrideSettings` of a query, and -override-config of the command line.

    {"maxVisits": "50", "cpuctExploration": 1.2}  --unquoted, read_overrides-->
        Overrides(max_visits=50, settings={"c": 1.2})

The names are those of players/katago_parameters.py, and what shapes responses.  `wideRootNoise` is the weight of
Dirichlet noise at the root: KataGo's noise is another, for the same purpose.
"""
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mugo.core.files import BadInput
from mugo.analysis.fields import Fields, InvalidQuery, read_flag, read_integer, read_number
from mugo.games.board import BLACK, WHITE
from mugo.core.limits import parse_integer, parse_number
from mugo.core.options import options_of
from mugo.nn.people import People, people_of_profile
from mugo.players.katago_parameters import FIXED_PARAMETERS, KATAGO_PARAMETERS
from mugo.mcts.settings import Settings

MAX_VISITS = 2 ** 50
MAX_PV_LENGTH = 1000
PERSPECTIVES = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": None}


@dataclass(frozen=True)
class Overrides:
    """What overrides the options of the command line.

    max_visits, max_time (seconds): limits of a search; None: those of the command line.
    pv_length: the most moves of a principal variation after its first.
    perspective: the colour whose win rates, scores and ownership are reported; None the side to move.
    people: who plays for the human values of responses, when Black is to move; None: responses have none.
    settings: values of fields of mcts.settings.Settings.
    """
    max_visits: int | None = None
    max_time: float | None = None
    pv_length: int = MAX_PV_LENGTH
    perspective: int | None = BLACK
    people: People | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def search_parameters(has_search: bool = True, has_network: bool = True) -> frozenset[str]:
    """KataGo's names of the settings of a search that a player supports."""
    names = {name for name, parameter in KATAGO_PARAMETERS.items()
             if parameter.field and (has_network or not parameter.of_puct)}
    return frozenset(names | ({"wideRootNoise"} if has_network else set())) if has_search else frozenset()


def read_overrides(values: Fields, base: Overrides, of_search: Collection[str]) -> tuple[Overrides, list[str]]:
    """The overrides of KataGo's names and values, on top of others, and the names that have no effect.

    values: None counts as absent.  of_search: see search_parameters.
    Raises InvalidQuery, whose field is the name.
    """
    ignored = []
    for name, value in values.items():
        if value is None:
            continue
        if name == "reportAnalysisWinratesAs":
            perspective = str(value).upper().replace("_", "")
            if perspective not in PERSPECTIVES:
                raise InvalidQuery(f"must be one of {', '.join(PERSPECTIVES)}", name)
            base = replace(base, perspective=PERSPECTIVES[perspective])
        elif name == "analysisPVLen":
            base = replace(base, pv_length=read_integer({name: value}, name, 1, MAX_PV_LENGTH))
        elif name in ("maxVisits", "maxPlayouts"):
            base = replace(base, max_visits=read_integer({name: value}, name, 1, MAX_VISITS))
        elif name == "maxTime":
            base = replace(base, max_time=read_number({name: value}, name, 0))
        elif name == "humanSLProfile":
            base = replace(base, people=_people(value, name))
        elif name in FIXED_PARAMETERS and _is_fixed(name, value):
            pass                                         # says what is done in any case
        elif name in of_search:
            base = replace(base, settings={**base.settings, **_setting(name, value)})
        else:
            ignored.append(name)
    return base, ignored


def _people(value: object, name: str) -> People | None:
    try:
        return people_of_profile(str(value))
    except BadInput as error:
        raise InvalidQuery(f"is invalid: {error}", name) from None


def _is_fixed(name: str, value: object) -> bool:
    least, most = FIXED_PARAMETERS[name]
    return isinstance(value, int | float) and least <= value <= most


def _setting(name: str, value: object) -> dict[str, Any]:
    """The field of Settings and its value.  Raises InvalidQuery."""
    values = {name: value}
    if name == "wideRootNoise":
        return {"dirichlet_weight": min(read_number(values, name, 0) or 0.0, 1.0)}
    parameter = KATAGO_PARAMETERS[name]
    if parameter.kind is bool:
        return {parameter.field: read_flag(values, name)}
    number = read_integer(values, name, 0, 1 << 31) if parameter.kind is int else read_number(values, name, 0)
    if problem := options_of(Settings)[parameter.field].problem(number):
        raise InvalidQuery(problem, name)
    return {parameter.field: number}


def unquoted(values: Fields) -> Fields:
    """The values with numbers and flags in the place of texts, as KataGo's configuration has them."""
    return {name: _unquoted(value) for name, value in values.items()}


def _unquoted(value: object) -> object:
    """The number or flag in a text; any other value unchanged."""
    if not isinstance(value, str):
        return value
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for parse in parse_integer, parse_number:
        try:
            return parse(value)
        except ValueError:
            pass
    return value
