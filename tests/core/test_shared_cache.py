"""Numba's cache: its folder belongs to exactly the sources that are compiled; processes compile each function once."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mugo
from mugo.core import shared_cache
from mugo.core.shared_cache import compile_cache_key

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
                   lambda: (tmp_path / "mcts" / "tree.py").write_text(f"{TREE}2"),
                   lambda: (tmp_path / "mcts" / "tree.py").rename(tmp_path / "mcts" / "a_tree.py")):
        change()
        keys.append(compile_cache_key(tmp_path))
    assert len(set(keys)) == 4


def run(program: str, folder: Path = PACKAGE.parent, **variables: str) -> str:
    """What a Python program prints that runs in a folder, without the user's own cache folders."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    return subprocess.run([sys.executable, "-c", program], env=kept | variables, cwd=folder, capture_output=True,
                          text=True, check=True).stdout.strip()


def cache_folder(home: Path, temporary: Path) -> Path:
    """The folder that a new process chooses."""
    return Path(run("from mugo.core.shared_cache import cache_folder; print(cache_folder())", HOME=str(home),
                    TMPDIR=str(temporary)))


def test_the_folder_is_writable_for_its_user_alone(tmp_path):
    folder = cache_folder(tmp_path, tmp_path)
    assert folder.parent == tmp_path / ".cache" / "mugo"
    assert [path.stat().st_mode & 0o777 for path in (folder.parent, folder)] == [0o700, 0o700]
    assert cache_folder(tmp_path, tmp_path) == folder


@pytest.mark.parametrize("name", [".cache/mugo", ".cache/mugo/KEY"])
def test_a_folder_that_others_can_write_is_not_used_and_keeps_its_files(tmp_path, name):
    """Somebody could have put a pickle there, and it may be a person's own."""
    folder = tmp_path / name.replace("KEY", cache_folder(tmp_path, tmp_path).name)
    (folder / "notes").mkdir()
    (folder / "notes" / "today.txt").write_text("mine")
    folder.chmod(0o775)
    assert cache_folder(tmp_path, tmp_path).parent == tmp_path / f"mugo-{os.getuid()}"
    assert (folder / "notes" / "today.txt").read_text() == "mine" and folder.stat().st_mode & 0o777 == 0o775


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


# A checkout: what a kernel needs, one that calls it from another file, and a program with a child in a second checkout.
CALLER = "from mugo.core.jit import kernel\nfrom mugo.games.points import points\n\n@kernel\ndef score(x):\n" \
         "    return points(x) + 1\n"
TWO_CHECKOUTS = """
import os, subprocess, sys
from mugo.games.caller import score
print(score(1), "NUMBA_CACHE_DIR" in os.environ, flush=True)
for folder in sys.argv[1:]:
    subprocess.run([sys.executable, __file__], cwd=folder, env=os.environ | {"PYTHONPATH": folder})
"""


def make_checkout(folder: Path, points: int) -> Path:
    """A checkout of MuGo's core with two kernels; points: a constant in one of them."""
    shutil.copytree(PACKAGE / "core", folder / "mugo" / "core")
    shutil.copy(PACKAGE / "__init__.py", folder / "mugo")
    (folder / "mugo" / "games").mkdir()
    (folder / "mugo" / "games" / "caller.py").write_text(CALLER)
    set_points(folder, points)
    return folder


def set_points(checkout: Path, points: int) -> None:
    (checkout / "mugo" / "games" / "points.py").write_text(
        f"from mugo.core.jit import subroutine\n\n@subroutine\ndef points(x):\n    return x + {points}\n")


@pytest.mark.slow
def test_a_child_process_of_another_checkout_runs_its_own_code(tmp_path):
    """As `mugo match "python OTHER/main.py gtp uct" uct`, while that checkout is edited."""
    (tmp_path / "program.py").write_text(TWO_CHECKOUTS)
    here, there = make_checkout(tmp_path / "here", 10), make_checkout(tmp_path / "there", 20)
    start = (f"import sys; sys.argv = ['', '{there}']; __file__ = '{tmp_path / 'program.py'}'; "
             "exec(open(__file__).read())")
    variables = {"HOME": str(tmp_path), "PYTHONPATH": str(here)}
    assert run(start, here, **variables).split("\n") == ["12 False", "22 False"]
    set_points(there, 30)
    assert run(start, here, **variables).split("\n") == ["12 False", "32 False"]


@pytest.mark.slow
def test_the_folder_is_the_same_where_numba_was_imported_first(tmp_path):
    checkout = make_checkout(tmp_path / "here", 10)
    program = "import numba; from mugo.games.caller import score; print(score(1))"
    assert run(program, checkout, HOME=str(tmp_path)) == "12"
    assert not list(checkout.rglob("*.nbi")) and len(list((tmp_path / ".cache" / "mugo").rglob("*.nbi"))) == 2
    set_points(checkout, 20)                             # not in the file of the kernel that is called
    assert run(program, checkout, HOME=str(tmp_path)) == "22"


def test_the_folder_of_numba_cache_dir_is_used(tmp_path):
    run("import numpy; from mugo.data.game_hash import splitmix64; splitmix64(numpy.uint64(3))", HOME=str(tmp_path),
        NUMBA_CACHE_DIR=str(tmp_path / "chosen"))
    assert list((tmp_path / "chosen").rglob("*.nbi")) and not (tmp_path / ".cache").exists()
    (tmp_path / "file").write_text("")                   # no folder can be made there: MuGo's own is used
    shown = run("from mugo.core.shared_cache import cache_folder; print(cache_folder())", HOME=str(tmp_path),
                NUMBA_CACHE_DIR=str(tmp_path / "file"))
    assert Path(shown).parent == tmp_path / ".cache" / "mugo"


@pytest.mark.slow
def test_a_damaged_cache_is_made_again(tmp_path):
    """As a power cut may leave it: empty, zeroed and truncated files."""
    checkout = make_checkout(tmp_path / "here", 10)
    program = "from mugo.games.caller import score; print(score(1))"
    assert run(program, checkout, HOME=str(tmp_path)) == "12"
    files = [path for path in tmp_path.rglob("*.nb?")]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for damaged in (lambda data: b""), (lambda data: bytes(1000)), (lambda data: data[:len(data) // 2]):
        for path in files:
            path.write_bytes(damaged(path.read_bytes()))
        assert run(program, checkout, HOME=str(tmp_path)) == "12"
        assert all(path.stat().st_size > 1000 or path.suffix == ".nbi" for path in files)


# ---- Several processes that compile the same functions at the same time

FUNCTIONS = 5
MODULE = """
from mugo.core.jit import kernel, subroutine
""" + "".join(f"""
@subroutine
def f{k}(x):
    return {f"f{k - 1}(x) + f{k - 1}(x)" if k else "x + 1"}
""" for k in range(FUNCTIONS - 1)) + """
@kernel
def g(x):
    return f3(x)
"""
PROGRAM = """
import sys, time
from numba.core.event import Listener, register
class Count(Listener):
    number = 0
    def on_start(self, event): self.number += 1
    def on_end(self, event): ...
register("numba:compile", count := Count())
import functions
print("ready", flush=True)
sys.stdin.readline()
print(functions.g(20), count.number)
"""


def start(folder: Path) -> subprocess.Popen:
    """A process that has loaded the module, and calls its kernel when it gets a line."""
    (folder / "functions.py").write_text(MODULE)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"),
                                "PYTHONPATH": os.pathsep.join([str(folder), str(PACKAGE.parent)])}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.skipif(not shared_cache.CAN_SHARE, reason="files cannot be locked here")
def test_each_function_is_compiled_by_one_process(tmp_path):
    processes = [start(tmp_path) for _ in range(3)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate()[0].split() for process in processes]
    assert {result for result, _ in answers} == {str(21 * 8)}
    assert sum(int(number) for _, number in answers) == FUNCTIONS
