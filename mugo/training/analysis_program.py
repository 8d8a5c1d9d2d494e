"""A running program that speaks KataGo's analysis protocol, and what its answers say.

    send(query) --writer thread--> stdin |         | stdout --reader thread--> read(seconds)
                                         | program |
                                         |         | stderr: its last lines explain a crash

The protocol is asynchronous: answers come in any order, each with the id of its query.

https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
"""
import contextlib
import json
import math
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
from collections import deque
from typing import Any

import numpy as np

from mugo.core.files import BadInput, error_line
from mugo.core.limits import parse_json
from mugo.data.teacher_labels import OWNERSHIP_UNIT, has_ownership, set_policy

MAX_LINE_BYTES = 1 << 20                 # of an answer; one with policy and ownership on 19x19 has 8,000
POLICY_SUM = 0.9, 1.1                    # of a policy's probabilities, which are rounded
QUIT_TIMEOUT = 3                         # seconds between the end of stdin and SIGKILL


class AnalysisFault(Exception):
    """A program failed to answer as the protocol says."""


class Refusal(Exception):
    """A program answered that it cannot analyze a position, and why."""


class AnalysisProgram:
    """A running program.  command: its command line.  Raises BadInput if it cannot be started."""

    def __init__(self, command: str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise BadInput(f"--engine {command!r} is no command line: {error}") from None
        if not words:
            raise BadInput("--engine is empty: give a command line, say \"katago analysis -config analysis.cfg -model "
                           "net.bin.gz\"")
        try:
            self._process = subprocess.Popen([shutil.which(words[0]) or words[0], *words[1:]], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            raise BadInput(f"{words[0]}: cannot be started: {error_line(error)}") from None
        self._queries: queue.Queue[bytes | None] = queue.Queue()
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._last_errors: deque[str] = deque(maxlen=3)
        self._threads = [threading.Thread(target=target, daemon=True)
                         for target in (self._write, self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def send(self, query: dict[str, Any]) -> None:
        """Send a query; returns at once."""
        self._queries.put(json.dumps(query).encode() + b"\n")

    def read(self, seconds: float) -> dict[str, Any]:
        """The next answer.  Raises AnalysisFault if there is none in this time, or it is none."""
        while True:
            try:
                line = self._lines.get(timeout=seconds)
            except queue.Empty:
                raise AnalysisFault(f"gave no answer in {seconds} seconds") from None
            if not line:
                raise AnalysisFault(self._how_it_ended())
            if (answer := parse_answer(line)) is not None:
                return answer

    def _write(self) -> None:
        assert self._process.stdin
        with contextlib.suppress(OSError, ValueError):       # a program that has ended: its reader says so
            while (line := self._queries.get()) is not None:
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        with self._process.stdout as out, contextlib.suppress(OSError, ValueError):
            while line := out.readline(MAX_LINE_BYTES + 1):
                self._lines.put(line)
                if len(line) > MAX_LINE_BYTES:
                    break
        self._lines.put(b"")

    def _read_errors(self) -> None:
        assert self._process.stderr
        with self._process.stderr as errors:
            while line := errors.readline(4096):
                if text := " ".join(line.decode("utf-8", "replace").split())[:200]:
                    self._last_errors.append(text)

    def _how_it_ended(self) -> str:
        """'ended with status 1: its last lines on stderr', after its output has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._threads[-1].join(1)
        status = self._process.poll()
        event = "closed its output" if status is None else f"ended with status {status}"
        return event + (f": {' / '.join(self._last_errors)}" if self._last_errors else "")

    def close(self, force: bool = False) -> None:
        """End the program and its children: the end of its input and, after QUIT_TIMEOUT or with `force`, SIGKILL."""
        self._queries.put(None)
        if not force:
            with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
                self._threads[0].join(QUIT_TIMEOUT)
                if not self._threads[0].is_alive() and self._process.stdin:
                    self._process.stdin.close()
                self._process.wait(QUIT_TIMEOUT)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for thread in self._threads:
            thread.join(1)


def parse_answer(line: bytes) -> dict[str, Any] | None:
    """The answer in a line; None for warnings and reports during the search.  Raises AnalysisFault."""
    if len(line) > MAX_LINE_BYTES:
        raise AnalysisFault(f"wrote a line of more than {MAX_LINE_BYTES:,} bytes")
    try:
        answer = parse_json(line.decode())
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise AnalysisFault(f"wrote {_shown(line.decode('utf-8', 'replace'))}, which is no JSON object")
    return None if "warning" in answer or answer.get("isDuringSearch") is True else answer


def read_answer(answer: dict[str, Any], record: np.ndarray, points: int) -> None:
    """Write an answer to a record of labels for a board of n points.  Raises Refusal if the program could not analyze
    the position, and AnalysisFault for an answer that is none."""
    if "error" in answer:
        raise Refusal(_shown(answer["error"]))
    if answer.get("noResults") is True:
        raise Refusal("no results: the game is over")
    root = answer.get("rootInfo")
    if not isinstance(root, dict):
        raise AnalysisFault("gave an answer without rootInfo")
    win_rate, lead = _number(root, "winrate", 0, 1), _number(root, "scoreLead", -2 * points, 2 * points)
    stdev = _number(root, "scoreStdev", 0, 2 * points) if "scoreStdev" in root else math.nan
    priors = np.maximum(_numbers(answer, "policy", points + 1, 1), 0)          # -1: an illegal move
    if not POLICY_SUM[0] <= priors.sum() <= POLICY_SUM[1]:
        raise AnalysisFault(f"gave a policy whose sum is {priors.sum():.3g}, not 1")
    if has_ownership(record):
        record["ownership"] = np.rint(OWNERSHIP_UNIT * np.clip(_numbers(answer, "ownership", points, 1.01), -1, 1))
    set_policy(record, priors)
    record["win_rate"], record["lead"], record["stdev"] = win_rate, lead, stdev


def _number(root: dict[str, Any], name: str, least: float, most: float) -> float:
    value = root.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise AnalysisFault(f"gave a {name} of {_shown(value)}, expected a number from {least:g} to {most:g}")
    return float(value)


def _numbers(answer: dict[str, Any], name: str, count: int, most: float) -> np.ndarray:
    values = answer.get(name)
    if not isinstance(values, list) or len(values) != count or any(type(value) not in (int, float) for value in values):
        raise AnalysisFault(f"gave no {name} of {count} numbers")
    numbers = np.array(values, np.float64)
    if not (np.abs(numbers) <= most).all():
        raise AnalysisFault(f"gave numbers outside -1 to 1 as {name}")
    return numbers


def _shown(value: Any) -> str:
    """The beginning of a value that a program wrote, on one line."""
    text = value if isinstance(value, str) else json.dumps(value)
    return repr(" ".join(text[:500].split())[:100])
