"""What a teacher says of the positions of a data set:  mugo label DATASET --engine "COMMAND" -o NAME

    positions of training and validation games, shuffled --> teacher --> DATASET/teachers/NAME.labels

A teacher is a network of MuGo, or any program that speaks KataGo's analysis protocol.  The order is random, so the
first positions that are labelled are a uniform sample of all.  Half of them are shown with another komi, drawn around
the game's, because networks learn the value for every komi.  After Ctrl-C or kill -9 `--resume` continues; so it does
after games were added to the data set.  `mugo train --teacher NAME` learns from the file.
"""
import argparse
import contextlib
import itertools
import json
import math
import queue
import shlex
import shutil
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mugo.core.files import BadInput, error_line, file_sha256, log_to_stderr
from mugo.core.limits import parse_json
from mugo.core.options import given
from mugo.core.parallel import open_executor, ordered_map
from mugo.core.program import QUIT_TIMEOUT, Program
from mugo.core.progress import progress_bar
from mugo.data import game_hash
from mugo.data.dataset import load_dataset
from mugo.data.positions import Positions
from mugo.data.teacher_labels import OWNERSHIP_UNIT, LabelWriter, find_positions, has_ownership, labels_path, set_policy
from mugo.games.coords import WHITE_BIT, format_gtp, point_of_index
from mugo.nn.network_file import find_network
from mugo.nn.inference import Network
from mugo.training.loader import KOMI_STDEV, OTHER_KOMI
from mugo.training.options import LabelOptions

SEED = 0
CHUNK = 64                               # positions
MAX_KOMI = 150                           # points: the most that KataGo takes
NOT_TEST = "split != 'test'"
IN_FLIGHT = 64                           # queries that a program has at a time
ANSWER_SECONDS = 300                     # without an answer, after which a program has failed
MAX_FAILURES = 5                         # of a program in a row, without an answer
MAX_LINE_BYTES = 1 << 20                 # of an answer; one with policy and ownership on 19x19 has 8,000
POLICY_SUM = 0.9, 1.1                    # of a policy's probabilities, which are rounded
MAX_REFUSED = 32                         # positions in a row that a program may refuse before it has answered one
# By area, as networks learn; simple ko, because games repeat positions that superko forbids.
RULES = {"ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", "suicide": False}

_Question = tuple[dict[str, Any], np.ndarray]            # a query about one position, and its record, (1,)


class Asked(NamedTuple):
    """Positions to label: their indices, int64 (n,), and their records (teacher_labels.label_type) with game, move and
    komi."""

    indices: np.ndarray
    records: np.ndarray


def asked_positions(positions: Positions, is_wanted: np.ndarray, left: int, kind: np.dtype) -> Iterator[Asked]:
    """Up to `left` positions to label, in random order.  is_wanted: bool (len(positions),)."""
    hashes = positions.games.column("content_hash")
    for start in range(0, len(positions), CHUNK):
        if left <= 0:
            return
        indices = game_hash.shuffled_positions(start, min(CHUNK, len(positions) - start), len(positions), SEED)[0]
        rng = np.random.default_rng((SEED, start))
        drawn, shifts = rng.random(CHUNK)[:len(indices)], rng.standard_normal(CHUNK)[:len(indices)]
        rows, moves_played = positions.locate(indices)
        komi = np.nan_to_num(positions.games.take(rows).column("white_points").astype(np.float64))
        komi = np.where(drawn < OTHER_KOMI, np.floor(komi + KOMI_STDEV * shifts) + 0.5, np.round(2 * komi) / 2)
        new = np.flatnonzero(is_wanted[indices])[:left]
        records = np.zeros(len(new), kind)
        records["content_hash"], records["moves_played"] = hashes[rows[new]], moves_played[new]
        records["komi"], records["win_rate"] = np.clip(komi[new], -MAX_KOMI, MAX_KOMI), np.nan
        left -= len(new)
        if len(new):
            yield Asked(indices[new], records)


class NetworkTeacher:
    """A network of MuGo, in `jobs` threads."""

    def __init__(self, name: str, jobs: int | None):
        path = find_network(name)
        self._network, self._jobs = Network(path, threads=1), jobs
        if self._network.game != "go":
            raise BadInput(f"{path} plays {self._network.game.capitalize()}, and a data set has games of Go")
        self.description = {"network": self._network.name, "version": file_sha256(path)[:16]}
        self.has_ownership, self.refusals = self._network.has_ownership, Counter[str]()

    def label(self, positions: Positions, chunks: Iterator[Asked]) -> Iterator[np.ndarray]:
        with open_executor(self._jobs, threads=True) as executor:
            yield from ordered_map(executor, partial(self._label, positions), chunks)

    def _label(self, positions: Positions, asked: Asked) -> np.ndarray:
        batch, records = positions.batch(asked.indices), asked.records
        features = batch.global_features(-batch.colours * records["komi"])
        output = self._network.evaluate_packed(batch.packed, features)
        for i, record in enumerate(records):
            set_policy(record, output.priors[i])
        records["win_rate"] = 0.5 if output.values is None else (1 + output.values) / 2
        records["lead"] = np.nan if output.score_mean is None else output.score_mean
        records["stdev"] = np.nan if output.score_stdev is None else output.score_stdev
        if output.ownership is not None and has_ownership(records):
            records["ownership"] = np.rint(OWNERSHIP_UNIT * output.ownership)
        return records


# ---- programs

class AnalysisFault(Exception):
    """A program failed to answer as the protocol says."""


class Refusal(Exception):
    """A program answered that it cannot analyze a position, and why."""


class AnalysisProgram:
    """A program that speaks KataGo's analysis protocol, in which answers come in any order, each with the id of its
    query.  command: its command line.  Raises BadInput if it cannot be started.

    https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
    """

    def __init__(self, command: str):
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise BadInput(f"--engine {command!r} is no command line: {error}") from None
        if not words:
            raise BadInput("--engine is empty: give a command line, say \"katago analysis -config analysis.cfg -model "
                           "net.bin.gz\"")
        try:
            self._program = Program([shutil.which(words[0]) or words[0], *words[1:]], MAX_LINE_BYTES)
        except OSError as error:
            raise BadInput(f"{words[0]}: cannot be started: {error_line(error)}") from None
        self._queries: queue.Queue[bytes | None] = queue.Queue()
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._writer.start()

    def send(self, query: dict[str, Any]) -> None:
        """Send a query; returns at once."""
        self._queries.put(json.dumps(query).encode() + b"\n")

    def _write(self) -> None:
        with contextlib.suppress(OSError, ValueError):       # a program that has ended: `read` says so
            while (line := self._queries.get()) is not None:
                self._program.write(line)

    def read(self, seconds: float) -> dict[str, Any]:
        """The next answer.  Raises AnalysisFault if there is none in this time, or it is none."""
        while True:
            try:
                line = self._program.lines.get(timeout=seconds)
            except queue.Empty:
                raise AnalysisFault(f"gave no answer in {seconds} seconds") from None
            if not line:
                raise AnalysisFault(self._program.how_it_ended())
            if (answer := parse_answer(line)) is not None:
                return answer

    def close(self) -> None:
        """End the program and its children, when it has got what was sent."""
        self._queries.put(None)
        self._writer.join(QUIT_TIMEOUT)
        self._program.close(force=self._writer.is_alive())


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


class EngineTeacher:
    """`jobs` programs of one command line that speak KataGo's analysis protocol.  Raises BadInput if there is none."""

    has_ownership = True

    def __init__(self, command: str, jobs: int | None):
        self._command, self._points, self._is_closed = command, 0, False
        self._programs = [AnalysisProgram(command) for _ in range(jobs or 1)]
        self._answered, self.refusals = False, Counter[str]()    # why positions have no answer, and how many
        self.description = self._identify(self._programs[0])

    def close(self) -> None:
        self._is_closed = True
        for program in self._programs:
            program.close()

    def _identify(self, program: AnalysisProgram) -> dict[str, Any]:
        """A program's version and models.  Raises BadInput if it does not say its version."""
        found: dict[str, dict] = {}
        try:
            for action in "query_version", "query_models":
                program.send({"id": action, "action": action})
            while len(found) < 2:
                answer = program.read(ANSWER_SECONDS)
                found[str(answer.get("id"))] = answer
            if "version" not in (version := found.get("query_version", {})):
                raise AnalysisFault("did not answer query_version as KataGo's analysis protocol says")
        except AnalysisFault as fault:
            self.close()
            raise BadInput(f"{self._command}: {fault}") from None
        models = found.get("query_models", {}).get("models")
        names = [str(model.get("internalName") or model.get("name")) for model in models if isinstance(model, dict)] \
            if isinstance(models, list) else []
        return {"version": str(version["version"])[:100], "models": [name[:200] for name in names[:8]]}

    def label(self, positions: Positions, chunks: Iterator[Asked]) -> Iterator[np.ndarray]:
        questions, lock, done = _questions(positions, chunks), threading.Lock(), queue.Queue[Any]()
        self._points = positions.size ** 2

        def next_question() -> _Question | None:
            with lock:
                return next(questions, None)

        def work(i: int) -> None:
            try:
                self._ask(i, next_question, done.put)
                done.put(None)
            except Exception as error:
                done.put(error)

        for i in range(len(self._programs)):
            threading.Thread(target=work, args=(i,), daemon=True).start()
        working = len(self._programs)
        while working:
            item = done.get()
            if isinstance(item, Exception):
                raise item
            working -= item is None
            if item is not None:
                yield item

    def _ask(self, i: int, next_question: Callable[[], _Question | None], put: Callable[[np.ndarray], None]) -> None:
        """Ask program number i until there are no more questions.

        Where it fails it is started again, and what it had not answered is asked again, one position at a time; a
        position has no answer where it failed twice alone.  Raises BadInput after MAX_FAILURES.
        """
        asked: dict[str, _Question] = {}                 # what it has not answered, by id
        again: deque[_Question] = deque()
        failed_alone: set[str] = set()
        failures = 0                                     # in a row
        while True:
            while len(asked) < (1 if again else IN_FLIGHT) and (
                    question := again.popleft() if again else next_question()):
                asked[question[0]["id"]] = question
                self._programs[i].send(question[0])
            if not asked:
                return
            try:
                put(self._answer(self._programs[i].read(ANSWER_SECONDS), asked))
                failures = 0
            except AnalysisFault as fault:
                if self._is_closed:
                    return
                failures += 1
                if failures == MAX_FAILURES:
                    raise BadInput(f"{self._command}: {fault}; it failed {failures} times in a row; --resume continues"
                                   ) from None
                log_to_stderr(f"{self._command}: {fault}; starting it again")
                if len(asked) == 1 and failed_alone & asked.keys():
                    self.refusals[str(fault)] += 1
                    put(asked.popitem()[1][1])
                elif len(asked) == 1:
                    failed_alone |= asked.keys()
                again.extendleft(reversed(asked.values()))
                asked.clear()
                self._programs[i].close()
                self._programs[i] = AnalysisProgram(self._command)

    def _answer(self, answer: dict[str, Any], asked: dict[str, _Question]) -> np.ndarray:
        """The record, (1,), of the question that this answers, which is then no longer asked.  Raises AnalysisFault."""
        key = str(answer.get("id"))
        if key not in asked:
            raise AnalysisFault(f"answered {key[:40]!r}, which nobody asked" if "error" not in answer
                                else f"answered with an error: {str(answer['error'])[:200]}")
        try:
            read_answer(answer, asked[key][1][0], self._points)
            self._answered = True
        except Refusal as refusal:
            self.refusals[str(refusal)] += 1
            if self.refusals.total() >= MAX_REFUSED and not self._answered:
                raise BadInput(f"{self._command}: answers no position: {refusal}") from None
        return asked.pop(key)[1]


def _questions(positions: Positions, chunks: Iterator[Asked]) -> Iterator[_Question]:
    """A question for each position."""
    numbers = itertools.count()
    names = [format_gtp(point_of_index(i, positions.size), positions.size) for i in range(positions.size ** 2 + 1)]
    for indices, records in chunks:
        rows, moves_played = positions.locate(indices)
        games, setup, moves, _ = positions.games.arrays(rows)
        for i, game in enumerate(games):
            stones = setup[game["setup_start"]:game["setup_start"] + game["num_setup"]]
            played = moves[game["move_start"]:game["move_start"] + moves_played[i] + 1]      # and the next one
            query = position_query(_named(stones, names), _named(played, names), float(records["komi"][i]),
                                   positions.size, has_ownership(records))
            yield {"id": str(next(numbers)), **query}, records[i:i + 1]


def _named(encoded: np.ndarray, names: list[str]) -> list[list[str]]:
    """[["B", "Q16"], ...] of encoded stones or moves."""
    return [["W" if move & WHITE_BIT else "B", names[move & (WHITE_BIT - 1)]] for move in encoded.tolist()]


def position_query(stones: list[list[str]], moves: list[list[str]], komi: float, size: int, ownership: bool
                   ) -> dict[str, Any]:
    """The query, without its id, about the position before the last of these moves; komi is White's.

    The protocol lets the colour that did not move last move next: a pass is put in where the game says otherwise.
    """
    *before, (to_play, _) = moves
    other = "B" if to_play == "W" else "W"
    if before and before[-1][0] == to_play:
        before = [*before, [other, "pass"]]
    return {"initialStones": stones, "initialPlayer": before[0][0] if before else to_play, "moves": before,
            "rules": RULES, "komi": komi, "boardXSize": size, "boardYSize": size, "includePolicy": True,
            "includeOwnership": ownership, "overrideSettings": {"reportAnalysisWinratesAs": "SIDETOMOVE"}}


Teacher = NetworkTeacher | EngineTeacher


# ---- the command

def command(args: argparse.Namespace) -> int:
    """Label; returns the exit status."""
    options = LabelOptions(**given(LabelOptions, args))
    positions = load_dataset(args.dataset).positions(None, where=NOT_TEST)
    path = labels_path(args.dataset, args.output)
    if path.exists() and not options.resume:
        raise BadInput(f"{path} exists: --resume continues it, or give -o another name")
    path.parent.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        if options.network:
            teacher = NetworkTeacher(options.network, options.jobs)
        else:
            teacher = EngineTeacher(options.engine, options.jobs)
            stack.callback(teacher.close)
        if options.ownership and not teacher.has_ownership:
            raise BadInput(f"--ownership: {options.network} has no ownership")
        header = {"size": positions.size, "ownership": options.ownership, "teacher": teacher.description}
        count = label(positions, teacher, stack.enter_context(LabelWriter(path, header, options.resume)),
                      options.positions, options.last)
    refused = teacher.refusals
    print(f"{path}: {count:,} positions"
          + (f", {refused.total():,} of which were refused now, for example {next(iter(refused))}" if refused
             else ""))
    return 0


def label(positions: Positions, teacher: Teacher, writer: LabelWriter, count: int | None, last: int | None) -> int:
    """Have a teacher label positions until `count` are labelled, None: all; returns how many are.  last: how
    many positions at the end of each game are labelled; None: all."""
    ends, lengths = positions.first_index[1:], np.diff(positions.first_index)
    is_wanted = np.arange(len(positions)) >= np.repeat(ends - (last or len(positions)), lengths)
    found = find_positions(writer.labels.records, positions)
    is_labelled = np.zeros(len(positions), bool)
    is_labelled[found[found >= 0]] = True
    before, wanted = int(is_labelled.sum()), int((is_wanted | is_labelled).sum())
    count = wanted if count is None else min(count, wanted)
    with progress_bar("positions", count, before) as bar:
        for records in teacher.label(positions, asked_positions(positions, is_wanted & ~is_labelled, count - before,
                                                                writer.labels.records.dtype)):
            writer.append(records)
            bar.update(len(records))
    return max(before, count)
