"""Percent of right answers to the problems of problems.txt, by category.

    python benchmarks/problems.py                                          # policy, and mcts at 50 and 200 simulations
    python benchmarks/problems.py --player policy mcts uct --simulations 50 200 800 3200
    python benchmarks/problems.py --player uct --simulations 1000 -- --c 0.2 --threads 2
    python benchmarks/problems.py --player mcts --network policy-19-small --category ko seki --failed
    python benchmarks/problems.py --sample 100 --seed 3 --size 9           # a random part, boards of one size
    python benchmarks/problems.py --bare --frame --region                  # local problems, see below

Options after -- go to the player, as in `mugo gtp`.  An answer is right if it is one of the moves of `right`, or where
only `avoid` is given, none of those.  A pass is wrong.  The intervals are Wilson's, of 95 %.

--failed says for each wrong answer of a search what went wrong, by the best of the right moves (CAUSES), and how often
for each category.  More simulations in another line say whether they would have helped.

The boards are full.  A book of life-and-death problems has the stones around the answer alone: --bare leaves out the
others, and takes --komi.  --frame then fills the board (games.tsumego), --region searches the box around the answer
only (Problem.box).

    life-001 | live | 9x9 | X | komi -3.5 | right A1 C2          name, category, board, side to move, komi, answers
    .XO......                                                    the board, row 9 first: X Black, O White
    XXO...
"""
import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, format_gtp, interpret_gtp, point_at, row_col
from mugo.games.go import GoPosition
from mugo.games.tsumego import with_tsumego_frame
from mugo.core.intervals import wilson_interval
from mugo.players import options, registry
from mugo.players.evaluation import moves_by_prior
from mugo.players.player import Player, SearchControl
from mugo.players.searcher import SearchPlayer
from mugo.mcts.root import AvoidedMoves, avoided_outside

FILE = Path(__file__).with_name("problems.txt")
MARKS = {".": 0, "X": BLACK, "O": WHITE}
SMALL_CHAIN, BOX_MARGIN = 12, 2
FEW_VISITS = 0.02                        # of those of the root
CAUSES = {"pass": "it passed", "prior": f"the right move has less than {FEW_VISITS:.0%} of the visits",
          "value": "it has visits, and a lower mean value than the move played",
          "choice": "it has visits and the higher value, and another move was played"}
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

    def position(self) -> GoPosition:
        """Raises IllegalMove for a chain without liberties."""
        black, white = ([point_at(*cell, self.size) for cell, c in self.stones.items() if c == colour]
                        for colour in (BLACK, WHITE))
        return GoPosition(self.size, self.komi).with_stones(black, white, self.to_play)

    def box(self) -> list[Cell]:
        """The cells of a rectangle around the answers, the empty cells that are connected with them, and the chains
        next to those of at most SMALL_CHAIN stones; BOX_MARGIN wider."""
        cells = self._spread({cell for answer in self.right or self.avoid
                              for cell in {answer} | _next_to({answer}, self.size) if cell not in self.stones})
        for cell in _next_to(cells, self.size):
            chain = self._spread({cell})
            cells |= chain if len(chain) <= SMALL_CHAIN else set()
        (top, bottom), (left, right) = ((min(part), max(part)) for part in zip(*cells, strict=True))
        return [(row, col) for row in range(max(top - BOX_MARGIN, 0), min(bottom + BOX_MARGIN + 1, self.size))
                for col in range(max(left - BOX_MARGIN, 0), min(right + BOX_MARGIN + 1, self.size))]

    def _spread(self, cells: set[Cell]) -> set[Cell]:
        """The chains and connected empty cells of some cells."""
        cells, new = set(cells), set(cells)
        while new:
            new = {cell for old in new for cell in _next_to({old}, self.size)
                   if self.stones.get(cell) == self.stones.get(old)} - cells
            cells |= new
        return cells

    def is_right(self, cell: Cell | None) -> bool:
        """Whether an answer is right; None is a pass."""
        return cell is not None and (cell in self.right if self.right else cell not in self.avoid)


def _next_to(cells: set[Cell], size: int) -> set[Cell]:
    """The cells next to some cells."""
    return {(row + down, col + right) for row, col in cells for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
            if 0 <= row + down < size and 0 <= col + right < size} - cells


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


def answer(player: Player, problem: Problem, args: argparse.Namespace) -> Cell | None:
    """The player's move, None for a pass."""
    box = problem.box()
    if args.bare:
        problem = replace(problem, komi=args.komi, stones={cell: problem.stones[cell] for cell in box
                                                           if cell in problem.stones})
    position = problem.position()
    position = with_tsumego_frame(position) if args.frame else position
    region = [point_at(*cell, problem.size) for cell in box]
    avoided = avoided_outside(region, problem.size) if args.region else AvoidedMoves()
    if args.region == "root":
        avoided.depths = dict.fromkeys(avoided.depths, 1)
    if args.region and not isinstance(player, SearchPlayer):
        moves = moves_by_prior(position, player.network.evaluate([position]).priors[0], position.sensible_points())
        return next((row_col(point, problem.size) for point, _ in moves if point in region), None)
    point = player.select_move(position, control=SearchControl(avoided=avoided))
    return row_col(point, problem.size) if point > 0 else None


def why_wrong(player: Player, problem: Problem, given: Cell | None) -> tuple[str, str]:
    """The cause of a wrong answer, one of CAUSES, and the numbers behind it; "" without a search."""
    result = player.search_result if isinstance(player, SearchPlayer) else None
    if result is None:
        return ("pass" if given is None else ""), ""
    moves = [info for info in result.moves if info.point != PASS]
    right = max((info for info in moves if problem.is_right(row_col(info.point, problem.size))),
                key=lambda info: (info.visits, info.prior))
    played = next((info for info in moves if row_col(info.point, problem.size) == given), result.moves[0])
    numbers = " against ".join(
        f"{format_gtp(info.point, problem.size)} prior {info.prior:.3f}, {info.visits} visits, {info.win_rate:.0%}"
        for info in (right, played))
    if given is None:
        return "pass", numbers
    if right.visits < FEW_VISITS * result.visits:
        return "prior", numbers
    return ("value" if right.win_rate < played.win_rate else "choice"), numbers


def print_failed(failed: list[tuple[Problem, Cell | None, str, str]]) -> None:
    """The wrong answers, and how many of each category have each cause."""
    for problem, given, cause, numbers in failed:
        point = point_at(*given, problem.size) if given else PASS
        print(f"    {problem.name}: {format_gtp(point, problem.size)}  {cause}  {numbers}")
    counts = Counter((problem.category, cause) for problem, _, cause, _ in failed)
    for category in sorted({category for category, _ in counts}):
        causes = (f"{counts[category, cause]} {cause}" for cause in (*CAUSES, "") if counts[category, cause])
        print(f"    {category}: {', '.join(causes)}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=FILE, help="the problems (default: %(default)s)")
    parser.add_argument("--player", nargs="+", default=["policy", "mcts"], choices=registry.PLAYERS)
    parser.add_argument("--simulations", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--network", help="of policy and mcts (default: the bundled one for the board)")
    parser.add_argument("--category", nargs="+", help="these alone")
    parser.add_argument("--size", type=int, nargs="+", help="boards of these sizes alone")
    parser.add_argument("--sample", type=int, metavar="N", help="N problems, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and of the players (default: %(default)s)")
    parser.add_argument("--bare", action="store_true", help="leave the stones out that are not around the answer")
    parser.add_argument("--komi", type=float, default=7.5, help="of bare problems (default: %(default)s)")
    parser.add_argument("--frame", action="store_true", help="put a frame around the stones")
    parser.add_argument("--region", nargs="?", const="all", choices=["all", "root"],
                        help="search the box around the answer only, all moves or the first")
    parser.add_argument("--failed", action="store_true", help="print what was answered wrong, and why")
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
        for simulations in args.simulations if name in registry.SEARCHERS else [None]:
            words = [name, "--seed", str(args.seed), "--resign", "0", *args.options]
            words += ["--simulations", str(simulations)] if simulations else []
            words += ["--network", args.network] if args.network and name in registry.NETWORK_PLAYERS else []
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
            given = answer(player, problem, args)
            right[problem.category].append(problem.is_right(given))
            if not problem.is_right(given):
                failed.append((problem, given, *why_wrong(player, problem, given)))
        seconds = time.process_time() - start_time
        n = sum(map(sum, right.values()))
        interval = wilson_interval(n, len(problems))
        cells = [f"{100 * np.mean(found):{len(category)}.0f}" for category, found in right.items()]
        print(f"{label:14s} {100 * n / len(problems):5.1f} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"
              f" {seconds:17.0f}  " + "  ".join(cells), flush=True)
        if args.failed:
            print_failed(failed)


if __name__ == "__main__":
    main()
