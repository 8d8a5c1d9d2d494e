"""The command table: what is imported, and how a command ends."""
import os
import subprocess
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from mugo import cli

ROOT = Path(__file__).parents[1]


def test_every_command_explains_itself(capsys):
    for name in cli.COMMANDS:
        with pytest.raises(SystemExit) as end:
            cli.main([name, "--help"])
        assert end.value.code == 0
        assert f"usage: mugo {name}" in capsys.readouterr().out


def test_help_and_version_import_nothing_heavy():
    program = ("import sys; from mugo import cli\n"
               "try: cli.main([sys.argv[1]])\n"
               "except SystemExit: pass\n"
               "print([x for x in ('numba', 'numpy', 'pandas', 'keras', 'onnxruntime') if x in sys.modules])")
    for option in ("--help", "--version"):
        done = subprocess.run([sys.executable, "-c", program, option], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("start", [[str(ROOT / "main.py")], ["-m", "mugo"]])
def test_main_py_and_the_module_are_the_command(start):
    done = subprocess.run([sys.executable, *start, "preprocess", "/nowhere", "-o", "/tmp/never"], capture_output=True,
                          text=True)
    assert done.returncode == 2
    assert done.stderr == "mugo preprocess: /nowhere: no such file or folder\n"


def test_an_unknown_command_ends_with_status_2(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["learn"])
    assert end.value.code == 2
    assert "invalid choice: 'learn'" in capsys.readouterr().err


def test_a_missing_package_names_the_extra_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "keras", None)
    for name in "mugo.nn.backend", "mugo.nn.checkpoint":
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delitem(sys.modules, "mugo.training.train", raising=False)
    assert cli.main(["train", "games", "-o", "run"]) == 2
    assert capsys.readouterr().err == "mugo train: this needs the package keras: pip install 'mugo[train]'\n"


def test_a_write_that_fails_names_the_file(capsys, tmp_path):
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[9];B[aa];W[bb])")
    (tmp_path / "file").write_text("")
    assert cli.main(["preprocess", str(tmp_path / "game.sgf"), "-o", str(tmp_path / "file" / "set")]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(f"mugo preprocess: {tmp_path}/file")
    assert "Not a directory" in error


@pytest.mark.parametrize("error, line", [
    (MemoryError("Unable to allocate 191 GiB"), "mugo demo: this needs more memory than there is: Unable to allocate"),
    (BrokenExecutor("A child process terminated abruptly"), "mugo demo: a process that worked for it was killed"),
    (OSError("16 requested and 3 written"), "mugo demo: 16 requested and 3 written"),
])
def test_what_a_machine_cannot_do_is_said_in_a_line(monkeypatch, capsys, error, line):
    def fails(args):
        raise error
    monkeypatch.setattr("mugo.demo.command", fails)
    assert cli.main(["demo"]) == 2
    assert capsys.readouterr().err.startswith(line)


def test_a_name_in_letters_that_the_terminal_has_not_is_printed_all_the_same():
    program = "from mugo import cli; cli.main(['show', '/nowhere']); print('柯洁')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env=os.environ | {"PYTHONIOENCODING": "cp1252"})
    assert done.stdout.strip() == r"\u67ef\u6d01"
