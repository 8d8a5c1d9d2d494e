"""Small runs of self-play: the network learns, a resumed run has the same weights, Go and Gomoku; the arena."""
import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tqdm import tqdm

from mugo.cli.main import main
from mugo.core.files import BadInput
from mugo.core.config import read_config, set_values
from mugo.core.options import given
from mugo.games import go, gomoku
from mugo.nn import inference
from mugo.nn.architectures import AlphaZeroNetConfig
from mugo.nn.caching import BatchingNetwork
from mugo.nn.inference import Network
from mugo.nn.keras import checkpoint
from mugo.nn.keras.backend import keras
from mugo.nn.keras.losses import train_step
from mugo.nn.network_file import read_metadata
from mugo.core.progress import ProgressLog
from mugo.mcts.settings import Settings
from mugo.selfplay import arena
from mugo.selfplay import run as run_module
from mugo.selfplay.actors import NEWEST, ClusterActors, LocalActors
from mugo.selfplay.options import (
    GameOptions, RunOptions, SelfPlayOptions, add_selfplay_arguments, check_selfplay_run)
from mugo.selfplay.replay import ReplayBuffer, game_arguments
from mugo.selfplay.run import SelfPlayRun
from mugo.core.sprt import H0, H1, UNDECIDED

START = gomoku.GomokuPosition(3, 3)
CONFIG = AlphaZeroNetConfig.for_game("gomoku", 3, filters=(4, 4), value_units=8)
OPTIONS = RunOptions(24, SelfPlayOptions(simulations=12), games_per_thread=4, update_games=8, steps=2, batch_size=16,
                     window=60, arena_every=1000, arena_games=24, seed=5, threads=1, training_precision="float32")


@pytest.fixture(autouse=True)
def low_levels(monkeypatch):
    monkeypatch.setattr(arena, "UCT_LEVELS", (20, 40))


@pytest.fixture
def eagerly(monkeypatch):
    """Runs of TensorFlow train step by step, which takes less time for a few steps than tracing a graph."""
    def eager_step(model, *args):
        model.run_eagerly = keras.backend.backend() == "tensorflow"
        return train_step(model, *args)

    monkeypatch.setattr(run_module, "train_step", eager_step)


def weights(run: SelfPlayRun) -> list[np.ndarray]:
    return [np.asarray(w) for w in run.model.get_weights()]


def run_with_games(folder, games) -> SelfPlayRun:
    """An uninterrupted run that trains on these games."""
    run = SelfPlayRun(folder, START, CONFIG, OPTIONS, resume=False)
    for game in games:
        run.buffer.append(game)
    run.run()
    run.close()
    return run


# A run that kills itself, as kill -9 does: while it plays, in the middle of an update, or with a checkpoint written but
# not yet renamed.
KILLED_RUN = """
import os, signal, sys
from pathlib import Path
from mugo.core import files
from mugo.selfplay import arena, replay, run
sys.path[:0] = [{tests!r}, os.path.dirname({tests!r})]
import test_selfplay as small

arena.UCT_LEVELS, replay.SAVE_SECONDS = (20, 40), 0
count = [{after}]

def die_at(owner, name):
    real = getattr(owner, name)
    def dying(*arguments, **named):
        count[0] -= 1
        if count[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)
    setattr(owner, name, dying)

die_at(*{{"append": (replay.ReplayBuffer, "append"), "train": (run, "train_step"),
         "save": (run.checkpoint, "write_tensors")}}[{where!r}])
selfplay = run.SelfPlayRun(Path({folder!r}), small.START, small.CONFIG, small.OPTIONS, resume={resume})
selfplay.run()
"""


def killed(folder, where: str, after: int, resume: bool) -> None:
    program = KILLED_RUN.format(tests=os.path.dirname(__file__), folder=str(folder), where=where, after=after,
                                resume=resume)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == -9, done.stderr


@pytest.mark.runs
def test_a_run_killed_while_it_plays_trains_and_saves_has_the_same_weights(tmp_path):
    folder = tmp_path / "run"
    killed(folder, "append", 6, resume=False)
    first = list(ReplayBuffer(folder, START, 8))
    assert len(first) == 5
    killed(folder, "train", 4, resume=True)              # in the second update
    killed(folder, "save", 2, resume=True)
    run = SelfPlayRun(folder, START, CONFIG, OPTIONS, resume=True)
    assert all(np.array_equal(a.moves, b.moves) for a, b in zip(first, run.buffer, strict=False))
    run.run()
    games = list(run.buffer)
    assert run.metadata["update"] == 3 and len(games) == 24
    run.close()
    unbroken = run_with_games(tmp_path / "unbroken", games)
    assert all(np.array_equal(a, b) for a, b in zip(weights(run), weights(unbroken), strict=True))
    losses = [[row["loss"] for row in one.metadata["history"]] for one in (run, unbroken)]
    assert losses[0] == losses[1]
    assert pd.read_csv(folder / "log.csv")["update"].tolist() == [1, 2, 3]
    assert all((folder / name).exists() for name in ("network.safetensors", "arena.csv", "curve.png"))


@pytest.mark.slow
def test_a_network_learns_tic_tac_toe(tmp_path):
    """After some games of tic-tac-toe the cross-entropy is well below that of random priors."""
    options = replace(OPTIONS, games=96, selfplay=SelfPlayOptions(simulations=60, temperature_moves=3), steps=24,
                      batch_size=64, window=2_000, learning_rate=1e-2, games_per_thread=16)
    config = AlphaZeroNetConfig.for_game("gomoku", 3, filters=(16, 16))
    run = SelfPlayRun(tmp_path / "run", START, config, options, resume=False)
    run.run()
    run.close()
    history = run.metadata["history"]
    assert history[-1]["ce"] < history[0]["ce"] - 0.2
    network = Network(tmp_path / "run" / "network.safetensors", threads=1, precision="float32")
    quantization = network.metadata["quantization"]      # calibrated on the replay buffer
    assert (quantization["positions"], quantization["compared_on"]) == (512, 1024)
    assert quantization["metrics"]["kl"] < 0.01 and quantization["metrics"]["ce_int8"] < history[0]["ce"]
    output = network.evaluate([START], symmetries=True)
    priors, values = output.priors, output.values
    assert priors[0].max() > 1.3 / 9 and priors[0, 9] < 0.01       # the last prior is that of a pass
    assert -1 < values[0] < 1


@pytest.mark.slow
def test_the_same_command_trains_on_go(tmp_path, capsys, eagerly):
    folder = tmp_path / "go"
    arguments = ["selfplay", "go", "--size", "3", "-o", str(folder), "--simulations", "8", "--filters", "4",
                 "--value-units", "4", "--update-games", "4", "--steps", "1", "--batch-size", "8",
                 "--games-per-thread", "4", "--arena-every", "4", "--arena-games", "24", "--threads", "1",
                 "--max-moves", "12"]
    assert main([*arguments, "--games", "4"]) == 0
    network = Network(folder, threads=1)
    assert network.game == "go" and network.size == 3
    assert network.evaluate([go.GoPosition(3)]).priors.shape == (1, 10)
    assert main(["selfplay", "go", "-o", str(folder), "--resume", "--games", "8"]) == 0
    assert "network.safetensors: 8 games" in capsys.readouterr().out
    assert pd.read_csv(folder / "log.csv")["games"].tolist() == [4, 8]


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """A run that has ended, with a best network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arena, "UCT_LEVELS", (20, 40))
        run = SelfPlayRun(tmp_path_factory.mktemp("small") / "run", START, CONFIG, OPTIONS, resume=False)
        run.run()
    yield run
    run.close()


def test_a_run_has_as_many_games_as_were_asked_for(small_run):
    assert len(small_run.buffer) == 24 and small_run.metadata["update"] == 3
    assert small_run.metadata["best"]["update"] == 3 and "best so far" not in str(small_run.metadata["arena"])

    class ActorsAtOnce:
        """Games that end at the same time."""
        simulations = 0

        def play(self, on_game, should_stop):
            for _ in range(3):
                on_game(small_run.buffer[0])

    with tqdm(disable=True) as bar:
        small_run._play(ActorsAtOnce(), 24, bar)
    assert len(small_run.buffer) == 24


@pytest.mark.parametrize("accepted", [H0, UNDECIDED, H1])
def test_only_a_network_that_is_stronger_becomes_the_best(small_run, accepted):
    """After an evaluation of the newest network, while an earlier one is the best."""
    metadata, path = small_run.metadata, small_run.folder / "network.safetensors"
    metadata["best"], best = metadata["history"][0], path.stat().st_ino
    results = [(run_module.BEST, 0, arena.ArenaResult(13, 0, 7, 1.0, accepted)),
               ("UCT, 20 simulations", 20, arena.ArenaResult(13, 0, 7, 1.0, H0))]
    with tqdm(disable=True) as bar:
        small_run._record_arena(results, bar)
    assert metadata["best"]["update"] == (3 if accepted == H1 else 1)
    assert (path.stat().st_ino != best) == (accepted == H1)
    rows = pd.read_csv(small_run.folder / "arena.csv", keep_default_na=False).iloc[-2:]
    assert rows["opponent"].tolist()[0] == "the best so far" and rows["best"].tolist() == [accepted == H1] * 2
    assert rows["accepted"].iloc[0] == accepted and rows["llr"].iloc[0] == 1


def test_the_newest_network_plays_the_best_so_far_and_then_uct(small_run):
    """For real.  The best is this very network: neither side of the first match is told from the other."""
    small_run.metadata |= {"best": small_run.metadata["history"][0], "uct_level": 0, "uct_attempts": 2}
    newest = small_run._newest()
    network = Network.from_weights(newest.weights, newest.metadata, 1)
    results = small_run._arena_results(network, ProgressLog("games", 1))
    assert [opponent for opponent, *_ in results][:2] == ["the best so far", "UCT, 20 simulations"]
    assert all(2 <= result.games <= 24 for *_, result in results)
    beaten = sum(result.is_stronger for *_, result in results[1:])
    assert small_run.metadata["uct_level"] == beaten and (beaten or small_run.metadata["uct_attempts"] == 3)


def test_a_run_whose_games_are_missing_is_not_resumed(small_run, tmp_path, capsys):
    folder = shutil.copytree(small_run.folder, tmp_path / "run")
    (folder / "replay" / "000002.npz").unlink()
    assert main(["selfplay", "gomoku", "-o", str(folder), "--resume"]) == 2
    assert "replay holds 16 games, but the checkpoint was trained on 24" in capsys.readouterr().err


def test_a_run_is_not_overwritten_and_only_a_run_is_resumed(tmp_path, capsys):
    SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=False).close()
    with pytest.raises(BadInput, match="holds a run already: --resume continues it"):
        SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=False)
    (tmp_path / "run" / "checkpoint.safetensors").unlink()     # as if killed before the first checkpoint
    SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=False).close()
    assert main(["selfplay", "gomoku", "-o", str(tmp_path / "none"), "--resume"]) == 2
    assert "no training run to resume" in capsys.readouterr().err


@pytest.mark.parametrize("name, line", [
    ("network.safetensors", "holds a network already: give -o another folder"),
    ("previous.safetensors", "holds a run already: --resume continues it, or give")])
def test_networks_are_not_overwritten(tmp_path, monkeypatch, capsys, name, line):
    monkeypatch.setattr(run_module, "build", None)
    (tmp_path / name).write_bytes(b"downloaded")
    assert main(["selfplay", "gomoku", "-o", str(tmp_path)]) == 2
    assert line in capsys.readouterr().err
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, b"downloaded")]


def test_a_run_that_cannot_begin_leaves_no_folder_and_no_lock(tmp_path):
    with pytest.raises(BadInput, match="there is no network 'nowhere'"):
        SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=False, init="nowhere")
    with pytest.raises(BadInput, match="no training run to resume"):
        SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=True)
    assert not (tmp_path / "run").exists()
    SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=False).close()
    (tmp_path / "run" / "replay").mkdir()
    (tmp_path / "run" / "replay" / "000000.npz").write_bytes(b"nonsense")
    for _ in range(2):
        with pytest.raises(BadInput, match="000000.npz is damaged"):
            SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=True)


def test_the_options_of_a_run_can_be_given_to_another_run(small_run):
    parser = argparse.ArgumentParser()
    add_selfplay_arguments(parser)
    set_values(parser, read_config(small_run.folder / "options.toml"))
    args = parser.parse_args(["gomoku", "-o", "x"])
    start, *others = run_module.new_arguments(args, given(GameOptions, args))
    assert game_arguments(start) == game_arguments(START) and others == [CONFIG, OPTIONS]


def test_a_resumed_run_takes_options_that_are_its_own_and_no_others(tmp_path, capsys, monkeypatch):
    """Every option of the command, except those that may change: none is ignored."""
    folder = tmp_path / "run"
    SelfPlayRun(folder, START, CONFIG, OPTIONS, resume=False).close()
    model = run_module.compiled_model(read_metadata(folder / "checkpoint.safetensors"))
    monkeypatch.setattr(run_module, "compiled_model", lambda _: model)   # once is enough
    parser = argparse.ArgumentParser()
    add_selfplay_arguments(parser)
    base = ["selfplay", "gomoku", "-o", str(folder), "--resume"]
    others = {"precision": "float32", "training_precision": "mixed_bfloat16", "init_from": "gomoku-6-4",
              "arena_games": "30"}
    for action in parser._actions:
        if action.dest in {"help", "game", "output", "resume", "games", "threads", "learning_rate",
                           "provider", "scheduler"}:
            continue
        if isinstance(action, argparse.BooleanOptionalAction):
            given = [action.option_strings[action.dest == "head_batch_norm"]]
        elif action.nargs == 0:
            given = action.option_strings
        else:
            is_float = isinstance(getattr(OPTIONS, action.dest, getattr(OPTIONS.selfplay, action.dest, 0)), float) \
                or action.dest == "komi"
            given = [action.option_strings[0], others.get(action.dest, "0.75" if is_float else "7")]
        assert main([*base, *given]) == 2, given
        error = capsys.readouterr().err
        assert " ".join(given) in error and "run was " in error and error.count("\n") == 1, error
    with pytest.raises(BadInput, match="--update-games 8, not --update-games 4; --simulations 12, not --simulations 9"):
        SelfPlayRun(folder, START, CONFIG, replace(OPTIONS, selfplay=SelfPlayOptions(simulations=9), update_games=4),
                    resume=True)
    assert main(["selfplay", "go", "-o", str(folder), "--resume"]) == 2
    assert "was started with --game gomoku, not --game go" in capsys.readouterr().err
    SelfPlayRun(folder, START, CONFIG, replace(OPTIONS, games=32, threads=2, learning_rate=1e-4), resume=True).close()


def test_a_run_that_diverges_is_stopped_and_keeps_its_files(tmp_path, monkeypatch, eagerly):
    folder = tmp_path / "run"
    real, steps = run_module.train_step, []

    def diverging(model, *batch):
        logs = real(model, *batch)
        steps.append(logs)
        if len(steps) == 4:                              # the last of the second update
            kernel = model.get_layer("conv1").kernel
            kernel.assign(np.full(kernel.shape, np.nan))
        return logs if len(steps) < 6 else logs | {"loss": np.inf}

    monkeypatch.setattr(run_module, "train_step", diverging)
    line = "training has diverged in update 2: the loss or the weights are infinite or NaN; the files of update 1 " \
        "are unchanged: continue from them with --resume --learning-rate 0.001, or lower"
    run = SelfPlayRun(folder, START, CONFIG, OPTIONS, resume=False)
    with contextlib.closing(run), pytest.raises(BadInput, match=line):
        run.run()
    run = SelfPlayRun(folder, START, CONFIG, OPTIONS, resume=True)
    assert run.metadata["update"] == 1 and pd.read_csv(folder / "log.csv")["update"].tolist() == [1]
    with contextlib.closing(run), pytest.raises(BadInput, match=line):   # now by the loss
        run.run()
    assert checkpoint.latest_checkpoint(folder, check_selfplay_run, run_module.compiled_model)[1]["update"] == 1


@pytest.mark.runs
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_an_update_after_its_step_and_the_run_goes_on(tmp_path, monkeypatch, eagerly):
    real, begun, done = run_module.train_step, [], []

    def interrupted(*args):
        begun.append(1)
        if len(begun) == 3:                              # the first of two of the second update
            signal.raise_signal(signal.SIGINT)
        done.append(real(*args))
        return done[-1]

    monkeypatch.setattr(run_module, "train_step", interrupted)
    run = SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=False)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with contextlib.closing(run), pytest.raises(KeyboardInterrupt):
            run.run()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(done) == 3 and run.metadata["update"] == 1
    with contextlib.closing(SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=True)) as resumed:
        resumed.run()
        games = list(resumed.buffer)
    unbroken = run_with_games(tmp_path / "unbroken", games)
    assert all(np.array_equal(a, b) for a, b in zip(weights(resumed), weights(unbroken), strict=True))


@pytest.mark.parametrize("arguments, line", [
    (["--size", "6", "--k", "9"], "3 to 6 in a row can win on 6x6, not 9"),
    (["--size", "2"], "a Gomoku board is 3x3 to 19x19, not 2x2"), (["--simulations", "1"], "--simulations 1"),
    (["--games", "9"], "at least --update-games 16"), (["--arena-games", "20"], "--arena-games 20"),
    (["--decay-start", "2"], "--decay-start 2"),
    (["--filters", "0"], "--filters 0"), (["--simulations", "1e30"], "must be at most 1000000000")])
def test_invalid_options_are_one_line(tmp_path, capsys, arguments, line):
    assert main(["selfplay", "gomoku", "-o", str(tmp_path / "run"), *arguments]) == 2
    assert line in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("arguments, line", [
    (["go", "--komi", "400"], "--komi 400: must be at most 361"),
    (["go", "--k", "5"], "--k is for Gomoku, and this is Go"),
    (["gomoku", "--komi", "0"], "--komi is for Go, and this is Gomoku"),
    (["gomoku", "--filters", "8,5000"], "--filters 8,5000: must be at most 4096")])
def test_a_run_is_not_started_that_could_not_be_resumed(tmp_path, capsys, monkeypatch, arguments, line):
    monkeypatch.setattr(run_module, "build", None)
    assert main(["selfplay", *arguments, "-o", str(tmp_path / "run"), "--games", "16"]) == 2
    assert capsys.readouterr().err == f"mugo selfplay: {line}\n"
    assert not (tmp_path / "run").exists()


def test_a_run_is_not_started_with_a_network_that_could_not_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr("mugo.nn.network_file.MAX_WEIGHTS_BYTES", 1000)
    monkeypatch.setattr(run_module, "build", None)
    with pytest.raises(BadInput, match="^a network with --filters 4,4 .*--value-units 8 has a config of .* weights; "):
        SelfPlayRun(tmp_path / "run", START, CONFIG, OPTIONS, resume=False)
    assert not (tmp_path / "run").exists()


def test_the_learning_rate_is_constant_and_decays():
    options = replace(OPTIONS, games=80, decay_start=0.5, final_lr_fraction=0.1, learning_rate=1.0)
    rates = [options.learning_rate_of(update) for update in range(1, 11)]
    assert rates[:5] == [1.0] * 5 and rates[-1] == pytest.approx(0.1)
    assert all(a > b for a, b in zip(rates[5:], rates[6:], strict=False))


@pytest.mark.parametrize(("changes", "named"), [
    ({"options": {"games": 24, "steps": 0}}, "--steps 0"), ({"options": {"games": 24, "colour": 1}}, "colour")])
def test_metadata_that_are_not_of_a_run_are_refused_and_the_field_is_named(small_run, changes, named):
    path = small_run.folder / "checkpoint.safetensors"
    good = read_metadata(path)
    check_selfplay_run(good, path)
    with pytest.raises(BadInput, match=f"^{re.escape(str(path))}.*{re.escape(named)}"):
        check_selfplay_run(good | changes, path)
    with pytest.raises(BadInput, match="not a checkpoint of `mugo selfplay`"):
        check_selfplay_run({}, path)


@pytest.mark.parametrize("is_fast, precision, expected", [
    (True, "auto", "int8"), (False, "auto", "float32"),
    pytest.param(True, "float32", "float32", marks=pytest.mark.slow)])
def test_games_are_played_in_int8_where_that_is_fast(tmp_path, monkeypatch, eagerly, is_fast, precision, expected):
    monkeypatch.setattr("mugo.nn.inference.has_fast_int8", lambda: is_fast)
    monkeypatch.setattr("mugo.selfplay.run.has_fast_int8", lambda: is_fast)
    played, arena_networks = [], []

    class RecordingActors(LocalActors):
        def play(self, on_game, should_stop):
            played.append({worker.network.precision for worker in self.workers})
            super().play(on_game, should_stop)

    def play_match(first, second, *args, **kwargs):
        arena_networks.append(first.network.precision)
        assert first.settings == Settings(c=OPTIONS.selfplay.c)          # PUCT without noise
        return arena.ArenaResult(1, 0, 0)

    monkeypatch.setattr("mugo.selfplay.run.LocalActors", RecordingActors)
    monkeypatch.setattr("mugo.selfplay.arena.play_match", play_match)
    run = SelfPlayRun(tmp_path / "run", START, CONFIG, replace(OPTIONS, games=16, precision=precision), resume=False)
    run.run()
    run.close()
    assert played == [{"float32"}] + [{expected}] * (len(played) - 1) and len(played) == run.options.updates
    assert set(arena_networks) == {expected}


@pytest.fixture
def batches(monkeypatch):
    """The sizes of the batches that reach a GPU, for which the CPU stands in."""
    sizes, run_waiting = [], BatchingNetwork._run_waiting

    def watched(network):
        time.sleep(0.002)                                # as long as a batch takes
        sizes.append(sum(len(call.packed) for call in network._waiting))
        run_waiting(network)

    monkeypatch.setitem(inference.PROVIDERS, "cuda", inference.PROVIDERS["cpu"])
    monkeypatch.setattr(BatchingNetwork, "_run_waiting", watched)
    return sizes


def test_a_gpu_gets_the_positions_of_all_threads_in_one_batch(tmp_path, eagerly, batches):
    options = replace(OPTIONS, games=16, threads=3, provider="cuda", precision="auto")
    with contextlib.closing(SelfPlayRun(tmp_path / "run", START, CONFIG, options, resume=False)) as run:
        run.run()
        assert len(run.buffer) == 16 and not run._quantises
    assert batches[0] in (6, 12) and max(batches) <= 3 * arena.BATCH     # of a half of the games, or both; in the arena
    seen, on_cpu = len(batches), replace(options, provider="cpu", games=24)
    with contextlib.closing(SelfPlayRun(tmp_path / "run", START, CONFIG, on_cpu, resume=True)) as run:
        run.run()
    assert len(batches) == seen


def test_a_provider_that_is_not_there_is_one_line_and_no_folder(tmp_path, capsys):
    assert main(["selfplay", "gomoku", "-o", str(tmp_path / "run"), "--provider", "cuda"]) == 2
    assert "the installed onnxruntime has cpu" in capsys.readouterr().err and not (tmp_path / "run").exists()


def test_where_the_scheduler_goes_its_error_ends_the_run_and_no_file_is_left(tmp_path):
    class Executor:
        capacity, is_shut_down = 1, False

        def submit(self, function, unit):
            future = Future()
            future.set_exception(BadInput("the scheduler has gone"))
            return future

        def shutdown(self, wait, *, cancel_futures):
            self.is_shut_down = True

    executor = Executor()
    actors = ClusterActors(executor, tmp_path, START, OPTIONS, 0)
    (tmp_path / NEWEST).touch()
    with pytest.raises(BadInput, match="the scheduler has gone"), contextlib.closing(actors):
        actors.play(lambda game: None, lambda: False)
    assert executor.is_shut_down and not (tmp_path / NEWEST).exists()


def test_the_arena_is_held_when_it_is_due_and_after_the_last_update():
    options = replace(OPTIONS, games=87, update_games=8, arena_every=32)
    assert options.updates == 10                         # full ones
    assert [update for update in range(1, 11) if options.has_arena(update)] == [4, 8, 10]
    assert replace(options, games=40).has_arena(6)       # after an interruption, resumed with fewer games
