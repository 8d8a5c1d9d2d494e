"""KataGo's analysis protocol: a query in, a line of JSON out for every turn that is analysed.

    {"id": "foo", "moves": [["B", "D4"]], ..., "analyzeTurns": [0, 1]}      a line of input
    {"id": "foo", "turnNumber": 1, "moveInfos": [...], "rootInfo": {...}}   lines of output, as they are ready
    {"id": "foo", "turnNumber": 0, ...}

                     +-- thread: Search --+
    Engine -- queue -+-- thread: Search --+-- out        the highest priority first, then the oldest
                     +-- ...

Each search has a tree and a thread of its own, and they share one network.  Positions that only the network is
asked about are asked together.  (To ask it about several searches' leaves together does not pay on a CPU: a
position costs 1.36 ms of a core in batches of 8, as one search asks, and 1.31 ms in batches of 32.)

What queries may say is queries.py's.  https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
"""
import argparse
import contextlib
import heapq
import itertools
import json
import math
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

import numpy as np

from mugo import __version__
from mugo.analysis.request import Query, Refused, read_query
from mugo.analysis.response import format_answer, no_answer, policy_of
from mugo.files import BadInput
from mugo.games import scoring
from mugo.games.coords import PASS, move_index, point_of_index
from mugo.games.go import Position
from mugo.players import options as player_options
from mugo.players.options import NETWORK_PLAYERS, SEARCHERS
from mugo.players.passing import MIN_VISITS
from mugo.players.searcher import SECONDS, PlayOptions
from mugo.search.result import MoveInfo, SearchResult
from mugo.search.search import PV_LENGTH, Search
from mugo.search.settings import Settings

TOGETHER = 16             # positions that the network is asked about at once
FAVOURITES, FAINT = 10, 0.01    # moves told of a network's answer: so many at most, no others less likely than that
ACTIONS = ("query_version", "query_models", "clear_cache", "terminate", "terminate_all")


@dataclass(eq=False)
class Job:
    """A turn of a query.  stop: set when its search is to end."""
    query: Query
    turn: int
    stop: threading.Event

    @property
    def position(self) -> Position:
        return self.query.positions[self.turn]


class Engine:
    """Queries in, lines of JSON out.

    network: as players.open_network has it; None for a player without.
    settings: of the searches; None where the network alone is asked.
    play_options: the limits of a search of which the query says nothing, and which move is the best.
    average: positions that only the network is asked about are shown to it in all eight symmetries.
    threads: positions analysed side by side.
    log: is told of internal errors.
    Raises BadInput for settings that need another network, or no threads.
    """

    def __init__(self, network, settings: Settings | None, out: TextIO, *, play_options: PlayOptions,
                 tta: bool = False, threads: int = 1, log: Callable[[str], object] = lambda text: None):
        if threads < 1:
            raise BadInput(f"analysis threads are 1 or more, not {threads}")
        self._network = network
        # A tree of another query would bring visits that nobody asked for; and so many are wanted as are asked for.
        self._settings = None if settings is None else replace(settings, reuse_tree=False, early_stop=False)
        if self._settings:
            Search(self._settings, network)
        self._play_options = play_options
        self._tta = tta
        self._out = out
        self._log = log
        self._told: set[str] = set()                     # warnings given once
        self._queue: list[tuple[int, int, Job]] = []     # a heap; guarded, as all below, by _changed
        self._running: set[Job] = set()
        self._numbers = itertools.count()
        self._closing = self._silent = False
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._threads = [threading.Thread(target=self._work, daemon=True, name="analysis") for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def gone(self) -> bool:
        """Whether nobody reads the output any more."""
        return self._silent

    def warm_up(self, size: int) -> None:
        """Load compiled code, and the network for boards of this size, before the time of a query runs.
        Raises BadInput for a board that it does not play."""
        position = Position(size)
        if self._settings:
            Search(self._settings, self._network).search(position, simulations=2)
        self._first_sight(position)
        scoring.ownership(position, 1)

    # -- queries

    def read(self, line: str) -> None:
        """Take a line of input.  Whatever it is, it is answered, at once or when it has been analysed."""
        if not line.strip():
            return
        try:
            query = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            self._say({"error": f"could not parse the line as JSON: {error}: {line.strip()[:200]}"})
            return
        if not isinstance(query, dict):
            self._say({"error": f"a query is an object of JSON, not {line.strip()[:200]}"})
            return
        if not isinstance(query.get("id"), str):
            self._say({"error": "a query has an \"id\", which is a string"})
            return
        try:
            if query.get("action") is None:
                self._begin(query)
            else:
                self._act(query)
        except Refused as refused:
            self._say({"error": str(refused), "field": refused.field, "id": query["id"]})
        except Exception as error:                       # a bug of ours ends no session
            self._fail(query["id"], error)

    def _begin(self, fields: dict) -> None:
        query, warnings = read_query(fields, PV_LENGTH)
        for field, text in warnings:
            self._warn(query.id, field, text)
        with self._changed:
            if self._silent:
                return
            for turn, priority in zip(query.turns, query.priorities, strict=True):
                heapq.heappush(self._queue, (-priority, next(self._numbers), Job(query, turn, threading.Event())))
            self._changed.notify_all()

    def _act(self, query: dict) -> None:
        """Do what is not an analysis, and answer with the query itself."""
        action = query["action"]
        if action == "query_version":
            query |= {"version": __version__, "git_hash": "<omitted>"}
        elif action == "query_models":
            query["models"] = [] if self._network is None else [
                {"name": self._network.name, "internalName": self._network.name, "maxBatchSize": TOGETHER,
                 "usesHumanSLProfile": False, "version": 1, "usingFP16": "false"}]
        elif action in ("terminate", "terminate_all"):
            turns = query.get("turnNumbers")
            if turns is not None and not (isinstance(turns, list) and all(type(turn) is int for turn in turns)):
                raise Refused("must be an array of integers: turns to terminate", "turnNumbers")
            name = query.get("terminateId")
            if action == "terminate" and not isinstance(name, str):
                raise Refused("must be the id of a query, a string", "terminateId")
            self._terminate(lambda job: (action == "terminate_all" or job.query.id == name)
                            and (turns is None or job.turn in turns))
        elif action != "clear_cache":                    # there is none: nothing is kept from query to query
            raise Refused(f"must be one of {', '.join(ACTIONS)}", "action")
        self._say(query)

    def _terminate(self, is_meant: Callable[[Job], bool]) -> None:
        """End searches, which then tell what they have found, and take jobs that are waiting out of the queue."""
        with self._changed:
            dropped = [item for item in self._queue if is_meant(item[2])]
            self._queue = [item for item in self._queue if not is_meant(item[2])]
            heapq.heapify(self._queue)
            for job in self._running:
                if is_meant(job):
                    job.stop.set()
        for _, _, job in sorted(dropped, key=lambda item: item[:2]):
            self._say(no_answer(job.query, job.turn))

    def close(self, finish: bool = True) -> None:
        """End: when all that is waiting has been analysed, or at once and without another word."""
        with self._changed:
            self._closing = True
            if not finish:
                self._silence()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _silence(self) -> None:
        self._silent = True
        self._queue.clear()
        for job in self._running:
            job.stop.set()

    # -- output

    def _say(self, answer: dict) -> None:
        line = json.dumps(answer, separators=(",", ":")) + "\n"
        with self._writing:
            if self._silent:
                return
            try:
                self._out.write(line)
                self._out.flush()
            except (OSError, ValueError):                # the client is gone: nobody waits for the rest
                self._silent = True
        if self._silent:
            with self._changed:
                self._silence()

    def _warn(self, name: str, field: str, text: str, once: bool = False) -> None:
        if once:
            with self._changed:
                if text in self._told:
                    return
                self._told.add(text)
        self._say({"warning": text, "field": field, "id": name})

    def _fail(self, name: str, error: Exception, turn: int | None = None) -> None:
        self._log(traceback.format_exc())
        told = " ".join(f"{type(error).__name__} {error}".split())
        self._say({"error": f"internal error: {told}", "id": name} | ({} if turn is None else {"turnNumber": turn}))

    # -- work, each in a thread of its own

    def _work(self) -> None:
        search = None
        while jobs := self._take():
            try:
                if self._asks_network_only(jobs[0]):
                    self._look(jobs)
                else:
                    noise = jobs[0].query.noise
                    settings = self._settings if noise is None else replace(self._settings, dirichlet_weight=noise)
                    # With a seed every query gets the search that it would get alone.
                    if search is None or search.settings != settings or settings.seed is not None:
                        search = Search(settings, self._network)
                    self._think(jobs[0], search)
            except BadInput as bad:                      # its network does not play this board
                for job in jobs:
                    self._say({"error": str(bad), "id": job.query.id, "turnNumber": job.turn})
            except Exception as error:
                for job in jobs:
                    self._fail(job.query.id, error, job.turn)
            with self._changed:
                self._running.difference_update(jobs)

    def _take(self) -> list[Job]:
        """The next job, with others that the network can be asked about at the same time; [] at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closing)
            jobs: list[Job] = []
            while self._queue and len(jobs) < TOGETHER:
                job = self._queue[0][2]
                if jobs and not (self._asks_network_only(jobs[0]) and self._asks_network_only(job)
                                 and job.position.size == jobs[0].position.size):
                    break
                jobs.append(heapq.heappop(self._queue)[2])
                if not self._asks_network_only(job):
                    break
            self._running.update(jobs)
            return jobs

    def _asks_network_only(self, job: Job) -> bool:
        """Whether no search is wanted, or could look at anything."""
        if self._network is None:
            return False
        return self._settings is None or (job.query.visits == 1 and self._network.has_value)

    def _look(self, jobs: Sequence[Job]) -> None:
        """Answer with what the network says at first sight."""
        priors, values = self._network.evaluate([job.position for job in jobs], tta=self._tta)
        if values is None:
            self._warn(jobs[0].query.id, "winrate", "the network has no value head: without a search every win rate "
                                                    "is 0.5", once=True)
            values = np.zeros(len(jobs))
        for job, prior, value in zip(jobs, priors, values, strict=True):
            self._tell_at_sight(job, policy_of(job.position, prior), (1 + float(value)) / 2)

    def _think(self, job: Job, search: Search) -> None:
        """Answer with what a search finds, and meanwhile if that is wanted."""
        query, position = job.query, job.position
        allowed_moves = query.points(position)
        policy, raw = self._first_sight(position)
        if allowed_moves == []:
            self._tell_at_sight(job, policy, raw)
            return
        visits = query.visits or self._play_options.simulations
        seconds = self._play_options.seconds if query.seconds is None else query.seconds
        if visits is None and seconds is None:
            seconds = SECONDS
        due = time.perf_counter() + (query.first_report or math.inf)

        def on_progress(result: SearchResult) -> None:
            nonlocal due
            if time.perf_counter() >= due and not job.stop.is_set():
                due += query.progress_interval or math.inf
                self._tell(job, result, policy, raw, search, during=True)

        # In the opening two passes may win by Tromp and Taylor's count; people would not agree.
        may_pass = scoring.is_nearly_over(position) if allowed_moves is None else PASS in allowed_moves
        result = search.search(
            position, simulations=visits, seconds=seconds, may_pass=may_pass, allowed_moves=allowed_moves,
                               should_stop=job.stop.is_set,
            on_progress=on_progress if query.first_report else None,
                               progress_interval=min(query.first_report or math.inf, query.progress_interval
                                                     or math.inf))
        self._tell(job, result, policy, raw, search)

    def _first_sight(self, position: Position) -> tuple[np.ndarray, float]:
        """The policy (`_policy`) and the win rate that the network gives; all moves alike and 0.5 without one."""
        priors, values = np.ones(position.size ** 2 + 1), None
        if self._network is not None:
            (priors, *_), values = self._network.evaluate([position])
        return policy_of(position, priors), 0.5 if values is None else (1 + float(values[0])) / 2

    def _tell_at_sight(self, job: Job, policy: np.ndarray, raw: float) -> None:
        """Say what is known without a search."""
        self._tell(job, SearchResult(job.position, (), raw, 1, 1, 0.0, 0.0, 1, 0, None), policy, raw)

    def _tell(self, job: Job, result: SearchResult, policy: np.ndarray, raw: float, search: Search | None = None,
              during: bool = False) -> None:
        """Say what was found: the moves visited, or the network's favourites where there are none."""
        query, ownership = job.query, result.ownership
        if query.ownership or query.ownership_spread if ownership is None else result.rollouts < MIN_VISITS:
            ownership = scoring.ownership(job.position)
        if ownership is None:
            self._warn(query.id, "scoreLead", "scores are 0 where there are no rollouts and no ownership is asked for",
                       once=True)
        infos = [info for info in result.moves if info.visits]
        if self._play_options.select_by == "value":
            infos.sort(key=lambda info: -info.win_rate)
        result = replace(result, moves=tuple(infos) or favourites(
            job.position, policy, query.points(job.position), result.win_rate))
        along = search.pv_visits if search and infos else lambda line: [0] * len(line)
        self._say(format_answer(query, job.turn, result, ownership, policy, raw, along, during,
                                hurry=during or job.stop.is_set()))


def favourites(position: Position, policy: np.ndarray, allowed_moves: Collection[int] | None, win_rate: float
               ) -> tuple[MoveInfo, ...]:
    """The moves that a policy (`answers.policy_of`) likes best, at least one if `among` allows any; nobody has
    visited them, and their win rate is the position's."""
    size = position.size
    points = [point_of_index(index, size) for index in np.argsort(-policy, kind="stable").tolist()
              if policy[index] >= 0]
    liked = [MoveInfo(point, float(policy[move_index(point, size)]), 0, win_rate, (point,)) for point in points
             if allowed_moves is None or point in allowed_moves][:FAVOURITES]
    return tuple(info for info in liked if info is liked[0] or info.prior >= FAINT)


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def serve(engine: Engine, lines: Iterable[str], finish: bool = True) -> None:
    """Answer lines to the end of the input; with `finish` all queries that came, else at once."""
    try:
        for line in lines:
            engine.read(line)
    except BaseException:
        engine.close(finish=False)
        raise
    engine.close(finish)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo analysis`, with KataGo's spelling of some options, for programs that start it."""
    player_options.add_arguments(parser, default="mcts")
    parser.add_argument("--analysis-threads", "-analysis-threads", type=int, metavar="N",
                        help="positions analysed side by side, each on --threads threads (default: as many as the "
                        "cores are enough for)")
    parser.add_argument("--quit-without-waiting", "-quit-without-waiting", action="store_true",
                        help="at the end of the input stop at once; else finish all queries")
    parser.add_argument("-model", dest="network", metavar="NAME", help="the same as --network")
    parser.add_argument("-config", "-override-config", "-human-model", metavar="TEXT", help="KataGo's: not read")


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo analysis`; returns the exit status.  Raises BadInput before the first line is read."""
    name = arguments.player
    if name not in (*SEARCHERS, *NETWORK_PLAYERS):
        raise BadInput(f"{name} has nothing to say of a position: uct, mcts or policy analyse")
    play_options = PlayOptions(arguments.simulations, arguments.seconds, arguments.select_by)
    settings = player_options.settings_from_arguments(arguments) if name in SEARCHERS else None
    network = player_options.open_network(arguments.network, arguments.threads) if name in NETWORK_PLAYERS else None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = arguments.analysis_threads
    if threads is None:
        threads = max(cores // max(arguments.threads, 1), 1)
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    with contextlib.redirect_stdout(sys.stderr):         # a stray print would break the protocol
        engine = Engine(network, settings, sys.__stdout__, play_options=play_options, tta=arguments.tta,
                        threads=threads, log=log_to_stderr)
        engine.warm_up(player_options.default_size(arguments))
        log_to_stderr("Started, ready to begin handling requests")       # KataGo's words; clients wait for them
        serve(engine, sys.stdin, not arguments.quit_without_waiting)
    if engine.gone and not arguments.quit_without_waiting:
        raise BrokenPipeError                            # nobody reads the answers
    return 0


def log_to_stderr(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):       # nobody has to read it
        sys.stderr.write(f"mugo: {text}\n")
        sys.stderr.flush()
