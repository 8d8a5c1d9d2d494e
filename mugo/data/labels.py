"""Labels of a position: the moves after it, the outcome, komi, final ownership.  Compiled.

    the game's row, its moves, its words in ownership.npy --> write_labels --> the fields of positions.Batch

The results of handicap games do not say who was ahead: see games/area.py.  A game without komi
counts as one if White's rank is higher.
"""
import numpy as np
import pandas as pd

from mugo.core.jit import kernel, subroutine
from mugo.data.final_ownership import owner_at
from mugo.games.coords import WHITE_BIT
from mugo.games.area import expected_gain
from mugo.sgf.record_rules import record_bonus

NO_KOMI = 2.0                            # points: with fewer, and a stronger White, Black was given the first move


@subroutine
def handicap_stones(size, game, setup, moves):
    """How many stones Black has when White makes its first move.

    One, Black's first move, is a handicap only if White is known to be stronger and to get less for it than in an even
    game.  Passes are no stones.  0 where White has stones from the start: the position was set up, or is that of an
    opening.

    size: of the board.  game: its record.  setup: its encoded setup stones.  moves: of all games.
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
    """float32 (n,): White's points by komi and for handicap stones (sgf.record_rules); NaN where komi is unknown."""
    pairs = list(zip(games["rules"], games["handicap"].tolist(), strict=True))
    bonuses = {pair: record_bonus(*pair) for pair in set(pairs)}
    return games["komi"].to_numpy(np.float32) + np.array([bonuses[pair] for pair in pairs], np.float32)


@kernel
def write_labels(size, games, samples, symmetries, setup, moves, ownership, outcomes, colours, komi, next_moves,
                 ownership_out, scores, handicap_gains):
    """Write the labels of a batch to the last seven arguments, whose shapes are those of positions.Batch.

    games: INDEX (n,), each position's game.  samples: as for planes.write_sample_planes.  setup, moves, ownership: of
    all games.
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
