"""Training: it learns, it is resumed exactly, and its files are whole at every moment."""
import argparse
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from networks import build, checkpoint, keras, random_model, tensors_of
from random_records import dataset_of, finished_record, random_record
from small_runs import CONFIG, OPTIONS, PLAIN, train

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.core.machine import available_cores

from mugo.nn import architectures, network_file
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.graph import is_of_int8, layer_names
from mugo.nn.inference import Network
from mugo.nn.keras.losses import SUPERVISED, compile_for_training
from mugo.sgf.convert import format_record
from mugo.nn.keras.devices import DataParallel
from mugo.training import evaluate, loop
from mugo.training.loop import Checkpoints
from mugo.training.loader import TrainingStream, examples, select_positions, validation_batch
from mugo.training.metrics import rename_means
from mugo.training.options import CommandOptions, TrainingOptions, add_train_arguments, check_training_run


METRICS = ["ce", "top1", "top5", "value_mse", "value_accuracy", "ownership_accuracy", "score_error"]


def new_training_run(run, data, config, options, init=""):
    """train.new_training_run of the positions that the options select."""
    return train.new_training_run(run, data, config, options, init, *(
        select_positions(data, split, config, options) for split in ("train", "validation")))


def weights(path) -> list[np.ndarray]:
    return list(tensors_of(path).values())


def timeless(run) -> pd.DataFrame:
    return pd.read_csv(run / "log.csv").drop(columns=["seconds", "positions_per_second"])


def test_a_run_leaves_checkpoints_a_network_a_log_and_a_curve(unbroken):
    names = {path.name for path in unbroken.iterdir()}
    assert names >= {"checkpoint.safetensors", "previous.safetensors", "network.safetensors", "log.csv", "curve.png"}
    assert not [name for name in names if name.startswith(".")]
    log = pd.read_csv(unbroken / "log.csv")
    assert log["step"].tolist() == [8, 16, 24]
    assert log["positions"].tolist() == [128, 256, 384]
    assert not log.isna().any().any()
    assert (log[["value_mse", "score_error", "validation_score_error"]] > 0).all(axis=None)
    assert log["ownership_accuracy"].between(0.2, 0.8).all() and log["validation_ownership_accuracy"].iloc[-1] > 0
    assert log["loss"].iloc[-1] < log["loss"].iloc[0]


def test_checkpoints_are_kept_for_good(unbroken):
    assert [path.name for path in sorted(unbroken.glob("checkpoint-*"))] == ["checkpoint-256.safetensors"]
    assert network_file.read_metadata(unbroken / "checkpoint-256.safetensors")["history"][-1]["positions"] == 256


@pytest.mark.slow
def test_the_validation_loss_is_the_sum_of_the_losses_with_their_weights_and_nothing_else(data, tmp_path, eagerly):
    config = replace(CONFIG, auxiliary_heads=False)      # which network.safetensors does not have
    train.train(data, tmp_path / "run", config, replace(OPTIONS, positions=16, value_weight=0.7))
    inputs, targets = validation_batch(data.positions("validation"), OPTIONS, config)
    outputs = checkpoint.load(tmp_path / "run" / "network.safetensors")(inputs)
    loss = {name: float(np.mean(SUPERVISED[name][0](targets[name], outputs[name])))
            for name in ("value", "ownership", "score")}
    row = pd.read_csv(tmp_path / "run" / "log.csv").iloc[-1]
    expected = row["validation_ce"] + 0.7 * loss["value"] + 0.5 * loss["ownership"] + 0.05 * loss["score"]
    assert row["validation_loss"] == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("komi_input", [True, False])
def test_the_validation_metrics_are_those_of_evaluate_on_the_same_positions(tmp_path, eagerly, komi_input):
    """Of games of which White gives the first move too, which count where White is expected to gain three points at
    most, with a lead of that much less; by area, though another winner is recorded; and without a known komi."""
    gives = {"komi": 0.5, "black_rank": "1d", "white_rank": "4d"}
    records = [finished_record(seed, **gives if seed % 2 else {}) for seed in range(12)]
    records += [random_record(seed, plies=40, **gives if seed % 4 < 2 else {"komi": None}) for seed in range(12, 24)]
    data = dataset_of(tmp_path, records, validation=0.5, test=0)
    validation = data.positions("validation")
    gains = np.abs(validation.batch(np.arange(len(validation))).handicap_gains)
    assert (gains > 3).any() and ((gains > 0) & (gains <= 3)).any() and (gains == 0).any()
    config = replace(CONFIG, komi_input=komi_input, auxiliary_heads=False)
    train.train(data, tmp_path / "run", config, replace(OPTIONS, positions=16, validation_positions=10**6))
    row = pd.read_csv(tmp_path / "run" / "log.csv").iloc[-1]
    table = evaluate.evaluate(Network(tmp_path / "run", precision="float32"), data, split="validation", count=0,
                              symmetries=False).set_index("by")
    for name in METRICS if komi_input else ("ce", "top1", "top5", "value_mse", "value_accuracy"):
        tied = 2 / len(validation) if name.startswith("top") else 1e-4   # moves that are nearly tied: predictions.TIE
        assert row[f"validation_{name}"] == pytest.approx(table.loc["all", name], rel=1e-3, abs=tied), name


def test_tensorboard_gets_one_file_with_the_metrics_of_every_checkpoint(unbroken):
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.util.tensor_util import make_ndarray
    log = pd.read_csv(unbroken / "log.csv").set_index("positions")
    file, = (unbroken / "tensorboard").iterdir()
    points = {(value.tag, event.step): float(make_ndarray(value.tensor)) for event in EventFileLoader(str(file)).Load()
              for value in event.summary.value}
    assert points["training/loss", 256] == pytest.approx(log["loss"][256], abs=1e-5)
    assert points["validation/top5", 384] == pytest.approx(log["validation_top5"][384], abs=1e-5)
    assert len(points) == 3 * len(log.columns.difference(["step", "seconds"]))


@pytest.mark.slow
def test_metrics_of_the_value_are_left_out_where_no_winner_is_known(tmp_path, eagerly, capsys):
    records = [re.sub(r"RE\[[^]]*\]", "", format_record(random_record(seed, plies=40))) for seed in range(12)]
    data = dataset_of(tmp_path, records, validation=0.4, test=0)
    config = PolicyNetConfig(size=9, filters=4, layers=3, value_head=True)
    train.train(data, tmp_path / "run", config, TrainingOptions(16, batch_size=16, precision="float32"))
    output = capsys.readouterr()
    assert output.err.count("no training or validation game has a known winner and komi: the value learns nothing") == 1
    assert "value MSE" not in output.out + output.err
    known = set(pd.read_csv(tmp_path / "run" / "log.csv").dropna(axis=1))
    assert {"loss", "validation_ce"} <= known
    assert not {"value_mse", "value_accuracy", "validation_value_mse", "validation_value_accuracy"} & known


@pytest.mark.runs
@pytest.mark.parametrize("checkpoints", [pytest.param(0, marks=pytest.mark.slow), 2])
def test_a_run_resumed_after_an_interrupt_ends_as_one_without(data, unbroken, tmp_path, monkeypatch, checkpoints):
    saved = Checkpoints.save

    def interrupted(self):
        if checkpoints:
            saved(self)
        if len(self.metadata["history"]) >= checkpoints:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train.train(data, tmp_path / "run", CONFIG, OPTIONS)
    monkeypatch.undo()
    train.train(data, tmp_path / "run", CONFIG, OPTIONS, resume=True)
    assert timeless(tmp_path / "run").round(5).equals(timeless(unbroken).round(5))
    for ours, theirs in zip(weights(tmp_path / "run" / "checkpoint.safetensors"),
                            weights(unbroken / "checkpoint.safetensors"), strict=True):
        assert np.allclose(ours, theirs, atol=1e-6)


@pytest.mark.runs
def test_killed_at_any_moment_it_can_be_resumed(data, unbroken, tmp_path):
    """kill -9 while checkpoints follow each other after a few steps, three times at other moments."""
    run = tmp_path / "run"
    program = (f"from pathlib import Path\nfrom mugo.data import dataset\nfrom mugo.training import train\nimport sys\n"
               f"train.train(dataset.load_dataset({str(data.folder)!r}), Path({str(run)!r}), "
               f"train.{CONFIG!r}, train.{OPTIONS!r}, resume=sys.argv[1] == 'resume')")
    for delay in (0.0, 0.3, 0.6):
        begun = (run / "checkpoint.safetensors").exists()
        running = subprocess.Popen([sys.executable, "-c", program, "resume" if begun else "new"],
                                   stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        before = (run / "checkpoint.safetensors").stat().st_mtime_ns if begun else None
        while running.poll() is None and (not (run / "checkpoint.safetensors").exists()
                                          or (run / "checkpoint.safetensors").stat().st_mtime_ns == before):
            time.sleep(0.01)
        time.sleep(delay)
        running.send_signal(signal.SIGKILL)
        running.wait()
    train.train(data, run, CONFIG, OPTIONS, resume=True)
    assert timeless(run).round(4).equals(timeless(unbroken).round(4))


@pytest.mark.runs
@pytest.mark.parametrize(("positions", "decay_start", "pre_decay"), [
    (384, 0.7, [8, 16]), pytest.param(96, 0.7, [], marks=pytest.mark.slow),
    pytest.param(328, 1, [8, 16, 20], marks=pytest.mark.slow)])
def test_a_run_made_longer_is_the_run_that_was_started_longer(data, tmp_path, positions, decay_start, pre_decay):
    """It is resumed from before the decay of the learning rate, which in a run of one checkpoint is its start, and its
    batches and rates are the longer run's."""
    short, long = (replace(OPTIONS, warmup_steps=2, decay_start=decay_start, positions=count)
                   for count in (positions, 640))
    train.train(data, tmp_path / "long", PLAIN, long)
    train.train(data, tmp_path / "run", PLAIN, short)
    best = network_file.read_metadata(tmp_path / "run" / "network.safetensors")["best"]
    found = network_file.read_metadata(tmp_path / "run" / "pre-decay.safetensors")
    assert [row["step"] for row in found["history"]] == pre_decay
    train.train(data, tmp_path / "run", PLAIN, long, resume=True)
    both = [timeless(tmp_path / name).round(4).query("step % 8 == 0") for name in ("run", "long")]
    training = ["loss", *METRICS]       # of the checkpoint intervals, which differ
    assert both[0].reset_index(drop=True).drop(columns=training, errors="ignore").equals(
        both[1].drop(columns=training, errors="ignore"))
    for ours, theirs in zip(weights(tmp_path / "run" / "checkpoint.safetensors"),
                            weights(tmp_path / "long" / "checkpoint.safetensors"), strict=True):
        assert np.allclose(ours, theirs, atol=1e-5)
    kept = network_file.read_metadata(tmp_path / "run" / "network.safetensors")["best"]
    assert kept["validation_loss"] <= best["validation_loss"]


def test_a_finished_run_stays_as_it_is_and_is_not_made_shorter(data, unbroken, capsys):
    before = (unbroken / "checkpoint.safetensors").read_bytes()
    train.train(data, unbroken, CONFIG, OPTIONS, resume=True)
    assert "is finished: 24 steps, 384 positions" in capsys.readouterr().out
    for changed, step in ({"positions": 256}, 11), ({"positions": 640, "decay_start": 0.1}, 4):
        options = replace(OPTIONS, **changed)
        with pytest.raises(BadInput, match=f"cannot become a run of --positions {options.positions} --decay-start "
                                           f"{options.decay_start}: it is past step {step}, at which"):
            train.train(data, unbroken, CONFIG, options, resume=True)
    assert (unbroken / "checkpoint.safetensors").read_bytes() == before


def parsed(*options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_train_arguments(parser)
    return parser.parse_args(["set", "-o", "run", *options])


def config_of(data, *options: str) -> PolicyNetConfig:
    """The config of a new network that a command line asks for."""
    args = parsed(*options)
    return train.config_from_arguments(args, args.init_from or "", data)


def test_an_architecture_has_a_name_or_is_that_of_a_network(data, unbroken):
    assert config_of(data) == replace(architectures.PRESETS["default"], size=9)
    deep = config_of(data, "--model", "b6c96", "--filters", "64", "--no-value-head", "--no-auxiliary-heads")
    assert (deep.residual_blocks, deep.filters, deep.value_head, deep.komi_input) == (6, 64, False, False)
    assert config_of(data, "--model", str(unbroken)) == CONFIG.exported()
    assert config_of(data, "--model", "policy-19").size == 9
    for name, config in architectures.PRESETS.items():
        assert not config.problem and (name[0] != "b" or config.residual_blocks == int(name[1:].split("c")[0]))


def test_a_gpu_gets_larger_batches_unless_a_size_or_a_rate_is_given(data, monkeypatch):
    monkeypatch.setattr(train, "has_gpu", lambda: True)
    cases = ([], (512, 0.015)), (["--batch-size", "64"], (64, 0.01)), (["--learning-rate", "1"], (128, 1))
    for options, expected in cases:
        args = parsed("--positions", "1000", *options)
        _, chosen = train.new_arguments(args, CommandOptions(), data)
        assert (chosen.batch_size, chosen.learning_rate) == expected


def test_a_new_value_head_takes_komi(data, monkeypatch):

    assert not config_of(data).value_head and not config_of(data).komi_input
    assert config_of(data, "--value-head").komi_input
    assert config_of(data, "--value-head", "--no-komi-input").value_head
    assert not config_of(data, "--value-head", "--no-komi-input").komi_input
    other = replace(CONFIG, komi_input=False)            # of the network to start with, which keeps its head
    monkeypatch.setattr(train, "find_network", lambda name: name)
    monkeypatch.setattr(train, "read_metadata", lambda name: network_file.new_metadata(other))
    assert config_of(data, "--init-from", "x", "--value-head") == replace(other, size=9)
    assert config_of(data, "--init-from", "x", "--komi-input") == replace(CONFIG, size=9, auxiliary_heads=True)


@pytest.mark.parametrize(("options", "line"), [
    (("--policy-context", "--policy-filters", "0"), "--policy-context is for networks with --policy-filters"),
    (("--policy-context", "--value-head", "--no-komi-input"), "and with --komi-input if they have a value head"),
    (("--context-filters", "64"), "--context-filters: only networks with --value-head or --policy-context"),
    (("--value-head", "--context-filters", "12"), "--context-filters 12: an equivariant network has a multiple of 8"),
])
def test_options_of_a_context_module_that_is_not_there_are_refused(data, options, line):
    with pytest.raises(BadInput, match=line):
        config_of(data, *options)


@pytest.mark.slow
def test_the_metadata_tell_which_network_it_was_initialised_from(data, unbroken, tmp_path, capsys, eagerly):
    train.train(data, tmp_path / "run", CONFIG, replace(OPTIONS, positions=16), init=str(unbroken))
    found = network_file.read_metadata(tmp_path / "run" / "network.safetensors")
    assert found["init_from"]["name"] == "unbroken"
    assert found["options"]["skip_batches"] == 24
    assert found["data"]["fingerprint"] == data.fingerprint and found["data"]["split"]["test"] == 0.2
    assert found["init_from"]["data"] == found["data"]
    assert "may repeat" not in capsys.readouterr().err


@pytest.mark.slow
def test_a_network_initialised_from_another_is_trained_on_other_positions(data, unbroken, tmp_path, monkeypatch,
                                                                          eagerly):
    """On two runs in a row the stream of batches goes on, also where the second has other batches."""
    steps = []
    batch_of = TrainingStream.batch
    monkeypatch.setattr(TrainingStream, "batch", lambda self, step, size, seed, *args: (
        steps.append((step, size, seed)), batch_of(self, step, size, seed, *args))[1])
    for name, source, size, first in (("second", unbroken, 16, 24), ("third", tmp_path / "second", 64, 8)):
        steps.clear()
        train.train(data, tmp_path / name, CONFIG, replace(OPTIONS, positions=128, batch_size=size), init=str(source))
        learned = {step for step, asked, seed in steps if (asked, seed) == (size, OPTIONS.seed)}
        assert min(learned) == first


@pytest.mark.runs
@pytest.mark.parametrize("policy_context", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_frozen_policy_stays_as_it_is_while_the_value_head_learns(data, tmp_path, eagerly, policy_context):
    """Of a network whose weights and statistics are not where training begins, and whose tied weights are equal but
    for rounding; also after the run is resumed.  A context module that the policy takes stays, too."""
    source, config = tmp_path / "source.safetensors", replace(
        CONFIG, filters=8, equivariant=True, auxiliary_heads=False, policy_filters=8, policy_context=policy_context,
        context_filters=8)
    model = random_model(config)
    checkpoint.export(model, source, network_file.new_metadata(config))
    options = replace(OPTIONS, freeze_policy=True, positions=32, checkpoint_positions=16)
    run = tmp_path / "run"
    train.train(data, run, config, options, init=str(source))
    train.train(data, run, config, replace(options, positions=64), resume=True)
    spec = config.spec()
    own = layer_names(spec.heads[1]) | (set() if policy_context else layer_names(spec.context))
    for name in "checkpoint.safetensors", "network.safetensors":
        learned = checkpoint.load(run / name)
        for layer in (layer for layer in model.layers if layer.weights):
            same = [np.array_equal(before, after) for before, after in
                    zip(layer.get_weights(), learned.get_layer(layer.name).get_weights(), strict=True)]
            assert not any(same) if layer.name in own else all(same), (name, layer.name)
    log = pd.read_csv(run / "log.csv")
    assert log["validation_ce"].nunique() == 1 and log["validation_value_mse"].nunique() == len(log) > 2
    best = network_file.read_metadata(run / "network.safetensors")["best"]
    assert best["positions"] == log["positions"][log["validation_loss"].idxmin()]
    assert best["positions"] > 16 or keras.backend.backend() != "tensorflow"     # not just the first
    train.train(data, tmp_path / "all", config, replace(OPTIONS, positions=16), init=str(run))
    thawed = checkpoint.latest_checkpoint(tmp_path / "all", check_training_run, train.compiled_model)[0]
    assert all(layer.trainable for layer in thawed.layers)


@pytest.mark.parametrize(("fields", "line"), [
    ({"auxiliary_heads": False, "value_head": False, "komi_input": False}, "trains a value head and no other"),
    ({}, "trains a value head and no other: give --value-head and --no-auxiliary-heads"),
    ({"auxiliary_heads": False, "filters": 8}, "the policy of .*unbroken is kept, and so are its filters: 4"),
    ({"auxiliary_heads": False, "policy_filters": 8}, "unbroken is kept, and so are its policy filters: 0"),
    ({"auxiliary_heads": False, "policy_context": True}, "unbroken is kept, and so are its policy context: False"),
])
def test_a_policy_that_cannot_be_frozen_is_refused(unbroken, fields, line):
    options = replace(OPTIONS, freeze_policy=True)
    with pytest.raises(BadInput, match=line):
        train.check_frozen(replace(CONFIG, **fields), options, str(unbroken))


def test_a_frozen_network_learns_who_plays_and_nothing_else(data, unbroken, tmp_path, eagerly):
    config = replace(CONFIG, metadata_encoder=True, auxiliary_heads=False)
    run = train.train(data, tmp_path / "run", config, replace(OPTIONS, freeze_network=True, positions=48),
                      init=str(unbroken)).parent
    before, after = (checkpoint.read_network(path / "network.safetensors")[0] for path in (unbroken, run))
    assert after.keys() - before.keys() == {"metadata_bias/kernel"} and after["metadata_bias/kernel"].any()
    assert all(np.array_equal(array, after[name]) for name, array in before.items()
               if not is_of_int8(name))                    # those are calibrated anew


@pytest.mark.parametrize("fields", [{}, {"metadata_encoder": True, "filters": 8}, {"metadata_encoder": True}])
def test_a_network_that_cannot_be_frozen_is_refused(unbroken, fields):
    """The last has auxiliary heads, which the network does not have."""
    options = replace(OPTIONS, freeze_network=True)
    with pytest.raises(BadInput, match="--freeze-network trains a metadata encoder and nothing else"):
        train.check_frozen(replace(CONFIG, **fields), options, str(unbroken))
    train.check_frozen(replace(CONFIG, metadata_encoder=True, auxiliary_heads=False), options, str(unbroken))
    with pytest.raises(BadInput, match="give one of them"):
        train.check_frozen(CONFIG, replace(options, freeze_policy=True), str(unbroken))


def test_a_run_is_not_overwritten(data, unbroken, capsys):
    with pytest.raises(BadInput, match="--resume continues it"):
        train.train(data, unbroken, CONFIG, OPTIONS)


def test_without_batch_norm_and_value_head_the_log_has_the_same_names(data, tmp_path, eagerly, capsys):
    """The first line names the device."""
    config = PolicyNetConfig(size=9, filters=4, layers=3, batch_norm=False, global_pooling=False)
    train.train(data, tmp_path / "run", config, replace(OPTIONS, positions=32))
    log = pd.read_csv(tmp_path / "run" / "log.csv")
    assert not log[["loss", "ce", "top1", "top5", "validation_top1"]].isna().any().any()
    assert re.search(r"run: [\d,]+ weights, [\d.]+ million multiplications per position, float32, on the CPU "
                     r"\(\d+ cores?\), (TensorFlow|JAX) [\d.]+, Keras 3",
                     capsys.readouterr().err)


def test_a_run_trains_on_the_batches_of_its_stream(data):
    options = replace(OPTIONS, endgame_fraction=0.5, skip_batches=3)
    stream = TrainingStream(data.positions("train"), options)
    make = loop.batch_maker(stream, CONFIG, options)
    for step in 0, 1:
        inputs, _ = make(step)
        number = step + 3
        rng = np.random.default_rng((options.seed, number))
        expected, _ = examples(stream.batch(number, 16, options.seed), CONFIG, rng)
        assert all(np.array_equal(inputs[name], expected[name]) for name in expected)


@pytest.mark.slow
def test_a_network_overfits_a_few_positions(data):
    """Planes, targets and symmetries belong together."""
    config = PolicyNetConfig(size=9, filters=32)
    keras.utils.set_random_seed(0)
    model = build(config.spec())
    compile_for_training(model, config, 5e-3)
    batch = data.positions("train").shuffled_batch(0, 32, 0)
    for _ in range(60):
        logs = model.train_on_batch(*examples(batch, config), return_dict=True)
        model.reset_metrics()
    assert rename_means(logs)["top1"] > 0.9


@pytest.mark.parametrize(("arguments", "line"), [
    (["/nowhere", "-o", "x"], "/nowhere is not a data set: meta.json is missing"),
    ([__file__, "-o", "x"], "test_train.py is not a data set, which is a folder"),
    (["{data}", "-o", "{new}", "--layers", "2"], "--layers 2: must be at least 3"),
    (["{data}", "-o", "{new}", "--positions", "inf"],
     "argument --positions: invalid int value: 'inf' (see mugo train --help)"),
    (["{data}", "-o", "{new}", "--minutes", "1e308"], "--minutes 1e+308: must be at most 1000000"),
    (["{data}", "-o", "{new}", "--minutes", "1", "--epochs", "2"], "--positions, --epochs and --minutes: give one"),
    (["{data}", "-o", "{new}", "--model", "b7c7"], "--model b7c7: neither a preset (default, "),
    (["{data}", "-o", "{new}", "--model", "gomoku-6-4"], "--model gomoku-6-4: is a policy-value network"),
    (["{data}", "-o", "{new}", "--model", "b6c96", "--init-from", "policy-19"], "--model and --init-from: give one"),
    (["{data}", "-o", "{new}", "--size", "19"], "no training games on 19x19"),
    (["{data}", "-o", "{new}", "--freeze-policy"], "--freeze-policy: give --init-from NETWORK, of which that is kept"),
    (["{data}", "-o", "{new}", "--freeze-network"], "--freeze-network: give --init-from NETWORK, of which"),
    (["{data}", "-o", "{new}", "--komi-input"], "--komi-input: only a value head takes komi"),
    (["{data}", "-o", "{new}", "--moves", "9-8"], "--moves 9-8: give the first move and one not before it, say 1-60"),
    (["{data}", "-o", "{new}", "--moves", "400-"], "no training game on 9x9 has 400 moves"),
    (["{data}", "-o", "{new}", "--resume"], "no training run to resume"),
])
def test_bad_arguments_get_one_line_and_status_2(data, tmp_path, capfd, monkeypatch, arguments, line):
    monkeypatch.setattr(train, "build", None)
    arguments = [text.format(data=data.folder, new=tmp_path / "new") for text in arguments]
    assert cli.main(["train", *arguments]) == 2
    errors = capfd.readouterr().err.strip().splitlines()
    assert len(errors) == 1
    assert errors[0].startswith("mugo train: ")
    assert line in errors[0]
    assert not (tmp_path / "new").exists()


def test_a_run_is_not_started_with_a_network_that_could_not_be_read(data, tmp_path, monkeypatch):
    monkeypatch.setattr(train, "build", None)
    config = PolicyNetConfig(size=9, filters=4096, layers=128)
    with pytest.raises(BadInput, match="^a network with --filters 4096 --layers 128 .* has a config of .* weights"):
        train.train(data, tmp_path / "run", config, OPTIONS)


def test_the_minutes_of_a_run_are_measured_with_its_loader():
    """Here the model takes no time, and a batch 0.05 s on each core."""
    class Steps:
        begin = means = store = take = lambda *_: None

    def make(step):
        time.sleep(0.05)
        return (step,)

    rate = loop.training_rate(Steps(), make, 10, DataParallel(1), 1.0)
    assert rate < 1.5 * 10 * available_cores() / 0.05


@pytest.mark.slow
def test_a_run_of_some_minutes_is_the_run_of_as_many_positions(data, tmp_path, monkeypatch):
    """It is measured with the model that is then trained, from its first weights, and compiled once."""
    traced = []
    compute = keras.Model.compute_loss
    monkeypatch.setattr(train, "training_rate", lambda *arguments: (loop.training_rate(*arguments), 3.0)[1])
    monkeypatch.setattr(keras.Model, "compute_loss", lambda *a, **k: (traced.append(1), compute(*a, **k))[1])
    options = replace(OPTIONS, checkpoint_positions=None, positions=1)
    train.train(data, tmp_path / "timed", PLAIN, options, minutes=1.0)
    once = len(traced)
    found = network_file.read_metadata(tmp_path / "timed" / "checkpoint.safetensors")["options"]
    assert found["positions"] == int(0.95 * 3 * 60)
    train.train(data, tmp_path / "counted", PLAIN, replace(options, positions=found["positions"]))
    assert len(traced) == 2 * once
    for ours, theirs in zip(*(weights(tmp_path / name / "checkpoint.safetensors") for name in ("timed", "counted")),
                            strict=True):
        assert np.allclose(ours, theirs, atol=1e-6)


def test_any_folder_holds_a_run(data, tmp_path):
    """The name of its networks is printable, and at most 200 characters long."""
    for name, expected in ("run\N{NO-BREAK SPACE}a", "run?a"), ("a" * 250, "a" * 200):
        model, found = new_training_run(tmp_path / name, data, CONFIG, OPTIONS)
        checkpoint.save(model, tmp_path / "run.safetensors", found)
        assert network_file.read_metadata(tmp_path / "run.safetensors")["name"] == expected


@pytest.mark.parametrize(("name", "line"), [
    ("network.safetensors", "holds a network already: give -o another folder"),
    ("previous.safetensors", "holds a training run already: --resume continues it")])
def test_networks_are_not_overwritten(data, tmp_path, monkeypatch, capsys, name, line):
    monkeypatch.setattr(train, "build", None)
    (tmp_path / name).write_bytes(b"downloaded")
    assert cli.main(["train", str(data.folder), "-o", str(tmp_path)]) == 2
    assert line in capsys.readouterr().err
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, b"downloaded")]


@pytest.mark.runs
def test_ctrl_c_on_the_command_line_ends_with_130_and_a_checkpoint(data, tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-m", "mugo", "train", str(data.folder), "-o", str(run), "--filters", "8",
               "--checkpoint-positions", "128", "--batch-size", "16", "--positions", "1e6"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        while running.poll() is None and not (run / "checkpoint.safetensors").exists():
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130
    assert "Traceback" not in errors
    assert errors.strip().endswith("interrupted; what was saved is complete, and --resume continues")


@pytest.mark.runs
def test_a_run_with_checkpoints_by_time_is_resumed_exactly(data, tmp_path, monkeypatch):
    """Stopped at its first checkpoint, after one batch, it ends as a run whose checkpoints are elsewhere."""
    options = replace(OPTIONS, batch_size=16, checkpoint_positions=384)
    train.train(data, tmp_path / "by-positions", PLAIN, options)
    by_time = replace(options, checkpoint_positions=None)
    saved = Checkpoints.save

    def interrupted(self):
        saved(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "save", interrupted)
    monkeypatch.setattr(TrainingOptions, "interval_steps", lambda *_: 1)
    with pytest.raises(KeyboardInterrupt):
        train.train(data, tmp_path / "by-time", PLAIN, by_time)
    monkeypatch.undo()
    train.train(data, tmp_path / "by-time", PLAIN, by_time, resume=True)
    logs = [pd.read_csv(tmp_path / name / "log.csv") for name in ("by-positions", "by-time")]
    assert logs[0]["positions"].tolist() == [384] and logs[0]["step"].tolist() == [24]
    assert logs[1]["step"].tolist() == [1, by_time.decay_start_step, 24]
    for ours, theirs in zip(*(weights(tmp_path / name / "checkpoint.safetensors")
                              for name in ("by-positions", "by-time")), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("batch_size, positions, size, count", [
    (16, 20_000, 64, 64), (128, 20_000, 128, 32), (1024, 20_000, 256, 16), (1024, 100, 256, 1), (128, 1000, 128, 7)])
def test_statistics_are_recalibrated_in_float32_on_batches_of_about_the_run_s_size(monkeypatch, batch_size, positions,
                                                                                  size, count):
    monkeypatch.setattr(train, "examples", lambda batch, config: (batch,))
    monkeypatch.setattr(train, "AveragedModel", lambda model, averaged, batches: (averaged, batches))
    stream = SimpleNamespace(options=replace(OPTIONS, batch_size=batch_size, precision="mixed_bfloat16"),
                             positions=range(positions), batch=lambda step, size, seed: (step, size, seed))
    averaged, batches = train.averaged_model(random_model(CONFIG), stream, CONFIG)
    assert batches == [(step, size, OPTIONS.seed + 1) for step in range(count)]
    assert {layer.compute_dtype for layer in averaged.layers if layer.weights} == {"float32"}    # as it is played
