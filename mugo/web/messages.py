"""The messages of a page: JSON objects, with limits that are checked before anything walks them.

    text --> parse_request --> {"id": 7, "command": "play", "game": {...}, "moves": [...], "move": "Q16"}
         --> request_id, check_request

Each limit is that of what a page sends: a game of MAX_MOVES moves, a tree of MAX_NODES nodes, an SGF file.
"""
import re

from mugo.files import BadInput
from mugo.games.coords import MAX_MOVES, MAX_SIZE
from mugo.limits import parse_json
from mugo.sgf.tree import INFO, MAX_NODES

MAX_MESSAGE = 6 << 20                    # characters; the nodes of an SGF file of 1.5 MB, with their comments twice
MAX_ITEMS = 200_000                      # items of all lists and objects; a tree of MAX_NODES nodes has 120,000
MAX_TEXT = 100                           # characters of a name, a vertex or a move
# The items of lists, each a string or, for nodes, an object.
MAX_LENGTHS = {"moves": MAX_MOVES, "black": MAX_SIZE ** 2, "white": MAX_SIZE ** 2, "dead": MAX_SIZE ** 2,
               "nodes": MAX_NODES}
# Texts that only MAX_MESSAGE limits; format_game cuts info.
LONG_TEXTS = frozenset({"data", "comment", "properties", *INFO.values()})
MAX_FIELDS = 40                          # of an object
MAX_DEPTH = 3                            # objects in objects: the message, its game, a node
_TEXT = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def parse_request(text: str | None) -> dict:
    """The JSON object of a message; None: the message was binary.  Raises BadInput."""
    text = text or ""
    if _count_items(text) > MAX_ITEMS and _count_items(_TEXT.sub("", text)) > MAX_ITEMS:
        raise BadInput(f"a message has at most {MAX_ITEMS:,} items")
    try:
        request = parse_json(text)
    except (ValueError, RecursionError):
        raise BadInput("a message must be a JSON object in text") from None
    if not isinstance(request, dict):
        raise BadInput("a message must be a JSON object")
    return request


def _count_items(text: str) -> int:
    """At least as many as the items of all lists and objects of a JSON text; those that look like one in texts too."""
    return text.count(",") + text.count("[") + text.count("{")


def request_id(request: dict) -> int | str | None:
    """The "id" of a request.  Raises BadInput."""
    value = request.get("id")
    if not isinstance(value, int | str | None) or isinstance(value, str) and len(value) > MAX_TEXT:
        raise BadInput("'id' must be a number or a string")
    return value


def check_request(request: dict) -> None:
    """Check the lengths of all lists, texts and objects of a request, and how deep they are.  Raises BadInput."""
    _check_object(request, MAX_DEPTH)


def _check_object(value: dict, depth: int) -> None:
    """Check the lengths of the fields of an object, and what is in them."""
    if len(value) > MAX_FIELDS:
        raise BadInput(f"an object has at most {MAX_FIELDS} fields, not {len(value):,}")
    for name, field in value.items():
        if isinstance(field, str):
            if len(field) > MAX_TEXT and name not in LONG_TEXTS:
                raise BadInput(f"{name[:20]!r} has at most {MAX_TEXT} characters, not {len(field):,}")
        elif isinstance(field, list):
            _check_list(name, field, depth)
        elif isinstance(field, dict):
            if depth == 1:
                raise BadInput(f"{name[:20]!r} is nested too deep")
            _check_object(field, depth - 1)


def _check_list(name: str, field: list, depth: int) -> None:
    most = MAX_LENGTHS.get(name, MAX_FIELDS)
    if len(field) > most:
        if name == "moves":
            raise BadInput(f"a game has at most {most:,} moves, not {len(field):,}")
        if name == "nodes":
            raise BadInput(f"a game has 1 to {most:,} nodes, not {len(field):,}")
        raise BadInput(f"{name[:20]!r} has at most {most:,} items, not {len(field):,}")
    for item in field:
        if isinstance(item, list) or isinstance(item, dict) and (name != "nodes" or depth == 1):
            raise BadInput(f"an item of {name[:20]!r} cannot be a {type(item).__name__}")
        if isinstance(item, dict):
            _check_object(item, depth - 1)
        elif isinstance(item, str) and len(item) > MAX_TEXT:
            raise BadInput(f"an item of {name[:20]!r} has at most {MAX_TEXT} characters, not {len(item):,}")
