"""KataGo's names of search parameters, for GTP, queries of the analysis protocol, and -override-config.

    cpuctExploration    --c
    maxVisits           --simulations

https://github.com/lightvector/KataGo/blob/master/cpp/configs/gtp_example.cfg
"""
from dataclasses import dataclass, fields

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


KATAGO_PARAMETERS = {
    "cpuctExploration": KatagoParameter("c", PUCT_C, of_puct=True),
    "cpuctExplorationBase": KatagoParameter("cpuct-exploration-base", Settings.cpuct_exploration_base, of_puct=True),
    "cpuctExplorationLog": KatagoParameter("cpuct-exploration-log", Settings.cpuct_exploration_log, of_puct=True),
    "fpuReductionMax": KatagoParameter("fpu-reduction-max", of_puct=True),
    "lagBuffer": KatagoParameter("lag"),
    "lcbStdevs": KatagoParameter("lcb-stdevs", Settings.lcb_stdevs),
    "maxPlayouts": KatagoParameter("simulations", NO_VISIT_LIMIT, int, no_limit=NO_VISIT_LIMIT),
    "maxTime": KatagoParameter("seconds", no_limit=NO_TIME_LIMIT),
    "maxVisits": KatagoParameter("simulations", NO_VISIT_LIMIT, int, no_limit=NO_VISIT_LIMIT),
    "minVisitPropForLCB": KatagoParameter("min-visit-prop-for-lcb", Settings.min_visit_prop_for_lcb),
    "numSearchThreads": KatagoParameter("threads", Settings.threads, int),
    "ponderingEnabled": KatagoParameter("ponder", kind=bool),
    "rootFpuReductionMax": KatagoParameter("root-fpu-reduction-max", of_puct=True),
    "rootPolicyTemperature": KatagoParameter("root-policy-temperature", Settings.root_policy_temperature, of_puct=True),
    "useGraphSearch": KatagoParameter("transpositions", Settings.transpositions, bool),
}
