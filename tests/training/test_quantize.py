"""mugo quantize: an int8 graph calibrated on a data set, or on games that the network plays against itself."""
import numpy as np
import pytest
from networks import alphazero_network, policy_file

from mugo.cli import main as cli
from mugo.nn import inference
from mugo.nn.inference import Network
from mugo.nn.network_file import has_int8, read_metadata
from mugo.training import quantize
from mugo.training.loader import calibration_positions, examples

pytestmark = pytest.mark.skipif(not inference.has_exact_int8(), reason="this processor has no VNNI instructions")


def test_a_network_is_calibrated_on_validation_positions_of_a_data_set(data, tmp_path, capsys):
    path = policy_file(tmp_path, value_head=True, komi_input=True)
    new = tmp_path / "new.safetensors"
    assert cli.main(["quantize", str(path), str(data.folder), "-o", str(new)]) == 0
    assert not has_int8(read_metadata(path)) and has_int8(read_metadata(new))
    printed = capsys.readouterr().out
    assert printed.startswith(f"{new}: int8, compared with float32 on ")
    assert "top-1 " in printed and "score differs by" in printed
    metrics = read_metadata(new)["quantization"]["metrics"]
    assert metrics.keys() >= {"top1", "ce_int8", "value_mse_int8"}
    assert Network(new, 1, "int8").precision == "int8"


def test_a_network_of_selfplay_is_calibrated_on_games_of_its_own(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(quantize, "POSITIONS", 40)
    path = alphazero_network(tmp_path)
    assert cli.main(["quantize", str(path)]) == 0
    assert has_int8(read_metadata(path)) and read_metadata(path)["quantization"]["compared_on"] == 20
    assert "the same first move in" in capsys.readouterr().out


def test_own_games_are_those_that_the_network_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(quantize, "POSITIONS", 60)
    for network in (Network(alphazero_network(tmp_path), 1), Network(policy_file(tmp_path, size=5), 1)):
        first, again, other = (quantize.own_positions(network, seed).packed for seed in (1, 1, 2))
        assert len(first) == 60 and np.array_equal(first, again) and not np.array_equal(first, other)
        assert len(np.unique(first.reshape(60, -1), axis=0)) > 30


@pytest.mark.parametrize(("words", "line"), [
    (["--where", "komi > 0"], "--where"),
    (["games"], "plays Gomoku"),
    (["--seed", "-1"], "--seed -1: must be at least 0"),
])
def test_what_does_not_fit_is_refused_in_one_line(tmp_path, capsys, words, line):
    assert cli.main(["quantize", str(alphazero_network(tmp_path)), *words]) == 2
    printed = capsys.readouterr().err
    assert line in printed and printed.count("\n") == 1


def test_a_file_that_cannot_be_written_is_told_before_games_are_played(tmp_path, monkeypatch, capsys):
    monkeypatch.delattr(quantize, "own_positions")
    output = tmp_path / "missing" / "new.safetensors"
    assert cli.main(["quantize", str(alphazero_network(tmp_path)), "-o", str(output)]) == 2
    assert f"{output.parent}: No such file or directory" in capsys.readouterr().err


def test_training_calibrates_on_its_validation_examples_in_random_order(data):
    from small_runs import CONFIG

    batch = data.positions("train", 9).batch(np.arange(100))
    inputs, targets = examples(batch, CONFIG)
    positions = calibration_positions(inputs, targets)
    order = np.array([next(i for i in range(100) if np.array_equal(batch.packed[i], packed)
                           and batch.targets[i] == move)
                      for packed, move in zip(positions.packed, positions.policy, strict=True)])
    assert len(positions.packed) == 100 and not (order == np.arange(100)).all()
    assert np.array_equal(positions.outcomes, batch.results().outcomes[order])
    assert np.array_equal(positions.features, np.nan_to_num(batch.global_features())[order])
