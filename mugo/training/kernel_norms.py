"""Norms of the kernels of convolutions, and how far training turns them.

A kernel in front of batch normalisation has no scale of its own: what a step changes is its direction.  Muon's steps
have a fixed length, so where norms grow, the effective learning rate falls, whatever the schedule says (Liu et al.
2025, arXiv:2502.16982, section 2.2).  Both are lines of step_log.py:

    kernel_norm    the root mean square of a kernel's weights, in units of He's initialisation: 1 for a new network
    kernel_turn    the angle between a kernel and itself a hundred steps before, in degrees
"""
from typing import Any

import numpy as np

STEPS = 100                              # that angles are given for


class KernelNorms:
    """The kernels of a model's convolutions that learn; `measure` compares them with the last `begin`."""

    def __init__(self, model: Any):
        self._kernels = {layer.name: layer.kernel for layer in model.layers
                         if layer.trainable and len(getattr(getattr(layer, "kernel", None), "shape", ())) == 4}
        self.begin()

    def begin(self) -> None:
        """Remember the kernels as they are."""
        self._before = {name: _array(kernel) for name, kernel in self._kernels.items()}

    def measure(self, steps: int) -> dict[str, dict[str, float]]:
        """{"kernel_norm": by layer, "kernel_turn": by layer}, after so many steps since `begin`."""
        norms, turns = {}, {}
        for name, kernel in self._kernels.items():
            now, before = _array(kernel), self._before[name]
            lengths = np.linalg.norm(now), np.linalg.norm(before)
            norms[name] = float(lengths[0] / np.sqrt(2 * now.shape[-1]))       # He: a variance of 2 / fan-in
            cosine = np.vdot(now, before) / max(lengths[0] * lengths[1], 1e-30)
            turns[name] = float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))) * STEPS / steps
        return {"kernel_norm": norms, "kernel_turn": turns}


def _array(kernel: Any) -> np.ndarray:
    return np.array(kernel.numpy(), np.float64)
