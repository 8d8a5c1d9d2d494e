"""From an archive of games to a network that predicts moves, in one screen:

    python notebooks/minimal_train.py [ARCHIVE]          half a minute; the loss falls from 5.0 to about 2

`mugo train` is the same with what a long run needs: a value head, a learning-rate schedule, averaged weights, batches
that are made while the network trains, checkpoints, several GPUs (mugo/training/train.py).
"""
import sys
import tempfile
from pathlib import Path

import numpy as np

from mugo.data.dataset import DataSet
from mugo.data.preprocess import preprocess
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.keras.backend import keras
from mugo.nn.keras.model import build

ARCHIVE = Path(__file__).parents[1] / "data" / "gnugo-9x9.zip"
BATCH_SIZE, STEPS, LEARNING_RATE = 128, 200, 2e-3


def cross_entropy(moves, logits):
    """- log p(move), where p = softmax(logits).  moves: (n, 1); logits: (n, size² + 1), the last one is the pass."""
    log_p = keras.ops.log_softmax(logits)
    return -keras.ops.take_along_axis(log_p, keras.ops.cast(moves, "int32"), axis=-1)[:, 0]


def train(data: DataSet, steps: int = STEPS) -> list[tuple[float, float]]:
    """(loss, top-1 accuracy) on batches of the training games, and at last on validation games."""
    training, validation = data.positions("train"), data.positions("validation")
    print(f"{len(training.games):,} games to learn from, {len(training):,} positions, size {training.size}")

    # The network: packed planes (n, size², 6) -> 48 planes -> convolutions -> {"policy": logits}
    model = build(PolicyNetConfig(size=training.size, filters=32, layers=4).spec())
    model.compile(keras.optimizers.Adam(LEARNING_RATE), loss={"policy": cross_entropy},
                  metrics={"policy": [keras.metrics.SparseCategoricalAccuracy(name="top1")]})
    print(f"{model.count_params():,} weights")

    # A batch: positions drawn without repetition, each turned by a random symmetry, and the moves that were played.
    results = []
    for step in range(steps):
        batch = training.shuffled_batch(step, BATCH_SIZE, seed=0)
        model.reset_metrics()
        logs = model.train_on_batch(batch.packed, {"policy": batch.targets[:, None]}, return_dict=True)
        results.append((float(logs["loss"]), float(logs["top1"])))
        if step % 20 == 0 or step == steps - 1:
            print(f"step {step:4}  loss {results[-1][0]:.3f}  top-1 {results[-1][1]:.1%}")

    batch = validation.batch(np.arange(min(2000, len(validation))))
    logs = model.evaluate(batch.packed, {"policy": batch.targets[:, None]}, verbose=0, return_dict=True)
    print(f"validation games  loss {logs['loss']:.3f}  top-1 {logs['top1']:.1%}")
    return [*results, (logs["loss"], logs["top1"])]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        archive = sys.argv[1] if len(sys.argv) > 1 else str(ARCHIVE)
        train(preprocess([archive], Path(folder) / "games", validation=0.1))     # SGF -> two bytes per move
