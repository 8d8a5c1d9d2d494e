"""The reviewer that options ask for; one game reviewed, and its files written: NAME.txt, .sgf, .csv, .png, .svg, and
NAME.json last.

NAME.json holds a fingerprint of the game and of the settings, a hash of the game, and the CRC-32 of itself and of
NAME.txt.  A game whose NAME.json has the same fingerprint, and where both are undamaged, is not reviewed again, so an
interrupted command continues where it was stopped.
"""
import functools
import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from mugo.core.files import BadInput, atomic_write, file_sha256
from mugo.core.version import VERSION
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import BoardSize, size_value
from mugo.games.go import GoPosition
from mugo.mcts.search import Search
from mugo.nn.bundled import bundled_name
from mugo.nn.inference import precision_of
from mugo.nn.network_file import find_network
from mugo.players.evaluation import SearchEvaluator
from mugo.players.registry import open_network
from mugo.plots.figures import has_matplotlib
from mugo.plots.terminal import PLAIN, Screen
from mugo.reviews.annotated_sgf import annotated_sgf
from mugo.reviews.move_review import VERDICTS, Review
from mugo.reviews.options import ReviewOptions
from mugo.reviews.report import csv_text, player_name, save_win_rate_graph, text_report
from mugo.reviews.review import Reviewer
from mugo.reviews.tasks import REVIEWED_BY, ReviewTask, checksum, output_file, read_review

GRAPH_SUFFIXES = (".png", ".svg")
REVIEW_FORMAT = 18        # raised when the same options give other files



@functools.lru_cache(1)
def make_reviewer(options: ReviewOptions) -> Reviewer:
    """The reviewer of these options; a process makes it once.  Raises BadInput."""
    settings = options.settings
    network = None if options.player == "uct" else open_network(
        options.network, settings.threads, options.opened.precision, options.opened.provider,
        caches=not options.has_search or settings.seed is None)
    if network is not None and options.network is not None:
        network.for_position(GoPosition())                 # one line for a network of another game, not one a game
    if not options.has_search:
        return Reviewer(network, komi=options.komi)
    evaluators = (SearchEvaluator(Search(settings, network), options.simulations, options.seconds),
                  SearchEvaluator(Search(settings, network), options.simulations, options.seconds))
    return Reviewer(network, evaluators, komi=options.komi)


def describe_reviewer(options: ReviewOptions, size: BoardSize) -> str:
    """A line about the reviewer of games on this board: version, player, network, effort."""
    network = ""
    if options.player != "uct":
        network = f"the network {_network_file(options, size).stem}, {_precision(options, size)}"
    if not options.has_search:
        return f"{REVIEWED_BY} {VERSION}: {network}, alone."
    limits = [f"{options.simulations} simulations"] if options.simulations else []
    limits += [f"{options.seconds:g} seconds"] if options.seconds else []
    network = network and f" with {network}"
    return f"{REVIEWED_BY} {VERSION}: {options.player}{network}, {' or '.join(limits)} per position."


def fingerprint(task: ReviewTask, options: ReviewOptions, size: BoardSize) -> str:
    """The SHA-256 of a game and of all that its review depends on; a network counts by its bytes, not its name."""
    opened = options.opened
    if options.player != "uct":
        opened = replace(opened, network=file_sha256(_network_file(options, size)),
                         precision=_precision(options, size))
    settings = json.dumps([REVIEW_FORMAT, task.index, asdict(replace(options, opened=opened))])
    return hashlib.sha256(settings.encode() + b"\n" + task.data).hexdigest()


def _network_file(options: ReviewOptions, size: BoardSize) -> Path:
    return find_network(options.network or bundled_name(size, for_search=options.has_search))


def _precision(options: ReviewOptions, size: BoardSize) -> str:
    return precision_of(_network_file(options, size), options.opened.precision, options.opened.provider)


@dataclass(frozen=True)
class ReviewResult:
    """What review_game returns.

    statistics: the contents of NAME.json.  text: the lines to print.
    was_done: the game had been reviewed before.  error: a line, if the game cannot be reviewed.
    """
    statistics: dict = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    was_done: bool = False
    error: str = ""


def review_game(task: ReviewTask, folder: Path, options: ReviewOptions, screen: Screen = PLAIN,
                on_move: Callable[[], object] = lambda: None) -> ReviewResult:
    """Review a game and write its files, unless that is done.

    on_move: as in Reviewer.review.
    Raises OSError if a file cannot be written.
    """
    tree = task.tree()
    record = tree.record
    task_fingerprint = fingerprint(task, options, record.shape)
    before = read_review(folder, task.name)
    if before is not None and before[0].get("fingerprint") == task_fingerprint:
        return ReviewResult(before[0], before[1].splitlines(), was_done=True)
    try:
        review = make_reviewer(options).review(record, on_move)
    except BadInput as error:
        return ReviewResult(error=f"{task.name}: {error}")
    reviewed_by = describe_reviewer(options, record.shape)
    notes = [] if tree.is_whole else ["Of this file only the main line could be read; the variations are left out."]
    statistics = {"fingerprint": task_fingerprint, "game": task.game, "reviewed_by": reviewed_by} \
        | review_statistics(review)
    files = {".txt": "\n".join([reviewed_by, *notes, "", *text_report(review), ""]).encode(),
             ".sgf": annotated_sgf(review, tree.nodes, reviewed_by),
             ".csv": csv_text(review).encode()}
    for suffix, data in files.items():
        _write(output_file(folder, task.name, suffix), data)
    if has_matplotlib():
        title = f"{player_name(review, BLACK)} against {player_name(review, WHITE)}" \
            + (f", {record.result}" if record.result else "")
        for suffix in GRAPH_SUFFIXES:
            save_win_rate_graph(review, output_file(folder, task.name, suffix), title)
    written = statistics | {"checksum": checksum(statistics, files[".txt"])}
    _write(output_file(folder, task.name, ".json"), json.dumps(written, indent=1, ensure_ascii=False).encode())
    return ReviewResult(statistics, [reviewed_by, *notes, "", *text_report(review, screen)])


def review_statistics(review: Review) -> dict:
    """The numbers of NAME.json: the game's, and each side's moves, verdicts, mean losses and agreement."""
    sides = {}
    for side, colour in ("black", BLACK), ("white", WHITE):
        moves = [move for move in review.judged_moves if move.colour == colour]
        losses = [max(move.loss, 0.0) for move in moves if move.loss is not None]
        lost = [max(move.points_lost, 0.0) for move in moves if move.points_lost is not None]
        sides[side] = {
            "name": player_name(review, colour), "moves": len(moves),
            **{verdict: sum(move.verdict == verdict for move in moves) for verdict in VERDICTS},
            "mean_loss": sum(losses) / len(losses) if losses else None,
            "mean_points_lost": sum(lost) / len(lost) if lost else None,
            "top1": sum(move.rank == 1 for move in moves), "top5": sum(move.rank <= 5 for move in moves)}
    return {"size": size_value(review.record.shape), "moves": len(review.moves), "result": review.record.result,
            "stop_reason": review.stop_reason, **sides}


def _write(path: Path, data: bytes) -> None:
    with atomic_write(path) as temporary:
        temporary.write_bytes(data)
