"""Options from a file: their types, their names, and whom errors blame."""
import argparse
from dataclasses import dataclass

import pytest

from mugo.cli import main as cli
from mugo.core.config import read_config, set_values, split_config, value_of
from mugo.core.files import BadInput
from mugo.core.options import add_options, given, option, to_toml


@dataclass(frozen=True)
class Tea:
    minutes: float = option(3.0, "time in the water", above=0, most=10, common=True)
    kind_: str = option("green", "the leaves", choices=("green", "black"))
    cups: int | None = option(None, "how many", least=1)
    milk: bool = option(False, "with milk", common=True)
    sizes: tuple[int, ...] = option((2, 4), "of the pots", least=1)
    kinds: tuple[str, ...] = option(("green",), "on the shelf", choices=("green", "black"))
    note: str = option("", "on the door")


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A function that writes my.toml in the current folder."""
    monkeypatch.chdir(tmp_path)
    return lambda text: (tmp_path / "my.toml").write_text(text, encoding="utf-8")


def tea_parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser()
    add_options(made, Tea)
    return made


def configured(made, path, words=()):
    set_values(made, read_config(path))
    return made.parse_args(words)


def test_options_that_are_written_as_a_file_are_read_from_it(tmp_path):
    for tea in Tea(minutes=1e-9, milk=True, sizes=(3,), kinds=("black", "green"), note='"\\1\\"\n\N{SNOWMAN}'), Tea():
        (tmp_path / "a.toml").write_text(to_toml(tea), encoding="utf-8")
        assert Tea(**given(Tea, configured(tea_parser(), tmp_path / "a.toml"))) == tea


def test_the_command_line_replaces_what_a_file_has(tmp_path):
    path = tmp_path / "tea.toml"
    path.write_text('minutes = 4.5\n[more]\nmilk = true\nkind = "black"\n')
    assert split_config(["gtp", "--minutes", "2", "--config", str(path), "uct"]) == (
        ["gtp", "--minutes", "2", "uct"], [path])
    assert given(Tea, configured(tea_parser(), path, ["--minutes", "2"])) == {
        "minutes": 2.0, "milk": True, "kind_": "black"}


def command_parser() -> argparse.ArgumentParser:
    """Every form of argument that a command of MuGo has."""
    made = argparse.ArgumentParser()
    made.add_argument("participants", nargs="+")
    made.add_argument("player", nargs="?", default="mcts", choices=("uct", "mcts"))
    made.add_argument("--sprt", type=float, nargs=2)
    made.add_argument("--name")
    made.add_argument("--host", action="append", default=[])
    made.add_argument("-o", "--output", required=True)
    made.add_argument("--fast", action="store_true")
    return made


@pytest.mark.parametrize("text, name, value", [
    ("sprt = [-5, 20.5]", "sprt", [-5.0, 20.5]), ('name = "on"', "name", "on"),
    ('host = ["a", "b"]', "host", ["a", "b"]), ('host = "a"', "host", ["a"]), ('player = "uct"', "player", "uct"),
    ("fast = true", "fast", True),
    ('fast = "off"', "fast", False), ("output = 5", "output", "5"),
    ('participants = ["a", "b c"]', "participants", ["a", "b c"])])
def test_a_value_has_the_type_of_its_option(text, name, value, written):
    written(text)
    made = command_parser()
    set_values(made, {"output": "x", "participants": ["a"]})
    set_values(made, read_config(split_config(["--config", "my.toml"])[1][0]))
    assert getattr(made.parse_args([]), name) == value


@pytest.mark.parametrize("text, error", [
    ("sprt = 5", "my.toml: sprt: must be a list of 2 values"), ("fast = 3", "my.toml: fast: must be true or false"),
    ("name = true", "my.toml: name: must be a text or a number"),
    ('player = "policy"', "my.toml: player: invalid choice"),
    ('name = ["a", "b"]', "my.toml: name: must be one value, not a list"),
    ('sprt = ["x", 1]', "my.toml: sprt: invalid float value: 'x'"),
    ("simulatons = 400", "my.toml: there is no option 'simulatons'"), ("a = [[1]]", "my.toml: there is no option 'a'"),
    ("name = [[1]]", "my.toml: name: must be a text or a number"),
    ("help = true", "my.toml: there is no option 'help'")])
def test_a_wrong_value_names_the_file_and_the_option(text, error, written):
    written(text)
    with pytest.raises(BadInput) as raised:
        set_values(command_parser(), read_config(split_config(["--config=my.toml"])[1][0]), "--config my.toml")
    assert str(raised.value).startswith(f"--config {error}")


@pytest.mark.parametrize("command, text, error", [
    ("gtp", "simulatons = 400", "--config my.toml: there is no option 'simulatons'; did you mean simulations?"),
    ("gtp", "simulations = 0", "--config my.toml: simulations 0: must be at least 1"),
    ("gtp", "a = ", "is not a TOML file"), ("gtp", "a = " + "[" * 100_000, "is not a TOML file"),
    ("match", "sprt = [0]", "--config my.toml: sprt: must be a list of 2 values")])
def test_a_command_names_the_file(command, text, error, written, capsys):
    written(text)
    assert cli.main([command, "--config", "my.toml"]) == 2
    printed = capsys.readouterr().err
    assert error in printed and printed.count("\n") == 1


@pytest.mark.parametrize("words, message", [
    (["--config"], "--config needs a file"), (["--config", "nowhere.toml"], "--config nowhere.toml: No such file"),
    (["--conf", "nowhere.toml"], "there is no option --conf; did you mean --config?")])
def test_a_file_that_is_not_there_is_named(words, message, capsys):
    assert cli.main(["gtp", "uct", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_file_may_have_the_name_of_a_command(written, tmp_path, monkeypatch, capsys):
    (tmp_path / "play").write_text('shell = "fish"')
    monkeypatch.setattr("mugo.cli.completion.command", lambda args: print(args.shell) or 0)
    assert cli.main(["--config", "play", "completion"]) == 0
    assert capsys.readouterr().out == "fish\n"


def test_a_single_option_is_known_without_the_command(written):
    written('network = "a"\n')
    for words, value in ((["gtp", "--network", "b", "--network=c"], "c"), (["gtp"], None), (["gtp", "--network"], None),
                         (["gtp", "--config", "my.toml"], "a"), (["gtp", "--network", "b", "--config=my.toml"], "b")):
        assert value_of(words, "network") == value, words


def test_an_option_is_switched_off_by_its_own_name_only(written, tmp_path):
    made = argparse.ArgumentParser()
    made.add_argument("--symmetries", action=argparse.BooleanOptionalAction, default=True)
    written("symmetries = false")
    assert configured(made, tmp_path / "my.toml").symmetries is False
    written("no-symmetries = true")
    with pytest.raises(BadInput, match="no-symmetries"):
        configured(made, tmp_path / "my.toml")


def test_a_users_own_file_has_a_table_for_each_command(tmp_path, monkeypatch, capsys):
    """--config and the command line replace it; options of other commands are no fault."""
    monkeypatch.setattr("mugo.core.config.platformdirs.user_config_path", lambda *_, **__: tmp_path)
    seen = []
    monkeypatch.setattr("mugo.cli.bench.command", lambda args: seen.append(args.times) or 0)
    own, other = tmp_path / "config.toml", tmp_path / "other.toml"
    own.write_text("[bench]\ntimes = 3\n[gtp]\nsimulations = 400\n")
    other.write_text("times = 4\n")
    for words in [], ["--config", str(other)], ["--config", str(other), "--times", "5"]:
        assert cli.main(["bench", *words]) == 0
    assert seen == [3, 4, 5]
    for text, error in (("[bench]\ntimse = 3", f"{own}, [bench]: there is no option 'timse'; did you mean times?"),
                        ("times = 3", f"{own}: times stands outside a table"), ("[", f"{own} is not a TOML file")):
        own.write_text(text)
        assert cli.main(["bench"]) == 2
        assert error in capsys.readouterr().err
