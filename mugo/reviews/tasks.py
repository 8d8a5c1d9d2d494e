"""The games to review: those in SGF files, folders and archives, each with a unique name for its output files.

    NAME.txt begins with REVIEWED_BY               NAME.* is of a review, perhaps an unfinished one
    NAME.json has the checksum of both files       the review is finished and undamaged
    "game" in NAME.json                            the hash of the game that was reviewed

NAME.txt is the first file of a review to be written, NAME.json the last.
"""
import functools
import hashlib
import itertools
import json
import os
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mugo.core.files import BadInput, read_json, read_text
from mugo.sgf.archives import SGF_SUFFIXES, UnreadableFile
from mugo.sgf.parser import GameTree, read_records, read_trees
from mugo.sgf.record import BadRecord, Record
from mugo.sgf.sources import Source, find_sources, read_files

MAX_STEM_BYTES = 200                # of the name of output files; with number and suffix it is below 255


class ReviewTask(NamedTuple):
    """One game to review.

    name: its output files' without suffix.  data: the SGF text.  index: the game's in this text, from 0.
    num_moves: the record's.  game: its game_hash.
    """
    name: str
    data: bytes
    index: int
    num_moves: int
    game: str

    def tree(self) -> GameTree:
        """The game with its nodes."""
        tree = _trees(self.data)[self.index]
        assert isinstance(tree, GameTree)                # find_tasks has left out the others
        return tree


@functools.lru_cache(1)
def _trees(data: bytes) -> list[GameTree | BadRecord]:
    """The games of an SGF file, as read_trees has them, kept for the next game of the same file."""
    return list(read_trees(data))


def find_tasks(paths: list[str], on_error: Callable[[str], None], output: Path = Path()) -> list[ReviewTask]:
    """The games in files, folders and archives, in order.

    on_error: called with a line for each game that cannot be read.
    output: the folder of reviews.  Reviews in it are not games to review, and no game gets the name of another's
    review.
    Raises BadInput if a path does not exist or contains no games.
    """
    tasks: list[ReviewTask] = []
    taken: set[str] = set()
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(2))

    def unique_name(stem: str, game: str) -> str:
        """The stem, with '-2', '-3', ... if it is taken; some file systems do not distinguish upper and lower case."""
        name = stem
        while name.casefold() in taken or is_of_another_game(output, name, game):
            name = f"{stem}-{next(numbers[stem.casefold()])}"
        taken.add(name.casefold())
        return name

    for source in _sources_without(paths, output):
        for text in read_files(source):
            if isinstance(text, UnreadableFile):
                on_error(f"{text.source}/{text.name}: {text.error}" if text.name else f"{text.source}: {text.error}")
                continue
            games = [record if isinstance(record, BadRecord) else (len(record.moves), game_hash(record))
                     for record in read_records(text.data)]
            for index, game in enumerate(games):
                number = f"{text.games_before + index + 1}" if text.games_before or len(games) > 1 else ""
                if isinstance(game, BadRecord):
                    on_error(f"{text.name}{number and f', game {number}'}: {game}")
                    continue
                name = unique_name(_stem(text.name) + (number and f"-{number}"), game[1])
                tasks.append(ReviewTask(name, text.data, index, *game))
    return tasks


def refuse_overwriting(paths: list[str], tasks: list[ReviewTask], output: Path) -> None:
    """Raise BadInput if an output file is one of the games to review, or exists and is not of an earlier review."""
    games = {os.path.realpath(os.path.join(source.path, file))
             for source in _sources_without(paths, output) for file in source.files or ()}
    for task in tasks:
        written = output_file(output, task.name, ".sgf")
        if os.path.realpath(written) in games:
            raise BadInput(f"{written} is a game to review and would be overwritten; name another folder with -o")
        if found := file_of_others(output, task.name):
            raise BadInput(f"{found} is not of an earlier review and would be overwritten; name another folder with -o")


def _sources_without(paths: list[str], output: Path) -> list[Source]:
    """The sources of the paths, without loose files in the output folder."""
    sources = []
    for source in find_sources(paths):
        relative = os.path.relpath(os.path.realpath(output), os.path.realpath(source.path)) + os.sep
        if source.files is not None and not relative.startswith(("." + os.sep, ".." + os.sep)):
            source = replace(source, files=tuple(file for file in source.files if not file.startswith(relative)))
        sources.append(source)
    return sources


def _stem(name: str) -> str:
    """The plain name of output files for an SGF file in an archive: 'old/1.sgf.gz' -> 'old-1'."""
    suffix = max((suffix for suffix in SGF_SUFFIXES if name.lower().endswith(suffix)), key=len, default="")
    stem = re.sub(r"[/\\:]", "-", name.removesuffix(name[len(name) - len(suffix):]).lstrip("./\\"))
    return stem.encode()[:MAX_STEM_BYTES].decode(errors="ignore") or "game"


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
    """(NAME.json without its checksum, text of NAME.txt) of a finished, undamaged review; else None."""
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
    """A file NAME.* in the place of an output file, where NAME.txt is not of a review; None if there is none."""
    files = [path for path in (output_file(folder, name, suffix) for suffix in SUFFIXES) if os.path.lexists(path)]
    try:
        is_review = read_text(output_file(folder, name, ".txt"), MAX_REPORT_BYTES).startswith(REVIEWED_BY)
    except (OSError, BadInput):
        is_review = False
    return None if is_review or not files else files[0]


def checksum(statistics: dict, text: bytes) -> str:
    """The CRC-32 of the contents of NAME.json, without this, and of NAME.txt, as 8 hexadecimal digits."""
    return f"{zlib.crc32(text, zlib.crc32(json.dumps(statistics, indent=1).encode())):08x}"
