"""Any number of made-up games on 19x19, as archives of SGF files: input for measurements of large data sets.

    python benchmarks/many_games.py FOLDER --games 1000000             FOLDER/games-000000.tar.gz, ...

A game begins as one of the sample games in data/, with its handicap stones, under a random symmetry.  After 8 to 40 of
its moves it is played on by the moves of MoGo's rollouts.  Three of four are resigned after 100 to 260 moves.  The
others are played to the end and counted, as a quarter of the games of public archives are.  Players, ranks and dates
are drawn.  All games are legal and differ from each other, but for --copies: so many are the game before them in their
archive under another symmetry, half of them without its end.

An archive is a function of --seed and its number, so more games are the same ones and others.  Archives that are there
are kept, so an interrupted run resumes.
"""
import argparse
import datetime
import gzip
import io
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numba import njit

from mugo.core.files import atomic_write
from mugo.core.progress import progress_bar
from mugo.games.area import area_score
from mugo.games.board import clear, new_boards
from mugo.games.coords import PASS, WHITE_BIT, symmetries
from mugo.games.light_board import LIGHT_BOARD, copy_position, play, set_codes, write_back
from mugo.games.history import replay, set_up
from mugo.games.rollouts import EXTRA_MOVES, MOVES_PER_POINT, mogo_move
from mugo.sgf.archives import SgfFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.sources import find_sources, read_files

SIZE, AREA = 19, 361
ARCHIVE_GAMES = 50_000
MAX_LENGTH = MOVES_PER_POINT * AREA + EXTRA_MOVES
PLAYERS = 50_000
SAMPLES = Path(__file__).parents[1] / "data" / "gnugo-19x19.tar.gz"


@njit(cache=True)
def play_on(b, r, history, setup, moves, length, random, out):
    """Play the moves of an opening on the board b, and then MoGo's until the game has `length` moves or two passes.

    r: LIGHT_BOARD, scratch.  random: a uint64, not 0.  out: int16 (MAX_LENGTH,), gets the encoded moves.
    Returns how many there are, and the area score of the stones then, Black minus White.
    """
    clear(b, SIZE, SIZE)
    set_up(b, setup)
    replay(b, history, moves, 0, len(moves))
    b.random = random
    out[:len(moves)] = moves
    copy_position(b, r)
    set_codes(r)
    c, n, passes = b.to_play, len(moves), 0
    while n < length and passes < 2:
        p = mogo_move(r, c, r.moves)
        if p == PASS:
            r.ko, r.last, passes = 0, PASS, passes + 1
            out[n] = AREA
        else:
            passes = 0
            play(r, p, c, r.codes)
            out[n] = (p // (SIZE + 1) - 1) * SIZE + p % (SIZE + 1) - 1
        out[n] |= WHITE_BIT if c < 0 else 0
        n += 1
        c = -c
    write_back(r, b)
    return n, area_score(b)


@njit(cache=True)
def write_nodes(moves, out):
    """Write encoded moves as SGF to out, uint8; returns the number of bytes.  A line has twelve moves."""
    n = 0
    for i in range(len(moves)):
        move = np.int64(moves[i])
        at = move & (WHITE_BIT - 1)
        if i % 12 == 0:
            out[n] = ord("\n")
            n += 1
        for character in (ord(";"), ord("W") if move & WHITE_BIT else ord("B"), ord("[")):
            out[n] = character
            n += 1
        if at < AREA:
            out[n], out[n + 1] = ord("a") + at % SIZE, ord("a") + at // SIZE
            n += 2
        out[n] = ord("]")
        n += 1
    return n


def transformed(moves: np.ndarray, symmetry: int) -> np.ndarray:
    """Encoded moves under one of the eight symmetries."""
    return (symmetries(SIZE)[symmetry][moves & (WHITE_BIT - 1)] | (moves & WHITE_BIT)).astype(np.int16)


class Games:
    """The games of archives, one after another."""

    def __init__(self, seed: int, copies: float):
        files = [file for source in find_sources([SAMPLES]) for file in read_files(source)]
        self._samples = [record for file in files if isinstance(file, SgfFile) for record in read_records(file.data)
                         if isinstance(record, Record) and len(record.moves) >= 40]
        self._seed, self._copies = seed, copies
        self._board, self._light = new_boards(1)[0], np.zeros(1, LIGHT_BOARD)[0]
        self._history, self._moves = np.zeros(MAX_LENGTH + 1, np.uint64), np.empty(MAX_LENGTH, np.int16)
        self._text = np.empty(8 * MAX_LENGTH, np.uint8)

    def archive(self, number: int, games: int) -> Iterator[tuple[str, bytes]]:
        """(name, SGF) of the first games of an archive.  Each is drawn by itself from its number."""
        record, moves, score, is_counted = self._samples[0], np.empty(0, np.int16), 0.0, False
        for game in range(games):
            rng = np.random.default_rng((self._seed, number, game))
            is_copy = game > 0 and rng.random() < self._copies
            if is_copy:                  # of the game before, which `moves` has
                cut = int(rng.integers(1, 30)) * int(rng.integers(2))
                moves, is_counted = moves[:max(len(moves) - cut, 60)], is_counted and not cut
            else:
                record = self._samples[rng.integers(len(self._samples))]
                is_counted = rng.random() < 0.25
                length = MAX_LENGTH if is_counted else int(rng.integers(100, 261))
                n, score = play_on(self._board, self._light, self._history, record.setup,
                                   record.moves[:rng.integers(8, 41)], length, rng.integers(1, 2**63, dtype=np.uint64),
                                   self._moves)
                moves = self._moves[:n].copy()
            name = f"games-{number:06d}/{game:06d}.sgf"
            yield name, self._format(rng, record, moves, score, is_counted)

    def _format(self, rng: np.random.Generator, record: Record, moves: np.ndarray, score: float, is_counted: bool
                ) -> bytes:
        """SGF under a random symmetry.  score: by area, Black minus White."""
        symmetry, handicap = int(rng.integers(8)), len(record.setup)
        komi = 0.5 if handicap else 7.5
        margin = score - handicap - komi
        winner = "B" if margin > 0 else "W"
        black, white = rng.integers(PLAYERS, size=2)
        strength = int(rng.integers(29))                 # 20k ... 1k, 1d ... 9d
        ranks = (f"{20 - each}k" if each < 20 else f"{each - 19}d" for each in (max(strength - handicap, 0), strength))
        black_rank, white_rank = ranks
        date = datetime.date(1998, 1, 1) + datetime.timedelta(int(rng.integers(10_000)))
        stones = "".join(f"[{chr(97 + p % SIZE)}{chr(97 + p // SIZE)}]" for p in transformed(record.setup, symmetry))
        result = f"{winner}+{abs(margin) if is_counted else 'R'}"
        header = (f"(;GM[1]FF[4]SZ[19]RU[Chinese]KM[{komi}]DT[{date}]RE[{result}]\n"
                  f"PB[player{black}]BR[{black_rank}]PW[player{white}]WR[{white_rank}]"
                  + (f"HA[{handicap}]AB{stones}" if handicap else ""))
        length = write_nodes(transformed(moves, symmetry), self._text)
        return header.encode() + self._text[:length].tobytes() + b")\n"


def write_archive(path: Path, games: Iterator[tuple[str, bytes]]) -> None:
    """Write games as a .tar.gz; the same ones give the same bytes."""
    with (atomic_write(path) as temporary, open(temporary, "wb") as file,
          gzip.GzipFile("", "wb", 6, file, mtime=0) as packed, tarfile.open(mode="w|", fileobj=packed) as archive):
        for name, content in games:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def make_games(folder: Path, games: int, seed: int = 0, copies: float = 0.0, first: int = 0) -> list[Path]:
    """Write archives of so many games in all to a folder, from archive number `first` on; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made, source = [], Games(seed, copies)
    with progress_bar("games", games) as bar:
        for start in range(0, games, ARCHIVE_GAMES):
            count = min(ARCHIVE_GAMES, games - start)
            number = first + start // ARCHIVE_GAMES
            path = folder / (f"games-{number:06d}" + (f"-{count}" if count < ARCHIVE_GAMES else "") + ".tar.gz")
            if not path.exists():
                write_archive(path, source.archive(number, count))
            made.append(path)
            bar.update(count)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the archives")
    parser.add_argument("--games", type=int, default=100_000, metavar="N", help="how many games (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first archive; each has "
                        f"{ARCHIVE_GAMES:,} games (default: %(default)s)")
    parser.add_argument("--copies", type=float, default=0.0, metavar="FRACTION",
                        help="of the games, that are copies of others (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="(default: %(default)s)")
    args = parser.parse_args()
    paths = make_games(args.folder, args.games, args.seed, args.copies, args.first)
    print(f"{args.games:,} games in {len(paths):,} archives, {sum(path.stat().st_size for path in paths):,} bytes",
          file=sys.stderr)


if __name__ == "__main__":
    main()
