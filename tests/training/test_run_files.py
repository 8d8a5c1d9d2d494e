"""The files of a run: killed at any operation of saving, it has the state that it saves or the one before; a run that
diverges keeps its last good files."""
import errno
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from networks import checkpoint, tensors_of, without_int8
from small_runs import CONFIG, OPTIONS, train
from tqdm import tqdm

from mugo.core.files import BadInput
from mugo.games import planes
from mugo.nn import network_file, quantization
from mugo.nn.inference import Network, has_exact_int8
from mugo.training import loop
from mugo.training.loop import Checkpoints
from mugo.training.loader import TrainingStream, select_positions, validation_batch
from mugo.training.options import FORMER_OPTIONS, check_training_run


def files_of(run) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run.iterdir() if path.is_file()}


class Averaged:
    """An AveragedModel whose model is the given one."""

    def __init__(self, model):
        self.model = model

    def update_ema_model(self):
        return self

    def evaluate(self, *_, **__):
        return {"loss": 2.0, "policy_ce": 2.0, "policy_top1": 0.1, "policy_top5": 0.3, "value_mse": 1.0}

    @property
    def weights(self):
        return self.model.weights


def checkpoints_of(unbroken, folder, name: str):
    """The Checkpoints of a copy of the finished run, which is at this checkpoint, and the copy."""
    run = folder / "run"
    shutil.copytree(unbroken, run, ignore=shutil.ignore_patterns("tensorboard"))
    shutil.copy(unbroken / name, run / "checkpoint.safetensors")
    model, found = checkpoint.latest_checkpoint(run, check_training_run, train.compiled_model)
    one = np.zeros((1, 81, planes.PACKED), np.uint8), {"policy": np.zeros(1, np.int32)}      # too few for an int8 graph
    return Checkpoints(model, run, OPTIONS, found, tqdm(disable=True), Averaged(model), one,
                       SimpleNamespace(write_checkpoint=lambda row: None)), run


# ---- a run that diverges

def poison(monkeypatch, step: int) -> None:
    """Let the outcomes be NaN from this training step on."""
    batch_of = TrainingStream.batch

    def batch(self, number, size, *args):
        made = batch_of(self, number, size, *args)
        return made._replace(outcomes=np.full(size, np.nan)) if size == OPTIONS.batch_size and number >= step else made

    monkeypatch.setattr(TrainingStream, "batch", batch)


@pytest.mark.runs
def test_a_run_that_diverges_is_stopped_and_continues_from_its_last_checkpoint_more_slowly(data, tmp_path, monkeypatch):
    run = tmp_path / "run"
    poison(monkeypatch, 9)
    written = {}
    saved = Checkpoints.save
    monkeypatch.setattr(Checkpoints, "save", lambda self: (saved(self), written.update(files_of(run))))
    with pytest.raises(BadInput, match=r"run: training has diverged: at step 16 the loss is nan; the files of step 8 "
                                       "are unchanged: continue from them with --resume --learning-rate 0.001, or "
                                       "lower"):
        train.train(data, run, CONFIG, OPTIONS)
    kept = files_of(run)                                             # the log has one line more
    assert kept | {"metrics.jsonl": b""} == written | {"metrics.jsonl": b""} and "network.safetensors" in written
    monkeypatch.undo()
    train.train(data, run, CONFIG, replace(OPTIONS, learning_rate=5e-4), resume=True)
    found = checkpoint.latest_checkpoint(run, check_training_run, train.compiled_model)[1]
    assert found["learning_rates"] == [{"step": 8, "before": 2e-3, "after": 5e-4}]
    assert [row["step"] for row in found["history"]] == [8, 16, 24]
    assert found["history"][1]["learning_rate"] == pytest.approx(5e-4)


@pytest.mark.slow
def test_a_run_that_diverges_before_its_first_checkpoint_is_started_again(data, tmp_path, monkeypatch, eagerly):
    run = tmp_path / "run"
    poison(monkeypatch, 0)
    with pytest.raises(BadInput, match=r"at step \d+ the loss is nan; there is no checkpoint yet: start again with "
                                       "--learning-rate 0.001, or lower"):
        train.train(data, run, CONFIG, OPTIONS)
    names = {path.name for path in run.iterdir()}
    assert names - {"tensorboard"} == {"pre-decay.safetensors", "options.toml"}


def test_a_network_whose_validation_is_nan_does_not_become_the_best(data, unbroken, tmp_path):
    """Nor does a row whose metrics are not numbers reach the history, against which later ones are compared."""
    each, run = checkpoints_of(unbroken, tmp_path, "checkpoint.safetensors")
    before = files_of(run)
    for name, value in ("loss", np.inf), ("policy_ce", np.nan):
        with pytest.raises(BadInput, match=f"at step 24 {name.removeprefix('policy_')} is {value}"):
            each.begin()
            each.write(24, dict.fromkeys(
                ("loss", "policy_ce", "policy_top1", "policy_top5", "value_mse"), 1.0) | {name: value})
    for name, value in ("loss", np.nan), ("policy_ce", np.inf):
        with pytest.raises(BadInput, match=f"at step 24 validation_{name.removeprefix('policy_')} is {value}"):
            next_checkpoint(each, 24, **{name: value})
    # A ReLU may hide NaN in the weights from all metrics.
    good = checkpoint.load(run / "network.safetensors")
    each.averaged = Averaged(good)
    for bad in each.model, good:
        kernel = bad.get_layer("conv0").kernel
        old = np.array(kernel)
        kernel.assign(np.full(old.shape, np.nan))
        with pytest.raises(BadInput, match="at step 24 conv0/kernel is infinite or NaN"):
            each.begin()
            each.write(24, {"loss": 1.0})
        kernel.assign(old)
    assert files_of(run).items() >= before.items()
    assert len(each.metadata["history"]) == 3


# ---- the best checkpoint

def next_checkpoint(each, step: int, **metrics: float) -> None:
    """A checkpoint at this step, whose validation has these metrics."""
    each.model.optimizer.iterations.assign(step)
    each.averaged.evaluate = lambda *_, **__: {
        "loss": 2.0, "policy_ce": 2.0, "policy_top1": 0.1, "policy_top5": 0.3, "value_mse": 1.0} | metrics
    each.begin()
    each.write(step, dict.fromkeys(("loss", "policy_ce", "policy_top1", "policy_top5", "value_mse"), 1.0))


def test_the_best_checkpoint_is_that_of_the_least_validation_loss_whatever_its_policy(unbroken, tmp_path):
    each, run = checkpoints_of(unbroken, tmp_path, "checkpoint.safetensors")
    each.averaged = Averaged(checkpoint.load(run / "network.safetensors"))
    best = []
    for step, (loss, ce) in enumerate([(0.9, 9.0), (1.0, 1.0), (0.8, 9.0)], start=25):     # better value; policy; value
        next_checkpoint(each, step, loss=loss, policy_ce=ce)
        best.append(network_file.read_metadata(run / "network.safetensors")["best"]["step"])
    assert best == [25, 25, 27]
    assert pd.read_csv(run / "log.csv")["validation_loss"].tolist()[-3:] == [0.9, 1.0, 0.8]


# ---- int8

@pytest.mark.slow
@pytest.mark.skipif(not has_exact_int8(), reason="this processor has no VNNI instructions")
def test_a_run_is_quantised_once_at_its_end_also_if_it_was_killed_before(data, tmp_path, monkeypatch, eagerly):
    """Until then its network is played in float32."""
    run, options, quantised = tmp_path / "run", replace(OPTIONS, positions=32, checkpoint_positions=16), []
    quantize = quantization.quantize
    monkeypatch.setattr("mugo.nn.quantization.quantize", lambda *args: (quantised.append(1), quantize(*args))[1])
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(train, "add_int8", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        train.train(data, run, CONFIG, options)
    assert len(pd.read_csv(run / "log.csv")) == 2 and not quantised
    assert Network(run, threads=1).precision == "float32" and "quantization" not in network_file.read_metadata(
        run / "network.safetensors")
    train.train(data, run, CONFIG, options, resume=True)
    assert quantised == [1] and Network(run, threads=1, precision="int8").precision == "int8"
    best = network_file.read_metadata(run / "network.safetensors")["best"]
    assert best == checkpoint.latest_checkpoint(run, check_training_run, train.compiled_model)[1]["best"]


def test_a_network_that_cannot_be_quantised_stays_as_it_is_and_a_line_says_why(unbroken, tmp_path, capsys):
    run = tmp_path / "run"
    run.mkdir()
    without_int8(unbroken / "network.safetensors").replace(run / "network.safetensors")
    before = files_of(run)
    loop.add_int8(run, (np.zeros((1, 81, planes.PACKED), np.uint8), {"policy": np.zeros(1, np.int32)}))
    assert files_of(run) == before
    assert capsys.readouterr().err == (f"mugo: {run / 'network.safetensors'}: int8 takes at least two positions to "
                                       "calibrate on; the network is played in float32\n")


def test_a_full_disk_while_a_finished_run_is_quantised_is_a_message(unbroken, tmp_path, capsys, monkeypatch):
    run = tmp_path / "run"
    run.mkdir()
    without_int8(unbroken / "network.safetensors").replace(run / "network.safetensors")
    before = files_of(run)

    def full_disk(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(loop, "quantize_file", full_disk)
    loop.add_int8(run, (np.zeros((2, 81, planes.PACKED), np.uint8), {"policy": np.zeros(2, np.int32)}))
    assert files_of(run) == before
    assert capsys.readouterr().err == (f"mugo: {run / 'network.safetensors'}: int8: No space left on device; the "
                                       "network is played in float32\n")


# ---- killed while it saves

class Killed(BaseException):
    """Raised by every operation on files from the moment of death on, also in `finally`."""


OPERATIONS = [(os, "link"), (os, "replace"), (os, "rename"), (os, "unlink"), (os, "fsync"),
              (Path, "write_bytes"), (Path, "write_text")]


def die_at(monkeypatch, number: int) -> list[str]:
    """Let operation `number` on files, and all after it, not happen; returns the names of those that are tried."""
    tried = []

    def until_death(real, name: str):
        def operation(*arguments, **named):
            tried.append(name)
            if len(tried) > number:
                raise Killed
            return real(*arguments, **named)
        return operation

    for owner, name in OPERATIONS:
        monkeypatch.setattr(owner, name, until_death(getattr(owner, name), name))
    return tried


@pytest.mark.runs
def test_killed_at_any_operation_of_saving_the_run_has_this_state_or_the_one_before(data, unbroken, tmp_path,
                                                                                    monkeypatch):
    """The state before is at step 16, where the learning rate has not decayed; the one that is saved differs in one
    weight and is better."""
    each, run = checkpoints_of(unbroken, tmp_path, "previous.safetensors")
    (run / "pre-decay.safetensors").unlink()
    shutil.copy(unbroken / "previous.safetensors", run / "pre-decay.safetensors")
    before = tmp_path / "before"
    shutil.copytree(run, before)
    model, found = each.model, each.metadata
    row = found["history"][-1] | {"step": 17, "validation_loss": 1.0}
    best = found["best"]
    each.options = replace(OPTIONS, decay_start=0.71)                # 17 of 24 steps
    old = np.array(model.get_layer("conv0").kernel)
    model.get_layer("conv0").kernel.assign(old + 1)
    found["history"].append(row)
    whole = set(files_of(before).values())
    number, seen = 0, set()
    while True:
        shutil.rmtree(run)
        shutil.copytree(before, run)
        found["best"] = best
        with monkeypatch.context() as patched:
            tried = die_at(patched, number)
            try:
                each.save()
                break
            except Killed:
                number += 1
        for name in "checkpoint.safetensors", "previous.safetensors", "pre-decay.safetensors", "network.safetensors":
            assert tensors_of(run / name)
            step = network_file.read_metadata(run / name)["best"]["step"]
            assert (run / name).read_bytes() in whole or step == 17, (name, tried)
            if name == "checkpoint.safetensors":
                seen.add(step)
                assert np.array_equal(tensors_of(run / name)["conv0/kernel"], old + (step == 17)), tried
    assert seen == {16, 17} and number > 15
    found = network_file.read_metadata(run / "pre-decay.safetensors")
    assert found["best"]["step"] == 17 == each.options.decay_start_step
    assert network_file.read_metadata(run / "previous.safetensors")["best"]["step"] == 16
    # Killed before the last of it, the run does the rest when it is resumed.
    shutil.rmtree(run)
    shutil.copytree(before, run)
    found["best"] = best
    with monkeypatch.context() as patched, pytest.raises(Killed):
        die_at(patched, [i for i, name in enumerate(tried) if name == "replace"][2])      # of pre-decay.safetensors
        each.save()
    assert network_file.read_metadata(run / "pre-decay.safetensors")["best"]["step"] == 16
    assert network_file.read_metadata(run / "network.safetensors")["best"]["step"] == 24
    monkeypatch.setattr(train, "train_steps", lambda *_: None)
    train.train(data, run, CONFIG, OPTIONS, resume=True)
    for name in "pre-decay.safetensors", "network.safetensors":
        assert network_file.read_metadata(run / name)["best"]["step"] == 17
    assert pd.read_csv(run / "log.csv")["step"].tolist() == [8, 16, 17]


# ---- resumed

def test_with_another_learning_rate_a_run_continues_from_its_last_checkpoint_and_a_longer_one_from_before_the_decay(
        data, unbroken, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(unbroken, run)
    best = network_file.read_metadata(run / "network.safetensors")["best"]
    positions = [select_positions(data, split, CONFIG, OPTIONS) for split in ("train", "validation")]
    model, found = train.resume_run(run, data, replace(OPTIONS, learning_rate=1e-3), *positions)
    assert int(model.optimizer.iterations) == 24 and found["learning_rates"][0]["after"] == 1e-3
    assert float(model.optimizer.learning_rate) == pytest.approx(1e-5)   # a hundredth of it, at the last step
    checkpoint.save(model, run / "checkpoint.safetensors", found)
    _, found = train.resume_run(run, data, replace(OPTIONS, positions=640, learning_rate=1e-3), *positions)
    assert found["learning_rates"] == [{"step": 16, "before": OPTIONS.learning_rate, "after": 1e-3}]
    shutil.copy(unbroken / "checkpoint.safetensors", run)
    model, found = train.resume_run(run, data, replace(OPTIONS, positions=640), *positions)
    assert int(model.optimizer.iterations) == 16 and "learning_rates" not in found
    assert float(model.optimizer.learning_rate) == pytest.approx(OPTIONS.learning_rate)
    assert found["best"] == best and best["step"] == 24  # network.safetensors, which the longer run has to surpass


def test_validated_and_exported_is_the_averaged_network(data, unbroken):
    network = checkpoint.load(unbroken / "network.safetensors")
    best = network_file.read_metadata(unbroken / "network.safetensors")["best"]
    inputs, targets = validation_batch(data.positions("validation"), OPTIONS, CONFIG)

    def cross_entropy(model) -> float:
        logits = np.asarray(model(inputs)["policy"], np.float64)
        return float(np.mean(np.log(np.exp(logits).sum(1)) - logits[np.arange(len(logits)), targets["policy"]]))

    averaged, newest = (abs(cross_entropy(model) - best["validation_ce"])
                        for model in (network, checkpoint.load(unbroken / "checkpoint.safetensors")))
    assert averaged < 1e-4 and averaged < newest / 5


@pytest.mark.parametrize(("changes", "named"), [
    ({"options": {"batch_size": 16}}, "positions"), ({"options": {"positions": 1, "batch_size": 0}}, "--batch-size 0"),
    ({"options": {"positions": 1, "colour": 1}}, "colour"), ({"rules": {}}, "mugo train"),
    ({"options": {"positions": 1, "label_smoothing": 0.1}}, "options.label_smoothing is 0.1, and this version has no")])
def test_metadata_that_are_not_of_a_run_are_refused_and_the_field_is_named(unbroken, changes, named):
    path = unbroken / "checkpoint.safetensors"
    good = network_file.read_metadata(path)
    check_training_run(good, path)
    check_training_run(good | {"options": good["options"] | FORMER_OPTIONS}, path)
    with pytest.raises(BadInput, match=f"^{re.escape(str(path))}.*{re.escape(named)}"):
        check_training_run(good | changes, path)
