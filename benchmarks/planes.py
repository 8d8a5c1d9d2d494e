"""Positions a second that become 48 planes, with and without ladders, on one core.

    python benchmarks/planes.py                            # the sample games in data/
    python benchmarks/planes.py ~/games/KGS-2017_01.tar.gz ...     # 19x19 games of your own

Every position of the games is replayed and encoded; nothing is kept.  Best of three; seconds are the
process's own, so that a busy machine counts for less.
"""
import argparse
import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np

from mugo.files import BadInput
from mugo.games.coords import symmetries
from mugo.games.planes import PACKED, new_scratch, write_game_planes
from mugo.sgf.archives import SgfFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.sources import find_sources, read_files

SIZE = 19
GAMES = 1000                             # about 200,000 positions: a few seconds a round
ROUNDS = 3


def games(paths):
    """The 19x19 games in the archives, one by one."""
    for source in find_sources(paths):
        for text in read_files(source):
            for record in read_records(text.data) if isinstance(text, SgfFile) else ():
                if isinstance(record, Record) and record.size == SIZE:
                    yield record


def main(paths):
    records = list(islice(games(paths), GAMES))
    if not records:
        sys.exit(f"no {SIZE}x{SIZE} game in {', '.join(map(str, paths))}")
    scratch = new_scratch()
    turn = symmetries(SIZE)[0]
    out = np.empty((1, SIZE * SIZE, PACKED), np.uint8)
    print(f"{len(records)} games, {sum(len(record.moves) for record in records):,} positions")
    for read_ladders in (True, False):
        rates = []
        for _ in range(ROUNDS):
            start = time.process_time()
            positions = sum(write_game_planes(SIZE, record.setup, record.moves, scratch, read_ladders, turn, out)
                            for record in records)
            rates.append(positions / (time.process_time() - start))
        print(f"48 planes {'with' if read_ladders else 'without'} ladders: {max(rates):9,.0f} positions/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=[str(Path(__file__).parents[1] / "data")], metavar="GAMES",
                        help="archives, folders or SGF files (default: the sample games)")
    try:
        main(parser.parse_args().games)
    except BadInput as error:
        sys.exit(f"{Path(__file__).name}: {error}")
