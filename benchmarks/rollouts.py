"""Uniformly random games played to their end from the empty board, a second, on one core.

    python benchmarks/rollouts.py

Best of three; seconds are the process's own, so that a busy machine counts for less.
"""
import time

from mugo.board import clear, new_boards
from mugo.rollouts import roll_out_from

ROUNDS = 3


def main():
    boards = new_boards(2)
    for size, n in ((9, 20_000), (13, 10_000), (19, 5_000)):
        clear(boards[0], size)
        rates = []
        for seed in range(1, ROUNDS + 1):
            start = time.process_time()
            _, moves = roll_out_from(boards, n, seed)
            rates.append(n / (time.process_time() - start))
        print(f"{size:2d}x{size:<2d} {max(rates):8,.0f} rollouts/s of {moves / n:.0f} moves")


if __name__ == "__main__":
    main()
