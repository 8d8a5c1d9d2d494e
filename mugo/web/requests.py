"""Requests of the page: a message -> a JSON object, whose size is limited before it is parsed -> positions.

    {"id": 7, "command": "play", "game": {...}, "moves": [...], "move": "Q16"}
    {"game": {"size": 9, "komi": 7, ...}, "moves": ["B E5", "W C3"]}       names a position of Go
    {"game": {"name": "gomoku", "size": 8, "k": 5, "exactly": false, ...}, "moves": ["B E5"]}       one of Gomoku

The page sends the whole game with each request.  Every function raises BadInput for what is not well formed.
"""
import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mugo.core.files import BadInput
from mugo.core.limits import parse_json
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, WHITE_BIT, BoardSize, area_of, interpret_gtp, interpret_size, move_index
from mugo.games.game import GAMES, new_game
from mugo.games.go import GoPosition
from mugo.games.position import COLOUR_OF, BasePosition
from mugo.games.rules import bonus_field, parse_rules, rules_to_play
from mugo.players.options import with_fixed_handicap
from mugo.sgf.convert import record_from_position
from mugo.sgf.record_positions import position_of, rules_name
from mugo.sgf.tree import game_from_position

MAX_MESSAGE = 6 << 20                    # bytes; an SGF file of 1.5 MB has up to 4 MB in UTF-8 and base64
MAX_ITEMS = 20_000                       # commas and brackets; a game of MAX_MOVES moves has 5,200


def parse_request(text: str | None) -> dict:
    """The JSON object of a message; None: the message was binary."""
    text = text or ""
    if text.count(",") + text.count("[") + text.count("{") > MAX_ITEMS:
        raise BadInput(f"a message has at most {MAX_ITEMS:,} items")
    try:
        request = parse_json(text)
    except (ValueError, RecursionError):
        raise BadInput("a message must be a JSON object in text") from None
    if not isinstance(request, dict):
        raise BadInput("a message must be a JSON object")
    return request


@contextlib.contextmanager
def as_bad_input() -> Iterator[None]:
    """Raise a ValueError of the block as BadInput; also a decorator."""
    try:
        yield
    except ValueError as error:
        raise BadInput(str(error)) from None


def require_field(message: dict, name: str, kind: type | tuple[type, ...]) -> Any:
    """A field that must be there, of a type."""
    if name not in message:
        raise BadInput(f"{name!r} is missing")
    value = message[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadInput(f"{name!r} cannot be a {type(value).__name__}")
    return value


def optional_points(message: dict, name: str, size: BoardSize) -> list[int] | None:
    """The points of a list of vertices, PASS for a pass; None without the field."""
    if name not in message:
        return None
    vertices = require_field(message, name, list)
    if len(vertices) > area_of(size) + 1:
        raise BadInput(f"{name!r} has more vertices than the board")
    with as_bad_input():
        return [interpret_gtp(str(vertex), size) for vertex in vertices]


def require_number(message: dict, name: str, most: float) -> float:
    """A number from -most to most."""
    value = require_field(message, name, (int, float))
    if not -most <= value <= most:               # also rejects NaN
        raise BadInput(f"{name!r} must be a number from -{most:g} to {most:g}")
    return float(value)


def colour_of_request(request: dict, name: str) -> int:
    """The colour in a field, "B" or "W"."""
    colour = COLOUR_OF.get(require_field(request, name, str).lower())
    if colour is None:
        raise BadInput(f"{name!r} must be 'B' or 'W'")
    return colour


@as_bad_input()
def _interpret_move(text: str, size: BoardSize) -> tuple[int, int]:
    colour, _, vertex = text.partition(" ")
    if colour.lower() not in COLOUR_OF:
        raise BadInput(f"{text[:20]!r} is not a move; expected 'B Q16' or 'W pass', for instance")
    return COLOUR_OF[colour.lower()], interpret_gtp(vertex, size)


@as_bad_input()
def requested_board(game: dict) -> BasePosition:
    """The empty board for a game's "name" (default: Go), "size", and "komi" and "rules", or "k" and "exactly"."""
    name = game.get("name", "go")
    if name not in GAMES:
        raise BadInput(f"unknown game {name!r:.20} (known: {', '.join(GAMES)})")
    try:
        size = interpret_size(str(require_field(game, "size", (int, str))))
    except ValueError as error:
        raise BadInput(f"'size': {error}") from None
    if name == "go":
        board = new_game(name, size, komi=require_number(game, "komi", 361))
        assert isinstance(board, GoPosition)
        return board.with_rules(parse_rules(str(game["rules"]) if "rules" in game else
                                            {"scoring": game.get("scoring", "AREA")}))
    exactly = game.get("exactly", False)
    if not isinstance(exactly, bool):
        raise BadInput("'exactly' must be true or false")
    return new_game(name, size, k=require_field(game, "k", int), exactly=exactly)


@as_bad_input()
def game_of_request(request: dict) -> dict:
    """A game without moves, in the form of sgf.tree.

    request: for Go "size", "komi", "handicap" (0, or 2 to 9 fixed stones) and "rules"; for Gomoku "size", "k" and
    "exactly".
    """
    position = requested_board(request)
    if not isinstance(position, GoPosition):
        return game_from_position(position)
    if "rules" in request:
        position = position.with_rules(rules_to_play(str(request["rules"])).supported())
    position = with_fixed_handicap(position, require_field(request, "handicap", int))
    return game_from_position(position) | {"info": {"rules": rules_name(position)}}


@as_bad_input()
def position_of_request(request: dict) -> BasePosition:
    """The position after "moves" in "game".  As in records of Go, moves may repeat a position."""
    game, moves = require_field(request, "game", dict), require_field(request, "moves", list)
    start = requested_board(game)
    size = start.shape
    black, white = ([interpret_gtp(str(vertex), size) for vertex in require_field(game, name, list)]
                    for name in ("black", "white"))
    if PASS in black + white:
        raise BadInput("a stone cannot be placed on 'pass'")
    start = start.with_stones(black, white, COLOUR_OF.get(str(game.get("first")).lower(), BLACK))
    if isinstance(start, GoPosition):
        start.handicap = require_field(game, "handicap", int)
        if not 0 <= start.handicap <= 361:
            raise BadInput("'handicap' must be from 0 to 361")
        bonus = require_number(game, "handicap_bonus", 361) if "handicap_bonus" in game else start.handicap_bonus
        if bonus != start.handicap_bonus:
            start = start.with_rules(replace(start.rules, name="",
                                             white_handicap_bonus=bonus_field(start.handicap, bonus)))
    pairs = [_interpret_move(str(move), size) for move in moves]
    encoded = [move_index(point, size) + (WHITE_BIT if colour == WHITE else 0) for colour, point in pairs]
    position = position_of(replace(record_from_position(start), moves=np.array(encoded, np.int16)))
    if isinstance(position, GoPosition) and isinstance(start, GoPosition):
        return position.with_rules(start.rules)
    return position
