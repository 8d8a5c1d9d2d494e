"""The games to review: those in SGF files, folders and archives, each with a unique name for its output files."""
import functools
import itertools
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mugo.core.files import BadInput
from mugo.reviews.earlier import file_of_others, game_hash, is_of_another_game, output_file
from mugo.sgf.archives import SGF_SUFFIXES, UnreadableFile
from mugo.sgf.parser import GameTree, read_records, read_trees
from mugo.sgf.record import BadRecord
from mugo.sgf.sources import Source, find_sources, read_files

MAX_STEM_BYTES = 200                # of the name of output files; with number and suffix it is below 255


class ReviewTask(NamedTuple):
    """One game to review.

    name: its output files' without suffix.  data: the SGF text.  index: the game's in this text, from 0.
    num_moves: the record's.  game: its earlier.game_hash.
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
    output: earlier reviews in this folder are not games to review, if it lies below a folder that is read; a game
    gets another name than the reviews of other games there.
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
    """The name of output files for an SGF file: 'old/1.sgf.gz' -> 'old-1'.

    It is a name in the output folder, whatever an archive contains: not empty, no path, at most MAX_STEM_BYTES.
    """
    suffix = max((suffix for suffix in SGF_SUFFIXES if name.lower().endswith(suffix)), key=len, default="")
    stem = re.sub(r"[/\\:]", "-", name.removesuffix(name[len(name) - len(suffix):]).lstrip("./\\"))
    return stem.encode()[:MAX_STEM_BYTES].decode(errors="ignore") or "game"
