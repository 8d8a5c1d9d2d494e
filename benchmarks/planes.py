"""Positions per second encoded as 48 planes, on one core.

    python benchmarks/planes.py                            # the sample games in data/
    python benchmarks/planes.py ~/games/KGS-2017_01.tar.gz ...     # your own 19x19 games

Every position of the games is replayed and encoded; the planes are discarded.  The best of three rounds counts, in
CPU time of the process, so that other load on the machine matters less.
"""
import argparse
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numba import njit

from mugo.core.files import BadInput
from mugo.games.board import clear, play, set_to_play
from mugo.games.coords import symmetries
from mugo.games.planes import PACKED, new_scratch, write_planes
from mugo.games.history import decode, set_up
from mugo.sgf.archives import SgfFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.sources import find_sources, read_files

SIZE = 19
GAMES = 1000                             # about 200,000 positions: a few seconds per round
ROUNDS = 3


def records_of(paths: list[str]) -> Iterator[Record]:
    """The 19x19 games in archives, folders and files."""
    for source in find_sources(paths):
        for text in read_files(source):
            for record in read_records(text.data) if isinstance(text, SgfFile) else ():
                if isinstance(record, Record) and record.shape == (SIZE, SIZE):
                    yield record


@njit(nogil=True)
def write_game_planes(size, setup, moves, scratch, symmetry, out):
    """Write the packed planes of the position before each move of a game to out, uint8 (size², PACKED); returns their
    number.  setup, moves: of one game, legal."""
    b = scratch.boards[0]
    clear(b, size, size)
    set_up(b, setup)
    scratch.history[0] = b.hash
    for i in range(len(moves)):
        p, c = decode(b, moves[i])
        set_to_play(b, c)
        write_planes(b, scratch.history, scratch, symmetry, out)
        play(b, p, c)
        scratch.history[b.moves] = b.hash
    return len(moves)


def main(paths: list[str]) -> None:
    records = list(islice(records_of(paths), GAMES))
    if not records:
        sys.exit(f"no {SIZE}x{SIZE} game in {', '.join(map(str, paths))}")
    scratch = new_scratch()
    identity = symmetries(SIZE)[0]
    out = np.empty((SIZE * SIZE, PACKED), np.uint8)
    print(f"{len(records)} games, {sum(len(record.moves) for record in records):,} positions")
    write_game_planes(SIZE, records[0].setup, records[0].moves, scratch, identity, out)        # compiled
    rates = []
    for _ in range(ROUNDS):
        start = time.process_time()
        positions = sum(write_game_planes(SIZE, record.setup, record.moves, scratch, identity, out)
                        for record in records)
        rates.append(positions / (time.process_time() - start))
    print(f"48 planes: {max(rates):9,.0f} positions/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=[str(Path(__file__).parents[1] / "data")], metavar="GAMES",
                        help="archives, folders or SGF files (default: the sample games)")
    try:
        main(parser.parse_args().games)
    except BadInput as error:
        sys.exit(f"{Path(__file__).name}: {error}")
