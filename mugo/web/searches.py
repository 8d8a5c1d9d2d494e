"""Requests that start a search: analyze, genmove, evaluate.

Answers have "search" (positions.format_search) or "thinking", an opponent's search for its move, which is no analysis
(positions.format_thinking); the last one has "done".
"""
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import numpy as np

from mugo.core.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import format_gtp
from mugo.games.position import BasePosition
from mugo.players.evaluation import analyze
from mugo.players.registry import SEARCHERS, default_settings
from mugo.players.player import RESIGN, Player, SearchControl
from mugo.players.time_control import Clock, TimeSettings
from mugo.mcts.root import AvoidedMoves, avoided_outside
from mugo.mcts.records import MAX_DEPTH
from mugo.mcts.search import Search
from mugo.web.opponents import MAX_EDGES, find_opponent, make_opponent
from mugo.web.positions import black_lead, black_win_rate, format_search, format_thinking
from mugo.web.requests import optional_points, require_field, require_number
from mugo.web.scheduler import Job

MAX_SECONDS = 600.0                      # of one analysis
MAX_TIME = 1e6                           # seconds on a clock, and periods
PROGRESS_INTERVAL = 0.25                 # seconds between two intermediate answers of an analysis
EVALUATION_BATCH = 32                    # positions that the network evaluates between two preemption points


class SessionSearches:
    """The searches of one session, one at a time; they keep their trees from one request to the next."""

    def __init__(self, network):
        self.network = network
        self._analysis: tuple[tuple[str, str], Search] | None = None         # (player, game), its search
        self._opponent: tuple[tuple[str, str], Player] | None = None         # (key of the opponent, game), its player

    def analyze(self, position: BasePosition, request: dict, job: Job) -> dict:
        """Search a position until the job is cancelled or a limit is reached.

        request: "player", "mcts" (default) or "uct"; "simulations" and "seconds", limits; "allow" and "avoid": the
        moves that alone are searched and those that are not, of both sides, for "depth" moves (default: all); "region":
        the points of all moves of a variation.  Below the root a pass is searched in any case.
        """
        name = request.get("player", "mcts")
        if name not in SEARCHERS:
            raise BadInput(f"'player' must be 'mcts' or 'uct', not {name!r:.20}")
        limit = require_field(request, "simulations", int) if "simulations" in request else None
        max_seconds = require_number(request, "seconds", MAX_SECONDS) if "seconds" in request else MAX_SECONDS
        if limit is not None and not 0 < limit <= 1 << 30 or max_seconds <= 0:
            raise BadInput(f"an analysis has at least one simulation and at most {MAX_SECONDS:g} seconds")
        avoided = _avoided_moves(position, request)
        result = analyze(
            self._analysis_search(name, position.game), position, simulations=limit, seconds=max_seconds,
            may_end_game=False, control=SearchControl(
                job.preemption_point, lambda result: job.report({"search": format_search(result)}), PROGRESS_INTERVAL,
                avoided))
        return {"search": format_search(result), "done": True}

    def _analysis_search(self, name: str, game: str) -> Search:
        if self._analysis is None or self._analysis[0] != (name, game):
            self._analysis = None                                # its memory is free before the next one is made
            settings = replace(default_settings(name, game), max_edges=MAX_EDGES, early_stop=False)
            self._analysis = (name, game), Search(settings, self.network if name == "mcts" else None)
        return self._analysis[1]

    def genmove(self, position: BasePosition, request: dict, job: Job) -> dict:
        """The "move" of an "opponent": a vertex, "pass" or "resign"; and "thinking", if it has searched.

        request: "clock", if there is one: "main" time left, "period" and "increment", in seconds, and "periods" left.
        """
        clock = _interpret_clock(require_field(request, "clock", dict)) if "clock" in request else Clock()
        stones = int(np.count_nonzero(position.stones))
        key = require_field(request, "opponent", str)
        opponent = find_opponent(key)
        if self._opponent is None or self._opponent[0] != (key, position.game):
            self._opponent = None
            self._opponent = (key, position.game), make_opponent(opponent, position.game, self.network)
        player = self._opponent[1]
        point = player.select_move(
            position, seconds=clock.seconds(position.shape, stones),
            control=SearchControl(job.preemption_point,
                                  lambda result: job.report({"thinking": format_thinking(result, position)})))
        result = player.search_result
        return {"move": "resign" if point == RESIGN else format_gtp(point, position.shape), "done": True} \
            | ({"thinking": format_thinking(result, position)} if result else {})

    def evaluate(self, position: BasePosition, request: dict, job: Job) -> dict:
        """"win_rates" and "leads": Black's in every position up to this one, by the network; null without a value head,
        or without scores.  In a game of Gomoku that is over the win rate is the result."""
        win_rates, leads = [], []
        line = iter(position.positions())
        while (batch := list(islice(line, EVALUATION_BATCH))) and not job.preemption_point():
            output = self.network.evaluate(batch)
            for k, each in enumerate(batch):
                win_rate = output.win_rate(k)
                if win_rate is None:
                    return {"win_rates": None, "leads": None, "done": True}
                leads.append(black_lead(output.score(k)[0], each))
                win_rates.append((1 + float(np.sign(each.score()))) / 2 if each.is_over and not each.may_pass else
                                 black_win_rate(win_rate, each))
        return {"win_rates": win_rates, "leads": None if None in leads else leads, "done": True}


def _avoided_moves(position: BasePosition, request: dict) -> AvoidedMoves:
    avoided, size = AvoidedMoves(), position.shape
    depth = require_field(request, "depth", int) if "depth" in request else MAX_DEPTH
    if not 0 < depth <= MAX_DEPTH:
        raise BadInput(f"'depth' must be from 1 to {MAX_DEPTH}")
    allow, avoid = optional_points(request, "allow", size), optional_points(request, "avoid", size)
    for colour in BLACK, WHITE:
        if allow is not None:
            avoided.allow(colour, allow, depth, size)
        avoided.avoid(colour, avoid or [], depth)
    if (region := optional_points(request, "region", size)) is not None:
        avoided.update(avoided_outside(region, size))
    return avoided


def _interpret_clock(request: dict) -> Clock:
    names = ("main", "period", "periods", "increment")
    main, period, periods, increment = (max(0.0, require_number(request, name, MAX_TIME)) for name in names)
    if period and periods:
        return Clock(TimeSettings(main, period, periods=int(periods)))
    return Clock(TimeSettings(main, increment=increment))


SEARCHES: dict[str, Callable[[SessionSearches, BasePosition, dict, Job], dict]] = {
    "analyze": SessionSearches.analyze,
    "genmove": SessionSearches.genmove,
    "evaluate": SessionSearches.evaluate,
}
