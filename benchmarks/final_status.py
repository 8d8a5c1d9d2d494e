"""Whether MuGo and GNU Go agree on finished games: who owns the points, which chains are dead or in seki, the score.

    python benchmarks/final_status.py [GAMES ...] [--play 20] [--level 1] [--size 9] [--show]

GAMES are SGF files or archives of them (default: the sample games on 9x9); with --play GNU Go plays that many
against itself first.  Needs GNU Go (Debian's package gnugo).  GNU Go's score and status are those that it gives
under Chinese rules after playing the position out.
"""
import argparse
import sys
from collections import Counter
from pathlib import Path

from mugo.games import scoring
from mugo.games.board import BLACK
from mugo.games.coords import PASS, format_gtp, interpret_gtp
from mugo.games.go import IllegalMove, Position, format_score, position_of
from mugo.match.gtp_client import Program, side_of
from mugo.sgf.archives import UnreadableFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import BadRecord
from mugo.sgf.sources import find_sources, read_files

SAMPLES = Path(__file__).parents[1] / "data" / "gnugo-9x9.zip"
LETTERS = {BLACK: "b", -BLACK: "w"}
MAX_DEPTH = 3                                      # moves for each point of the board


def recorded(paths: list[Path]):
    """(name, last position) of every whole game."""
    for source in find_sources(paths):
        for text in read_files(source):
            if isinstance(text, UnreadableFile):
                continue
            for record in read_records(text.data):
                if not isinstance(record, BadRecord):
                    try:
                        yield text.name, position_of(record)
                    except IllegalMove:
                        continue


def played_games(arbiter: Program, games: int, size: int):
    """(name, last position) of games that GNU Go plays against itself, from an opening that differs."""
    for number in range(games):
        for line in (f"boardsize {size}", "clear_board", "komi 7.5", f"set_random_seed {number}"):
            arbiter.ask(line)
        position = Position(size)
        for point in (position.legal_points()[(17 * number) % size ** 2],):
            position = position.play(int(point))
            arbiter.ask(f"play b {format_gtp(int(point), size)}")
        while not position.is_over and position.plies < MAX_DEPTH * size ** 2:
            vertex = arbiter.ask(f"genmove {LETTERS[position.to_play]}")
            position = position.play(PASS if vertex == "resign" else interpret_gtp(vertex, size))
        yield f"game {number}", position


def arbiters_word(arbiter: Program, position: Position, setup: bool) -> tuple[dict[str, set[int]], str]:
    """(the points of the stones with each status, the score) by GNU Go; it gets the position first if `setup`."""
    size = position.size
    if setup:
        start = next(iter(position.positions()))
        for line in f"boardsize {size}", "clear_board", f"komi {position.komi}":
            arbiter.ask(line)
        stones = [point for chain in scoring.chains(start) for point in chain]
        moves = [(int(start.board[0]["colour"][point]), point) for point in stones] + list(position.moves)
        for colour, point in moves:
            arbiter.ask(f"play {LETTERS[colour]} {format_gtp(point, size)}")
    found = {status: {interpret_gtp(word, size) for word in arbiter.ask(f"final_status_list {status}", 600).split()}
             for status in scoring.STATUSES}
    return found, arbiter.ask("final_score", 600)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", type=Path, default=[SAMPLES])
    parser.add_argument("--play", type=int, metavar="N", help="games that GNU Go plays first, instead of recorded ones")
    parser.add_argument("--size", type=int, default=9, help="of those (default: %(default)s)")
    parser.add_argument("--level", type=int, default=1, help="GNU Go's (default: %(default)s)")
    parser.add_argument("--most", type=int, help="games at the most")
    parser.add_argument("--show", action="store_true", help="the boards on which they do not agree")
    arguments = parser.parse_args()
    arbiter = Program(side_of(f"gnugo --mode gtp --level {arguments.level} --chinese-rules --positional-superko"))
    games = played_games(arbiter, arguments.play, arguments.size) if arguments.play else recorded(arguments.games)
    chains, agreed, boards, scores, seki = 0, 0, 0, 0, Counter()
    number = 0
    try:
        for number, (name, position) in enumerate(games, 1):
            theirs, score = arbiters_word(arbiter, position, setup=not arguments.play)
            ours = {status: {point for chain in found for point in chain}
                    for status, found in scoring.final_statuses(position).items()}
            our_score = scoring.without_dead(position).result()
            each = [next(s for s in scoring.STATUSES if chain[0] in ours[s]) == next(
                (s for s in scoring.STATUSES if chain[0] in theirs[s]), "") for chain in scoring.chains(position)]
            chains += len(each)
            agreed += sum(each)
            boards += all(each)
            same_score = score == our_score or score.startswith("0") and our_score == format_score(0)
            scores += same_score
            seki["both"] += bool(ours["seki"] and theirs["seki"])
            seki["MuGo alone"] += bool(ours["seki"] and not theirs["seki"])
            seki["GNU Go alone"] += bool(theirs["seki"] and not ours["seki"])
            if arguments.show and not (all(each) and same_score):
                print(f"\n{name}: {our_score}, GNU Go {score}\n{position}")
                for status in scoring.STATUSES[1:]:
                    for who, found in ("MuGo", ours), ("GNU Go", theirs):
                        print(f"{status}, {who}: "
                              + " ".join(sorted(format_gtp(point, position.size) for point in found[status])))
            if number == arguments.most:
                break
    finally:
        arbiter.close()
    if not number:
        sys.exit("no games")
    print(f"{number} games, {chains} chains; agreement on\n  chains        {agreed / chains:7.2%}\n"
          f"  whole boards  {boards / number:7.2%}\n  scores        {scores / number:7.2%}\n"
          f"boards with a seki: " + ", ".join(f"{n} {who}" for who, n in seki.items()))


if __name__ == "__main__":
    main()
