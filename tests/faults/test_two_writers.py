"""Two commands at once on one output: one of them writes, the other says so in one line and changes nothing."""
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fault_cases import Analyze, Match, Preprocess, SelfPlay, Train, files_of, make_inputs

from mugo.cli import main as cli
from mugo.core.files import BadInput, lock_folder

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


def test_of_two_runs_that_begin_in_a_new_folder_the_second_is_refused(inputs, tmp_path, capsys, monkeypatch):
    """The first one has written nothing yet; the folder that it made goes when it ends so."""
    train = pytest.importorskip("mugo.training.train")
    case, out, statuses = Train(inputs), tmp_path / "out", []

    def meanwhile(*arguments):
        statuses.append(mugo(case.words(out)))
        raise BadInput("enough")

    monkeypatch.setattr(train, "averaged_model", meanwhile)
    assert mugo(case.words(out)) == 2 and statuses == [2]
    assert f"{out}: another process is writing to it" in capsys.readouterr().err
    assert not out.exists()


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
