"""Two commands at once on one output: one of them writes, the other says so in one line and changes nothing."""
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fault_cases import Analyze, Match, Preprocess, SelfPlay, Train, files_of, make_inputs

from mugo.cli import main as cli
from mugo.core.files import lock_folder

MAIN = Path(__file__).parents[2] / "main.py"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and locks of folders are POSIX only")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return make_inputs(tmp_path_factory.mktemp("inputs"))


def mugo(words) -> int:
    return cli.main([str(word) for word in words])


@pytest.mark.parametrize("make", [Preprocess, Match, Analyze, Train, SelfPlay], ids=lambda make: make.name)
def test_a_second_command_on_the_same_output_is_one_line_and_changes_nothing(make, inputs, tmp_path, capsys):
    if make in (Train, SelfPlay):
        pytest.importorskip("keras")
    case, out = make(inputs), tmp_path / "out"
    case.prepare(out)
    out.mkdir(exist_ok=True)
    with lock_folder(out):
        before = files_of(out)
        assert mugo(case.words(out)) == 2
        assert files_of(out) == before
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("mugo ")]
    assert lines == [f"mugo {case.name}: {out}: another process is writing to it"]


def test_a_run_that_another_process_has_made_meanwhile_is_not_overwritten(inputs, tmp_path, capsys, monkeypatch):
    """Both began when there was no folder."""
    train = pytest.importorskip("mugo.training.train")
    case, out, made = Train(inputs), tmp_path / "out", b"the network of somebody else"

    def other_run(*arguments):
        out.mkdir()
        (out / "checkpoint.safetensors").write_bytes(made)
        return None

    monkeypatch.setattr(train, "averaged_model", other_run)
    assert mugo(case.words(out)) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (f"mugo train: {out} holds a training run already: --resume "
                                                        "continues it, or give -o another folder")
    assert files_of(out) == {"checkpoint.safetensors": made}


@pytest.mark.faults
@pytest.mark.parametrize("make", [Preprocess, Match], ids=lambda make: make.name)
def test_of_two_processes_at_once_both_succeed_or_one_says_why_not(make, inputs, tmp_path):
    case = make(inputs)
    case.prepare(tmp_path / "unbroken")
    assert mugo(case.words(tmp_path / "unbroken")) == 0
    case.unbroken = case.contents(tmp_path / "unbroken")
    for number in range(2):
        out = tmp_path / f"out-{number}"
        case.prepare(out)
        both = [subprocess.Popen([sys.executable, MAIN, *map(str, case.words(out))], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True) for _ in range(2)]
        with ThreadPoolExecutor() as executor:
            ends = list(executor.map(lambda process: process.communicate(timeout=240)[1], both))
        for process, error in zip(both, ends, strict=True):
            refused = f"mugo {case.name}: {out}: another process is writing to it" in error
            assert process.returncode == (2 if refused else 0), error
        assert 0 in {process.returncode for process in both}
        case.check(out)
        assert case.contents(out) == case.unbroken
        shutil.rmtree(out)
