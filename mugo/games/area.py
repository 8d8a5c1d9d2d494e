"""The area score (Tromp-Taylor), the komi with which it decides territory, and the worth of handicap stones.  Compiled.

    . X . O .      Black: 6 stones, 4 empty points that reach only Black      10
    . X . O .      White: 8 stones, 5 empty points                            13
    . X O O .      neutral: the 2 empty points that reach both
    . X O . .
    X X O O O      score 10 - 13 = -3

Every stone on the board counts as alive; dead stones are found in scoring.  https://tromp.github.io/go.html
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.board import BLACK, BORDER, EMPTY, POINTS, WHITE, points

_UNSEEN = BORDER                         # an empty point whose region has not been looked at


@subroutine
def stone_difference(b):
    """Black stones minus white ones on the board."""
    total = 0
    for p in range(POINTS):
        total += b.colour[p]
    return total - BORDER * (POINTS - b.rows * b.cols)


@subroutine
def area_score(b):
    """Points of Black minus points of White: stones, and empty regions that touch one colour.  Without komi."""
    return area_ownership(b, np.empty(POINTS, np.int8))


@kernel
def area_ownership(b, owners):
    """Write the owner of every point to owners, int8 (POINTS,): BLACK, WHITE or EMPTY; returns the area score.  The
    border between the rows becomes EMPTY, points beyond stay as they were."""
    w = b.width
    region = np.empty(POINTS, np.int16)
    score = stone_difference(b)
    for p in points(b):
        s = b.colour[p]
        owners[p] = s if s == BLACK or s == WHITE else BORDER - s        # EMPTY becomes _UNSEEN, the border EMPTY
    for i in range(b.n_empty):
        start = np.int64(b.empties[i])
        if owners[start] != _UNSEEN:
            continue
        owners[start] = EMPTY
        region[0] = start
        n = 1
        done = 0
        black = white = False
        while done < n:
            p = np.int64(region[done])
            done += 1
            for d in (-w, -1, 1, w):
                s = b.colour[p + d]
                if s == BLACK:
                    black = True
                elif s == WHITE:
                    white = True
                elif s == EMPTY and owners[p + d] == _UNSEEN:
                    owners[p + d] = EMPTY
                    region[n] = p + d
                    n += 1
        if black != white:
            owner = BLACK if black else WHITE
            score += owner * n
            for k in range(n):
                owners[region[k]] = owner
    return score


@subroutine
def stones_played(b):
    """The stones that Black has put on the board, setup included, minus those of White."""
    return b.white_captures - b.black_captures + stone_difference(b)


@kernel
def area_komi(b, komi):
    """White's points against the area at the end from this position on; komi itself where the game is scored by area.

    The territory score is the area score less stones_played at the end, where half a point is the mean if the sides
    move in turn (docs/explanation/scoring-and-passing.md).  komi: White's points by komi and for handicap stones.
    """
    if b.territory == 0:
        return komi + 0.0
    return komi + stones_played(b) + (0.5 * b.to_play if b.passes == 0 else 0.0)


FIRST_MOVE = 7.0                         # points
MOVE = 2 * FIRST_MOVE                    # it makes the first mover the second


@kernel
def expected_gain(stones, white_points, left):
    """Points that White is expected to gain by strength from a position of a handicap game to its end
    (docs/explanation/handicap-targets.md).

    stones: the stones of the handicap; 0 in a game between equals, and 1 where White gives the first move.
    white_points: by komi and for handicap stones; NaN, unknown, is 0.  left: the fraction of the game's moves to come.
    """
    if stones < 1:
        return 0.0
    lead = MOVE * stones - FIRST_MOVE - (0.0 if np.isnan(white_points) else white_points)
    return max(lead, 0.0) * left
