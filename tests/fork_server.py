"""Starts commands of MuGo quickly: a process that has imported them forks one for each command line.

    {"words": ["match", ...], "constants": {"mugo.data.unmerged:PART_GAMES": 4}, "log": "out.txt", "disk": null}
                     -->  {"pid": 123}          when it has begun, and {"status": -9} when it has ended

Requests and replies are lines of JSON on stdin and stdout.  Importing Keras takes seconds; killed a hundred times, a
command would spend most of them there, where it writes nothing.
"""
import contextlib
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
TIMEOUT = 300                            # seconds for a command, and for what kill_when waits for


def serve(modules: list[str]) -> None:
    """Import modules, then run command lines from stdin, each in a process of its own, until stdin ends."""
    for name in modules:
        importlib.import_module(name)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _run(request)
        print(json.dumps({"pid": pid}), flush=True)
        print(json.dumps({"status": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}), flush=True)


def _run(request: dict) -> None:
    """Be the process of a command line: does not return.

    disk: {"folder", "after", "report"} of a FullDisk below a folder; its operations are written to the report.
    """
    from full_disk import FullDisk

    from mugo.cli import main as cli

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    for name, value in request["constants"].items():
        module, _, constant = name.partition(":")
        setattr(importlib.import_module(module), constant, value)
    status, at = 1, request["disk"]
    disk = FullDisk(at["folder"], at["after"]) if at else contextlib.nullcontext()
    with disk, contextlib.suppress(SystemExit):
        status = cli.main(request["words"])
        sys.stdout.flush()
    if isinstance(disk, FullDisk):
        Path(at["report"]).write_text(json.dumps({"tried": disk.tried, "failed": disk.failed}))
    os._exit(status)


class ForkServer:
    """The server as a child process; a context manager."""

    def __init__(self, modules: list[str]):
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1")
        self._process = subprocess.Popen(
            [sys.executable, __file__, *modules], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=os.environ | one_thread | {"PYTHONPATH": path})
        assert self._reply() == {"ready": True}

    def _reply(self) -> dict:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def run(self, words: list[str], log: Path, constants: dict | None = None, kill_after: float | None = None,
            kill_when: Callable[[], bool] | None = None, disk: dict | None = None) -> tuple[int, float]:
        """(exit status, seconds) of a command; -9 if it was killed.  log: gets what it prints; disk: see _run.

        kill_after: seconds after which it is killed by SIGKILL, alone: its own children are not.  kill_when: the same,
        as soon as this holds.
        """
        assert self._process.stdin is not None
        request = {"words": [str(word) for word in words], "constants": constants or {}, "log": str(log),
                   "disk": disk}
        started = time.monotonic()
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        pid = self._reply()["pid"]
        if kill_after is not None or kill_when is not None:
            time.sleep(max(0.0, started + (kill_after or 0) - time.monotonic()))
            while kill_when is not None and not kill_when() and time.monotonic() < started + TIMEOUT:
                time.sleep(0.001)
            with contextlib.suppress(ProcessLookupError):            # it may have ended; a zombie is killed in vain
                os.kill(pid, signal.SIGKILL)
        if not select.select([self._process.stdout], [], [], TIMEOUT)[0]:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError(f"{words} did not end in {TIMEOUT} seconds; it printed:\n{log.read_text()[-2000:]}")
        status = self._reply()["status"]
        return status, time.monotonic() - started

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, *_) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()


if __name__ == "__main__":
    serve(sys.argv[1:])
