"""Tunes several options of a player together, by games between two settings near the best one known so far (SPSA).

    python benchmarks/spsa.py -o spsa --size 9 --pairs 4000 "mcts --network policy-9 --simulations 64" -- \\
        c,2,0.5,5,0.4,0.02 fpu-reduction-max,0.3,0,1,0.1,0.02 lambda,0.5,0,1,0.1,0.02
    python benchmarks/spsa.py -o spsa --table                # the path so far; plays nothing

Each parameter is OPTION,START,MIN,MAX,C_END,R_END, as Fishtest has them.  With theta the values, and k the pairs of
games so far, an iteration is

    flip      +1 or -1 for every parameter, at random
    match     theta + c_k flip  against  theta - c_k flip: --pairs-each openings, each with both colours
    theta     + r_k c_k flip (games won - games lost)             kept from MIN to MAX

    c_k = c / k^0.101      r_k = a / (A + k)^0.602 / c_k^2        A = a tenth of --pairs

so that c_k ends at C_END, the step of the last games, and r_k at R_END.  Spall 1998, "Implementation of the
Simultaneous Perturbation Algorithm for Stochastic Optimization", with his exponents; OpenBench has the same.  A result
is a guess: play `benchmarks/tune.py` with it against the defaults.

Every match is a `mugo match` in a folder of its own; a row of path.csv is written after it.  The same command continues
what was stopped at any moment, and comes to the same values as without the stop.
"""
import argparse
import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tune

from mugo.core.files import BadInput, atomic_write, lock_folder, read_json, read_text
from mugo.core.options import Option, options_of
from mugo.mcts.settings import Settings

ALPHA, GAMMA = 0.602, 0.101              # exponents of the step and of the distance
MAX_PATH_BYTES = 64 << 20
# What a tuning is: it is continued only with the same.
FIXED = "player", "parameters", "game", "size", "pairs", "pairs_each", "seed", "openings", "opening_moves"
OPTIONS = {each.name: each for each in options_of(Settings).values() if each.kind in (int, float)}


class Parameter(NamedTuple):
    """An option to tune.  c_end: the distance from theta at the end.  r_end: the step at the end, of c_end."""
    name: str
    start: float
    least: float
    most: float
    c_end: float
    r_end: float

    def text(self, value: float) -> str:
        """The option with this value as words of a command line."""
        return f"--{self.name} {round(value) if OPTIONS[self.name].kind is int else format(value, '.5g')}"


# Plays the games after `played` pairs, theta + c_k flip against theta - c_k flip; returns those won less those lost.
Play = Callable[[int, np.ndarray, np.ndarray], int]


def parameter_of(text: str) -> Parameter:
    """The parameter that a text describes.  Raises BadInput."""
    name, *numbers = text.split(",")
    if len(numbers) != 5:
        raise BadInput(f"{text[:80]!r}: expected OPTION,START,MIN,MAX,C_END,R_END")
    if name not in OPTIONS:
        raise BadInput(f"{name[:40]!r} is no option of a search with a number as its value")
    of_float = Option(name, float)
    start, least, most, c_end, r_end = map(of_float.parse, numbers)
    if not least <= start <= most or least == most:
        raise BadInput(f"{name}: START is from MIN to MAX, which differ, not {start:g} from {least:g} to {most:g}")
    if not 0 < c_end <= (most - least) / 2 or r_end <= 0:
        raise BadInput(f"{name}: C_END is above 0 and at most half of MAX - MIN, R_END above 0")
    for value in least, most:
        OPTIONS[name].check(round(value) if OPTIONS[name].kind is int else value)
    return Parameter(name, start, least, most, c_end, r_end)


class Tuning:
    """The path of theta: its values after every iteration.

    pairs, pairs_each: of all iterations, and of one.  theta: float64 (n,).  rows: (pairs so far, games won - lost).
    """

    def __init__(self, parameters: Sequence[Parameter], pairs: int, pairs_each: int, seed: int):
        self.parameters, self.pairs, self.pairs_each, self.seed = parameters, pairs, pairs_each, seed
        start, self._least, self._most, c_end, r_end = np.array([each[1:] for each in parameters], np.float64).T
        self.theta = start
        self._stability = pairs / 10
        self._c = c_end * pairs ** GAMMA
        self._a = r_end * c_end ** 2 * (self._stability + pairs) ** ALPHA
        self.rows: list[tuple[int, int]] = []

    @property
    def played(self) -> int:
        """Pairs of games so far."""
        return self.rows[-1][0] if self.rows else 0

    def _distances(self) -> np.ndarray:
        """float64 (n,): c_k flip of the next iteration, of the seed and the number of pairs alone."""
        flip = np.random.default_rng([self.seed, self.played]).choice([-1.0, 1.0], len(self.parameters))
        return self._c / (self.played + 1) ** GAMMA * flip

    def sides(self) -> tuple[np.ndarray, np.ndarray]:
        """theta + c_k flip and theta - c_k flip of the next iteration."""
        distances = self._distances()
        return self._clipped(self.theta + distances), self._clipped(self.theta - distances)

    def add(self, won: int) -> None:
        """Take the result of an iteration, games won less games lost by the first side, and move theta."""
        k, distances = self.played + 1, self._distances()
        self.theta = self._clipped(self.theta + self._a / (self._stability + k) ** ALPHA / distances * won)
        self.rows.append((self.played + self.pairs_each, won))

    def _clipped(self, values: np.ndarray) -> np.ndarray:
        return np.clip(values, self._least, self._most)


def continue_tuning(tuning: Tuning, folder: Path, play: Play) -> None:
    """Continue a tuning in its folder to its last pair; prints a row of the table after each iteration."""
    path = folder / "path.csv"
    _read_path(tuning, path)
    while tuning.played < tuning.pairs:
        won = play(tuning.played, *tuning.sides())
        tuning.add(won)
        with open(path, "a", encoding="utf-8") as file:
            file.write(",".join(map(str, (*tuning.rows[-1], *tuning.theta.tolist()))) + "\n")
            file.flush()
            os.fsync(file.fileno())
        print(row_of(tuning), flush=True)


def _read_path(tuning: Tuning, path: Path, shown: Callable[[str], object] = lambda row: None) -> None:
    """Replay the results of the complete rows of path.csv; a crash may have cut the last one off.  Raises BadInput."""
    text = read_text(path, MAX_PATH_BYTES) if path.exists() else ""
    complete = text[:text.rfind("\n") + 1]
    for number, row in enumerate(csv.reader(io.StringIO(complete)), 1):
        pairs, most = tuning.played + tuning.pairs_each, 2 * tuning.pairs_each
        if len(row) < 2 or row[0] != str(pairs) or not re.fullmatch("-?[0-9]{1,9}", row[1]) or abs(int(row[1])) > most:
            raise BadInput(f"{path}, line {number}: expected {pairs}, then games won less lost, {-most} to {most}")
        tuning.add(int(row[1]))
        shown(row_of(tuning))
    if text != complete:
        with atomic_write(path) as temporary:
            temporary.write_text(complete, encoding="utf-8")


def head_of(tuning: Tuning) -> str:
    """The first two lines of the table."""
    names = " | ".join(f"`--{each.name}`" for each in tuning.parameters)
    start = " | ".join(f"{each.start:.4g}" for each in tuning.parameters)
    return f"| pairs | won - lost | {names} |\n{'|---' * (2 + len(tuning.parameters))}|\n| 0 | | {start} |"


def row_of(tuning: Tuning) -> str:
    """The row of the table of the newest iteration."""
    played, won = tuning.rows[-1]
    return f"| {played} | {won:+d} | {' | '.join(format(value, '.4g') for value in tuning.theta)} |"


def play_match(args: argparse.Namespace, parameters: Sequence[Parameter], played: int, *sides: np.ndarray) -> int:
    """Play, or continue, the match of an iteration.  As Play."""
    folder = args.output / f"{played:06d}"
    plus, minus = (" ".join(each.text(value) for each, value in zip(parameters, side, strict=True)) for side in sides)
    tune.play_match(args, plus, minus, folder, "--games", 2 * args.pairs_each, "--seed", args.seed + played)
    first, second = json.loads((folder / "match.json").read_text(encoding="utf-8"))["participants"]
    with open(folder / "games.csv", encoding="utf-8", newline="") as file:
        winners = [row["winner"] for row in csv.DictReader(file)]
    return winners.count(first) - winners.count(second)


def check_folder(args: argparse.Namespace) -> None:
    """Write what the tuning is to spsa.json, or raise BadInput if the folder holds another one."""
    path, wanted = args.output / "spsa.json", {name: getattr(args, name) for name in FIXED}
    if not path.exists():
        with atomic_write(path) as temporary:
            temporary.write_text(json.dumps(wanted, indent=1), encoding="utf-8")
    for name, value in noted(path).items():
        if wanted[name] != value:
            raise BadInput(f"{args.output} holds another tuning: {name} {value!r:.300}, not {wanted[name]!r:.300}")


def noted(path: Path) -> dict[str, Any]:
    """What spsa.json says of its tuning.  Raises BadInput, and FileNotFoundError."""
    found = read_json(path)
    if not isinstance(found, dict) or set(found) != set(FIXED):
        raise BadInput(f"{path} describes no tuning: expected {', '.join(FIXED)}")
    return found


def run(args: argparse.Namespace) -> None:
    """Tune as a command line says.  Raises BadInput."""
    if args.table:
        vars(args).update(noted(args.output / "spsa.json"))
    elif args.player is None or not args.parameters:
        raise BadInput("name a player, and after -- at least one parameter")
    parameters = [parameter_of(text) for text in args.parameters]
    if len({each.name for each in parameters}) < len(parameters):
        raise BadInput("a parameter is named twice")
    if args.pairs < 1 or args.pairs_each < 1 or args.pairs % args.pairs_each:
        raise BadInput("--pairs is a multiple of --pairs-each, and both are at least 1")
    tuning = Tuning(parameters, args.pairs, args.pairs_each, args.seed)
    print(head_of(tuning), flush=True)
    if args.table:
        _read_path(tuning, args.output / "path.csv", print)
        return
    with lock_folder(args.output):
        check_folder(args)
        continue_tuning(tuning, args.output, lambda played, *sides: play_match(args, parameters, played, *sides))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", nargs="?", help='with what both sides have, as in "mcts --simulations 100"')
    parser.add_argument("parameters", nargs="*", metavar="OPTION,START,MIN,MAX,C_END,R_END")
    tune.add_match_arguments(parser)
    parser.add_argument("--pairs", type=int, default=4000, help="of games, in all iterations (default: %(default)s)")
    parser.add_argument("--pairs-each", type=int, default=4, help="in one iteration (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    try:
        run(parser.parse_intermixed_args())
    except (BadInput, FileNotFoundError) as error:
        print(f"spsa: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
