"""benchmarks/recipe.py: the standard error of a gain over several seeds."""
import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mugo.nn.keras.backend")


@pytest.fixture(scope="module")
def recipe():
    spec = importlib.util.spec_from_file_location("recipe", Path(__file__).parents[1] / "benchmarks" / "recipe.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("of_seed", "of_game"), [(0.0, 0.4), (0.3, 0.0), (0.2, 0.2)])
def test_the_error_of_a_gain_covers_seeds_and_the_positions_that_they_share(recipe, of_seed, of_game):
    """Gains of known variance, drawn anew many times: their spread is the error that is stated, on average."""
    rng = np.random.default_rng(0)
    games = np.repeat(np.arange(40), 5)
    means, squared_errors = [], []
    for _ in range(400):
        gains = rng.normal(0, of_seed, (4, 1)) + rng.normal(0, of_game, 40)[games] + rng.normal(0, 0.2, (4, 200))
        mean, error = recipe.gain_over_seeds(gains, games)
        assert mean == pytest.approx(gains.mean())
        means.append(mean)
        squared_errors.append(error ** 2)
    assert np.std(means) == pytest.approx(np.mean(squared_errors) ** 0.5, rel=0.15)
