"""Dispatch over Go and Gomoku: the rules, rollouts and planes of a board of either game.  Compiled.

The search and the players use only these functions and position.BasePosition.  One record holds a board of either
game; it is Gomoku where b.k, how many in a row win, is not 0.  Large functions, those of SIGNATURES, are called by
address (core.jit).  Outcomes are 1 if Black has won, -1 if White has, 0 for a draw.

    b           BOARD, one record               history     uint64 (at least b.moves + 1,)
    scratch     planes.Scratch                  symmetry    int64 (points + 1,), a row of coords.symmetries
    ownership   int32 (POINTS,)                 priors      float32 (points + 1,), by move index
    out         uint8 (points, packed_bytes)    kind        rollouts.UNIFORM or MOGO
    first_plays int8 (POINTS,)
"""
import functools
from typing import Any

import numpy as np
from numba import types
from numba.core.typing.templates import Signature

from mugo.core.jit import address_of, caller, kernel, subroutine
from mugo.core.files import BadInput
from mugo.games import area, board, go_priors, gomoku, gomoku_threats, planes, rollouts
from mugo.games.board import BOARD_TYPE, LEGAL, SIMPLE_KO, ZOBRIST, is_true_eye, legality
from mugo.games.coords import PASS, BoardSize, symmetries
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.history import is_repetition, last_occurrence
from mugo.games.position import BasePosition
from mugo.games.rules import GAMES, KOMI

PLANE_TABLES = {"go": planes.PLANES, "gomoku": gomoku.PLANES}
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: the increment of splitmix64


@subroutine
def mix(x):
    """The finalizer of splitmix64 (Steele, Lea, Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def position_hash(b):
    """A hash of stones, side to move, ko, passes, and the points on which a stone was ever captured: only there superko
    can forbid a move."""
    state = np.uint64((b.ko * 4 + min(b.passes, 2)) * 2 + (b.to_play > 0))
    key = b.hash ^ mix((state + np.uint64(1)) * _GOLDEN)
    if b.black_captures + b.white_captures:
        captured = np.uint64(0)
        if b.territory:                  # prisoners are points
            captured += np.uint64(b.black_captures - b.white_captures + (1 << 20))
        for p in range(b.width + 1, b.width * (b.rows + 1)):
            if b.ever_captured[p]:
                captured ^= ZOBRIST[2 * p]
        key ^= mix(captured)
    return key


@subroutine
def is_gomoku(b):
    """Whether b is a board of Gomoku, which has no pass."""
    return b.k != 0


@kernel
def is_over(b):
    """Whether the game has ended."""
    return gomoku.is_over(b) if is_gomoku(b) else b.passes >= 2


@kernel
def counts_all_alive(b):
    """Whether two passes end the game with every stone counted as alive: by area, not by territory."""
    return not is_gomoku(b) and b.territory == 0


@subroutine
def is_decided(b):
    """Whether the game has ended with an outcome that the board alone gives."""
    return is_over(b) and (is_gomoku(b) or counts_all_alive(b))


@subroutine
def is_candidate(b, p):
    """Whether the search considers a move of the side to move on the empty point p.  Superko is not checked."""
    c = b.to_play
    return is_gomoku(b) or (not is_true_eye(b, p, c) and legality(b, p, c) == LEGAL)


@subroutine
def is_legal(b, p):
    """Whether the side to move may play on the empty point p.  Superko is not checked."""
    return is_gomoku(b) or legality(b, p, b.to_play) == LEGAL


def winning_sequence(b: np.void) -> int:
    """The first move of a sequence that wins by force for the side to move, 0 if none is found.  Gomoku: fours alone
    (gomoku_threats), where nobody can win at once.  It costs up to 2 ms: for the root."""
    return int(gomoku_threats.win_by_fours(b, b["to_play"])) if b["k"] and not is_over(b) else 0


@kernel
def pass_value(b, komi):
    """The value, for the side to move, of a pass that ends the game, where counts_all_alive; for the first pass in
    a row an upper bound."""
    return np.int64(outcome(b, komi)) * b.to_play


@subroutine
def is_allowed(b, history, move):
    """Whether a candidate, or a pass, repeats no position (superko)."""
    return is_gomoku(b) or move == PASS or not is_repetition(b, history, move, b.to_play)


@subroutine
def may_repeat(b, move):
    """Whether a move can repeat a position on any path to this one (superko)."""
    return not is_gomoku(b) and move != PASS and b.ever_captured[move] != 0


@subroutine
def earlier_occurrence(b, history):
    """By simple ko, the move after which the position stood on the board before, with the same side to move; -1 if it
    did not, after a pass, and by superko.  From the last pass on (b.last_pass) a search takes it for no result."""
    return np.int64(last_occurrence(b, history, b.moves)) if b.ko_rule == SIMPLE_KO else np.int64(-1)


@subroutine
def outcome(b, komi):
    """The outcome of a game that is over, in Go by area.  komi: against the area (area_komi)."""
    return float(b.winner) if is_gomoku(b) else float(np.sign(area.area_score(b) - komi))


@subroutine
def roll_out(address, b, light_boards, mercy, komi, first_plays):
    """Play b to its end at random; returns the outcome.  address: the address of a `roll_out` of the game.
    light_boards: LIGHT_BOARD (1,), scratch.  mercy, first_plays: as in rollouts.roll_out."""
    if is_gomoku(b):
        komi = 0.0
    elif b.territory:
        komi = area.area_komi(b, komi)
        b.passes = min(b.passes, 1)
    return float(np.sign(rollouts.call_roll_out(address, b, light_boards, mercy, first_plays) - komi))


@kernel
def area_komis(boards, komi):
    """float64 (n,): area.area_komi of each of the boards."""
    komis = np.empty(len(boards), np.float64)
    for i in range(len(boards)):
        komis[i] = area.area_komi(boards[i], komi)
    return komis


@subroutine
def add_ownership(b, ownership):
    """Add the owner of each point of an ended rollout to ownership; ownership[0] counts the rollouts."""
    ownership[0] += 1
    if not is_gomoku(b):
        rollouts.add_ownership(b, ownership)


# ---- what a search calls by address, see core.jit

@subroutine
def _play_go(b, move):
    board.play(b, move, b.to_play)


@subroutine
def _play_gomoku(b, move):
    gomoku.play(b, move, b.to_play)


@subroutine
def _no_forced_move(b, reads_threats):
    return 0, -1, 1


SIGNATURES = {
    "play": types.void(BOARD_TYPE, types.int64),
    "forced_move": types.UniTuple(types.int64, 3)(BOARD_TYPE, types.boolean),
    "roll_out": rollouts.ROLL_OUT,
    "write_heuristic_priors": types.void(BOARD_TYPE, planes.SCRATCH_TYPE, types.float32[:, ::1]),
    "write_planes": types.void(BOARD_TYPE, types.uint64[::1], planes.SCRATCH_TYPE, types.int64[::1],
                               types.uint8[:, ::1]),
}
# play(address, b, move): play a legal move of the side to move.
play = caller(SIGNATURES["play"])
# forced_move(address, b, reads_threats) -> (point, lower, upper): the only move that has to be considered, or 0; bounds
# of its value.  Gomoku: the move that wins at once (1), or the one that blocks such a move of the opponent (-1 where
# there are two).  reads_threats: also the move that makes two winning points, where nobody has one (1).
forced_move = caller(SIGNATURES["forced_move"])
# write_heuristic_priors(address, b, scratch, priors): write virtual visits and wins for the side to move, by point, to
# priors, float32 (POINTS, 2).
write_heuristic_priors = caller(SIGNATURES["write_heuristic_priors"])
# write_planes(address, b, history, scratch, symmetry, out): write the packed planes of b, for the side to move.
write_planes = caller(SIGNATURES["write_planes"])
FUNCTIONS: dict[str, dict[str, Any]] = {
    "go": {"play": _play_go, "forced_move": _no_forced_move, "write_heuristic_priors": go_priors.write_priors,
           "write_planes": planes.write_planes,
           "roll_out": {rollouts.UNIFORM: rollouts.roll_out_uniform, rollouts.MOGO: rollouts.roll_out_mogo}},
    "gomoku": {"play": _play_gomoku, "forced_move": gomoku.forced_move,
               "write_heuristic_priors": gomoku_threats.write_priors, "write_planes": gomoku.write_planes,
               "roll_out": {rollouts.UNIFORM: gomoku.roll_out_uniform, rollouts.MOGO: gomoku.roll_out_mogo}},
}


def function_of(game: str, name: str, rollout_kind: int = rollouts.UNIFORM) -> tuple[Any, Signature]:
    """A function of a game, "go" or "gomoku", by its name in SIGNATURES, and its signature: arguments of address_of."""
    function = FUNCTIONS[game][name]
    return function[rollout_kind] if name == "roll_out" else function, SIGNATURES[name]


def address(game: str, name: str, rollout_kind: int = rollouts.UNIFORM) -> int:
    """The address of a function of a game; the first time this compiles it, or loads it from numba's cache."""
    return address_of(*function_of(game, name, rollout_kind))


@functools.cache
def plane_names(game: str = "go") -> tuple[str, ...]:
    """The name of every input plane of a game, "go" or "gomoku".

    Plane("liberties", 8, ...)                         -->  'liberties 1' ... 'liberties 8' (8 stands for 8 or more)
    Plane("stone colour", 3, "mine, theirs, empty")    -->  'stone colour mine', 'stone colour theirs', ...
    Plane("ones", 1, ...)                              -->  'ones'

    Raises BadInput for another game.
    """
    if game not in GAMES:
        raise BadInput(f"game is 'go' or 'gomoku', not {game!r:.40}")
    names: list[str] = []
    for plane in PLANE_TABLES[game]:
        parts = plane.meaning.split(", ")
        if plane.depth == 1:
            names.append(plane.name)
        elif plane.depth == len(parts):
            names += [f"{plane.name} {part}" for part in parts]
        else:
            names += [f"{plane.name} {k}" for k in range(1, plane.depth + 1)]
    return tuple(names)


def packed_bytes(game: str) -> int:
    """The bytes of a point in packed planes: "go" 6, "gomoku" 1."""
    return gomoku.PACKED if game == "gomoku" else planes.PACKED


@kernel
def _write_planes(address, boards, history, scratch, symmetry, out):
    """write_planes of boards[0]: for calls from Python, as an array is passed faster than a record."""
    write_planes(address, boards[0], history, scratch, symmetry, out)


def encode(positions: list[BasePosition], symmetry: int = 0) -> np.ndarray:
    """Packed planes, uint8 (n, points, packed_bytes), of positions of one game and shape, for the side to move.
    symmetry: a row of coords.symmetries."""
    first, scratch = positions[0], planes.new_scratch()
    permutation = symmetries(first.shape)[symmetry].copy()       # which may be written, as the kernels' arrays may
    write_address = address(first.game, "write_planes")
    out = np.empty((len(positions), first.area, packed_bytes(first.game)), np.uint8)
    for position, packed in zip(positions, out, strict=True):
        _write_planes(write_address, position.board, position.history, scratch, permutation, packed)
    return out


def new_game(game: str, size: BoardSize, *, komi: float = KOMI, k: int | None = None, exactly: bool = False
             ) -> BasePosition:
    """The empty board of "go", with its komi, or of "gomoku", with k in a row (default: gomoku.default_row(size)).
    Raises BadInput for a size that the game does not have, and a k that does not fit the board."""
    try:
        return GomokuPosition(size, k, exactly) if game == "gomoku" else GoPosition(size, komi)
    except ValueError as error:
        raise BadInput(str(error)) from None
