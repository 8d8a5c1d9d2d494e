"""What the games of a match begin with, so that two programs without chance do not play one game a
hundred times:  `--openings` -> positions.

    6                   six random sensible moves
    policy              moves drawn from the priors of the bundled network for the board
    FOLDER or archive   the first moves of the games in it
    nothing             the empty board, or the handicap stones

None of them ends a game of Gomoku.
The same seed gives the same openings, whoever plays.
"""
import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from mugo.files import BadInput
from mugo.games.gomoku import format_row
from mugo.games.position import BasePosition, IllegalMove
from mugo.players.policy import PolicyPlayer
from mugo.sgf.archives import UnreadableFile
from mugo.sgf.convert import replay_record
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.sources import find_sources, read_files

POLICY_MOVES = 8


def openings(what: str | None, start: BasePosition, *, moves: int | None = None, seed: int = 0,
             ) -> Callable[[int], BasePosition]:
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
        from mugo.nn.inference import BundledNetworks  # here, so that other matches start without it
        network = BundledNetworks().for_position(start)
        return functools.partial(policy_opening, network, start, moves or POLICY_MOVES, seed)
    return _recorded(what, start, moves, seed)


def random_opening(start: BasePosition, moves: int, seed: int, number: int) -> BasePosition:
    """So many sensible moves, all equally likely; fewer where the board is full, or all of them would end the game."""
    rng = np.random.default_rng([seed, number])
    position = start
    for _ in range(moves):
        points = position.sensible_points()
        if not position.may_pass:
            points = [point for point in points if not position.play(int(point)).is_over]
        if not len(points):
            break
        position = position.play(int(rng.choice(points)))
    return position


def policy_opening(network, start: BasePosition, moves: int, seed: int, number: int) -> BasePosition:
    """So many moves drawn from the priors of a network; fewer where one of them would end a game of Gomoku."""
    player = PolicyPlayer(network, temperature=1, seed=[seed, number])
    position = start
    for _ in range(moves):
        after = position.play(player.select_move(position))
        if after.is_over and not after.may_pass:
            break
        position = after
    return position


def _recorded(path: str, start: BasePosition, moves: int | None, seed: int) -> Callable[[int], BasePosition]:
    """The different beginnings of recorded games, shuffled, over and over."""
    if start.handicap:
        raise BadInput("--handicap goes with openings of random moves or of the policy, not with recorded ones")
    found: dict[tuple[bytes, bytes], Record] = {}
    for source in find_sources([path]):
        for text in read_files(source):
            for record in [] if isinstance(text, UnreadableFile) else read_records(text.data, gomoku=True):
                if isinstance(record, Record) and _goes_on(record, moves, start):
                    found.setdefault((record.setup.tobytes(), record.moves[:moves].tobytes()), record)
    if not found:
        of = f"of Gomoku, {format_row(start.k, start.exactly)}, " if start.game == "gomoku" else ""
        raise BadInput(f"{path}: no game {of}on {start.size}x{start.size} that can be played on after "
                       f"{'its last move' if moves is None else f'{moves} moves'}")
    records = [dataclasses.replace(record, komi=start.komi) for record in found.values()]
    order = np.random.default_rng(seed).permutation(len(records))
    return lambda number: replay_record(records[order[number % len(records)]], moves)


def _goes_on(record: Record, moves: int | None, start: BasePosition) -> bool:
    """Whether a record is of the game that begins at `start`, and not over after so many moves."""
    try:
        position = replay_record(record, moves, start.komi)
    except (IllegalMove, BadInput):
        return False
    return not position.is_over and (position.game, position.size) == (start.game, start.size) \
        and (start.game == "go" or position.is_like(start))
