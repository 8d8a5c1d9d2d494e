"""What handicap stones are worth, and how it fades.  Compiled.

H handicap stones are Black's first move, worth 7 points, the komi of an even game, and H - 1 moves more, worth twice as
much each.  So Black begins 14 H - 7 points ahead, less White's points.  One stone is the first move without komi.  A
handicap game ends about even all the same, because White is the stronger player: of this lead White gains an equal part
with every move.
"""
import numpy as np

from mugo.core.jit import kernel

FIRST_MOVE = 7.0                         # points
MOVE = 2 * FIRST_MOVE                    # it makes the first mover the second


@kernel
def expected_gain(stones, white_points, left):
    """Points that White is expected to gain by strength from a position of a handicap game to its end.

    stones: of the handicap; 0 in a game between equals, and 1 where White gives the first move.
    white_points: by komi and for handicap stones; NaN, unknown, is 0.  left: the fraction of the game's moves to come.
    """
    if stones < 1:
        return 0.0
    lead = MOVE * stones - FIRST_MOVE - (0.0 if np.isnan(white_points) else white_points)
    return max(lead, 0.0) * left
