"""Which mistakes that a review lists are confirmed by another engine, and how far two searches of a position differ.

    python benchmarks/review_mistakes.py GAMES ... --engine "katago analysis -config FILE -model FILE"
        [--network NAME] [--visits 100] [--moves 300] [--size 19] [--seed 0] [--output moves.csv]

Moves are drawn at random from the games.  Each is judged as `mugo review` judges it: a search of the position gives the
best move, and searches of equal effort after it and after the move played give the loss in points.  Where that is a
point or more, both are searched again, four times as deep, and the engine, whose configuration says how many visits it
takes (maxVisits = 64), evaluates the position before and after the move.  A listed mistake is confirmed if the move
loses a point or more by the engine too.

Prints the share of confirmed mistakes by the least loss that is listed: by the first search, by the deeper one too, and
of those also only where the policy likes the best move more.  By phase of the game it prints the standard deviation of
the difference between the two searches of a position.
"""
import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.core.progress import progress_bar
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, format_gtp, interpret_gtp, move_index
from mugo.games.go import GoPosition
from mugo.mcts.search import Search
from mugo.nn.bundled import bundled_name
from mugo.nn.inference import Network
from mugo.players.evaluation import SearchEvaluator
from mugo.players.registry import default_settings
from mugo.plots.terminal import format_table
from mugo.sgf.archives import UnreadableFile
from mugo.sgf.parser import read_records
from mugo.sgf.record import BadRecord
from mugo.sgf.record_positions import positions_of
from mugo.sgf.sources import find_sources, read_files

LEAST = 1.0               # points: the least loss that is looked at, and that the engine confirms
DEEPER = 4
PHASES = ((0, 60, "moves 1-60"), (60, 150, "61-150"), (150, 999, "from 151"))
LISTED = (1.0, 1.5, 2.0, 3.0, 6.0)


def drawn_moves(paths: list[Path], size: int, count: int, rng: random.Random) -> Iterator[tuple[GoPosition, int]]:
    """(position, move played) of random games of a board size, one of each game."""
    games = [(source, text) for source in find_sources(paths) for text in read_files(source)
             if not isinstance(text, UnreadableFile)]
    rng.shuffle(games)
    for _, text in games:
        for record in read_records(text.data):
            if isinstance(record, BadRecord) or record.shape != (size, size) or len(record.moves) < 30:
                continue
            try:
                positions = list(positions_of(record))
            except ValueError:                           # an illegal move
                continue
            k = rng.randrange(len(positions) - 1)
            before, after = positions[k], positions[k + 1]
            if k >= record.placed_stones and after.last not in (None, PASS) and after.to_play == -before.to_play:
                yield before.with_turn(after.mover), after.last
                count -= 1
            if not count:
                return


class Engine:
    """A program that speaks KataGo's analysis protocol."""

    def __init__(self, command: str):
        self.process = subprocess.Popen(command, shell=True, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)

    def lead(self, position: GoPosition, moves: list[int]) -> float:
        """Black's lead in points after these moves."""
        assert self.process.stdin and self.process.stdout
        stones = [[name, format_gtp(int(point), position.shape)] for colour, name in ((BLACK, "B"), (WHITE, "W"))
                  for point in _points(position, colour)]
        turn = "B" if position.to_play == BLACK else "W"
        query = {"id": "x", "initialStones": stones, "initialPlayer": turn, "rules": "japanese", "komi": position.komi,
                 "boardXSize": position.shape[1], "boardYSize": position.shape[0],
                 "moves": [[turn, format_gtp(point, position.shape)] for point in moves]}
        print(json.dumps(query), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if "rootInfo" not in answer:
            sys.exit(f"the engine answered {answer}")
        lead = answer["rootInfo"]["scoreLead"]
        return lead if answer["rootInfo"]["currentPlayer"] == "B" else -lead


def _points(position: GoPosition, colour: int) -> list[int]:
    rows, columns = np.nonzero(position.stones == colour)
    letters = "ABCDEFGHJKLMNOPQRST"
    return [interpret_gtp(f"{letters[c]}{position.shape[0] - r}", position.shape) for r, c in zip(rows, columns,
                                                                                               strict=True)]


def judge(position: GoPosition, played: int, search: Search, network: Network, visits: int, engine: Engine
          ) -> dict[str, float]:
    """What is known of a move: losses in points, NaN where it was not looked at."""
    def lead(after: GoPosition, effort: int) -> float:
        search.clear()
        found = SearchEvaluator(search, effort).evaluate(after).score_lead
        assert found is not None, "the network has no scores"
        return -found

    search.clear()
    best = SearchEvaluator(search, visits).evaluate(position).moves[0].point
    row = {"ply": position.plies, "is_best": best == played, "loss": 0.0, "deeper": np.nan, "engine": np.nan,
           "lead": np.nan, "lead_deeper": np.nan}
    if best == played:
        return row
    priors = network.evaluate([position], symmetries=True).priors[0]
    row["prior"], row["best_prior"] = (priors[move_index(point, position.shape)] for point in (played, best))
    after, other = position.play(played), position.play(best)
    row["lead"] = lead(after, visits)
    row["loss"] = lead(other, visits) - row["lead"]
    if row["loss"] >= LEAST:
        row["lead_deeper"] = lead(after, DEEPER * visits)
        row["deeper"] = lead(other, DEEPER * visits) - row["lead_deeper"]
        row["engine"] = (engine.lead(position, []) - engine.lead(position, [played])) * position.to_play
    return row


def report(rows: pd.DataFrame) -> list[str]:
    looked = rows[rows["loss"] >= LEAST]
    both = looked.assign(loss=np.minimum(looked["loss"], looked["deeper"]))
    table = [["least loss listed", *["listed", "confirmed"] * 3]]
    for least in LISTED:
        cells = [f"{least:g} points"]
        for found in looked, both, both[both["prior"] <= both["best_prior"]]:
            listed = found[found["loss"] >= least]
            share = (listed["engine"] >= LEAST).mean() if len(listed) else np.nan
            error = np.sqrt(share * (1 - share) / max(len(listed), 1))
            cells += [f"{len(listed)}", f"{share:.1%} ± {error:.1%}" if len(listed) else ""]
        table.append(cells)
    lines = [f"{len(rows)} moves, {rows['is_best'].mean():.0%} of them the search's own", *format_table(table), ""]
    for start, end, name in PHASES:
        phase = looked[(looked["ply"] >= start) & (looked["ply"] < end)]
        if len(phase) > 1:
            losses, leads = phase["loss"] - phase["deeper"], phase["lead"] - phase["lead_deeper"]
            lines.append(f"{name}: the losses of both searches differ by {losses.std():.1f} points, the leads by "
                         f"{leads.std():.1f} ({len(phase)} moves)")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--network")
    parser.add_argument("--visits", type=int, default=100)
    parser.add_argument("--moves", type=int, default=300)
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    network = Network(options.network or bundled_name((options.size, options.size), for_search=True), threads=1)
    settings = replace(default_settings("mcts", "go"), early_stop=False, threads=1)
    search, engine, rows = Search(settings, network), Engine(options.engine), []
    bar = progress_bar("moves", options.moves)
    for position, played in drawn_moves(options.games, options.size, options.moves, random.Random(options.seed)):
        rows.append(judge(position, played, search, network, options.visits, engine))
        bar.update()
        if options.output:
            pd.DataFrame(rows).to_csv(options.output, index=False)
    bar.close()
    print("\n".join(report(pd.DataFrame(rows))))


if __name__ == "__main__":
    main()
