"""loadsgf of files with setup stones after the first move, and with several games."""
import pytest

from mugo.cli import main as cli

LATER = "(;GM[1]SZ[5]KM[0.5];B[cc];W[bb](;AE[cc]AB[aa:ba]AW[ea];W[dd])(;B[dd]))(;GM[1]SZ[9])"


@pytest.mark.parametrize("move, rows", [("", ["X X . . O", ". . . O ."]), (" 3", ["X X . . O", ". O . . ."]),
                                        (" 2", [". . X . ."])])
def test_setup_stones_after_the_first_move_are_on_the_board(tmp_path, monkeypatch, capfd, move, rows):
    (tmp_path / "a.sgf").write_text(LATER)
    (tmp_path / "commands").write_text(f"loadsgf {tmp_path}/a.sgf{move}\nshowboard\nquit\n")
    with open(tmp_path / "commands") as commands:
        monkeypatch.setattr("sys.stdin", commands)
        assert cli.main(["gtp", "random"]) == 0
    output = capfd.readouterr()
    assert all(any(row in line.replace("(", " ").replace(")", " ") for line in output.out.splitlines()) for row in rows)
    assert output.err.splitlines().count(f"{tmp_path}/a.sgf has several games; this is the first") == 1
