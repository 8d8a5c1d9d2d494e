"""`mugo demo`: what it runs, and what it refuses before it runs anything."""
import pytest

from mugo.cli import demo
from mugo.cli import main as cli


@pytest.mark.parametrize("minutes", ["0", "-1"])
def test_minutes_out_of_range_are_refused_before_anything_runs(minutes, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "run", lambda *arguments: pytest.fail(f"{arguments} was run"))
    assert cli.main(["demo", f"--minutes={minutes}", "-o", str(tmp_path / "demo")]) == 2
    assert f"mugo demo: --minutes {minutes}: must be " in capsys.readouterr().err


def test_a_network_that_was_begun_keeps_its_minutes_and_a_line_says_so(tmp_path, monkeypatch, capsys):
    commands = []
    monkeypatch.setattr(demo, "run", lambda *arguments: commands.append(" ".join(arguments)))
    monkeypatch.setattr(demo, "Network", lambda path: None)
    monkeypatch.setattr(demo, "play_game", lambda folder, network: None)
    words = ["demo", "games.zip", "--minutes", "10", "-o", str(tmp_path)]
    assert cli.main(words) == 0
    assert commands[2] == f"train {tmp_path}/games -o {tmp_path}/run --minutes 10 --checkpoint-positions 16000"
    assert "other --minutes" not in capsys.readouterr().out
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "checkpoint.safetensors").write_bytes(b"")
    assert cli.main(words) == 0
    assert commands[6] == f"train {tmp_path}/games -o {tmp_path}/run --resume"
    assert f"{tmp_path}/run is trained as it was begun; for other --minutes" in capsys.readouterr().out
