"""What networks say of who wins, along games that ended by a count that is the recorded result:

    python benchmarks/value_along_games.py policy-19 OTHER.safetensors --games KGS.tar.gz -o value.png

For every network, even games and handicap games apart: how many winners it names at the start, after a half of the
moves and at the last position, and the mean probability that it gives the winner, and Black, there.  Each game counts
once.  In handicap games Black should be ahead long before the end, whoever wins: White is the stronger player.
`count`: the winners of the last positions by scoring.final_score, dead stones found by rollouts, without a network.
`change`: the mean absolute change of the win rate from one position to the next, over all positions of these games.
--split test: only games that `mugo preprocess`, by its defaults, keeps for testing.
-o: its win rates for Black along six games: of even games and of handicap games the one with the smallest margin, the
median and the largest.
"""
import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from mugo.data.final_ownership import confirmed_ownership
from mugo.data.game_hash import assign_splits, game_hashes
from mugo.data.game_index import SPLITS
from mugo.data.games_table import opening_as_setup
from mugo.games import scoring
from mugo.games.coords import symmetries
from mugo.games.go import IllegalMove
from mugo.nn.bundled import find_network
from mugo.nn.inference import Network
from mugo.plots.curves import COLOURS
from mugo.plots.figures import save_charts
from mugo.plots.text_table import format_table
from mugo.sgf.archives import SgfFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import positions_of
from mugo.sgf.sources import find_sources, read_files

BATCH = 32
PHASES = {"start": 0.0, "half": 0.5, "last position": 1.0}
Game = tuple[Record, list]               # with its positions


def split_of(record: Record) -> str:
    """The split of a game by the defaults of `mugo preprocess`."""
    _, opening = game_hashes(record.size, *opening_as_setup(record), symmetries(record.size))
    return str(assign_splits(np.array([opening], np.uint64), 0, 0.02, 0.02)[0])


def scored_games(paths: list[str], count: int, split: str | None) -> list[Game]:
    """The first games on 19x19 of a split, or of all, whose count, dead stones taken off, is their result."""
    games: list[Game] = []
    for source in find_sources(paths):
        for file in read_files(source):
            for record in read_records(file.data) if isinstance(file, SgfFile) else ():
                if len(games) == count:
                    return games
                if (isinstance(record, Record) and record.shape == (19, 19) and record.score
                        and split in (None, split_of(record))):
                    positions = positions_if_counted(record)
                    games += [(record, positions)] * bool(positions)
    return games


def positions_if_counted(record: Record) -> list:
    """The positions of a game; none if its count is not its result, or a move is illegal."""
    try:
        positions = list(positions_of(record))
    except IllegalMove:
        return []
    return positions if confirmed_ownership(record, positions[-1].board) is not None else []


def win_rates(network: Network, positions: list) -> np.ndarray:
    """Black's win rate in each position, 0 to 1."""
    values = np.concatenate([network.evaluate(positions[i:i + BATCH]).values for i in range(0, len(positions), BATCH)])
    return (1 + values * [position.to_play for position in positions]) / 2


def table(networks: list[Network], games: list[Game]) -> str:
    """The table of all networks."""
    rows = [["network", "games", "",
             *(f"{phase}: {what}" for phase in PHASES for what in ("winners", "winner's", "Black's")), "change"]]
    groups: dict[str, list[Game]] = defaultdict(list)
    for game in games:
        groups["handicap" if game[0].handicap else "even"].append(game)
    for name, group in sorted(groups.items()):
        signs = np.array([record.winner for record, _ in group])
        for network in networks:
            cells, along = [], [win_rates(network, positions) for _, positions in group]
            for part in PHASES.values():
                found = np.array([rates[round(part * (len(rates) - 1))] for rates in along])
                winners = np.where(signs > 0, found, 1 - found)
                cells += [f"{np.mean(winners > 0.5):.1%}", f"{winners.mean():.3f}", f"{found.mean():.3f}"]
            change = np.concatenate([np.abs(np.diff(rates)) for rates in along]).mean()
            rows.append([network.path.stem, name, str(len(group)), *cells, f"{change:.3f}"])
        counted = np.sign([scoring.final_score(positions[-1]) for _, positions in group])
        rows.append(["count", name, str(len(group)), *[""] * 6, f"{np.mean(counted == signs):.1%}", "", "", ""])
    return "\n".join(format_table(rows, left=2))


def draw(axes: list, networks: list[Network], games: list[Game]) -> None:
    """Win rates along three even games and three with handicap, by margin."""
    for row, has_handicap in enumerate((False, True)):
        group = [game for game in games if bool(game[0].handicap) == has_handicap]
        group.sort(key=lambda game: abs(game[0].score))
        for column in range(3 if group else 0):
            record, positions = group[(len(group) - 1) * column // 2]
            chart = axes[3 * row + column]
            for network, colour in zip(networks, COLOURS, strict=False):
                chart.plot(100 * win_rates(network, positions), color=colour, linewidth=1.2, label=network.path.stem)
            chart.axhline(50, color="#999999", linewidth=0.7)
            chart.set_ylim(0, 100)
            stones = f"{record.handicap} handicap stones" if record.handicap else "even"
            chart.set_title(f"{record.result}, {stones}, komi {record.komi:g}", fontsize=9)
            chart.set_xlabel("move")
            chart.set_ylabel("Black's win rate, %")
            chart.spines[["top", "right"]].set_visible(False)
    axes[0].legend(fontsize=8, frameon=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--games", nargs="+", default=["data/gnugo-19x19.tar.gz"])
    parser.add_argument("--number", type=int, default=400, help="of games (default: 400)")
    parser.add_argument("--split", choices=SPLITS, help="(default: all games)")
    parser.add_argument("-o", "--output", type=Path, help="a PNG, SVG or PDF")
    args = parser.parse_args()
    networks = [Network(find_network(name), precision="float32") for name in args.networks]
    games = scored_games(args.games, args.number, args.split)
    if not games:
        raise SystemExit("no game on 19x19 that ended by a count")
    print(table(networks, games))
    if args.output:
        save_charts(args.output, 2, 3, lambda axes: draw(axes, networks, games))


if __name__ == "__main__":
    main()
