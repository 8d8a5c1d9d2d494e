"""Who owns each point at the end of a game that was counted: found by rollouts, checked against the recorded result.

    the last position --> dead stones off --> area count --> agrees with the result? --> owners of the points

So a game that was scored with stones missing, or broken off, has no owners.  They are stored in owners.npy, two bits a
point: 0 neutral, 1 Black's, 2 White's; point k of a game is at bits 2 (k % 8) of its word k // 8.
"""
import numpy as np
from numba import njit

from mugo.games import scoring
from mugo.games.area import area_ownership
from mugo.games.board import BLACK, EMPTY, POINTS, WHITE, new_boards
from mugo.games.coords import WHITE_BIT, board_points
from mugo.games.dead_stones import remove_dead_chains
from mugo.games.go import position_of
from mugo.games.rules import parse_record_rules
from mugo.sgf.record import Record

POINTS_PER_WORD = 8
ROLLOUTS = 16             # enough for 85 of 100 games; the others are counted by scoring.without_dead
_CODES = np.array([0, 1, 2], np.uint16)                  # of EMPTY, BLACK, WHITE (-1, the last)


def words_per_game(size):
    """The number of int16 words that the owners of a board's points take; size: an int or an array."""
    return (size * size + POINTS_PER_WORD - 1) // POINTS_PER_WORD


def final_owners(record: Record, last: np.ndarray) -> np.ndarray | None:
    """int8 (size²,): the owner of every point, BLACK, WHITE or EMPTY, at the end of a game that was counted.

    last: BOARD (1,), the position after its last move.  None where the result is no count, komi is unknown, or the
    count does not agree with the result: see `agrees`.
    """
    if record.score is None or record.komi is None:
        return None
    boards = new_boards(2)
    boards[0] = last[0]
    remove_dead_chains(boards, ROLLOUTS)
    owners = _owners(boards[:1])
    if agrees(record, int(owners.sum())):
        return owners
    owners = _owners(scoring.without_dead(position_of(record)).board)        # more rollouts, and it knows seki
    return owners if agrees(record, int(owners.sum())) else None


def _owners(board: np.ndarray) -> np.ndarray:
    """int8 (size²,): the owners of the points of a BOARD (1,) on which every stone is alive."""
    owners = np.empty(POINTS, np.int8)
    area_ownership(board.copy()[0], owners)
    return owners[board_points(int(board[0]["size"]))]


def agrees(record: Record, area: int) -> bool:
    """Whether Black's area minus White's is what a record's result says.

    Under area rules it is the result and White's points.  Under territory rules a stone that was played and a prisoner
    cancel, so the area is the territory and Black's moves minus White's, handicap stones counted.  Where the rules are
    unknown, one of the two has to hold.  By territory rules a seki's eyes count for nobody, and games of servers lack
    the last neutral points: a difference of one point is accepted.
    """
    assert record.score is not None and record.komi is not None
    rules = parse_record_rules(record.rules)
    territory = record.score + record.komi + _more_stones(record)
    if rules is not None and rules.scoring == "TERRITORY":
        return abs(area - territory) <= 1
    bonus = rules.area_bonus(record.handicap) if rules is not None else 0
    return area == record.score + record.komi + bonus or rules is None and area == territory


def _more_stones(record: Record) -> int:
    """The stones that Black has set up and played, minus White's."""
    stones = np.concatenate([record.setup, record.moves[record.moves & (WHITE_BIT - 1) != record.size ** 2]])
    white = int(np.count_nonzero(stones & WHITE_BIT))
    return len(stones) - 2 * white


def pack_owners(owners: np.ndarray) -> np.ndarray:
    """int16 (words_per_game(size),) of int8 (size²,) owners."""
    codes = np.zeros(words_per_game(int(len(owners) ** 0.5)) * POINTS_PER_WORD, np.uint16)
    codes[:len(owners)] = _CODES[owners]
    shifts = np.arange(0, 2 * POINTS_PER_WORD, 2, dtype=np.uint16)
    return np.bitwise_or.reduce(codes.reshape(-1, POINTS_PER_WORD) << shifts, axis=1).view(np.int16)


@njit(cache=True, nogil=True)
def owner_at(owners, start, i):
    """The owner, BLACK, WHITE or EMPTY, of the point with move index i, of the game whose words begin at start."""
    code = (np.int64(owners[start + (i >> 3)]) >> (2 * (i & 7))) & 3
    return BLACK if code == 1 else WHITE if code == 2 else EMPTY


@njit(cache=True, nogil=True)
def are_owners(size, start, owners):
    """Which games' words, from start, hold owners of the points of their board and nothing else: bool (n,).

    size, start: int64 (n,).
    """
    out = np.ones(len(size), np.bool_)
    for g in range(len(size)):
        points = size[g] * size[g]
        for i in range((points + 7) // 8 * 8):
            code = (np.int64(owners[start[g] + (i >> 3)]) >> (2 * (i & 7))) & 3
            if code == 3 or (code and i >= points):
                out[g] = False
                break
    return out
