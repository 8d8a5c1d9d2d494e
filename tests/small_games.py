"""A small data set of random games with known contents, shared by the tests of a session.

    archive            games     contents
    kgs-2003/          30        9x9, every other one with handicap stones
    fox/               10        9x9; besides, a copy of a game, a short game, and a file that is not SGF
    small/              4        5x5
"""
import functools
from dataclasses import dataclass

import numpy as np

from mugo.data.dataset import DataSet, load_dataset
from mugo.data.preprocess import preprocess
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import board_points, format_sgf
from mugo.games.go import GoPosition

RANKS = ("12k", "3k", "1k", "2d", "5d", "7d", "9d", "4p", "9p", "")
RESULTS = ("B+R", "W+R", "B+3.5", "W+0.5", "W+T", "B+F", "0", "", "B+")
KOMI = ("6.5", "0.5", "7.5", "")
NAMES = ("Shusaku", "古力", "이세돌", "")


@dataclass(frozen=True)
class Game:
    """One random game: the properties of its SGF, and the position before each move."""

    size: int
    handicap: int
    ranks: tuple[str, str]               # of Black and White, as written
    names: tuple[str, str]
    result: str
    komi: str
    year: int
    positions: list[GoPosition]
    moves: list[int]                     # points

    @property
    def sgf(self) -> str:
        start = self.positions[0]
        stones = "".join(f"[{format_sgf(int(p), self.size)}]"
                         for p in board_points(self.size)[start.stones.ravel() == BLACK])
        root = f"(;GM[1]FF[4]SZ[{self.size}]DT[{self.year}-05-01]"
        for name, value in (("PB", self.names[0]), ("PW", self.names[1]), ("BR", self.ranks[0]),
                            ("WR", self.ranks[1]), ("RE", self.result), ("KM", self.komi)):
            root += f"{name}[{value}]" if value else ""
        root += f"HA[{self.handicap}]AB{stones}" if self.handicap else ""
        moves = "".join(f";{'B' if position.to_play == BLACK else 'W'}[{format_sgf(point, self.size)}]"
                        for position, point in zip(self.positions, self.moves, strict=True))
        return root + moves + ")"


def random_game(size: int, handicap: int, length: int, rng: np.random.Generator) -> Game:
    """A game of random sensible moves, after handicap stones on random points."""
    position = GoPosition(size)
    if handicap:
        stones = rng.choice(board_points(size), handicap, replace=False)
        position = position.with_stones([int(p) for p in stones], [], to_play=WHITE)
    positions, moves = [], []
    while len(moves) < length and len(points := position.sensible_points()):
        positions.append(position)
        moves.append(int(rng.choice(points)))
        position = position.play(moves[-1])
    *pairs, result, komi = (str(rng.choice(choices)) for choices in (RANKS, RANKS, NAMES, NAMES, RESULTS, KOMI))
    return Game(size, handicap, (pairs[0], pairs[1]), (pairs[2], pairs[3]), result, komi,
                int(rng.integers(2001, 2006)), positions, moves)


@functools.cache
def games() -> tuple[Game, ...]:
    """The games: 40 on 9x9, then 4 on 5x5."""
    rng = np.random.default_rng(2016)
    big = [random_game(9, 0 if i % 2 else 2 + i % 5, 25 + i, rng) for i in range(40)]
    return (*big, *(random_game(5, 0, 20, rng) for _ in range(4)))


def small_data(factory) -> DataSet:
    """The data set, made by the first test that needs it.  factory: pytest's tmp_path_factory."""
    folder = factory.getbasetemp() / "small-games"
    if folder.exists():
        return load_dataset(folder / "data")
    folder.mkdir()
    texts = [game.sgf for game in games()]
    for name, of_source in (("kgs-2003", texts[:30]), ("small", texts[40:]),
                            ("fox", [*texts[30:40], texts[30], "(;GM[1]SZ[9];B[aa])", "no SGF"])):
        (folder / name).mkdir()
        for i, text in enumerate(of_source):
            (folder / name / f"{i:02d}.sgf").write_text(text, encoding="utf-8")
    return preprocess([str(folder / name) for name in ("kgs-2003", "fox", "small")], folder / "data",
                      min_moves=5, jobs=1, validation=0.1, test=0.4)
