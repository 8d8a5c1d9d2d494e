"""notebooks/minimal_train.py: it learns."""
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from networks import keras

PROGRAM = Path(__file__).parents[2] / "notebooks" / "minimal_train.py"


@pytest.mark.notebooks
def test_the_minimal_program_learns(data, capsys):
    spec = importlib.util.spec_from_file_location("minimal_train", PROGRAM)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    keras.utils.set_random_seed(0)
    losses = [loss for loss, _ in program.train(data, steps=30)]
    assert len(losses) == 31 and np.isfinite(losses).all()
    assert np.mean(losses[25:30]) < np.mean(losses[:5]) - 0.1
    assert "validation games  loss" in capsys.readouterr().out
    assert len(PROGRAM.read_text().splitlines()) <= 60
