"""The command `mugo review GAME.sgf [MORE.sgf | folder | archive ...] -o FOLDER`.

    files -- tasks --> ReviewTask, one a game -- outputs.review_game --> FOLDER/NAME.*, and text for the terminal

A game that cannot be read or reviewed is named on stderr, and the others are reviewed.  --rank-of NAME estimates the
rank of a player from all of its games.
"""
import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mugo.core.files import BadInput, lock_folder
from mugo.core.limits import AT_LEAST_1
from mugo.core.options import check_limits
from mugo.core.parallel import check_scheduler, open_executor, ordered_map
from mugo.core.progress import ProgressBar, progress_bar
from mugo.games.board import BLACK, WHITE
from mugo.games.position import BasePosition, IllegalMove
from mugo.players.registry import open_network
from mugo.reviews.rank_estimate import (
    RankEstimate, check_games, estimate_rank, game_likelihoods, known_ranks)
from mugo.plots.figures import NO_MATPLOTLIB, has_matplotlib
from mugo.plots.terminal import Screen, format_table
from mugo.reviews.tasks import ReviewTask, find_tasks, output_file, refuse_overwriting
from mugo.reviews.options import ReviewOptions, review_options
from mugo.reviews.outputs import ReviewResult, make_reviewer, review_game
from mugo.reviews.report import percent
from mugo.sgf.archives import printable_name
from mugo.sgf.record import Record
from mugo.sgf.record_positions import positions_of

def command(args: argparse.Namespace) -> int:
    """Run `mugo review`; returns the exit status: 2 if a game could not be reviewed.  Raises BadInput."""
    check_scheduler(args, "jobs")
    check_limits(args, {"jobs": AT_LEAST_1})
    options = review_options(args)
    errors: list[str] = []
    folder = Path(args.output)
    tasks = find_tasks(args.games, errors.append, folder)
    for line in errors:
        print(f"mugo review: {line}", file=sys.stderr)
    if not tasks and not errors:
        raise BadInput(f"{printable_name(', '.join(args.games))}: no SGF file in it")
    if not tasks:
        return 2
    refuse_overwriting(args.games, tasks, folder)
    make_reviewer(options)                               # errors of the options come before the first game
    estimate = None if args.rank_of is None else RankOfPlayer(args.rank_of, tasks, options)
    if not has_matplotlib():
        print(f"mugo review: no graphs: {NO_MATPLOTLIB}", file=sys.stderr)
    # Of this command's games some may be reviewed twice: a worker that is lost may have written its game's files.
    before = {task.name for task in tasks if output_file(folder, task.name, ".json").exists()}
    screen = Screen.for_stream(sys.stdout, colour=args.colour)
    done: list[tuple[str, ReviewResult]] = []
    with (lock_folder(folder, may_have_links=True),
          progress_bar("moves", sum(task.num_moves for task in tasks)) as bar):
        results = _review_all(tasks, folder, options, screen, args, bar)
        for task, result in zip(tasks, results, strict=True):
            if result.error:
                errors.append(result.error)
                bar.write(f"mugo review: {result.error}", file=sys.stderr)
            else:
                done.append((task.name, result))
    if done:
        print("\n".join([*(done[0][1].text if len(done) == 1 else games_table(done)), ""]))
        done_before = sum(result.was_done and name in before for name, result in done)
        print(f"{folder}{os.sep}: " + (f"{done[0][0]}.*" if len(done) == 1 else f"{len(done)} games")
              + (f" ({done_before} reviewed before)" if done_before else ""))
    if estimate is not None:
        print(f"{estimate.name}: {estimate.run()}")
    return 2 if errors else 0


def games_table(games: list[tuple[str, ReviewResult]]) -> list[str]:
    """A table of several games, one a line: mean loss, mistakes and blunders of each side, top 1 of both."""
    rows = [["game", "moves", "Black's loss", "mistakes", "blunders", "White's loss", "mistakes", "blunders",
             "top 1"]]
    for name, result in games:
        statistics = result.statistics
        sides = [[percent(statistics[side]["mean_loss"]), str(statistics[side]["mistake"]),
                  str(statistics[side]["blunder"])] for side in ("black", "white")]
        top1 = sum(statistics[side]["top1"] for side in ("black", "white"))
        judged = sum(statistics[side]["moves"] for side in ("black", "white"))
        rows.append([name, str(statistics["moves"]), *sides[0], *sides[1], f"{top1 / max(judged, 1):.0%}"])
    return format_table(rows)


def _review_all(tasks: list[ReviewTask], folder: Path, options: ReviewOptions, screen: Screen, args: argparse.Namespace,
                bar: ProgressBar) -> Iterator[ReviewResult]:
    """The results of review_game, in order.  The bar advances with each move; with several jobs, with each game."""
    if args.scheduler is None and (args.jobs or 1) == 1:
        finished = 0
        for task in tasks:
            yield review_game(task, folder, options, screen, bar.update)
            finished += task.num_moves
            bar.update(finished - bar.n)                 # for a game that was done before or ends early
        return
    with open_executor(args.jobs, scheduler=args.scheduler) as executor:
        if args.scheduler:
            folder = folder.absolute()                   # workers have current folders of their own
        work = functools.partial(review_game, folder=folder, options=options, screen=screen)
        for task, result in zip(tasks, ordered_map(executor, work, tasks), strict=True):
            bar.update(task.num_moves)
            yield result


NAMES_SHOWN = 8           # of an error


class RankOfPlayer:
    """An estimate of a player's rank, checked when it is made, and run when the games have been reviewed.

    name: the player's, in upper or lower case; the attribute can be printed.
    Raises BadInput for a network that takes no people, a name in no game, and too few games.
    """

    def __init__(self, name: str, tasks: list[ReviewTask], options: ReviewOptions):
        self.name, opened = printable_name(name), options.opened
        self._network = open_network(options.network, options.settings.threads, opened.precision, opened.provider)
        self._ranks = known_ranks(self._network)
        self._komi = options.komi
        self._games: list[tuple[Record, int]] = []
        names: dict[str, None] = {}
        for task in tasks:
            record = task.tree().record
            names |= dict.fromkeys(each for each in (record.black, record.white) if each)
            colours = [colour for colour, each in ((BLACK, record.black), (WHITE, record.white))
                       if each and each.casefold() == name.casefold()]
            self._games += [(record, colour) for colour in colours[:1]]
        if not self._games:
            shown = ", ".join(list(names)[:NAMES_SHOWN]) + (", ..." if len(names) > NAMES_SHOWN else "")
            raise BadInput(f"--rank-of {self.name}: no game has a player of this name"
                           + (f" (players: {printable_name(shown)})" if names else ""))
        check_games(len(self._games))

    def run(self) -> RankEstimate:
        """The estimate.  Raises BadInput for games that the network does not play."""
        found = []
        with progress_bar("games for the rank", len(self._games)) as bar:
            for record, colour in self._games:
                positions: list[BasePosition] = []
                with contextlib.suppress(IllegalMove):   # the review has said so; the moves before it count
                    for position in positions_of(record, komi=self._komi):
                        positions.append(position)
                found.append(game_likelihoods(self._network, positions[record.placed_stones:], colour, self._ranks))
                bar.update()
        return estimate_rank(np.array([row for row, _ in found]), np.array([moves for _, moves in found]), self._ranks)
