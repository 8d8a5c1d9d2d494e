"""The messages of a page: JSON objects, with limits that are checked before anything walks them.

    text --> parse_request --> {"id": 7, "command": "play", "game": {...}, "moves": [...], "move": "Q16"}
         --> request_id, check_request

Each limit is that of what a page sends: a game of MAX_MOVES moves, an SGF file.  What answers a request relies on
them.
"""
from mugo.core.files import BadInput
from mugo.games.coords import MAX_MOVES, MAX_SIZE
from mugo.core.limits import parse_json

MAX_MESSAGE = 6 << 20                    # bytes; an SGF file of 1.5 MB has up to 4 MB in UTF-8 and base64
MAX_ITEMS = 20_000                       # commas and brackets; a game of MAX_MOVES moves has 5,200
MAX_TEXT = 100                           # characters of a name, a vertex or a move
# The items of lists.
MAX_LENGTHS = {"moves": MAX_MOVES, "black": MAX_SIZE ** 2, "white": MAX_SIZE ** 2, "dead": MAX_SIZE ** 2}
FILE = "data"                            # the field that only MAX_MESSAGE limits
MAX_FIELDS = 40                          # of an object
MAX_DEPTH = 2                            # objects in objects: the message and its game


def parse_request(text: str | None) -> dict:
    """The JSON object of a message; None: the message was binary.  Raises BadInput."""
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
            if len(field) > MAX_TEXT and name != FILE:
                raise BadInput(f"{name[:20]!r} has at most {MAX_TEXT} characters, not {len(field):,}")
        elif isinstance(field, list):
            _check_list(name, field)
        elif isinstance(field, dict):
            if depth == 1:
                raise BadInput(f"{name[:20]!r} is nested too deep")
            _check_object(field, depth - 1)


def _check_list(name: str, field: list) -> None:
    most = MAX_LENGTHS.get(name, MAX_FIELDS)
    if len(field) > most:
        raise BadInput(f"a game has at most {most:,} moves, not {len(field):,}" if name == "moves" else
                       f"{name[:20]!r} has at most {most:,} items, not {len(field):,}")
    for item in field:
        if isinstance(item, list | dict):
            raise BadInput(f"an item of {name[:20]!r} cannot be a {type(item).__name__}")
        if isinstance(item, str) and len(item) > MAX_TEXT:
            raise BadInput(f"an item of {name[:20]!r} has at most {MAX_TEXT} characters, not {len(item):,}")
