"""A game record's positions, on its main line: record --> Position, Position, ..."""
from collections.abc import Iterator

from mugo.games.board import BLACK, LEGAL, WHITE, legality
from mugo.games.coords import PASS
from mugo.games.game import new_game
from mugo.games.go import GoPosition
from mugo.games.go import illegal_move
from mugo.games.position import BasePosition
from mugo.games.history import decode
from mugo.games.rules import KOMI, Rules
from mugo.sgf.record import Record
from mugo.sgf.record_rules import parse_record_rules


def empty_board_of(record: Record, komi: float = KOMI) -> BasePosition:
    """The empty board of a record's game.  komi: for a game of Go whose record has none.  Raises BadInput."""
    if record.k:
        return new_game("gomoku", record.shape, k=record.k, exactly=record.exactly)
    position = GoPosition(record.shape, komi if record.komi is None else record.komi)
    position.handicap = record.handicap
    return position.with_rules(parse_record_rules(record.rules) or Rules())


def position_of(record: Record, plies: int | None = None, komi: float = KOMI) -> BasePosition:
    """The position of a game record after some moves, by default all.

    Superko is not checked, as games by Japanese rules repeat positions.  komi: of records that have none.
    Raises IllegalMove, which names the move and its number, and BadInput if a Gomoku board is too small for k in a row.
    """
    position, moves = _start(record, komi), record.moves[:plies]
    if isinstance(position, GoPosition):
        position = position.play_moves(moves)
    else:
        *_, position = positions_of(record, plies, komi)
    if len(moves) < len(record.moves):
        return position.with_turn(decode(position.board[0], record.moves[len(moves)])[1])
    return position if len(moves) else position.with_turn(record.first_player)


def positions_of(record: Record, plies: int | None = None, komi: float = KOMI) -> Iterator[BasePosition]:
    """The start of a game record, then the position after each of its moves.  Raises IllegalMove at an illegal one;
    arguments as in `position_of`."""
    position = _start(record, komi)
    yield position
    for move in record.moves[:plies]:
        point, colour = decode(position.board[0], move)
        if why_illegal(position, point, colour):
            raise illegal_move(position, point, colour)
        position = position.play_unchecked(point, colour)
        yield position


def why_illegal(position: BasePosition, point: int, colour: int) -> str | None:
    """As BasePosition.why_illegal, but a repetition of a position is allowed."""
    if position.game == "go" and (point == PASS or legality(position.board[0], point, colour) == LEGAL):
        return None
    return position.why_illegal(point, colour)


def _start(record: Record, komi: float) -> BasePosition:
    """The position of a game record before its first move.  Raises IllegalMove for a stone that cannot be placed."""
    position = empty_board_of(record, komi)
    stones = [decode(position.board[0], stone) for stone in record.setup]
    black, white = ([point for point, colour in stones if colour == wanted] for wanted in (BLACK, WHITE))
    position = position.with_stones(black, white)
    if isinstance(position, GoPosition):
        position.handicap = record.handicap
    return position
