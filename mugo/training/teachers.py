"""Teachers: a network of MuGo, or any program that speaks KataGo's analysis protocol.

    chunks of positions (Asked), whose records have no answer yet --teacher.label--> records with answers, in any order

A program that crashes, answers nonsense or falls silent is started again, and what it was asked is asked again, one
position at a time: one that fails twice alone has no answer.
"""
import itertools
import queue
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mugo.core.files import BadInput, file_sha256, log_to_stderr
from mugo.core.parallel import open_executor, ordered_map
from mugo.data.positions import Positions
from mugo.data.teacher_labels import OWNERSHIP_UNIT, has_ownership, set_policy
from mugo.games.coords import WHITE_BIT, format_gtp, point_of_index
from mugo.nn.inference import Network
from mugo.nn.network_file import find_network
from mugo.training.analysis_program import AnalysisFault, AnalysisProgram, Refusal, parse_answer, read_answer

IN_FLIGHT = 64                           # queries that a program has at a time
ANSWER_SECONDS = 300                     # without an answer to any of them, after which a program is started again
MAX_FRUITLESS = 5                        # starts in a row after which it has failed without an answer
MAX_REFUSED = 32                         # positions in a row that a program may refuse before it has answered one
# By area, as networks learn; simple ko, because games repeat positions that superko forbids.
RULES = {"ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", "suicide": False}


class Asked(NamedTuple):
    """Positions to label: their indices, int64 (n,), and their records (teacher_labels.label_type) with game, move and
    komi."""

    indices: np.ndarray
    records: np.ndarray


class NetworkTeacher:
    """A network of MuGo, in `jobs` threads."""

    def __init__(self, name: str, jobs: int | None):
        path = find_network(name)
        self._network, self._jobs = Network(path, threads=1), jobs
        if self._network.game != "go":
            raise BadInput(f"{path} plays {self._network.game.capitalize()}, and a data set has games of Go")
        self.description = {"network": self._network.name, "version": file_sha256(path)[:16]}
        self.has_ownership, self.refusals = self._network.has_ownership, dict[str, int]()

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


@dataclass
class _Question:
    """A query about one position.  faults: how often the program failed while it was asked this alone."""

    query: dict[str, Any]
    record: np.ndarray
    faults: int = 0


@dataclass
class _Running:
    """A program with the questions that it has, by id, and those to ask again one at a time."""

    program: AnalysisProgram
    asked: dict[str, _Question] = field(default_factory=dict)
    again: deque[_Question] = field(default_factory=deque)
    last: float = 0.0                    # when it began, or answered last
    fruitless: int = 0                   # starts in a row without an answer

    @property
    def room(self) -> int:
        return (1 if self.again else IN_FLIGHT) - len(self.asked)


class EngineTeacher:
    """`jobs` programs of one command line that speak KataGo's analysis protocol.  Raises BadInput if there is none."""

    has_ownership = True

    def __init__(self, command: str, jobs: int | None):
        self._command, self._lines = command, queue.Queue()
        self._running = [self._start() for _ in range(jobs or 1)]
        self._refused, self._answered = 0, False
        self.refusals = dict[str, int]()         # why positions have no answer, and how many
        self.description = self._identify()

    def _start(self) -> _Running:
        return _Running(AnalysisProgram(self._command, self._lines), last=time.monotonic())

    def close(self, force: bool = False) -> None:
        for running in self._running:
            running.program.close(force)

    def _identify(self) -> dict[str, Any]:
        """The first program's version and models.  Raises BadInput if it does not say its version."""
        for action in "query_version", "query_models":
            self._running[0].program.send({"id": action, "action": action})
        found: dict[str, dict] = {}
        try:
            while len(found) < 2:
                running, line = self._next()
                if line is None:
                    raise AnalysisFault(running.program.how_it_ended())
                answer = parse_answer(line)
                if answer is not None:
                    found[str(answer.get("id"))] = answer
        except AnalysisFault as fault:
            self.close(force=True)
            raise BadInput(f"{self._command}: {fault}") from None
        if "version" not in (version := found.get("query_version", {})):
            self.close(force=True)
            raise BadInput(f"{self._command}: did not answer query_version as KataGo's analysis protocol says")
        models = found.get("query_models", {}).get("models")
        names = [str(model.get("internalName") or model.get("name")) for model in models if isinstance(model, dict)] \
            if isinstance(models, list) else []
        return {"version": str(version["version"])[:100], "models": [name[:200] for name in names[:8]]}

    def _next(self) -> tuple[_Running, bytes | None]:
        """The next line of a program, and which.  Raises AnalysisFault if the one that has waited longest is silent for
        too long."""
        while True:
            try:
                program, line = self._lines.get(timeout=1)
            except queue.Empty:
                program = None
            for running in self._running:
                if running.program is program:
                    return running, line
            if program is None and time.monotonic() - self._longest_silent().last > ANSWER_SECONDS:
                raise AnalysisFault(f"gave no answer in {ANSWER_SECONDS} seconds")

    def _longest_silent(self) -> _Running:
        return min([each for each in self._running if each.asked] or self._running, key=lambda each: each.last)

    def label(self, positions: Positions, chunks: Iterator[Asked]) -> Iterator[np.ndarray]:
        questions = _questions(positions, chunks)
        while True:
            for running in self._running:
                self._fill(running, questions)
            if not any(running.asked for running in self._running):
                return
            try:
                running, line = self._next()
            except AnalysisFault as fault:
                yield from self._restart(self._longest_silent(), str(fault))
                continue
            try:
                if line is None:
                    raise AnalysisFault(running.program.how_it_ended())
                record = self._read(running, line, positions.size ** 2)
            except AnalysisFault as fault:
                yield from self._restart(running, str(fault))
            else:
                if record is not None:
                    yield record

    def _fill(self, running: _Running, questions: Iterator[_Question]) -> None:
        if not running.asked:
            running.last = time.monotonic()
        for _ in range(running.room):
            question = running.again.popleft() if running.again else next(questions, None)
            if question is None:
                break
            running.asked[question.query["id"]] = question
            running.program.send(question.query)

    def _read(self, running: _Running, line: bytes, points: int) -> np.ndarray | None:
        """The record of the question that a line answers, (1,); None if it answers none.  Raises AnalysisFault."""
        answer = parse_answer(line)
        if answer is None:
            return None
        question = running.asked.get(str(answer.get("id")))
        if question is None:
            raise AnalysisFault(f"answered {str(answer.get('id'))[:40]!r}, which nobody asked" if "error" not in answer
                                else f"answered with an error: {str(answer['error'])[:200]}")
        try:
            read_answer(answer, question.record[0], points)
        except Refusal as refusal:
            self._count_refusal(str(refusal))
        else:
            self._answered = True
        running.last, running.fruitless = time.monotonic(), 0
        del running.asked[question.query["id"]]
        return question.record

    def _count_refusal(self, reason: str) -> None:
        self.refusals[reason] = self.refusals.get(reason, 0) + 1
        self._refused += 1
        if self._refused >= MAX_REFUSED and not self._answered:
            raise BadInput(f"{self._command}: answers no position: {reason}")

    def _restart(self, running: _Running, fault: str) -> Iterator[np.ndarray]:
        """Start a program again after a fault; yields the record of the position that is to blame, if one is."""
        running.program.close(force=True)
        fruitless, suspects = running.fruitless + 1, list(running.asked.values())
        if fruitless >= MAX_FRUITLESS:
            raise BadInput(f"{self._command}: {fault}; it was started {fruitless} times in a row without an answer")
        log_to_stderr(f"{self._command}: {fault}; starting it again")
        if len(suspects) == 1:
            suspects[0].faults += 1
            if suspects[0].faults > 1:
                self.refusals[fault] = self.refusals.get(fault, 0) + 1
                yield suspects.pop().record
        again, new = deque([*suspects, *running.again]), self._start()
        running.program, running.asked, running.again = new.program, {}, again
        running.last, running.fruitless = new.last, fruitless


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
            yield _Question({"id": str(next(numbers)), **query}, records[i:i + 1])


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
