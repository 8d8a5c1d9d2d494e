"""The options of a search as the tree's record has them: defaults that depend on whether there is a network."""
import math
from typing import Any

import numpy as np

from mugo.files import BadInput
from mugo.games import rollouts
from mugo.search import records
from mugo.search.settings import (
    EXPAND_AFTER,
    LAMBDA,
    LAMBDA_LARGE,
    LARGE_AREA,
    PUCT_C,
    RAVE_C,
    ROLLOUT_KINDS,
    ROOT_FPU_SHARE,
    UCB_C,
    Settings,
    rule_bits,
)


def rollout_weight(settings: Settings, network: Any, area: int) -> float:
    """Lambda: 1 where only rollouts can evaluate a leaf, 0 where only the value head can.

    network: or None.  area: points of the board.  Raises BadInput for settings that need a network, or none.
    """
    if network is not None and settings.heuristic_priors:
        raise BadInput("--heuristic-priors is for searches without a network, which has priors")
    if network is None:
        if settings.gumbel:
            raise BadInput("--gumbel needs the priors of a network")
        if settings.rollout in ("network", "none"):
            raise BadInput(f"--rollout {settings.rollout} needs a network")
        return 1.0
    if settings.rollout == "none":
        if not network.has_value:
            raise BadInput(f"--rollout none needs a value head, and {network.name} has none")
        return 0.0
    if not network.has_value:
        return 1.0
    default = LAMBDA_LARGE if area > LARGE_AREA else LAMBDA
    return default if settings.lambda_ is None else settings.lambda_


def set_up_tree(record: np.void, settings: Settings, has_network: bool, lambda_: float) -> None:
    """Set the fields of a records.TREE that are options.  lambda_: as of rollout_weight."""
    expand_after = settings.expand_after
    if expand_after is None or lambda_ == 0:             # without rollouts every leaf needs the network
        expand_after = 0 if has_network else EXPAND_AFTER if settings.heuristic_priors else 1
    c = settings.c
    if c is None:
        c = PUCT_C if has_network else RAVE_C if settings.rave else UCB_C
    fpu = settings.fpu
    if fpu is None:
        fpu = math.nan if has_network else math.inf
    root_reduction = settings.root_fpu_reduction_max
    for name, value in {
        "formula": records.PUCT if has_network else records.UCB,
        "has_priors": has_network,
        "transpositions": settings.transpositions,
        "c": c,
        "rave": settings.rave,
        "rave_bias": settings.rave_bias,
        "heuristic_priors": settings.heuristic_priors,
        "fpu": fpu,
        "fpu_reduction": settings.fpu_reduction_max,
        "root_fpu_reduction": (ROOT_FPU_SHARE * settings.fpu_reduction_max if root_reduction is None
                               else root_reduction),
        "c_log": settings.cpuct_exploration_log,
        "c_base": settings.cpuct_exploration_base,
        "c_visit": settings.c_visit,
        "c_scale": settings.c_scale,
        "max_pass_prior": settings.max_pass_prior,
        "expand_after": expand_after,
        "lambda_": lambda_,
        "rollouts": settings.rollouts,
        "rollout_kind": ROLLOUT_KINDS.get(settings.rollout, rollouts.UNIFORM) | rule_bits(settings.rollout_rules),
    }.items():
        record[name] = value
