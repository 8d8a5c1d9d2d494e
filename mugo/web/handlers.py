"""Requests that are answered at once: `HANDLERS[command](request, state)` -> answer.

Requests and answers are JSON objects; positions.py has their fields.  Requests that search are in searches.py.
"""
import base64
import binascii
from collections.abc import Callable

from mugo.files import BadInput
from mugo.nn.inference import BundledNetworks
from mugo.sgf.parser import MAX_GAMES
from mugo.sgf.tree import list_games, read_game, require_field
from mugo.web import positions
from mugo.web.opponents import list_opponents
from mugo.web.positions import position_of_request
from mugo.web.state import ServerState

Handler = Callable[[dict, ServerState], dict]
HANDLERS: dict[str, Handler] = {}


def handler(command: str) -> Callable[[Handler], Handler]:
    """Register the handler of a command."""
    def register(function: Handler) -> Handler:
        HANDLERS[command] = function
        return function
    return register


@handler("new")
def new(request: dict, state: ServerState) -> dict:
    """"game": a game without moves."""
    return {"game": positions.new_game(request)}


@handler("opponents")
def opponents(request: dict, state: ServerState) -> dict:
    """"opponents" in this game, and "network_error": why no network plays it, or null."""
    position = position_of_request(request)
    error = state.network_error(position)
    return {"opponents": list_opponents(position, error is None, isinstance(state.network, BundledNetworks)),
            "network_error": error}


@handler("position")
def position(request: dict, state: ServerState) -> dict:
    """The board, as positions.describe_position has it."""
    return positions.describe_position(position_of_request(request))


@handler("play")
def play(request: dict, state: ServerState) -> dict:
    """The board after one more "move"."""
    return positions.play(position_of_request(request), require_field(request, "move", str))


@handler("policy")
def policy(request: dict, state: ServerState) -> dict:
    """The network's priors and value."""
    return positions.policy(position_of_request(request), state.network)


@handler("planes")
def planes(request: dict, state: ServerState) -> dict:
    """The network's input."""
    return positions.planes(position_of_request(request))


@handler("ownership")
def ownership(request: dict, state: ServerState) -> dict:
    """The ownership by rollouts, and by the network if it has it."""
    return positions.ownership(position_of_request(request), state.network)


@handler("score")
def score(request: dict, state: ServerState) -> dict:
    """The score of a finished game, with the "dead" stones of the request, if it has any, and one chain toggled."""
    dead = require_field(request, "dead", list) if "dead" in request else None
    return positions.score(position_of_request(request), dead, request.get("toggle"))


@handler("load")
def load(request: dict, state: ServerState) -> dict:
    """"game": that of an SGF file with this "number", from 0; without a number the only game, or the list of "games".

    "data" is the file in base64.
    """
    try:
        data = base64.b64decode(require_field(request, "data", str), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInput(f"'data' must be a file in base64: {error}") from None
    if "number" in request:
        number = require_field(request, "number", int)
        if not 0 <= number < MAX_GAMES:
            raise BadInput(f"'number' must be from 0 to {MAX_GAMES - 1:,}")
        return {"game": read_game(data, number)}
    games = list_games(data)
    return {"game": read_game(data)} if len(games) == 1 else {"games": games}
