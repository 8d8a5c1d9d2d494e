"""The games of a match: who plays whom with which colour, from which opening.

    three participants, two games of each pair         game 0   0-1    game 1   0-2    game 2   1-2      opening 0
                                                       game 3   1-0    game 4   2-0    game 5   2-1      opening 0
"""
import functools
from itertools import combinations
from typing import NamedTuple


class Pairing(NamedTuple):
    """A game to be played.  number: from 0.  black, white: indices of participants.  opening: its number, from 0."""

    number: int
    black: int
    white: int
    opening: int


def make_pairings(participants: int, games: int, *, gauntlet: bool = False, alternate: bool = True) -> list[Pairing]:
    """`games` games of each pair of a round robin, or with `gauntlet` of the first participant against each other one.

    alternate: colours alternate, and every opening is played twice, once with each colour; otherwise the first of a
    pair is always Black.  Rounds are played one after the other, so a match that was stopped is balanced, and a longer
    one keeps the numbers of its games.
    """
    return [find_pairing(number, participants, gauntlet=gauntlet, alternate=alternate)
            for number in range(games * len(_pairs(participants, gauntlet)))]


def find_pairing(number: int, participants: int, *, gauntlet: bool = False, alternate: bool = True) -> Pairing:
    """The game with a number, from 0; arguments as in `make_pairings`."""
    pairs = _pairs(participants, gauntlet)
    round_, i = divmod(number, len(pairs))
    return Pairing(number, *(pairs[i][::-1] if alternate and round_ % 2 else pairs[i]),
                   opening=round_ // 2 if alternate else round_)


@functools.cache
def _pairs(participants: int, gauntlet: bool) -> list[tuple[int, int]]:
    """The pairs of a round, in its order."""
    return list(combinations(range(participants), 2))[:participants - 1 if gauntlet else None]
