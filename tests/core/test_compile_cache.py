"""The folder of compiled code belongs to exactly the sources that are compiled."""
import os
import shutil
import subprocess
import sys
from pathlib import Path


import mugo
from mugo.core.compile_cache import compile_cache_key

PACKAGE = Path(mugo.__file__).parent
TREE = "from mugo.core.jit import kernel\nDEPTH = 1"


def test_the_key_is_that_of_the_compiled_sources_and_their_constants(tmp_path):
    for name, text in ("games/coords.py", "SIZE = 19"), ("mcts/tree.py", TREE), ("web/app.py", "page"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    keys = [compile_cache_key(tmp_path)]
    (tmp_path / "web" / "app.py").write_text("site")
    assert compile_cache_key(tmp_path) == keys[0]
    for change in (lambda: (tmp_path / "games" / "coords.py").write_text("SIZE = 13"),
                   lambda: (tmp_path / "search" / "tree.py").write_text(f"{TREE}2"),
                   lambda: (tmp_path / "search" / "tree.py").rename(tmp_path / "search" / "a_tree.py")):
        change()
        keys.append(compile_cache_key(tmp_path))
    assert len(set(keys)) == 4


def cache_folder(home: Path, temporary: Path) -> Path:
    """The folder that a new process chooses, and whether it still exists when the process has ended."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    shown = subprocess.run([sys.executable, "-c", "import mugo, os; print(os.environ['NUMBA_CACHE_DIR'])"],
                           env=environment | {"HOME": str(home), "TMPDIR": str(temporary)}, cwd=PACKAGE.parent,
                           capture_output=True, text=True, check=True)
    return Path(shown.stdout.strip())


def test_the_folder_is_writable_for_its_user_alone(tmp_path):
    folder = cache_folder(tmp_path, tmp_path)
    assert folder.parent == tmp_path / ".cache" / "mugo"
    assert [path.stat().st_mode & 0o777 for path in (folder.parent, folder)] == [0o700, 0o700]
    (folder / "planted").write_text("")
    assert cache_folder(tmp_path, tmp_path) == folder and (folder / "planted").exists()
    folder.chmod(0o777)                                  # others could have put a pickle there
    assert cache_folder(tmp_path, tmp_path) == folder and not (folder / "planted").exists()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_in_tmp_that_is_not_the_users_is_not_used(tmp_path):
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.write_text("no folder can be made here")
    temporary.mkdir()
    own = temporary / f"mugo-{os.getuid()}"
    assert cache_folder(home, temporary).parent == own
    shutil.rmtree(own)
    (tmp_path / "theirs").mkdir()
    own.symlink_to(tmp_path / "theirs")
    folder = cache_folder(home, temporary)
    assert folder.parent == temporary and folder.name.startswith("mugo-") and not folder.exists()
    assert not list((tmp_path / "theirs").iterdir())
    if os.getuid() == 0:
        own.unlink()
        own.mkdir()
        os.chown(own, 12345, 12345)
        assert cache_folder(home, temporary).parent == temporary


COMPILED_CALL = """
import sys
from mugo.cli import main as cli
def command(args):
    import numpy
    from mugo.data.game_hash import splitmix64
    print(splitmix64(numpy.uint64(3)))
    return 0
cli._run = lambda name, arguments: command(arguments)
sys.exit(cli.main(["gtp"]))
"""


def test_a_damaged_cache_is_made_again_or_named_in_one_line(tmp_path):
    """Empty and zeroed files, which a power cut may leave, are deleted; other damage is said."""
    def run() -> subprocess.CompletedProcess:
        environment = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR",
                                                                                      "XDG_CACHE_HOME")}
        return subprocess.run([sys.executable, "-c", COMPILED_CALL], env=environment | {"HOME": str(tmp_path)},
                              cwd=PACKAGE.parent, capture_output=True, text=True)

    whole = run()
    files = [path for path in tmp_path.rglob("*.nb?")]
    assert whole.returncode == 0 and {path.suffix for path in files} == {".nbi", ".nbc"}
    for content in b"", bytes(1000):
        for path in files:
            path.write_bytes(content)
        assert run().stdout == whole.stdout
    index = next(path for path in files if path.suffix == ".nbi")
    index.write_bytes(index.read_bytes()[:12])
    damaged = run()
    assert damaged.returncode == 2 and damaged.stderr.startswith("mugo gtp: the cache of compiled code is damaged: "
                                                                 f"delete the folder {tmp_path}/")
    assert damaged.stderr.count("\n") == 1
