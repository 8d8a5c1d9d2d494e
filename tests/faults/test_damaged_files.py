"""Damage in every kind of file that is read: one line that names the file, or the answer of the undamaged one.

Data sets have tests of their own (tests/data/test_damage.py), and so have single fields of every format.  What has no
checksum is said here and in docs/explanation/reliability.md: SGF text, .tar, games.csv.
"""
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from damage import damaged
from fault_cases import Analyze, Match, make_inputs
from make_archives import sevenzipped, tarred, zipped
from random_records import random_record

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.games import gomoku
from mugo.games.go import GoPosition
from mugo.nn.inference import Network
from mugo.nn.network_file import find_network
from mugo.selfplay.parallel import SelfPlayGame
from mugo.selfplay.replay import ReplayBuffer
from mugo.sgf.archives import SgfFile, UnreadableFile
from mugo.sgf.sources import find_sources, read_files
from mugo.sgf.convert import format_record

MODEL = find_network("policy-9")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return make_inputs(tmp_path_factory.mktemp("inputs"))


def refused(call, *names: str) -> str:
    """The line with which a call refuses its input; '' if it returns."""
    try:
        call()
    except BadInput as error:
        assert "\n" not in str(error) and all(name in str(error) for name in names), str(error)
        return str(error)
    return ""


@pytest.mark.faults
def test_a_network(tmp_path):
    path, position = tmp_path / "net.safetensors", GoPosition(9)
    for what, data in damaged(MODEL.read_bytes(), 64):
        path.write_bytes(data)
        assert refused(lambda: Network(path, 1).evaluate([position]), str(path)), what


def test_a_replay_buffer(tmp_path):
    path, start, rng = tmp_path / "replay" / "000000.npz", gomoku.GomokuPosition(3, 3), np.random.default_rng(1)
    buffer = ReplayBuffer(tmp_path, start, 8)
    for _ in range(8):
        n = int(rng.integers(5, 9))
        buffer.append(SelfPlayGame(rng.permutation(9)[:n].astype(np.int16),
                                   rng.integers(1, 9, (n, 10)).astype(np.uint16), 0))
    games, found = [game.moves.tolist() for game in buffer], []
    for what, data in damaged(path.read_bytes(), 80):
        path.write_bytes(data)
        if not refused(lambda: found.append([game.moves.tolist() for game in ReplayBuffer(tmp_path, start, 8)]),
                       str(path)):
            assert found[-1] == games, what              # a field of the .zip that nobody reads


@pytest.fixture(scope="module")
def match(inputs, tmp_path_factory):
    case, out = Match(inputs), tmp_path_factory.mktemp("match") / "out"
    case.games = 6
    assert cli.main([str(word) for word in case.words(out)]) == 0
    return case, out


@pytest.mark.parametrize("name", ["match.json", "games.csv"])
def test_a_folder_of_a_match(match, tmp_path, capsys, name):
    """Numbers in games.csv have no checksum; what is no row of this match is refused, and lost rows are played again.
    """
    case, finished = match
    out = shutil.copytree(finished, tmp_path / "out")
    whole, rows, changed = (out / name).read_bytes(), case.rows(finished), 0
    for what, data in damaged(whole, 24):
        if name == "games.csv" and data[:data.rfind(b"\n") + 1].count(b"\n") < 7:
            continue                                     # it would be played: seconds
        (out / name).write_bytes(data)
        capsys.readouterr()
        status = cli.main([str(word) for word in case.words(out)])
        errors = capsys.readouterr().err.splitlines()
        assert "Traceback" not in "".join(errors)
        if status:
            assert status == 2 and len(errors) == 1 and str(out) in errors[0], what
        else:
            changed += case.rows(out) != rows
            assert name == "games.csv" or (out / name).read_bytes() == whole, what
        shutil.rmtree(out)
        shutil.copytree(finished, out)
    assert changed <= 3


def is_json_of(data: bytes, value: object) -> bool:
    """Whether this is JSON of this value."""
    try:
        return json.loads(data) == value
    except ValueError:
        return False


@pytest.mark.faults
def test_a_review_that_is_continued(inputs, tmp_path, capsys):
    """A damaged report is made again."""
    case, out = Analyze(inputs), tmp_path / "out"
    words = [str(word) for word in case.words(out)]
    words[1] = str(sorted((inputs / "few").iterdir())[0])
    assert cli.main(words) == 0
    stem = Path(words[1]).stem
    whole = {suffix: (out / f"{stem}.{suffix}").read_bytes() for suffix in ("json", "txt")}
    for suffix, data in whole.items():
        tried = [change for _, change in damaged(data, 8)]
        if suffix == "json":
            tried = [change for change in tried if not is_json_of(change, json.loads(data))]       # a blank doubled
            tried.append(data.replace(b'"moves": %d' % json.loads(data)["moves"], b'"moves": 13', 1))
        for change in tried:
            (out / f"{stem}.{suffix}").write_bytes(change)
            capsys.readouterr()
            assert cli.main(words) == 0
            assert "reviewed before" not in capsys.readouterr().out
            assert (out / f"{stem}.{suffix}").read_bytes() == data
    assert cli.main(words) == 0 and "reviewed before" in capsys.readouterr().out


CHECKED = {"zip": zipped, "7z": sevenzipped}
# The checksum is that of the whole stream: what was read before its end has been handed on, and then the archive is
# named as unreadable.
STREAMS: dict = {"tar.gz": lambda files: tarred(files, "w:gz"), "tar.bz2": lambda files: tarred(files, "w:bz2"),
           "tar.xz": lambda files: tarred(files, "w:xz")}


@pytest.mark.parametrize("kind", [*CHECKED, *STREAMS, "tar"])
def test_an_archive(tmp_path, kind):
    games = {f"{seed}.sgf": format_record(random_record(seed, plies=30)).encode() for seed in range(6)}
    path = tmp_path / f"games.{kind}"
    for what, data in damaged(({"tar": tarred} | CHECKED | STREAMS)[kind](games), 60):
        path.write_bytes(data)
        found: list[SgfFile | UnreadableFile] = []

        def read():
            found.extend(file for source in find_sources([path]) for file in read_files(source))  # noqa: B023

        line = refused(read, "games")
        whole = [file for file in found if isinstance(file, SgfFile) and file.data in games.values()]
        if kind in CHECKED:
            assert len(whole) == sum(isinstance(file, SgfFile) for file in found), what
        if kind in STREAMS and not line:
            assert len(whole) == len(games) or any(isinstance(file, UnreadableFile) for file in found), what
