"""How often MuGo and GNU Go agree on the status of chains (alive, dead, seki) and on the score of finished games.

    python benchmarks/final_status.py [GAMES ...] [--play 20] [--level 1] [--size 9] [--show]

GAMES are SGF files or archives of them (default: the sample games on 9x9); with --play, GNU Go plays that
many games against itself first.  Games that were not counted are left out.  Needs GNU Go (Debian's package gnugo),
which determines its score and status under Chinese rules by playing the position out.
"""
import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from mugo.games import scoring
from mugo.games.coords import PASS, format_gtp, interpret_gtp
from mugo.games.go import IllegalMove, GoPosition, format_score
from mugo.games.position import COLOUR_LETTERS
from mugo.match.gtp_client import GtpClient, participant_of
from mugo.match.referee import setup_commands
from mugo.plots.terminal import format_table
from mugo.sgf.archives import UnreadableFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import position_of
from mugo.sgf.sources import find_sources, read_files

SAMPLES = Path(__file__).parents[1] / "data" / "gnugo-9x9.zip"
MAX_MOVES = 3                            # for each point of the board
TIMEOUT = 600                            # seconds, for a status or a score


def recorded_games(paths: list[Path]) -> Iterator[tuple[str, Record, GoPosition]]:
    """(name, record, last position) of every legal game record that was counted."""
    for source in find_sources(paths):
        for text in read_files(source):
            if isinstance(text, UnreadableFile):
                continue
            for record in read_records(text.data):
                if isinstance(record, Record) and record.score is not None and record.komi is not None:
                    try:
                        yield text.name, record, position_of(record)
                    except IllegalMove:
                        continue


def played_games(gnugo: GtpClient, games: int, size: int) -> Iterator[tuple[str, GoPosition]]:
    """(name, last position) of games that GNU Go plays against itself from different first moves."""
    for number in range(games):
        for line in (f"boardsize {size}", "clear_board", "komi 7.5", f"set_random_seed {number}"):
            gnugo.send_command(line)
        position = GoPosition(size)
        point = int(position.legal_points()[(17 * number) % size ** 2])
        position = position.play(point)
        gnugo.send_command(f"play b {format_gtp(point, size)}")
        while not position.is_over and position.plies < MAX_MOVES * size ** 2:
            vertex = gnugo.send_command(f"genmove {COLOUR_LETTERS[position.to_play]}")
            position = position.play(PASS if vertex == "resign" else interpret_gtp(vertex, size))
        yield f"game {number}", position


def gnugo_score(gnugo: GtpClient, position: GoPosition, setup: bool) -> tuple[dict[str, set[int]], str]:
    """(points of the stones by status, the score) by GNU Go.  setup: the position is sent to it first."""
    if setup:
        for line in setup_commands(position, handicap=False):
            gnugo.send_command(line)
    by_status = {}
    for status in scoring.STATUSES:
        words = gnugo.send_command(f"final_status_list {status}", TIMEOUT).split()
        by_status[status] = {interpret_gtp(word, position.size) for word in words}
    return by_status, gnugo.send_command("final_score", TIMEOUT)


def compare(name: str, position: GoPosition, theirs: dict[str, set[int]], score: str, show: bool) -> Counter:
    """Counts of chains, of agreements with GNU Go and of boards with a seki, for one game.  show: print a
    disagreement."""
    ours = {status: {point for chain in chains for point in chain}
            for status, chains in scoring.final_statuses(position).items()}
    our_score = scoring.without_dead(position).result()
    agreed = [status_of(chain[0], ours) == status_of(chain[0], theirs) for chain in scoring.chains(position)]
    same_score = score == our_score or score.startswith("0") and our_score == format_score(0)
    if show and not (all(agreed) and same_score):
        print(f"\n{name}: {our_score}, GNU Go {score}\n{position}")
        for status in scoring.STATUSES[1:]:
            for program, points in ("MuGo", ours[status]), ("GNU Go", theirs[status]):
                print(f"{status}, {program}: "
                      + " ".join(sorted(format_gtp(point, position.size) for point in points)))
    seki = {(True, True): "seki by both", (True, False): "seki by MuGo only",
            (False, True): "seki by GNU Go only"}.get((bool(ours["seki"]), bool(theirs["seki"])))
    return Counter(chains=len(agreed), same_chains=sum(agreed), same_boards=all(agreed),
                   same_scores=same_score) + Counter([seki] if seki else [])


def status_of(point: int, by_status: dict[str, set[int]]) -> str | None:
    return next((status for status in scoring.STATUSES if point in by_status[status]), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", type=Path, default=[SAMPLES])
    parser.add_argument("--play", type=int, metavar="N", help="games that GNU Go plays, instead of recorded ones")
    parser.add_argument("--size", type=int, default=9, help="of the board, with --play (default: %(default)s)")
    parser.add_argument("--level", type=int, default=1, help="GNU Go's (default: %(default)s)")
    parser.add_argument("--max-games", type=int, metavar="N", help="stop after so many games")
    parser.add_argument("--show", action="store_true", help="print the boards on which they disagree")
    args = parser.parse_args()
    gnugo = GtpClient(participant_of(
        f"gnugo --mode gtp --level {args.level} --chinese-rules --positional-superko"))
    games = played_games(gnugo, args.play, args.size) if args.play else (
        (name, position) for name, _, position in recorded_games(args.games))
    n_games, found = 0, Counter()
    try:
        for name, position in islice(games, args.max_games):
            n_games += 1
            found += compare(name, position, *gnugo_score(gnugo, position, setup=not args.play), args.show)
    finally:
        gnugo.close()
    if not n_games:
        sys.exit("no games")
    print(f"{n_games} games, {found['chains']} chains")
    seki = ", ".join(str(found[f"seki by {who}"]) for who in ("both", "MuGo only", "GNU Go only"))
    print("\n".join(format_table([
        ["chains", "boards", "scores", "seki: both, MuGo, GNU Go"],
        [f"{found[name] / max(of, 1):.2%}" for name, of in (
            ("same_chains", found["chains"]), ("same_boards", n_games), ("same_scores", n_games))] + [seki]])))


if __name__ == "__main__":
    main()
