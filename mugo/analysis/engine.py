"""The engine of KataGo's analysis protocol: queries in, a line of JSON out for every turn that is analyzed.

    {"id": "foo", "moves": [["B", "D4"]], ..., "analyzeTurns": [0, 1]}      a line of input
    {"id": "foo", "turnNumber": 1, "moveInfos": [...], "rootInfo": {...}}   lines of output, as they are ready
    {"id": "foo", "turnNumber": 0, ...}

                               +-- thread: Search --+
    AnalysisEngine -- queue  --+-- thread: Search --+-- out
                               +-- ...

Each thread has a search with a tree of its own; all share one network.  Positions that need only the network are
evaluated in batches.

https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md
"""
import json
import math
import threading
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, TextIO

import numpy as np

from mugo.core.version import VERSION
from mugo.analysis.parameters import InvalidQuery, Overrides, katago_models
from mugo.analysis.queues import Job, JobQueue, LineWriter
from mugo.analysis.request import NO_OVERRIDES, parse_query
from mugo.analysis.response import RawEvaluation, format_response, legal_policy, no_results
from mugo.core.files import BadInput
from mugo.games import scoring
from mugo.games.board import BLACK
from mugo.games.coords import MAX_SIZE, BoardSize
from mugo.games.go import GoPosition
from mugo.core.limits import parse_json
from mugo.nn.output import NetworkOutput
from mugo.players.evaluation import analyze, moves_by_prior, ownership_after
from mugo.players.passing import MIN_VISITS
from mugo.players.player import SearchControl
from mugo.players.searcher import PlayOptions
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

MAX_LINE_BYTES = 1 << 20  # a game of 4,095 moves with all of them to analyze has 100 kB
MAX_BATCH = 16            # positions that the network evaluates at once
# Moves reported where no move was searched: this many at most, and no others with a lower prior.
MAX_POLICY_MOVES, MIN_PRIOR = 10, 0.01
NO_HUMAN_NETWORK = "no network takes who plays: name one that was trained with --metadata-encoder as -human-model"
ACTIONS = ("query_version", "query_models", "clear_cache", "terminate", "terminate_all")


class AnalysisEngine:
    """Answers queries in threads; each line of output is one JSON object.

    network: an open network (players.registry.open_network); None for a player without one.
    settings: the searches'; None where only the network evaluates.
    play_options: the limits of a search for which the query has none, and which move comes first.
    jobs: positions analyzed at the same time.
    log: called with the traceback of an internal error.
    is_abandoned: whether nobody reads the output any more; a search under way then ends.
    overrides: for all queries, which may override them in turn.
    human_network: an open network for queries that say who plays (humanSLProfile); None: `network`.
    Raises BadInput for settings and overrides that need another network.
    """

    def __init__(self, network, settings: Settings | None, out: TextIO, *, play_options: PlayOptions,
                 jobs: int = 1, log: Callable[[str], object] = lambda text: None,
                 is_abandoned: Callable[[], bool] = lambda: False, overrides: Overrides = NO_OVERRIDES,
                 human_network=None):
        self._network: Any = network.for_search() if network is not None and settings is not None else network
        self._size: BoardSize = MAX_SIZE                 # of the network that query_models describes
        # It answers for people, as KataGo's -human-model does; the search knows nobody in particular.
        self._human_network: Any = human_network or network
        self._takes_people = self._human_network is not None and self._human_network.takes_people
        # The tree of another query would add visits to those asked for; early stop would leave some out.
        self._settings = None if settings is None else replace(settings, reuse_tree=False, early_stop=False)
        if self._settings:
            Search(self._settings, network)
        if overrides.people and not self._takes_people:
            raise BadInput(f"humanSLProfile: {NO_HUMAN_NETWORK}")
        self._play_options = play_options
        self._overrides = overrides
        self._player = "" if settings is None else "uct" if network is None else "mcts"
        self._log = log
        self._is_abandoned = is_abandoned
        self._warned: set[str] = set()           # warnings that are sent once, those about rules among them
        self._warning = threading.Lock()
        self._queue = JobQueue()
        self.output_closed = False               # no more lines: the client has closed it, or `close` dropped queries
        self.output_error: Exception | None = None       # of the line that could not be written
        self._writer = LineWriter(out, self._close_output)
        self._threads = [threading.Thread(target=self._run_jobs, daemon=True, name="analysis") for _ in range(jobs)]
        for thread in self._threads:
            thread.start()

    def warm_up(self, size: BoardSize) -> None:
        """Load compiled code, and the network for boards of this size, before a query's time runs.

        Raises BadInput for a size that the network does not play.
        """
        self._size = size
        position = GoPosition(size)
        if self._settings:
            Search(self._settings, self._network).search(position, simulations=2)
        self._evaluate(position)
        scoring.ownership(position, 1)

    def close(self, finish: bool = True) -> None:
        """End the threads: after all queries have been answered or, without `finish`, at once."""
        self._queue.close()
        if not finish:
            self._close_output()
        for thread in self._threads:
            thread.join()
        self._writer.close()

    # -- queries

    def handle_line(self, line: str) -> None:
        """Handle a line of input.  Every line is answered, at once or when its turns have been analyzed."""
        if not line.strip():
            return
        if len(line) > MAX_LINE_BYTES:
            self._send({"error": f"a line has at most {MAX_LINE_BYTES} bytes, not as this one: {line.strip()[:200]}"})
            return
        try:
            query = parse_json(line)
        except (ValueError, RecursionError) as error:
            self._send({"error": f"could not parse the line as JSON: {error}: {line.strip()[:200]}"})
            return
        if not isinstance(query, dict):
            self._send({"error": f"a query must be an object of JSON, not {line.strip()[:200]}"})
            return
        if not isinstance(query.get("id"), str):
            self._send({"error": "a query must have an \"id\", which is a string"})
            return
        try:
            if query.get("action") is None:
                self._enqueue(query)
            else:
                self._run_action(query)
        except InvalidQuery as error:
            self._send({"error": str(error), "field": error.field, "id": query["id"]})
        except Exception as error:                       # a bug must not end the session
            self._send_internal_error(query["id"], error)

    def _enqueue(self, fields: dict[str, Any]) -> None:
        query, warnings = parse_query(fields, self._overrides, self._player)
        if query.overrides.people and not self._takes_people:
            raise InvalidQuery(f"humanSLProfile: {NO_HUMAN_NETWORK}", "overrideSettings")
        for field, text in warnings:
            # Clients for play like people take the first line with an id for the answer, and first ask for a trial.
            self._send_warning(query.id, field, text, once=field in ("rules", "overrideSettings"))
        self._queue.put(query)

    def _run_action(self, query: dict[str, Any]) -> None:
        """Run a query with an "action"; its response is the query itself, with the results added."""
        action = query["action"]
        if action == "query_version":
            query |= {"version": VERSION, "git_hash": "<omitted>"}
        elif action == "query_models":
            query["models"] = list({model["name"]: model for network in self._networks() for model in katago_models(
                network, GoPosition(self._size), MAX_BATCH)}.values())
        elif action == "clear_cache":
            for network in filter(None, self._networks()):
                network.forget()
        elif action in ("terminate", "terminate_all"):
            self._terminate(query)
        else:
            raise InvalidQuery(f"must be one of {', '.join(ACTIONS)}", "action")
        self._send(query)

    def _networks(self) -> list[Any]:
        """The networks of queries, each once; [None] without one."""
        return list(dict.fromkeys([self._network, self._human_network]))

    def _terminate(self, query: dict[str, Any]) -> None:
        """Stop searches, which then send what they have found, and answer jobs that are waiting with noResults."""
        turns = query.get("turnNumbers")
        if turns is not None and not (isinstance(turns, list) and all(type(turn) is int for turn in turns)):
            raise InvalidQuery("must be an array of integers: turns to terminate", "turnNumbers")
        is_all, query_id = query["action"] == "terminate_all", query.get("terminateId")
        if not is_all and not isinstance(query_id, str):
            raise InvalidQuery("must be the id of a query, a string", "terminateId")
        removed = self._queue.terminate(
            lambda job: (is_all or job.query.id == query_id) and (turns is None or job.turn in turns))
        for job in removed:
            self._send(no_results(job.query, job.turn))

    # -- output

    def _send(self, response: dict[str, Any]) -> None:
        self._writer.put(json.dumps(response, separators=(",", ":")) + "\n")

    def _close_output(self, error: Exception | None = None) -> None:
        self.output_error, self.output_closed = error, True
        self._writer.drop()
        self._queue.discard()

    def _send_warning(self, query_id: str, field: str, text: str, once: bool = False) -> None:
        if once:
            with self._warning:
                if text in self._warned:
                    return
                self._warned.add(text)
        self._send({"warning": text, "field": field, "id": query_id})

    def _send_internal_error(self, query_id: str, error: Exception, turn: int | None = None) -> None:
        self._log(traceback.format_exc())
        text = " ".join(f"{type(error).__name__} {error}".split())
        self._send({"error": f"internal error: {text}", "id": query_id}
                   | ({} if turn is None else {"turnNumber": turn}))

    # -- jobs, in the threads

    def _run_jobs(self) -> None:
        search = None
        while jobs := self._queue.take(MAX_BATCH, self._is_batchable):
            try:
                if self._settings is None or self._needs_no_search(jobs[0]):
                    self._evaluate_jobs(jobs)
                else:
                    search = self._search_for(jobs[0], self._settings, search)
                    self._search(jobs[0], search)
            except BadInput as error:                    # the network does not play this board size
                for job in jobs:
                    self._send({"error": str(error), "id": job.query.id, "turnNumber": job.turn})
            except Exception as error:
                for job in jobs:
                    self._send_internal_error(job.query.id, error, job.turn)
            self._queue.finish(jobs)

    def _is_batchable(self, first: Job, other: Job) -> bool:
        return (self._needs_no_search(first) and self._needs_no_search(other)
                and first.query.shape == other.query.shape)

    def _needs_no_search(self, job: Job) -> bool:
        """Whether the network's output is the answer: no player searches, or a single visit is asked for."""
        if self._network is None:
            return False
        return self._settings is None or (job.query.overrides.max_visits == 1 and self._network.has_value)

    def _search_for(self, job: Job, settings: Settings, search: Search | None) -> Search:
        """The search for a job: this one, or a new one where the settings differ.

        With a seed it is always new, so that a query gets the same results whatever came before.
        """
        settings = replace(settings, **job.query.overrides.settings)
        if search is None or search.settings != settings or settings.seed is not None:
            return Search(settings, self._network)
        return search

    def _evaluate_jobs(self, jobs: Sequence[Job]) -> None:
        """Answer jobs with the network's output, in one batch."""
        output = self._network.evaluate([job.position for job in jobs], symmetries=True)
        if output.values is None:
            self._send_warning(jobs[0].query.id, "winrate", "the network has no value head: without a search every "
                                                            "win rate is 0.5", once=True)
        for k, job in enumerate(jobs):
            self._send_evaluation(job, self._with_human(job, _raw_evaluation(job.position, output, k)), output, k)

    def _search(self, job: Job, search: Search) -> None:
        """Answer a job with the result of a search, and with reports while it runs."""
        query, position = job.query, job.position
        allowed_moves = query.avoided.allowed_at(position)
        output = self._evaluate(position)
        raw = self._with_human(job, _raw_evaluation(position, output))
        if allowed_moves == []:
            self._send_evaluation(job, raw, output)
            return
        own = [limit for limit in (self._play_options.simulations, self._play_options.visits) if limit is not None]
        simulations = query.overrides.max_visits or min(own, default=None)
        seconds = self._play_options.seconds if query.overrides.max_time is None else query.overrides.max_time
        next_report = time.perf_counter() + (query.first_report_after or math.inf)

        def on_progress(result: SearchResult) -> None:
            nonlocal next_report
            if time.perf_counter() >= next_report and not job.is_stopped:
                next_report += query.report_every or math.inf
                self._send_result(job, result, raw, search, is_during_search=True)

        result = analyze(search, position, simulations=simulations, seconds=seconds,
                         select_by=self._play_options.select_by, control=SearchControl(
                             lambda: job.is_stopped or self._is_abandoned(),
                             on_progress if query.first_report_after else None,
                             min(query.first_report_after or math.inf, query.report_every or math.inf), query.avoided))
        if result.warning:
            self._send_warning(query.id, "maxVisits", result.warning)
        self._send_result(job, result, raw, search)

    def _evaluate(self, position: GoPosition) -> NetworkOutput:
        """The network's output; without a network a uniform policy."""
        if self._network is None:
            return NetworkOutput(np.ones((1, position.area + 1), np.float32))
        return self._network.evaluate([position])

    def _with_human(self, job: Job, raw: RawEvaluation) -> RawEvaluation:
        """With what the network says of the position for the people of the query, if it names any."""
        people, position = job.query.overrides.people, job.position
        if people is None:
            return raw
        people = people if position.to_play == BLACK else people.of_other_side()
        output = self._human_network.evaluate([position], symmetries=True, people=people)
        return raw._replace(human=_raw_evaluation(position, output))

    def _send_evaluation(self, job: Job, raw: RawEvaluation, output: NetworkOutput, k: int = 0) -> None:
        """Answer a job without a search, by row k of a network's output."""
        lead, stdev = output.score(k)
        win_rate = 0.5 if raw.win_rate is None else raw.win_rate
        result = SearchResult(job.position, (), win_rate, visits=1, simulations=1, seconds=0.0, depth=0.0, nodes=1,
                              rollouts=0, ownership=output.board_ownership(k, job.position), score_lead=lead,
                              score_stdev=stdev)
        self._send_result(job, result, raw)

    def _send_result(self, job: Job, result: SearchResult, raw: RawEvaluation, search: Search | None = None,
                     is_during_search: bool = False) -> None:
        """Send the moves that were visited, or those of the policy where none was."""
        query, ownership = job.query, result.ownership
        if ownership is None:
            needs_rollouts = bool(query.included & {"Ownership", "OwnershipStdev"})
        else:                                            # with a score it is the network's
            needs_rollouts = result.score_lead is None and result.rollouts < MIN_VISITS
        if needs_rollouts:
            ownership = scoring.ownership(job.position)
        if ownership is None and result.score_lead is None:
            self._send_warning(query.id, "scoreLead", "scores are 0 where there are no rollouts and no ownership is "
                                                      "asked for", once=True)
        infos = [info for info in result.moves if info.visits]
        pv_visits = search.tree.pv_visits if search and infos else lambda points: [0] * len(points)
        result = replace(result, moves=tuple(infos) or policy_moves(
            job.position, raw.policy, query.avoided.allowed_at(job.position), result.win_rate))
        moves_ownership = []
        if query.included & {"MovesOwnership", "MovesOwnershipStdev"} and not (is_during_search or job.is_stopped):
            moves_ownership = ownership_after(self._network, job.position, [info.pv for info in result.moves])
        self._send(format_response(query, job.turn, result, ownership, raw, pv_visits, is_during_search,
                                   moves_ownership))


def _raw_evaluation(position: GoPosition, output: NetworkOutput, k: int = 0) -> RawEvaluation:
    """Row k of a network's output, of this position."""
    return RawEvaluation(legal_policy(position, output.priors[k]), output.win_rate(k), *output.score(k))


def policy_moves(position: GoPosition, policy: np.ndarray, allowed_moves: Collection[int] | None, win_rate: float
                 ) -> tuple[MoveInfo, ...]:
    """The moves with the highest priors: at most MAX_POLICY_MOVES, of MIN_PRIOR or more but for the first.

    policy: as response.legal_policy returns it.  allowed_moves: points (PASS for a pass); None all legal ones.
    The moves have no visits, and the win rate given.
    """
    moves = [(point, prior) for point, prior in moves_by_prior(position, policy)
             if allowed_moves is None or point in allowed_moves][:MAX_POLICY_MOVES]
    return tuple(MoveInfo(point, prior, 0, win_rate, (point,)) for rank, (point, prior) in enumerate(moves)
                 if rank == 0 or prior >= MIN_PRIOR)


def serve(engine: AnalysisEngine, lines: Iterable[str], finish: bool = True) -> None:
    """Handle lines to the end of the input, or until the client has closed the output, then close the engine; `finish`
    as in AnalysisEngine.close."""
    try:
        for line in lines:
            engine.handle_line(line)
            if engine.output_closed:
                break
    except BaseException:
        engine.close(finish=False)
        raise
    engine.close(finish)
