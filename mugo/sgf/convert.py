"""Positions and games on paper: the Record of a Position, and the Position that a file leads to; of either game.

    Position -- record_of ------> Record -- records.format_record --> SGF
    Position <-- replayed ------- Record <-- records.read_records --- SGF
"""
import os
from pathlib import Path

import numpy as np

from mugo.files import BadInput
from mugo.games.board import BLACK, WHITE, decode
from mugo.games.coords import WHITE_BIT, board_points, format_gtp, move_index
from mugo.games.game import new_game
from mugo.games.go import position_of
from mugo.games.position import COLOUR_NAMES, BasePosition, IllegalMove
from mugo.sgf.parser import BadRecord, Record, read_records


def record_of(position: BasePosition, **about) -> Record:
    """The game that led to a position; `about` are the other fields of the Record."""
    def coded(point: int, colour: int) -> int:
        return move_index(point, position.size) + (WHITE_BIT if colour == WHITE else 0)

    start = next(iter(position.line()))
    stones = zip(board_points(position.size).tolist(), start.stones.ravel().tolist(), strict=True)
    moves = position.moves
    rules = {"k": position.k, "exactly": position.exactly} if position.game == "gomoku" else \
        {"komi": position.komi, "handicap": position.handicap}
    return Record(
        size=position.size, **rules,
        setup=np.array([coded(point, colour) for point, colour in stones if colour], np.int16),
        moves=np.array([coded(point, colour) for colour, point in moves], np.int16),
        first=moves[0][0] if moves else position.to_play, **about)


def replayed(record: Record, plies: int | None = None, komi: float = 7.5) -> BasePosition:
    """The position of a game of either kind after some moves, all of them by default.

    komi is used where a game of Go names none.  Raises IllegalMove, naming the number of the move; BadInput for a
    row that does not fit on the board.
    """
    if not record.k:
        return position_of(record, plies, komi)
    position = new_game("gomoku", record.size, k=record.k, exactly=record.exactly)
    stones = [decode(position.board[0], coded) for coded in record.setup]
    position = position.with_stones(*([point for point, its in stones if its == colour] for colour in (BLACK, WHITE)))
    moves = [decode(position.board[0], coded) for coded in record.moves]
    for number, (point, colour) in enumerate(moves[:plies], 1):
        if why := position.why_illegal(point, colour):
            raise IllegalMove(f"move {number}: {COLOUR_NAMES[colour]} {format_gtp(point, record.size)} {why}")
        position = position.played(point, colour)
    if plies is not None and plies < len(moves):
        return position.with_turn(moves[plies][1])
    return position if moves else position.with_turn(record.first)


def load_position(path: str | os.PathLike, plies: int | None = None, komi: float = 7.5,
                  game: str | None = None) -> BasePosition:
    """The position after some moves (by default all) of the first game in an SGF file.

    komi is used where a game of Go names none.  game: "go" or "gomoku", if it has to be one of the two.
    Raises BadInput, naming the file; OSError as reading does.
    """
    path = Path(path)
    if not path.is_file():                 # reading a device might never end
        raise BadInput(f"{path} is no file")
    record = next(read_records(path.read_bytes(), gomoku=True))
    if isinstance(record, BadRecord):
        raise BadInput(f"{path}: {record}")
    its = "gomoku" if record.k else "go"
    if game not in (None, its):
        raise BadInput(f"{path} is a game of {its.capitalize()}, not of {game.capitalize()}")
    try:
        return replayed(record, plies, komi)
    except (IllegalMove, BadInput) as bad:
        raise BadInput(f"{path}: {bad}") from None
