"""Requests that are answered at once: `HANDLERS[command](request, state)` -> answer.

requests.py has the fields of requests, positions.py those of most answers.
"""
import base64
from collections.abc import Callable

from mugo.core.files import BadInput
from mugo.games.go import GoPosition
from mugo.games.position import COLOUR_LETTERS
from mugo.games.tsumego import attacker_of, with_tsumego_frame
from mugo.nn.bundled import BundledNetworks
from mugo.reviews.rank_estimate import known_rank_names
from mugo.sgf.tree import game_from_position, list_games, read_game
from mugo.web import positions
from mugo.web.opponents import list_opponents
from mugo.web.requests import colour_of_request, game_of_request, position_of_request, require_field
from mugo.web.state import ServerState


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
