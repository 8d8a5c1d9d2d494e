"""Atomic writes and folder locks."""
import pytest

from mugo.files import BadInput, atomic_write, lock_folder


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
