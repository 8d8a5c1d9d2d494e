"""Game: a game record and its positions; read_sgf, and read_archive for many of them."""
import contextlib
import functools
import itertools
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self, overload

from mugo.api.position import Position, base_of, check_number
from mugo.core.files import MugoError, error_line, read_regular_file
from mugo.core.parallel import open_executor, ordered_map
from mugo.games.coords import WHITE_BIT, format_gtp, format_size, point_of_index
from mugo.games.position import COLOUR_LETTERS, BasePosition
from mugo.sgf.archives import SgfFile, UnreadableFile
from mugo.sgf.collection import GameText
from mugo.sgf.convert import format_record, record_from_position, replay_tree
from mugo.sgf.parser import MAX_BYTES, GameTree, read_texts, tree_of
from mugo.sgf.record import INFO, BadRecord, Record
from mugo.sgf.sources import find_sources, read_files

PathLike = str | os.PathLike[str]
BATCH_BYTES = 1 << 18                    # of files that a worker process reads at a time


class Game(Sequence[Position]):
    """A game record: the sequence of its positions on the main line.  All else that the file has is kept too.

    game[0] is the start, game[60] the position after 60 moves, game[-1] the last one, game[10:20] a list of positions;
    len(game) is one more than the number of moves.

    black, white, black_rank, white_rank, result, date, event, place, rules, main_time, overtime: as the file has them,
    '' if it does not say.  komi: None if it does not say; then positions have 7.5.  handicap: the number of stones.
    name: the file's, '' if it is not from one.

    >>> game = Game(Position(9).play("E5", "C3"), black="Ann", white="Bo", result="B+R")
    >>> game
    <Game Ann (B) - Bo (W), B+R, 9x9, 2 moves>
    >>> game.moves, game[1].to_move
    ([('B', 'E5'), ('W', 'C3')], 'W')
    """
    black: str
    white: str
    black_rank: str
    white_rank: str
    result: str
    date: str
    event: str
    place: str
    rules: str
    main_time: str
    overtime: str
    komi: float | None
    handicap: int
    name: str
    _record: Record
    _text: GameText

    def __init__(self, position: Position, **info: str):
        """The game that led to a position.  info: the texts listed above.  Raises MugoError for what is not a text."""
        base = base_of(position)
        for name, text in info.items():
            if name not in INFO.values():
                raise TypeError(f"Game() has no argument {name!r}: the texts of a game are {', '.join(INFO.values())}")
            if not isinstance(text, str):
                raise MugoError(f"{name} of a game is a text, not {text!r:.40}")
        info = ({"rules": position.rules} if position.game == "go" else {}) | info
        self._set(next(_games(format_record(record_from_position(base, **info)).encode())))

    @classmethod
    def from_sgf(cls, text: str | bytes) -> Self:
        """The first game of an SGF text.  Raises MugoError for one that cannot be read or has an illegal move."""
        return cls._of(next(_games(text.encode() if isinstance(text, str) else text)))

    @classmethod
    def _of(cls, found: tuple[Record, GameText] | BadRecord, name: str = "", replay: bool = True) -> Self:
        game = object.__new__(cls)
        game._set(found, name, replay)
        return game

    def _set(self, found: tuple[Record, GameText] | BadRecord, name: str = "", replay: bool = True) -> None:
        """Raises MugoError for a game that cannot be read or, with replay, replayed."""
        if isinstance(found, BadRecord):
            raise found
        record, text = found
        attributes = {field: getattr(record, field) for field in (*INFO.values(), "komi", "handicap")}
        vars(self).update(attributes, name=name, _record=record, _text=text)
        if replay:
            _ = self._last

    @functools.cached_property
    def _tree(self) -> GameTree:
        return tree_of(self._record, self._text)

    @functools.cached_property
    def _last(self) -> BasePosition:
        return replay_tree(self._tree).position

    def __getstate__(self) -> dict[str, Any]:
        """For a pickle: the text, of which the rest follows."""
        return {name: value for name, value in vars(self).items() if name not in ("_tree", "_last")}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Game does not change; make another one, as Game(game[-1], result='B+R')")

    @property
    def winner(self) -> str | None:
        """'B', 'W', or None for a draw and an unknown result."""
        return COLOUR_LETTERS.get(self._record.winner)

    @property
    def info(self) -> dict[str, str | float | None]:
        """All that the record says of the game, a row of a table: the attributes above, the winner, the size of the
        board and the number of moves."""
        attributes = (*INFO.values(), "komi", "handicap", "name")
        return {name: getattr(self, name) for name in attributes} | {
            "winner": self.winner, "size": format_size(self._record.shape), "num_moves": len(self) - 1}

    @property
    def moves(self) -> list[tuple[str, str]]:
        """(colour, move) of every move: [('B', 'Q16'), ('W', 'D4')]."""
        shape, encoded = self._record.shape, self._record.moves.tolist()
        return [("W" if move & WHITE_BIT else "B", format_gtp(point_of_index(move & WHITE_BIT - 1, shape), shape))
                for move in encoded]

    def positions(self) -> Iterator[Position]:
        """Every position from the start to the end."""
        if self._record.has_later_setup:
            return (self[number] for number in range(len(self)))
        return map(Position._of, self._last.positions())

    __iter__ = positions

    def __len__(self) -> int:
        return len(self._record.moves) + 1

    @overload
    def __getitem__(self, index: int) -> Position: ...

    @overload
    def __getitem__(self, index: slice) -> list[Position]: ...

    def __getitem__(self, index: int | slice) -> Position | list[Position]:
        if isinstance(index, slice):
            return list(self.positions())[index]
        if not -len(self) <= index < len(self):
            raise IndexError(f"a position of this game is 0 to {len(self) - 1}, not {index}")
        return Position._of(replay_tree(self._tree, index % len(self)).position)

    def to_sgf(self) -> str:
        """The game as SGF text in UTF-8 with all that its file has: variations, comments, unknown properties.

        Raises MugoError for a game of which only the main line could be read: the rest would be lost.
        """
        if not self._tree.is_whole:
            raise MugoError(f"{self.name or 'this game'} would lose its variations: only the main line could be read")
        return replay_tree(self._tree).with_lines(())

    def __repr__(self) -> str:
        about = [f"{self.black or '?'} (B) - {self.white or '?'} (W)", self.date, self.result,
                 format_size(self._record.shape), f"{len(self) - 1} moves"]
        return f"<Game {', '.join(filter(None, about))}>"

    def __str__(self) -> str:
        """The players, and the last position."""
        return f"{repr(self)[6:-1]}\n{self._last}"

    def _repr_svg_(self) -> str:
        return Position._of(self._last)._repr_svg_()


def _games(data: bytes) -> Iterator[tuple[Record, GameText] | BadRecord]:
    return read_texts(data, gomoku=True, setup_anywhere=True)


def read_sgf(path: PathLike) -> Game:
    """The first game in an SGF file (also GIB, NGF, UGF); a warning if there are others, which read_archive reads.

    Raises MugoError, which names the file, if there is none, and for a game that cannot be read or has an illegal move.
    """
    try:
        games = _games(read_regular_file(path, MAX_BYTES))
        game = Game._of(next(games), os.fspath(path))
    except OSError as error:
        raise MugoError(f"{path} cannot be read: {error_line(error)}") from None
    except MugoError as error:
        raise MugoError(f"{error}" if str(path) in str(error) else f"{path}: {error}") from None
    if next(games, None) is not None:
        warnings.warn(f"{path} has several games, of which this is the first: read_archive reads all", stacklevel=2)
    return game


class Archive(Iterable[Game]):
    """The games in files, folders and archives, as read_archive returns them: iterate over it.

    rejected: (name, reason) of each file or game that could not be read, as far as the iteration has come.
    """

    def __init__(self, paths: PathLike | Iterable[PathLike], replay: bool = True, jobs: int = 1):
        self._sources = find_sources([paths] if isinstance(paths, str | os.PathLike) else paths)
        self._replay, self._jobs = replay, check_number("jobs", jobs, 1)
        self.rejected: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[Game]:
        self.rejected.clear()
        files = (file for source in self._sources for file in read_files(source))
        with contextlib.ExitStack() as stack:
            if self._jobs == 1:
                found = _read(files, self._replay)
            else:
                executor = stack.enter_context(open_executor(self._jobs))
                read = functools.partial(_read_batch, replay=self._replay)
                found = itertools.chain.from_iterable(ordered_map(executor, read, _batches(files)))
            for name, game in found:
                if isinstance(game, Game):
                    yield game
                else:
                    self.rejected.append((name, game))


def _read(files: Iterable[SgfFile | UnreadableFile], replay: bool) -> Iterator[tuple[str, Game | str]]:
    """(name, game) of each game in files, or (name, what is wrong with it)."""
    for file in files:
        name = f"{file.source}/{file.name}" if file.name else file.source
        if isinstance(file, UnreadableFile):
            yield name, file.error
            continue
        for number, found in enumerate(_games(file.data), file.games_before + 1):
            of_game = name if number == 1 else f"{name} (game {number})"
            try:
                yield of_game, Game._of(found, of_game, replay)
            except MugoError as error:
                yield of_game, str(error)


def _read_batch(files: list[SgfFile | UnreadableFile], replay: bool) -> list[tuple[str, Game | str]]:
    return list(_read(files, replay))


def _batches(files: Iterable[SgfFile | UnreadableFile]) -> Iterator[list[SgfFile | UnreadableFile]]:
    """The files in groups of at least BATCH_BYTES."""
    batch, size = [], 0
    for file in files:
        batch.append(file)
        size += len(file.data) if isinstance(file, SgfFile) else 0
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    yield batch


def read_archive(paths: PathLike | Iterable[PathLike], *, replay: bool = True, jobs: int = 1) -> Archive:
    """The games in SGF files, folders and archives (.zip, .tar.*, .7z), read one at a time as they are asked for.

    Files and games that cannot be read are left out: Archive.rejected lists them.  replay: play through every game, and
    leave out those with an illegal move; without it, several times as fast, these raise MugoError where a position is
    asked for.  jobs: processes; with more than 1 a script reads under `if __name__ == "__main__":`.
    Raises MugoError for a path that does not exist, a folder without games, and an archive that needs a package which
    is not installed.
    """
    return Archive(paths, replay, jobs)
