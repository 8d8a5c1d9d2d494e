"""Labels of a position: the moves after it, the outcome, komi, and the final ownership of its game.  Compiled.

    the last position --> dead stones off --> area count --> agrees with the result? --> ownership of the points
    the game's row, its moves, its words in ownership.npy --> write_labels --> the fields of positions.Batch

Final ownership is found by rollouts and checked against the recorded result, so a game that was scored with stones
missing, or broken off, has none.  It is stored in ownership.npy, two bits per point: 0 neutral, 1 Black's, 2 White's;
point k of a game is at bits 2 (k % 8) of its word k // 8.

The results of handicap games do not say who was ahead: see games/area.py.  A game without komi counts as one if
White's rank is higher.
"""
import math

import numpy as np
import pandas as pd

from mugo.core.jit import kernel, subroutine
from mugo.games.area import area_ownership, expected_gain
from mugo.games.board import BLACK, EMPTY, POINTS, WHITE
from mugo.games.coords import WHITE_BIT, board_points
from mugo.games.history import board_with
from mugo.games.rollouts import MOGO, rollout_ownership
from mugo.games.scoring import judge
from mugo.sgf.record import Record
from mugo.sgf.record_positions import parse_record_rules, record_bonus

POINTS_PER_WORD = 8
ROLLOUTS, MORE_ROLLOUTS = 16, 64         # the result confirms 9 of 10 counts by 16 rollouts, and few more by 200
MIN_STONES = 1 / 4        # of the points: hardly a game is scored before, and thousands of short ones must cost little
MAX_UNSETTLED = 1 / 4     # of the points, by rollouts with the dead stones: 1 of 200 scored games has more than 0.15
_CODES = np.array([0, 1, 2], np.uint16)                  # of EMPTY, BLACK, WHITE (-1, the last)
NO_KOMI = 2.0                            # points: with fewer, and a stronger White, Black was given the first move


@kernel
def words_per_game(size):
    """The number of int16 words that the ownership of a board's points take; size: an int or an array."""
    return (size * size + POINTS_PER_WORD - 1) // POINTS_PER_WORD


def confirmed_ownership(record: Record, last: np.ndarray) -> np.ndarray | None:
    """The owner of every point at the end of a game that ended by scoring, int8 (size²,): BLACK, WHITE or EMPTY.

    last: BOARD (1,), the position after its last move.  None where the result is no count, komi is unknown, the game
    was not played to its end, or the count differs from the result by more than accepted_difference.
    """
    points = record.size ** 2
    if record.score is None or record.komi is None or points - last[0]["n_empty"] < MIN_STONES * points:
        return None
    ownership, difference = count(record, last)
    return ownership if abs(difference) <= accepted_difference(record) else None


def count(record: Record, last: np.ndarray) -> tuple[np.ndarray, float]:
    """(the ownership of the points at the end of a game with a score and komi, count_difference).

    last: as above.  Few rollouts (scoring.judge), or more if the result does not confirm them.  The difference is
    infinite where the rollouts do not agree on who owns the points, as the game was broken off.
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
    """Black's area minus White's, minus what the result of a record with a score and komi says that it is.

    Under area rules that is the result plus White's points.  Under territory rules it is the territory plus Black's
    moves minus White's, handicap stones counted.  Where the rules are not known, it is the closer one of the two.
    """
    assert record.score is not None and record.komi is not None
    rules, area = parse_record_rules(record.rules), int(ownership.sum())
    by_territory = area - (record.score + record.komi + _more_stones(record))
    if rules is not None and rules.scoring == "TERRITORY":
        return by_territory
    by_area = area - (record.score + record.komi + (rules.area_bonus(record.handicap) if rules is not None else 0))
    return by_territory if rules is None and abs(by_territory) < abs(by_area) else by_area


def accepted_difference(record: Record) -> int:
    """The largest count_difference that confirms a count, in points: 1 under territory rules, where the eyes of a seki
    are nobody's and servers leave out the last neutral points."""
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


@subroutine
def handicap_stones(size, game, setup, moves):
    """How many stones Black has when White makes its first move.

    One, Black's first move, is a handicap only if White is known to be stronger and to get less for it than in an even
    game.  0 where White has stones from the start, as in a position that was set up.  game: a record of INDEX.
    setup: its encoded setup stones.  moves: those of all games.
    """
    stones = 0
    for i in range(len(setup)):
        if np.int64(setup[i]) & WHITE_BIT:
            return 0
        stones += 1
    start = np.int64(game.move_start)
    for i in range(start, start + game.num_moves):
        move = np.int64(moves[i])
        if move & WHITE_BIT:
            break
        stones += move != size * size            # a pass
    if stones == 1 and not (game.white_rank > game.black_rank and game.white_points < NO_KOMI):
        return 0
    return stones


def white_points(games: pd.DataFrame) -> np.ndarray:
    """White's points by komi and for handicap stones, float32 (n,); NaN where komi is unknown."""
    pairs = list(zip(games["rules"], games["handicap"].tolist(), strict=True))
    bonuses = {pair: record_bonus(*pair) for pair in set(pairs)}
    return games["komi"].to_numpy(np.float32) + np.array([bonuses[pair] for pair in pairs], np.float32)


@kernel
def write_labels(size, games, samples, symmetries, setup, moves, ownership, outcomes, colours, komi, next_moves,
                 ownership_out, scores, handicap_gains):
    """Write the labels of a batch to the last seven arguments, with the shapes of positions.Batch.

    games: INDEX (n,), each position's game.  samples: as for planes.write_sample_planes.  setup, moves, ownership:
    those of all games.
    """
    for j in range(len(games)):
        game = games[j]
        target = samples[j, 2] + samples[j, 3]
        end = samples[j, 2] + game.num_moves
        symmetry = symmetries[samples[j, 4]]
        white = np.int64(moves[target]) & WHITE_BIT
        colour = -1 if white else 1
        outcomes[j] = colour * game.winner
        colours[j] = colour
        komi[j] = -colour * game.white_points
        stones = handicap_stones(size, game, setup[samples[j, 0]:samples[j, 1]], moves)
        handicap_gains[j] = -colour * expected_gain(stones, game.white_points, 1 - samples[j, 3] / game.num_moves)
        for k in range(2):               # an answer is the opponent's, and the move after it one's own
            next_moves[j, k] = -1
        for k in range(2):
            i = target + 1 + k
            if i >= end or (np.int64(moves[i]) & WHITE_BIT) == (np.int64(moves[i - 1]) & WHITE_BIT):
                break
            next_moves[j, k] = symmetry[np.int64(moves[i]) & (WHITE_BIT - 1)]
        start = np.int64(game.ownership_start)
        scores[j] = np.nan
        score = 0
        for i in range(size * size):
            owner = colour * owner_at(ownership, start, i) if start >= 0 else 0
            ownership_out[j, symmetry[i]] = owner
            score += owner
        if start >= 0:
            scores[j] = score
