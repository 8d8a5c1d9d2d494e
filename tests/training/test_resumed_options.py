"""mugo train --resume with options that differ from the run's."""
import argparse
from dataclasses import asdict

import pytest
from small_runs import CONFIG, OPTIONS, train

from mugo.cli import main as cli
from mugo.core.config import read_config, set_values
from mugo.core.options import options_of
from mugo.nn.network_file import TensorFile, read_metadata
from mugo.training.options import CommandOptions, add_train_arguments


@pytest.mark.slow
def test_a_resumed_run_loads_its_checkpoint_once(data, unbroken, capsys, monkeypatch):
    loaded, read = [], TensorFile.read
    monkeypatch.setattr(TensorFile, "read", lambda self, *args: (loaded.append(self.path.name), read(self, *args))[1])
    assert cli.main(["train", str(data.folder), "-o", str(unbroken), "--resume"]) == 0
    assert loaded.count("checkpoint.safetensors") == 1


def test_a_resumed_run_takes_options_that_are_its_own_and_no_others(data, unbroken, capsys, monkeypatch):
    """Every option of the command, except those that may change: none is ignored."""
    model = train.compiled_model(read_metadata(unbroken / "checkpoint.safetensors"))
    monkeypatch.setattr(train, "compiled_model", lambda _: model)        # once is enough
    parser = argparse.ArgumentParser()
    add_train_arguments(parser)
    kept = asdict(CONFIG) | asdict(OPTIONS) | {"init_from": None}
    base = ["train", str(data.folder), "-o", str(unbroken), "--resume"]
    others = {"optimizer": "muon", "precision": "mixed_bfloat16", "where": "plies > 3", "moves": "2-", "size": "13",
              "layers": "4", "init_from": str(unbroken), "final_lr_fraction": "0.5", "clip_norm": "0.5",
              "endgame_fraction": "0.5"}
    equal = []
    for action in parser._actions:
        name, option = action.dest, action.option_strings[0] if action.option_strings else ""
        if name in {"help", "dataset", "output", "positions", "decay_start", "learning_rate",
                    *options_of(CommandOptions)} - {"init_from"}:
            continue
        if isinstance(action, argparse.BooleanOptionalAction):
            given = [action.option_strings[1 if kept[name] else 0]]
            equal.append(action.option_strings[0 if kept[name] else 1])
        elif action.nargs == 0:                          # off, and --no-... would say nothing
            given = [option]
        else:
            given = [option, others.get(name, "7")]
            if kept[name] not in (None, ""):
                equal += [option, str(kept[name])]
        assert cli.main([*base, *given]) == 2, name
        error = capsys.readouterr().err
        assert " ".join(given) in error.replace('"', ""), (name, error)
        assert error.count("\n") == 1
    assert cli.main([*base, *equal]) == 0
    assert "is finished" in capsys.readouterr().out
    assert cli.main([*base, "--batch-size", "17", "--value-weight", "1", "--no-augment"]) == 2
    error = capsys.readouterr().err
    for difference in "--batch-size 16, not --batch-size 17", "--augment, not --no-augment", "--value-weight 0.5, not":
        assert difference in error


def test_the_options_of_a_run_can_be_given_to_another_run(data, unbroken):
    parser = argparse.ArgumentParser()
    add_train_arguments(parser)
    set_values(parser, read_config(unbroken / "options.toml"))
    args = parser.parse_args([str(data.folder), "-o", "x"])
    assert train.new_arguments(args, CommandOptions(), data) == (CONFIG, OPTIONS)
