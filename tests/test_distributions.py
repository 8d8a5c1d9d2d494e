"""Wheel and sdist: what they hold; and, installed without the repository, that they run on each supported Python.

Marked `wheel`: packages are fetched from PyPI.  A Python that is not on this machine and cannot be fetched is skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from interpreters import find_interpreter

pytestmark = pytest.mark.wheel
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSIONS = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python ::" in line]
COMMANDS = "boardsize 9\nclear_board\nplay b E5\ngenmove w\nquit\n"


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> Path:
    """A folder with the sdist, and the wheel that is built from the sdist alone."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("distributions")
    source = folder / "source"                           # a copy: setuptools leaves build/ and *.egg-info
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(
        ".git", "__pycache__", "*.egg-info", "build", "dist", ".venv", "site", ".*_cache"))
    run([sys.executable, "-m", "build", "--outdir", folder, source], folder)
    return folder


def run(command: list, folder: Path, **options) -> str:
    """Run a command in a folder outside the repository; returns its stdout."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True,
                          **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


PAGE = [f"web/static/**/*.{suffix}" for suffix in ("css", "html", "js", "svg")]


def files_of(folder: str, *patterns: str) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for pattern in patterns for path in (ROOT / folder).glob(pattern)
            if path.is_file() and "__pycache__" not in path.parts}


def test_a_wheel_contains_every_module_the_networks_and_the_page(distributions):
    with zipfile.ZipFile(next(distributions.glob("mugo_go-*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == files_of("mugo", "**/*.py", *PAGE) | {
        f"mugo/{name}" for name in files_of("models", "*.safetensors", "*.md")}


def test_an_sdist_contains_what_a_wheel_is_built_from_and_no_tests(distributions):
    with tarfile.open(next(distributions.glob("mugo_go-*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    names = {name for name in names if not name.startswith("mugo.egg-info")}
    assert files_of("mugo", "**/*.py", *PAGE) | files_of("models", "*.safetensors", "*.md") | {
        "pyproject.toml", "README.md", "LICENSE"} <= names
    assert not {name for name in names if name.startswith(("tests", "docs", ".git"))}


def test_a_wheel_of_a_platform_compiles_nothing_before_its_first_move(tmp_path):
    pytest.importorskip("build")
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(
        ".git", "__pycache__", "*.egg-info", "build", "dist", ".*_cache"))
    run([sys.executable, "-m", "mugo.kernels", "build"], source)
    run([sys.executable, "-m", "build", "--wheel", "-C--build-option=--plat-name=linux_x86_64", "--outdir", tmp_path,
         source], tmp_path)
    wheel = next(tmp_path.glob("mugo_go-*-py3-none-linux_x86_64.whl"))
    with zipfile.ZipFile(wheel) as archive:
        assert sum(info.compress_size for info in archive.infolist() if info.filename.endswith((".nbc", ".nbi"))) < 6e6
    run([sys.executable, "-m", "venv", "venv"], tmp_path)
    run(["venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}"], tmp_path)
    for player in "uct", "mcts":
        home = tmp_path / player
        run(["env", f"HOME={home}", f"XDG_CACHE_HOME={home}", "venv/bin/mugo", "gtp", player], tmp_path, input=COMMANDS)
        assert not list(home.rglob("*.nbi"))


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_installed_plays_and_reads_games_outside_the_repository(version, distributions, tmp_path):
    """On the oldest Python the sdist is installed, on the others the wheel."""
    interpreter = find_interpreter(version)
    if interpreter is None:
        pytest.skip(f"no Python {version} on this machine, and uv can fetch none")
    environment = tmp_path / "venv"
    run([interpreter, "-m", "venv", environment], tmp_path)
    python, mugo = environment / "bin" / "python", environment / "bin" / "mugo"
    package = next(distributions.glob("mugo_go-*.tar.gz" if version == VERSIONS[0] else "mugo_go-*.whl"))
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package], tmp_path)
    where = run([python, "-c", "import mugo; print(mugo.__file__)"], tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    assert "preprocess" in run([mugo, "--help"], tmp_path)
    assert run([mugo, "--version"], tmp_path).startswith(f"MuGo {version_of(package)}\n")
    replies = run([mugo, "gtp", "policy"], tmp_path, input=COMMANDS)
    assert re.fullmatch(r"(=\s+){3}= ([A-J][1-9]|PASS|pass|resign)\s+=\s+", replies)
    assert "problems\n  none\n" in run([mugo, "doctor"], tmp_path)
    (tmp_path / "games").mkdir()
    for number in range(18):
        (tmp_path / "games" / f"{number}.sgf").write_text(game(number))
    run([mugo, "preprocess", "games", "-o", "set"], tmp_path)
    assert "games" in run([mugo, "show", "set"], tmp_path)


def game(number: int) -> str:
    """A game of 36 moves on 9x9 in which Black fills rows c and b, and White rows g and h: another one for each number.
    """
    columns = "abcdefghi"[number % 9:] + "abcdefghi"[:number % 9]
    if number >= 9:
        columns = columns[::2] + columns[1::2]
    moves = "".join(f";B[{x}{black}];W[{x}{white}]" for black, white in ("cg", "bh") for x in columns)
    return f"(;GM[1]FF[4]SZ[9]KM[7]RE[B+R]PB[Black]PW[White]{moves})"


def version_of(package: Path) -> str:
    return re.fullmatch(r"mugo_go-([\w.]+?)(-py3.*\.whl|\.tar\.gz)", package.name)[1]
