"""Training: it learns, it stops and goes on exactly, and its files are whole at every moment."""
import contextlib
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from random_records import write_games

from mugo import cli
from mugo.data import positions, preprocess
from mugo.files import BadInput
from mugo.nn import metadata

train = pytest.importorskip("mugo.training.train")
layers, learning = train.policy_net, train.losses

SHAPE = layers.Architecture(size=9, filters=4, layers=3, value=True)
# Adam, because tracing Muon takes TensorFlow seconds a run.
OPTIONS = train.Options(positions=384, batch_size=16, round_positions=128, validation_positions=64, optimizer="adam",
                        learning_rate=2e-3)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_games(folder / "sgf", range(20), plies=40)
    return preprocess.preprocess([str(folder / "sgf")], folder / "set", workers=1, validation=0.2, test=0.2)


@pytest.fixture(scope="module")
def unbroken(data, tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "unbroken"
    train.train(data, run, SHAPE, OPTIONS)
    return run


def weights(path) -> list[np.ndarray]:
    model = layers.load(path)
    return model.get_weights() + [np.asarray(v) for v in model.optimizer.variables]


def timeless(run) -> pd.DataFrame:
    return pd.read_csv(run / "log.csv").drop(columns=["seconds", "positions_per_second"])


def test_a_run_leaves_checkpoints_a_network_a_log_and_a_curve(unbroken):
    names = {path.name for path in unbroken.iterdir()}
    assert names >= {"checkpoint.keras", "checkpoint.previous.keras", "network.keras", "log.csv", "curve.png"}
    assert not [name for name in names if name.startswith(".")]
    log = pd.read_csv(unbroken / "log.csv")
    assert log["step"].tolist() == [8, 16, 24]
    assert log["positions"].tolist() == [128, 256, 384]
    assert not log[["loss", "ce", "top1", "top5", "value_error", "validation_ce"]].isna().any().any()
    assert log["loss"].iloc[-1] < log["loss"].iloc[0]


def test_resumed_after_an_interrupt_it_ends_as_if_unbroken(data, unbroken, tmp_path, monkeypatch):
    saved = train.Keep.save

    def interrupted(self):
        saved(self)
        if len(self.about["history"]) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(train.Keep, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train.train(data, tmp_path / "run", SHAPE, OPTIONS)
    monkeypatch.undo()
    train.train(data, tmp_path / "run", SHAPE, OPTIONS, resume=True)
    assert timeless(tmp_path / "run").round(5).equals(timeless(unbroken).round(5))
    for ours, theirs in zip(weights(tmp_path / "run" / "checkpoint.keras"), weights(unbroken / "checkpoint.keras"),
                            strict=True):
        assert np.allclose(ours, theirs, atol=1e-6)


@pytest.mark.runs
def test_killed_at_any_moment_it_can_be_resumed(data, unbroken, tmp_path):
    """kill -9 while rounds of a few steps follow each other, three times at other moments."""
    run = tmp_path / "run"
    program = (f"from pathlib import Path\nfrom mugo.data import dataset\nfrom mugo.training import train\nimport sys\n"
               f"train.train(dataset.load_dataset({str(data.folder)!r}), Path({str(run)!r}), "
               f"train.{SHAPE!r}, train.{OPTIONS!r}, resume=sys.argv[1] == 'resume')")
    for delay in (0.0, 0.3, 0.6):
        begun = (run / "checkpoint.keras").exists()
        running = subprocess.Popen([sys.executable, "-c", program, "resume" if begun else "new"],
                                   stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        before = (run / "checkpoint.keras").stat().st_mtime_ns if begun else None
        while running.poll() is None and (not (run / "checkpoint.keras").exists()
                                          or (run / "checkpoint.keras").stat().st_mtime_ns == before):
            time.sleep(0.01)
        time.sleep(delay)
        running.send_signal(signal.SIGKILL)
        running.wait()
    train.train(data, run, SHAPE, OPTIONS, resume=True)
    assert timeless(run).round(4).equals(timeless(unbroken).round(4))


@pytest.mark.runs
@pytest.mark.parametrize(("positions", "held"), [(384, [8, 16]), (96, [])])
def test_a_run_made_longer_is_the_run_that_was_begun_longer(data, tmp_path, positions, held):
    """It is taken up before the learning rate went down, in a run of one round at its beginning, and its batches and
    rates are the longer run's."""
    short, long = (replace(OPTIONS, warm_up=2, hold=0.7, positions=count) for count in (positions, 640))
    train.train(data, tmp_path / "long", SHAPE, long)
    train.train(data, tmp_path / "run", SHAPE, short)
    best = metadata.read_metadata(tmp_path / "run" / "network.keras")["best"]
    assert [row["step"] for row in train.newest(tmp_path / "run", ("held.keras",))[1]["history"]] == held
    train.train(data, tmp_path / "run", SHAPE, long, resume=True)
    assert timeless(tmp_path / "run").round(4).equals(timeless(tmp_path / "long").round(4))
    for ours, theirs in zip(weights(tmp_path / "run" / "checkpoint.keras"),
                            weights(tmp_path / "long" / "checkpoint.keras"), strict=True):
        assert np.allclose(ours, theirs, atol=1e-5)
    kept = metadata.read_metadata(tmp_path / "run" / "network.keras")["best"]
    assert kept["validation_ce"] <= best["validation_ce"]


def test_where_the_newest_checkpoint_is_damaged_the_one_before_is_taken(data, unbroken, tmp_path):
    for name in "checkpoint.keras", "checkpoint.previous.keras":
        (tmp_path / name).write_bytes((unbroken / name).read_bytes())
    assert train.newest(tmp_path)[1]["history"][-1]["step"] == 24
    damaged = bytearray((tmp_path / "checkpoint.keras").read_bytes())
    damaged[len(damaged) // 2] ^= 255
    (tmp_path / "checkpoint.keras").write_bytes(damaged)
    assert train.newest(tmp_path)[1]["history"][-1]["step"] == 16


def test_a_finished_run_stays_as_it_is_and_is_not_made_shorter(data, unbroken, capsys):
    before = (unbroken / "checkpoint.keras").read_bytes()
    train.train(data, unbroken, SHAPE, OPTIONS, resume=True)
    assert "is finished: 24 steps of 16 positions" in capsys.readouterr().out
    with pytest.raises(BadInput, match="gone too far to become a run of 256 positions"):
        train.train(data, unbroken, SHAPE, replace(OPTIONS, positions=256), resume=True)
    assert (unbroken / "checkpoint.keras").read_bytes() == before


def test_the_learning_rate_climbs_holds_and_goes_down():
    options = train.Options(positions=1000 * 16, batch_size=16, learning_rate=1.0, warm_up=10, hold=0.5, last_rate=0.1)
    rate = [float(options.schedule()(step)) for step in range(options.steps + 1)]
    assert rate[0] == pytest.approx(0.1)
    assert rate[9:options.hold_steps + 1] == pytest.approx([1.0] * (options.hold_steps - 8))
    assert rate[(options.hold_steps + options.steps) // 2] == pytest.approx(0.55, abs=0.01)
    assert rate[-1] == pytest.approx(0.1)


def test_a_network_begins_with_the_weights_of_another(data, unbroken, tmp_path):
    """Exactly, but for the bias per point, which is fitted to another board; a value head only if asked for."""
    start = unbroken / "network.keras"
    theirs = {layer.name: layer.get_weights() for layer in layers.load(start).layers}
    for size, value in ((9, True), (13, False)):
        model = layers.build(replace(SHAPE, size=size, value=value))
        about = layers.begin_with(model, replace(SHAPE, size=size, value=value), start)
        assert about["name"] == "unbroken"
        for layer in model.layers:
            if layer.get_weights() and (size == 9 or layer.name != "point_bias"):
                assert all(np.array_equal(a, b) for a, b in
                           zip(layer.get_weights(), theirs[layer.name], strict=True)), layer.name
    for other in ({"filters": 3}, {"layers": 6}, {"norm": False}):
        with pytest.raises(BadInput, match=r"'filters': 4.*but this one is"):
            layers.begin_with(model, replace(SHAPE, **other), start)
    train.train(data, tmp_path / "run", SHAPE, replace(OPTIONS, positions=128), start=str(start))
    about = metadata.read_metadata(tmp_path / "run" / "network.keras")
    assert about["start"]["name"] == "unbroken"
    assert about["options"]["first"] == 24
    assert metadata.positions_trained(about) == about["best"]["positions"] + about["start"]["best"]["positions"]


def test_what_begins_with_a_network_learns_from_other_positions(data, unbroken, tmp_path, monkeypatch):
    """On two runs in a row the stream of batches goes on, also where the second has other batches."""
    steps = []
    batch_of = positions.Positions.shuffled_batch
    monkeypatch.setattr(positions.Positions, "shuffled_batch", lambda self, step, size, seed, symmetry=True: (
        steps.append((step, size, seed)), batch_of(self, step, size, seed, symmetry))[1])
    for name, start, size, first in (("second", unbroken, 16, 24), ("third", tmp_path / "second", 64, 8)):
        steps.clear()
        train.train(data, tmp_path / name, SHAPE, replace(OPTIONS, positions=128, batch_size=size), start=str(start))
        learned = {step for step, asked, seed in steps if (asked, seed) == (size, OPTIONS.seed)}
        assert min(learned) == first


def test_muon_makes_the_update_of_a_kernel_orthogonal():
    """All singular values of an update are near one; those of the gradient spread over three powers of ten."""
    rng = np.random.default_rng(0)
    spread = rng.normal(size=(72, 16)) * np.logspace(0, -3, 16)
    update = np.asarray(learning.Muon().zeropower_via_newtonschulz5(
        layers.ops.convert_to_tensor(spread.reshape(3, 3, 8, 16).astype(np.float32)), 5))
    values = np.linalg.svd(update.reshape(72, 16), compute_uv=False)
    assert update.shape == (3, 3, 8, 16)
    assert values.max() < 1.3
    assert np.median(values) > 0.5


@pytest.mark.parametrize("optimizer", learning.OPTIMIZERS)
def test_both_optimizers_learn_and_are_saved(data, tmp_path, optimizer):
    train.train(data, tmp_path / "run", SHAPE, replace(OPTIONS, optimizer=optimizer, symmetry=False))
    log = pd.read_csv(tmp_path / "run" / "log.csv")
    assert log["loss"].iloc[-1] < log["loss"].iloc[0]
    assert type(layers.load(tmp_path / "run" / "checkpoint.keras").optimizer) is learning.OPTIMIZERS[optimizer]


def test_a_damaged_checkpoint_gives_way_to_the_one_before(unbroken, tmp_path):
    for name in ("checkpoint.keras", "checkpoint.previous.keras"):
        (tmp_path / name).write_bytes((unbroken / name).read_bytes())
    whole = (tmp_path / "checkpoint.keras").read_bytes()
    (tmp_path / "checkpoint.keras").write_bytes(whole[:len(whole) // 2])
    assert train.newest(tmp_path)[1]["history"][-1]["step"] == 16
    (tmp_path / "checkpoint.previous.keras").unlink()
    with pytest.raises(BadInput, match="no training run to resume"):
        train.newest(tmp_path)


def test_a_run_is_not_overwritten(data, unbroken, capsys):
    with pytest.raises(BadInput, match="--resume goes on with it"):
        train.train(data, unbroken, SHAPE, OPTIONS)


def test_without_norm_and_value_the_log_has_the_same_names(data, tmp_path):
    shape = layers.Architecture(size=9, filters=4, layers=3, norm=False, pooling=False)
    train.train(data, tmp_path / "run", shape, OPTIONS)
    log = pd.read_csv(tmp_path / "run" / "log.csv")
    assert not log[["loss", "ce", "top1", "top5", "validation_top1"]].isna().any().any()


def test_without_point_bias_smoothed_and_on_some_moves_it_learns_and_goes_on(data, tmp_path):
    shape, options = replace(SHAPE, point_bias=False), replace(OPTIONS, moves="11-30", smoothing=0.1, positions=128)
    run = tmp_path / "run"
    train.train(data, run, shape, options)
    train.train(data, run, shape, replace(options, positions=256), resume=True)
    model = layers.load(run / "checkpoint.keras")
    assert not np.asarray(model.get_layer("point_bias").bias).any()
    assert model.loss["policy"].smoothing == 0.1
    log = pd.read_csv(run / "log.csv")
    assert log["step"].tolist() == [8, 16]


def test_the_smoothed_loss_is_the_cross_entropy_with_smoothed_answers():
    rng = np.random.default_rng(0)
    scores, moves = rng.normal(size=(5, 26)).astype(np.float32), rng.integers(26, size=5)
    log_p = scores - np.log(np.exp(scores).sum(1, keepdims=True))
    answers = np.full((5, 26), 0.2 / 26)
    answers[np.arange(5), moves] += 0.8
    wanted = -(answers * log_p).sum(1).mean()
    for shaped in (moves, moves[:, None]):
        assert float(learning.Smoothed(0.2)(shaped, scores)) == pytest.approx(wanted, rel=1e-5)


def test_a_network_overfits_a_few_positions(data):
    """What it is to learn is learnable: planes, answers and turns belong together."""
    layers.keras.utils.set_random_seed(0)
    model = layers.build(layers.Architecture(size=9, filters=32, norm=True))
    learning.compile_for_training(model, 5e-3, 0.0, has_value=False)
    batch = data.positions("train").shuffled_batch(0, 32, 0)
    for _ in range(60):
        logs = model.train_on_batch(batch.packed, train.targets_of(batch, False), return_dict=True)
        model.reset_metrics()
    assert train.plain(logs)["top1"] > 0.9


def test_feeders_keep_the_order_of_batches_whatever_their_threads_do():
    feeder = train.Feeder(lambda step: (step, time.sleep(0.003 * (step % 3))), 5, threads=4, ahead=8)
    assert [next(feeder)[0] for _ in range(40)] == list(range(5, 45))
    feeder.close()
    assert len(list(feeder)) <= 8 + 4                    # what was made already; then it ends


def test_what_goes_wrong_in_a_feeder_is_raised_where_it_is_used():
    feeder = train.Feeder(lambda step: 1 // (3 - step), 1, threads=2)
    assert next(feeder) == 0
    assert next(feeder) == 1
    with pytest.raises(ZeroDivisionError):
        next(feeder)
    feeder.close()


@pytest.mark.parametrize(("arguments", "line"), [
    (["/nowhere", "-o", "x"], "/nowhere is not a data set: meta.json is missing"),
    (["{data}", "-o", "{new}", "--layers", "2"], "--layers 2: must be at least 3"),
    (["{data}", "-o", "{new}", "--positions", "0"], "--positions 0: must be at least 1"),
    (["{data}", "-o", "{new}", "--positions", "inf"], "--positions inf: must be finite"),
    (["{data}", "-o", "{new}", "--minutes", "nan"], "--minutes nan: must be above 0"),
    (["{data}", "-o", "{new}", "--learning-rate", "nan"], "--learning-rate nan: must be above 0"),
    (["{data}", "-o", "{new}", "--learning-rate", "2"], "--learning-rate 2: must be at most 1"),
    (["{data}", "-o", "{new}", "--validation-positions", "0"], "--validation-positions 0: must be at least 1"),
    (["{data}", "-o", "{new}", "--seed", "-1"], "--seed -1: must be at least 0"),
    (["{data}", "-o", "{new}", "--size", "20"], "--size 20: must be at most 19"),
    (["{data}", "-o", "{new}", "--size", "19"], "no train games on 19x19"),
    (["{data}", "-o", "{new}", "--smoothing", "1.5"], "--smoothing 1.5: must be at most 1"),
    (["{data}", "-o", "{new}", "--moves", "30"], "--moves 30: the first and last move are needed, say 1-60"),
    (["{data}", "-o", "{new}", "--moves", "0-9"], "--moves 0-9: the first and last move are needed, say 1-60"),
    (["{data}", "-o", "{new}", "--moves", "9-8"], "--moves 9-8: the first and last move are needed, say 1-60"),
    (["{data}", "-o", "{new}", "--moves", "100-"], "no train game on 9x9 has 100 moves"),
    (["{data}", "-o", "{new}", "--resume"], "holds no training run to resume"),
])
def test_bad_arguments_get_one_line_and_status_2(data, tmp_path, capfd, arguments, line):
    arguments = [text.format(data=data.folder, new=tmp_path / "new") for text in arguments]
    assert cli.main(["train", *arguments]) == 2
    errors = capfd.readouterr().err.strip().splitlines()
    assert len(errors) == 1
    assert errors[0].startswith("mugo train: ")
    assert line in errors[0]


def test_ctrl_c_on_the_command_line_ends_with_130_and_a_checkpoint(data, tmp_path):
    run = tmp_path / "run"
    command = [sys.executable, "-m", "mugo", "train", str(data.folder), "-o", str(run), "--filters", "8",
               "--round-positions", "128", "--batch-size", "16", "--positions", "1e6"]
    # A shell starts what runs in its background with Ctrl-C ignored; a terminal does not.
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    try:
        while running.poll() is None and not (run / "checkpoint.keras").exists():
            time.sleep(0.05)
        for _ in range(4):               # Python drops a Ctrl-C that comes in the middle of a destructor
            running.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                _, errors = running.communicate(timeout=20)
                break
    finally:
        running.kill()
    assert running.returncode == 130
    assert "Traceback" not in errors
    assert errors.strip().endswith("stopped; nothing that was saved is lost")
