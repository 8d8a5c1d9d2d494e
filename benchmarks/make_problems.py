"""Make benchmarks/problems.txt: positions whose right moves are proven by looking at everything that can happen.

    python benchmarks/make_problems.py -o problems.txt          # an hour; gnugo is asked too where it is installed

A problem is a small open region on a board where the rest is settled: chains with two eyes each, whose eyes nobody can
enter with profit, so there are no ko threats and nothing else to play for.  Regions are drawn at random, by families:

    life and death    a chain around an eye space in a corner, at an edge or in the centre; kill it or make it live
    capturing race    chains of both colours that are cut off, beside each other
    tactics           any stones between two settled areas: save or capture a chain that is cut off
    endgame           empty points between safe stones, in up to three places: who gets most

`problem_solver` gives each move its exact value, and komi is set so that the game is won after a right move and lost
after every other.  What the moves look like decides the category: throw-in (the right move puts itself in atari),
placement (it touches no stone of the chain that dies), connection (to safe stones), seki (neither chain dies), ko (who
may retake at once matters).  Then `uct` searches, and GNU Go where uct is wrong: a problem is kept if one of them plays
a right move.  The file is made of several such runs, without problems that look alike around their answers.
"""
import argparse
import math
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from problem_families import FAMILIES, Draft
from problem_solver import SAFE, TARGET, solve
from problems import Cell, Problem, answer, format_problem

from mugo.games.coords import format_gtp, interpret_gtp, point_at, row_col
from mugo.players.options import make_player
from mugo.players.searcher import UCT, PlayOptions

MAX_STATES = 80_000
GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")      # None: not installed


# -- from a draft to problems

def transformed(rng: random.Random, draft: Draft) -> Draft:
    """In a random symmetry, with the colours swapped or not."""
    turn, flip, swap = rng.randrange(4), rng.random() < 0.5, rng.choice((1, -1))

    def move(cell: Cell) -> Cell:
        row, col = cell
        for _ in range(turn):
            row, col = col, draft.size - 1 - row
        return (row, draft.size - 1 - col) if flip else (row, col)
    return Draft(draft.size, {move(cell): c * swap for cell, c in draft.stones.items()}, {move(c) for c in draft.local})


def classify(draft: Draft, with_target: bool) -> tuple[list[Cell], dict[int, set[Cell]]] | None:
    """(region, targets by colour) of a draft, or None if it is no problem.

    A chain that is cut off from the settled stones is a target if it is the largest of its colour and has three stones
    or more; smaller ones may be captured in the course of the game.
    """
    loose: list[set[Cell]] = []
    for part in (chain for c in (1, -1) for chain in
                 draft.components({at for at, colour in draft.stones.items() if colour == c})):
        if not draft.liberties(part):
            return None
        if part <= draft.local:
            loose.append(part)
    targets: dict[int, set[Cell]] = {}
    if with_target:
        for chain in sorted(loose, key=len, reverse=True):
            colour = draft.stones[min(chain)]
            if len(chain) >= 3 and colour not in targets:
                targets[colour] = chain
    stones = [cell for chain in loose if chain not in targets.values() for cell in chain]
    region = sorted([*stones, *(cell for cell in draft.local if cell not in draft.stones)])
    return (region, targets) if 4 <= len(region) <= 10 else None


def prove(draft: Draft, region: list[Cell], targets: dict[int, set[Cell]], to_play: int, ko_master: int = 0):
    """The values of all moves, {cell: (low, high)} with None for a pass; None if there are too many states."""
    width = draft.size + 1
    colour = np.full((draft.size + 2) * width + 1, 2, np.int8)
    fixed = np.zeros(len(colour), np.int8)

    def at(cell: Cell) -> int:
        return (cell[0] + 1) * width + cell[1] + 1
    for cell in draft.cells():
        colour[at(cell)] = draft.stones.get(cell, 0)
        if cell in draft.stones and cell not in draft.local:
            fixed[at(cell)] = SAFE
    for chain in targets.values():
        for cell in chain:
            fixed[at(cell)] = TARGET
    for cell in draft.stones:                            # local stones connected with settled ones
        if cell in draft.local and cell not in region and fixed[at(cell)] == 0:
            fixed[at(cell)] = SAFE
    points = np.array([at(cell) for cell in region])
    states, low, high = solve(colour, fixed, points, width, to_play, bool(targets), ko_master, MAX_STATES)
    if states < 0:
        return None
    return {cell: (int(a), int(b)) for cell, a, b in zip([*region, None], low, high, strict=True) if a < 100}


def settled_score(draft: Draft, region: list[Cell], targets: dict[int, set[Cell]]) -> int:
    """Black's settled points minus White's: all but the region and the targets."""
    open_cells = set(region).union(*targets.values())
    score = 0
    for part in draft.components({cell for cell in draft.cells() if cell not in open_cells and
                                  cell not in draft.stones}):
        score += len(part) * next(draft.stones[near] for cell in part for near in draft.near(cell)
                                  if near in draft.stones)
    return score + sum(c for cell, c in draft.stones.items() if cell not in open_cells)


def problems_of(draft: Draft, family: str) -> Iterator[tuple[Problem, tuple]]:
    """The problems of a draft, for either side to move, each with its local form."""
    found = classify(draft, family != "endgame")
    if not found:
        return
    region, targets = found
    if (family == "endgame") != (not targets) or (family == "capturing race" and len(targets) != 2):
        return
    for to_play in (1, -1):
        values = prove(draft, region, targets, to_play)
        if values is None or any(low != high for low, high in values.values()):
            continue
        worth = {cell: to_play * low for cell, (low, _) in values.items()}
        best = max(worth.values())
        right = [cell for cell in worth if cell is not None and worth[cell] == best]
        wrong = [cell for cell in worth if cell is not None and worth[cell] < best]
        if worth[None] == best or len(right) > 3 or len(wrong) < 3:
            continue
        if targets and best == 1 and any(captures_at_once(draft, cell, targets.get(-to_play)) for cell in right):
            continue
        komi = komi_of(draft, region, targets, to_play, best)
        category = category_of(draft, region, targets, to_play, best, right, family, worth)
        problem = Problem("", category, draft.size, to_play, komi, dict(draft.stones), tuple(right), ())
        yield problem, local_form(draft, set(region).union(*targets.values()), to_play)


def local_form(draft: Draft, open_cells: set[Cell], to_play: int) -> tuple:
    """The open cells and those around them, the same for two problems that differ by place, symmetry and colours."""
    cells = open_cells | {near for cell in open_cells for near in draft.near(cell)}
    forms = []
    for flip in (1, -1):
        for turn in range(4):
            placed = []
            for row, col in cells:
                y, x = row, col * flip
                for _ in range(turn):
                    y, x = x, -y
                placed.append((y, x, draft.stones.get((row, col), 0) * to_play, (row, col) in open_cells))
            top, left = min(cell[0] for cell in placed), min(cell[1] for cell in placed)
            forms.append(tuple(sorted((y - top, x - left, stone, is_open) for y, x, stone, is_open in placed)))
    return min(forms)


def captures_at_once(draft: Draft, cell: Cell, target: set[Cell] | None) -> bool:
    return target is not None and draft.liberties(target) == {cell}


def komi_of(draft, region, targets, to_play, best) -> float:
    """The komi with which `best`, and nothing less, wins for the side to move."""
    settled, open_points = settled_score(draft, region, targets), len(region)
    if not targets:
        return settled + to_play * (best - 0.5)
    mine, theirs = len(targets.get(to_play, ())), len(targets.get(-to_play, ()))
    # Capturing: I get all of it, else at most my chain and the region.  Not being captured: the same for the opponent.
    margin = mine + open_points if best == 1 else -(theirs + open_points)
    return settled + to_play * (margin + 0.5)


def category_of(draft, region, targets, to_play, best, right, family, worth) -> str:
    if not targets:
        return "endgame"
    for master in (1, -1):
        other = prove(draft, region, targets, to_play, master)
        if other is None or {cell for cell, (low, high) in other.items() if to_play * low == best} != set(right):
            return "ko"
    if any(puts_itself_in_atari(draft, cell, to_play) for cell in right):
        return "throw-in"
    target = targets.get(-to_play if best == 1 else to_play, set())
    if len(targets) == 2:
        return "seki" if best == 0 else "capturing race"
    if best == 1:
        if all(cell not in {near for at in target for near in draft.near(at)} for cell in right):
            return "placement" if family == "life and death" else "capture"
        return "kill" if family == "life and death" else "capture"
    if family == "tactics" and any(near in draft.stones and near not in draft.local and
                                   draft.stones[near] == to_play for cell in region for near in draft.near(cell)):
        return "connection"
    return "live"


def puts_itself_in_atari(draft: Draft, cell: Cell, colour: int) -> bool:
    """Whether a move leaves its own chain one liberty, and captures nothing."""
    after = Draft(draft.size, {**draft.stones, cell: colour}, draft.local)
    for near in draft.near(cell):
        if after.stones.get(near) == -colour and not after.liberties(after.chain(near)):
            return False
    return len(after.liberties(after.chain(cell))) == 1


# -- independent answers

def uct_answer(simulations: int) -> Callable[[Problem], Cell | None]:
    player = make_player("uct", settings=replace(UCT, seed=1),
                         play_options=PlayOptions(simulations=simulations, resign=0))
    return lambda problem: answer(player, problem)


class GnuGo:
    """GNU Go over GTP: its move for a problem."""

    def __init__(self, level: int):
        self.process = subprocess.Popen([GNUGO, "--mode", "gtp", "--level", str(level), "--chinese-rules"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        while self.process.stdout.readline().strip():
            pass
        return reply.strip()

    def __call__(self, problem: Problem) -> Cell | None:
        self.ask(f"boardsize {problem.size}")
        self.ask("clear_board")
        self.ask(f"komi {problem.komi}")
        names, size = {1: "black", -1: "white"}, problem.size
        for cell, colour in problem.stones.items():
            self.ask(f"play {names[colour]} {format_gtp(point_at(*cell, size), size)}")
        reply = self.ask(f"genmove {names[problem.to_play]}").lstrip("= ")
        return None if reply.upper() in ("PASS", "RESIGN") else row_col(interpret_gtp(reply, size), size)


# -- the file

# category: (problems on 9x9, 13x13, 19x19)
WANTED = {
    "kill": (19, 11, 13), "placement": (7, 5, 5), "live": (17, 10, 13), "capturing race": (19, 10, 13),
    "seki": (12, 6, 8), "ko": (13, 8, 10), "endgame": (19, 12, 13), "connection": (6, 2, 3), "capture": (5, 2, 2),
    "throw-in": (5, 2, 2),
}
# family: what it makes
CATEGORIES = {"life and death": ("kill", "placement", "live", "throw-in", "ko"), "endgame": ("endgame",),
              "capturing race": ("capturing race", "seki", "throw-in", "ko"),
              "tactics": ("capture", "connection", "throw-in", "ko", "seki", "capturing race")}


def make(rng: random.Random, size: int, wanted: dict[str, int], judges: dict[str, Callable], seen: set,
         log: Counter) -> Iterator[Problem]:
    """Problems until there are as many of each category as wanted."""
    while sum(wanted.values()):
        family = rng.choice([name for name in FAMILIES if any(wanted[category] for category in CATEGORIES[name])])
        log["drafts"] += 1
        draft = FAMILIES[family](rng, size)
        if draft is None:
            continue
        log["settled"] += 1
        for problem, form in problems_of(transformed(rng, draft), family):
            log["proven"] += 1
            log["proven " + problem.category] += 1
            if not wanted.get(problem.category) or form in seen:
                continue
            seen.add(form)
            log["asked"] += 1
            agrees = next((name for name, judge in judges.items() if problem.is_right(judge(problem))), None)
            log[f"confirmed by {agrees}"] += 1
            if agrees is None:
                log["doubtful"] += 1
                log["doubtful " + problem.category] += 1
                continue
            wanted[problem.category] -= 1
            yield problem
            break                                        # one of a draft


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulations", type=int, default=5_000, help="of uct, which confirms the answers")
    parser.add_argument("--size", type=int, nargs="+", default=[9, 13, 19])
    parser.add_argument("--scale", type=float, default=1, help="of the number of problems")
    args = parser.parse_args()
    judges: dict[str, Callable] = {"uct": uct_answer(args.simulations)}
    if GNUGO:
        judges["gnugo"] = GnuGo(10)
    seen: set = set()
    number: Counter = Counter()
    log: Counter = Counter()
    with args.output.open("w") as file:
        for size in args.size:
            wanted = {category: math.ceil(args.scale * counts[(9, 13, 19).index(size)])
                      for category, counts in WANTED.items()}
            for problem in make(random.Random(args.seed * 100 + size), size, wanted, judges, seen, log):
                number[problem.category] += 1
                problem.name = f"{problem.category.replace(' ', '-')}-{number[problem.category]}"
                file.write(format_problem(problem) + "\n")
                file.flush()
    for name, n in sorted(log.items()):
        print(f"{name:24s} {n}")


if __name__ == "__main__":
    main()
