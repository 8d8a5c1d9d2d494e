"""Record <-> Position, for Go and Gomoku.

    Position -- record_from_position --> Record -- writer.format_record --> SGF
    Position <------- replay_record ---- Record <-- parser.read_records --- SGF
"""
import os
from pathlib import Path
from typing import Any

import numpy as np

from mugo.files import BadInput
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import WHITE_BIT, board_points, format_gtp, move_index
from mugo.games.game import new_game
from mugo.games.go import position_of
from mugo.games.gomoku import Position as Gomoku
from mugo.games.position import COLOUR_NAMES, BasePosition, IllegalMove
from mugo.games.replay import decode
from mugo.sgf.parser import MAX_BYTES, read_records
from mugo.sgf.record import BadRecord, Record


def rules_of(position: BasePosition) -> dict[str, Any]:
    """{"komi", "handicap"} of a position of Go, {"k", "exactly"} of one of Gomoku: fields of Record."""
    if isinstance(position, Gomoku):
        return {"k": position.k, "exactly": position.exactly}
    return {"komi": position.komi, "handicap": position.handicap}


def record_from_position(position: BasePosition, **info) -> Record:
    """The game that led to a position; `info` are further fields of Record (black, result, date, ...)."""
    def encoded(point: int, colour: int) -> int:
        return move_index(point, position.size) + (WHITE_BIT if colour == WHITE else 0)

    start = next(iter(position.positions()))
    stones = zip(board_points(position.size).tolist(), start.stones.ravel().tolist(), strict=True)
    moves = position.moves
    return Record(
        size=position.size, **rules_of(position),
        setup=np.array([encoded(point, colour) for point, colour in stones if colour], np.int16),
        moves=np.array([encoded(point, colour) for colour, point in moves], np.int16),
        first_player=moves[0][0] if moves else position.to_play, **info)


def replay_record(record: Record, num_moves: int | None = None, komi: float = 7.5) -> BasePosition:
    """The position after the first `num_moves` moves of a game (default: all).

    komi: for a game of Go whose record has none.  Raises IllegalMove, which gives the number of the move, and
    BadInput if a Gomoku board is too small for k in a row.
    """
    if not record.k:
        return position_of(record, num_moves, komi)
    position = new_game("gomoku", record.size, k=record.k, exactly=record.exactly)
    stones = [decode(position.board[0], encoded) for encoded in record.setup]
    black, white = ([point for point, colour in stones if colour == wanted] for wanted in (BLACK, WHITE))
    position = position.with_stones(black, white)
    moves = [decode(position.board[0], encoded) for encoded in record.moves]
    for number, (point, colour) in enumerate(moves[:num_moves], 1):
        if why := position.why_illegal(point, colour):
            raise IllegalMove(f"move {number}: {COLOUR_NAMES[colour]} {format_gtp(point, record.size)} {why}")
        position = position.play_unchecked(point, colour)
    if num_moves is not None and num_moves < len(moves):
        return position.with_turn(moves[num_moves][1])
    return position if moves else position.with_turn(record.first_player)


def load_position(path: str | os.PathLike, num_moves: int | None = None, komi: float = 7.5,
                  game: str | None = None) -> BasePosition:
    """The position after the first `num_moves` moves (default: all) of the first game in an SGF file.

    komi: for a game of Go whose record has none.  game: "go" or "gomoku" if it must be that game.
    Raises BadInput, which names the file, and OSError.
    """
    path = Path(path)
    if not path.is_file():                 # a device could block forever
        raise BadInput(f"{path} is not a file")
    if (size := path.stat().st_size) > MAX_BYTES:
        raise BadInput(f"{path}: {size:,} bytes of SGF; the limit is {MAX_BYTES:,}")
    record = next(read_records(path.read_bytes(), gomoku=True))
    if isinstance(record, BadRecord):
        raise BadInput(f"{path}: {record}")
    game_of_file = "gomoku" if record.k else "go"
    if game is not None and game != game_of_file:
        raise BadInput(f"{path} is a game of {game_of_file.capitalize()}, not of {game.capitalize()}")
    try:
        return replay_record(record, num_moves, komi)
    except (IllegalMove, BadInput) as bad:
        raise BadInput(f"{path}: {bad}") from None
