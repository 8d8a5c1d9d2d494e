"""Games reviewed:  mugo analyze GAME.sgf [MORE.sgf | folder | archive ...] -o FOLDER

    texts of files -> Task, a game -> review.py -> report.py -> FOLDER/NAME.sgf, .csv, .txt, .png, .svg, .json

NAME.json is written last and says what the review was made with: a game that is already reviewed so is not
reviewed again, so the same command goes on where it was stopped.  A game that cannot be reviewed costs a line.
"""
import argparse
import functools
import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from mugo import __version__
from mugo.files import BadInput, atomic_write
from mugo.games.board import BLACK, WHITE
from mugo.nn.bundled import bundled_name, find_network
from mugo.parallel import ordered_map, process_pool
from mugo.players import options as player_options
from mugo.players import searcher
from mugo.players.evaluator import SearchEvaluator
from mugo.plots.figures import NO_MATPLOTLIB, has_matplotlib
from mugo.plots.terminal import PLAIN, Screen
from mugo.plots.text_table import format_table
from mugo.review.report import (
    WORDS,
    commented,
    csv_text,
    percent,
    player_name,
    summary,
    swing_board,
    swing_table,
    win_rate_graph,
)
from mugo.review.review import Review, Reviewer
from mugo.search.search import Search
from mugo.sgf.archives import SGF_SUFFIXES, UnreadableFile
from mugo.sgf.parser import read_records, read_trees
from mugo.sgf.record import BadRecord, Record
from mugo.sgf.sources import Source, find_sources, read_files

SIMULATIONS = 400         # of each position, those kept from the one before counted: about a second
PICTURES = (".png", ".svg")
KIND = 1                  # of reviews; raised when the same settings come to say something else
# What the review of a game depends on, beside the game.
OPTIONS = ("player", "network", "fast", "simulations", "seconds", "tta", "komi", "seed", "rollout", "rollouts",
           "lambda_", "c", "fpu", "expand_after", "batch", "threads", "max_edges",
           "transpositions", "reuse_tree", "random_symmetry")


class Task(NamedTuple):
    """One game to review: the name of its files, the text it stands in, and which of the text's games it is."""
    name: str
    data: bytes
    index: int
    moves: int


def tasks(paths: list[str], bad: Callable[[str], None], folder: Path = Path()) -> list[Task]:
    """The games in files, folders and archives, each with a name of its own; bad() is told of those that cannot be
    read.  Reviews that lie in `folder`, below what is read, are left out.  Raises BadInput where a path does not
    exist or holds nothing."""
    found: dict[str, Task] = {}
    for source in _sources(paths, folder):
        for text in read_files(source):
            if isinstance(text, UnreadableFile):
                bad(f"{text.source}/{text.name}: {text.error}" if text.name else f"{text.source}: {text.error}")
                continue
            records = list(read_records(text.data))
            stem = _stem(text.name)
            for index, record in enumerate(records):
                if isinstance(record, BadRecord):
                    which = f", game {index + 1}" if len(records) > 1 else ""
                    bad(f"{text.name}{which}: {record}")
                    continue
                name = f"{stem}-{index + 1}" if len(records) > 1 else stem
                count = 2
                while name in found:
                    name, count = f"{stem}-{index + 1}-{count}" if len(records) > 1 else f"{stem}-{count}", count + 1
                found[name] = Task(name, text.data, index, len(record.moves))
    return list(found.values())


def _sources(paths: list[str], folder: Path) -> list[Source]:
    found = []
    for source in find_sources(paths):
        below = os.path.relpath(os.path.realpath(folder), os.path.realpath(source.path)) + os.sep
        if source.files is not None and not below.startswith(("." + os.sep, ".." + os.sep)):
            source = replace(source, files=tuple(file for file in source.files if not file.startswith(below)))
        found.append(source)
    return found


def check_safe(paths: list[str], games: list[Task], folder: Path) -> None:
    """Raise BadInput where a game's own file would be written over by its review."""
    own = {os.path.realpath(os.path.join(source.path, file))
           for source in _sources(paths, folder) for file in source.files or ()}
    for task in games:
        written = _file(folder / task.name, ".sgf")
        if os.path.realpath(written) in own:
            raise BadInput(f"{written} is a game to review, and would be written over: give -o another folder")


def _stem(name: str) -> str:
    """What the files of a game are called: 'old/1.sgf.gz' -> 'old-1'."""
    suffix = max((suffix for suffix in SGF_SUFFIXES if name.lower().endswith(suffix)), key=len, default="")
    return re.sub(r"[/\\:]", "-", name.removesuffix(name[len(name) - len(suffix):]).lstrip("./"))


@functools.lru_cache(1)
def _reviewer(options: str) -> Reviewer:
    """The reviewer that a command line asks for, one a process.  options: _options' JSON.  Raises BadInput."""
    args = argparse.Namespace(**json.loads(options))
    network = None if args.player == "uct" else player_options.open_network(args.network, args.threads)
    if args.fast:
        return Reviewer(network, tta=args.tta, komi=args.komi)
    simulations = SIMULATIONS if args.simulations is None and args.seconds is None else args.simulations
    judges = [SearchEvaluator(Search(player_options.settings_from_arguments(args), network), simulations, args.seconds)
              for _ in range(2)]
    return Reviewer(network, tuple(judges), tta=args.tta, komi=args.komi)


def _options(args: argparse.Namespace) -> str:
    """What is needed of a command line to review, as JSON.  Raises BadInput for what makes no sense."""
    searcher.PlayOptions(args.simulations, args.seconds)
    if args.player == "random":
        raise BadInput("'random' has no opinion of games (policy, uct, mcts)")
    if args.player == "uct" and args.fast:
        raise BadInput("--fast is a network alone, and uct has none")
    fast = args.fast or args.player in ("policy", "randompolicy")
    # No early stop: the move to play may be clear long before what it wins is.
    return json.dumps(vars(args) | {"fast": fast, "early_stop": False}, default=lambda kept: None, sort_keys=True)


def about(options: str, size: int) -> str:
    """Who reviews games on this board, in a line."""
    args = argparse.Namespace(**json.loads(options))
    network = "" if args.player == "uct" else f" with the network {_network_file(args, size).stem}"
    if args.fast:
        return f"Reviewed by MuGo {__version__}: the network {_network_file(args, size).stem} alone."
    limit = [f"{args.simulations or SIMULATIONS} simulations"] if args.simulations or not args.seconds else []
    limit += [f"{args.seconds:g} seconds"] if args.seconds else []
    return f"Reviewed by MuGo {__version__}: {args.player}{network}, {' or '.join(limit)} a position."


def _network_file(args: argparse.Namespace, size: int) -> Path:
    return find_network(args.network or bundled_name(size))


@functools.lru_cache(8)
def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _fingerprint(task: Task, options: str, size: int) -> str:
    """Of a game and all that its review depends on."""
    args = json.loads(options)
    network = "" if args["player"] == "uct" else _checksum(_network_file(argparse.Namespace(**args), size))
    settings = json.dumps([KIND, network, task.index, {name: args[name] for name in OPTIONS}])
    return hashlib.sha256(settings.encode() + b"\n" + task.data).hexdigest()


def review_one(task: Task, folder: Path, options: str, screen: Screen = PLAIN,
               tick: Callable[[], object] = lambda: None) -> dict:
    """Review a game and write its files, unless that is done; returns what NAME.json says, and 'told': the lines
    to show.  What cannot be reviewed has 'bad' instead, a line.  Raises OSError as writing does."""
    record, tree = list(read_trees(task.data))[task.index]
    path = folder / task.name
    fingerprint = _fingerprint(task, options, record.size)
    try:
        done = json.loads(_file(path, ".json").read_text(encoding="utf-8"))
        if done["fingerprint"] == fingerprint:
            return done | {"told": _file(path, ".txt").read_text(encoding="utf-8").splitlines(), "kept": True}
    except (OSError, ValueError, KeyError, TypeError):
        pass                                             # not reviewed yet, or not to the end
    try:
        review = _reviewer(options).review(record, tick)
    except BadInput as bad:
        return {"bad": f"{task.name}: {bad}"}
    by = about(options, record.size)
    _write(path, ".sgf", commented(review, tree, by))
    _write(path, ".csv", csv_text(review).encode())
    _write(path, ".txt", "\n".join([by, "", *_told(review, PLAIN), ""]).encode())
    if has_matplotlib():
        title = f"{player_name(review, BLACK)} against {player_name(review, WHITE)}" \
            + (f", {record.result}" if record.result else "")
        for suffix in PICTURES:
            win_rate_graph(review, _file(path, suffix), title)
    done = {"fingerprint": fingerprint, "about": by} | _figures(record, review)
    _write(path, ".json", json.dumps(done, indent=1, ensure_ascii=False).encode())
    return done | {"told": [by, "", *_told(review, screen)], "kept": False}


def _file(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _write(path: Path, suffix: str, data: bytes) -> None:
    with atomic_write(_file(path, suffix)) as beside:
        beside.write_bytes(data)


def _told(review: Review, screen: Screen) -> list[str]:
    """The review in lines: how each side played, the biggest swings, and the first of them drawn."""
    lines = [*summary(review), "", *swing_table(review)]
    for row in review.swings(1):
        lines += ["", f"move {row.number}, and what was better:", *swing_board(review, row, screen)]
    return lines


def _figures(record: Record, review: Review) -> dict:
    """What the table of several games and other programs want to know."""
    sides = {}
    for side, colour in ("black", BLACK), ("white", WHITE):
        own = [row for row in review.rows if row.colour == colour]
        lost = [max(row.lost, 0.0) for row in own if row.lost is not None]
        sides[side] = {
            "name": player_name(review, colour), "moves": len(own),
            **{word: sum(row.verdict == word for row in own) for word in WORDS},
            "mean_loss": sum(lost) / len(lost) if lost else None,
            "top1": sum(row.rank == 1 for row in own), "top5": sum(row.rank <= 5 for row in own)}
    return {"size": record.size, "moves": len(review.rows), "result": record.result, "stopped": review.stopped, **sides}


def overview(done: list[tuple[str, dict]]) -> list[str]:
    """A line for each of several games."""
    rows = [["game", "moves", "Black's loss", "mistakes", "blunders", "White's loss", "mistakes", "blunders",
             "top 1"]]
    for name, game in done:
        sides = [[percent(game[side]["mean_loss"]), str(game[side]["mistake"]), str(game[side]["blunder"])]
                 for side in ("black", "white")]
        top = (game["black"]["top1"] + game["white"]["top1"]) / game["moves"]
        rows.append([name, str(game["moves"]), *sides[0], *sides[1], f"{top:.0%}"])
    return format_table(rows)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo analyze`."""
    parser.add_argument("games", nargs="+", metavar="GAME", help="SGF files, folders of them, archives")
    parser.add_argument("-o", "--output", default="review", metavar="FOLDER",
                        help="where SGF, CSV, text and pictures of each game go (default: %(default)s)")
    parser.add_argument("--fast", action="store_true", help="no search: the network alone, its value for win rates")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="games at once (default: %(default)s)")
    parser.add_argument("--komi", type=float, default=7.5, help="of games that name none (default: %(default)s)")
    parser.add_argument("--no-colour", "--no-color", action="store_true", help="no colours in the terminal")
    player_options.add_arguments(parser, default="mcts", by_option=True)
    parser.epilog = f"Without --simulations or --seconds a searcher gets {SIMULATIONS} simulations a position."


def command(args: argparse.Namespace) -> int:
    """Run `mugo analyze`; returns the exit status: 2 if no game could be reviewed.  Raises BadInput."""
    if args.jobs < 1:
        raise BadInput(f"--jobs is 1 or more, not {args.jobs}")
    if not math.isfinite(args.komi):
        raise BadInput(f"komi is a finite number, not {args.komi}")
    options = _options(args)
    failed: list[str] = []
    folder = Path(args.output)
    games = tasks(args.games, failed.append, folder)
    for line in failed:
        print(f"mugo analyze: {line}", file=sys.stderr)
    if not games:
        return 2
    check_safe(args.games, games, folder)
    _reviewer(options)                                   # what makes no sense is said before the first game
    if not has_matplotlib():
        print(f"mugo analyze: no graphs: {NO_MATPLOTLIB}", file=sys.stderr)
    screen = Screen.for_stream(sys.stdout, not args.no_colour)
    done: list[tuple[str, dict]] = []
    with tqdm(unit=" moves", total=sum(task.moves for task in games), smoothing=0.1, disable=None) as bar:
        for task, found in zip(games, _reviewed(games, folder, options, screen, args.jobs, bar), strict=True):
            if "bad" in found:
                bar.write(f"mugo analyze: {found['bad']}", file=sys.stderr)
            else:
                done.append((task.name, found))
    if len(done) == 1:
        print("\n".join(done[0][1]["told"]))
    elif done:
        print("\n".join(overview(done)))
    kept = sum(found["kept"] for _, found in done)
    if done:
        print(f"\n{folder}{os.sep}: " + (f"{done[0][0]}.*" if len(done) == 1 else f"{len(done)} games")
              + (f" ({kept} reviewed before)" if kept else ""))
    return 0 if done else 2


def _reviewed(games: list[Task], folder: Path, options: str, screen: Screen, jobs: int, bar: tqdm):
    """What review_one says of each game, in order; the bar moves with the moves, or with games of several jobs."""
    if jobs == 1:
        begun = 0
        for task in games:
            yield review_one(task, folder, options, screen, bar.update)
            begun += task.moves
            bar.update(begun - bar.n)                    # games kept, or cut short
        return
    with process_pool(jobs) as executor:
        try:
            work = functools.partial(review_one, folder=folder, options=options, screen=screen)
            for task, found in zip(games, ordered_map(executor, work, games, 2 * jobs), strict=True):
                bar.update(task.moves)
                yield found
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
