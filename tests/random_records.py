"""Small data for tests: games of random moves, as SGF texts."""
import numpy as np

from mugo.games.board import BLACK, WHITE, WHITE_BIT
from mugo.games.coords import move_index
from mugo.games.go import Position
from mugo.sgf.record import Record
from mugo.sgf.writer import format_record


def random_record(seed: int, size: int = 9, plies: int = 60, **properties) -> Record:
    """A legal game of random moves that fill no own eyes, with a made-up winner."""
    rng = np.random.default_rng(seed)
    position = Position(size)
    while position.plies < plies and len(points := position.sensible_points()):
        position = position.play(int(rng.choice(points)))
    moves = [move_index(point, size) + (WHITE_BIT if colour == WHITE else 0) for colour, point in position.moves]
    properties = {"result": "B+R" if seed % 2 else "W+2.5", "komi": 6.5, "black": f"player {seed % 3}",
                  "white": "somebody", "black_rank": f"{seed % 9 + 1}d", "date": f"{2000 + seed}-01-02"} | properties
    return Record(size=size, setup=np.zeros(0, np.int16), moves=np.array(moves, np.int16), first_player=BLACK,
                  **properties)


def write_games(folder, seeds, size: int = 9, plies: int = 60) -> None:
    """Random games as SGF files, one for each seed."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (folder / f"game-{seed:03d}.sgf").write_text(format_record(random_record(seed, size, plies)), encoding="utf-8")
