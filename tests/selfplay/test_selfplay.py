"""AlphaZero's loop in small: it learns, it is resumed to the bit whatever kills it, and it does not care which game."""
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mugo.cli import main
from mugo.files import BadInput
from mugo.games import go, gomoku
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.inference import Network
from mugo.selfplay import arena
from mugo.selfplay.arena import Side, Tally, meet, next_level
from mugo.selfplay.parallel import Manner
from mugo.selfplay.replay_buffer import Journal
from mugo.selfplay.selfplay import Options, Run

START = gomoku.Position(3, 3)
CONFIG = AlphaZeroNetConfig.for_game("gomoku", 3, filters=(4, 4), value_units=8)
OPTIONS = Options(24, Manner(simulations=12), at_once=4, update_games=8, steps=2, batch_size=16, window=60,
                  check_games=1000, trial_games=2, seed=5)


@pytest.fixture(autouse=True)
def low_levels(monkeypatch):
    monkeypatch.setattr(arena, "LEVELS", (20, 40))


def weights(run: Run) -> list[np.ndarray]:
    return [np.asarray(w) for w in run.model.get_weights()]


def replayed(folder, games) -> Run:
    """What an unbroken run comes to that plays these games."""
    run = Run(folder, START, CONFIG, OPTIONS, resume=False)
    for game in games:
        run.journal.append(game)
    run.go()
    run.close()
    return run


# A run that kills itself, as kill -9 does, at the worst moments: with half of a game written, in the middle of an
# update, and with a checkpoint written but not yet in its place.
DYING = """
import os, signal, sys
from pathlib import Path
from mugo import files
from mugo.selfplay import arena, replay_buffer, selfplay
sys.path[:0] = [{tests!r}, os.path.dirname({tests!r})]
import test_selfplay as small

arena.LEVELS = (20, 40)
count = [{after}]

def die_at(owner, name, before):
    real = getattr(owner, name)
    def dying(*arguments, **named):
        count[0] -= 1
        if count[0] == 0:
            before(*arguments)
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)
    setattr(owner, name, dying)

def half_a_game(journal_, game):
    journal_._file.write(b"\\x40\\x01\\x00\\x00half")
    journal_._file.flush()

die_at(*{{"append": (replay_buffer.Journal, "append", half_a_game), "learn": (selfplay, "train_step", lambda *_: None),
         "save": (files.os, "replace", lambda *_: None)}}[{where!r}])
run = selfplay.Run(Path({folder!r}), small.START, small.CONFIG, small.OPTIONS, resume={resume})
run.go()
"""


def killed(folder, where: str, after: int, resume: bool) -> None:
    program = DYING.format(tests=os.path.dirname(__file__),
                           folder=str(folder), where=where, after=after, resume=resume)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert done.returncode == -9, done.stderr


@pytest.mark.runs
def test_killed_while_it_plays_learns_and_saves_a_run_comes_to_the_same_weights(tmp_path):
    folder = tmp_path / "run"
    killed(folder, "append", 6, resume=False)
    kept = Journal(folder / "games.journal", START)
    assert len(kept) == 5                                # the half of the sixth is gone, nothing else
    first = kept[:]
    kept.close()
    killed(folder, "learn", 4, resume=True)              # in the second update
    killed(folder, "save", 2, resume=True)
    run = Run(folder, START, CONFIG, OPTIONS, resume=True)
    assert all(np.array_equal(a.moves, b.moves) for a, b in zip(first, run.journal[:5], strict=True))
    run.go()
    games = run.journal[:24]
    assert run.metadata["update"] == 3 and len(run.journal) >= 24
    run.close()
    unbroken = replayed(tmp_path / "unbroken", games)
    assert all(np.array_equal(a, b) for a, b in zip(weights(run), weights(unbroken), strict=True))
    losses = [[row["loss"] for row in one.metadata["history"]] for one in (run, unbroken)]
    assert losses[0] == losses[1]
    assert pd.read_csv(folder / "log.csv")["update"].tolist() == [1, 2, 3]
    assert (folder / "network.keras").exists() and (folder / "trials.csv").exists() and (folder / "curve.png").exists()


def test_it_learns_what_the_games_say(tmp_path):
    """After some games of noughts and crosses it knows better than at random what is worth looking at."""
    options = replace(OPTIONS, games=96, manner=Manner(simulations=60, drawn=3), steps=24, batch_size=64, window=2_000,
                      learning_rate=1e-2, at_once=16)
    config = AlphaZeroNetConfig.for_game("gomoku", 3, filters=(16, 16))
    run = Run(tmp_path / "run", START, config, options, resume=False)
    run.go()
    run.close()
    history = run.metadata["history"]
    assert history[-1]["ce"] < history[0]["ce"] - 0.2
    network = Network(tmp_path / "run" / "network.keras", threads=1)
    priors, values = network.evaluate([START], tta=True)
    assert priors[0].max() > 1.3 / 9 and priors[0, 9] < 0.01       # nobody passes, though there is a place for it
    assert -1 < values[0] < 1
    assert run.metadata["openings"][-1]["priors"] == np.round(priors[0], 4).tolist()


def test_go_on_a_small_board_is_learned_by_the_same_command(tmp_path, capsys):
    folder = tmp_path / "go"
    arguments = ["selfplay", "go", "--size", "3", "-o", str(folder), "--simulations", "8", "--filters", "4",
                 "--value-units", "4", "--update-games", "4", "--steps", "1", "--batch-size", "8", "--at-once", "4",
                 "--check-games", "4", "--trial-games", "2", "--threads", "1", "--most-moves", "12"]
    assert main([*arguments, "--games", "4"]) == 0
    network = Network(folder, threads=1)
    assert network.game == "go" and network.size == 3
    assert network.evaluate([go.Position(3)])[0].shape == (1, 10)
    assert main(["selfplay", "go", "-o", str(folder), "--resume", "--games", "8"]) == 0
    assert "8 games" in capsys.readouterr().out
    assert pd.read_csv(folder / "log.csv")["games"].tolist() == [4, 8]


def test_a_folder_with_a_run_is_not_begun_anew_and_one_without_is_not_resumed(tmp_path, capsys):
    Run(tmp_path / "run", START, CONFIG, OPTIONS, resume=False).close()
    with pytest.raises(BadInput, match="holds a run already: --resume goes on with it"):
        Run(tmp_path / "run", START, CONFIG, OPTIONS, resume=False)
    (tmp_path / "run" / "checkpoint.keras").unlink()     # as if killed before it was there
    Run(tmp_path / "run", START, CONFIG, OPTIONS, resume=False).close()
    assert main(["selfplay", "gomoku", "-o", str(tmp_path / "none"), "--resume"]) == 2
    assert "holds no training run to resume" in capsys.readouterr().err


@pytest.mark.parametrize("arguments, line", [
    (["--size", "6", "--k", "9"], "3 to 6 in a row can win on 6x6, not 9"),
    (["--size", "30"], "a Gomoku board is 3x3 to 19x19, not 30x30"),
    (["--simulations", "1"], "simulations: 2 or more, not 1"),
    (["--games", "-3"], "--games -3: must be at least 1"), (["--games", "9"], "--games 9: must be at least 16"),
    (["--seed", "-1"], "--seed -1: must be at least 0"), (["--decay-start", "2"], "--decay-start 2: must be at most 1"),
    (["--learning-rate", "0"], "--learning-rate 0: must be above 0"),
    (["--filters", "0"], "--filters and the other sizes of the network are 1 or more"),
])
def test_what_makes_no_sense_is_one_line(tmp_path, capsys, arguments, line):
    assert main(["selfplay", "gomoku", "-o", str(tmp_path / "run"), *arguments]) == 2
    assert line in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_learning_rate_is_constant_and_decays():
    options = replace(OPTIONS, games=80, decay_start=0.5, final_lr_fraction=0.1, learning_rate=1.0)
    rates = [options.rate(update) for update in range(1, 11)]
    assert rates[:5] == [1.0] * 5 and rates[-1] == pytest.approx(0.1)
    assert all(a > b for a, b in zip(rates[5:], rates[6:], strict=False))


def test_trials_come_when_they_are_due_and_after_the_last_update():
    options = replace(OPTIONS, games=100, update_games=8, check_games=32)
    assert [update for update in range(1, 13) if options.is_checked(update)] == [4, 8, 12]


# ---- trials

def test_sides_take_turns_with_the_colours_and_the_stronger_wins():
    tally = meet(Side(400), Side(4, drawn=9), gomoku.Position(4, 3), 10, seed=1, threads=2)
    assert tally.games == 10 and tally.score > 0.6
    assert meet(Side(400), Side(4, drawn=9), gomoku.Position(4, 3), 10, seed=1) == tally


def test_a_level_that_is_beaten_is_left_behind():
    assert next_level(0, Tally(8, 0, 2)) == 1 and next_level(0, Tally(7, 1, 2)) == 0
    assert next_level(1, Tally(10, 0, 0)) == 1           # there is none above
    assert str(Tally(1, 2, 3)) == "1 won, 2 drawn, 3 lost" and Tally(1, 2, 3).score == pytest.approx(2 / 6)
