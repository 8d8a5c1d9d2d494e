"""Territory scoring as a count by area: the two differ by the stones that the players have put on the board.  Compiled.

    territory score   empty points surrounded + prisoners (stones captured, and dead ones)     Japanese, Korean rules
    area score        empty points surrounded + own stones on the board                        Chinese, AGA rules

A colour's stones on the board are those it has put there less those the opponent has as prisoners.  So, for Black minus
White, of one board without dead stones, and except for the eyes of a seki (scoring.final_score):

    area = surrounded + on the board = surrounded + put there - lost = territory score + stones_played

stones_played is known from the board at any time: on the board + lost, handicap stones included.  A move changes it by
one, a pass does not.  So a stone in one's own territory gains nothing by area and costs a point by territory, unless
the opponent answers it.

Before the end, the territory score is the area at the end less stones_played at the end.  While both sides move in
turn, that is stones_played now, plus one if the side to move also makes the last move; half a point is the mean.  After
a pass it is stones_played now: the side to move can end the game.  Therefore area_komi: White's points against the area
that decide the game as it stands.  Rollouts and networks, which count by area, get it at every leaf of a search, with
the passes on the way to the leaf in it.  The moves of the rollout itself are left out: in a finished position both
sides fill their own territory there, which costs nothing by area.  By this count no board is final, as dead stones stay
on it: two passes end a line of the search, and a rollout or the network evaluates it.

The Japanese rules of 1989, articles 7 to 10: https://www.cs.cmu.edu/~wjh/go/rules/Japanese.html; `scoring` and `tax`:
https://lightvector.github.io/KataGo/rules.html
"""

from mugo.core.jit import kernel, subroutine
from mugo.games.area import stone_difference


@subroutine
def stones_played(b):
    """The stones that Black has put on the board, setup included, minus those of White."""
    return b.white_captures - b.black_captures + stone_difference(b)


@kernel
def area_komi(b, komi):
    """White's points against the area at the end from this position on; komi itself where the game is scored by area.
    komi: White's points by komi and for handicap stones."""
    if b.territory == 0:
        return komi + 0.0
    return komi + stones_played(b) + (0.5 * b.to_play if b.passes == 0 else 0.0)
