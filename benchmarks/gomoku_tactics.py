"""Gomoku: do players find a win in one move, the one block of such a win, and a win in three moves by fours?

    python benchmarks/gomoku_tactics.py                                    # every player that searches
    python benchmarks/gomoku_tactics.py --player uct mcts --simulations 100 1000 --positions 1000 --fours 200
    python benchmarks/gomoku_tactics.py --size 15 --failed                 # draws the positions answered wrong

The positions are random stones near each other, five in a row to win.  In those with a win in one any winning point is
right; in those with a must-block nobody can win at once but the opponent, and on one point only.  A win in three by
fours is a four, its only answer, another four, and a five whatever the opponent does; there is no shorter win, and the
opponent has none in one.  Right are the first moves of all such sequences, up to the fifth move.  The oracle counts the
stones in every line of five and knows nothing of mugo.
"""
import argparse
import random
import time
from collections.abc import Iterator

import numpy as np

from mugo.games.coords import point_at, row_col
from mugo.games.gomoku import GomokuPosition
from mugo.core.intervals import wilson_interval
from mugo.players import options, registry

FIVE = 5
MAX_MOVES = 5                            # own moves of the sequences that are looked for
Kind = tuple[str, list[tuple[GomokuPosition, set[int]]]]


def lines(size: int) -> np.ndarray:
    """int64 (n, 5): the cells, row * size + col, of every line of five."""
    found = []
    for row in range(size):
        for col in range(size):
            for y, x in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if 0 <= row + 4 * y < size and 0 <= col + 4 * x < size:
                    found.append([(row + i * y) * size + col + i * x for i in range(FIVE)])
    return np.array(found)


class Oracle:
    """What wins at once, and by fours, on a board of this size.  Boards: int8 (size²,), 1 mine, -1 theirs."""

    def __init__(self, size: int):
        self.size = size
        self.lines = lines(size)

    def _cells(self, board: np.ndarray, side: int, stones: int) -> list[list[int]]:
        """The empty cells of each line that has this many stones of a side and none of the other."""
        values = board[self.lines]
        chosen = ((values == side).sum(1) == stones) & ((values == -side).sum(1) == 0)
        return [[int(cell) for cell in line if board[cell] == 0] for line in self.lines[chosen]]

    def wins(self, board: np.ndarray, side: int) -> set[int]:
        """The cells where a side completes five in a row."""
        return {cell for cells in self._cells(board, side, FIVE - 1) for cell in cells}

    def fours(self, board: np.ndarray) -> set[int]:
        """The cells where I make a four."""
        return {cell for cells in self._cells(board, 1, FIVE - 2) for cell in cells}

    def winning_moves(self, board: np.ndarray, moves: int) -> set[int]:
        """The cells with which I win by fours alone, in at most this many moves of mine."""
        wins = self.wins(board, 1)
        if wins or moves == 1:
            return wins
        blocks = self.wins(board, -1)
        found = set()
        for cell in self.fours(board):
            if blocks - {cell}:
                continue
            board[cell] = 1
            answers = self.wins(board, 1)
            if len(answers) > 1 and not self.wins(board, -1):
                found.add(cell)
            elif len(answers) == 1:
                answer, = answers
                board[answer] = -1
                if self.winning_moves(board, moves - 1):
                    found.add(cell)
                board[answer] = 0
            board[cell] = 0
        return found


def random_board(rng: random.Random, size: int) -> np.ndarray:
    """Stones near each other, as many mine as theirs or one fewer; 1 mine."""
    board = np.zeros((size, size), np.int8)
    board[rng.randrange(size), rng.randrange(size)] = -1
    for number in range(rng.randint(7, size * size // 4)):
        while True:
            row, col = (int(x) for x in rng.choice(np.argwhere(board)))
            row, col = row + rng.randint(-2, 2), col + rng.randint(-2, 2)
            if 0 <= row < size and 0 <= col < size and board[row, col] == 0:
                break
        board[row, col] = 1 if number % 2 == 0 else -1
    return board.ravel()


def position_of(board: np.ndarray, size: int, to_play: int) -> GomokuPosition:
    stones = {side: [point_at(cell // size, cell % size, size) for cell in np.flatnonzero(board == side).tolist()]
              for side in (1, -1)}
    black, white = stones[to_play], stones[-to_play]
    return GomokuPosition(size, FIVE).with_stones(black, white, to_play)


def positions(size: int, seed: int) -> Iterator[tuple[str, GomokuPosition, set[int]]]:
    """(kind, position, right points) without end; a kind is "win", "block" or "fours"."""
    rng, oracle = random.Random(seed), Oracle(size)
    while True:
        board = random_board(rng, size)
        values = board[oracle.lines].sum(1)
        if (abs(values) == FIVE).any():
            continue
        mine, theirs = oracle.wins(board, 1), oracle.wins(board, -1)
        kind, right = ("win", mine) if mine else ("block", theirs)
        if not mine and len(theirs) > 1:
            continue
        if not right:
            if oracle.winning_moves(board, 2) or not oracle.winning_moves(board, 3):
                continue
            kind, right = "fours", oracle.winning_moves(board, MAX_MOVES)
        to_play = rng.choice((1, -1))
        yield kind, position_of(board, size, to_play), {point_at(cell // size, cell % size, size) for cell in right}


def collect(size: int, seed: int, wanted: dict[str, int]) -> dict[str, list[tuple[GomokuPosition, set[int]]]]:
    """As many positions of each kind as wanted."""
    found: dict[str, list[tuple[GomokuPosition, set[int]]]] = {kind: [] for kind in wanted}
    for kind, position, right in positions(size, seed):
        if len(found[kind]) < wanted[kind]:
            found[kind].append((position, right))
        if all(len(found[kind]) == n for kind, n in wanted.items()):
            return found
    raise AssertionError("positions never end")


def keeps_the_win(position: GomokuPosition, move: int, oracle: Oracle) -> bool:
    """Whether I win by fours after any answer to a move that is no four."""
    after = position.play(move)
    if after.is_over:
        return True
    board = (after.stones.ravel() * -after.to_play).astype(np.int8)
    if oracle.wins(board, -1):
        return False
    for cell in np.flatnonzero(board == 0).tolist():
        board[cell] = -1
        blocked = not oracle.winning_moves(board, MAX_MOVES)
        board[cell] = 0
        if blocked:
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", nargs="+", default=list(registry.SEARCHERS), choices=registry.PLAYERS)
    parser.add_argument("--simulations", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--size", type=int, nargs="+", default=[8, 15])
    parser.add_argument("--positions", type=int, default=1000, help="wins and blocks together (default: %(default)s)")
    parser.add_argument("--fours", type=int, default=200, help="wins in three by fours (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--failed", action="store_true", help="draw the positions that were answered wrong")
    parser.add_argument("options", nargs="*", help="after --: options of the player")
    args = parser.parse_args()
    if not all(5 <= size <= 19 for size in args.size) or min(args.positions, args.fours) < 1:
        parser.error("--size is 5 to 19, --positions and --fours are at least 1")
    player_parser = argparse.ArgumentParser()
    options.add_arguments(player_parser, None)
    print("board  player               kind     right            interval   seconds")
    for size in args.size:
        oracle = Oracle(size)
        found = collect(size, args.seed, {"win": (args.positions + 1) // 2, "block": args.positions // 2,
                                          "fours": args.fours})
        for name in args.player:
            for simulations in args.simulations if name in registry.SEARCHERS else [None]:
                words = [name, "--seed", "1", "--resign", "0", *args.options]
                words += ["--simulations", str(simulations)] if simulations else []
                player = options.player_from_arguments(player_parser.parse_args(words), "gomoku")
                for kind, cases in found.items():
                    wrong = []
                    start = time.process_time()
                    for position, right in cases:
                        move = player.select_move(position)
                        if move not in right and not (kind == "fours" and move > 0
                                                      and keeps_the_win(position, move, oracle)):
                            wrong.append((position, move))
                    interval = wilson_interval(len(cases) - len(wrong), len(cases))
                    print(f"{size:2d}x{size:<2d}  {f'{name} {simulations or str()}':20s} {kind:6s}"
                          f" {len(cases) - len(wrong):5d}/{len(cases):<5d} {100 * interval.low:9.1f} to"
                          f" {100 * interval.high:5.1f} % {time.process_time() - start:7.0f}", flush=True)
                    for position, move in wrong if args.failed else ():
                        print(f"{position}\nplayed {row_col(move, size)}", flush=True)


if __name__ == "__main__":
    main()
