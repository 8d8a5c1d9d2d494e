"""Position: a position of Go or Gomoku; moves and colours as people write them, and checks of arguments.

    'Q16'   a vertex: column A to T without I, row from the bottom     'pass'     'B' Black, 'W' White
    72      the same as a move index, in networks and data sets: row * columns + column, rows from the top
"""
import contextlib
import re
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, Self

import numpy as np

from mugo.core.command_table import refuse_other_game
from mugo.core.files import BadInput, MugoError
from mugo.core.progress import announce_compiling
from mugo.games import coords, scoring
from mugo.games.coords import COLUMNS, BoardSize, format_gtp, format_size, size_value
from mugo.games.game import GAMES, new_game
from mugo.games.go import MAX_KOMI, GoPosition
from mugo.games.gomoku import format_row
from mugo.games.position import COLOUR_LETTERS, COLOUR_OF, STONE_MARKS, BasePosition
from mugo.games.rules import rules_to_play
from mugo.players.evaluation import legal_moves
from mugo.players.options import start_of_go
from mugo.games.tsumego import with_tsumego_frame
from mugo.plots.svg import board_svg
from mugo.sgf.record_positions import rules_name

announce_compiling()
_ONLY_OF = {"komi": "go", "rules": "go", "handicap": "go", "k": "gomoku", "exactly": "gomoku"}


@contextlib.contextmanager
def python_errors() -> Iterator[None]:
    """Have errors name options as arguments, learning_rate for --learning-rate, and be MugoErrors where they are other
    ValueErrors."""
    try:
        yield
    except BadInput as error:
        text = re.sub(r"(?<![\w-])--([a-z][\w-]*)", lambda match: match[1].replace("-", "_"), str(error))
        raise MugoError(text) from None
    except ValueError as error:
        raise error if isinstance(error, MugoError) else MugoError(str(error)) from None


def check_number(name: str, value: Any, least: float, is_whole: bool = True) -> Any:
    """The number that was given, as int or float.  Raises MugoError for anything else."""
    if isinstance(value, bool) or not isinstance(value, Integral if is_whole else Real) or not float(value) >= least:
        raise MugoError(f"{name} is a {'whole ' * is_whole}number, at least {least:g}, not {value!r:.40}")
    return value


@python_errors()
def shape_of_size(size: int | str) -> tuple[int, int]:
    """(rows, columns) of a size: 19, or '13x9' for 13 columns and 9 rows.  Raises MugoError."""
    return coords.interpret_size(size if isinstance(size, str) else str(check_number("a board size", size, 1)))


@python_errors()
def point_of(move: str, size: BoardSize) -> int:
    """The point of a move such as 'Q16' or 'pass', in either case.  Raises MugoError."""
    if not isinstance(move, str):
        raise MugoError(f"a move is a text such as 'D4' or 'pass', not {move!r:.40}")
    return coords.interpret_gtp(move, size)


def colour_of(text: str) -> int:
    """1 for 'B' or 'black', -1 for 'W' or 'white', in either case.  Raises MugoError."""
    if not isinstance(text, str) or text.lower() not in COLOUR_OF:
        raise MugoError(f"a colour is 'B' or 'W', not {text!r:.40}")
    return COLOUR_OF[text.lower()]


def move_index(move: str, size: int | str = 19) -> int:
    """The index of a move in batches and in networks: row * columns + column, rows from the top; the pass is the last.

    >>> move_index("A19"), move_index("Q16"), move_index("pass")
    (0, 72, 361)
    """
    shape = shape_of_size(size)
    return coords.move_index(point_of(move, shape), shape)


def move_name(index: int, size: int | str = 19) -> str:
    """The move with this index.  Raises MugoError for an index that the board does not have.

    >>> move_name(72), move_name(361)
    ('Q16', 'pass')
    """
    shape = shape_of_size(size)
    if check_number("a move index", index, 0) > coords.area_of(shape):
        raise MugoError(f"a move index on {coords.format_size(shape)} is 0 to {coords.area_of(shape)}, not {index}")
    return coords.format_gtp(coords.point_of_index(int(index), shape), shape)



class Position:
    """A position with the moves that led to it.  A value: no method changes it, equal ones are equal, it can be a key
    of a dict and can be pickled.  print() draws it, and so does a notebook.

    >>> Position(9).play("E5", "C3")
    <Position of Go on 9x9, 2 moves, B to move, komi 7.5>
    """
    __slots__ = ("_base",)
    _base: BasePosition

    @python_errors()
    def __init__(self, size: int | str = 19, *, komi: float | None = None, rules: str | None = None, handicap: int = 0,
                 game: str = "go", k: int | None = None, exactly: bool = False):
        """The position before the first move.

        size: 2 to 19, or '13x9', columns x rows.  game: 'go' or 'gomoku'.
        Go.  komi: White's points; 7.5 by default, 6.5 by territory rules, 0.5 with a handicap.  rules: 'japanese',
        'chinese', 'aga', ..., or KataGo's JSON; by default area scoring.  handicap: 2 to 9, on GTP's fixed points.
        Gomoku.  k: how many in a row win; by default 3 on 3x3, 4 up to 6x6, else 5.  exactly: more than k do not.
        Raises MugoError.
        """
        shape = shape_of_size(size)
        if game not in GAMES:
            raise MugoError(f"game is 'go' or 'gomoku', not {game!r:.40}")
        if not isinstance(exactly, bool):
            raise MugoError(f"exactly is True or False, not {exactly!r:.40}")
        given = {"komi": komi, "rules": rules, "handicap": handicap or None, "k": k, "exactly": exactly or None}
        for name in [name for name, value in given.items() if value is not None]:
            refuse_other_game(name, _ONLY_OF[name], game)
        if game == "gomoku":
            self._base = new_game(game, shape, k=None if k is None else check_number("k", k, 3), exactly=exactly)
        else:
            parsed = None if rules is None else rules_to_play(rules).supported()
            points = None if komi is None else check_number("komi", komi, -MAX_KOMI, is_whole=False)
            self._base = start_of_go(shape, parsed, points, check_number("handicap", handicap, 0))

    @classmethod
    def from_text(cls, text: str, *, to_move: str = "B", **rules: Any) -> Self:
        """A position without history from a drawing, as print() draws it: X Black, O White; coordinates may be left
        out.  rules: as in Position.  Raises MugoError.

        >>> print(Position.from_text(". X . \\n X O . \\n . X .", komi=0.5))
           A B C
         3 . X . 3
         2 X O . 2
         1 . X . 1
           A B C
        """
        if not isinstance(text, str):
            raise MugoError(f"a drawing is a text, not a {type(text).__name__}")
        marks = {mark: colour for colour, mark in STONE_MARKS.items()}
        lines = [line.split() for line in text.replace("(", " ").replace(")", " ").splitlines()]
        rows = [[word for word in words if not word.isdecimal()]
                for words in lines if words and words != list(COLUMNS[:len(words)])]
        if not rows or any(len(row) != len(rows[0]) or not marks.keys() >= set(row) for row in rows):
            raise MugoError("a drawing has rows of equal length of X, O and . with spaces between them")
        start = cls(f"{len(rows[0])}x{len(rows)}", **rules)._base
        stones = np.array([[marks[word] for word in row] for row in rows], np.int8)
        return cls._of(start.with_board(stones, colour_of(to_move)))

    @classmethod
    def _of(cls, base: BasePosition) -> Self:
        """The Position of one of games.position."""
        position = object.__new__(cls)
        position._base = base
        return position

    def play(self, *moves: str, colour: str | None = None) -> Self:
        """The position after these moves, of the sides in turn, or all of the colour given.  Raises MugoError, which
        names the move and the rule.

        >>> Position(9).play("E5", "C3", "pass").to_move
        'W'
        """
        base, by = self._base, None if colour is None else colour_of(colour)
        for move in moves:
            base = base.play(point_of(move, base.shape), by)
        return self._of(base)

    def with_tsumego_frame(self, attacker: str | None = None) -> Self:
        """This position of Go with a frame around the stones of a life-and-death problem, without history: the rest of
        the board is settled, and divided so that the problem decides the game.

        attacker: 'B' or 'W'; by default the side whose stones are outside.  The position itself where a frame has no
        room.  Raises MugoError in Gomoku.
        """
        if not isinstance(self._base, GoPosition):
            raise MugoError("a tsumego frame is of Go")
        return self._of(with_tsumego_frame(self._base, None if attacker is None else colour_of(attacker)))

    def legal_moves(self) -> list[str]:
        """The moves of the side to move, by row from the top; last 'pass', which Gomoku does not have."""
        return [format_gtp(point, self._base.shape) for point in legal_moves(self._base)]

    def why_illegal(self, move: str) -> str | None:
        """The rule that forbids a move, such as 'retakes the ko'; None for a legal move.  Raises MugoError."""
        return self._base.why_illegal(point_of(move, self._base.shape))

    @property
    def game(self) -> str:
        """'go' or 'gomoku'."""
        return self._base.game

    @property
    def size(self) -> int | str:
        """19, or '13x9' of a board with 13 columns and 9 rows."""
        return size_value(self._base.shape)

    @property
    def komi(self) -> float:
        """White's points; those for handicap stones, if the rules have them, come on top."""
        return self._base.komi

    @property
    def rules(self) -> str:
        """The rules as SGF files name them, 'Japanese', 'AGA' or 'Tromp-Taylor'; where none were asked for, those with
        the same scoring ('Chinese'); in Gomoku '5 in a row'."""
        if isinstance(self._base, GoPosition):
            return rules_name(self._base)
        return format_row(self._base.k, self._base.exactly)

    @property
    def handicap(self) -> int:
        """The number of handicap stones."""
        return self._base.handicap

    @property
    def to_move(self) -> str:
        """'B' or 'W'."""
        return COLOUR_LETTERS[self._base.to_play]

    @property
    def stones(self) -> np.ndarray:
        """int8 (rows, columns): 1 Black, -1 White, 0 empty; a copy.  Rows count from the top."""
        return self._base.stones

    @property
    def moves(self) -> list[tuple[str, str]]:
        """(colour, move) of every move so far: [('B', 'Q16'), ('W', 'D4')]."""
        return [(COLOUR_LETTERS[colour], format_gtp(point, self._base.shape)) for colour, point in self._base.moves]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended: after two passes, or with no result, where a position stands on the board for the
        third time under rules with simple ko; in Gomoku by a row or a full board."""
        return self._base.is_over

    def score(self) -> float:
        """Points by which Black leads, komi included, in a finished game of Go: dead stones, which rollouts find, are
        taken off, but not under Tromp-Taylor rules; 0 for no result.  In Gomoku 1 if Black has won, -1 if White has,
        else 0.

        >>> Position(9, komi=7.5).play("E5", "pass", "pass").score()
        73.5
        """
        return scoring.final_score(self._base) if isinstance(self._base, GoPosition) else self._base.score()

    def result(self) -> str:
        """The score as SGF files have it: 'B+3.5', 'W+0.5', '0', 'Void' for no result; in Gomoku 'B+', 'W+', '0', '?'
        before the end."""
        return scoring.final_result(self._base) if isinstance(self._base, GoPosition) else self._base.result()

    def _key(self) -> tuple:
        """What is equal in equal positions: the rules as records name them, the start, and the moves since."""
        base, start = self._base, next(iter(self._base.positions()))
        return (base.game, base.shape, self.rules, base.komi, base.white_points, base.handicap, base.to_play,
                base.moves, start.stones.tobytes(), tuple(start.captures.items()))

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Position) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        rules = (f"Gomoku, {self.rules},", "") if self._base.k else ("Go", f", komi {self.komi:g}")
        return (f"<Position of {rules[0]} on {format_size(self._base.shape)}, {len(self._base.moves)} moves, "
                f"{self.to_move} to move{rules[1]}>")

    def __str__(self) -> str:
        """The board with coordinates; X Black, O White, the last move in parentheses."""
        return str(self._base)

    def _repr_svg_(self) -> str:
        return board_svg(self._base, caption=repr(self)[1:-1])


def base_of(position: Position) -> BasePosition:
    """The position of the packages below.  Raises MugoError for anything but a Position."""
    if not isinstance(position, Position):
        raise MugoError(f"a mugo.Position was expected, not a {type(position).__name__}")
    return position._base
