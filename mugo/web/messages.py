"""The messages of a page: JSON objects, whose size is limited before they are parsed.

    text --> parse_request --> {"id": 7, "command": "play", "game": {...}, "moves": [...], "move": "Q16"}

The limits are those of what a page sends: a game of MAX_MOVES moves, an SGF file.
"""
from mugo.core.files import BadInput
from mugo.core.limits import parse_json

MAX_MESSAGE = 6 << 20                    # bytes; an SGF file of 1.5 MB has up to 4 MB in UTF-8 and base64
MAX_ITEMS = 20_000                       # commas and brackets; a game of MAX_MOVES moves has 5,200
MAX_ID = 100                             # characters; every answer repeats it


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
    if not isinstance(value, int | str | None) or isinstance(value, str) and len(value) > MAX_ID:
        raise BadInput("'id' must be a number or a string")
    return value
