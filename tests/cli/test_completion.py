"""`mugo completion`: the scripts have every command and option, and bash completes with them."""
import argparse
import shutil
import subprocess

import pytest

from mugo.cli import main as cli

shtab = pytest.importorskip("shtab")

from mugo.cli.completion import full_parser  # noqa: E402
from mugo.cli.options import SHELLS  # noqa: E402
from mugo.core.options import options_of  # noqa: E402
from mugo.mcts.settings import Settings  # noqa: E402


def script(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


def options():
    """(command, option) of every option of every command."""
    subparsers, = (action for action in full_parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert list(subparsers.choices) == list(cli.COMMANDS)
    return [(name, option) for name, parser in subparsers.choices.items() for option in parser._option_string_actions]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command_and_option(shell, capsys):
    text = script(shell, capsys)
    found = options()
    assert len(found) > 300 and ("gtp", "--simulations") in found and ("train", "--filters") in found
    for name, option in found:
        assert name in text
        assert (option.lstrip("-") if shell == "fish" else option) in text, (name, option)


def test_an_option_that_help_does_not_show_is_described():
    subparsers, = (action for action in full_parser()._actions if isinstance(action, argparse._SubParsersAction))
    action = subparsers.choices["gtp"]._option_string_actions["--rave-bias"]
    assert action.help and action.help != "rave bias" and action.help in options_of(Settings)["rave_bias"].description


def complete(text, words):
    """What bash completes the last of these words to, with a script."""
    program = (f"{text}\nCOMP_WORDS=({' '.join(map(repr, words))})\nCOMP_CWORD={len(words) - 1}\n_shtab_mugo\n"
               "printf '%s\\n' \"${COMPREPLY[@]}\"")
    ended = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return {line.strip() for line in ended.stdout.splitlines()} - {""}


@pytest.mark.parametrize("words, expected, never", [
    (["mugo", "re"], {"review"}, {"gtp"}),
    (["mugo", "gtp", ""], {"uct", "mcts", "policy", "random"}, {"train"}),
    (["mugo", "gtp", "mcts", "--sim"], {"--simulations"}, {"--seconds"}),
    (["mugo", "gtp", "uct", "--rollout", ""], {"uniform", "mogo", "none"}, {"--seconds"}),
    (["mugo", "train", "--learn"], {"--learning-rate"}, {"--filters"}),
])
def test_bash_completes_commands_options_and_choices(words, expected, never, capsys):
    found = complete(script("bash", capsys), words)
    assert expected <= found and not found & never


def test_bash_completes_files_where_an_argument_is_one(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my games.sgf").write_text("")
    (tmp_path / "engine.log").write_text("")
    assert any("engine.log" in line for line in complete(script("bash", capsys), ["mugo", "gtp", "--log-file", "eng"]))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_accept_their_scripts(shell, capsys, tmp_path):
    text = script(shell, capsys)
    assert len(text) > 20_000 and "mugo" in text.splitlines()[0] + text.splitlines()[-1] + text[:2000]
    if shutil.which(shell):                              # not on every machine; the script is checked where it can be
        (tmp_path / "mugo").write_text(text)
        ended = subprocess.run([shell, "-n", str(tmp_path / "mugo")], capture_output=True, text=True, timeout=60)
        assert ended.returncode == 0, ended.stderr
