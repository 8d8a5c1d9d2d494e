"""KataGo's names of search parameters (cpuctExploration is --c), for GTP, analysis queries, and -override-config.

https://github.com/lightvector/KataGo/blob/master/cpp/configs/gtp_example.cfg
"""
from dataclasses import dataclass, fields

from mugo.core.options import options_of
from mugo.players.options import PLAYERS_DEFAULTS
from mugo.search.settings import PUCT_C, Settings

NO_VISIT_LIMIT, NO_TIME_LIMIT = 2 ** 50, 1e20            # KataGo's values of maxVisits and maxTime


@dataclass(frozen=True)
class KatagoParameter:
    """A parameter of KataGo's that means the same here.

    option: its name here, without the dashes of the command line.  kind: of its values: float, int or bool.
    default: the value where the option is not set; None: it depends on other options, or on the front end.
    of_puct: whether only the search of mcts has it.  no_limit: from this value on there is no limit.
    """
    option: str
    default: float | None = None
    kind: type = float
    of_puct: bool = False
    no_limit: float | None = None

    @property
    def field(self) -> str:
        """The field of Settings that it sets; "" if it is no setting of the search."""
        name = self.option.replace("-", "_")
        return name if name in {field.name for field in fields(Settings)} else ""


def katago_parameters(kind: type) -> dict[str, KatagoParameter]:
    """Those that are fields of a dataclass of options, by the names in their metadata."""
    return {each.katago: KatagoParameter(
        each.name, PUCT_C if name == "c" else None if name in PLAYERS_DEFAULTS else each.default, each.kind,
        of_puct=name == "c" or each.player == "mcts")
            for name, each in options_of(kind).items() if each.katago}


KATAGO_PARAMETERS = dict(sorted((katago_parameters(Settings) | {
    "maxPlayouts": KatagoParameter("simulations", NO_VISIT_LIMIT, int, no_limit=NO_VISIT_LIMIT),
    "maxTime": KatagoParameter("seconds", no_limit=NO_TIME_LIMIT),
    "maxVisits": KatagoParameter("simulations", NO_VISIT_LIMIT, int, no_limit=NO_VISIT_LIMIT),
}).items()))
