"""KataGo's parameters: their names, and the settings that they are here, for GTP and the analysis protocol.

    {"maxVisits": "50", "wideRootNoise": 0.1}  --read_overrides-->
        Overrides(max_visits=50, settings={"dirichlet_weight": 0.1})

Which option has which name of KataGo's stands at the option: option(..., katago="cpuctExploration").  `wideRootNoise`
is the weight of Dirichlet noise at the root: KataGo's noise is another, for the same purpose.

https://github.com/lightvector/KataGo/blob/master/cpp/configs/gtp_example.cfg
"""
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mugo.core.files import BadInput
from mugo.core.limits import parse_integer, parse_number
from mugo.core.options import Option, options_of
from mugo.games.board import BLACK, WHITE
from mugo.games.position import BasePosition
from mugo.mcts.settings import Settings
from mugo.nn.inputs import People
from mugo.players.options import people_of_profile
from mugo.players.registry import SEARCHERS

NO_VISIT_LIMIT = 2 ** 50                 # KataGo's default of maxVisits
MAX_PV_LENGTH = 1000
MAX_NUMBER = 1e300
PERSPECTIVES = {"BLACK": BLACK, "WHITE": WHITE, "SIDETOMOVE": None}
# Parameters of KataGo's without an option here: from and to which value, flags being 0 and 1, they say what is done
# here in any case.  Clients such as LizzieYzy send the first two to every engine; the others are for play like people
# (cpp/configs/gtp_human5k_example.cfg).
DONE_ANYWAY = {
    "analysisWideRootNoise": (0, 0), "playoutDoublingAdvantage": (0, 0),
    "humanSLChosenMoveIgnorePass": (1, 1),               # passing.py decides
    "humanSLChosenMovePiklLambda": (1e8, 1e9),           # no effect in KataGo either
    **{f"humanSL{player}ExploreProb{weight}": (0, 0)
       for player in ("Root", "Pla", "Opp") for weight in ("Weightless", "Weightful")},
    "ignorePreRootHistory": (0, 0),                      # networks see the last eight moves
    "rootNumSymmetriesToSample": (1, 8),                 # equivariant networks say the same in all
}


def is_done_anyway(name: str, value: object) -> bool:
    """Whether the value of one of DONE_ANYWAY is what is done here."""
    least, most = DONE_ANYWAY[name]
    return isinstance(value, int | float) and least <= value <= most


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


def read_overrides(values: Fields, base: Overrides, player: str) -> tuple[Overrides, list[str]]:
    """The overrides of KataGo's names and values, on top of others, and the names that have no effect.

    values: None counts as absent; numbers and flags may be texts.  player: whose settings are overridden, where it
    searches.  Raises InvalidQuery, whose field is the name.
    """
    ignored = []
    fields = {each.katago: (name, each) for name, each in options_of(Settings, player).items() if each.katago} \
        if player in SEARCHERS else {}
    values = {name: unquoted(value) for name, value in values.items() if value is not None}
    for name, value in values.items():
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
        elif name == "wideRootNoise" and player == "mcts":
            base = replace(base, settings={**base.settings, "dirichlet_weight": min(read(values, name, float), 1.0)})
        elif name in fields:
            own, option = fields[name]
            if problem := option.problem(value):
                raise InvalidQuery(problem, name)
            base = replace(base, settings={**base.settings, own: value})
        elif name not in DONE_ANYWAY or not is_done_anyway(name, value):
            ignored.append(name)
    return base, ignored


def _people(value: object, name: str) -> People | None:
    try:
        return people_of_profile(str(value))
    except BadInput as error:
        raise InvalidQuery(f"is invalid: {error}", name) from None


def unquoted(value: object) -> object:
    """The number or flag in a text, as KataGo's configuration has them; any other value unchanged."""
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
