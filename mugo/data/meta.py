"""meta.json: the options of a data set, its sources and counts, and its shards with the checksums of their files.

    {"format": 7, "options": {...}, "sources": [...], "counts": {...},
     "shards": [{"name": "shard-000000", "rows": 65536,
                 "files": {"games.parquet": {"bytes": 27185, "crc32": "89ab0123"}, "index.npy": {...}, ...}}, ...],
     "checksum": "02468ace"}                             CRC-32 of the text without this line

Its replacement is the step from one state of a data set to the next.  A new data set has no counts yet.  The CRC-32 of
a NumPy file is that of its data, without the header.  It costs 0.15 s per gigabyte, where BLAKE2b and SHA-256 cost
0.8 s.  None of them protects from a forged data set; range_checks.py does.
"""
import json
import re
import zlib
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput, error_line, read_regular_file
from mugo.core.limits import FRACTION, SEED
from mugo.core.schema import TEXT, Object, Test, check_value, integer, number

FORMAT = 7
META, GAMES, INDEX_FILE, REJECTED_FILE = "meta.json", "games.parquet", "index.npy", "rejected.parquet"
MOVES, SETUP, OWNERSHIP = "moves.npy", "setup.npy", "ownership.npy"
FILES = (GAMES, INDEX_FILE, MOVES, SETUP, OWNERSHIP, REJECTED_FILE)         # of a shard
MAX_META_BYTES = 64 << 20                # 50,000 shards
MAX_GAMES_BYTES = 256 << 20              # games.parquet: 5,000,000 games; a shard has 65,536

# Help texts that commands share.
DATASET_HELP = "a folder made by preprocess"
WHERE_HELP = 'only these games: a query, for example "handicap == 0 and black_rank >= 6"'


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


def read_meta(folder: Path) -> dict[str, Any]:
    """The contents of meta.json.  Raises BadInput if it is damaged or of another format; FileNotFoundError."""
    return parse_meta(read_regular_file(folder / META, MAX_META_BYTES), folder / META)


def shard_name(number: int) -> str:
    """The name of a shard's folder."""
    return f"shard-{number:06d}"


def is_shard_name(name: str) -> bool:
    return re.fullmatch(r"shard-[0-9]{6,9}", name) is not None


# ---- the schema

_CHECKSUM = Test(lambda value: isinstance(value, str) and len(value) == 8 and set(value) <= set("0123456789abcdef"),
                 "8 hexadecimal digits")
_COUNT = integer(0)
_OPTIONS = Object({"where": TEXT, "min_moves": _COUNT, "seed": integer(*SEED), "validation": number(*FRACTION),
                   "test": number(*FRACTION)})
_SOURCE = Object({"label": TEXT, "checksum": TEXT})
_COUNTS = Object({"found": _COUNT, "used": _COUNT, "positions": _COUNT}, may_be_empty=True)      # of a new data set
_FILE = Object({"bytes": _COUNT, "crc32": _CHECKSUM})
_NAME = Test(lambda value: isinstance(value, str) and is_shard_name(value), "shard- and a number of 6 digits")
_SHARD = Object({"name": _NAME, "rows": integer(0, 1 << 24), "files": Object(dict.fromkeys(FILES, _FILE))})
_SCHEMA = Object({"format": integer(FORMAT, FORMAT), "options": _OPTIONS, "sources": [_SOURCE], "counts": _COUNTS,
                  "shards": [_SHARD]})
