"""Equivariant networks: their outputs turn with the board, at first, after training, and on ONNX Runtime."""
from dataclasses import replace

import numpy as np
import pytest
from networks import build, checkpoint
from random_records import random_record

from mugo.games import planes
from mugo.games.coords import symmetries
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.graph import weight_axes
from mugo.nn.inference import Network
from mugo.nn.inputs import model_inputs
from mugo.nn.keras import equivariance
from mugo.nn.keras.backend import keras
from mugo.nn.keras.losses import compile_for_training
from mugo.nn.keras.optimizers import AveragedModel
from mugo.nn.network_file import new_metadata
from mugo.sgf.record_positions import position_of

SIZE = 7
CONFIG = PolicyNetConfig(size=SIZE, filters=16, layers=4, value_head=True, komi_input=True, auxiliary_heads=True,
                         chain_pooling=True, equivariant=True)
AXES = weight_axes(CONFIG.spec())
RNG = np.random.default_rng(0)
N = 16
PACKED = RNG.integers(0, 256, (N, SIZE * SIZE, planes.PACKED), np.uint8)
FEATURES = np.stack([RNG.choice([-6.5, 0, 7.5], N), RNG.choice([-1, 1], N)], -1).astype(np.float32)
INPUTS = model_inputs(PACKED, FEATURES, with_components=True)
TARGETS = {"policy": RNG.integers(0, SIZE * SIZE + 1, N), "value": RNG.choice([-1.0, 1.0], (N, 1)),
           "ownership": RNG.integers(-1, 2, (N, SIZE * SIZE)), "score": RNG.normal(0, 20, (N, 1)),
           "policy_reply": RNG.integers(-1, SIZE * SIZE + 1, (N, 1)),
           "policy_next": RNG.integers(-1, SIZE * SIZE + 1, (N, 1))}
TURNS = symmetries(SIZE)


def turned(packed: np.ndarray, g: int) -> np.ndarray:
    """The packed planes of the board in symmetry g."""
    out = np.empty_like(packed)
    out[:, TURNS[g, :-1]] = packed
    return out


def new_model(config=CONFIG, optimizer="adam"):
    keras.utils.set_random_seed(0)
    model = build(config.spec())
    compile_for_training(model, config, 5e-3, optimizer=optimizer)
    return model


def largest_difference(model) -> float:
    """Between outputs of turned boards and turned outputs; of scores, which are in points, a tenth.  Of outputs above
    20, which random weights may give, in units of a twentieth of the largest: sums of float32 have five digits."""
    inputs = model_inputs(np.concatenate([turned(PACKED, g) for g in range(8)]), np.tile(FEATURES, (8, 1)),
                          with_components=True)
    turned_outputs = {name: np.array(output) for name, output in model(inputs).items()}
    outputs = {name: np.array(output) for name, output in model(INPUTS).items()}
    differences = []
    for g in range(8):
        for name, all_turned in turned_outputs.items():
            of_turned = all_turned[N * g:N * (g + 1)]
            if of_turned.shape[1] > 2:   # points, and perhaps a pass
                of_turned = of_turned[:, TURNS[g, :of_turned.shape[1]]]
            unit = max(10 if name == "score" else 1, np.abs(outputs[name]).max() / 20)
            differences.append(np.abs(of_turned - outputs[name]).max() / unit)
    return max(differences)


def fill_zeros(model) -> None:
    """Random weights in the layers of the heads that begin with zeros."""
    for layer in model.layers:
        if layer.name.endswith("batch_norm") or layer.name.startswith("chain_batch_norm"):
            layer.gamma.assign(np.ones(layer.gamma.shape))
    for name in "score_correction", "score_scale", "value_correction", "ownership_conv":
        kernel = model.get_layer(name).kernel
        filters = RNG.normal(0, 0.3, kernel.shape)
        if name == "ownership_conv":     # those of a feature's eight orientations are tied
            filters[:] = np.tile(filters[..., :len(filters.ravel()) // 8, :], (1, 1, 8, 1))
        kernel.assign(filters)


@pytest.mark.parametrize("change", [{}, {"batch_norm": False}, {"global_pooling": False},
                                    {"layers": 6, "residual": True}, {"residual_blocks": 3},
                                    {"policy_filters": 16, "policy_context": True, "context_layers": 12}], ids=str)
def test_outputs_of_a_new_network_turn_with_the_board(change):
    config = replace(CONFIG, **change)
    keras.utils.set_random_seed(0)
    model = build(config.spec())
    fill_zeros(model)
    assert largest_difference(model) < 1e-3
    assert all(np.std(output) > 0.01 for output in model(INPUTS).values())       # and not because they are constant
    if not change:
        other = build(replace(config, equivariant=False).spec())
        fill_zeros(other)
        assert largest_difference(other) > 0.1


def test_symmetrised_weights_are_tied_and_have_the_mean_that_they_had():
    keras.utils.set_random_seed(0)
    model = build(CONFIG.spec())
    noisy = [w + RNG.normal(0, 0.05, w.shape) for w in model.get_weights()]
    model.set_weights(noisy)
    assert largest_difference(model) > 1e-2
    equivariance.symmetrise(model, AXES)
    assert largest_difference(model) < 3e-4
    for before, after in zip(noisy, model.get_weights(), strict=True):
        assert np.allclose(after.mean(), before.mean(), atol=1e-5)


@pytest.mark.parametrize("optimizer", ["muon", pytest.param("adam", marks=pytest.mark.slow)])
def test_weights_stay_tied_in_training(optimizer):
    model = new_model(optimizer=optimizer)
    model.run_eagerly = keras.backend.backend() == "tensorflow"          # tracing Muon takes longer
    before = model.get_weights()
    model.fit(INPUTS, TARGETS, batch_size=4, verbose=0)
    assert all(np.abs(old - new).max() > 1e-4 for old, new in zip(before, model.get_weights(), strict=True))
    for variable in model.trainable_variables:
        members, _ = equivariance.orbits_of(variable, AXES)
        tied = np.array(variable).ravel()[members]
        assert np.abs(tied - tied[0]).max() < 1e-5, variable.path
    batches = [model_inputs(PACKED[i:i + 8], FEATURES[i:i + 8], with_components=True) for i in (0, 8)]
    assert largest_difference(AveragedModel(model, new_model(), batches).update_ema_model()) < 1e-4


def test_the_projected_gradient_is_the_mean_of_those_of_the_turned_positions():
    config = PolicyNetConfig(size=SIZE, filters=8, layers=4, batch_norm=False, equivariant=True)
    axes = weight_axes(config.spec())
    model = new_model(config)

    def steps(packed, moves):
        """What one step of plain gradient descent changes in each weight of a network with the same weights."""
        copy = build(config.spec())
        copy.set_weights(model.get_weights())
        copy.compile(keras.optimizers.SGD(1e-2), {"policy": keras.losses.SparseCategoricalCrossentropy(True)},
                     run_eagerly=keras.backend.backend() == "tensorflow")        # for one step
        copy.train_on_batch(packed, {"policy": moves})
        return [np.array(new) - np.array(old) for old, new in
                zip(model.trainable_variables, copy.trainable_variables, strict=True)]

    moves = TARGETS["policy"]
    of_eight = [np.mean(changes, 0) for changes in zip(
        *(steps(turned(PACKED, g), TURNS[g][moves]) for g in range(8)), strict=True)]
    for change, mean, variable in zip(steps(PACKED, moves), of_eight, model.trainable_variables, strict=True):
        projected = np.array(equivariance.project_gradient(keras.ops.convert_to_tensor(change), variable, axes))
        assert np.allclose(projected, mean, atol=2e-3 * np.abs(mean).max() + 1e-8), variable.path


def test_test_time_augmentation_runs_an_equivariant_network_once(tmp_path, monkeypatch):
    model = new_model()
    path = tmp_path / "net.safetensors"
    checkpoint.export(model, path, new_metadata(CONFIG))
    network = Network(path)
    assert network.equivariant
    positions = [position_of(random_record(number, size=SIZE)) for number in range(4)]
    runs = []
    evaluate_packed = network.evaluate_packed
    monkeypatch.setattr(network, "evaluate_packed",
                        lambda packed, *others: runs.append(len(packed)) or evaluate_packed(packed, *others))
    once = network.evaluate(positions, symmetries=True)
    assert runs == [4]
    network.equivariant = False
    eight = network.evaluate(positions, symmetries=True)
    assert len(runs) == 9
    assert np.allclose(once.priors, eight.priors, atol=1e-5)
    assert np.allclose(once.values, eight.values, atol=1e-5)
