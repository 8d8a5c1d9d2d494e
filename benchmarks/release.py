"""What a version is worth: measures it, and keeps the figures in docs/results.toml, for docs/lab/versions.md.

    python benchmarks/release.py --wheel dist/mugo_go-0.1.0-py3-none-manylinux_2_28_x86_64.whl \\
        --dataset games --before ../old/venv/bin/mugo
    python benchmarks/release.py --wheel FILE --only "size of the wheel, MB" "first move, s"

On two idle cores all rows take under two hours.  Each is kept as soon as it is measured; a row that the file has is not
measured again, unless --only names it.  Without --dataset, --wheel or --before the rows that need them are left out.
A figure is a row of ROWS: a function of the arguments, which runs an existing command.
"""
import argparse
import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

from mugo.core.files import atomic_write
from mugo.core.version import VERSION

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "results.toml"
SECTION = "\n# ---- versions: written by benchmarks/release.py\n"
GNUGO = "gnugo --mode gtp --level 10 --positional-superko"
SEARCH = "mcts --simulations 200"
FIRST_MOVE = "boardsize 9\nclear_board\ngenmove b\nquit\n"


def run(*words: str | Path, typed: str = "", **variables: str) -> str:
    """stdout of a command; the reader sees its progress on stderr.  Raises CalledProcessError."""
    return subprocess.run([*words], check=True, stdout=subprocess.PIPE, text=True, input=typed,
                          env=os.environ | variables).stdout


def mugo(*words: str | Path) -> str:
    """stdout of a command of this version."""
    return run(sys.executable, "-m", "mugo", *words)


def accuracy(args: argparse.Namespace) -> float:
    with tempfile.TemporaryDirectory() as folder:
        mugo("evaluate", "policy-19", args.dataset, "--sample", "16000", "-o", f"{folder}/test")
        with open(f"{folder}/test.csv", newline="") as file:
            return round(100 * float(next(csv.DictReader(file))["top1"]), 1)


def problems(args: argparse.Namespace) -> float:
    table = run(sys.executable, ROOT / "benchmarks" / "problems.py", "--player", "mcts", "--simulations", "200")
    return float(re.findall(r"^mcts 200 +([\d.]+)", table, re.MULTILINE)[0])


def elo(first: str, second: str) -> float | None:
    """The Elo of one player against another on 9x9; None where one of them won all games."""
    summary = mugo("match", first, second, "--size", "9", "--games", "60", "--openings", "policy", "--opening-moves",
                   "4", "--json")
    value = json.loads(summary)["participants"][0]["elo"]["value"]
    return None if value is None else round(value)


def simulations(args: argparse.Namespace) -> float:
    table = run(sys.executable, ROOT / "benchmarks" / "mcts_speed.py", "policy-19")
    return float(table.splitlines()[-1].split("|")[4].replace(",", ""))


def first_move(args: argparse.Namespace) -> float:
    """Processor time of an installed wheel in an empty home."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        run(Path(folder) / "bin" / "pip", "install", "--quiet", args.wheel)
        run(Path(folder) / "bin" / "mugo", "--version")                  # Python's own compiled files
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(Path(folder) / "bin" / "mugo", "gtp", "mcts", "--simulations", "10", typed=FIRST_MOVE, HOME=folder,
            XDG_CACHE_HOME=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)


# name: (the argument that it needs, a function)
ROWS: dict[str, tuple[str, Callable[[argparse.Namespace], float | None]]] = {
    "top-1, %": ("dataset", accuracy),
    "problems solved, %": ("", problems),
    "Elo against GNU Go 3.8": ("", lambda _: elo("policy", GNUGO)),
    "Elo against the version before": ("before", lambda args: elo(SEARCH, f"{args.before} gtp {SEARCH}")),
    "simulations/s": ("", simulations),
    "size of the wheel, MB": ("wheel", lambda args: round(args.wheel.stat().st_size / 1e6, 1)),
    "first move, s": ("wheel", first_move),
}


def keep(version: str, name: str, value: float) -> None:
    """Write a figure to docs/results.toml, in the block of its version."""
    text = FILE.read_text(encoding="utf-8")
    head = text.partition(SECTION)[0].rstrip("\n") + "\n"
    versions = tomllib.loads(text).get("versions", {})
    versions.setdefault(version, {})[name] = value
    blocks = "".join(f'\n[versions."{each}"]\n' + "".join(f"{json.dumps(row)} = {found}\n"
                                                           for row, found in rows.items())
                     for each, rows in versions.items())
    with atomic_write(FILE) as temporary:
        temporary.write_text(head + SECTION + blocks, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, help="a data set with test games, for the accuracy")
    parser.add_argument("--wheel", type=Path, help="the wheel of this platform")
    parser.add_argument("--before", help="the program mugo of the version before")
    parser.add_argument("--only", nargs="+", choices=ROWS, metavar="ROW", help="measure these, also again")
    args = parser.parse_args()
    done = tomllib.loads(FILE.read_text(encoding="utf-8")).get("versions", {}).get(VERSION, {})
    for name, (needed, measure) in ROWS.items():
        if name not in args.only if args.only else name in done:
            continue
        if needed and getattr(args, needed) is None:
            print(f"{name}: needs --{needed}")
        elif (value := measure(args)) is not None:
            keep(VERSION, name, value)
            print(f"{name}: {value:g}", flush=True)


if __name__ == "__main__":
    main()
