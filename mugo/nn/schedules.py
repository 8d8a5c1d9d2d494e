"""Learning-rate schedules."""
from typing import Any

from mugo.nn.backend import keras, ops


@keras.saving.register_keras_serializable("mugo")
class WarmupStableDecay(keras.optimizers.schedules.LearningRateSchedule):
    """A linear warm-up to `peak` over warmup_steps, constant until step decay_start, then a linear decay to
    final_fraction * peak at step total_steps (Hu et al. 2024, arXiv:2404.06395)."""

    def __init__(self, peak: float, warmup_steps: int, decay_start: int, total_steps: int, final_fraction: float):
        super().__init__()
        self.peak, self.warmup_steps, self.decay_start = peak, warmup_steps, decay_start
        self.total_steps, self.final_fraction = total_steps, final_fraction

    def __call__(self, step):
        step = ops.cast(step, "float32")
        warmup = (step + 1) / max(1, self.warmup_steps)
        decay = ops.clip((step - self.decay_start) / max(1, self.total_steps - self.decay_start), 0.0, 1.0)
        return self.peak * ops.minimum(ops.minimum(warmup, 1.0), 1 - (1 - self.final_fraction) * decay)

    def get_config(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in
                ("peak", "warmup_steps", "decay_start", "total_steps", "final_fraction")}
