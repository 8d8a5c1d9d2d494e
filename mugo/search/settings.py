"""The options of a search: one frozen record, checked when it is made."""
import math
from dataclasses import dataclass

from mugo.files import BadInput
from mugo.games import gomoku, rollouts
from mugo.limits import SEED
from mugo.search.lcb import LCB_STDEVS, MIN_VISIT_PROP

UCB_C, RAVE_C, PUCT_C = 0.4, 0.0, 2.0    # exploration constants
LAMBDA, LAMBDA_LARGE = 0.5, 0.25         # weights of rollouts by default; on large boards they are noisier
LARGE_AREA = 13 * 13                     # points; larger boards have LAMBDA_LARGE
ROOT_FPU_SHARE = 0.5                     # of fpu_reduction_max at the root, by default: KataGo's 0.1 of 0.2
MOST = 1e9                               # of the numbers in formulas, which are float32
EXPAND_AFTER = 4                         # visits before a node is expanded, where it gets heuristic priors
ROLLOUT_KINDS = {"uniform": rollouts.UNIFORM, "mogo": rollouts.MOGO, "threats": gomoku.THREATS}
ROLLOUTS = (*ROLLOUT_KINDS, "network", "none")
ROLLOUT_RULES = {"nakade": rollouts.NAKADE, "vital-points": rollouts.VITAL_POINTS,
                 "killing-shapes": rollouts.KILLING_SHAPES,
                 # without killing shapes a rollout would never kill by self-atari
                 "no-seki-filling": rollouts.KILLING_SHAPES | rollouts.NO_SEKI_FILLING}


def rule_bits(names: str) -> int:
    """The bits of rules of MoGo rollouts, by their names, with commas between; "none" is 0.  Raises BadInput."""
    bits = 0
    for name in names.split(",") if names != "none" else []:
        if name not in ROLLOUT_RULES:
            raise BadInput(f"{name!r} is no rule of rollouts ({', '.join(ROLLOUT_RULES)} or none)")
        bits |= ROLLOUT_RULES[name]
    return bits


@dataclass(frozen=True)
class Settings:
    """Options of a search.  Raises BadInput for values out of range.

    c: the exploration constant of UCB1 or PUCT; None takes UCB_C, with RAVE RAVE_C, or PUCT_C.
    fpu: first-play urgency, the value of an unvisited move (Gelly and Wang 2006).  UCB1: a win rate; inf (the
    default) visits every move once first.  PUCT: a value from -1 to 1; None takes the mean value of the node, less
    fpu_reduction_max sqrt(sum of the priors of the moves with visits), KataGo's fpuReductionMax.
    root_fpu_reduction_max: the same at the root (rootFpuReductionMax); None takes ROOT_FPU_SHARE of the other.
    cpuct_exploration_log, cpuct_exploration_base: growth of c with the logarithm of visits; see puct.
    root_policy_temperature: priors at the root become prior^(1 / temperature), normalised (rootPolicyTemperature).
    max_pass_prior: what the network gives the pass beyond this is shared among the other moves, in every node.  People
    pass where a game looks finished, and a move that they overlooked would need thousands of simulations.
    lcb_stdevs, min_visit_prop_for_lcb: of the move to play by its lower confidence bound; see lcb (KataGo's lcbStdevs,
    minVisitPropForLCB).
    gumbel: a search that chooses a move is Gumbel AlphaZero's, if it has a limit of simulations; it keeps no tree.
    max_num_considered_actions, gumbel_scale, c_visit, c_scale: its moves in the first round, the scale of its noise,
    and the weight of values; see gumbel (the names of mctx and of Danihelka et al. 2022).
    expand_after: visits of a node before it is expanded; None is 1 for UCB1, EXPAND_AFTER with heuristic priors, 0 for
    PUCT.
    rave: rapid action value estimation (Gelly and Silver 2007): moves share what is learned of them later in
    simulations.  rave_bias: b of its schedule; see rave.
    heuristic_priors: edges begin with virtual visits and wins by rules of thumb; without a network only.
    rollout: one of ROLLOUTS.  "network" plays both sides by the network's priors, as MuGo did in 2016.
    rollout_rules: those of ROLLOUT_RULES that MoGo rollouts of Go follow besides, with commas between, or "none".
    rollouts: rollouts for each leaf.
    lambda_: the weight of rollouts in the value of a leaf, (1 - lambda) v + lambda z (Silver et al. 2016); 1 where
    there is no value head.  None: LAMBDA, on boards of more than 13x13 LAMBDA_LARGE.
    batch: leaves evaluated together; None takes up to 8 with a network, fewer while the root has few visits, else 1.
    threads: for simulations on one tree where leaves are not evaluated together; else for rollouts and for the network.
    max_edges: edges in the tree, 40 bytes each with their share of nodes, as far as they are used; a full tree is
    searched on, but no node is expanded any more.
    transpositions: positions reached by different orders of moves share one node.
    reuse_tree: keep the subtree of the next position between searches.
    dirichlet_weight, dirichlet_alpha: priors at the root become (1 - weight) prior + weight Dirichlet(alpha)
    (AlphaZero: 0.25, 0.3).
    random_symmetry: evaluate each leaf in a random one of the 8 symmetries, of a rectangle 4.
    early_stop: stop when the root is proven, when a single move is not proven to lose, and when no simulation that is
    left can change the choice; see stopping.
    seed: with simulations as the limit, the same seed gives the same search.
    """
    c: float | None = None
    fpu: float | None = None
    fpu_reduction_max: float = 0.0
    root_fpu_reduction_max: float | None = None
    cpuct_exploration_log: float = 0.0
    cpuct_exploration_base: float = 500.0
    root_policy_temperature: float = 1.0
    max_pass_prior: float = 1.0
    lcb_stdevs: float = LCB_STDEVS
    min_visit_prop_for_lcb: float = MIN_VISIT_PROP
    gumbel: bool = False
    max_num_considered_actions: int = 16
    gumbel_scale: float = 0.0
    c_visit: float = 50.0
    c_scale: float = 1.0
    expand_after: int | None = None
    rave: bool = False
    rave_bias: float = 0.03
    heuristic_priors: bool = False
    rollout: str = "uniform"
    rollout_rules: str = "none"
    rollouts: int = 1
    lambda_: float | None = 1.0
    batch: int | None = None
    threads: int = 1
    max_edges: int = 20_000_000
    transpositions: bool = True
    reuse_tree: bool = True
    dirichlet_weight: float = 0.0
    dirichlet_alpha: float = 0.3
    random_symmetry: bool = False
    early_stop: bool = True
    seed: int | None = None

    def __post_init__(self):
        if self.rollout not in ROLLOUTS:
            raise BadInput(f"{self.rollout!r} is no kind of rollout ({', '.join(ROLLOUTS)})")
        rule_bits(self.rollout_rules)
        for name, least, most in (("rollouts", 1, 1 << 20), ("batch", 1, (1 << 16) - 1), ("threads", 1, 1024),
                                  ("max_edges", 1000, 2**31 - 1), ("expand_after", 0, 2**31 - 1), ("seed", *SEED),
                                  ("max_num_considered_actions", 1, 1024)):
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                bound = f"{least} or more" if value < least else f"{most} or less"
                raise BadInput(f"{name} is {bound}, not {value}")
        if self.c is not None and not 0 <= self.c <= MOST:
            raise BadInput(f"the exploration constant c is from 0 to {MOST:g}, not {self.c}")
        for name, weight in (("lambda", self.lambda_), ("dirichlet_weight", self.dirichlet_weight),
                             ("max_pass_prior", self.max_pass_prior),
                             ("min_visit_prop_for_lcb", self.min_visit_prop_for_lcb)):
            if weight is not None and not 0 <= weight <= 1:
                raise BadInput(f"{name} is from 0 to 1, not {weight}")
        if self.fpu is not None and not (-1 <= self.fpu <= MOST or self.fpu == math.inf):
            raise BadInput(f"fpu is from -1 to {MOST:g}, or inf, not {self.fpu}")
        for name in "dirichlet_alpha", "cpuct_exploration_base", "root_policy_temperature":
            if not 0 < getattr(self, name) < math.inf:
                raise BadInput(f"{name} is above 0 and finite, not {getattr(self, name)}")
        for name in ("fpu_reduction_max", "root_fpu_reduction_max", "cpuct_exploration_log", "lcb_stdevs",
                     "rave_bias", "gumbel_scale", "c_visit", "c_scale"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= MOST:
                raise BadInput(f"{name} is from 0 to {MOST:g}, not {value}")


DEFAULT_SETTINGS = Settings()
