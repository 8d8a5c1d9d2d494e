"""A game record's positions, on its main line: record --> Position, Position, ..."""
from collections.abc import Iterator

from mugo.games.board import BLACK, LEGAL, WHITE, legality
from mugo.games.coords import PASS
from mugo.games.go import Position, illegal_move
from mugo.games.replay import decode
from mugo.games.rules import KOMI, Rules
from mugo.sgf.record import Record
from mugo.sgf.record_rules import parse_record_rules


def position_of(record: Record, plies: int | None = None, komi: float = KOMI) -> Position:
    """The position of a game record after some moves, by default all.

    Superko is not checked, as games by Japanese rules repeat positions.  komi: of records that have none.
    Raises IllegalMove, which names the move and its number.
    """
    position = _start(record, komi).play_moves(record.moves[:plies])
    if plies is not None and plies < len(record.moves):
        return position.with_turn(decode(position.board[0], record.moves[plies])[1])
    return position if len(record.moves) else position.with_turn(record.first_player)


def positions_of(record: Record, plies: int | None = None, komi: float = KOMI) -> Iterator[Position]:
    """The start of a game record, then the position after each of its moves.  Raises IllegalMove at an illegal one;
    arguments as in `position_of`."""
    position = _start(record, komi)
    yield position
    for move in record.moves[:plies]:
        point, colour = decode(position.board[0], move)
        if point != PASS and legality(position.board[0], point, colour) != LEGAL:
            raise illegal_move(position, point, colour)
        position = position.play_unchecked(point, colour)
        yield position


def _start(record: Record, komi: float) -> Position:
    """The position of a game record before its first move.  Raises IllegalMove for a stone that cannot be placed."""
    position = Position(record.shape, komi if record.komi is None else record.komi)
    points = {BLACK: [], WHITE: []}
    for stone in record.setup:
        point, colour = decode(position.board[0], stone)
        points[colour].append(point)
    position = position.with_stones(points[BLACK], points[WHITE])
    position.handicap = record.handicap
    return position.with_rules(parse_record_rules(record.rules) or Rules())
