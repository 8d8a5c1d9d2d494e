"""What the games of a match begin with, so that two programs without chance do not play one game a
hundred times:  `--openings` -> positions.

    6                   six random sensible moves
    policy              moves drawn from the priors of the bundled network for the board
    FOLDER or archive   the first moves of the games in it
    nothing             the empty board, or the handicap stones

The same seed gives the same openings, whoever plays.
"""
import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from mugo import archives
from mugo.files import BadInput
from mugo.go import IllegalMove, Position, position_of
from mugo.players import PolicyPlayer
from mugo.records import Record, read_records

POLICY_MOVES = 8


def openings(what: str | None, start: Position, *, moves: int | None = None, seed: int = 0,
             ) -> Callable[[int], Position]:
    """A function from the number of an opening, from 0, to the position it leads to.

    what: as in the docstring above.  start: the empty board of the match, or its handicap stones.
    moves: how many, for `policy` (by default 8) and for recorded games (by default all).
    Raises BadInput if there are none for this board.
    """
    if what is None:
        return lambda number: start
    if what.isdecimal():
        return functools.partial(random_opening, start, int(what), seed)
    if what == "policy":
        from mugo.network import Network, bundled      # here, so that other matches start without it
        network = Network(bundled(start.size))
        return functools.partial(policy_opening, network, start, moves or POLICY_MOVES, seed)
    return _recorded(what, start, moves, seed)


def random_opening(start: Position, moves: int, seed: int, number: int) -> Position:
    """So many sensible moves, all equally likely; fewer where the board is full."""
    rng = np.random.default_rng([seed, number])
    position = start
    for _ in range(moves):
        points = position.sensible_points()
        if not len(points):
            break
        position = position.play(int(rng.choice(points)))
    return position


def policy_opening(network, start: Position, moves: int, seed: int, number: int) -> Position:
    """So many moves drawn from the priors of a network."""
    player = PolicyPlayer(network, temperature=1, seed=[seed, number])
    position = start
    for _ in range(moves):
        position = position.play(player.choose(position))
    return position


def _recorded(path: str, start: Position, moves: int | None, seed: int) -> Callable[[int], Position]:
    """The different beginnings of recorded games, shuffled, over and over."""
    if start.handicap:
        raise BadInput("--handicap goes with openings of random moves or of the policy, not with recorded ones")
    found: dict[tuple[bytes, bytes], Record] = {}
    for source in archives.sources([path]):
        for text in archives.texts(source):
            for record in [] if isinstance(text, archives.Unreadable) else read_records(text.data):
                if isinstance(record, Record) and record.size == start.size and _goes_on(record, moves):
                    found.setdefault((record.setup.tobytes(), record.moves[:moves].tobytes()), record)
    if not found:
        raise BadInput(f"{path}: no game on {start.size}x{start.size} that can be played on after "
                       f"{'its last move' if moves is None else f'{moves} moves'}")
    records = [dataclasses.replace(record, komi=start.komi) for record in found.values()]
    order = np.random.default_rng(seed).permutation(len(records))
    return lambda number: position_of(records[order[number % len(records)]], moves)


def _goes_on(record: Record, moves: int | None) -> bool:
    try:
        return not position_of(record, moves).is_over
    except IllegalMove:
        return False
