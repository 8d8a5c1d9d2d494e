"""Rollouts per second from the empty board, on one core; the mercy rule and the move limit.

    python benchmarks/rollouts.py                # half a minute on an idle machine
    python benchmarks/rollouts.py --rounds 10    # on a machine with other load

The variants take turns, and the best round of each counts, in CPU time of the process, so that other load matters less.
`speed` is relative to the first line of the same size.  The last table runs the same rollouts, from the same seeds,
with and without mercy and counts those whose winner differs.  That number is exact; Black's win rates have a standard
error of about 0.35 % from 20,000 rollouts.
"""
import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numba import njit

from mugo.games.board import POINTS, new_boards
from mugo.games.go import GoPosition
from mugo.games.rollouts import MOGO, UNIFORM, add_ownership, max_moves, mercy_threshold, roll_out
from mugo.sgf.parser import read_records
from mugo.sgf.record_positions import position_of

ROLLOUT_KINDS = {"uniform": UNIFORM, "mogo": MOGO}
KOMI = 7.5
GAME = Path(__file__).parents[1] / "data" / "gnugo-9x9-000.sgf"


@njit(nogil=True)
def roll_out_from(boards, scores, seed, kind, mercy):
    """Roll out boards[0] len(scores) times, each in boards[1]; returns the number of moves played.

    The random numbers of rollout i depend on seed + i alone.  seed: any integer from 1.
    """
    moves = 0
    first_plays = np.zeros(POINTS, np.int8)
    for i in range(len(scores)):
        boards[1] = boards[0]
        boards[1].random = np.uint64(seed + i) * np.uint64(0x9E3779B97F4A7C15)
        scores[i] = roll_out(boards[1], kind, mercy, first_plays)
        moves += boards[1].moves - boards[0].moves
    return moves


@njit(nogil=True)
def roll_out_with_ownership(boards, scores, seed, kind, mercy, ownership):
    """As roll_out_from, one rollout per call, and adds up the ownership."""
    moves = 0
    for i in range(len(scores)):
        moves += roll_out_from(boards, scores[i:i + 1], seed + i, kind, mercy)
        add_ownership(boards[1], ownership)
    return moves


def variants(size: int) -> Iterator[tuple[str, str, int, Callable]]:
    """(kind, description, mercy, function like roll_out_from) of each line of the first table."""
    ownership = np.zeros(POINTS, np.int32)
    mercy = mercy_threshold(size, KOMI)

    def with_ownership(*args):
        return roll_out_with_ownership(*args, ownership)

    for kind in ROLLOUT_KINDS:
        yield kind, "", 0, roll_out_from
        yield kind, f"mercy {mercy}", mercy, roll_out_from
        yield kind, f"mercy {mercy}, ownership", mercy, with_ownership


def show_speed(rounds: int) -> None:
    print("size     kind     with                 rollouts/s   speed   moves   Black wins")
    for size, n in ((9, 6000), (13, 3000), (19, 1500)):
        boards = new_boards(2)
        boards[0] = GoPosition(size).board[0]
        lines = list(variants(size))
        best = [np.inf] * len(lines)
        moves = [0] * len(lines)
        wins = [0] * len(lines)
        for number in range(rounds + 1):             # the first one compiles
            for k, (kind, _, mercy, roll_out_variant) in enumerate(lines):
                scores = np.zeros(n if number else 2, np.int16)
                start = time.process_time()
                num_moves = roll_out_variant(boards, scores, 1 + number * n, ROLLOUT_KINDS[kind], mercy)
                if number:
                    best[k] = min(best[k], time.process_time() - start)
                    moves[k] += num_moves
                    wins[k] += np.count_nonzero(scores > KOMI)
        for (kind, description, *_), seconds, num_moves, won in zip(lines, best, moves, wins, strict=True):
            print(f"{size:2d}x{size:<2d}    {kind:8s} {description:20s} {n / seconds:10,.0f} {best[0] / seconds:7.2f}"
                  f" {num_moves / n / rounds:7.1f} {won / n / rounds:12.1%}")


def positions() -> Iterator[tuple[str, GoPosition]]:
    """(name, position) of each line of the second table."""
    for size in (2, 5, 9, 13, 19):
        yield f"{size}x{size} empty", GoPosition(size, KOMI if size > 2 else 0.5)
    record, = read_records(GAME.read_bytes())
    for plies in (10, 20, 30, 40):
        yield f"9x9 after {plies} moves", position_of(record, plies)


def show_mercy() -> None:
    print("\nposition            kind      mercy   Black wins  with mercy   winner differs   moves saved   limit")
    for name, position in positions():
        n = 20_000 if position.size < 13 else 4_000
        boards = new_boards(2)
        boards[0] = position.board[0]
        for kind in ROLLOUT_KINDS:
            mercy = mercy_threshold(position.size, position.komi)
            scores = np.zeros((2, n), np.int16)
            moves = [roll_out_from(boards, scores[i], 1, ROLLOUT_KINDS[kind], i * mercy) for i in (0, 1)]
            won = scores > position.komi
            print(f"{name:19s} {kind:8s} {mercy:6d} {won[0].mean():12.2%} {won[1].mean():11.2%}"
                  f" {np.mean(won[0] != won[1]):16.3%} {1 - moves[1] / moves[0]:13.1%}"
                  f" {fraction_at_limit(boards, ROLLOUT_KINDS[kind]):5.2%}")


def fraction_at_limit(boards: np.ndarray, kind: int, n: int = 2000) -> float:
    """The fraction of rollouts from boards[0] that end at the move limit."""
    at_limit = 0
    for i in range(n):
        boards[1] = boards[0]
        boards[1]["random"] = 7919 * (i + 1)
        roll_out(boards[1], kind, 0, np.zeros(POINTS, np.int8))
        at_limit += boards[1]["passes"] < 2 and boards[1]["moves"] - boards[0]["moves"] == max_moves(
            boards[0]["rows"] * boards[0]["cols"])
    return at_limit / n


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5,
                        help="rounds of each line of the tables of speeds (default: %(default)s)")
    parser.add_argument("--only", choices=("speed", "mercy"), help="one table (default: both)")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("--rounds is at least 1")
    if args.only in (None, "speed"):
        show_speed(args.rounds)
    if args.only in (None, "mercy"):
        show_mercy()


if __name__ == "__main__":
    main()
