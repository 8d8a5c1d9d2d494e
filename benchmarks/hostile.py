"""Peak memory and time for a hostile file of each kind, opened with the command that a user would use.

    python benchmarks/hostile.py                            # this checkout
    python benchmarks/hostile.py --kind zip --kind 7z       # kinds whose names contain one of these
    python benchmarks/hostile.py --quick                    # three kinds, in seconds, without harmless files
    python benchmarks/hostile.py --python OTHER/bin/python  # MuGo as it is installed there; again for several

Every file is made by code, in a temporary folder, by the MuGo under test, because formats differ between versions.  A
command runs in a process of its own, with limits of its address space and its time.

    peak     the largest resident memory of its processes (getrusage), in MB; in parentheses that of the same command
             with a harmless file
    seconds  of wall-clock time; in parentheses with a harmless file
    status   of its exit, or what ended it; "traceback" and "code ran" where that happened

hostile_files.py makes the files.
"""
import argparse
import contextlib
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hostile_files import KINDS, MARKER, Case, stream_of

ROOT = Path(__file__).parents[1]
MAKER = Path(__file__).with_name("hostile_files.py")
QUICK = ("tar.gz: GNU long name of 2 GB", "zip: understated member of 2 GB",
         "GTP: set_free_handicap with 3 million vertices")


class Outcome(NamedTuple):
    status: str
    peak: float                          # MB
    seconds: float
    last_line: str


class Version:
    """A MuGo under test, by its interpreter, and a folder for its files."""

    def __init__(self, python: str, folder: Path, memory: int, seconds: float):
        self.python, self.folder, self.memory, self.seconds = python, folder, memory, seconds
        folder.mkdir()
        path = str(ROOT) if python == sys.executable else ""
        self.environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self.environment |= {"TF_CPP_MIN_LOG_LEVEL": "3"} | ({"PYTHONPATH": path} if path else {})
        self._harmless: dict[str, Outcome] = {}

    def make(self, name: str) -> None:
        """Make the file of a kind, with the library of this version."""
        made = subprocess.run([self.python, str(MAKER), name], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True)
        if made.returncode:
            raise SystemExit(f"{name}: its file could not be made:\n{made.stderr}")

    def run(self, case: Case) -> Outcome:
        """Run the command of a case, within the limits."""
        words = [word.replace("PYTHON", self.python) for word in shlex.split(case.command)]
        Path(self.folder, MARKER).unlink(missing_ok=True)
        with open(self.folder / "output", "wb") as output:
            started = time.perf_counter()
            process = subprocess.Popen([self.python, "-m", "mugo", *words], cwd=self.folder, env=self.environment,
                                       stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
                                       start_new_session=True, preexec_fn=self._limit_memory)
            threading.Thread(target=_feed, args=[process.stdin, stream_of(case.stream)], daemon=True).start()
            status, peak = _wait(process, started + self.seconds)
            seconds = time.perf_counter() - started
        text = _tail(self.folder / "output")
        remarks = [status] + ["traceback"] * ("Traceback (most recent call last)" in text)
        remarks += ["code ran"] * Path(self.folder, MARKER).exists()
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("mugo: ")]       # of a log
        return Outcome(", ".join(remarks), peak, seconds, (lines or [""])[-1])

    def _limit_memory(self) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory))

    def run_harmless(self, name: str) -> Outcome:
        """The case `name` with its harmless file: run once, after a run that compiles."""
        if name not in self._harmless:
            for _ in range(2):
                self.make(name)
                self._harmless[name] = self.run(KINDS[name])
                if self._harmless[name].status != "0":
                    raise SystemExit(f"{name} fails: {self._harmless[name].last_line}")
                if KINDS[name].once:
                    break
        return self._harmless[name]

    def size_of(self, case: Case) -> int:
        """The bytes of a case's file, or of its stream."""
        path = self.folder / case.file
        if not case.file:
            return sum(map(len, stream_of(case.stream)))
        files = [path] if path.is_file() else [below for below in path.rglob("*") if below.is_file()]
        return sum(file.stat().st_size for file in files)


def _feed(pipe, pieces: Iterable[bytes]) -> None:
    with contextlib.suppress(OSError), pipe:
        for piece in pieces:
            pipe.write(piece)


def _wait(process: subprocess.Popen, deadline: float) -> tuple[str, float]:
    """How a process ended, and the peak of its memory in MB; it is killed at the deadline (of time.perf_counter)."""
    killed = False
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.perf_counter() > deadline and not killed:
            killed = True
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.01)
    code = process.returncode = os.waitstatus_to_exitcode(status)
    ending = "killed: time" if killed else signal.Signals(-code).name if code < 0 else str(code)
    return ending, used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _tail(path: Path) -> str:
    with open(path, "rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - 20_000, 0))
        text = file.read().decode("utf-8", "replace")
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n")


def measure(version: Version, name: str, compare: bool) -> str:
    """A row of the table.  compare: with a harmless file."""
    case = KINDS[name]
    harmless = version.run_harmless(case.like) if compare else None
    version.make(name)
    outcome = version.run(case)
    line = outcome.last_line.replace("|", "/").replace(str(version.folder), ".")
    peak, seconds = (f" ({harmless.peak:,.0f})", f" ({harmless.seconds:.1f})") if harmless else ("", "")
    return (f"| {name} | {version.size_of(case):,} | {outcome.peak:,.0f}{peak} | {outcome.seconds:.1f}{seconds} | "
            f"{outcome.status} | {line[:160]} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter that has MuGo (default: this "
                        "checkout, with this interpreter)")
    parser.add_argument("--kind", action="append", default=[], metavar="TEXT", help="only kinds whose name contains it")
    parser.add_argument("--quick", action="store_true", help="four kinds only, without harmless files")
    parser.add_argument("--list", action="store_true", help="list the kinds")
    parser.add_argument("--memory", type=float, default=8, metavar="GB", help="address space of a process (default: "
                        "%(default)s)")
    parser.add_argument("--seconds", type=float, default=120, metavar="S", help="time of a process (default: "
                        "%(default)s)")
    args = parser.parse_args()
    names = [name for name, case in KINDS.items() if case.like and (name in QUICK or not args.quick) and
             (not args.kind or any(text in name for text in args.kind))]
    if args.list:
        print("\n".join(names))
        return
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        for number, python in enumerate(args.python or [sys.executable]):
            version = Version(python, Path(folder, str(number)), int(args.memory * (1 << 30)), args.seconds)
            print(f"{python}\n\n| kind | bytes | peak MB | seconds | status | last line |\n|---|---|---|---|---|---|")
            for name in names:
                print(measure(version, name, not args.quick), flush=True)
            print()


if __name__ == "__main__":
    main()
