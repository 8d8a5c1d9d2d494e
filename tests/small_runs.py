"""The configs and options of small runs of training; conftest.py of tests/training has its data set, and the run."""
import pytest

train = pytest.importorskip("mugo.training.train")
from mugo.nn.architectures import PolicyNetConfig  # noqa: E402   after the check for Keras
from mugo.training.options import TrainingOptions  # noqa: E402

CONFIG = PolicyNetConfig(size=9, filters=4, layers=3, value_head=True, komi_input=True, auxiliary_heads=True,
                         context_filters=8, context_layers=2)    # the default of 48 filters takes most of the time
PLAIN = PolicyNetConfig(size=9, filters=4, layers=3)      # for runs whose steps matter, and not their heads
# Adam, because tracing Muon takes TensorFlow seconds a run.
OPTIONS = TrainingOptions(positions=384, batch_size=16, checkpoint_positions=128, validation_positions=64,
                          optimizer="adam", learning_rate=2e-3, precision="float32", keep_checkpoint_every=250)
