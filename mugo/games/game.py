"""What a search asks of a game, whichever it is.  Compiled.

    b.k == 0    Go       board.py, rollouts.py, planes.py
    b.k  > 0    Gomoku   gomoku.py

One record holds a board of either game, so all these functions are compiled once, and which game it is costs
a comparison where it is asked.  Outcomes are 1 where Black has won, -1 where White has, 0 for a draw.
"""
import numpy as np
from numba import njit

from mugo.files import BadInput
from mugo.games import board, gomoku, planes, rollouts
from mugo.games.board import LEGAL, index_of, is_repetition, is_true_eye, legality
from mugo.games.coords import PASS
from mugo.games.go import Position as Go
from mugo.games.gomoku import Position as Gomoku
from mugo.games.position import BasePosition
from mugo.games.rng import random_below

GAMES = ("go", "gomoku")
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def mix(x):
    """splitmix64's finisher (Steele et al. 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def position_hash(b):
    """A hash of all that decides what may follow, superko apart: stones, side to move, ko, passes."""
    state = np.uint64((b.ko * 4 + min(b.passes, 2)) * 2 + (b.to_play > 0))
    return b.hash ^ mix((state + np.uint64(1)) * _GOLDEN)


@njit(cache=True, nogil=True)
def path_hash(key, move):
    """The key of what a move leads to from the position with this key, where every way counts by itself."""
    return mix((key ^ np.uint64(move + 1)) * _GOLDEN)


@njit(cache=True, nogil=True)
def is_over(b):
    """Whether the game has ended."""
    return gomoku.is_over(b) if b.k else b.passes >= 2


@njit(cache=True, nogil=True)
def may_pass(b):
    """Whether a pass is a move of the game."""
    return b.k == 0


@njit(cache=True, nogil=True)
def is_candidate(b, p):
    """Whether a search looks at the side to move playing on the empty point p.  Superko is not asked."""
    c = b.to_play
    return b.k != 0 or (not is_true_eye(b, p, c) and legality(b, p, c) == LEGAL)


@njit(cache=True, nogil=True)
def forced_move(b, kind):
    """The candidate beside which no other has to be looked at, for a search whose rollouts are of this kind; else 0.

    Gomoku with THREATS: the move that wins at once, or that stops the opponent from it.
    """
    if b.k and kind == gomoku.THREATS:
        p = gomoku.any_winning_point(b, b.to_play)
        return p if p else gomoku.any_winning_point(b, -b.to_play)
    return 0


@njit(cache=True, nogil=True)
def is_allowed(b, history, move):
    """Whether a candidate, or a pass, repeats no position; history as board.is_repetition has it."""
    return b.k != 0 or move == PASS or not is_repetition(b, history, move, b.to_play)


@njit(cache=True, nogil=True)
def play(b, move):
    """Play a legal move of the side to move."""
    if b.k:
        gomoku.play(b, move, b.to_play)
    else:
        board.play(b, move, b.to_play)


@njit(cache=True, nogil=True)
def outcome(b, komi):
    """Who has won a game that is over."""
    return float(b.winner) if b.k else float(np.sign(board.area_score(b) - komi))


@njit(cache=True, nogil=True)
def roll_out(b, kind, mercy, komi):
    """Play b to its end at random; returns the outcome.  kind, mercy: as rollouts.roll_out has them."""
    return float(gomoku.roll_out(b, kind)) if b.k else float(np.sign(rollouts.roll_out(b, kind, mercy) - komi))


@njit(cache=True, nogil=True)
def add_ownership(b, ownership):
    """Add to int32 (POINTS,) owners who has each point of an ended rollout; owners[0] counts the rollouts."""
    ownership[0] += 1
    if b.k == 0:
        rollouts.add_ownership(b, ownership)


@njit(cache=True, nogil=True)
def write_planes(b, history, scratch, symmetry, out):
    """Write the packed planes of b's game to out, uint8 (size², packed_bytes), in the symmetry `turn`.

    history: as planes.fill has it.  scratch: planes.Scratch.
    """
    if b.k:
        gomoku.write_planes(b, symmetry, out)
    else:
        planes.write_planes(b, history, scratch.work[0], scratch.line, scratch.moves, True, symmetry, out)


@njit(cache=True, nogil=True)
def write_board_planes(boards, history, scratch, symmetry, out):
    """`fill` for boards[0]."""
    write_planes(boards[0], history, scratch, symmetry, out)


@njit(cache=True, nogil=True)
def play_sampled(b, priors):
    """Play a move drawn by priors (size² + 1,) from the candidates; a pass if there is none."""
    total = 0.0
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if is_candidate(b, p):
            total += priors[index_of(b, p)]
    left = total * random_below(b, 1 << 30) / (1 << 30)
    chosen = PASS
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if is_candidate(b, p):
            chosen = p
            left -= priors[index_of(b, p)]
            if left < 0:
                break
    play(b, chosen)


def packed_bytes(game: str) -> int:
    """How many bytes of packed planes a point has."""
    return gomoku.PACKED if game == "gomoku" else planes.PACKED


def encode(positions: list[BasePosition], symmetry: int = 0) -> np.ndarray:
    """Packed planes, uint8 (n, size², packed_bytes), of positions of one game and size, for their side to move."""
    return (gomoku if positions[0].game == "gomoku" else planes).encode(positions, symmetry)


def new_game(game: str, size: int, *, komi: float = 7.5, k: int | None = None, exactly: bool = False) -> BasePosition:
    """The start of a game: "go" with its komi, or "gomoku" with k in a row (by default, as the board has it).

    Raises BadInput for a board that the game is not played on, or a row that does not fit.
    """
    try:
        return Gomoku(size, k, exactly) if game == "gomoku" else Go(size, komi)
    except ValueError as error:
        raise BadInput(str(error)) from None
