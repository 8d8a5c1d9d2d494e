"""Requests and their answers: HANDLERS of those that are answered at once, SEARCHES of those that start a search.

requests.py has the fields of requests, positions.py those of most answers.  Answers of searches have "search"
(positions.format_search) or "thinking", an opponent's search for its move, which is no analysis
(positions.format_thinking); the last one has "done".
"""
import base64
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import numpy as np

from mugo.core.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import format_gtp
from mugo.games.go import GoPosition
from mugo.games.position import COLOUR_LETTERS, BasePosition
from mugo.games.tsumego import attacker_of, with_tsumego_frame
from mugo.mcts.records import MAX_DEPTH
from mugo.mcts.root import AvoidedMoves, avoided_outside
from mugo.mcts.search import Search
from mugo.nn.bundled import BundledNetworks
from mugo.players.evaluation import analyze
from mugo.players.player import RESIGN, Player, SearchControl
from mugo.players.registry import SEARCHERS, default_settings
from mugo.players.time_control import Clock, TimeSettings
from mugo.reviews.rank_estimate import known_rank_names
from mugo.sgf.tree import game_from_position, list_games, read_game
from mugo.web import positions
from mugo.web.opponents import MAX_EDGES, find_opponent, list_opponents, make_opponent
from mugo.web.positions import black_lead, black_win_rate, format_search, format_thinking
from mugo.web.requests import (
    colour_of_request, game_of_request, optional_points, position_of_request, require_field, require_number)
from mugo.web.scheduler import Job
from mugo.web.state import ServerState

MAX_SECONDS = 600.0                      # of one analysis
MAX_TIME = 1e6                           # seconds on a clock, and periods
PROGRESS_INTERVAL = 0.25                 # seconds between two intermediate answers of an analysis
EVALUATION_BATCH = 32                    # positions that the network evaluates between two preemption points


# ---- at once

def opponents(request: dict, state: ServerState) -> dict:
    """"opponents" in this game, "network_error": why no network plays it, or null, and "ranks" for "policy", the
    weakest first; none where the network takes no people."""
    position = position_of_request(request)
    error = state.network_error(position)
    return {"opponents": list_opponents(position, error is None, isinstance(state.network, BundledNetworks)),
            "network_error": error,
            "ranks": known_rank_names(state.network.for_position(position)) if error is None else []}


def tsumego_frame(request: dict, state: ServerState) -> dict:
    """"game": a new one (sgf.tree) that starts from the position with a frame around its stones, and the "attacker".
    request: "attacker", if it is not to be the side whose stones are outside."""
    position = position_of_request(request)
    if not isinstance(position, GoPosition):
        raise BadInput("a tsumego frame is of Go")
    attacker = colour_of_request(request, "attacker") if "attacker" in request else attacker_of(position)
    if attacker is None:
        raise BadInput("there are no stones to put a frame around")
    framed = with_tsumego_frame(position, attacker)
    if framed is position:
        raise BadInput("the stones leave no room for a frame")
    return {"game": game_from_position(framed), "attacker": COLOUR_LETTERS[attacker]}


def load(request: dict, state: ServerState) -> dict:
    """"game": that of a file ("data" in base64) with this "number", from 0; without one the only, or the "games"."""
    try:
        data = base64.b64decode(require_field(request, "data", str), validate=True)
    except ValueError as error:                          # binascii.Error is one
        raise BadInput(f"'data' must be a file in base64: {error}") from None
    if "number" in request:
        return {"game": read_game(data, min(max(0, require_field(request, "number", int)), len(data)))}
    games = list_games(data)
    return {"game": read_game(data)} if len(games) == 1 else {"games": games}


HANDLERS: dict[str, Callable[[dict, ServerState], dict]] = {
    "new": lambda request, state: {"game": game_of_request(request)},
    "opponents": opponents,
    "position": lambda request, state: positions.describe_position(position_of_request(request)),
    "play": lambda request, state: positions.play(position_of_request(request), require_field(request, "move", str)),
    "policy": lambda request, state: positions.policy(
        position_of_request(request), state.network,
        require_field(request, "rank", str) if "rank" in request else None),
    "planes": lambda request, state: positions.planes(position_of_request(request)),
    "ownership": lambda request, state: positions.ownership(position_of_request(request), state.network),
    "score": lambda request, state: positions.score(
        position_of_request(request), require_field(request, "dead", list) if "dead" in request else None,
        request.get("toggle")),
    "tsumego_frame": tsumego_frame,
    "load": load,
}


# ---- searches

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
        line, network = iter(position.positions()), self.network.for_search()
        while (batch := list(islice(line, EVALUATION_BATCH))) and not job.preemption_point():
            output = network.evaluate(batch)
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
