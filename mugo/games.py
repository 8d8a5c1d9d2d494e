"""Positions and games on paper: the Record of a Position, and the Position that a file leads to.

    Position -- record_of ------> Record -- records.format_record --> SGF
    Position <-- load_position -- Record <-- records.read_records --- SGF
"""
import os
from pathlib import Path

import numpy as np

from mugo.board import WHITE
from mugo.coords import WHITE_BIT, board_points, move_index
from mugo.files import BadInput
from mugo.go import IllegalMove, Position, position_of
from mugo.records import BadRecord, Record, read_records


def record_of(position: Position, **about) -> Record:
    """The game that led to a position; `about` are the other fields of the Record."""
    def coded(point: int, colour: int) -> int:
        return move_index(point, position.size) + (WHITE_BIT if colour == WHITE else 0)

    start = next(iter(position.line()))
    stones = zip(board_points(position.size).tolist(), start.stones.ravel().tolist(), strict=True)
    moves = position.moves
    return Record(
        size=position.size, komi=position.komi, handicap=position.handicap,
        setup=np.array([coded(point, colour) for point, colour in stones if colour], np.int16),
        moves=np.array([coded(point, colour) for colour, point in moves], np.int16),
        first=moves[0][0] if moves else position.to_play, **about)


def load_position(path: str | os.PathLike, plies: int | None = None, komi: float = 7.5) -> Position:
    """The position after some moves (by default all) of the first game in an SGF file.

    komi is used where the game names none.  Raises BadInput, naming the file; OSError as reading does.
    """
    path = Path(path)
    if not path.is_file():                 # reading a device might never end
        raise BadInput(f"{path} is no file")
    game = next(read_records(path.read_bytes()))
    if isinstance(game, BadRecord):
        raise BadInput(f"{path}: {game}")
    try:
        return position_of(game, plies, komi=komi)
    except IllegalMove as illegal:
        raise BadInput(f"{path}: {illegal}") from None
