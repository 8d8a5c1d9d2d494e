"""Percent of right answers to the problems of problems.txt, by category.

    python benchmarks/problems.py                                          # policy, and mcts at 50 and 200 simulations
    python benchmarks/problems.py --player policy mcts uct --simulations 50 200 800 3200
    python benchmarks/problems.py --player uct --simulations 1000 -- --c 0.2 --threads 2
    python benchmarks/problems.py --player mcts --network policy-19-small --category ko seki --failed
    python benchmarks/problems.py --sample 100 --seed 3 --size 9           # a random part, boards of one size

Options after -- go to the player, as in `mugo gtp`.  An answer is right if it is one of the moves of `right`, or where
only `avoid` is given, none of those.  A pass is wrong.  The intervals are Wilson's, of 95 %.

    life-001 | live | 9x9 | X | komi -3.5 | right A1 C2          name, category, board, side to move, komi, answers
    .XO......                                                    the board, row 9 first: X Black, O White
    XXO...
"""
import argparse
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, format_gtp, interpret_gtp, point_at, row_col
from mugo.games.go import Position
from mugo.core.intervals import wilson_interval
from mugo.players import options
from mugo.players.player import Player

FILE = Path(__file__).with_name("problems.txt")
MARKS = {".": 0, "X": BLACK, "O": WHITE}
Cell = tuple[int, int]


@dataclass
class Problem:
    """A position and its answers.  stones: {(row, col): colour}; right, avoid: cells."""
    name: str
    category: str
    size: int
    to_play: int
    komi: float
    stones: dict[Cell, int]
    right: tuple[Cell, ...]
    avoid: tuple[Cell, ...]

    def position(self) -> Position:
        """Raises IllegalMove for a chain without liberties."""
        black, white = ([point_at(*cell, self.size) for cell, c in self.stones.items() if c == colour]
                        for colour in (BLACK, WHITE))
        return Position(self.size, self.komi).with_stones(black, white, self.to_play)

    def is_right(self, cell: Cell | None) -> bool:
        """Whether an answer is right; None is a pass."""
        return cell is not None and (cell in self.right if self.right else cell not in self.avoid)


def parse_problems(text: str) -> Iterator[Problem]:
    """The problems of a file's text, which are apart by empty lines.  Raises ValueError."""
    for block in text.strip().split("\n\n"):
        head, *rows = block.strip().splitlines()
        name, category, board, side, komi, *answers = (part.strip() for part in head.split("|"))
        size = int(board.split("x")[0])
        if len(rows) != size or any(len(row) != size or set(row) - set(MARKS) for row in rows):
            raise ValueError(f"{name}: expected {size} rows of {size} of {' '.join(MARKS)}")
        stones = {(row, col): MARKS[mark] for row, line in enumerate(rows) for col, mark in enumerate(line)
                  if mark != "."}
        cells: dict[str, tuple[Cell, ...]] = {"right": (), "avoid": ()}
        for answer in answers:
            word, *vertices = answer.split()
            cells[word] = tuple(row_col(interpret_gtp(vertex, size), size) for vertex in vertices)
        yield Problem(name, category, size, {"X": BLACK, "O": WHITE}[side], float(komi.split()[1]), stones,
                      cells["right"], cells["avoid"])


def read_problems(path: Path = FILE) -> list[Problem]:
    return list(parse_problems(path.read_text()))


def answer(player: Player, problem: Problem) -> Cell | None:
    """The player's move, None for a pass."""
    point = player.select_move(problem.position())
    return row_col(point, problem.size) if point > 0 else None


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=FILE, help="the problems (default: %(default)s)")
    parser.add_argument("--player", nargs="+", default=["policy", "mcts"], choices=options.PLAYERS)
    parser.add_argument("--simulations", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--network", help="of policy and mcts (default: the bundled one for the board)")
    parser.add_argument("--category", nargs="+", help="these alone")
    parser.add_argument("--size", type=int, nargs="+", help="boards of these sizes alone")
    parser.add_argument("--sample", type=int, metavar="N", help="N problems, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of the players (default: %(default)s)")
    parser.add_argument("--failed", action="store_true", help="print the problems that were answered wrong")
    parser.add_argument("options", nargs="*", help="after --: options of the player")
    args = parser.parse_args()
    if args.sample is not None and args.sample < 1:
        parser.error("--sample is at least 1")
    return args


def players(args: argparse.Namespace) -> Iterator[tuple[str, Player]]:
    """(name, player) of each column of the table."""
    parser = argparse.ArgumentParser()
    options.add_arguments(parser, None)
    for name in args.player:
        for simulations in args.simulations if name in options.SEARCHERS else [None]:
            words = [name, "--seed", str(args.seed), "--resign", "0", *args.options]
            words += ["--simulations", str(simulations)] if simulations else []
            words += ["--network", args.network] if args.network and name in options.NETWORK_PLAYERS else []
            label = f"{name} {simulations:,}" if simulations else name
            yield label, options.player_from_arguments(parser.parse_args(words))


def main() -> None:
    args = arguments()
    problems = [problem for problem in read_problems(args.file)
                if (not args.category or problem.category in args.category)
                and (not args.size or problem.size in args.size)]
    if not problems:
        sys.stderr.write(f"problems.py: {args.file} has no problem of these categories and sizes\n")
        sys.exit(2)
    if args.sample:
        problems = random.Random(args.seed).sample(problems, min(args.sample, len(problems)))
    categories = sorted({problem.category for problem in problems})
    print(f"{len(problems)} problems: percent right, with the interval of all")
    print("player           all                    seconds  " + "  ".join(categories))
    for label, player in players(args):
        right: dict[str, list[bool]] = {category: [] for category in categories}
        failed = []
        start_time = time.process_time()
        for problem in problems:
            given = answer(player, problem)
            right[problem.category].append(problem.is_right(given))
            if not problem.is_right(given):
                failed.append((problem, given))
        seconds = time.process_time() - start_time
        n = sum(map(sum, right.values()))
        interval = wilson_interval(n, len(problems))
        cells = [f"{100 * np.mean(found):{len(category)}.0f}" for category, found in right.items()]
        print(f"{label:14s} {100 * n / len(problems):5.1f} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"
              f" {seconds:17.0f}  " + "  ".join(cells), flush=True)
        for problem, given in failed if args.failed else ():
            point = point_at(*given, problem.size) if given else PASS
            print(f"    {problem.name}: {format_gtp(point, problem.size)}")


if __name__ == "__main__":
    main()
