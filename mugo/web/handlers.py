"""Requests that are answered at once: `HANDLERS[command](request, state)` -> answer.

requests.py has the fields of requests, positions.py those of most answers.
"""
import base64
from collections.abc import Callable

import numpy as np

from mugo.core.files import BadInput
from mugo.games.go import GoPosition
from mugo.games.position import COLOUR_LETTERS
from mugo.games.tsumego import attacker_of, with_tsumego_frame
from mugo.nn.bundled import BundledNetworks
from mugo.reviews.rank_estimate import estimate_rank, format_rank, game_likelihoods, known_rank_names, known_ranks
from mugo.sgf.tree import game_from_position, list_games, read_game
from mugo.web import positions
from mugo.web.opponents import list_opponents
from mugo.web.requests import colour_of_request, game_of_request, position_of_request, require_field
from mugo.web.state import ServerState

MAX_RANK_GAMES = 100      # that one estimate is from


def opponents(request: dict, state: ServerState) -> dict:
    """"opponents" in this game, "network_error": why no network plays it, or null, and "ranks": those of players that
    "policy" can be asked for, the weakest first; none where the network takes no people."""
    position = position_of_request(request)
    error = state.network_error(position)
    return {"opponents": list_opponents(position, error is None, isinstance(state.network, BundledNetworks)),
            "network_error": error,
            "ranks": known_rank_names(state.network.for_position(position)) if error is None else []}


def tsumego_frame(request: dict, state: ServerState) -> dict:
    """"game": a new one that starts from the position with a frame around its stones (games.tsumego), in the form of
    sgf.tree, and "attacker", "B" or "W".

    request: "attacker", if it is not to be the side whose stones are outside.
    """
    position = position_of_request(request)
    if not isinstance(position, GoPosition):
        raise BadInput("a tsumego frame is of Go")
    attacker = attacker_of(position)
    if "attacker" in request:
        attacker = colour_of_request(request, "attacker")
    if attacker is None:
        raise BadInput("there are no stones to put a frame around")
    framed = with_tsumego_frame(position, attacker)
    if framed is position:
        raise BadInput("the stones leave no room for a frame")
    return {"game": game_from_position(framed), "attacker": COLOUR_LETTERS[attacker]}


def load(request: dict, state: ServerState) -> dict:
    """"game": that of an SGF file with this "number", from 0; without a number the only game, or the list of "games".

    "data" is the file in base64.
    """
    try:
        data = base64.b64decode(require_field(request, "data", str), validate=True)
    except ValueError as error:                          # binascii.Error is one
        raise BadInput(f"'data' must be a file in base64: {error}") from None
    if "number" in request:
        number = require_field(request, "number", int)
        if not 0 <= number < len(data):
            raise BadInput("'number' must be that of a game in the file, from 0")
        return {"game": read_game(data, number)}
    games = list_games(data)
    return {"game": read_game(data)} if len(games) == 1 else {"games": games}


def rank_likelihoods(request: dict, state: ServerState) -> dict:
    """How likely the moves of a "colour" in a game are for each rank: "likelihoods", and the number of "moves"."""
    moves, colour = require_field(request, "moves", list), colour_of_request(request, "colour")
    first = _placed_moves(moves)
    positions = [position_of_request(request | {"moves": moves[:count]}) for count in range(first, len(moves) + 1)]
    network = state.network.for_position(positions[0])
    found, count = game_likelihoods(network, positions, colour, known_ranks(network))
    return {"likelihoods": found.tolist(), "moves": count}


def _placed_moves(moves: list) -> int:
    """How many first moves place handicap stones, as sgf.record.Record.placed_stones has them."""
    is_white = [str(move)[:1].upper() == "W" for move in moves]
    first = is_white.index(True) if True in is_white else 0
    return first if first >= 2 else 0


def rank_estimate(request: dict, state: ServerState) -> dict:
    """The "rank" of a player, with the ends of its 90 % interval, "low" and "high", from so many "games" and "moves".

    request: a position, whose network is used, "likelihoods" and "counts": of each game, from rank_likelihoods.
    """
    ranks = known_ranks(state.network.for_position(position_of_request(request)))
    try:
        found = np.array(require_field(request, "likelihoods", list), np.float64)
        counts = np.array(require_field(request, "counts", list), np.int64)
        is_right = found.shape == (len(counts), len(ranks)) and np.isfinite(found).all() and (counts >= 0).all()
    except ValueError:
        is_right = False
    if not is_right or len(counts) > MAX_RANK_GAMES:
        raise BadInput(f"'likelihoods' has {len(ranks)} numbers for each of at most {MAX_RANK_GAMES} games, and "
                       "'counts' one")
    estimate = estimate_rank(found, counts, ranks)
    if not estimate.is_known:
        raise BadInput(str(estimate))
    return {"rank": format_rank(estimate.mean), "low": format_rank(estimate.low), "high": format_rank(estimate.high),
            "games": estimate.games, "moves": estimate.moves}


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
    "rank_likelihoods": rank_likelihoods,
    "rank_estimate": rank_estimate,
    "tsumego_frame": tsumego_frame,
    "load": load,
}
