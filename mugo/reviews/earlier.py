"""Earlier reviews in an output folder: which can be taken as they are, and which files are nobody's to replace.

    NAME.json with a fingerprint, or NAME.txt that begins with REVIEWED_BY    NAME.* is of a review, perhaps unfinished
    a checksum in NAME.json that is that of NAME.json and NAME.txt            the review is finished and undamaged
    its "game"                                                                the hash of the game that was reviewed

NAME.txt is the first file of a review to be written, NAME.json the last.
"""
import hashlib
import json
import os
import zlib
from pathlib import Path

from mugo.core.files import BadInput, read_json, read_regular_file, read_text
from mugo.sgf.record import Record

REVIEWED_BY = "Reviewed by MuGo"
MAX_REPORT_BYTES = 4 << 20               # of NAME.txt
SUFFIXES = (".txt", ".sgf", ".csv", ".png", ".svg", ".json")


def output_file(folder: Path, name: str, suffix: str) -> Path:
    """An output file of a game; the name may contain dots."""
    return folder / (name + suffix)


def game_hash(record: Record) -> str:
    """The SHA-256 of board, stones, moves and players: the same where comments or the result differ."""
    game = [record.shape, record.setup.tolist(), record.moves.tolist(), record.black, record.white]
    return hashlib.sha256(json.dumps(game).encode()).hexdigest()


def read_review(folder: Path, name: str) -> tuple[dict, str] | None:
    """(contents of NAME.json without its checksum, text of NAME.txt) of a finished review; None if there is none, or
    if it is damaged."""
    try:
        statistics = read_json(output_file(folder, name, ".json"))
        text = read_text(output_file(folder, name, ".txt"), MAX_REPORT_BYTES)
        is_whole = statistics.pop("checksum") == checksum(statistics, text.encode())
    except (OSError, BadInput, KeyError, TypeError, AttributeError):
        return None
    return (statistics, text) if is_whole else None


def is_of_another_game(folder: Path, name: str, game: str) -> bool:
    """Whether NAME.* is the finished review of a game with another hash."""
    found = read_review(folder, name)
    return found is not None and found[0].get("game", game) != game      # older reviews have no hash


def file_of_others(folder: Path, name: str) -> Path | None:
    """A file NAME.* in the place of an output file that is not of a review; None if there is none."""
    files = [path for path in (output_file(folder, name, suffix) for suffix in SUFFIXES) if os.path.lexists(path)]
    return files[0] if files and not _is_review(folder, name) else None


def _is_review(folder: Path, name: str) -> bool:
    """Whether NAME.* is of a review, finished or not, damaged or not."""
    try:
        statistics = read_json(output_file(folder, name, ".json"))
        if isinstance(statistics, dict) and {"fingerprint", "reviewed_by"} <= statistics.keys():
            return True
    except (OSError, BadInput):
        pass
    try:
        return read_regular_file(output_file(folder, name, ".txt"), MAX_REPORT_BYTES).startswith(REVIEWED_BY.encode())
    except (OSError, BadInput):
        return False


def checksum(statistics: dict, text: bytes) -> str:
    """The CRC-32 of the contents of NAME.json, without this, and of NAME.txt, as 8 hexadecimal digits."""
    return f"{zlib.crc32(text, zlib.crc32(json.dumps(statistics, indent=1).encode())):08x}"
