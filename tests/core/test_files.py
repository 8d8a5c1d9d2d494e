"""Atomic writes and folder locks."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mugo.core.files import (
    BadInput, atomic_write, is_empty_folder, lock_folder, log_to_stderr, printable, read_json, read_text)
from mugo.sgf.archives import is_sgf_name


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "folder" / "file.txt"
    with atomic_write(path) as temporary:
        temporary.write_text("old")
    with pytest.raises(RuntimeError), atomic_write(path) as temporary:
        temporary.write_text("half of the n")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_an_error_without_errno_suggests_a_full_disk(tmp_path):
    with pytest.raises(OSError, match="is the disk full") as caught, atomic_write(tmp_path / "a.npy") as path:
        path.write_bytes(b"half")
        raise OSError("16 requested and 3 written")
    assert caught.value.filename == str(tmp_path / "a.npy") and not list(tmp_path.iterdir())


def test_a_folder_has_one_writer(tmp_path):
    with lock_folder(tmp_path / "new"), pytest.raises(BadInput, match="another process"), lock_folder(tmp_path / "new"):
        pass
    with lock_folder(tmp_path / "new"):
        (tmp_path / "new" / "file").write_text("")
    with pytest.raises(BadInput, match="is not a folder"), lock_folder(tmp_path / "new" / "file"):
        pass


def test_a_symbolic_link_stays_one_and_a_file_keeps_its_permissions(tmp_path):
    real, link = tmp_path / "real" / "file.txt", tmp_path / "link.txt"
    real.parent.mkdir()
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    with atomic_write(link) as temporary:
        assert temporary.parent == real.parent
        temporary.write_text("new")
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("new", 0o640)
    link.unlink()
    link.symlink_to(tmp_path / "nowhere.txt")
    with atomic_write(link) as temporary:
        temporary.write_text("made")
    assert link.is_symlink() and (tmp_path / "nowhere.txt").read_text() == "made"


def test_a_device_and_a_pipe_get_the_data_and_stay_what_they_are(tmp_path):
    with atomic_write("/dev/null") as temporary:
        temporary.write_text("lost")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(OSError, match="No space left"), atomic_write("/dev/full") as temporary:
        temporary.write_text("x")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with atomic_write(tmp_path / "pipe") as temporary:
        temporary.write_text("somebody does")
    assert os.read(reader, 100) == b"somebody does"
    os.close(reader)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    for path in tmp_path, tmp_path / ("x" * 300):
        with pytest.raises(OSError) as caught, atomic_write(path) as temporary:
            temporary.write_text("x")
        assert caught.value.filename == str(path)
    with atomic_write(tmp_path / ("y" * 250 + ".txt")) as temporary:
        temporary.write_text("a name as long as a name may be")
    assert [path.name for path in tmp_path.iterdir()] == ["y" * 250 + ".txt"]


def killed_while_writing(folder):
    """Leave what a process that is killed between a temporary file and its rename leaves; returns the temporary."""
    program = ("import os, signal, sys; from mugo.core.files import atomic_write\n"
               "with atomic_write(sys.argv[1]) as path: path.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)")
    subprocess.run([sys.executable, "-c", program, str(folder / "game.sgf")], cwd=Path(__file__).parent.parent)
    return next(folder.glob(".game.sgf.*"))


def test_unfinished_files_of_killed_processes_are_no_content_and_are_taken_away(tmp_path):
    below = tmp_path / "sgf"
    below.mkdir()
    stale = [killed_while_writing(tmp_path), killed_while_writing(below)]
    assert is_empty_folder(below) and not is_empty_folder(tmp_path)
    assert not is_sgf_name(stale[0].name)
    others = [tmp_path / name for name in (".game.sgf.123.sgf", "game.mugo-1.sgf", f".own.mugo-{os.getpid()}.txt")]
    for path in others:
        path.write_text("not ours to delete")
    with lock_folder(tmp_path):
        assert not any(path.exists() for path in stale)
        assert all(path.exists() for path in others)


def test_a_folder_with_a_symbolic_link_is_not_written_to(tmp_path):
    (tmp_path / "run" / "sgf").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    for link in tmp_path / "run" / "link", tmp_path / "run" / "sgf" / "link":
        link.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(BadInput, match=f"{link} is a symbolic link"), lock_folder(tmp_path / "run"):
            pass
        link.unlink()
    (tmp_path / "run link").symlink_to(tmp_path / "run")             # the folder itself may be one
    with lock_folder(tmp_path / "run link"):
        pass


def test_text_for_a_terminal_is_one_line_without_control_characters(capsys):
    assert printable("a\x1b[31m\nb\t\x9bé \ud800") == "a\\x1b[31m\\nb\\t\\x9bé \\ud800"
    log_to_stderr("one\x1b[2J\ntwo")
    assert capsys.readouterr().err == "mugo: one\\x1b[2J\ntwo\n"


def test_only_regular_files_of_limited_size_are_read(tmp_path):
    path = tmp_path / "file.json"
    with pytest.raises(FileNotFoundError):
        read_json(path)
    for text, message in ((b'{"a": 1}' + b" " * (1 << 20), "expected at most 1,048,576"),
                          (b"[" * 100_000, "cannot be read"), (b"9" * 5000, "cannot be read"),
                          (b"\xff", "not text in UTF-8"), (b"{", "cannot be read")):
        path.write_bytes(text)
        with pytest.raises(BadInput, match=f"{path}.* {message}"):
            read_json(path)
    path.write_text('{"a": [1]}')
    assert read_json(path) == {"a": [1]}
    path.unlink()
    os.mkfifo(path)
    for special in path, Path("/dev/zero"), tmp_path:
        with pytest.raises(BadInput, match="is not a regular file"):
            read_text(special, 10)
