"""Go: positions with superko, komi, handicap and result by the rules of the game (rules.Rules).  Suicide is illegal.

What positions of every game have is in position; dead stones are found in scoring.
"""
from collections.abc import Iterable
from operator import attrgetter

import numpy as np

from mugo.core.jit import kernel
from mugo.games.area import area_score, stones_played
from mugo.games.board import (
    BLACK, KO, LEGAL, OCCUPIED, POINTS, POSITIONAL_SUPERKO, SIMPLE_KO, SITUATIONAL_SUPERKO, SUICIDE, WHITE,
    hash_after, legality, play)
from mugo.games.coords import (
    MAX_SIZE, MIN_SIZE, PASS, WHITE_BIT, BoardSize, board_points, format_size, is_on_board, point_at, shape_of)
from mugo.games.history import is_no_result, legal_points, repeats, replay, set_up
from mugo.games.position import COLOUR_NAMES, BasePosition, IllegalMove, name_of
from mugo.games.rules import KOMI, MAX_KOMI, POSITIONAL, SIMPLE, SITUATIONAL, SPIGHT, Rules



@kernel
def _points(boards):
    """Black's points minus White's on boards[0], by area or by territory, without komi.  An argument that is an array,
    not its record, saves half the time of the call."""
    b = boards[0]
    return area_score(b) - stones_played(b) * b.territory


_REASONS = {OCCUPIED: "is occupied", KO: "retakes the ko", SUICIDE: "is suicide"}
_KO_RULES = {SIMPLE: SIMPLE_KO, SPIGHT: SIMPLE_KO, SITUATIONAL: SITUATIONAL_SUPERKO, POSITIONAL: POSITIONAL_SUPERKO}
NO_RESULT = "Void"                       # as SGF has it (RE)
_SEARCHED = attrgetter("shape", "white_points", "rules.ko", "rules.scoring", "rules.tax")


def check_komi(komi: float) -> None:
    """Raises ValueError for a komi that is not from -MAX_KOMI to MAX_KOMI."""
    if not -MAX_KOMI <= komi <= MAX_KOMI:
        raise ValueError(f"komi is a number from {-MAX_KOMI:,} to {MAX_KOMI:,}, not {komi:g}")


class GoPosition(BasePosition):
    """A position of Go on a board of 2 to 19 rows and columns.  rules: the rules of the game."""

    game = "go"
    may_pass = True
    _play = staticmethod(play)
    _set_up = staticmethod(set_up)

    def __init__(self, size: BoardSize = 19, komi: float = KOMI, to_play: int = BLACK):
        """An empty board.  Raises ValueError for a side outside 2 to 19, and for a komi beyond MAX_KOMI."""
        shape = shape_of(size)
        if not MIN_SIZE <= min(shape) <= max(shape) <= MAX_SIZE:
            raise ValueError(f"a board is {MIN_SIZE}x{MIN_SIZE} to {MAX_SIZE}x{MAX_SIZE}, not {format_size(size)}")
        check_komi(komi)
        super().__init__(shape, komi, to_play)
        self.rules = Rules()

    def _empty(self, to_play: int) -> "GoPosition":
        return GoPosition(self.shape, self.komi, to_play).with_rules(self.rules)

    def has_same_rules(self, other: BasePosition) -> bool:
        """Whether the other position has the same game, board size, komi, ko rule and scoring."""
        return isinstance(other, GoPosition) and _SEARCHED(self) == _SEARCHED(other)

    def with_komi(self, komi: float) -> "GoPosition":
        """This position of the game with another komi."""
        other = self._copy()
        other.komi = komi
        return other

    def with_rules(self, rules: Rules) -> "GoPosition":
        """This position, its game and komi, under these rules."""
        other = self._copy()
        other.rules = rules
        other._start = self._start.copy()
        for board in (other.board, other._start):        # for the kernels
            board["territory"], board["seki_tax"] = rules.scoring == "TERRITORY", rules.tax == "SEKI"
            board["ko_rule"] = _KO_RULES[rules.ko]
        return other

    @property
    def handicap_bonus(self) -> int:
        return self.rules.handicap_bonus(self.handicap)

    @property
    def removes_dead_stones(self) -> bool:
        return self.rules.removes_dead_stones

    def without_stones(self, points: Iterable[int]) -> "GoPosition":
        """A new start without the stones on these points, which are then prisoners as those captured before."""
        dead, all_points, colours = set(points), board_points(self.shape), self.board[0]["colour"]
        black, white = ([point for point in all_points.tolist() if colours[point] == colour and point not in dead]
                        for colour in (BLACK, WHITE))
        other = self._empty(self.to_play).with_stones(black, white)
        other.handicap = self.handicap
        for name, colour in (("black_captures", WHITE), ("white_captures", BLACK)):
            other.board[0][name] = self.board[0][name] + sum(colours[point] == colour for point in dead)
        return other

    def why_illegal(self, point: int, colour: int | None = None, ko: str | None = None) -> str | None:
        """The rule that forbids a move, as 'retakes the ko'; None if the move is legal.

        ko: of games.rules, instead of the game's own: POSITIONAL forbids to repeat a position, SITUATIONAL only with
        the same side to move, and the others only to retake a ko at once.
        """
        if point == PASS or not is_on_board(point, self.shape):          # kernels do not check it
            return None if point == PASS else f"is not a point of the {format_size(self.shape)} board"
        colour = self.to_play if colour is None else colour
        board = self.board[0]
        reason = legality(board, point, colour)
        if reason != LEGAL:
            return _REASONS[reason]
        ko = ko or self.rules.ko
        if self._repeats_situation(point, colour) if ko == SITUATIONAL else \
                repeats(board, self.history, point, colour, _KO_RULES[ko]):
            return "repeats a position (superko)"
        return None

    def _repeats_situation(self, point: int, colour: int) -> bool:
        """Whether an otherwise legal move repeats a position with the same side to move.  Kernels take it that the
        sides alternate."""
        if not self.board[0]["ever_captured"][point]:
            return False
        sides_to_move = np.append(self._moves["to_play"], self.to_play)
        return bool(((self.history == hash_after(self.board[0], point, colour)) & (sides_to_move == -colour)).any())

    def legal_points(self) -> np.ndarray:
        """int64 (n,): the points on which the side to move may play; a pass is always legal too."""
        return self._points_to_play(False)

    def sensible_points(self) -> np.ndarray:
        """int64 (n,): the legal points that fill no true eye of the side to move."""
        return self._points_to_play(True)

    def _points_to_play(self, sensible: bool) -> np.ndarray:
        found, is_situational = np.empty(POINTS, np.int64), self.rules.ko == SITUATIONAL
        rule = SIMPLE_KO if is_situational else _KO_RULES[self.rules.ko]
        found = found[:legal_points(self.board[0], self.history, sensible, rule, found)]
        if is_situational:
            return found[[not self._repeats_situation(point, self.to_play) for point in found.tolist()]]
        return found

    def play_moves(self, moves: np.ndarray) -> "GoPosition":
        """The position after encoded moves, int16 (n,), as in games.coords, whichever colour moves.

        Superko is not checked, as games by Japanese rules repeat positions.  Raises IllegalMove, which names the move
        and its number, and if the game would have more than MAX_MOVES moves.
        """
        n = len(moves)
        if not n:
            return self
        point_of = np.full(WHITE_BIT, POINTS, np.int16)          # POINTS: not on the board
        point_of[:self.area], point_of[self.area] = board_points(self.shape), PASS
        points = point_of[moves & (WHITE_BIT - 1)]
        colours = np.where(moves & WHITE_BIT, WHITE, BLACK)
        after = self._before_moves(n)
        new = after._moves[self.plies:]
        new["point"], new["colour"], new["to_play"] = points, colours, np.append(self.to_play, -colours[:-1])
        played = replay(after.board[0], after._hashes, moves, 0, n)
        if played < n:
            after._moves, after._hashes = after._moves[:played - n], after._hashes[:played - n]
            raise illegal_move(after, int(points[played]), int(colours[played]))
        after.last, after.mover = int(points[-1]), int(colours[-1])
        return after

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes, or the game has ended with no result."""
        return bool(self.board[0]["passes"] >= 2) or self.is_no_result

    @property
    def is_no_result(self) -> bool:
        """Whether, by simple ko, the position stands on the board for the third time since the last pass."""
        return _KO_RULES[self.rules.ko] == SIMPLE_KO and bool(is_no_result(self.board[0], self.history))

    def score(self) -> float:
        """Black's points minus White's, minus white_points, by area or by territory and prisoners; every stone on the
        board counts as alive, and none as in seki (scoring.final_score).  0 for no result."""
        return 0.0 if self.is_no_result else _points(self.board) - self.white_points

    def result(self) -> str:
        """The score in SGF (RE): 'B+3.5', 'W+0.5', '0', or NO_RESULT."""
        return NO_RESULT if self.is_no_result else format_score(self.score())


def format_score(score: float) -> str:
    """An SGF result from Black's score: 'B+3.5', 'W+0.5', '0'."""
    if score == 0:
        return "0"
    return f"{'B' if score > 0 else 'W'}+{format_points(max(abs(score), 1e-6))}"


def format_points(points: float) -> str:
    """Points without an exponent, to six decimals: '7.5', '-1000000'."""
    return f"{points:.6f}".rstrip("0").rstrip(".")


def format_komi(position: GoPosition) -> str:
    """'0.5 komi', '0.5 komi and 6 points for handicap stones'."""
    return f"{format_points(position.komi)} komi" + (
        f" and {position.handicap_bonus:g} points for handicap stones" if position.handicap_bonus else "")


def illegal_move(position: BasePosition, point: int, colour: int) -> IllegalMove:
    """The error for a move of a game record."""
    return IllegalMove(f"move {position.plies + 1}: {COLOUR_NAMES[colour]} {name_of(point, position.shape)} "
                       f"{position.why_illegal(point, colour)}")


def fixed_handicap(size: BoardSize, stones: int) -> list[int]:
    """The points of 2 to 9 fixed handicap stones (GTP 2, section 4.1.1).  Raises ValueError where GTP has none.

    GTP defines them for squares.  On a rectangle each direction has the lines of the square with as many, as
    in KataGo.
    """
    rows, cols = shape_of(size)
    most = 9 if rows % 2 and cols % 2 and min(rows, cols) >= 9 else 4
    if min(rows, cols) < 7 or not 2 <= stones <= most:
        raise ValueError(f"no fixed handicap of {stones} stones on {format_size(size)}"
                         + (f" (2 to {most})" if min(rows, cols) >= 7 else " (7x7 or larger)"))
    high, middle, low = _handicap_lines(rows)                    # rows count from the top
    left, centre, right = _handicap_lines(cols)
    corners = [(low, left), (high, right), (high, left), (low, right)]
    sides = [(middle, left), (middle, right), (low, centre), (high, centre)]
    if stones <= 4:
        places = corners[:stones]
    else:
        places = corners + sides[:(stones - 4) // 2 * 2] + [(middle, centre)] * (stones % 2)
    return [point_at(row, col, size) for row, col in places]


def _handicap_lines(lines: int) -> tuple[int, int, int]:
    """The first, middle and last of the lines that fixed handicap stones are on, of this many, from 0."""
    edge = 2 if lines < 13 else 3
    return edge, lines // 2, lines - 1 - edge
