"""The games of a match: who plays whom with which colour, and from which position.

    three participants, two games of each pair         game 0   0-1    game 1   0-2    game 2   1-2      opening 0
                                                       game 3   1-0    game 4   2-0    game 5   2-1      opening 0

    --openings 6                   six random sensible moves
    --openings policy              moves sampled from the priors of the bundled network for the board
    --openings FOLDER or archive   the first moves of recorded games
    (without it)                   the empty board, or the handicap stones

An opening is a function of the seed and its number.  None ends a game, and none that is made here has a pass.
"""
import dataclasses
import functools
import hashlib
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mugo.core.files import BadInput, file_sha256
from mugo.games import gomoku
from mugo.games.coords import PASS, format_size
from mugo.games.go import GoPosition
from mugo.games.gomoku import format_row
from mugo.games.position import BasePosition, IllegalMove
from mugo.games.rules import Rules
from mugo.players.player import PolicyPlayer
from mugo.sgf.archives import UnreadableFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import parse_record_rules, position_of
from mugo.sgf.sources import find_sources, read_files

POLICY_MOVES = 8                         # of an opening by the policy, by default


def load_openings(source: str | None, start: BasePosition, *, rules: Rules | None = None, max_moves: int | None = None,
                  seed: int = 0) -> Callable[[int], BasePosition]:
    """A function from the number of an opening, from 0, to its position.

    source: the value of --openings; None for `start` itself.  start: the empty board, or its handicap stones.
    rules: the match's; None: area scoring, with White's points for handicap stones by a recorded game's own rules.
    max_moves: in an opening by the policy (None: 8) or a recorded game (None: all).
    Raises BadInput if there are no openings for this board.
    """
    if source is None:
        return lambda number: start
    if source.isascii() and source.isdecimal():
        if len(source) > 4:
            raise BadInput(f"--openings {source[:20]}: at most 9999 random moves")
        return functools.partial(random_opening, start, int(source), seed)
    if source == "policy":
        from mugo.nn.bundled import BundledNetworks  # here, so that other matches start without it
        network = BundledNetworks().for_position(start)
        return functools.partial(policy_opening, network, start, max_moves or POLICY_MOVES, seed)
    return _recorded_openings(source, start, rules, max_moves, seed)


def openings_checksum(path: str) -> str:
    """The SHA-256 of a file of openings, or of the game files in a folder, with their names.  Raises BadInput."""
    if Path(path).is_file():
        return file_sha256(Path(path))
    checksum = hashlib.sha256()
    for source in find_sources([path]):
        for file in read_files(source):
            content = b"" if isinstance(file, UnreadableFile) else file.data
            for part in (source.label.encode(), file.name.encode(), content):
                checksum.update(len(part).to_bytes(8, "big") + part)
    return checksum.hexdigest()


def random_opening(start: BasePosition, moves: int, seed: int, number: int) -> BasePosition:
    """Opening `number`: sensible moves, all equally likely; fewer where every move would end the game."""
    rng = np.random.default_rng([seed, number])
    position = start
    for _ in range(moves):
        points = position.sensible_points().tolist()
        if not position.may_pass:
            points = [point for point in points if not position.play(point).is_over]
        if not points:
            break
        position = position.play(int(rng.choice(points)))
    return position


def policy_opening(network, start: BasePosition, moves: int, seed: int, number: int) -> BasePosition:
    """Opening `number`: moves sampled from the priors of a network; fewer where one would pass or end the game."""
    player = PolicyPlayer(network, temperature=1, seed=[seed, number])
    position = start
    for _ in range(moves):
        point = player.select_move(position)
        after = position.play(point)
        if point == PASS or after.is_over:
            break
        position = after
    return position


def _recorded_openings(path: str, start: BasePosition, rules: Rules | None, max_moves: int | None, seed: int
                       ) -> Callable[[int], BasePosition]:
    """The distinct openings of recorded games in a random order, repeated when all were played."""
    if start.handicap:
        raise BadInput("--handicap goes with openings of random moves or of the policy, not with recorded ones")
    distinct: dict[tuple[bytes, bytes], Record] = {}
    for source in find_sources([path]):
        for text in read_files(source):
            for record in [] if isinstance(text, UnreadableFile) else read_records(text.data, gomoku=True):
                if isinstance(record, Record) and _is_playable(record, max_moves, start):
                    distinct.setdefault((record.setup.tobytes(), record.moves[:max_moves].tobytes()), record)
    if not distinct:
        game = f"of Gomoku, {format_row(start.k, start.exactly)}, " if isinstance(start, gomoku.GomokuPosition) else ""
        raise BadInput(f"{path}: no game {game}on {format_size(start.shape)} that can be continued after "
                       f"{'its last move' if max_moves is None else f'{max_moves} moves'}")
    records = [dataclasses.replace(record, komi=start.komi) for record in distinct.values()]
    order = np.random.default_rng(seed).permutation(len(records))
    return lambda number: _replayed(records[order[number % len(records)]], rules, max_moves)


def _replayed(record: Record, rules: Rules | None, max_moves: int | None) -> BasePosition:
    """The position after the first moves of a record, scored by the rules of the match and not by the record's."""
    position = position_of(record, max_moves)
    if not isinstance(position, GoPosition):
        return position
    return position.with_rules(rules or (parse_record_rules(record.rules) or Rules()).by_area())


def _is_playable(record: Record, max_moves: int | None, start: BasePosition) -> bool:
    """Whether a record is of the same game, rules and board as `start`, and not over after `max_moves` moves."""
    try:
        position = position_of(record, max_moves, start.komi)
    except (IllegalMove, BadInput):
        return False
    return not position.is_over and (position.game, position.shape) == (start.game, start.shape) \
        and (start.game == "go" or position.has_same_rules(start))


class Pairing(NamedTuple):
    """A game to be played.  number: from 0.  black, white: indices of participants.  opening: its number, from 0."""

    number: int
    black: int
    white: int
    opening: int


def make_pairings(participants: int, games: int, *, gauntlet: bool = False, alternate: bool = True) -> list[Pairing]:
    """`games` games of each pair of a round robin, or with `gauntlet` of the first participant against each other one.

    alternate: every opening is played twice, once with each colour; otherwise the first of a pair is always Black.
    Rounds follow one another, so a match that was stopped is balanced, and a longer one keeps the numbers of its games.
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
    return list(combinations(range(participants), 2))[:participants - 1 if gauntlet else None]
