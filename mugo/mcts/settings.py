"""The options of a search: one frozen record, checked when it is made; and its values in a kernel's record.

    Settings  --resolved(network)-->  Settings without None  --set_params-->  records.PARAMS, fields by name
"""
import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from mugo.core.files import BadInput
from mugo.core.limits import SEED
from mugo.core.options import check, option

LCB_STDEVS = 5.0                         # KataGo's lcbStdevs
MIN_VISIT_PROP = 0.15                    # KataGo's minVisitPropForLCB
UCB_C, RAVE_C, PUCT_C = 0.4, 0.0, 2.0    # exploration constants; players.registry has mcts's own for Go
SCORE_UTILITY = 0.3                      # dynamic_score_utility_factor by default, on boards of at most
SCORE_UTILITY_AREA = 9 * 9               # points: there it won its match, and not on 19x19 (docs/lab/tuning.md)
ROOT_FPU_SHARE = 0.5                     # of fpu_reduction_max at the root, by default: KataGo's 0.1 of 0.2
MOST = 1e9                               # of the numbers in formulas, which are float32
EXPAND_AFTER = 4                         # visits before a node is expanded, where it gets heuristic priors
ROLLOUT_KINDS = "uniform", "mogo"         # numbers of games.rollouts: UNIFORM is 0, MOGO 1
ROLLOUTS = (*ROLLOUT_KINDS, "none")


@dataclass(frozen=True)
class Settings:
    """Options of a search.  Raises BadInput for values out of range.

    None is a default that depends on the network, the game or other options (`resolved`).  Names of PUCT's options are
    KataGo's.
    """
    threads: int = option(1, "threads of a search: uct searches one tree with them, mcts runs rollouts and the network",
                          least=1, most=1024, common=True, katago="numSearchThreads")
    seed: int | None = option(None, "random seed: the same seed and number of simulations give the same search",
                              least=SEED[0], most=SEED[1], common=True)
    rollout: str = option("uniform", "how a leaf is played out: with uniformly random moves, with MoGo's patterns (in "
                          "Gomoku win at once, or block a win), or not at all, by the value head alone",
                          choices=ROLLOUTS)
    rollouts: int = option(1, "rollouts for each leaf", least=1, most=1 << 20)
    lambda_: float = option(
        1.0, "weight of rollouts in the value of a leaf, (1 - lambda) v + lambda z (Silver et al. 2016); 1 without a "
        "value head", least=0, most=1, player="mcts")
    c: float | None = option(
        None, "exploration constant of UCB1 or PUCT; UCB1's is sqrt(2) in theory", least=0, most=MOST,
        shown_default=f"PUCT {PUCT_C:g}; UCB1 {UCB_C:g}, with RAVE {RAVE_C:g}", katago="cpuctExploration")
    cpuct_exploration_log: float = option(
        0.0, "L in c + L ln((N + cpuct_exploration_base) / cpuct_exploration_base), which grows with a node's visits N",
        least=0, most=MOST, katago="cpuctExplorationLog", player="mcts")
    cpuct_exploration_base: float = option(500.0, "the base of cpuct_exploration_log", above=0, most=MOST,
                                           katago="cpuctExplorationBase", player="mcts")
    fpu: float | None = option(
        None, "first-play urgency, the value of a move without visits (Gelly and Wang 2006): for uct a win rate, for "
        "mcts from -1 to 1", least=-1, most=MOST,
        shown_default="uct visits every move without an AMAF value once first; mcts the mean value of the node less "
        "fpu_reduction_max sqrt(sum of the priors of the moves with visits)")
    fpu_reduction_max: float = option(
        0.0, "first-play urgency is the mean value of the node less this times the root of the sum of the priors of "
        "the moves with visits", least=0, most=MOST, katago="fpuReductionMax", player="mcts")
    root_fpu_reduction_max: float | None = option(
        None, "fpu_reduction_max at the root", least=0, most=MOST,
        shown_default=f"{ROOT_FPU_SHARE:g} of fpu_reduction_max", katago="rootFpuReductionMax", player="mcts")
    root_policy_temperature: float = option(1.0, "priors at the root become prior^(1 / temperature), normalised",
                                            above=0, most=MOST, katago="rootPolicyTemperature", player="mcts")
    root_symmetry_pruning: bool = option(
        False, "of moves that a symmetry of the position maps to each other, as on the empty board, search one",
        katago="rootSymmetryPruning")
    dynamic_score_utility_factor: float | None = option(
        0.0, "f in v + f u, the value of a leaf by a network with scores; u is from -1 to 1, by how much the score of "
        "the leaf is better than that of the root", least=0, most=1, katago="dynamicScoreUtilityFactor", player="mcts")
    max_pass_prior: float = option(1.0, "largest prior of the pass; what the network gives it beyond is shared among "
                                   "the other moves", least=0, most=1, player="mcts")
    unsettled_prior: float = option(0.0, "share of the priors, in every node, that the moves on points which no side "
                                    "owns for sure get in equal parts, once a game of Go is nearly over", least=0,
                                    most=1, player="mcts")
    dirichlet_weight: float = option(0.0, "weight of Dirichlet noise in the priors of the root (AlphaZero: 0.25)",
                                     least=0, most=1, player="mcts")
    dirichlet_alpha: float = option(0.3, "alpha of the Dirichlet noise", above=0, most=MOST, player="mcts")
    batch: int | None = option(None, "leaves evaluated together", least=1, most=(1 << 16) - 1, player="mcts",
                               shown_default="one for each 32 visits of the root, up to 8")
    rave: bool = option(False, "rapid action value estimation (Gelly and Silver 2007): moves are rated by rollouts in "
                        "which they come later, too", player="uct")
    rave_bias: float = option(0.03, "bias b of RAVE's schedule: the smaller, the longer its values count", least=0,
                              most=MOST, player="uct")
    heuristic_priors: bool = option(False, "moves begin with virtual visits and wins by rules of thumb: captures, "
                                    "patterns, distance to the last move, in Gomoku threats", player="uct")
    expand_after: int | None = option(None, "visits of a node before it is expanded", least=0, most=2**31 - 1,
                                      shown_default=f"mcts 0; uct {EXPAND_AFTER}, without heuristic priors 1")
    lcb_stdevs: float = option(LCB_STDEVS, "standard errors of a move's lower confidence bound below its mean",
                               least=0, most=MOST, katago="lcbStdevs")
    min_visit_prop_for_lcb: float = option(
        MIN_VISIT_PROP, "proportion of the most visits that a move needs to be chosen by its lower confidence bound",
        least=0, most=1, katago="minVisitPropForLCB")
    max_edges: int = option(20_000_000, "size of the tree in edges, 40 bytes for each that is used; a full tree is "
                            "searched on, but no node is expanded any more", least=1000, most=2**31 - 1)
    reuse_tree: bool = option(True, "keep the subtree of the next position between searches")
    early_stop: bool = option(True, "stop when the result is proven, when only one move is not proven to lose, and "
                              "when no remaining simulation can change the move")

    def __post_init__(self):
        check(self)

    def resolved(self, network: Any) -> "Settings":
        """These settings for a search with this network, or None: None is replaced, as is a lambda that does not fit.
        Raises BadInput for settings that need a network, or none."""
        has_network = network is not None
        lambda_ = self._lambda(network)
        changes: dict[str, Any] = {"lambda_": lambda_}
        if self.c is None:
            changes["c"] = PUCT_C if has_network else RAVE_C if self.rave else UCB_C
        if self.root_fpu_reduction_max is None:
            changes["root_fpu_reduction_max"] = ROOT_FPU_SHARE * self.fpu_reduction_max
        if self.expand_after is None or lambda_ == 0:        # without rollouts every leaf needs the network
            changes["expand_after"] = 0 if has_network else EXPAND_AFTER if self.heuristic_priors else 1
        elif not has_network:                                # a node is expanded by the simulation after its own
            changes["expand_after"] = max(self.expand_after, 1)
        return replace(self, **changes)

    def score_utility_factor(self, area: int) -> float:
        """dynamic_score_utility_factor on a board of this many points; where it is None, SCORE_UTILITY or 0."""
        if self.dynamic_score_utility_factor is None:
            return SCORE_UTILITY if area <= SCORE_UTILITY_AREA else 0.0
        return self.dynamic_score_utility_factor

    def _lambda(self, network: Any) -> float:
        """The weight of rollouts: 1 where only they can evaluate a leaf, 0 where only the value head can."""
        if network is None:
            for name, is_set in (("rollout none", self.rollout == "none"), ("batch", self.batch is not None)):
                if is_set:
                    raise BadInput(f"--{name} needs a network")
            return 1.0
        for name in "rave", "heuristic_priors":
            if getattr(self, name):
                raise BadInput(f"--{name.replace('_', '-')} is for searches without a network, which has priors")
        if self.rollout == "none":
            if not network.has_value:
                raise BadInput(f"--rollout none needs a value head, and {network.name} has none")
            return 0.0
        return self.lambda_ if network.has_value else 1.0


DEFAULT_SETTINGS = Settings()


def set_params(params: np.void, settings: Settings, has_network: bool) -> None:
    """Set the options in a records.PARAMS, whose fields have the names of the settings.  settings: resolved."""
    for field in fields(settings):
        if field.name in (params.dtype.names or ()):
            value = getattr(settings, field.name)
            params[field.name] = math.nan if value is None else value
    if settings.fpu is None and not has_network:
        params["fpu"] = math.inf
    params["has_priors"] = params["lazy_edges"] = has_network
    params["rollout_kind"] = ROLLOUT_KINDS.index(settings.rollout) if settings.rollout in ROLLOUT_KINDS else 0
