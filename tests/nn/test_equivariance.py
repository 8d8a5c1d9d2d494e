"""Equivariant networks: what they say turns with the board, at first, after training, and on ONNX Runtime."""
import functools
from dataclasses import replace

import numpy as np
import pytest
from random_records import random_record, write_games

from mugo import cli
from mugo.data import preprocess
from mugo.games import game, planes
from mugo.games.coords import symmetries
from mugo.games.go import position_of
from mugo.nn.inference import Network

layers = pytest.importorskip("mugo.nn.policy_net")
equivariance, learning, keras = layers.equivariance, pytest.importorskip("mugo.nn.losses"), layers.keras

SIZE = 7
SHAPE = layers.Architecture(size=SIZE, filters=16, layers=4, value=True, equivariant=True)
RNG = np.random.default_rng(0)
PACKED = RNG.integers(0, 256, (48, SIZE * SIZE, planes.PACKED), np.uint8)
ANSWERS = {"policy": RNG.integers(0, SIZE * SIZE + 1, 48), "value": RNG.choice([-1.0, 1.0], (48, 1))}
TURNS = symmetries(SIZE)


def turned(packed: np.ndarray, g: int) -> np.ndarray:
    """The packed planes as symmetry g of the board shows them."""
    out = np.empty_like(packed)
    out[:, TURNS[g, :-1]] = packed
    return out


def a_model(shape=SHAPE, optimizer="adam"):
    keras.utils.set_random_seed(0)
    model = layers.build(shape)
    learning.compile_for_training(model, 5e-3, 0.5, shape.value, optimizer, shape.equivariant)
    return model


def largest_difference(model) -> float:
    """By how much it does not turn with the board."""
    said = {name: np.array(output) for name, output in model(PACKED).items()}
    differences = []
    for g in range(8):
        after = {name: np.array(output) for name, output in model(turned(PACKED, g)).items()}
        differences += [np.abs(after["policy"][:, TURNS[g]] - said["policy"]).max(),
                        np.abs(after["value"] - said["value"]).max()]
    return max(differences)


@pytest.mark.parametrize("change", [{}, {"norm": False}, {"pooling": False}, {"layers": 6, "residual": True}], ids=str)
def test_a_new_network_turns_with_the_board(change):
    shape = layers.Architecture(**{**layers.architecture_of(SHAPE), **change})
    keras.utils.set_random_seed(0)
    model = layers.build(shape)
    model.get_layer("value").kernel.assign(RNG.normal(size=(64, 1)))     # it begins with zeros
    assert largest_difference(model) < 1e-4
    assert np.std(model(PACKED)["policy"]) > 0.1                         # and not because it says nothing
    other = layers.build(layers.Architecture(**{**layers.architecture_of(shape), "equivariant": False}))
    other.get_layer("value").kernel.assign(RNG.normal(size=(64, 1)))
    assert largest_difference(other) > 0.1


@pytest.mark.parametrize("optimizer", learning.OPTIMIZERS)
def test_what_it_learns_turns_with_the_board(optimizer):
    model = a_model(optimizer=optimizer)
    before = model.get_weights()
    model.fit(PACKED, ANSWERS, batch_size=16, epochs=4, verbose=0)
    assert all(np.abs(old - new).max() > 1e-4 for old, new in zip(before, model.get_weights(), strict=True))
    for variable in model.trainable_variables:
        members, of = equivariance.orbits_of(variable)
        each = np.array(variable).ravel()[members]
        assert np.abs(each - each[0]).max() < 1e-5, variable.path
    mean = learning.Mean(model, [PACKED[:16], PACKED[16:32]]).take()
    assert largest_difference(mean) < 1e-4


def test_its_gradient_is_the_average_of_those_of_the_turned_positions():
    shape = layers.Architecture(size=SIZE, filters=8, layers=4, norm=False, equivariant=True)
    model = a_model(shape)
    rate = 1e-2

    def steps(packed, moves):
        """What one step of plain gradient descent changes in each weight of a network with the same weights."""
        copy = keras.models.clone_model(model)
        copy.set_weights(model.get_weights())
        copy.compile(keras.optimizers.SGD(rate), {"policy": keras.losses.SparseCategoricalCrossentropy(True)})
        copy.train_on_batch(packed, {"policy": moves})
        return [np.array(new) - np.array(old) for old, new in
                zip(model.trainable_variables, copy.trainable_variables, strict=True)]

    moves = ANSWERS["policy"]
    of_eight = [np.mean(changes, 0) for changes in zip(
        *(steps(turned(PACKED, g), TURNS[g][moves]) for g in range(8)), strict=True)]
    for change, average, variable in zip(steps(PACKED, moves), of_eight, model.trainable_variables, strict=True):
        ours = np.array(equivariance.averaged(keras.ops.convert_to_tensor(change), variable))
        assert np.allclose(ours, average, atol=2e-3 * np.abs(average).max() + 1e-8), variable.path


def test_a_kernel_of_filters_has_an_eighth_of_the_weights_and_turning_twice_is_turning_once():
    members, of = equivariance.orbits("conv1/kernel", (3, 3, 16, 24))
    assert members.shape == (8, 3 * 3 * 16 * 24 // 8)
    assert np.array_equal(np.bincount(of), np.full(members.shape[1], 8))
    turns = symmetries(3)
    where = np.empty((8, len(of)), int)              # where each symmetry puts each weight
    for g in range(8):
        where[g] = np.ravel_multi_index(np.ix_(
            turns[g, :-1], equivariance._turned(16, "filters", g), equivariance._turned(24, "filters", g)),
            (9, 16, 24)).ravel()
    for g in range(8):
        for o in range(8):
            both = next(i for i in range(8) if np.array_equal(turns[i], turns[g][turns[o]]))
            assert np.array_equal(where[g][where[o]], where[both])


def test_a_point_stands_for_the_points_it_turns_into():
    members, of = equivariance.orbits("point_bias/bias", (9,))
    assert of.tolist() == [0, 1, 0, 1, 2, 1, 0, 1, 0]
    assert sorted(set(members[:, 1].tolist())) == [1, 3, 5, 7]


def test_asked_for_the_average_a_player_asks_it_once(tmp_path, monkeypatch):
    model = a_model()
    path = tmp_path / "net.keras"
    layers.ship(model, path, layers.describe(SHAPE))
    network = Network(path)
    assert network.equivariant
    positions = [position_of(random_record(number, size=SIZE)) for number in range(4)]
    asked = []
    ask = network.evaluate_packed
    monkeypatch.setattr(network, "evaluate_packed", lambda packed: asked.append(len(packed)) or ask(packed))
    priors, values = network.evaluate(positions, tta=True)
    assert asked == [4]
    eight, eight_values = network.evaluate_symmetries(lambda turn: game.encode(positions, turn), range(8))
    assert len(asked) == 9
    assert np.allclose(priors, eight, atol=1e-5)
    assert np.allclose(values, eight_values, atol=1e-5)


def test_it_is_trained_resumed_gone_on_with_and_measured(tmp_path, capfd):
    write_games(tmp_path / "sgf", range(12), plies=30)
    preprocess.preprocess([str(tmp_path / "sgf")], tmp_path / "set", workers=1, validation=0.2, test=0.2)
    common = ["--batch-size", "16", "--round-positions", "64", "--validation-positions", "32", "--optimizer", "adam",
              "--layers", "3"]
    run = tmp_path / "run"
    assert cli.main(["train", str(tmp_path / "set"), "-o", str(run), "--filters", "12", *common]) == 2
    assert "--filters 12: an equivariant network has a multiple of 8" in capfd.readouterr().err
    assert cli.main(["train", str(tmp_path / "set"), "-o", str(run), "--filters", "8", "--positions", "128",
                     *common]) == 0
    assert cli.main(["train", str(tmp_path / "set"), "-o", str(run), "--resume", "--positions", "192"]) == 0
    assert cli.main(["train", str(tmp_path / "set"), "-o", str(tmp_path / "on"), "--start", str(run), "--positions",
                     "64", "--filters", "16", *common]) == 0
    for name, filters in (("run", 8), ("on", 16)):
        network = Network(tmp_path / name)
        assert network.metadata["architecture"]["filters"] == filters
        assert network.equivariant
        position = position_of(random_record(3))
        eight = network.evaluate_symmetries(functools.partial(game.encode, [position]), range(8))[0]
        assert np.allclose(network.evaluate([position])[0], eight, atol=1e-5)
    assert layers.load(run / "checkpoint.keras").optimizer.equivariant
    capfd.readouterr()
    assert cli.main(["evaluate", str(run), str(tmp_path / "set"), "--positions", "40", "-o",
                     str(tmp_path / "measured")]) == 0
    assert "of 8" not in capfd.readouterr().out          # it would be the same again


def even(model) -> bool:
    """Whether all weights that are one are equal."""
    return all(np.ptp(np.asarray(variable).ravel()[equivariance.orbits_of(variable).members], axis=0).max() < 1e-6
               for variable in model.weights)


@pytest.mark.parametrize("equivariant", [True, False])
def test_a_wider_network_begins_with_what_the_narrower_one_says(tmp_path, equivariant):
    shape = replace(SHAPE, filters=8, equivariant=equivariant)
    narrow = a_model(shape)
    narrow.fit(PACKED, ANSWERS, batch_size=16, epochs=2, verbose=0)
    if equivariant:
        equivariance.even_out(narrow)
    layers.ship(narrow, tmp_path / "narrow.keras", layers.describe(shape) | {"name": "narrow"})
    wider = replace(shape, filters=24)
    wide = a_model(wider)
    new = wide.get_layer("conv1").get_weights()[0]
    assert layers.begin_with(wide, wider, tmp_path / "narrow.keras")["filters"] == 8
    for name, said in narrow(PACKED).items():
        assert np.abs(said - wide(PACKED)[name]).max() < 1e-4, name
    assert even(wide) == equivariant
    old = narrow.get_layer("conv1").get_weights()[0]
    kept = wide.get_layer("conv1").get_weights()[0]
    assert np.isin(old.ravel(), kept.ravel()).all()
    assert np.count_nonzero(kept == new) == 9 * 24 * 16                  # new filters look at all others
    assert np.count_nonzero(kept == 0) == 9 * 16 * 8                     # and what old ones see is what it was
    wide.fit(PACKED, ANSWERS, batch_size=16, epochs=1, verbose=0)
    assert np.count_nonzero(wide.get_layer("conv1").get_weights()[0] == 0) == 0
