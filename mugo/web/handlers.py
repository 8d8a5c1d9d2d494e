"""Requests that are answered at once: `HANDLERS[command](request, state)` -> answer.

Requests and answers are JSON objects: requests.py has the fields of requests, positions.py those of most answers.
Requests that search are in searches.py.
"""
import base64
from collections.abc import Callable

from mugo.core.files import BadInput
from mugo.games.go import Position as Go
from mugo.games.position import COLOUR_LETTERS, COLOUR_OF
from mugo.games.tsumego import attacker_of, with_tsumego_frame
from mugo.nn.inference import BundledNetworks
from mugo.players.rank_estimate import known_rank_names
from mugo.sgf.tree import game_from_position, list_games, read_game
from mugo.web import positions
from mugo.web.opponents import list_opponents
from mugo.web.requests import game_of_request, position_of_request, require_field
from mugo.web.state import ServerState


def opponents(request: dict, state: ServerState) -> dict:
    """"opponents" in this game, "network_error": why no network plays it, or null, and "ranks": those of players that
    "policy" can be asked for, the strongest first; none where the network takes no people."""
    position = position_of_request(request)
    error, is_bundled = state.network_error(position), isinstance(state.network, BundledNetworks)
    network = state.network.for_position(position) if is_bundled and error is None else state.network
    return {"opponents": list_opponents(position, error is None, is_bundled), "network_error": error,
            "ranks": known_rank_names(network) if error is None else []}


def tsumego_frame(request: dict, state: ServerState) -> dict:
    """"game": a new one that starts from the position with a frame around its stones (games.tsumego), in the form of
    sgf.tree, and "attacker", "B" or "W".

    request: "attacker", if it is not to be the side whose stones are outside.
    """
    position = position_of_request(request)
    if not isinstance(position, Go):
        raise BadInput("a tsumego frame is of Go")
    attacker = attacker_of(position)
    if "attacker" in request:
        attacker = COLOUR_OF.get(require_field(request, "attacker", str).lower())
        if attacker is None:
            raise BadInput("'attacker' must be 'B' or 'W'")
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
