"""KataGo's names of parameters (cpuctExploration is --c), and its description of networks, for GTP and analysis.

https://github.com/lightvector/KataGo/blob/master/cpp/configs/gtp_example.cfg
"""
from dataclasses import dataclass, fields

from mugo.core.options import options_of
from mugo.games.position import BasePosition
from mugo.players.options import PLAYERS_DEFAULTS
from mugo.mcts.settings import Settings

NO_VISIT_LIMIT, NO_TIME_LIMIT = 2 ** 50, 1e20            # KataGo's values of maxVisits and maxTime
# Parameters of KataGo's that are no options here: from and to which value, flags being 0 and 1, they say what is done
# here in any case.  Those of searches, which clients as LizzieYzy send to every engine; and those of play like people
# (cpp/configs/gtp_human5k_example.cfg).
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


@dataclass(frozen=True)
class KatagoParameter:
    """A parameter of KataGo's that means the same here.

    option: its name here, without the dashes of the command line.  kind: of its values: float, int, bool or str.
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
        """The field of Settings that it sets; "" if it is not a setting of the search."""
        name = self.option.replace("-", "_")
        return name if name in {field.name for field in fields(Settings)} else ""


def katago_parameters(kind: type) -> dict[str, KatagoParameter]:
    """Those that are fields of a dataclass of options, by the names in their metadata."""
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
    """Networks as KataGo's kata-get-models and query_models describe them.  network: an open one, or None.  position:
    of the board that it is for.  Raises BadInput for a board that it does not play."""
    name = "" if network is None else network.for_position(position).name
    return [] if network is None else [
        {"name": name, "internalName": name, "maxBatchSize": max_batch,
         "usesHumanSLProfile": network.takes_people, "version": 1, "usingFP16": "false"}]
