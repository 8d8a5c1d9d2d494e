"""Make the ladders and the blunders of benchmarks/problems.txt, on open boards.

    python benchmarks/make_game_problems.py --ladders 24 --blunders 24 -o more.txt

ladder     A stone with two liberties on an open board, with others on the way.  Every line of atari and answer is read.
           To avoid: the atari in the direction in which it escapes; or, of the stone that is in atari already, the
           extension that is captured all the same.
blunder    A game of GNU Go's (data/gnugo-*), in whose first half three stones or more were put in atari.  Here the
           answer is a stone on an empty first line far away instead; right is the capture.

A blunder is kept if uct and GNU Go (where it is installed) both capture, a ladder if neither plays what is to avoid.
"""
import argparse
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from make_problems import GNUGO, GnuGo, uct_answer
from problems import Problem, canonical, format_problem

from mugo.games.coords import point_at, row_col
from mugo.games.go import Position
from mugo.sgf.parser import read_records
from mugo.sgf.record_positions import position_of
from mugo.sgf.sources import find_sources, read_files

DATA = Path(__file__).parents[1] / "data"
MAX_PLIES = 120                          # of a ladder


def chain_of(position: Position, point: int) -> tuple[set[int], set[int]]:
    """(stones, liberties) of the chain on a point, by flood fill."""
    colour, width = position.board[0]["colour"], position.size + 1
    stones, liberties, todo = {point}, set(), [point]
    while todo:
        at = todo.pop()
        for near in (at - width, at - 1, at + 1, at + width):
            if colour[near] == 0:
                liberties.add(near)
            elif colour[near] == colour[point] and near not in stones:
                stones.add(near)
                todo.append(near)
    return stones, liberties


def is_captured(position: Position, point: int, plies: int = 0) -> bool:
    """Whether the chain on a point, whose side is to move and which is in atari, is captured by ataris alone.

    It may extend, or capture a chain beside it that is in atari.
    """
    stones, liberties = chain_of(position, point)
    if len(liberties) > 1:
        return False
    if plies > MAX_PLIES:
        return False
    width, colour = position.size + 1, position.board[0]["colour"]
    answers = set(liberties)
    for stone in stones:
        for near in (stone - width, stone - 1, stone + 1, stone + width):
            if colour[near] == -colour[point] and len(chain_of(position, near)[1]) == 1:
                answers |= chain_of(position, near)[1]
    for answer in answers:
        if position.why_illegal(answer) is None and not is_chased(position.play(answer), point, plies + 1):
            return False
    return True


def is_chased(position: Position, point: int, plies: int) -> bool:
    """Whether the other side, to move, captures the chain on a point by ataris."""
    liberties = chain_of(position, point)[1]
    if len(liberties) == 1:
        return True
    if len(liberties) > 2:
        return False
    return any(position.why_illegal(move) is None and is_captured(position.play(move), point, plies + 1)
               for move in liberties)


def ladders(rng: random.Random) -> Iterator[Problem]:
    """Problems without end."""
    while True:
        size = rng.choice((13, 19))
        row, col = rng.randrange(2, size // 2), rng.randrange(2, size // 2)
        black = {(row - 1, col), (row, col - 1), (row - 1, col + 1), (row + 1, col - 1)}
        white = {(row, col)}
        for _ in range(rng.randint(1, 3)):               # on the way, of either colour
            k, aside = rng.randrange(3, size - max(row, col)), rng.randint(-2, 3)
            cell = row + k, col + k + aside
            if 0 <= cell[0] < size and 0 <= cell[1] < size:
                (white if rng.random() < 0.7 else black).add(cell)
        if black & white:
            continue
        to_play = rng.choice((1, -1))
        for _ in range(rng.randint(4, 8)):               # elsewhere
            cell = rng.randrange(2, size - 2), rng.randrange(2, size - 2)
            if abs(cell[0] - cell[1] - row + col) > 5:
                (white if len(white) < len(black) else black).add(cell)
        points = [[point_at(*cell, size) for cell in sorted(cells)] for cells in (black - white, white - black)]
        position, target = Position(size).with_stones(*points, to_play), point_at(row, col, size)
        first = sorted(chain_of(position, target)[1])
        if len(first) != 2:
            continue
        works = {move: is_captured(Position(size).with_stones(*points, 1).play(move), target) for move in first}
        if to_play == 1:
            avoid = [move for move in first if not works[move]]
            if len(avoid) != 1:
                continue
        else:
            atari = rng.choice(first)
            if not works[atari]:
                continue
            position = Position(size).with_stones(*points, 1).play(atari)
            avoid = sorted(chain_of(position, target)[1])
        yield problem_of(position, "ladder", avoid=avoid)


def problem_of(position: Position, category: str, right=(), avoid=()) -> Problem:
    stones = {(int(row), int(col)): int(position.stones[row, col]) for row, col in np.argwhere(position.stones)}
    return Problem("", category, position.size, position.to_play, position.komi, stones,
                   tuple(row_col(int(p), position.size) for p in right),
                   tuple(row_col(int(p), position.size) for p in avoid))


def blunders(rng: random.Random) -> Iterator[Problem]:
    """Problems from the sample games, one a game at most."""
    records = [record for name in ("gnugo-19x19.tar.gz", "gnugo-9x9.zip") for source in find_sources([DATA / name])
               for data in read_files(source) for record in read_records(data.data)]
    rng.shuffle(records)
    for record in records:
        for ply in range(8, record.size ** 2 // 2):
            position = position_of(record, ply)
            problem = blunder_after(position) if position.last else None
            if problem:
                yield problem
                break


def blunder_after(position: Position) -> Problem | None:
    """The problem where the last move put three stones or more of the side to move in atari, else None."""
    width, colour = position.size + 1, position.board[0]["colour"]
    for near in (position.last - width, position.last - 1, position.last + 1, position.last + width):
        if colour[near] != position.to_play:
            continue
        stones, liberties = chain_of(position, near)
        if len(stones) < 3 or len(liberties) != 1:
            continue
        quiet = [point for point in position.sensible_points().tolist() if is_quiet(position, point, stones)]
        if not quiet:
            continue
        after = position.play(max(quiet, key=lambda point: distance(position, point, near)))
        capture, = liberties
        if after.why_illegal(capture) is None:
            return problem_of(after, "blunder", right=[capture])
    return None


def distance(position: Position, a: int, b: int) -> int:
    width = position.size + 1
    return abs(a // width - b // width) + abs(a % width - b % width)


def is_quiet(position: Position, point: int, stones: set[int]) -> bool:
    """Whether a point is on the first line, with no stone within two of it."""
    row, col = row_col(point, position.size)
    around = position.stones[max(row - 2, 0):row + 3, max(col - 2, 0):col + 3]
    return (row in (0, position.size - 1) or col in (0, position.size - 1)) and not around.any()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--ladders", type=int, default=24)
    parser.add_argument("--blunders", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulations", type=int, default=2000, help="of uct, which confirms the answers")
    args = parser.parse_args()
    judges: list[Callable] = [uct_answer(args.simulations)] + ([GnuGo(10)] if GNUGO else [])
    rng = random.Random(args.seed)
    seen = set()
    with args.output.open("w") as file:
        for name, source, wanted in (("ladder", ladders(rng), args.ladders), ("blunder", blunders(rng), args.blunders)):
            number = 0
            for problem in source:
                if number == wanted:
                    break
                if canonical(problem) in seen or not all(problem.is_right(judge(problem)) for judge in judges):
                    continue
                seen.add(canonical(problem))
                number += 1
                problem.name = f"{name}-{number}"
                file.write(format_problem(problem) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
