"""The command line: help, what is imported, exit status and error lines."""
import argparse
import contextlib
import importlib
import importlib.util
import os
import runpy
import shlex
import subprocess
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from mugo.cli import main as cli
from mugo.core.files import BadInput

ROOT = Path(__file__).parents[2]


def parser_of(command):
    """The parser of a command's arguments."""
    parser = argparse.ArgumentParser()
    cli.add_arguments(parser, command)
    return parser


def options_of(command):
    """The options of a command."""
    return set(parser_of(command)._option_string_actions)


def test_every_command_has_help(capsys):
    for name in cli.COMMANDS:
        with pytest.raises(SystemExit) as end:
            cli.main([name, "--help"])
        assert end.value.code == 0
        assert f"usage: mugo {name}" in capsys.readouterr().out


def test_mugo_alone_greets_and_help_lists_every_command_in_its_group(capsys):
    assert cli.main([]) == 0
    greeting = capsys.readouterr().out
    assert all(f"\n  mugo {name} " in greeting for name in ("web", "play", "review", "gtp"))
    texts = []
    for words in ["help"], ["--help"]:
        with contextlib.suppress(SystemExit):
            assert cli.main(words) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] and "Play:\n  play        play in the terminal\n  web " in texts[0]
    assert all(f"\n  {name} " in texts[0] for name in cli.COMMANDS)


def test_help_of_a_command_is_its_help_and_then_the_options_of_its_topic(capsys):
    for name, follows in ("bench", False), ("match", True):
        with pytest.raises(SystemExit):
            cli.main([name, "--help"])
        text = capsys.readouterr().out
        assert f"\nExample: mugo {name}" in text
        assert cli.main(["help", name]) == 0
        helped = capsys.readouterr().out
        assert helped.startswith(text) and ("--opening-moves\n" in helped) == follows


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_the_example_of_a_command_can_be_run(name):
    command, *words = shlex.split(cli.COMMANDS[name][2])
    assert command == name
    parser_of(name).parse_args(words)


def test_an_option_that_is_off_has_no_second_form():
    match, gtp = options_of("match"), options_of("gtp")
    assert {"--json", "--gauntlet", "--alternate", "--no-alternate"} <= match
    assert {"--rave", "--no-rave", "--no-early-stop", "--ponder"} <= gtp
    assert not {"--no-json", "--no-gauntlet", "--no-ponder"} & (match | gtp)


@pytest.mark.parametrize("command, text", [
    ("gtp", ""), ("analysis", ""), ("train", "; what was saved is complete, and --resume continues"),
    ("review", "; what was finished is kept, and the same command continues")])
def test_ctrl_c_says_what_is_true_of_the_command(command, text, monkeypatch, capsys):
    monkeypatch.setattr(cli, "_run", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert cli.main([command]) == 130
    assert capsys.readouterr().err == f"\nmugo {command}: interrupted{text}\n"


@pytest.mark.parametrize("start", [[str(ROOT / "main.py")], ["-m", "mugo"]])
def test_main_py_and_python_m_mugo_run_the_command(start):
    done = subprocess.run([sys.executable, *start, "nosuch"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("mugo: 'nosuch' is no command (commands: play, ")


@pytest.mark.parametrize("command, package, extra", [
    ("train games -o run", "keras", "train"), ("web", "uvicorn", "web"),
    *(pytest.param(*case, marks=pytest.mark.slow) for case in (
        ("train games -o run", "tensorflow", "train"), ("selfplay gomoku -o run", "keras", "train"),
        ("train games -o run", "jax", "jax"), ("train games -o run", "pyarrow", "train"),
        ("web", "starlette", "web"), ("web", "websockets", "web"))),
    ("completion bash", "shtab", "completion"), ("preprocess a.sgf -o out", "pyarrow", "data"),
    ("review a.sgf --fast -o out --scheduler x", "distributed", "distributed")])
def test_a_command_without_a_package_ends_with_one_line(command, package, extra, tmp_path):
    """Each in a process of its own: nothing of the package, nor of what needs it, is loaded before."""
    if importlib.util.find_spec(package) is None and package != "jax":
        pytest.importorskip(package)
    (tmp_path / "a.sgf").write_text("(;GM[1]SZ[9];B[aa];W[bb])")
    program = (f"import sys; sys.modules[{package!r}] = None\n"
               "from mugo.cli.main import main\nsys.exit(main(sys.argv[1:]))")
    done = subprocess.run([sys.executable, "-c", program, *command.split()], capture_output=True, text=True,
                          cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT),
                                             "KERAS_BACKEND": "jax" if package == "jax" else "tensorflow"})
    assert done.returncode == 2
    name = command.split()[0]
    assert done.stderr == f"mugo {name}: this needs the package {package}: pip install 'mugo-go[{extra}]'\n"


def test_an_interrupted_command_leaves_no_semaphores_of_its_workers():
    """Python's resource tracker would warn of them after the line that says that it was interrupted."""
    program = ("import multiprocessing\nfrom mugo.cli import main as cli\nif __name__ == '__main__':\n"
               "    lock = multiprocessing.get_context('spawn').Lock()\n    cli.main = lambda: 130\n    cli.run()")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("package", ["numba", "numpy"])
def test_without_the_packages_of_every_install_the_line_names_the_python(package, tmp_path):
    program = f"import sys; sys.modules[{package!r}] = None\nfrom mugo.cli.main import main\nsys.exit(main(['play']))"
    python = os.path.abspath(sys.executable)
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (2, f"mugo play: this needs the package {package}, which {python} "
                                              "does not have: activate the environment in which MuGo is installed, "
                                              "or install it (pip install -e .)\n")


def test_a_backend_that_mugo_does_not_know_is_refused_in_one_line(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    with pytest.raises(BadInput) as caught:              # before it imports Keras
        runpy.run_path(str(ROOT / "mugo" / "nn" / "keras" / "backend.py"))
    assert str(caught.value) == "KERAS_BACKEND is tensorflow or jax, not 'torch'"


def test_a_write_that_fails_names_the_file(capsys, tmp_path):
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[9];B[aa];W[bb])")
    (tmp_path / "file").write_text("")
    assert cli.main(["preprocess", str(tmp_path / "game.sgf"), "-o", str(tmp_path / "file" / "set")]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(f"mugo preprocess: {tmp_path}/file")
    assert "Not a directory" in error


@pytest.mark.parametrize("error, line", [
    (MemoryError("Unable to allocate 191 GiB"), "mugo demo: out of memory: Unable to allocate"),
    (BrokenExecutor("A child process terminated abruptly"), "mugo demo: a worker process was killed"),
    (OSError("16 requested and 3 written"), "mugo demo: 16 requested and 3 written"),
])
def test_a_failure_of_the_machine_is_one_line(monkeypatch, capsys, error, line):
    def fails(args):
        raise error
    monkeypatch.setattr("mugo.cli.demo.command", fails)
    assert cli.main(["demo"]) == 2
    assert capsys.readouterr().err.startswith(line)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell of Unix")
@pytest.mark.parametrize("closed", [">&-", *(pytest.param(each, marks=pytest.mark.slow) for each in (
    "2>&-", "<&- >&- 2>&-"))])
def test_closed_standard_streams_are_no_error(closed, tmp_path):
    main_py = Path(__file__).parents[2] / "main.py"
    command = f"'{sys.executable}' '{main_py}' gtp random --size 5 --log-file log.txt {closed}"
    finished = subprocess.run(["sh", "-c", command], input="name\nquit\n", capture_output=True, text=True, cwd=tmp_path,
                              timeout=120)
    assert finished.returncode == 0 and "Traceback" not in finished.stderr
    log = (tmp_path / "log.txt").read_text()
    assert "MuGo" in log if "<&-" not in closed else True
    assert not any(line.startswith("=") for line in log.splitlines())    # no reply went into another file


def test_letters_that_the_terminal_lacks_are_printed_as_escapes():
    program = "from mugo.cli import main as cli; cli.main(['show', '/nowhere']); print('柯洁')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env=os.environ | {"PYTHONIOENCODING": "cp1252"})
    assert done.stdout.strip() == r"\u67ef\u6d01"
