"""Priors with a policy temperature, and with Dirichlet noise: of the root during a search, and of a policy's moves."""
import numpy as np


def with_temperature(priors: np.ndarray, temperature: float) -> np.ndarray:
    """float64 (n,): prior^(1 / temperature), normalised (KataGo's rootPolicyTemperature); above 1 it is flatter.
    priors: of the moves that are searched, so they need not sum to 1."""
    # In logarithms, so that a low temperature does not underflow to all zeros.
    logits = np.log(np.maximum(priors, 1e-30).astype(np.float64)) / temperature
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def with_dirichlet_noise(priors: np.ndarray, weight: float, alpha: float, rng: np.random.Generator) -> np.ndarray:
    """float64 (n,): (1 - weight) prior + weight Dirichlet(alpha) (Silver et al. 2017)."""
    if not weight:
        return priors
    return (1 - weight) * priors + weight * rng.dirichlet(np.full(len(priors), alpha))
