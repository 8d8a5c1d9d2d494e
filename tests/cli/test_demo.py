"""`mugo demo`: what it runs, and what it refuses before it runs anything."""
from types import SimpleNamespace

import pytest

from mugo.cli import demo
from mugo.cli import main as cli
from mugo.nn.inference import Network
from mugo.nn.network_file import find_network


@pytest.mark.parametrize("minutes", ["0", "-1"])
def test_minutes_out_of_range_are_refused_before_anything_runs(minutes, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "run", lambda log, *arguments: pytest.fail(f"{arguments} was run"))
    assert cli.main(["demo", f"--minutes={minutes}", "-o", str(tmp_path / "demo")]) == 2
    assert f"mugo demo: --minutes {minutes}: must be " in capsys.readouterr().err


def test_a_network_that_was_begun_keeps_its_minutes_and_the_demo_says_so(tmp_path, monkeypatch, capsys):
    commands = []
    monkeypatch.setattr(demo, "Network", lambda path: SimpleNamespace(size=19))
    monkeypatch.setattr(demo, "play_game", lambda folder, network: "B+1.5 in 250 moves")
    monkeypatch.setattr(demo, "accuracy", lambda folder: 0.2)

    def run(log, *arguments):
        commands.append(" ".join(arguments))
        return original(log, *arguments) if arguments[0] == "preprocess" else None

    original = demo.run
    monkeypatch.setattr(demo, "run", run)
    words = ["demo", str(demo.sample_games()), "--minutes", "10", "-o", str(tmp_path)]
    assert cli.main(words) == 0
    assert commands[2] == f"train {tmp_path}/games -o {tmp_path}/run --minutes 10 --checkpoint-positions 16000"
    out = capsys.readouterr().out
    assert "other --minutes" not in out and "106 games to learn from, 12 to test with" in out
    assert "20.0% of the moves predicted; a guess is right about once in 250 times" in out
    assert len(out.splitlines()) < 20 and "games found" not in out          # the tables are in the log
    assert "133  games found" in (tmp_path / "log.txt").read_text()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "checkpoint.safetensors").write_bytes(b"")
    assert cli.main(words) == 0
    assert commands[6] == f"train {tmp_path}/games -o {tmp_path}/run --resume"
    assert f"as {tmp_path}/run was begun; for other --minutes" in capsys.readouterr().out


def test_a_guess_is_right_as_often_as_there_are_few_moves():
    assert [demo.legal_moves(size) for size in (2, 9, 13, 19)] == [3, 57, 120, 250]


def test_the_sample_games_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert demo.sample_games().name == "gnugo-19x19.tar.gz"


@pytest.mark.slow       # .ci/run runs the demo
def test_the_game_and_what_the_network_sees_are_pictures(tmp_path):
    assert " in " in demo.play_game(tmp_path, Network(find_network("policy-9")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.sgf", "game.svg", "what_it_sees.svg"]
    assert "policy-9" in (tmp_path / "game.svg").read_text()
    assert "probabilities of the network for move" in (tmp_path / "what_it_sees.svg").read_text()
