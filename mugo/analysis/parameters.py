"""KataGo's parameters: their names, and the settings that they are here, for GTP and the analysis protocol.

    {"maxVisits": "50", "cpuctExploration": 1.2}  --unquoted, read_overrides-->
        Overrides(max_visits=50, settings={"c": 1.2})

Which option has which name of KataGo's stands at the option: option(..., katago="cpuctExploration").  `wideRootNoise`
is the weight of Dirichlet noise at the root: KataGo's noise is another, for the same purpose.

https://github.com/lightvector/KataGo/blob/master/cpp/configs/gtp_example.cfg
"""
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mugo.core.files import BadInput
from mugo.core.limits import parse_integer, parse_number
from mugo.core.options import Option, options_of
from mugo.games.board import BLACK, WHITE
from mugo.games.position import BasePosition
from mugo.mcts.settings import Settings
from mugo.nn.inputs import People
from mugo.players.options import PLAYERS_DEFAULTS, people_of_profile

NO_VISIT_LIMIT, NO_TIME_LIMIT = 2 ** 50, 1e20            # KataGo's values of maxVisits and maxTime
MAX_PV_LENGTH = 1000
MAX_NUMBER = 1e300
PERSPECTIVES = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": None}
# Parameters of KataGo's without an option here: from and to which value, flags being 0 and 1, they say what is done
# here in any case.  Clients such as LizzieYzy send those of searches to every engine; the others are for play like
# people (cpp/configs/gtp_human5k_example.cfg).
FIXED_OF_SEARCHES = {"analysisWideRootNoise": (0, 0), "playoutDoublingAdvantage": (0, 0)}
FIXED_PARAMETERS = FIXED_OF_SEARCHES | {
    "humanSLChosenMoveIgnorePass": (1, 1),               # passing.py decides
    "humanSLChosenMovePiklLambda": (1e8, 1e9),           # no effect in KataGo either
    "humanSLRootExploreProbWeightless": (0, 0), "humanSLRootExploreProbWeightful": (0, 0),
    "humanSLPlaExploreProbWeightless": (0, 0), "humanSLPlaExploreProbWeightful": (0, 0),
    "humanSLOppExploreProbWeightless": (0, 0), "humanSLOppExploreProbWeightful": (0, 0),
    "ignorePreRootHistory": (0, 0),                      # networks see the last eight moves
    "rootNumSymmetriesToSample": (1, 8),                 # equivariant networks say the same in all
}


# ---- KataGo's names

@dataclass(frozen=True)
class KatagoParameter:
    """A parameter of KataGo's that means the same here.

    option: its name here, without the dashes of the command line.  kind: its values' type, float, int, bool or str.
    default: the value where the option is not set; None: it depends on other options, or on the front end.
    of_puct: whether only a search with a network has it.  no_limit: from this value on there is no limit.
    """
    option: str
    default: float | None = None
    kind: type = float
    of_puct: bool = False
    no_limit: float | None = None

    @property
    def field(self) -> str:
        """The field of Settings that it sets; "" if it is not a setting of the search."""
        name = self.option.replace("-", "_")
        return name if name in {field.name for field in fields(Settings)} else ""


def katago_parameters(kind: type) -> dict[str, KatagoParameter]:
    """The parameters that are fields of a dataclass of options, by KataGo's names."""
    return {each.katago: KatagoParameter(
        each.name, None if name in PLAYERS_DEFAULTS else each.default, each.kind,
        of_puct=name == "c" or each.player == "mcts")
            for name, each in options_of(kind).items() if each.katago}


KATAGO_PARAMETERS = katago_parameters(Settings) | {
    "maxPlayouts": KatagoParameter("simulations", NO_VISIT_LIMIT, int, no_limit=NO_VISIT_LIMIT),
    "maxTime": KatagoParameter("seconds", no_limit=NO_TIME_LIMIT),
    "maxVisits": KatagoParameter("visits", NO_VISIT_LIMIT, int, no_limit=NO_VISIT_LIMIT),
}


def katago_models(network, position: BasePosition, max_batch: int = 1) -> list[dict]:
    """The network for a board as kata-get-models and query_models describe it; [] for no network.

    network: an open one, or None.  Raises BadInput for a board that it does not play.
    """
    if network is None:
        return []
    name = network.for_position(position).name
    return [{"name": name, "internalName": name, "maxBatchSize": max_batch,
             "usesHumanSLProfile": network.takes_people, "version": 1, "usingFP16": "false"}]


# ---- values of JSON fields

Fields = dict[str, Any]


class InvalidQuery(Exception):
    """A query that cannot be answered.  field: the name of the invalid field."""

    def __init__(self, text: str, field: str):
        super().__init__(text)
        self.field = field


def read(values: Fields, name: str, kind: type, least: float = 0, most: float = MAX_NUMBER) -> Any:
    """A number or flag of this kind (int, float, bool) in a range; None where it is absent.  Raises InvalidQuery."""
    value = values.get(name)
    if problem := Option(name, kind, is_optional=True, least=least, most=most).problem(value):
        raise InvalidQuery(problem, name)
    return float(value) if kind is float and value is not None else value


# ---- settings

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
            base = replace(base, pv_length=read(values, name, int, 1, MAX_PV_LENGTH))
        elif name in ("maxVisits", "maxPlayouts"):
            base = replace(base, max_visits=read(values, name, int, 1, NO_VISIT_LIMIT))
        elif name == "maxTime":
            base = replace(base, max_time=read(values, name, float))
        elif name == "humanSLProfile":
            base = replace(base, people=_people(value, name))
        elif name in FIXED_PARAMETERS and _is_fixed(name, value):
            pass                                         # says what is done in any case
        elif name in of_search:
            base = replace(base, settings={**base.settings, **_setting(values, name)})
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


def _setting(values: Fields, name: str) -> dict[str, Any]:
    """The field of Settings and its value.  Raises InvalidQuery."""
    if name == "wideRootNoise":
        return {"dirichlet_weight": min(read(values, name, float), 1.0)}
    parameter = KATAGO_PARAMETERS[name]
    if problem := options_of(Settings)[parameter.field].problem(values[name]):
        raise InvalidQuery(problem, name)
    return {parameter.field: values[name]}


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
