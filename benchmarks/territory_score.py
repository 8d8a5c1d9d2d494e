"""How often the count of finished games by the rules of their records is the recorded result, and how often a count by
area is.

    python benchmarks/territory_score.py GAMES [...] [--rules Japanese] [--max-games 400] [--network NAME] [--gnugo]

GAMES are SGF files or archives of them.  Games with other rules (RU), without komi, or that were not counted are left
out; so are those that do not end with two passes, with --passes.  Dead stones are found by rollouts, with --network by
the mean of rollouts and this network's ownership.  --gnugo: GNU Go's count under Japanese rules too (Debian's package
gnugo).
"""
import argparse
import sys
import time
from collections import Counter
from itertools import islice
from pathlib import Path

from final_status import TIMEOUT, methods_of, recorded_games

from mugo.games import scoring
from mugo.games.rules import Rules
from mugo.match.game_runner import interpret_score
from mugo.match.gtp_client import GtpClient, participant_of
from mugo.match.referee import setup_commands
from mugo.plots.text_table import format_table
from mugo.sgf.record_rules import parse_record_rules

GNUGO = "gnugo --mode gtp --level 1 --japanese-rules"
FURTHER = 3               # differences of more points are counted together


def differences(found: Counter, n: int) -> list[str]:
    """Of each difference the share of n games: 0, 1, 2, 3, and more."""
    sizes = Counter(min(abs(difference), FURTHER + 0.5) for difference in found.elements())
    near = [f"{sum(sizes[each] for each in (k, k - 0.5) if each >= 0) / n:.1%}" for k in range(FURTHER + 1)]
    return [*near, f"{sizes[FURTHER + 0.5] / n:.1%}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--rules", default="Japanese", help="of the records, RU (default: %(default)s)")
    parser.add_argument("--max-games", type=int, metavar="N", help="stop after so many games")
    parser.add_argument("--passes", action="store_true", help="only games that end with two passes")
    parser.add_argument("--network", metavar="NAME", help="also by this network's ownership")
    parser.add_argument("--gnugo", action="store_true", help="GNU Go's count too")
    args = parser.parse_args()
    ownership_of = list(methods_of(args.network).values())[-1]
    wanted = parse_record_rules(args.rules)
    games = ((position, record) for _, position, record in recorded_games(args.games)
             if parse_record_rules(record.rules) == wanted and (position.is_over or not args.passes))
    gnugo = GtpClient(participant_of(GNUGO)) if args.gnugo else None
    found = {"by the rules of the record": Counter(), "by area": Counter(), **({"GNU Go": Counter()} if gnugo else {})}
    n, start = 0, time.perf_counter()
    for position, record in islice(games, args.max_games):
        n += 1
        found["by the rules of the record"][scoring.final_score(position, ownership_of) - record.score] += 1
        bonus = wanted.area_bonus(record.handicap) if wanted else 0
        by_area = scoring.final_score(position.with_rules(Rules()), ownership_of) - bonus
        found["by area"][by_area - record.score] += 1
        if gnugo:
            for line in setup_commands(position, handicap=True):
                gnugo.send_command(line)
            found["GNU Go"][interpret_score(gnugo.send_command("final_score", TIMEOUT)) - record.score] += 1
    if gnugo:
        gnugo.close()
    if not n:
        sys.exit("no games")
    print(f"{n} games, {1000 * (time.perf_counter() - start) / n:.0f} ms per game")
    print("\n".join(format_table([["difference in points", *map(str, range(FURTHER + 1)), "more"],
                                  *([name, *differences(each, n)] for name, each in found.items())])))


if __name__ == "__main__":
    main()
