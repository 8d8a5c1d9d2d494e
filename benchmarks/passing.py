"""Where players pass, compared with the people who played the games:

    python benchmarks/passing.py KGS-2017_03*.tar.gz [--player policy "mcts --simulations 100"] [--max-games 60]

GAMES are SGF files or archives of them; the games on 19x19 that ended by two passes and were counted are taken.  A row
for each player, rules and position: before the two passes, after the first of them, and some moves before them.

    passed        where it passed.  People passed in the first two positions, and mostly not in the others
    lose points   of the moves that it played instead of the people's passes, those that change the count, without
                  dead stones, against it
    too early     of its passes, those where the record has more points for it than the count: the rest of the game was
                  worth something, or the count is wrong
    other winner  of its passes, those where the count even has another winner
"""
import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from final_status import recorded_games

from mugo.games import scoring
from mugo.games.coords import PASS
from mugo.games.go import GoPosition
from mugo.players.options import add_arguments, player_from_arguments
from mugo.plots.terminal import format_table
from mugo.core.progress import progress_bar
from mugo.sgf.record_positions import positions_of

EARLIER = (6, 20, 40)                    # moves before the first of the two passes


def player_of(text: str):
    """The player of a command line, which never resigns."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return player_from_arguments(parser.parse_args([*text.split(), "--seed", "1", "--resign", "0"]), "go")


def finished_games(paths: list[Path]) -> list[tuple[float, list[GoPosition]]]:
    """(recorded score, positions up to the one before the last pass) of games that ended by two passes."""
    games = []
    for _, record, position in recorded_games(paths):
        if record.score is not None and record.shape == (19, 19) and position.is_over:
            positions = list(positions_of(record))
            if len(positions) > EARLIER[-1] + 2:
                games.append((record.score, positions[:-1]))
    return games


def lost_by(position: GoPosition, move: int) -> float:
    """Points that the side to move loses by a move in a finished position."""
    return (scoring.final_score(position) - scoring.final_score(position.play(move))) * position.to_play


def places(positions: list[GoPosition]) -> Iterator[tuple[str, GoPosition, bool]]:
    """(name, position, whether the people who played passed there)."""
    yield "before the passes", positions[-2], True
    yield "after the first", positions[-1], True
    for n in EARLIER:
        if not positions[-2 - n].is_over:
            yield f"{n} moves before", positions[-2 - n], False


def outcome(position: GoPosition, move: int, score: float, is_end: bool) -> tuple[float, float, float, float]:
    """(1 if it passed, the points that it lost by another move in a finished position, the points that the recorded
    result is better for it than the count where it passed, 1 if that has another winner), NaN for what does not apply.
    """
    if move != PASS:
        return 0.0, lost_by(position, move) if is_end else np.nan, np.nan, np.nan
    count = scoring.final_score(position)
    return 1.0, np.nan, (score - count) * position.to_play, float(np.sign(count) != np.sign(score))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+", type=Path)
    parser.add_argument("--player", nargs="+", default=["policy", "mcts --simulations 100"])
    parser.add_argument("--max-games", type=int, metavar="N")
    args = parser.parse_args()
    games, rows = finished_games(args.games)[:args.max_games], []
    for words in args.player:
        player, found = player_of(words), defaultdict(list)
        with progress_bar("games", len(games)) as progress:
            for score, positions in games:
                for place, position, is_end in places(positions):
                    rules = "territory" if position.counts_territory else "area"
                    found[rules, place].append(outcome(position, player.select_move(position), score, is_end))
                progress.update()
        for (rules, place), results in sorted(found.items(), reverse=True):
            passed, lost, given_up, other = np.array(results).T
            moves = np.count_nonzero(~np.isnan(lost))
            rows.append([words, rules, place, str(len(results)), f"{100 * passed.mean():.0f} %",
                         f"{np.count_nonzero(lost > 0)} of {moves}" if moves else "",
                         str(np.count_nonzero(given_up > 0)), f"{np.nansum(other):.0f}"])
    print(*format_table([["player", "rules", "position", "games", "passed", "lose points", "too early",
                          "other winner"], *rows]),
          sep="\n")


if __name__ == "__main__":
    main()
