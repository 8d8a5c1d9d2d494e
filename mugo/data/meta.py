"""meta.json: the options of a data set, its sources and counts, and the length and checksum of each of its files.

    {"format": 4, "options": {...}, "sources": [...], "counts": {...},
     "files": {"games.parquet": {"bytes": 27185, "crc32": "89ab0123"},
               "moves.npy": {"items": 12043, "crc32": "4567cdef"}, "setup.npy": {...}, "owners.npy": {...}},
     "next": {"sources": [...], "counts": {...}, "files": {...}},       while merge.py replaces games.parquet
     "checksum": "02468ace"}                                            CRC-32 of the text without this line

sources, counts and files are one state of the data set.  With "next" there are two, and games.parquet tells by its
checksum which of them the data set is in.  The arrays only grow, so `items` and the checksum are those of their first
items.  A new data set has no files yet.

CRC-32 finds every burst of up to 32 wrong bits, and any other damage but for one in 4,000,000,000.  It costs 0.15 s a
gigabyte; BLAKE2b and SHA-256 cost 0.8 s.  None of them protects from a data set that somebody made up; range_checks.py
does.
"""
import json
import zlib
from pathlib import Path
from typing import Any

from mugo.files import BadInput, error_line, read_regular_file
from mugo.limits import FRACTION, SEED
from mugo.schema import TEXT, Object, Test, check_value, integer, number

FORMAT = 4                               # 1 had other names of columns, 2 no checksums, 3 no owners
META, GAMES, MOVES, SETUP, OWNERS = "meta.json", "games.parquet", "moves.npy", "setup.npy", "owners.npy"
ARRAYS = (MOVES, SETUP, OWNERS)
FILES = (GAMES, *ARRAYS, META)
STATE = ("sources", "counts", "files")
MAX_META_BYTES = 16 << 20                # 100,000 sources
MAX_GAMES_BYTES = 2 << 30                # games.parquet: 40,000,000 games


def crc32(content: bytes | memoryview) -> str:
    """The CRC-32 of bytes as 8 hexadecimal digits."""
    return f"{zlib.crc32(content):08x}"


def format_meta(meta: dict[str, Any]) -> bytes:
    """The text of meta.json.  Raises BadInput for values that `parse_meta` would not accept."""
    check_value(meta, _SCHEMA, META)
    return _with_checksum(meta)


def parse_meta(data: bytes, path: Path) -> dict[str, Any]:
    """The contents of meta.json, without its checksum.  Raises BadInput if it is damaged or of another format."""
    try:
        meta = json.loads(data)
        if not isinstance(meta, dict):
            raise BadInput(f"{path} describes no data set: it holds no JSON object")
        has_checksum = meta.pop("checksum", None) is not None
        is_whole = data == _with_checksum(meta)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is damaged: it is not JSON ({error_line(error)}); make the data set again") from None
    if meta.get("format") != FORMAT and (is_whole or not has_checksum):
        raise BadInput(f"{path.parent} is a data set of format {str(meta.get('format'))[:40]}; this version reads "
                       f"format {FORMAT}: delete it and run `mugo preprocess GAMES -o {path.parent}` again")
    if not is_whole:
        raise BadInput(f"{path} is damaged: its checksum is wrong; make the data set again")
    check_value(meta, _SCHEMA, str(path))
    return meta


def _with_checksum(meta: dict[str, Any]) -> bytes:
    text = json.dumps(meta, indent=1)
    return (text[:-2] + f',\n "checksum": "{crc32(text.encode())}"\n}}').encode()


def read_state(folder: Path) -> tuple[dict[str, Any], bytes]:
    """The contents of meta.json in the state that the data set is in, without "next"; the content of games.parquet.

    The content is empty for a new data set, which has no files yet.
    Raises BadInput if one of the two is damaged; FileNotFoundError.
    """
    path = folder / META
    data = read_regular_file(path, MAX_META_BYTES)
    while True:
        meta = parse_meta(data, path)
        current = {name: meta[name] for name in STATE}
        states = [state for state in (meta.pop("next", None), current) if state is not None]
        if current["files"] or (folder / GAMES).exists():
            games = read_regular_file(folder / GAMES, MAX_GAMES_BYTES)
            is_in = {"bytes": len(games), "crc32": crc32(games)}
            state = next((state for state in states if state["files"].get(GAMES) == is_in), None)
        else:
            games, state = b"", current
        if state is not None:
            return meta | state, games
        before, data = data, read_regular_file(path, MAX_META_BYTES)
        if data == before:
            raise BadInput(f"{folder / GAMES} is damaged: its checksum is not the one in {META}; make the data set "
                           "again")                      # otherwise merge.py has replaced both


# ---- the schema

_CHECKSUM = Test(lambda value: isinstance(value, str) and len(value) == 8 and set(value) <= set("0123456789abcdef"),
                 "8 hexadecimal digits")
_COUNT = integer(0)
_OPTIONS = Object({"where": TEXT, "min_moves": _COUNT, "seed": integer(*SEED), "validation": number(*FRACTION),
                   "test": number(*FRACTION)})
_SOURCE = Object({"label": TEXT, "checksum": TEXT})
_COUNTS = Object({"found": _COUNT, "used": _COUNT, "positions": _COUNT}, may_be_empty=True)      # of a new data set
_ARRAY = Object({"items": _COUNT, "crc32": _CHECKSUM})
_FILES = Object({GAMES: Object({"bytes": _COUNT, "crc32": _CHECKSUM}), **dict.fromkeys(ARRAYS, _ARRAY)},
                may_be_empty=True)
_STATE = {"sources": [_SOURCE], "counts": _COUNTS, "files": _FILES}
_SCHEMA = Object({"format": integer(FORMAT, FORMAT), "options": _OPTIONS, **_STATE}, {"next": Object(_STATE)})
