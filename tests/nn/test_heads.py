"""The value head: what komi changes, and what it does not; a new head; the whole board is seen."""
import numpy as np
import pytest
from networks import build, checkpoint, keras, random_model

from mugo.games import planes
from mugo.games.board import BLACK, WHITE
from mugo.games.position import global_features
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.heads import MIN_SCALE, STDEV_OF_SCALE
from mugo.nn.inference import Network
from mugo.nn.inputs import model_inputs
from mugo.nn.network_file import new_metadata

CONFIG = PolicyNetConfig(size=9, filters=4, layers=3, value_head=True, komi_input=True)
PACKED = np.random.default_rng(0).integers(0, 256, (1, 81, planes.PACKED), np.uint8)


@pytest.fixture(scope="module")
def network(tmp_path_factory) -> Network:
    """A new one, in which some points are somebody's."""
    keras.utils.set_random_seed(0)
    model, path = build(CONFIG.spec()), tmp_path_factory.mktemp("nets") / "net.safetensors"
    kernel = model.get_layer("ownership_conv").kernel
    kernel.assign(np.random.default_rng(1).normal(0, 0.02, kernel.shape))
    checkpoint.export(model, path, new_metadata(CONFIG))
    return Network(path, 1)


def test_a_point_of_komi_is_a_point_of_score_and_changes_neither_the_policy_nor_the_owners(network):
    komi = np.array([-50, -7.5, 0, 0.5, 6.5, 90], np.float32)
    output = network.evaluate_packed(np.repeat(PACKED, len(komi), axis=0), global_features(komi, np.full(6, WHITE)))
    assert np.allclose(output.score_mean - output.score_mean[2], komi, atol=1e-3)
    assert np.all(np.diff(output.values) > 0)            # more komi is better
    for same in (output.priors, output.ownership, output.score_stdev):
        assert np.ptp(same, axis=0).max() == 0 and np.isfinite(same).all()
    assert np.std(output.ownership[0]) > 0.01 and output.score_stdev[0] > STDEV_OF_SCALE * MIN_SCALE


def test_the_colour_to_move_says_something_about_the_score():
    model = random_model(CONFIG)
    black, white = (np.asarray(model(model_inputs(PACKED, np.array([[0, colour]], np.float32)))["score"])
                    for colour in (BLACK, WHITE))
    assert np.abs(black - white).min() > 1e-3


def test_a_new_head_expects_nobody_to_own_anything_and_a_score_of_komi():
    output = build(CONFIG.spec())(model_inputs(PACKED, global_features(7.5, [WHITE])))
    assert not np.any(output["ownership"]) and np.allclose(output["score"][:, 0], 7.5)
    scale = float(output["score"][0, 1])
    assert 10 < scale < 20 and float(output["value"][0, 0]) == pytest.approx(7.5 / (2 * scale))


def test_a_stone_in_a_corner_is_seen_from_the_opposite_one():
    """By the convolutions of a 9x9 network of three layers, whose pooling is cut off."""
    config = PolicyNetConfig(size=9, filters=4, layers=3, value_head=True, komi_input=True, global_pooling=False)
    model = random_model(config)
    other = PACKED.copy()
    other[0, 0] ^= 0xFF
    before, after = (np.asarray(model(model_inputs(packed, np.zeros((1, 2))))["ownership"])[0]
                     for packed in (PACKED, other))
    assert np.all(np.abs(before - after).reshape(9, 9)[-1, -1] > 0)


@pytest.mark.filterwarnings("ignore:Gradients do not exist")         # that is what is tested
def test_only_owners_teach_ownership():
    model = random_model(CONFIG)
    before = {name: model.get_layer(name).get_weights()[0] for name in ("ownership_conv", "score_correction")}
    model.compile(keras.optimizers.SGD(0.1), {"score": "mse", "value": "mse"},
                  run_eagerly=keras.backend.backend() == "tensorflow")           # for one step
    model.train_on_batch(model_inputs(PACKED, np.zeros((1, 2))), {"score": np.ones((1, 2)), "value": np.ones((1, 1))})
    after = {name: model.get_layer(name).get_weights()[0] for name in before}
    assert np.array_equal(before["ownership_conv"], after["ownership_conv"])
    assert not np.array_equal(before["score_correction"], after["score_correction"])
