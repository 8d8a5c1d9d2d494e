"""How much better a search knows who wins than the network alone:

    python benchmarks/value_by_search.py --games KGS-20*.tar.gz --split test [--simulations 32 128] [--per-game 6]

Random positions of even games on 19x19 with a winner: the winners named, and the squared error of the value, by the
network's value, by the mean value of `mcts` after so many simulations (its defaults, without early stop), and by that
of the move that it would play.  ± are standard errors clustered by game; differences from the network are paired.
"""
import argparse
from dataclasses import replace

import numpy as np
import pandas as pd
from value_along_games import split_of

from mugo.data.game_index import SPLITS
from mugo.games.go import IllegalMove
from mugo.core.intervals import mean_and_standard_error
from mugo.nn.bundled import find_network
from mugo.nn.inference import Network
from mugo.players.searcher import MCTS
from mugo.plots.text_table import format_table
from mugo.search.search import Search
from mugo.sgf.archives import SgfFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import Record
from mugo.sgf.record_positions import positions_of
from mugo.sgf.sources import find_sources, read_files

LEAST_KOMI = 5                           # of an even game
LEAST_MOVES = 40


def even_games(paths: list[str], split: str | None) -> list[tuple[Record, list]]:
    """Even games on 19x19 with a winner, of a split or of all, with their positions."""
    games: list[tuple[Record, list]] = []
    for source in find_sources(paths):
        for file in read_files(source):
            for record in read_records(file.data) if isinstance(file, SgfFile) else ():
                if (isinstance(record, Record) and record.shape == (19, 19) and record.winner and not record.handicap
                        and (record.komi or 0) >= LEAST_KOMI and len(record.moves) >= LEAST_MOVES
                        and split in (None, split_of(record))):
                    try:
                        games.append((record, list(positions_of(record))))
                    except IllegalMove:
                        continue
    return games


def values(network: Network, position, simulations: list[int]) -> dict[str, float]:
    """The value of a position, -1 to 1, for the side to move: by the network, and after so many simulations."""
    output, done = network.evaluate([position]), 0
    assert output.values is not None
    found = {"network": float(output.values[0])}
    search = Search(replace(MCTS, seed=1, early_stop=False, max_edges=1_000_000), network)
    for n in simulations:
        result = search.search(position, simulations=n - done)
        done = n
        found |= {f"mcts, {n}": 2 * result.win_rate - 1, f"its move, {n}": 2 * result.best().win_rate - 1}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default="policy-19")
    parser.add_argument("--games", nargs="+", default=["data/gnugo-19x19.tar.gz"])
    parser.add_argument("--split", choices=SPLITS, help="(default: all games)")
    parser.add_argument("--simulations", type=int, nargs="+", default=[32, 128])
    parser.add_argument("--per-game", type=int, default=6, help="positions of each game (default: 6)")
    args = parser.parse_args()
    network, rng, rows = Network(find_network(args.network)), np.random.default_rng(0), []
    for number, (record, positions) in enumerate(even_games(args.games, args.split)):
        for i in rng.integers(0, len(positions) - 1, args.per_game):
            position = positions[i]
            rows.append({"game": number, "outcome": record.winner * position.to_play}
                        | values(network, position, sorted(args.simulations)))
    table, found = [["", "winners", "value error", "winners gained", "error gained"]], pd.DataFrame(rows)
    games, outcomes = (found.pop(name).to_numpy() for name in ("game", "outcome"))
    for name in found:
        cells = []
        for measure, scale, form in ((lambda v: np.sign(v) == outcomes, 100, "{:.1f} ± {:.1f} %"),
                                     (lambda v: (v - outcomes) ** 2, 1, "{:.3f} ± {:.3f}")):
            own, base = (scale * measure(found[column].to_numpy()).astype(float) for column in (name, "network"))
            cells += [form.format(*mean_and_standard_error(each, games)) for each in (own, own - base)]
        table.append([name, cells[0], cells[2], cells[1], cells[3]])
    print("\n".join(format_table(table, left=1)))
    print(f"{len(found):,} positions of {games.max() + 1:,} games")


if __name__ == "__main__":
    main()
