"""A disk that is full from the n-th write on: one line, status 2, and nothing of before is damaged; with space again
the same command ends as if nothing had been.

    MUGO_EVERY_WRITE=1 pytest -m faults tests/faults/test_full_disk.py -s        # every n; by default some of them

full_disk.py says what counts as a write.
"""
import json
import os
import random
import shutil

import pytest
from fault_cases import Analyze, Match, Preprocess, SelfPlay, Train, make_inputs
from fork_server import ForkServer
from full_disk import FullDisk

from mugo.cli import main as cli
from mugo.core.files import atomic_write, is_temporary

SPREAD = 4                               # numbers n by default, beside one for each kind of write


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return make_inputs(tmp_path_factory.mktemp("inputs"))


def mugo(words) -> int:
    return cli.main([str(word) for word in words])


def chosen(tried: list[str], spread: int = SPREAD) -> list[int]:
    """Numbers of operations from 0 on: all; or one of each kind and some that are far from each other."""
    count, kinds = len(tried), [text.split()[0] for text in tried]
    if os.environ.get("MUGO_EVERY_WRITE"):
        return list(range(count))
    one_of_each = [random.choice([i for i in range(count) if kinds[i] == kind]) for kind in set(kinds)]
    return sorted({*one_of_each, *(round(i * (count - 1) / (spread - 1)) for i in range(spread))})


def is_one_line(error: str, name: str) -> bool:
    """Whether what a command printed to stderr ends with its one line for a full disk."""
    lines = [line for line in error.splitlines() if line.startswith(f"mugo {name}: ")]
    return len(lines) == 1 and error.splitlines()[-1] == lines[0] and "Traceback" not in error and \
        any(text in lines[0] for text in ("No space left on device", "disk is full", "disk full"))


@pytest.mark.faults
@pytest.mark.parametrize("make", [Preprocess, Match, Analyze], ids=lambda make: make.name)
def test_a_disk_that_becomes_full_is_one_line_and_with_space_again_the_command_continues(make, inputs, tmp_path, capsys,
                                                                                          monkeypatch):
    case = make(inputs)
    if make is Match:
        case.games = 6
    for name, value in case.constants.items():
        monkeypatch.setattr(name.replace(":", "."), value)
    out, tried = tmp_path / "out", set()
    case.prepare(out)
    with FullDisk(out, None) as disk:
        assert mugo(case.words(out)) == 0
    case.unbroken, numbers = case.contents(out), chosen(disk.tried)
    writes = len(disk.tried)
    for number in numbers:
        shutil.rmtree(out)
        case.prepare(out)
        capsys.readouterr()
        with FullDisk(out, number) as disk:
            status = mugo(case.words(out))
        error = capsys.readouterr().err
        if disk.failed:                  # threads may need a write less
            tried.add(disk.failed[0].split()[0])
            is_log = all(" logs/" in failed for failed in disk.failed)       # of a program in a match: given up
            assert is_log and status == 0 or status == 2 and is_one_line(error, case.name), (number, disk.failed, error)
        if out.exists():
            case.check(out)
        assert not [path for path in out.rglob("*") if is_temporary(path.name)] if out.exists() else True
        assert mugo(case.words(out)) == 0, (number, capsys.readouterr().err)
        case.check(out)
        assert case.contents(out) == case.unbroken, number
    assert tried >= {"write"} and len(tried) > 1
    with capsys.disabled():
        print(f"\n{case.name}: the disk full at {len(numbers)} of {writes} writes")


@pytest.mark.faults
@pytest.mark.parametrize("make", [Train, SelfPlay], ids=lambda make: make.name)
def test_a_run_whose_disk_becomes_full_resumes_when_there_is_space(make, inputs, tmp_path, capsys):
    """TensorBoard's files are not in it: TensorFlow writes them."""
    pytest.importorskip("keras")
    case, tried = make(inputs), set()
    out, log, report = tmp_path / "out", tmp_path / "log", tmp_path / "report"
    with ForkServer(list(case.modules)) as server:

        def run(after=None) -> tuple[int, dict]:
            report.unlink(missing_ok=True)
            disk = {"folder": str(out), "after": after, "report": str(report)}
            status, _ = server.run(case.words(out), log, case.constants, disk=disk)
            return status, json.loads(report.read_text())

        def run_again(folder) -> None:
            assert server.run(case.words(folder), log, case.constants)[0] == 0, log.read_text()

        status, disk = run()
        assert status == 0, log.read_text()
        case.unbroken, numbers = case.contents(out), chosen(disk["tried"], spread=0)
        if isinstance(case, SelfPlay):
            case.run_again = run_again
            shutil.rmtree(out)
            server.run(case.words(out), log, case.constants, kill_when=(out / "checkpoint.safetensors").exists)
            case.save_start(out)
        for number in numbers:
            for path in tmp_path.glob("out*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            status, disk_then = run(number)
            text = log.read_text(errors="replace").replace("\r", "\n")
            if disk_then["failed"]:
                tried.add(disk_then["failed"][0].split()[0])
                assert status == 2 and is_one_line(text, case.name), (number, disk_then["failed"], text[-2000:])
            if out.exists():
                case.check(out)
                assert not [path for path in out.rglob("*") if is_temporary(path.name)]
            run_again(out)
            case.check(out)
            assert case.contents(out) == case.expected(out), number
    assert tried >= {"write"} and len(tried) > 1
    with capsys.disabled():
        print(f"\n{case.name}: the disk full at {len(numbers)} of {len(disk['tried'])} writes")


def test_the_disk_is_full_from_a_write_on(tmp_path):
    def write() -> None:
        with atomic_write(tmp_path / "file") as path:
            path.write_text("a" * 100)

    with FullDisk(tmp_path, None) as disk:
        write()
    kinds = [tried.split()[0] for tried in disk.tried]
    assert kinds == ["create", "write", "fsync", "replace", "fsync"] and not disk.failed
    for number in range(4):
        (tmp_path / "file").write_text("old")
        with FullDisk(tmp_path, number) as disk, pytest.raises(OSError, match="No space left") as caught:
            write()
        assert caught.value.filename == str(tmp_path / "file") and (tmp_path / "file").read_text() == "old"
        assert disk.failed[0] == disk.tried[number] and [path.name for path in tmp_path.iterdir()] == ["file"]
    assert open(tmp_path / "file").read() == "old"       # and outside of it everything is as before
