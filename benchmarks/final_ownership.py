"""How the counts of finished games agree with their recorded results, by source: what `preprocess` keeps of them.

    python benchmarks/final_ownership.py [GAMES ...] [--games 1000]      (default: the sample games in data/)

For every source and its rules: the games, those that ended by count with a known komi, of which at most --games are
counted; the part whose ownership are kept; and how many differ from the result by -2 ... 2 points and by more
(data/labels.py).
"""
import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from mugo.data.labels import accepted_difference, count
from mugo.data.summary import source_family
from mugo.core.files import BadInput
from mugo.games.go import IllegalMove
from mugo.plots.terminal import format_table
from mugo.sgf.archives import SgfFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import position_of
from mugo.sgf.sources import find_sources, read_files

DIFFERENCES = (-2, -1, 0, 1, 2)


def main(paths: list[str], max_games: int) -> None:
    counts: dict[tuple[str, str, str], Counter] = defaultdict(Counter)
    seconds = 0.0
    for source in find_sources(paths):
        for file in read_files(source):
            for record in read_records(file.data) if isinstance(file, SgfFile) else ():
                if isinstance(record, Record):
                    handicap = "handicap" if record.handicap else "even"
                    of_source = counts[source_family(source.label), record.rules[:20], handicap]
                    of_source["games"] += 1
                    if record.score is not None and record.komi is not None:
                        of_source["by count"] += 1
                        seconds += add_difference(of_source, record, max_games)
    rows = [["source", "rules", "", "games", "by count", "counted", "kept", *map(str, DIFFERENCES), "others"]]
    for name, of_source in sorted(counts.items()):
        counted = max(1, of_source["counted"])
        differences = [of_source[difference] for difference in DIFFERENCES]
        shown = [of_source["kept"], *differences, of_source["counted"] - sum(differences)]
        rows.append([*name, f"{of_source['games']:,}", f"{of_source['by count']:,}", f"{of_source['counted']:,}",
                     *(f"{n / counted:.1%}" for n in shown)])
    print("\n".join(format_table(rows, left=3)))
    counted = sum(of_source["counted"] for of_source in counts.values())
    print(f"{1000 * seconds / max(1, counted):.1f} ms per game that is counted")


def add_difference(of_source: Counter, record: Record, max_games: int) -> float:
    """Count a game, unless there are enough of its source; returns the processor time."""
    if of_source["counted"] == max_games:
        return 0.0
    try:
        last = position_of(record).board
    except IllegalMove:
        return 0.0
    start = time.process_time()
    _, difference = count(record, last)
    seconds = time.process_time() - start
    of_source["counted"] += 1
    of_source["kept"] += abs(difference) <= accepted_difference(record)
    of_source[difference] += 1
    return seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=[str(Path(__file__).parents[1] / "data")], metavar="GAMES",
                        help="archives, folders or SGF files (default: the sample games)")
    parser.add_argument("--games", type=int, default=1000, metavar="N",
                        help="games counted of each source (default: %(default)s)")
    args = parser.parse_args()
    try:
        main(args.paths, args.games)
    except BadInput as error:
        sys.exit(f"{Path(__file__).name}: {error}")
