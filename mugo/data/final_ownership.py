"""Final ownership of a game that ended by scoring: found by rollouts, checked against the recorded result.

    the last position --> dead stones off --> area count --> agrees with the result? --> ownership of the points

So a game that was scored with stones missing, or broken off, has none.  It is stored in ownership.npy, two bits per
point: 0 neutral, 1 Black's, 2 White's; point k of a game is at bits 2 (k % 8) of its word k // 8.
"""
import math

import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.area import area_ownership
from mugo.games.board import BLACK, EMPTY, POINTS, WHITE
from mugo.games.coords import WHITE_BIT, board_points
from mugo.games.history import board_with
from mugo.games.rollouts import MOGO, rollout_ownership
from mugo.games.scoring import judge
from mugo.sgf.record import Record
from mugo.sgf.record_rules import parse_record_rules

POINTS_PER_WORD = 8
ROLLOUTS, MORE_ROLLOUTS = 16, 64         # the result confirms 9 of 10 counts by 16 rollouts, and few more by 200
MIN_STONES = 1 / 4        # of the points: hardly a game is scored before, and thousands of short ones must cost little
MAX_UNSETTLED = 1 / 4     # of the points, by rollouts with the dead stones: 1 of 200 scored games has more than 0.15
_CODES = np.array([0, 1, 2], np.uint16)                  # of EMPTY, BLACK, WHITE (-1, the last)


@kernel
def words_per_game(size):
    """The number of int16 words that the ownership of a board's points take; size: an int or an array."""
    return (size * size + POINTS_PER_WORD - 1) // POINTS_PER_WORD


def confirmed_ownership(record: Record, last: np.ndarray) -> np.ndarray | None:
    """int8 (size²,): the owner of every point, BLACK, WHITE or EMPTY, at the end of a game that ended by scoring.

    last: BOARD (1,), the position after its last move.  None where the result is no count, komi is unknown, the game
    was not played to its end, or the count differs from the result by more than accepted_difference.
    """
    points = record.size ** 2
    if record.score is None or record.komi is None or points - last[0]["n_empty"] < MIN_STONES * points:
        return None
    ownership, difference = count(record, last)
    return ownership if abs(difference) <= accepted_difference(record) else None


def count(record: Record, last: np.ndarray) -> tuple[np.ndarray, float]:
    """(the ownership of the points at the end of a game with a score and komi, count_difference).  last: as above.

    By few rollouts (scoring.judge), and if the result does not confirm them, by more.  The difference is infinite
    where the rollouts do not agree on who owns the points, as the game was broken off.
    """
    stones = last[0]["colour"][board_points(record.size)].reshape(record.size, record.size)
    sums = rollout_ownership(stones.tobytes(), stones.shape, MOGO, ROLLOUTS)[board_points(record.size)]
    if np.count_nonzero(2 * np.abs(sums) < ROLLOUTS) > MAX_UNSETTLED * record.size ** 2:
        return _ownership(stones), math.inf
    for rollouts in ROLLOUTS, MORE_ROLLOUTS:
        ownership = _ownership(np.where(judge(stones, rollouts, deep=False).dead, EMPTY, stones))
        difference = count_difference(record, ownership)
        if abs(difference) <= accepted_difference(record):
            break
    return ownership, difference


def _ownership(stones: np.ndarray) -> np.ndarray:
    """int8 (size²,): the ownership of the points of a board, int8 (size, size), on which every stone is alive."""
    ownership = np.empty(POINTS, np.int8)
    area_ownership(board_with(stones)[0], ownership)
    return ownership[board_points(len(stones))]


def count_difference(record: Record, ownership: np.ndarray) -> float:
    """Black's area minus White's, minus what the area is by the result of a record with a score and komi.

    Under area rules that is the result and White's points.  Under territory rules a stone that was played and a
    prisoner cancel, so the area is the territory and Black's moves minus White's, handicap stones counted.  Where the
    rules are not known, it is the one of the two that is closer.
    """
    assert record.score is not None and record.komi is not None
    rules, area = parse_record_rules(record.rules), int(ownership.sum())
    by_territory = area - (record.score + record.komi + _more_stones(record))
    if rules is not None and rules.scoring == "TERRITORY":
        return by_territory
    by_area = area - (record.score + record.komi + (rules.area_bonus(record.handicap) if rules is not None else 0))
    return by_territory if rules is None and abs(by_territory) < abs(by_area) else by_area


def accepted_difference(record: Record) -> int:
    """The largest count_difference that confirms a count, in points.

    Under territory rules the eyes of a seki are nobody's, and servers record games without the last neutral points.
    """
    rules = parse_record_rules(record.rules)
    return 1 if rules is not None and rules.scoring == "TERRITORY" else 0


def _more_stones(record: Record) -> int:
    """The stones that Black has set up and played, minus White's."""
    stones = np.concatenate([record.setup, record.moves[record.moves & (WHITE_BIT - 1) != record.size ** 2]])
    white = int(np.count_nonzero(stones & WHITE_BIT))
    return len(stones) - 2 * white


def pack_ownership(ownership: np.ndarray) -> np.ndarray:
    """int16 (words_per_game(size),) of int8 (size²,) ownership."""
    codes = np.zeros(words_per_game(int(len(ownership) ** 0.5)) * POINTS_PER_WORD, np.uint16)
    codes[:len(ownership)] = _CODES[ownership]
    shifts = np.arange(0, 2 * POINTS_PER_WORD, 2, dtype=np.uint16)
    return np.bitwise_or.reduce(codes.reshape(-1, POINTS_PER_WORD) << shifts, axis=1).view(np.int16)


@subroutine
def owner_at(ownership, start, i):
    """The owner, BLACK, WHITE or EMPTY, of the point with move index i, of the game whose words begin at start."""
    code = (np.int64(ownership[start + (i >> 3)]) >> (2 * (i & 7))) & 3
    return BLACK if code == 1 else WHITE if code == 2 else EMPTY
